"""The first legal move, as agents of one's own: `python:first_legal:choose`, and this file as a program.

`matrix.py` tries both in every game with every command.
"""

import sys
from typing import Any


def choose(state: Any) -> int:
    """Return the first legal action of a state of any game."""
    from ttt_fast.games import api  # the program needs none of it

    return int(api.legal_actions(state)[0])


def answer() -> None:
    """Answer the questions on standard input (docs/ENGINES.md)."""
    print("ttt-fast-engine 1", "name first", "ready", sep="\n", flush=True)
    legal: list[str] = []
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "legal":
            legal = rest
        elif word == "go":
            print("move", legal[0], flush=True)
        elif word == "quit":
            break


if __name__ == "__main__":
    answer()
