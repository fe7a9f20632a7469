"""The policy of a search: asked about every state of a table, so that its strength is exact."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import AgentError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import tell
from ttt_fast.search.alphabeta import work as at
from ttt_fast.search.alphabeta.kernel import search
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.alphabeta.work import Settings, Work
from ttt_fast.search.leaves import Leaf
from ttt_fast.search.rewards.api import Evaluation
from ttt_fast.tables import StateTable

_CHUNK = 1000
_WHOLE = 1 << 62


@kernel
def _weigh(
    root: api.State,
    keys: NDArray[np.uint64],
    starts: NDArray[np.int32],
    depth: int,
    settings: Settings,
    evaluation: Evaluation,
    leaf: Leaf,
    work: Work,
    edge_action: NDArray[np.uint8],
    weights: NDArray[np.uint8],
) -> None:
    """Add to the weights (E,) of the states with some keys (N,) how often the search may choose each edge.

    `starts` (N + 1,) holds the first edge of each state, and of the one after them.
    """
    single = settings.ties == at.TIE_FIRST or settings.ties == at.TIE_LAST
    whole = as_int(_WHOLE)  # a literal would have `search` compiled once more
    for place in range(keys.size):
        if starts[place] == starts[place + 1]:
            continue
        work.counters[at.LEVEL], work.counters[at.CHOSEN] = -1, -1
        search(api.state_of_key(root, keys[place]), depth, settings, evaluation, leaf, work, whole, np.uint64(0))
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


def search_policy(table: StateTable, name: str, options: SearchOptions, leaf: Leaf | None = None) -> Policy:
    """Return the policy of a search to a depth: its equally good moves in each state, each with the same chance.

    The search is asked about every state of the table; `running.progress.tell` says how far it is.

    Parameters
    ----------
    table
        The game.
    name
        The agent string.
    options
        The search, without a limit of time or nodes.
    leaf
        Its leaf, if it has one (`AlphaBeta`).

    Raises
    ------
    AgentError
        If it has such a limit: then its moves are not known in advance.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> policy = search_policy(table_of("tic-tac-toe"), "mine", SearchOptions(depth=9))
    >>> policy.probabilities[1].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    True
    """
    if options.ms or options.nodes:
        raise AgentError(f"expected a search by depth alone for a policy, got {name!r}, which stops by time or nodes")
    start = table.game.initial_state
    prepared = AlphaBeta(start, options, leaf).prepared()
    weights = np.zeros(table.num_edges, np.uint8)
    for first in range(0, table.num_states, _CHUNK):
        end = min(first + _CHUNK, table.num_states)
        _weigh(start, table.key[first:end], table.edge_start[first : end + 1], *prepared, table.edge_action, weights)
        check_interrupt()
        tell(f"asking {name} about every state", end, table.num_states, "states")
    weights.flags.writeable = False
    return Policy.from_weights(table, weights, name)
