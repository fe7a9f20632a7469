"""Value iteration and policy iteration: each sweep is that of a dictionary, and the limit has the bits of `exact_q`."""

from itertools import pairwise

import numpy as np
import pytest

import reference
from pairwise import covering
from small_games import SMALL_GAMES, graph_of, rows_of
from ttt_fast import TrainingConfig, as_policy, exact_outcome, table_of, train
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.policies.best_response import best_response
from ttt_fast.training.opponents import opponents_of

GAMES = ["tic-tac-toe", *SMALL_GAMES[:3]]
ALGORITHMS = ["value-iteration", "policy-iteration"]
PLACES = [
    {"opponent": "random", "seat": 1},
    {"opponent": "minimax", "seat": 2, "discount": 0.9},
    {"opponent": "default", "seat": 3, "win_reward": 2.0, "draw_reward": 0.25, "loss_reward": 0.0, "initial_q": 3.0},
    {"opponent": "self", "initial_q": -0.5},
    {"opponent": "self", "discount": 0.8, "win_reward": 0.5, "draw_reward": 1.0, "loss_reward": -2.0},
]


def run_of(**settings):
    return train(TrainingConfig(**settings))


def exact_values(config):
    """The limit: 0 for seats that do not learn."""
    table, opponents = table_of(config.game), opponents_of(config)
    last = opponents[-1] if opponents else None
    target = exact_q(table, last, config.settings.rewards, config.settings.discount, config.seats)
    return np.where(np.isin(table.player, config.seats)[table.edge_state], target, 0.0)


@pytest.mark.parametrize(("algorithm", "game", "place"), covering(ALGORITHMS, GAMES, PLACES))
def test_the_limit_is_reached_within_the_length_of_the_game(algorithm, game, place):
    """And in the bits of `exact_q`; against a fixed opponent within the turns of a player, and then nothing changes."""
    plies = table_of(game).num_plies
    sweeps = plies if place["opponent"] == "self" else (plies + 1) // 2
    run = run_of(game=game, algorithm=algorithm, episodes=sweeps, **place)
    assert run.values.q.tobytes() == exact_values(run.config).tobytes()
    longer = run_of(game=game, algorithm=algorithm, episodes=sweeps + 3, **place)
    assert longer.sha256() == run.sha256()
    assert longer.updates.max() == longer.config.episodes and not longer.counts.any()
    assert longer.curve()["changed"][-3:].to_list() == [0.0] * 3
    assert longer.curve()["rms_error"][-1] == 0.0


def sweeps_of_a_dictionary(spec, seat, number):
    """The values of (position, action) of a seat against the random player after each synchronous sweep."""
    graph, rows = graph_of(spec), rows_of(spec, "random")
    own = [position for position in range(len(graph.lines)) if graph.mover(position) == seat]
    values = {(position, action): 0 for position in own for action in graph.children[position]}

    def worth(position):
        if graph.status[position]:
            return reference.payoff(graph.status[position], seat)
        return max(values[position, action] for action in graph.children[position])

    def after(position):
        """What the position after an action of `seat` is worth: the random player answers."""
        if graph.status[position]:
            return worth(position)
        return sum(share * worth(graph.children[position][action]) for action, share in rows[position].items())

    for _ in range(number):
        values = {(position, action): after(graph.children[position][action]) for position, action in values}
        yield values


@pytest.mark.parametrize("seat", [1, 2])
def test_each_sweep_of_value_iteration_is_that_of_a_dictionary(seat):
    spec = SMALL_GAMES[1]
    for sweep, values in enumerate(sweeps_of_a_dictionary(spec, seat, 4), 1):
        q_table = run_of(game=spec, algorithm="value-iteration", seat=seat, episodes=sweep).q_table
        expected = np.zeros(q_table.shape)
        for (position, action), value in values.items():
            expected[position, action] = value  # both number states level by level, in the order of discovery
        np.testing.assert_allclose(q_table, expected, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::ttt_fast.core.errors.UnlearnedSeatWarning")  # before the first sweep
@pytest.mark.parametrize("game", GAMES[:2])
@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("opponent", ["random", "default"])
def test_policy_iteration_evaluates_the_policy_of_the_row_before(game, seat, opponent):
    """Its values are exact scores of that policy, and no action ever gets worse."""
    table, rival = table_of(game), as_policy(opponent, game)
    settings = {"game": game, "opponent": opponent, "seat": seat, "algorithm": "policy-iteration"}
    runs = [run_of(episodes=sweeps, **settings) for sweeps in range(6)]
    for before, after in pairwise(runs):
        policy = before.policy()
        pair = (policy, rival) if seat == 1 else (rival, policy)
        for state in np.flatnonzero(table.ply == seat - 1).tolist():
            exact = exact_outcome(*pair, start=state).value_of(seat)
            assert after.q_table[state] @ policy.probabilities[state] == pytest.approx(exact, abs=1e-12)
    for before, after in pairwise(runs[1:]):
        assert (after.values.q >= before.values.q - 1e-12).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seat", [1, 2])
def test_a_row_is_the_exact_result_of_the_greedy_policy_after_its_sweep(algorithm, seat):
    run, rival = run_of(algorithm=algorithm, seat=seat), as_policy("random")
    assert run.curve()["episodes"].to_list() == list(range(1, 10))
    for sweeps in (1, 2, 4):
        policy = run_of(algorithm=algorithm, seat=seat, episodes=sweeps).policy()
        exact = exact_outcome(*((policy, rival) if seat == 1 else (rival, policy)))
        results = [exact.x_wins, exact.draws, exact.o_wins][:: 1 if seat == 1 else -1]
        np.testing.assert_allclose(run.history[sweeps - 1, 1:4], results, rtol=0, atol=1e-12)
    assert run.history[-1, 1] - run.history[-1, 3] == pytest.approx(best_response(rival, seat).value[0], abs=1e-12)


def test_a_curriculum_changes_the_problem():
    run = run_of(opponent="random>minimax", episodes=12, algorithm="value-iteration")
    assert run.values.q.tobytes() == exact_values(run.config).tobytes()
    assert run_of(opponent="random", episodes=6, algorithm="value-iteration").sha256() != run.sha256()
