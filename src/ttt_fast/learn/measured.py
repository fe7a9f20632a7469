"""Learning and measuring in one call: a run then hardly needs the interpreter, which the threads of a sweep share."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.learn.chunks import Chunks
from ttt_fast.learn.curve import MeasuredGame, Measures, Scratch, measure
from ttt_fast.learn.learners import FixedOpponentLearner, Learner, run_chunks
from ttt_fast.learn.q_learning import Workspace, learn_chunks, put_values
from ttt_fast.learn.two_ply import TwoPly


class _Curve(NamedTuple):
    """What is measured, when, and what is filled.

    Attributes
    ----------
    game
        What is measured against.
    ends : (H,) int64
        The places among the chunks before which there is a row.
    places : (D,) int32
        Where the learner's edges stand among the edges of the state table.
    values : (E,) float64
        The values of the edges of the state table; those at `places` are overwritten.
    greedy : (S,) int32
        The greedy edges at the row before; overwritten.
    scratch
        Work arrays of `measure`.
    rows : (H, K) float64
        Filled, a row for each end.
    """

    game: MeasuredGame
    ends: NDArray[np.int64]
    places: NDArray[np.int32]
    values: NDArray[np.float64]
    greedy: NDArray[np.int32]
    scratch: Scratch
    rows: NDArray[np.float64]


@kernel
def _learn_and_measure(
    game: TwoPly,
    work: Workspace,
    rewards: NDArray[np.float64],
    gamma: float,
    chunks: Chunks,
    counts: NDArray[np.int64],
    curve: _Curve,
) -> None:
    """Learn as `learn_chunks` does up to each of the curve's ends, and measure there."""
    first = 0
    for row in range(curve.ends.size):
        end = curve.ends[row]
        some = Chunks(
            chunks.episodes[first:end],
            chunks.step_sizes[first:end],
            chunks.epsilons[first:end],
            chunks.streams[first:end],
        )
        learn_chunks(game, work, rewards, gamma, some, counts)
        put_values(work.q, curve.places, curve.values)
        measure(curve.game, curve.values, curve.greedy, curve.scratch, curve.rows[row])
        first = end


def run_measured(
    learner: Learner, measures: Measures, greedy: NDArray[np.int32], first: int, end: int, stops: Sequence[int]
) -> NDArray[np.float64]:
    """Learn from the chunks `first` to `end - 1`; return the measures after the chunks before each of `stops`.

    Parameters
    ----------
    learner, measures
        What learns, and what is measured.
    greedy : (S,) int32
        The greedy edges at the row before; replaced by those at the last row.
    first, end
        Numbers of chunks.
    stops
        Ascending numbers of chunks, above `first` and at most `end`.

    Returns
    -------
    (len(stops), K) float64
        A row for each stop, in the order of `measures.columns`; the same bits as of calls for each stop.
    """
    out = measures.rows(len(stops))
    if isinstance(learner, FixedOpponentLearner) and len(learner.games) == 1 and len(stops) > 1:
        ends = np.subtract(stops, first)
        curve = _Curve(measures.game, ends, learner.places, learner.values, greedy, measures.scratch(), out)
        chunks, discount = learner.chunks(first, stops[-1]), float(learner.config.discount)
        _learn_and_measure(
            learner.games[0], learner.workspace, learner.rewards, discount, chunks, learner.counts, curve
        )
        first = stops[-1]
    else:
        for row, stop in enumerate(stops):
            run_chunks(learner, first, stop)
            out[row] = measures(learner.edge_values(), greedy)
            first = stop
    if first < end:
        run_chunks(learner, first, end)
    return out
