"""Q-learning with the measures of a learning curve, in one kernel call for many rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.learn.curve import MeasuredGame, Scratch, measure_greedy
from ttt_fast.learn.episodes import Chunks
from ttt_fast.learn.q_learning import QWorkspace, greedy_action, learn_chunks
from ttt_fast.learn.two_ply import TwoPly


class CurveRows(NamedTuple):
    """The measures of a learning curve, the times of its rows, and the arrays to fill.

    Attributes
    ----------
    game
        The read-only arrays that all rows share; the edges of the error are numbered as those of the workspace.
    ends : (H,) int64
        The chunks before which a row is measured.
    greedy : (S,) int32
        The greedy edges at the previous row; overwritten.
    scratch
        Work arrays of the measures, allocated once: zeroing them for each row takes longer than measuring.
    rows : (H, K) float64
        Output, a row for each end.
    """

    game: MeasuredGame
    ends: NDArray[np.int64]
    greedy: NDArray[np.int32]
    scratch: Scratch
    rows: NDArray[np.float64]


@kernel
def learn_and_measure(
    game: TwoPly, work: QWorkspace, chunks: Chunks, counts: NDArray[np.int64], curve: CurveRows
) -> None:
    """Learn as `learn_chunks` does up to each of the curve's ends, and measure there.

    The greedy edges are those of the heads: comparing all values again would take as long as all other measures.
    """
    greedy, own = curve.greedy, curve.game.own
    first, waits = 0, game.edge_start.size - 1 - own.size  # the number of nodes with the action "wait": 0 or 1
    for row in range(curve.ends.size):
        end = curve.ends[row]
        some = Chunks(
            chunks.episodes[first:end],
            chunks.step_sizes[first:end],
            chunks.epsilons[first:end],
            chunks.streams[first:end],
        )
        learn_chunks(game, work, some, counts)
        changed = 0
        for node in range(own.size):
            state = own[node]
            chosen = curve.game.edge_start[state] + np.int32(greedy_action(work.head[waits + node]))
            changed += chosen != greedy[state]
            greedy[state] = chosen
        measure_greedy(curve.game, work.q, greedy, changed, curve.scratch, curve.rows[row])
        first = end
