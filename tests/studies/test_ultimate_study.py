"""Bichot's study: the emulation fits the printed games, the strategy wins every line, runs repeat exactly."""

import json

import numpy as np
import pytest

from conftest import REPOSITORY, SHARED
from ttt_fast import AgentError, parse_game
from ttt_fast.games import api
from ttt_fast.games.ultimate.duplicates import DuplicatesState
from ttt_fast.learners import start_training
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.studies.engine.sources import cells_of, claims_of
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.statistics.homogeneity import homogeneity, total_p_value
from ttt_fast.studies.ultimate import bertholon, contests, networks, positions
from ttt_fast.studies.ultimate.contests import AGENTS, CODED, MATCHES, PACKAGE, PAIRS, PROGRAMS, ListedContest
from ttt_fast.studies.ultimate.matches import play, player_of
from ttt_fast.values.inputs import fill_inputs, num_planes

GAME = parse_game("ultimate")


# --- What was printed.


def test_the_printed_counts_are_those_of_the_source():
    counts = contests.published()
    assert list(counts) == list(MATCHES)
    assert all(sum(one) == 100 for one in counts.values())
    raw = json.loads((REPOSITORY / "tests" / "data" / "ultimate_fig5.json").read_text())
    assert tuple(raw["agents"]) == AGENTS
    for (first, second), one in counts.items():
        i, j = AGENTS.index(first), AGENTS.index(second)
        assert one == (raw["wins"][i][j], raw["equalities"][i][j], raw["losses"][i][j])


def test_the_printed_scores_are_those_of_the_counts_but_for_one_match():
    counts, off = contests.published(), []
    printed = {cell.place: int(cell.printed) for cell in cells_of(PACKAGE) if cell.table == "Fig. 5"}
    assert len(printed) == 81
    for one in AGENTS:
        for two in AGENTS:
            wins, draws, losses = counts[one, two] if (one, two) in counts else counts[two, one][::-1]
            assert wins + draws + losses == 100
            if abs(printed[f"{one} v {two}"] - wins - draws / 2) > 0.5 + 1e-9:
                off.append((one, two))
    assert off == [("mcts-500", "mcts-1000"), ("mcts-1000", "mcts-500")]
    assert [cell.printed for cell in cells_of(PACKAGE) if cell.table == "Table I"] == ["8", "17", "23", "15", "11"]


def test_statements_are_quoted_by_the_letter():
    """But for blanks, and for the dollars of formulas."""

    def letters(text):
        return "".join(one for one in text if not one.isspace() and one != "$")

    for path in (SHARED / "seeds").glob("003_*.txt"):
        text = letters(path.read_text())
        assert all(letters(one.quotation) in text for one in claims_of(PACKAGE))


def test_contests_have_streams_of_their_own():
    listed = contests.listed_contests() + contests.listed_contests("arms.csv")
    every = listed + [one for program in PROGRAMS for one in contests.pair_contests(program)]
    assert len({one.key for one in every}) == len(every)
    assert len({(one.part, one.name, one.variant) for one in every}) == len(every)
    assert {one.seats for one in contests.pair_contests(CODED)} == {"first"}
    swapped = [one.seats == "swapped" for one in contests.pair_contests(contests.SWAPPED)]
    assert swapped == [one != two for one, two in PAIRS]


@pytest.mark.slow
def test_the_players_of_every_listed_contest_are_made():
    for one in contests.listed_contests() + contests.listed_contests("arms.csv"):
        for spec in (one.first, one.second):
            player_of(spec, parse_game(one.game))


# --- The emulation.


@pytest.mark.slow
def test_the_cheap_cells_are_the_printed_ones_as_coded(tmp_path):
    """Whole cells of Fig. 5 at 300 games; true ties would show in minimax-3 against itself and others."""
    work, cheap = Runner(tmp_path, quick=False, threads=2), {"random", "minimax-1", "minimax-3", "mcts-100"}
    chosen = [
        one._replace(games=300, key=f"99/{number}")
        for number, (one, pair) in enumerate(zip(contests.pair_contests(CODED), PAIRS, strict=True))
        if set(pair) <= cheap
    ]
    printed = contests.published()
    found = [
        homogeneity(printed[tuple(one.name.split(" v "))], result["counts"].sum(axis=0).tolist())
        for one, result in contests.results_of(work, chosen)
    ]
    assert len(found) == 10
    assert min(test.p_value for test in found) > 0.0005
    assert total_p_value(found) > 0.01


def test_seats_threads_and_counts(tmp_path):
    contest = ListedContest("p", "n", "", "minimax-1", "random", "ultimate", "swapped", 75, "8/99")
    (_, one), (_, two) = (
        next(iter(contests.results_of(Runner(tmp_path / str(threads), quick=False, threads=threads), [contest])))
        for threads in (1, 3)
    )
    assert np.array_equal(one["counts"], two["counts"]) and np.array_equal(one["plies"], two["plies"])
    assert one["counts"].sum(axis=1).tolist() == [38, 37]
    row = contests.row_of(contest, one)
    assert row["wins"] > 60  # told from the first agent, in both seats
    assert one["moves"].sum() == one["plies"].sum()
    first = play("minimax-1", "random", "ultimate", "first", [8, 99], 0, 20)
    assert first["counts"].sum(axis=1).tolist() == [20, 0]


