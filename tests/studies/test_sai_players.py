"""Sai's players: the fast ones are the published ones, in both games; and the learner credits as its program does."""

import pickle
import random

import numpy as np
import pytest

from ttt_fast.agents.api import WrappedPlayer
from ttt_fast.agents.convert import as_player, as_policy
from ttt_fast.core.errors import AnswerError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.training import start_training, train
from ttt_fast.policies.files import load_policy
from ttt_fast.studies.sai import costs, learners, matches, truth
from ttt_fast.studies.sai.plain import FourBoard, PlainBoard, PlainDefaultPlayer, Searcher, TablePlayer, on_the_clock
from ttt_fast.tables import table_of
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
CODED, DESCRIBED = (parse_game(board) for board in (matches.CODED["connect4"], "connect4"))
AS_CODED = matches.SEARCH + matches.AS_CODED


def board_of(state):
    return PlainBoard(boards_of(TABLE)[state].tolist(), int(TABLE.player[state]))


def boards_after(actions):
    """A line of play on the plain board and on the package's."""
    board, state = FourBoard(), CODED.initial_state
    for action in actions:
        board.push(action)
        state = api.play(state, action)
    return board, state


def random_line(generator, plies):
    """Random moves, up to a position that goes on."""
    board, actions = FourBoard(), []
    while len(actions) < plies:
        actions.append(generator.choice(board.moves()))
        board.push(actions[-1])
        if board.result() is not None:
            return random_line(generator, plies)
    return actions


def learner(game, variant, seed, episodes):
    found = learners.learner_of(learners.config_of(game, variant, seed, episodes), variant)
    found.run_chunks(0, found.config.num_chunks)
    return found


# --- Tic-tac-toe.


def test_nodes_and_moves_of_the_searches():
    """The plain players on a sample of boards: nodes of the table walks, and the move of `minimax:tie=first`."""
    minimax = as_policy(matches.minimax_of("tic-tac-toe", as_coded=True)).greedy_actions()
    sample = np.flatnonzero((TABLE.ply >= 3) & TABLE.decision_mask)[::37].tolist()
    for prune in (False, True):
        for state in sample + ([0, 1, 5] if prune else []):
            searcher = Searcher(prune)
            assert searcher(board_of(state)) == minimax[state]
            assert searcher.looked == costs.nodes_of(prune)[state]


def test_the_plain_default_opponent_is_the_agent():
    """With skill 1 wins and blocks are certain; the rest is drawn from the legal moves."""
    policy = as_policy("default:skill=1").probabilities
    player = PlainDefaultPlayer(1.0, random.Random(0))
    for state in np.flatnonzero(TABLE.decision_mask)[::11].tolist():
        assert policy[state, player(board_of(state))] > 0


def test_a_table_player_takes_the_last_of_the_best():
    player = TablePlayer({"[0, 0, 1, 0, 0, 0, 0, 0, 0]": 0.5}, -1.0, random.Random(0))
    assert player(board_of(0)) == 2
    assert player(board_of(1)) == 8
    assert player.looked == 9 + 8


def test_exact_nodes_of_a_game_are_those_of_a_measured_one():
    """Two minimax players: one course of the game for each order."""
    minimax = as_policy(matches.minimax_of("tic-tac-toe", as_coded=True))
    moves, expected = costs.spent_exactly(minimax, minimax, costs.nodes_of(True))
    spent = on_the_clock(Searcher(True), Searcher(True), False, PlainBoard)
    assert sum(one[1] for one in spent) / 2 == expected
    assert sum(one[0] for one in spent) / 2 == moves == 4.5


def test_the_mended_learner_is_an_ordinary_training_run():
    ordinary = train(start_training(learners.config_of("tic-tac-toe", learners.REWARDS, 5, 20_000)))
    study = learner("tic-tac-toe", learners.REWARDS, 5, 20_000)
    assert np.array_equal(
        ordinary.q_table[TABLE.legal_action_mask], study.store.rows.first[TABLE.child][TABLE.legal_action_mask]
    )
    assert ordinary.counts.tolist() == study.counts.tolist()
    assert np.array_equal(ordinary.policy().weights, learners.side_learned(study, "xo", "0").weights)


def test_every_variant_learns_something_else():
    runs = [learner("tic-tac-toe", variant, 0, 5000).store.rows.first.tobytes() for variant in learners.VARIANTS]
    assert len(set(runs)) == len(learners.VARIANTS)


