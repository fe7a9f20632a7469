"""The policy of a search in every state of a table, for its exact strength."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import AgentError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.running.progress import report_progress
from ttt_fast.search.alphabeta import work as at
from ttt_fast.search.alphabeta.kernel import search
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.alphabeta.work import AlphaBetaSettings, AlphaBetaWork
from ttt_fast.search.rewards.api import Evaluation
from ttt_fast.tables import StateTable
from ttt_fast.values.evaluators import Evaluator


@kernel
def _weigh(
    root: api.State,
    keys: NDArray[np.uint64],
    starts: NDArray[np.int32],
    first: int,
    depth: int,
    settings: AlphaBetaSettings,
    evaluation: Evaluation,
    evaluator: Evaluator,
    work: AlphaBetaWork,
    edge_action: NDArray[np.uint8],
    weights: NDArray[np.uint8],
    budget: int,
) -> int:
    """Add the multiplicity of each edge in the search's choice to the weights (E,), for the states of keys (S,).

    `starts` (S + 1,) contains the first edge of each state and the end of the last one.  The search begins or continues
    at the state `first`, and ends after about `budget` nodes.  Returns the first state that is not finished.
    """
    single = settings.ties == at.TIE_FIRST or settings.ties == at.TIE_LAST
    counters = work.counters
    for place in range(first, keys.size):
        if starts[place] == starts[place + 1]:
            continue
        if counters[at.LEVEL] < 0:
            counters[at.CHOSEN] = -1
        state = api.state_of_key(root, keys[place])
        if not search(state, depth, settings, evaluation, evaluator, work, budget, np.uint64(0)):
            return place
        counters[at.LEVEL] = -1
        budget -= counters[at.NODES]
        for index in range(work.frames[0, at.NEXT]):
            action = work.actions[0, index]
            chosen = action == work.counters[at.CHOSEN]
            if not single:
                chosen = work.root_values[index] == work.frames[0, at.BEST]
            if chosen:
                edge = starts[place]
                while edge_action[edge] != action:
                    edge += 1
                weights[edge] += 1
        if budget <= 0:
            return place + 1
    return as_int(keys.size)


def search_policy(table: StateTable, name: str, options: SearchOptions, evaluator: Evaluator | None = None) -> Policy:
    """Return the policy of a search to a fixed depth, uniform over its equally good moves in each state.

    The search runs in every state of the table, and reports its progress through `running.progress.report_progress`.

    Parameters
    ----------
    table
        The game.
    name
        The agent string.
    options
        The search, without a limit of time or nodes.
    evaluator
        The evaluator of the search, if any (`AlphaBeta`).

    Raises
    ------
    AgentError
        If the search has such a limit: its moves are then not known in advance.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> policy = search_policy(table_of("tic-tac-toe"), "mine", SearchOptions(depth=9))
    >>> policy.probabilities[1].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    True
    """
    if options.ms or options.nodes:
        raise AgentError(
            f"expected a search that is limited only by depth for a policy, got {name!r}, with a limit of time or nodes"
        )
    start = table.game.initial_state
    searcher, weights, done = AlphaBeta(start, options, evaluator), np.zeros(table.num_edges, np.uint8), 0
    prepared = searcher.prepared()
    prepared[-1].counters[at.LEVEL] = -1
    for budget in searcher.budgets():
        done = _weigh(start, table.key, table.edge_start, done, *prepared, table.edge_action, weights, budget)
        report_progress(f"asking {name} about every state", done, table.num_states, "states")
        if done == table.num_states:
            break
    weights.flags.writeable = False
    return Policy.from_weights(table, weights, name)
