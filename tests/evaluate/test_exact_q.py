"""The exact values of a training problem, beside a recursion with fractions."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import reference
from conftest import as_strategy, random_policy
from reference import Board
from ttt_fast import Policy, as_policy, exploitability, never_loses, table_of
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.policies.best_response import best_response
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = [tuple(board) for board in boards_of(TABLE).tolist()]
after, is_over, winner = (cache(one) for one in (reference.after, reference.is_over, reference.winner))
"""The rules, asked once about each board: twenty-five problems walk the same ones."""
EDGES = [(int(state), int(action)) for state, action in np.argwhere(TABLE.legal_action_mask)]
OPPONENTS = ["random", "minimax", "buggy2", "rows-1"]
PROBLEMS = [  # rewards and discount, all exact in binary
    ((1.0, 0.0, -1.0), 1.0),
    ((1.0, 0.0, -1.0), 0.75),
    ((10.0, 2.0, -10.0), 0.5),
    ((-1.0, 3.0, 0.5), 1.0),  # a draw is best, a loss better than a win
    ((0.25, 0.25, 0.25), 0.0),
]


def opponent(spec: str) -> Policy:
    return random_policy(int(spec[5:])) if spec.startswith("rows-") else as_policy(spec)


def slow_q(strategy, rewards, discount):
    """Q(board, action) for the mover; against `strategy`, or (None) against a mover like itself, ties to the lowest."""
    gamma, prizes = Fraction(discount), [Fraction(reward) for reward in rewards]

    @cache
    def best(board: Board) -> tuple[Fraction, int]:
        values = [(q(board, action), -action) for action in reference.legal_actions(board)]
        value, action = max(values)
        return value, -action

    def prize(board: Board, mover: int) -> Fraction:
        return prizes[{mover: 0, 0: 1}.get(winner(board), 2)]

    @cache
    def q(board: Board, action: int) -> Fraction:
        mover, middle = reference.mover(board), after(board, action)
        if is_over(middle):
            return prize(middle, mover)
        chances = {best(middle)[1]: Fraction(1)} if strategy is None else strategy(middle)
        total = Fraction(0)
        for answer, chance in chances.items():
            later = after(middle, answer)
            total += Fraction(chance) * (prize(later, mover) if is_over(later) else gamma * best(later)[0])
        return total

    return q


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "problem"), [*zip([*OPPONENTS, "random"], PROBLEMS, strict=True)])
def test_against_a_fixed_opponent(spec, problem):
    """Both seats at once: whoever moves, the other seat is the fixed policy."""
    rewards, discount = problem
    q = slow_q(as_strategy(opponent(spec)), rewards, discount)
    expected = [float(q(BOARDS[state], action)) for state, action in EDGES]
    for seats in ((1,), (2,), (1, 2)):
        found = exact_q(TABLE, opponent(spec), np.array(rewards), discount, seats)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("rewards", "discount"), PROBLEMS)
def test_in_self_play(rewards, discount):
    q = slow_q(None, rewards, discount)
    expected = [float(q(BOARDS[state], action)) for state, action in EDGES]
    assert exact_q(TABLE, None, np.array(rewards), discount, (1, 2)).tolist() == expected


@pytest.mark.parametrize("discount", [1.0, 0.999, 0.9, 0.5])
@pytest.mark.parametrize("rewards", [(1.0, 0.0, -1.0), (10.0, 2.0, -10.0), (1.0, 0.5, 0.0)])
def test_greedy_in_self_play_cannot_be_beaten(rewards, discount):
    values = exact_q(TABLE, None, np.array(rewards), discount, (1, 2))
    policy = Policy.from_values(TABLE, values)
    assert exploitability(policy) == 0.0
    assert never_loses(policy, 1)
    assert never_loses(policy, 2)
    # A draw takes X four further moves, and O three.
    assert values[:9].max() == pytest.approx(rewards[1] * discount**4, abs=1e-12)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("spec", OPPONENTS)
def test_the_best_action_is_the_best_response(spec, seat):
    """Values of all states of the seat, and the same play: undiscounted, rewards of 1, 0, -1."""
    values = TABLE.dense(exact_q(TABLE, opponent(spec), np.array([1.0, 0.0, -1.0]), 1.0, (seat,)), -np.inf)
    own = TABLE.player == seat
    response = best_response(opponent(spec), seat)
    np.testing.assert_allclose(values.max(axis=1)[own], response.value[own], rtol=0, atol=1e-12)
    taken = values[np.arange(len(values)), response.actions][own]
    np.testing.assert_allclose(taken, values.max(axis=1)[own], rtol=0, atol=1e-12)
