"""Sai's Connect 4: the fast players are the published ones, the learner credits as coded, the rows are right."""

import random
from fractions import Fraction

import numpy as np
import pytest

from ttt_fast.agents.registry import make_player
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.training import start_training, train
from ttt_fast.studies.sai.connect_four import claims, learning, match, plain, samples, tables, truth, usage, values
from ttt_fast.studies.sai.connect_four.part import QUICK, run_part
from ttt_fast.studies.sai.odds import Halves, SampledHalves, beta_binomial, binomial, count_distribution
from ttt_fast.studies.sai.published import CONNECT_FOUR_TABLES
from ttt_fast.studies.sai.search import default_player, play_measured, table_player

CODED, DESCRIBED = parse_game(match.BOARD_AS_CODED), parse_game(match.BOARD_AS_DESCRIBED)


@pytest.fixture(scope="module")
def part():
    return run_part(QUICK, 2)


def boards_after(actions):
    """A line of play on the plain board and on the package's."""
    board, state = plain.FourBoard(), CODED.initial_state
    for action in actions:
        board.push(action)
        state = api.play(state, action)
    return board, state


def random_line(generator, plies):
    """Random moves, up to a position that goes on."""
    board, actions = plain.FourBoard(), []
    while len(actions) < plies:
        actions.append(generator.choice(board.moves()))
        board.push(actions[-1])
        if board.result() is not None:
            return random_line(generator, plies)
    return actions


# --- The plain program and the fast players.


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
    spec = match.MINIMAX_AS_CODED if prune else match.unpruned(match.MINIMAX_AS_CODED)
    player, generator = make_player(spec, CODED), random.Random(2)
    for plies in line_plies:
        for _ in range(6 if plies > 30 else 2):
            board, state = boards_after(random_line(generator, plies))
            searcher = plain.DepthSearcher(prune)
            value, column = searcher.value_and_move(board)
            thought = player.think(state)
            sign = 1 if board.turn == 1 else -1
            assert np.clip(sign * thought.value, -2, 2) == np.clip(value, -2, 2)
            assert thought.nodes == searcher.nodes or plies > 42 - 5
            if column >= 0:
                assert thought.action == column
            else:  # the program has no move: it stops
                assert value == -np.inf
                with pytest.raises(match.ProgramStops):
                    match.StoppingPlayer(player).think(state)


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
            after = board.copy()
            after.push(first)
            if after.result() is None:
                after.push(after.moves()[0])
            ends.append(after.result())
        if sorted(ends) == [0, 2]:
            found += 1
            assert make_player(match.MINIMAX_AS_CODED, CODED).think(state).action == board.moves()[ends.index(2)]
            mended = match.MINIMAX_AS_DESCRIBED
            assert make_player(mended, CODED).think(state).action == board.moves()[ends.index(0)]


def test_the_default_opponents_agree():
    """With skill 1: a win if there is one, else a block, in the first such column; else any."""
    generator = random.Random(3)
    plain_player, player = default_player(1.0, generator), make_player("default:skill=1", CODED)
    player.begin(np.uint64(1))
    forced = 0
    for _ in range(40):
        board, state = boards_after(random_line(generator, 14))
        if any(find(state) != api.NO_ACTION for find in (api.winning_action, api.threat_action)):
            forced += 1
            assert plain_player(board) == player.think(state).action
    assert forced > 5


def trained(variant, episodes):
    return train(start_training(learning.variant_config(variant, 0, episodes)))


def test_a_table_plays_as_its_dictionary():
    """Greedily, with X's values in both seats: the columns of the program's dictionary, and nothing known as O."""
    run = trained(learning.AS_CODED, 3000)
    texts = usage.board_texts(run.hashed.sorted_rows(), CODED)
    assert len(texts) == len(run.hashed)
    dictionary = table_player(texts, -1.0, random.Random(0))
    player, blank = (learning.SeatedPlayer(run, seats, Fraction(0)) for seats in ("x", "o"))
    generator, known = random.Random(4), 0
    for plies in [0, 2, 4] * 10 + [1, 3]:
        board, state = boards_after(random_line(generator, plies))
        assert player.think(state).action == dictionary(board)
        assert blank.think(state).action == board.moves()[-1]
        known += player.think(state).action != board.moves()[-1]
    assert known > 5


