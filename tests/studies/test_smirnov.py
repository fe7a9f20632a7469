"""Smirnov's study: what is transcribed, learners against `train`, exact players against plain recursion, its files."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import reference
from study_checks import RESULTS
from ttt_fast import Policy, as_policy, exact_outcome, never_loses, table_of, train
from ttt_fast.learners import start_training
from ttt_fast.studies.engine.sources import Cell, cells_of, plan_of
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.smirnov import evidence, learners, measures, players
from ttt_fast.studies.smirnov.scripted import crowley_siegler

CELLS = cells_of(measures.__package__)
SIZE = plan_of(measures.__package__, quick=True)


@pytest.fixture
def tables():
    return Tables(RESULTS / "smirnov", "")


def of(table):
    return [cell for cell in CELLS if cell.table == table]


def test_every_number_is_transcribed():
    counts = {table: len(of(table)) for table in dict.fromkeys(cell.table for cell in CELLS)}
    pairs = (16 * 3,) * 2  # 25 matches, 9 of them of the DQN
    assert counts == {
        "first table": 27, "game lengths": 12, "pairs, first move chosen": pairs[0],
        "pairs, first move drawn": pairs[1], "gamma and win length": 44, "propagation of utilities": 11,
        "introduction": 2, "heuribot": 1, "comparison": 1, "annealing": 1, "double Q plots": 1,
    }  # fmt: skip
    assert len(cells_of("ttt_fast.studies.smirnov.dqn")) == 2 * 9 * 3


def test_printed_shares_of_a_match_sum_to_one_but_for_the_known_slips():
    sums: dict[tuple[str, str], float] = {}
    for cell in (*CELLS, *cells_of("ttt_fast.studies.smirnov.dqn")):
        if cell.quantity in ("x_wins", "draws", "o_wins") and cell.place.startswith("X "):
            sums[cell.table, cell.place] = sums.get((cell.table, cell.place), 0.0) + cell.value
    assert len(sums) == 9 + 2 * 25
    assert {key for key, total in sums.items() if abs(total - 1) > 1e-9} == {
        ("first table", "X Random, O Minimax"),
        ("pairs, first move chosen", "X Random, O Random"),
        ("pairs, first move drawn", "X Random, O Random"),
    }


def plain_best(seat, payoff):
    """The best of all players against random by plain recursion over boards: its results, exactly."""

    @cache
    def value(board):
        if reference.is_over(board):
            won = reference.winner(board)
            results = (won == seat, won == 0, won not in (0, seat))
            return (sum(p * r for p, r in zip(payoff, results, strict=True)), *map(Fraction, map(int, results)))
        children = [value(reference.after(board, action)) for action in reference.legal_actions(board)]
        if reference.mover(board) == seat:
            return max(children)
        return tuple(sum(column) / len(children) for column in zip(*children, strict=True))

    return value(reference.START)[1:]


@pytest.mark.parametrize(
    ("seat", "goal", "payoff", "wins"),
    [(1, "most wins", (Fraction(1000), Fraction(0), Fraction(-1)), Fraction(191, 192)),
     (2, "never loses, most wins", (Fraction(1), Fraction(0), Fraction(-1000)), Fraction(866, 945)),
     (1, "fewest draws", (Fraction(1), Fraction(-1000), Fraction(0)), Fraction(191, 192))],
)  # fmt: skip
def test_the_best_against_random_by_plain_recursion(seat, goal, payoff, wins):
    found = players.best_against_random(seat, goal)[0]
    assert found == plain_best(seat, payoff)
    assert found[0] == wins and sum(found) == 1


def test_crowley_and_siegler_lose_to_themselves_as_the_page_shows():
    """Centre, corner, opposite corner, upper side, the block that makes a fork, and X wins."""
    bot, board, moves = crowley_siegler(table_of("tic-tac-toe")), reference.START, []
    actions, table = bot.greedy_actions(), table_of("tic-tac-toe")
    state = 0
    while not reference.is_over(board):
        action = int(actions[state])
        edges = slice(table.edge_start[state], table.edge_start[state + 1])
        state = int(table.edge_child[edges][table.edge_action[edges].tolist().index(action)])
        board = reference.after(board, action)
        moves.append(action)
    assert moves[:5] == [4, 0, 8, 1, 2] and reference.winner(board) == 1
    assert exact_outcome(bot, bot).x_wins == 1.0
    assert not never_loses(bot, 2)


def config_of(episodes=3_000, **more):
    return learners.annealed(episodes, seed=5, **more).replace(chunk_episodes=500)


@pytest.mark.parametrize("more", [{}, {"algorithm": "double-q"}, {"opponent": "random"}])
def test_a_trace_measures_what_train_learns(more):
    """The last checkpoint equals the exact results of the policy that the public `train` ends with."""
    config, judges_ = config_of(**more), ["random", "minimax:tie=first", learners.annealed(500).as_dict()]
    found = learners.traced(config.as_dict(), judges_)
    trace = {name: np.asarray(value) for name, value in found.items()}
    policy = train(start_training(config)).policy()
    learner = train(start_training(learners.annealed(500))).policy()
    for number, judge in enumerate([as_policy("random"), as_policy("minimax:tie=first"), learner]):
        outcome = exact_outcome(policy, judge, random_opening=True)
        suffix = f" {number}" if number else ""
        for name, exact in (("wins", outcome.x_wins), ("draws", outcome.draws), ("losses", outcome.o_wins)):
            assert learners.column([trace], f"{name}{suffix}")[0, -1] == pytest.approx(exact, abs=1e-12)
    assert trace["episodes"].tolist() == [500, 1000, 1500, 2000, 2500, 3000]


@pytest.mark.parametrize("name", ["minimax:tie=first", "random", "heuribot"])
def test_unbeaten_is_the_proof_for_every_first_move(name):
    """Against the definition: never_loses from each of the nine first moves."""
    table = table_of("tic-tac-toe")
    actions = as_policy(name).greedy_actions()
    values = np.zeros(table.child.shape)
    values[np.arange(table.num_states), actions] = 1.0
    found_by = learners.drawn_measures([as_policy("random")])
    place = found_by.columns.index("exploitability")
    found = found_by(values[table.legal_action_mask])[place] == 0.0
    proofs = []
    for first in range(9):
        chosen = actions.copy()
        chosen[0] = first
        proofs.append(never_loses(Policy.from_actions(table, chosen), 1))
    assert found == all(proofs)


def best_of(tmp_path, printed, values, quantity="x_wins", place="X Tabular Q, O Random"):
    rows = [{"name": "a", "table": "t", "place": place, "quantity": quantity, "value": value} for value in values]
    found = Tables(tmp_path, "")
    found.write("runs", rows)
    return evidence.best(Cell("s", "t", place, quantity, printed, 100, ""), "a", found)


def test_the_best_of_several_runs(tmp_path):
    """By hand: of 100 runs in even steps the best of three lies where 1 - (1 - x)^3 and x^3 say."""
    values = [number / 100 for number in range(1, 101)]
    low = best_of(tmp_path, "0.20", values)
    assert low.p == pytest.approx(2 * (21 / 101) ** 3)
    assert (low.low, low.high) == (0.3, 1.0)
    assert low.value == pytest.approx(0.755, abs=0.01)  # 3/4 of the way, of values without steps
    assert best_of(tmp_path, "0.80", values).p > 0.5
    fewest = best_of(tmp_path, "0.80", values, quantity="draws")  # the best has the fewest draws
    assert fewest.p == pytest.approx(2 * (22 / 101) ** 3) and fewest.high == 0.71
    assert best_of(tmp_path, "0.95", [0.9] * 50).p < 0.2


@pytest.mark.parametrize(
    ("printed", "lines", "results"),
    [((0.916, 0.084, 0.0), 945, [(866, 79, 0)]), ((0.910, 0.090, 0.0), 945, [(860, 85, 0)]),
     ((0.924, 0.058, 0.018), 945, [(873, 55, 17)]), ((0.995, 0.005, 0.0), 384, [(382, 2, 0)])],
)  # fmt: skip
def test_printed_shares_as_lines(printed, lines, results):
    assert players.results_printed_as(printed, 0.0005, lines) == results


def test_forks_against_plain_recursion(tables):
    """Boards on which the player who is not to move threatens two cells; won if the other completes a line at once."""
    counts = {1: [0, 0], 2: [0, 0]}
    for board in reference.all_states():
        mover = reference.mover(board)
        if not reference.is_over(board) and len(reference.completing(board, 3 - mover)) > 1:
            counts[mover][0] += 1
            counts[mover][1] += bool(reference.completing(board, mover))
    for seat, name in ((1, "X"), (2, "O")):
        row = tables.one("forks", forked=name)
        assert [row["forks"], row["forked player wins at once"]] == counts[seat]
