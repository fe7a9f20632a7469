"""The first legal move, as an agent of one's own, `python:first_legal:choose`, which `test_matrix.py` tries."""

from typing import Any

from ttt_fast.games import api


def choose(state: Any) -> int:
    """Return the first legal action of a state of any game."""
    return int(api.legal_actions(state)[0])
