"""Compilation in advance: of the first game's kernels before the page is served, of the others' in the background."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ttt_fast import Game, TttFastError, parse_game
from ttt_fast.games import api
from ttt_fast.running.api import interrupted_by
from ttt_fast.web.server.pool import Pool
from ttt_fast.web.server.requests import PositionRequest
from ttt_fast.web.server.responses import agent_response, game_response, line_response, value_response

_BACKGROUND = ("connect4", "ultimate")
"""Games whose kernels take seconds to compile."""
_USUAL_AGENT = "mcts-best"
"""The agent that the page offers in these games."""
_SECONDS = 1.0
"""Time limit of a search, from its first check: the kernels are compiled before."""
_PLIES_LEFT = 3


def warm(game: Game, agents: Sequence[str] = (_USUAL_AGENT,)) -> None:
    """Compile the kernels that the page needs for a game and for agents, by requests near the end of a game.

    Examples
    --------
    >>> warm(parse_game("tic-tac-toe"), ["minimax"])
    """
    line, state = list[int](), game.initial_state
    while api.status(state) == api.ONGOING:
        line.append(api.legal_actions(state)[0])
        state = api.play(state, line[-1])
    request = PositionRequest(game.spec, moves=tuple(line[:-_PLIES_LEFT]))
    game_response(game)
    line_response(game, request)
    with _limited():
        value_response(game, request, Pool())
    for agent in agents:
        with _limited():
            agent_response(game, PositionRequest(game.spec, agent=agent), Pool(), frozenset({(game.spec, agent)}))


@contextmanager
def _limited() -> Iterator[None]:
    """End a computation after a second, not counting the compilation before its first check."""
    end = 0.0

    def watch() -> None:
        nonlocal end
        end = end or time.monotonic() + _SECONDS
        if time.monotonic() > end:
            raise TttFastError("the kernels are warm")

    with suppress(TttFastError), interrupted_by(watch):
        yield


def warm_others(first: str) -> None:
    """Compile the kernels of the other games, at a low priority: the task of a background process."""
    if hasattr(os, "nice"):
        os.nice(10)
    for name in _BACKGROUND:
        if name != first:
            warm(parse_game(name))


def warm_others_apart(first: str) -> "subprocess.Popen[bytes]":
    """Start `warm_others` in a process of its own, so that the server remains responsive."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import warm_others; warm_others({first!r})"
    nothing = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", code], stdin=nothing, stdout=nothing, stderr=nothing)
