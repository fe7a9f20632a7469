"""The runs of the study: training with exact measures at checkpoints that are spaced by factors."""

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import (
    Policy,
    StateTable,
    TrainingConfig,
    agreement,
    as_policy,
    best_response,
    exact_outcome,
    exploitability,
    table_of,
    train,
)
from ttt_fast.learners import start_training
from ttt_fast.studies.engine.work import Arrays

_LARGEST: Final = 10_000_000
"""Most states of a table."""
MEASURED: Final = ("exploitability", "regret", "updated")
"""The measures of a curve."""


@lru_cache
def table(game: str) -> StateTable:
    """Return the table of a game."""
    return table_of(game, _LARGEST)


def value_v_random(policy: Policy) -> float:
    """Return the value of a policy against random play, averaged over the seats.

    Examples
    --------
    >>> round(value_v_random(best_response("random")), 6)  # (191/192 + 874/945) / 2
    0.95983
    """
    rival = as_policy("random", policy.table.game)
    x, o = exact_outcome(policy, rival), exact_outcome(rival, policy)
    return float(x.x_wins - x.o_wins + o.o_wins - o.x_wins) / 2


@lru_cache
def best_v_random(game: str) -> float:
    """Return the largest value against random play, averaged over the seats."""
    return value_v_random(best_response(as_policy("random", table(game).game)))


def states_met(states: StateTable, edges: NDArray[np.int32], replies: NDArray[np.int32], seat: int) -> list[int]:
    """Return the states in which a policy in `seat` moves in its game against replies; both are edges, (S,)."""
    state, found = 0, []
    while states.player[state]:
        is_own = states.player[state] == seat
        found += [state] if is_own else []
        state = int(states.edge_child[(edges if is_own else replies)[state]])
    return found


def learn(game: str, settings: dict[str, Any], seed: int, first: int, episodes: int, checkpoints: int) -> Arrays:
    """Train, and measure at checkpoints from `first` to `episodes` that are spaced by factors.

    Returns
    -------
    dict of arrays
        `episodes` (K,), and (K,) numbers: `exploitability`; `regret` against random play; `updated`, the share of the
        states with a choice in which a value has been updated; `met` and `met_new`, the states in which the learner
        moves in its two games against its best response, and those of them without an update.  Of the last policy,
        `reached` (2,): the states in which it moves, as X and as O, against any opponent.
    """
    states, rows, is_table = table(game), list[list[float]](), settings["algorithm"] != "alphazero"
    changes: dict[str, Any] = ({"chunk_episodes": first} if is_table else {}) | settings
    config = TrainingConfig(
        game=states.game.spec, exact=True, seat="both", episodes=episodes, evaluations=0, seed=seed, **changes
    )
    run, decisions, chunk = start_training(config), np.count_nonzero(states.player), config.chunk_episodes
    marks = np.ceil(np.geomspace(first, episodes, checkpoints) / chunk).astype(np.int64) * chunk
    for mark in np.unique(marks).tolist():
        run = train(run, until=mark)
        if is_table:
            values: Any = run.values
            edges = states.first_best_edges(values.q)
            policy = Policy.from_actions(states, states.edge_action[edges])
            is_updated, replies = states.row_sums(values.updates > 0) > 0, best_response(policy).greedy_edges()
            met = [*states_met(states, edges, replies, 1), *states_met(states, edges, replies, 2)]
            counts = [np.count_nonzero(is_updated) / decisions, float(len(met)), float((~is_updated[met]).sum())]
        else:
            policy, counts = run.policy(), [np.nan] * 3
        gap = best_v_random(game) - value_v_random(policy)
        rows.append([run.episodes, exploitability(policy), max(0.0, gap), *counts])
    reached = np.array([agreement(policy, seat, reached=True).states for seat in (1, 2)])
    return {**dict(zip(("episodes", *MEASURED, "met", "met_new"), np.array(rows).T, strict=True)), "reached": reached}
