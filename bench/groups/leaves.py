"""Leaves of a search in Ultimate: the network with its sums kept up, with sums made afresh, and a rollout."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groups.timing import Effort, Group, Rows, one_core, take_turns
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.games.ultimate import UltimateState
from ttt_fast.learn.ultimate.fit import initial_parameters
from ttt_fast.running.timing import Candidate
from ttt_fast.search.rollouts import WIN_OR_BLOCK, rollout_evaluator
from ttt_fast.values import evaluators
from ttt_fast.values.ultimate_evaluator import ultimate_evaluator
from ttt_fast.values.ultimate_integers import network_of, quantised

POSITIONS = 256


@kernel
def value_children(
    evaluator: Any, like: UltimateState, states: NDArray[np.int64], follows: bool, stream: np.uint64
) -> tuple[int, float]:
    """Value the ongoing children of each position; return their number and the sum of their values."""
    actions = np.empty(81, np.uint8)
    count, total = 0, 0.0
    for row in range(states.shape[0]):
        state = api.load_state(like, states, row)
        if follows:
            evaluators.init(evaluator, state)
        for index in range(api.fill_legal_actions(state, actions)):
            action = as_int(actions[index])
            child = api.play(state, action)
            if api.status(child) == api.ONGOING:
                if follows:
                    evaluators.update(evaluator, as_int(0), state, action, child)
                else:
                    evaluators.init(evaluator, child)
                value, stream = evaluators.position_value(evaluator, as_int(follows), child, stream)
                count += 1
                total += value
    return count, total


def positions() -> NDArray[np.int64]:
    """Return ongoing positions of random games, a row each."""
    generator, start = np.random.default_rng(1), parse_game("ultimate").initial_state
    rows: list[Any] = []
    while len(rows) < POSITIONS:
        state, plies = start, int(generator.integers(5, 50))
        while plies and api.status(state) == api.ONGOING:
            state = api.play(state, int(generator.choice(api.legal_actions(state))))
            plies -= 1
        if api.status(state) == api.ONGOING:
            rows.append(state)
    return np.array(rows, np.int64)


def measure(effort: Effort) -> Rows:
    """Value the same positions in each way."""
    network = network_of(quantised(initial_parameters(0)))  # another one takes as long
    states, start, stream = positions(), parse_game("ultimate").initial_state, np.uint64(7)
    kinds = {
        "ttt_fast: network, sums kept up": (ultimate_evaluator(network), True),
        "straightforward: network, sums made afresh": (ultimate_evaluator(network), False),
        "ttt_fast: one careful rollout": (rollout_evaluator(WIN_OR_BLOCK), True),
    }
    found = []
    for name, (evaluator, follows) in kinds.items():
        run = partial(value_children, evaluator, start, states, follows, stream)
        found.append(Candidate(name, "leaves", run()[0], run))
    with one_core():
        return take_turns(found, effort, found[1].name)


LEAVES = Group("leaves", "Ultimate: values at the leaves of a search", measure)
