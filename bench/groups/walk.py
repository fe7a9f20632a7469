"""The walk of self-play without learning: what the learners' kernels are made of, less the updates."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.tabular.self_play import MASK_4, MASK_16, MASK_20, draw_gap
from ttt_fast.core.jit import kernel

_0, _1, _20, _24, _26 = (np.uint64(n) for n in (0, 1, 20, 24, 26))


@kernel
def walk(
    head: NDArray[np.uint64],
    link: NDArray[np.uint16],
    first_result: np.uint64,
    slots: NDArray[np.uint64],
    episodes: int,
    stream: np.uint64,
    counts: NDArray[np.int64],
) -> None:
    """Play episodes by the heads of a learner's work arrays, exploring as it does; adds results to `counts` (3,)."""
    limit = np.uint64(9 * episodes)
    gap, fraction, stream = draw_gap(stream, slots, limit)
    node, remaining, x_wins, o_wins = _0, episodes, 0, 0
    while remaining > 0:
        row = head[node]
        if gap == _0:
            edge = ((row >> _24) & MASK_20) + ((fraction * ((row >> _20) & MASK_4)) >> _26)
            node = np.uint64(link[edge])
            gap, fraction, stream = draw_gap(stream, slots, limit)
        else:
            gap -= _1
            node = row & MASK_16
        if node >= first_result:
            remaining -= 1
            x_wins += (node - first_result) >> _1 == _0
            o_wins += (node - first_result) >> _1 == np.uint64(2)
            node = _0
    counts[0] += x_wins
    counts[1] += episodes - x_wins - o_wins
    counts[2] += o_wins