# --- What the rewards do.


def test_fixed_points_of_the_mis_credited_rewards():
    lost = won = 0.0
    for _ in range(2000):
        for reward in (1, -1):
            lost += 0.1 * (0.9 * reward - lost)
        for reward in (1, -1, 0, 0):
            won += 0.1 * (0.9 * reward - won)
    assert lost == pytest.approx(values.LOST_AS_CODED, abs=1e-15)
    assert won == pytest.approx(values.WON_AS_CODED, abs=1e-15)


def test_as_coded_every_known_win_is_worth_less_than_nothing():
    run = trained(learning.AS_CODED, 3000)
    kinds = {kind.name: kind for kind in values.value_classes(run.hashed.sorted_rows(), CODED)}
    won = kinds[values.X_WON]
    assert won.boards > 100
    assert values.WON_AS_CODED - 1e-12 <= won.lowest <= won.highest < 0
    assert kinds[values.O_WON].boards == kinds[values.O_OPEN].boards == 0
    mended = trained(learning.REWARDS_MENDED, 3000)
    kinds = {kind.name: kind for kind in values.value_classes(mended.hashed.sorted_rows(), CODED)}
    assert kinds[values.X_WON].positive == kinds[values.X_WON].boards > 100
    assert kinds[values.O_WON].positive == kinds[values.O_WON].boards > 100
    assert sum(kind.boards for kind in kinds.values()) == len(mended.hashed)


def test_settings_of_the_variants():
    configs = {variant: learning.variant_config(variant, 3, 1_000_000) for variant in learning.VARIANTS}
    assert [config.game == match.BOARD_AS_CODED for config in configs.values()] == [True, True, False, False]
    epsilons = configs[learning.CORRECTED].epsilons
    at = epsilons.values(0, 1_000_000, 1_000_000)[[0, 300_000, 600_000, 999_999]]
    assert at == pytest.approx([0.9, 0.6, 0.3, 0.3], abs=2e-6)


# --- Matches.


def test_games_that_the_program_cannot_finish_do_not_count(part):
    player = match.player_of(match.MINIMAX_AS_CODED, CODED)
    played = match.play_pairs(CODED, match.player_of("default:skill=1", CODED), player, 60, seed=3)
    assert played.stopped > 0
    assert played.halves.games + played.stopped == 120
    assert all(record.result != "draw" for record in played.records if record.game == 1)  # as X


def test_counts_of_a_sample_allow_for_its_error():
    halves = SampledHalves(np.array([[60, 30, 10], [40, 50, 10]]))
    assert halves.mean == pytest.approx([0.5, 0.4, 0.1])
    assert halves.swapped().counts.tolist() == [[50, 40, 10], [30, 60, 10]]
    exact = Halves(np.array([0.6, 0.3, 0.1]), np.array([0.4, 0.5, 0.1]))
    sampled, certain = (count_distribution([one], 0, 50) for one in (halves, exact))
    counts = np.arange(101)

    def variance(chances):
        return chances @ counts**2 - (chances @ counts) ** 2

    assert sampled.sum() == pytest.approx(1.0)
    assert variance(sampled) == pytest.approx(1.5 * variance(certain), rel=0.02)  # 50 games after 100
    assert beta_binomial(20, 300_000, 1_000_000) == pytest.approx(binomial(20, 0.3), abs=1e-4)


def test_minimax_against_itself_is_one_game():
    played = samples.play_samples(2, 2, 1)
    for record in played.searchers.values():
        assert record.records[0].moves == record.records[1].moves
    assert played.same_moves == (4 - played.unpruned.stopped, 4 - played.unpruned.stopped)


# --- The exact value.


