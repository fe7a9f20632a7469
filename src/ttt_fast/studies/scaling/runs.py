"""The runs of the study: training with exact measures at checkpoints that are spaced by factors."""

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ttt_fast import (
    Policy,
    StateTable,
    TrainingConfig,
    TrainingRun,
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


def value_against(policy: Policy, rival: Policy) -> float:
    """Return the value of a policy against another, averaged over the seats.

    Examples
    --------
    >>> round(value_against(best_response("random"), as_policy("random")), 6)  # (191/192 + 874/945) / 2
    0.95983
    """
    x, o = exact_outcome(policy, rival), exact_outcome(rival, policy)
    return float(x.x_wins - x.o_wins + o.o_wins - o.x_wins) / 2


@lru_cache
def best_v_random(game: str) -> float:
    """Return the largest value against random play, averaged over the seats."""
    rival = as_policy("random", table(game).game)
    return value_against(best_response(rival), rival)


def states_met(policy: Policy, reply: Policy, seat: int) -> list[int]:
    """Return the states in which a policy in `seat` moves in its game against a reply; both are deterministic."""
    states, state, found = policy.table, 0, list[int]()
    chosen: Any = {seat: policy.stored, 3 - seat: reply.stored}  # actions, (S,)
    while mover := int(states.player[state]):
        found += [state] if mover == seat else []
        first, end = states.edge_start[state : state + 2].tolist()
        at = states.edge_action[first:end].tolist().index(chosen[mover][state])
        state = int(states.edge_child[first + at])
    return found


def begun(
    game: str, settings: dict[str, Any], seed: int, first: int, episodes: int, checkpoints: int
) -> tuple[TrainingRun, list[int]]:
    """Return a run without episodes, and its checkpoints from `first` to `episodes`, spaced by factors."""
    changes: dict[str, Any] = ({"chunk_episodes": first} if settings["algorithm"] != "alphazero" else {}) | settings
    config = TrainingConfig(
        game=table(game).game.spec, exact=True, seat="both", episodes=episodes, evaluations=0, seed=seed, **changes
    )
    chunk = config.chunk_episodes
    marks = np.ceil(np.geomspace(first, episodes, checkpoints) / chunk).astype(np.int64) * chunk
    return start_training(config), np.unique(marks).tolist()


def greedy(run: TrainingRun, states: StateTable) -> Policy:
    """Return the greedy policy of a run: of equal values in a table, the first."""
    if run.values.are_probabilities:
        return run.policy()
    values: Any = run.values
    return Policy.from_actions(states, states.edge_action[states.first_best_edges(values.q)])


def first_unbeatable(**job: Any) -> Arrays:
    """Train as `learn` does, up to the first unbeatable checkpoint.

    Returns
    -------
    dict of arrays
        `episodes`, those of that checkpoint or of the whole run; and whether the policy is then `unbeatable`.
    """
    run, marks = begun(**job)
    for mark in marks:
        run = train(run, until=mark)
        if is_unbeatable := exploitability(greedy(run, table(job["game"]))) == 0:
            break
    return {"episodes": np.array(run.episodes), "unbeatable": np.array(is_unbeatable)}


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
    run, marks = begun(game, settings, seed, first, episodes, checkpoints)
    decisions = np.count_nonzero(states.player)
    for mark in marks:
        run = train(run, until=mark)
        policy = greedy(run, states)
        if is_table:
            values: Any = run.values
            is_updated, reply = states.row_sums(values.updates > 0) > 0, best_response(policy)
            met = [*states_met(policy, reply, 1), *states_met(policy, reply, 2)]
            counts = [np.count_nonzero(is_updated) / decisions, float(len(met)), float((~is_updated[met]).sum())]
            gain = 0.0 - value_against(policy, reply)
        else:
            counts = [np.nan] * 3
            gain = exploitability(policy)
        gap = best_v_random(game) - value_against(policy, as_policy("random", states.game))
        rows.append([run.episodes, gain, max(0.0, gap), *counts])
    reached = np.array([agreement(policy, seat, reached=True).states for seat in (1, 2)])
    return {**dict(zip(("episodes", *MEASURED, "met", "met_new"), np.array(rows).T, strict=True)), "reached": reached}