@pytest.mark.slow
def test_the_player_with_duplicates_searches_the_lists():
    wrapped = player_of(contests.PLAYED_AS["mcts-100"][CODED], GAME)
    plain = MctsPlayer("mcts", MctsConfig(sims=100, formula="log-ratio"))
    state = GAME.initial_state
    for action in (40, 36, 4, 37, 13, 38):  # X wins nothing; O has the left column of the centre board
        state = api.play(state, action)
    free = GAME.state_after("55 51 15 52 25 53 35")
    for one in (state, free):
        for stream in (1, 2):
            wrapped.begin(np.uint64(stream)), plain.begin(np.uint64(stream))
            assert wrapped.search(one) == plain.search(DuplicatesState(one))
    assert wrapped.memory_bytes > 0


# --- Positions.


def test_a_search_of_one_ply_has_true_ties_and_deeper_ones_do_not():
    assert not positions.worse_ties(1, 60)["worse"] or max(positions.worse_ties(1, 60)["worse"]) == 0
    for steps in (3, 5):
        shares = positions.worse_ties(steps, 60)["worse"]
        assert 0 < np.mean(shares) <= np.count_nonzero(shares) / 60 < 1


def test_pruning_spares_positions_and_no_value():
    found = positions.pruned(3, "complex", 20)
    fewer, every = np.array(found["nodes"]).T
    assert all(found["same"]) and (fewer <= every).all() and fewer.sum() < 0.8 * every.sum()


# --- Where won boards stay.


@pytest.mark.slow
def test_the_strategy_wins_every_line_within_43_moves():
    """All replies of O, by a plain walk: each position that X comes to is looked at once."""
    stay = parse_game("ultimate:closed=stay")
    longest: dict[object, int] = {}

    def walk(start):
        """The most plies from a position with X to move to the win of X."""
        stack = [start]
        while stack:
            state = stack[-1]
            key = (state.own_low, state.own_high, state.other_low, state.other_high, state.target)
            after = api.play(state, bertholon.winning_move(state))
            if api.status(after) == api.X_WINS:
                longest[key] = 1
                stack.pop()
                continue
            assert api.status(after) == api.ONGOING
            nexts = [api.play(after, action) for action in api.legal_actions(after)]
            assert {api.status(one) for one in nexts} == {api.ONGOING}
            keys = [(one.own_low, one.own_high, one.other_low, one.other_high, one.target) for one in nexts]
            todo = [one for one, name in zip(nexts, keys, strict=True) if name not in longest]
            if todo:
                stack += todo
            else:
                longest[key] = 2 + max(longest[name] for name in keys)
                stack.pop()
        return longest[(start.own_low, start.own_high, start.other_low, start.other_high, start.target)]

    first = api.play(stay.initial_state, bertholon.winning_move(stay.initial_state))
    start = api.play(first, 9 * 4)  # O's replies in the centre board are alike up to symmetry: a corner, and a side
    side = api.play(first, 9 * 4 + 1)
    assert 2 + max(walk(start), walk(side)) == 43


@pytest.mark.parametrize(
    ("game", "moves"), [("ultimate", ""), pytest.param("ultimate:closed=stay", "11", marks=pytest.mark.slow)]
)
def test_the_strategy_is_for_x_alone(game, moves):
    player = player_of("bertholon", parse_game("ultimate:closed=stay"))
    with pytest.raises(AgentError, match="expected 'bertholon' as X of ultimate:closed=stay"):
        player.search(parse_game(game).state_after(moves))


# --- Statements.


@pytest.mark.parametrize(
    ("spec", "same"),
    [
        ("improved-ties:base=false,deeper=false,start=0", "improved:start=0"),
        ("improved-ties:version=written,base=true,deeper=true,start=0", "improved:version=written,start=0"),
    ],
)
def test_the_ends_of_the_arms_are_the_improved_minimax(spec, same):
    players = [player_of(one, GAME) for one in (spec, same)]
    other = player_of("improved-ties:base=true,deeper=true,start=0", GAME)
    chosen = []
    for number, state in enumerate(positions.random_positions(30)):
        for player in (*players, other):
            player.begin(np.uint64(number))
        chosen.append([player.search(state) for player in (*players, other)])
    assert all(one == two for one, two, _ in chosen)
    assert any(one != two for one, _, two in chosen)


# --- Networks.


def test_settings_are_those_of_the_source():
    config = networks.config_of(networks.TRAINED, quick=False)
    own = config.settings
    assert (config.episodes, own.hidden, own.step_size.text, own.minibatch) == (15_000, (512, 512), "0.00005", 64)
    assert (own.replay, own.warm_up, own.target_every, own.discount) == (1_000_000, 1000, 1, 0.99)
    assert (own.illegal, own.illegal_reward, own.loss, own.clip) == ("penalty", -100.0, "squared", 0.0)
    assert [(until, one.text) for until, one in config.opponent.stages] == [(0.5, "random"), (1.0, "minimax-5")]
    sane = networks.config_of(networks.MENDED, quick=False)
    own = sane.settings
    assert (sane.seats, own.illegal, own.input, own.symmetries) == ((1, 2), "mask", "planes", True)
    assert [one.text for _, one in sane.opponent.stages] == ["minimax-1", "random"] * 10


@pytest.mark.slow
def test_first_choices_are_those_of_the_outputs():
    training = start_training(networks.config_of(networks.TRAINED, quick=True))
    assert training.values.network.sizes == (99, 16, 16, 81)
    illegal, choices = networks.first_choices(training, 2)
    assert 0 < illegal <= choices
    start = GAME.initial_state
    legal = api.legal_actions(start)
    inputs = np.zeros(num_planes(start), np.int8)
    fill_inputs(start, True, np.zeros(inputs.size, np.float32), inputs)
    player = training.player()
    outputs = training.values.network.outputs(inputs[None, :99])[0]
    assert np.array_equal(player.mover.outputs(start), outputs)
    assert player.greedy(start).action == max(legal, key=outputs.__getitem__)