def test_moves_that_keep_the_value():
    """A short game by hand: O must block below X's three, and X takes the fourth where O did not."""
    solver = truth.solver_of(DESCRIBED, 1)
    must_block = DESCRIBED.state_after("1212")  # X has two in column 1, O two in column 2
    must_block = api.play(must_block, 0)
    decisions = [truth.Decision(must_block, action) for action in (0, 4)]
    kept = truth.judge(solver, decisions)
    assert (kept.decisions, kept.kept) == (2, 1)
    assert kept.by_chance == pytest.approx(2 / 7)


def test_a_record_is_judged_from_the_tenth_stone_on(part):
    played = samples.play_samples(3, 1, 1).default[match.BOARD_AS_DESCRIBED, "1"]
    decisions = truth.decisions_of(DESCRIBED, played.records, first=True, limit=1000)
    own = sum(max(0, (record.plies - 10 + (record.game == 0)) // 2) for record in played.records)
    assert len(decisions) == own
    assert all(api.player(one.state) in (api.X, api.O) and api.ply(one.state) >= 10 for one in decisions)


# --- Rows.


def test_every_count_has_a_row_and_its_match(part):
    assert [row["source"] for row in part.cells[::3]] == [one.source for one in CONNECT_FOUR_TABLES]
    how = {row["source"]: row["how"] for row in part.cells}
    assert how["sai table 9"] == how["sai table 10"] == "exact"
    assert how["sai table 5"] == f"{2 * QUICK.pairs} games"
    for row in part.cells:
        assert bool(row["why"]) == (row["verdict"] == "wrong"), row
        assert row["verdict_as_coded"] != "wrong"
    table_9 = [row for row in part.cells if row["source"] == "sai table 9"]
    assert [(row["as_coded"], row["as_described"], row["published_share"]) for row in table_9] == [
        (0.5, 0.5, 0.5), (0.5, 0.5, 0.5), (0.0, 0.0, 0.0),
    ]  # fmt: skip


def test_readings_are_named(part):
    texts = [str(one) for published in CONNECT_FOUR_TABLES for one in tables.readings(published)]
    assert len(part.tables["connect_four_readings"]) == len(texts) == 4 + 4 + 20 + 2 + 10
    for published in CONNECT_FOUR_TABLES:
        assert str(tables.as_coded(published)) in texts
        assert str(tables.as_described(published)) in texts


def test_costs(part):
    rows = {(row["source"], row["player"]): row for row in part.tables["connect_four_searches"]}
    assert len(rows) == 10
    assert rows["sai table 4", "minimax"]["nodes"] > 10 * rows["sai table 5", "minimax with alpha-beta"]["nodes"]
    assert rows["sai table 9", "minimax"]["moves"] == 16  # 32 plies
    timed = part.timing["games"]
    assert [row["source"] for row in timed[::2]] == [one.source for one in CONNECT_FOUR_TABLES]
    assert [("seconds" in row) for row in timed[::2]] == [False, True, True, False, True]
    assert all(row["compiled_seconds"] > 0 for row in timed)


def test_plain_games_are_the_sampled_ones():
    """Minimax against itself on the clock: as many moves and nodes as the compiled players."""
    first, second = plain.DepthSearcher(True), plain.DepthSearcher(True)
    spent = play_measured(first, second, False, plain.FourBoard)
    played = match.play_pairs(CODED, *(match.player_of(match.MINIMAX_AS_CODED, CODED) for _ in "xo"), 1, 0)
    assert [one.moves for one in spent] == [16, 16]
    assert first.nodes + second.nodes == played.spent(True).nodes


def test_statements(part):
    rows = {row["claim"]: row for row in part.tables["connect_four_claims"]}
    same = rows["minimax plays the same with alpha-beta (section 5.5.1)"]
    assert same["verdict"] == "equal"
    assert same["computed"] == "the same moves in 10 of 10 games"
    course = next(row["computed"] for claim, row in rows.items() if claim.startswith("minimax loses to itself"))
    assert course.startswith("always the same game, won by O after 32 plies; with 10 stones it is a draw")
    assert sum(row["verdict"] == claims.OPEN for row in rows.values()) == 1