def test_a_policy_is_what_the_program_plays_from_its_pickle(tmp_path):
    """The bridge to the published files: `{'[1 0 0 ...]': value}` of one seat, ties to the last move."""
    run, boards = learner("tic-tac-toe", learners.PUBLISHED, 5, 20_000), boards_of(TABLE)
    rows = run.store.rows
    for seat, parity in (("x", 1), ("o", 0)):
        own = np.flatnonzero((rows.updates > 0) & (TABLE.ply % 2 == parity)).tolist()
        names = {f"[{' '.join(map(str, boards[state].tolist()))}]": float(rows.first[state]) for state in own}
        path = tmp_path / f"policy-{seat}.pickle"
        path.write_bytes(pickle.dumps(names))
        loaded, policy = load_policy(path, TABLE), learners.side_learned(run, seat, "0")
        assert np.array_equal(loaded.weights, policy.weights)
        assert np.array_equal(loaded.held, policy.held)
        assert policy.seats_held() == seat


def test_the_exploring_policy_is_exact():
    run = learner("tic-tac-toe", learners.PUBLISHED, 5, 20_000)
    policy, greedy = (learners.side_learned(run, "xo", epsilon) for epsilon in ("0.9", "0"))
    legal = TABLE.legal_action_mask
    uniform = legal / np.maximum(legal.sum(axis=1), 1)[:, None]
    assert policy.is_exact
    assert np.allclose(policy.probabilities, 0.1 * greedy.probabilities + 0.9 * uniform, rtol=0, atol=1e-15)


def test_an_unknown_seat_plays_the_last_free_cell():
    probabilities = learners.side_learned(learner("tic-tac-toe", learners.PUBLISHED, 5, 20_000), "x", "0").probabilities
    for state in np.flatnonzero(TABLE.player == 2)[::50]:
        assert probabilities[state, np.flatnonzero(TABLE.legal_action_mask[state])[-1]] == 1.0


# --- Connect 4: the plain program and the fast players.


def test_the_plain_board_plays_as_the_package():
    generator = random.Random(1)
    results = {None: api.ONGOING, 1: api.X_WINS, 2: api.O_WINS, 0: api.DRAW}
    for _ in range(30):
        board, state = boards_after([])
        while board.result() is None:
            assert board.moves() == api.legal_actions(state)
            action = generator.choice(board.moves())
            board.push(action)
            state = api.play(state, action)
            assert results[board.result()] == api.status(state)


@pytest.mark.parametrize(("prune", "line_plies"), [(True, (0, 7, 18, 30, 36, 38, 39, 40, 41)), (False, (24, 34, 39))])
def test_the_search_as_coded_is_the_printed_one(prune, line_plies):
    """The same column and value as appendix 9.1, and as many nodes where no full board is above the horizon."""
    spec = AS_CODED if prune else AS_CODED + matches.UNPRUNED
    player, generator = as_player(spec, CODED), random.Random(2)
    for plies in line_plies:
        for _ in range(6 if plies > 30 else 2):
            board, state = boards_after(random_line(generator, plies))
            searcher = Searcher(prune, 5)
            value, column = searcher.value_and_move(board)
            result = player.search(state)
            sign = 1 if board.turn == 1 else -1
            assert np.clip(sign * result.value, -2, 2) == np.clip(value, -2, 2)
            assert result.nodes == searcher.looked or plies > 42 - 5
            if column >= 0:
                assert result.action == column
            else:  # the program has no move: it stops
                assert value == -np.inf
                with pytest.raises(AnswerError):
                    matches.StoppingPlayer(player).search(state)


def test_games_in_which_the_program_stops_are_counted_apart():
    class Lost(WrappedPlayer):
        def search(self, state):
            result = self.player.search(state)
            return result._replace(value=-2.0) if api.ply(state) > 4 else result

    first, second = (as_player("default", CODED) for _ in range(2))
    found = matches.match_of(matches.FOUR, first, matches.StoppingPlayer(Lost(second)), 3, 0)
    assert (found.stopped, found.counts.sum(), found.lines) == (6, 0, [])


def test_x_would_rather_lose_than_fill_the_board():
    """Two cells left in two columns: below one of them O wins; the other leads to a full board."""
    generator = random.Random(5)
    found = 0
    while not found:
        board, state = boards_after(random_line(generator, 40))
        if len(board.moves()) != 2:
            continue
        ends = []
        for first in board.moves():
            after = board.after(first)
            if after.result() is None:
                after.push(after.moves()[0])
            ends.append(after.result())
        if sorted(ends) == [0, 2]:
            found += 1
            assert as_player(AS_CODED, CODED).search(state).action == board.moves()[ends.index(2)]
            assert as_player(matches.SEARCH, CODED).search(state).action == board.moves()[ends.index(0)]


def test_the_default_opponents_agree():
    """With skill 1: a win if there is one, else a block, in the first such column; else any."""
    generator = random.Random(3)
    plain_player, player = PlainDefaultPlayer(1.0, generator), as_player("default:skill=1", CODED)
    player.begin(np.uint64(1))
    forced = 0
    for _ in range(40):
        board, state = boards_after(random_line(generator, 14))
        if any(find(state) != api.NO_ACTION for find in (api.winning_action, api.threat_action)):
            forced += 1
            assert plain_player(board) == player.search(state).action
    assert forced > 5


