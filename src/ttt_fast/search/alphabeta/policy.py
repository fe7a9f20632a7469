"""The policy of a search in every state of a table, for its exact strength."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import AgentError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.search.alphabeta import work as at
from ttt_fast.search.alphabeta.kernel import search
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.alphabeta.work import AlphaBetaSettings, AlphaBetaWork
from ttt_fast.search.rewards.api import Evaluation
from ttt_fast.tables import StateTable
from ttt_fast.values.evaluators import Evaluator

_CHUNK = 1000
_WHOLE = 1 << 62


@kernel
def _weigh(
    root: api.State,
    keys: NDArray[np.uint64],
    starts: NDArray[np.int32],
    depth: int,
    settings: AlphaBetaSettings,
    evaluation: Evaluation,
    evaluator: Evaluator,
    work: AlphaBetaWork,
    edge_action: NDArray[np.uint8],
    weights: NDArray[np.uint8],
) -> None:
    """Add the multiplicity of each edge in the search's choice to the weights (E,), for the states of some keys (N,).

    `starts` (N + 1,) contains the first edge of each state and the end of the last one.
    """
    single = settings.ties == at.TIE_FIRST or settings.ties == at.TIE_LAST
    whole = as_int(_WHOLE)  # a literal would have `search` compiled once more
    for place in range(keys.size):
        if starts[place] == starts[place + 1]:
            continue
        work.counters[at.LEVEL], work.counters[at.CHOSEN] = -1, -1
        search(api.state_of_key(root, keys[place]), depth, settings, evaluation, evaluator, work, whole, np.uint64(0))
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
    prepared = AlphaBeta(start, options, evaluator).prepared()
    weights = np.zeros(table.num_edges, np.uint8)
    for first in range(0, table.num_states, _CHUNK):
        end = min(first + _CHUNK, table.num_states)
        _weigh(start, table.key[first:end], table.edge_start[first : end + 1], *prepared, table.edge_action, weights)
        check_interrupt()
        report_progress(f"asking {name} about every state", end, table.num_states, "states")
    weights.flags.writeable = False
    return Policy.from_weights(table, weights, name)
