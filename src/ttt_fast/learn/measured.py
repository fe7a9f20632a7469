"""Learning and measuring in one call: a run then hardly needs the interpreter, which the threads of a sweep share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.learn.chunks import Chunks
from ttt_fast.learn.curve import Measures, Truth, measure
from ttt_fast.learn.learners import FixedOpponentLearner, Learner, run_chunks
from ttt_fast.learn.q_learning import learn_chunks_kernel, put_values
from ttt_fast.learn.two_ply import TwoPly

Arrays = tuple[
    NDArray[np.float64], NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]
]  # of a workspace: q, head, best, bound, visited


@kernel
def _learn_and_measure(
    game: TwoPly,
    arrays: Arrays,
    rewards: NDArray[np.float64],
    chunks: Chunks,
    gamma: float,
    counts: NDArray[np.int64],
    places: NDArray[np.int32],
    edge_values: NDArray[np.float64],
    measures: Measures,
    ends: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Learn up to each of `ends` (places among the chunks) and measure there, a row of `out` each."""
    q, head, best, bound, visited = arrays
    first = 0
    for row in range(ends.size):
        end = ends[row]
        learn_chunks_kernel(
            q, game.edge_start, game.link, game.slot, head, best, bound, visited, rewards, chunks.episodes[first:end],
            chunks.step_sizes[first:end], chunks.epsilons[first:end], gamma, chunks.streams[first:end], counts,
        )  # fmt: skip
        put_values(q, places, edge_values)
        measure(measures, edge_values, out[row])
        first = end


def run_measured(learner: Learner, truth: Truth, first: int, end: int, stops: Sequence[int]) -> NDArray[np.float64]:
    """Learn from the chunks `first` to `end - 1`; return the measures after the chunks before each of `stops`.

    Parameters
    ----------
    learner, truth
        The learner, and the measures.
    first, end
        Numbers of chunks.
    stops
        Ascending numbers of chunks, above `first` and at most `end`.

    Returns
    -------
    (len(stops), K) float64
        A row for each stop, in the order of `truth.columns`; the same bits as of calls for each stop.
    """
    out = truth.rows(len(stops))
    if isinstance(learner, FixedOpponentLearner) and len(learner.games) == 1 and len(stops) > 1:
        work = learner.workspace
        arrays = work.q, work.head, work.best, work.bound, work.visited
        _learn_and_measure(
            learner.games[0], arrays, learner.rewards, learner.chunks(first, stops[-1]), float(learner.config.discount),
            learner.counts, learner.places, learner.values, truth.measures, np.subtract(stops, first), out,
        )  # fmt: skip
        first = stops[-1]
    else:
        for row, stop in enumerate(stops):
            run_chunks(learner, first, stop)
            out[row] = truth(learner.edge_values())
            first = stop
    if first < end:
        run_chunks(learner, first, end)
    return out
