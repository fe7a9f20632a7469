"""Exact scores of the first positions of Connect 4, which take longest to solve; they ship with the package."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec, load_archive, save_archive
from ttt_fast.games import connect_four
from ttt_fast.games.api import play
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.search.connect_four.geometry import STANDARD, BoardSize
from ttt_fast.search.connect_four.positions import Words

PATH = Path(__file__).with_name("openings.npz")
"""The file, made by bench/ship_openings.py."""
MOST_STONES = 6
"""Maximum number of stones of the positions in the file."""
_KIND = "connect4-openings"
_SPECS = {"positions": ArraySpec("uint64", (-1,)), "scores": ArraySpec("int8", (-1,))}


def words_after(line: str) -> Words:
    """Return the position after columns 1 to 7 of the standard board.

    Examples
    --------
    >>> words_after("44")
    (2097152, 6291456)
    """
    state: ConnectFourState = connect_four.initial_state(STANDARD.width, STANDARD.height, 4)
    for column in line:
        state = play(state, int(column) - 1)
    return int(state.own), int(state.occupied)


def mirrored(words: Words) -> Words:
    """Return the mirror image of a position of the standard board.

    Examples
    --------
    >>> mirrored(words_after("1232")) == words_after("7656")
    True
    """
    stride, last = STANDARD.stride, STANDARD.width - 1
    column = (1 << stride) - 1
    own, occupied = (
        sum((word >> stride * index & column) << stride * (last - index) for index in range(last + 1)) for word in words
    )
    return own, occupied


def save_openings(path: Path, scores: Mapping[Words, int]) -> None:
    """Write the scores of positions; the sum of its two words identifies a position."""
    arrays = {"positions": np.array([sum(words) for words in scores], np.uint64)}
    arrays["scores"] = np.array(list(scores.values()), np.int8)
    save_archive(path, _KIND, arrays, {})


@cache
def _scores() -> dict[int, int]:
    kept = load_archive(PATH, {_KIND: _SPECS}).arrays
    return dict(zip(kept["positions"].tolist(), kept["scores"].tolist(), strict=True))


def opening_score(position: Words, size: BoardSize = STANDARD) -> int | None:
    """Return the exact score of one of the first positions of the standard board, as in `Solver.score`, else None.

    Examples
    --------
    >>> opening_score((0, 0)), opening_score(words_after("1")), opening_score(words_after("4444444"[:6] + "1"))
    (1, 2, None)
    """
    if size != STANDARD or position[1].bit_count() > MOST_STONES:
        return None
    scores = _scores()
    found = scores.get(sum(position))
    return scores.get(sum(mirrored(position))) if found is None else found


def opening_scores(positions: NDArray[np.uint64], size: BoardSize = STANDARD) -> dict[int, int]:
    """Return the exact scores of the positions with a known `opening_score`, by their index.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones.
    size
        The board.

    Examples
    --------
    >>> opening_scores(np.array([(0, 0), words_after("4444441"), words_after("1")], np.uint64))
    {0: 1, 2: 2}
    """
    early = np.flatnonzero(np.bitwise_count(positions[:, 1]) <= MOST_STONES)
    words = ((own, occupied) for own, occupied in positions[early].tolist())
    scores = ((place, opening_score(one, size)) for place, one in zip(early.tolist(), words, strict=True))
    return {place: score for place, score in scores if score is not None}