def test_a_table_plays_as_its_dictionary():
    """Greedily, with X's values in both seats: the columns of the program's dictionary, and nothing known as O."""
    run = learner("connect4", learners.PUBLISHED, 0, 3000)
    texts = dict(costs.values_of_x(run))
    assert len(texts) == len(run.store)
    dictionary = TablePlayer(texts, -1.0, random.Random(0))
    player, blank = (learners.side_learned(run, seats, "0") for seats in ("x", "o"))
    generator, known = random.Random(4), 0
    for plies in [0, 2, 4] * 10 + [1, 3]:
        board, state = boards_after(random_line(generator, plies))
        assert player.search(state).action == dictionary(board)
        assert blank.search(state).action == board.moves()[-1]
        known += player.search(state).action != board.moves()[-1]
    assert known > 5


def test_plain_games_are_the_sampled_ones():
    """Minimax against itself on the clock: as many moves and nodes as the compiled players."""
    spent = on_the_clock(Searcher(True, 5), Searcher(True, 5), False, FourBoard)
    played = matches.played(matches.CODED["connect4"], AS_CODED, AS_CODED, 1, 0)
    assert [one[0] for one in spent] == [16, 16]
    assert sum(one[1] for one in spent) == played["spent"][0][2]
    assert len({line[1:] for line in played["lines"]}) == 1


def test_games_that_the_program_cannot_finish_do_not_count():
    played = matches.played(matches.CODED["connect4"], "default:skill=1", AS_CODED, 60, 3)
    assert played["stopped"] > 0
    assert played["counts"].sum() + played["stopped"] == 120
    assert played["counts"][1, 2] == 0  # no ties as X


# --- The rewards.


def test_fixed_points_of_the_mis_credited_rewards():
    lost = won = 0.0
    for _ in range(2000):
        for reward in (1, -1):
            lost += 0.1 * (0.9 * reward - lost)
        for reward in (1, -1, 0, 0):
            won += 0.1 * (0.9 * reward - won)
    assert lost == pytest.approx(-0.009 / 0.19, abs=1e-15)
    assert won == pytest.approx(0.81 * -0.009 / (1 - 0.81**2), abs=1e-15)


def test_as_coded_every_known_win_is_worth_less_than_nothing():
    found = {}
    for variant in (learners.PUBLISHED, learners.REWARDS):
        run = learner("connect4", variant, 0, 3000)
        content = learners.kinds_of(run.store.sorted_rows(), CODED)
        found[variant] = {
            kind: dict(zip(learners.MARKS, one, strict=True))
            for kind, one in zip(learners.BOARD_KINDS, content, strict=True)
        }
        assert sum(one["boards"] for one in found[variant].values()) == len(run.store)
    coded, mended = found.values()
    assert coded[learners.X_WON]["boards"] > 100
    assert -0.0213 < coded[learners.X_WON]["lowest"] <= coded[learners.X_WON]["highest"] < 0
    assert coded[learners.O_WON]["boards"] == coded[learners.O_OPEN]["boards"] == 0
    for kind in (learners.X_WON, learners.O_WON):
        assert mended[kind]["above 0"] == mended[kind]["boards"] > 100


def test_settings_of_the_variants():
    configs = {one: learners.config_of("connect4", one, 3, 1_000_000) for one in learners.VARIANTS}
    assert [config.game.spec == CODED.spec for config in configs.values()] == [True, True, False, False]
    for game, episodes in learners.EPISODES.items():
        epsilons = learners.config_of(game, learners.CORRECTED, 3, episodes).settings.epsilon
        at = epsilons.values(0, episodes, episodes)[[0, 300_000, 600_000, episodes - 1]]
        assert at == pytest.approx([0.9, 0.6, 0.3, 0.3], abs=2e-6)


# --- The exact value.


def test_moves_that_keep_the_value():
    """A short game by hand: O must block below X's three, and X takes the fourth where O did not."""
    must_block = api.play(DESCRIBED.state_after("1212"), 0)  # X has three in column 1, O two in column 2
    kept = truth.judged(DESCRIBED, [(must_block, action) for action in (0, 4)])
    assert (kept["decisions"], kept["kept"]) == (2, 1)
    assert kept["by chance"] == pytest.approx(2 / 7)


def test_games_are_judged_from_the_tenth_stone_on():
    played = matches.played("connect4", "default:skill=1", matches.SEARCH, 3, 1)
    counts = 0
    for line in played["lines"]:
        decisions, plies = list(truth.decisions_of(DESCRIBED, line)), len(DESCRIBED.parse_moves(line[1:]))
        assert [api.ply(state) for state, _ in decisions] == list(range(10, plies))
        counts += max(0, (plies - 10 + (line[0] == "-")) // 2)
    assert truth.kept_moves("connect4", played["lines"], 1000)["decisions"] == counts
