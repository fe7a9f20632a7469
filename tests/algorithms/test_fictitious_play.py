"""Fictitious play: the counts of a dictionary, an average that is exploited less and less, and its file."""

from fractions import Fraction

import numpy as np
import pytest
from training_checks import bits

import reference
import ttt_fast
from small_games import SMALL_GAMES, graph_of
from ttt_fast import TrainingConfig, TrainingRun, as_policy, exact_outcome, exploitability, table_of, train
from ttt_fast.core.archive import read_meta
from ttt_fast.files import save_archive


def run_of(episodes, game="tic-tac-toe", **settings):
    config = TrainingConfig(episodes=episodes, algorithm="fictitious-play", game=game, **settings)
    return train(config)


def counts_of_a_dictionary(spec, iterations):
    """How often the responses of each seat take (position, action), by fractions, after each iteration."""
    graph = graph_of(spec)
    counts = {(position, action): 0 for position, actions in enumerate(graph.children) for action in actions}
    for _ in range(iterations):
        rows = []
        for position, actions in enumerate(graph.children):
            total = sum(counts[position, action] for action in actions)
            own = {action: counts[position, action] for action in actions} if total else dict.fromkeys(actions, 1)
            rows.append({action: Fraction(count, total or len(actions)) for action, count in own.items()})
        for seat in (1, 2):
            value, reached, taken = reference.best_of_rows(graph, rows, seat), {0}, []
            for position, actions in enumerate(graph.children):
                if position not in reached:
                    continue
                if actions and graph.mover(position) == seat:
                    action = min(one for one, child in sorted(actions.items()) if value[child] == value[position])
                    taken.append((position, action))
                    reached.add(actions[action])
                else:
                    reached |= set(actions.values())
            for key in taken:
                counts[key] += 1
        yield dict(counts)


@pytest.mark.parametrize(("spec", "iterations"), [(SMALL_GAMES[0], 4), (SMALL_GAMES[1], 25)])
def test_the_counts_are_those_of_a_dictionary(spec, iterations):
    table = table_of(spec)
    for number, counts in enumerate(counts_of_a_dictionary(spec, iterations), 1):
        if number in (1, 2, 3, iterations):
            expected = np.zeros((table.num_states, table.num_actions), np.int64)
            for (position, action), count in counts.items():
                expected[position, action] = count  # both number states level by level, in the order of discovery
            run = run_of(number, spec)
            assert np.array_equal(run.updates, expected)
            assert np.array_equal(run.q_table, expected)


@pytest.mark.parametrize(
    ("game", "iterations", "bound"),
    [("tic-tac-toe", 400, 0.05), (SMALL_GAMES[1], 100, 0.01), (SMALL_GAMES[2], 2, 0.0)],
)
def test_the_average_is_exploited_less_and_less(game, iterations, bound):
    """Once every answer has been met, exploitability falls as 1 / iterations."""
    run = run_of(iterations, game, evaluations=20)
    curve = run.curve()["exploitability"].to_numpy()
    assert curve[-1] == pytest.approx(exploitability(run.policy()), abs=1e-12)
    assert curve[-1] <= bound
    assert (np.diff(curve[len(curve) // 2 :]) <= 0).all()
    if bound:
        assert run.curve()["episodes"][len(curve) // 2 - 1] == iterations // 2
        assert curve[-1] < 0.6 * curve[len(curve) // 2 - 1]


def test_a_row_is_that_of_the_average_policy():
    run = run_of(30, evaluations=3, judges="minimax,default")
    policy, rows = run.policy(), run.curve().to_dicts()
    assert [row["episodes"] for row in rows] == [10, 20, 30]
    assert run.columns[-3:] == ("exploitability", "agreement", "changed")
    for judge in ("minimax", "default"):
        exact = exact_outcome(policy, as_policy(judge))
        assert rows[-1][f"x_v_{judge}_wins"] == pytest.approx(exact.x_wins, abs=1e-12)
        exact = exact_outcome(as_policy(judge), policy)
        assert rows[-1][f"o_v_{judge}_losses"] == pytest.approx(exact.x_wins, abs=1e-12)
    frequent = [run_of(number).values.q for number in (20, 30)]
    best = [run.values.table.first_best_edges(counts) for counts in frequent]
    assert rows[-1]["changed"] == np.count_nonzero(best[0] != best[1])


def test_before_the_first_iteration_everything_is_uniform():
    policy = run_of(0).policy()
    assert np.array_equal(policy.edge_probabilities, as_policy("random").edge_probabilities)
    assert not policy.held.any()


def test_the_file_is_the_average_policy(tmp_path):
    path, run = tmp_path / "fp.npz", run_of(50)
    run.save(path)
    assert bits(TrainingRun.load(path)) == bits(run) and run.sha256() == run_of(50, chunk_episodes=7).sha256()
    policy = as_policy(str(path))
    assert policy.is_exact and policy.seats_held() == "xo"
    for one in (run.policy(), run.policy(greedy=False)):
        assert np.array_equal(policy.edge_probabilities, one.edge_probabilities)
    assert 0 < policy.probabilities.max(axis=1)[policy.held].min() < 1
    result = exact_outcome(policy, as_policy("random"))
    assert sum(result.fractions) == 1
    assert result.fractions.x_wins > Fraction(9, 10)


@pytest.mark.parametrize("wrong", [-1.0, 0.5, np.nan, np.inf])
def test_a_file_whose_counts_cannot_be_true_is_one_line(tmp_path, wrong):
    path = tmp_path / "fp.npz"
    run_of(3).save(path)
    with np.load(path) as members:
        arrays = {name: members[name].copy() for name in members.files if name not in ("meta", "hashes")}
    arrays["q_table"][3] = wrong
    save_archive(path, "q_table", arrays, read_meta(path))
    with pytest.raises(ttt_fast.FileFormatError, match=r"^[^\n]*fp\.npz[^\n]*expected [^\n]*$"):
        as_policy(str(path))
