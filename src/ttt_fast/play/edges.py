"""Games played move by move over a table of any size, along its edges.

Letters: S states, E edges, L lanes.

The form of `play.packed` has 16 bits for a row.  This form, for larger tables, stores an upper bound of 32
random bits beside each edge.  A move is a short search along the edges of a state.  Several games take their moves in
turn, so that each waits for memory while the others move.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import Stream, next_word
from ttt_fast.policies.policy import Policy
from ttt_fast.tables.state_table import Edges

NUM_LANES = 8
"""Part of the definition of the results: game g of a chunk draws from stream g modulo NUM_LANES."""


class EdgeSampler(NamedTuple):
    """A joint policy with bounds of random words for games from a given first state.

    Attributes
    ----------
    edges
        The table.
    upto : (E,) int64
        Upper bounds: a draw of 32 bits selects the first edge of its state whose bound exceeds the draw.
    start
        Index of the first state.
    """

    edges: Edges
    upto: NDArray[np.int64]
    start: int

    def play(self, games: int, stream: np.uint64) -> NDArray[np.int64]:
        """Return how many of `games` games end in each state, (S,) int64, as `play.tabular.Sampler`."""
        counts = np.zeros(self.edges.status.size, np.int64)
        words = Stream(stream)
        lanes = np.array([words.word() for _ in range(NUM_LANES)], np.uint64)
        _sample_games(self, games, lanes, counts)
        return counts


def compile_edges(joint: Policy, start: int = 0) -> EdgeSampler:
    """Return a joint policy as bounds of random words.

    An action with probability p gets w of the 2**32 words, |w / 2**32 - p| <= 2**-32; none if p = 0.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> compile_edges(as_policy("random", "connect4:columns=4,rows=4,length=3")).upto[:4]
    array([1073741824, 2147483648, 3221225472, 4294967296])
    """
    table = joint.table
    upto = np.empty(table.num_edges, np.int64)
    for states, edges in table.blocks():  # a running sum over all edges would lose the last bits of many millions
        first = table.edge_start[states.start : states.stop + 1] - edges.start
        upto[edges] = _bounds(joint.block_probabilities(states, edges), first)
    return EdgeSampler(table.edges, frozen(upto), start)


def _bounds(probabilities: NDArray[np.float64], first: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the bounds of the edges of some states, (E,), whose rows begin at `first` (S + 1,)."""
    state = np.repeat(np.arange(first.size - 1), np.diff(first))
    running = np.cumsum(probabilities)
    before = np.concatenate([[0.0], running])[first[:-1]]
    upto: NDArray[np.int64] = np.minimum(np.rint((running - before[state]) * 2.0**32), 2.0**32).astype(np.int64)
    # The last action with a positive probability, and the impossible ones after it, take the rounding error.
    final = np.zeros(first.size - 1, np.int64)
    possible = np.flatnonzero(probabilities > 0)
    final[state[possible]] = possible
    upto[np.arange(state.size) >= final[state]] = 1 << 32
    return upto


@kernel
def _sample_games(sampler: EdgeSampler, num_games: int, streams: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
    """Add the last state of each game to `counts` (S,); `streams` (L,) are advanced."""
    start, child, _, player = sampler.edges
    lanes = streams.size
    states = np.empty(lanes, np.int64)
    for first in range(0, num_games, lanes):
        count = min(lanes, num_games - first)
        states[:count] = sampler.start
        going = player[sampler.start] != 0
        while going:
            going = False
            for lane in range(count):
                state = states[lane]
                if player[state] != 0:
                    streams[lane], drawn = next_word(streams[lane])
                    word = as_int(drawn >> np.uint64(32))
                    edge = as_int(start[state])
                    while word >= sampler.upto[edge]:
                        edge += 1
                    states[lane] = child[edge]
                    going = going or player[child[edge]] != 0
        for lane in range(count):
            counts[states[lane]] += 1
