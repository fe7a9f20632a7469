"""The server's application: a page, and JSON responses to requests about positions."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ttt_fast import Game, Player, TttFastError
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.web.render import live_page
from ttt_fast.web.server.access import HEADERS, Guard, json_response, refusal
from ttt_fast.web.server.pool import Pool
from ttt_fast.web.server.requests import GameCache, PositionRequest, read_request
from ttt_fast.web.server.responses import Content, agent_response, game_response, line_response, value_response
from ttt_fast.web.server.workers import TooBusyError, TooSlowError, Workers

if TYPE_CHECKING:
    from starlette.types import ExceptionHandler

MAX_BODY = 16_384
"""Maximum size of a request body in bytes."""
BODY_SECONDS = 5.0
"""Time limit for receiving a request body, in seconds."""
VALUE_SECONDS, AGENT_SECONDS = 5.0, 20.0
"""Time limits of a solver and of an agent, in seconds."""
USUAL_GAMES = (
    "tic-tac-toe",
    "connect4",
    "ultimate",
    "tic-tac-toe:misere=yes",
    "tic-tac-toe:rows=3,columns=4",
    "tic-tac-toe:rows=4,columns=4,length=4",
    "connect4:columns=5,rows=4",
    "connect4:columns=6,rows=5",
    "ultimate:tie=boards",
    "ultimate:closed=stay",
)
"""Games offered on the page."""
_BRIEF = ("game", "line")
"""Kinds of requests that search nothing."""
_JSON = "application/json"
_BAD_REQUEST, _SLOW_BODY, _LARGE_BODY, _NO_JSON, _SLOW_ANSWER, _BUSY, _FAULT = 400, 408, 413, 415, 422, 429, 500


class Endpoints:
    """The endpoints of the page, each a coroutine that takes a request and returns a response.

    Parameters
    ----------
    game
        The initial game of the page.
    workers
        The threads that compute responses.
    trusted
        Agents of this game that a request may name although they are files.
    value_seconds, agent_seconds
        Time limits of a solver and of an agent, in seconds.
    body_seconds
        Time limit for receiving a request body, in seconds.
    """

    def __init__(
        self,
        game: Game,
        workers: Workers,
        trusted: frozenset[str] = frozenset(),
        *,
        value_seconds: float = VALUE_SECONDS,
        agent_seconds: float = AGENT_SECONDS,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._workers, self._games, self._body_seconds = workers, GameCache(game), body_seconds
        self._compiling = ""
        named = frozenset((game.spec, one) for one in trusted)
        players, analyses = Pool[Player](), Pool[ExactAnalysis](max_items=3)
        self._page = live_page([game.spec, *(one for one in USUAL_GAMES if one != game.spec)])
        self._kinds: dict[str, tuple[Callable[[Game, PositionRequest], Content], float]] = {
            "game": (lambda played, request: game_response(played), value_seconds),
            "line": (line_response, value_seconds),
            "value": (partial(value_response, analyses=analyses), value_seconds),
            "agent": (partial(agent_response, players=players, trusted=named), agent_seconds),
        }

    def routes(self) -> list[Route]:
        """Return the paths and their endpoints."""
        posts = [Route(f"/{name}", partial(self.respond, name), methods=["POST"]) for name in self._kinds]
        return [
            Route("/", self.page, methods=["GET"]),
            Route("/status", self.status, methods=["POST"]),
            *posts,
        ]

    def note(self, text: str) -> None:
        """Keep the state of the compilation for the page."""
        self._compiling = text

    async def status(self, request: Request) -> Response:
        """Return a text about the compilation of kernels, empty if there is none; no worker is needed."""
        return json_response(200, {"compiling": self._compiling})

    async def page(self, request: Request) -> Response:
        """Return the page."""
        policy = f"{self._page.policy}; frame-ancestors 'none'"
        return HTMLResponse(self._page.content, headers={**HEADERS, "content-security-policy": policy})

    async def respond(self, kind: str, request: Request) -> Response:
        """Return the response to a request, as JSON."""
        position = read_request(await _read_body(request, self._body_seconds))
        content_of, seconds = self._kinds[kind]
        gone, is_brief = partial(_disconnected, request), kind in _BRIEF
        found = await self._workers.run(
            lambda: content_of(self._games.game(position.game), position), seconds, gone, is_brief
        )
        return json_response(200, found)


async def _read_body(request: Request, seconds: float) -> bytes:
    """Return the body of a request, which must be JSON, within the size limit, and received in time."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise HTTPException(_NO_JSON, f"expected a body of type {_JSON}")
    length = request.headers.get("content-length", "0")
    too_large = HTTPException(_LARGE_BODY, f"expected a body of at most {MAX_BODY} bytes")
    if not (length.isascii() and length.isdigit()) or len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY:
                    raise too_large
    except TimeoutError:
        raise HTTPException(_SLOW_BODY, f"expected the body within {seconds:g} s") from None
    except ClientDisconnect:
        raise HTTPException(_BAD_REQUEST, "expected a whole body") from None
    return bytes(body)


async def _disconnected(request: Request) -> None:
    """Wait until the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _on_own_error(request: Request, error: Exception) -> Response:
    """Return the response to an error of this package."""
    kinds: dict[type[Exception], int] = {TooBusyError: _BUSY, TooSlowError: _SLOW_ANSWER}
    return refusal(kinds.get(type(error), _BAD_REQUEST), str(error))


async def _on_http_error(request: Request, error: Exception) -> Response:
    """Return the response to an error of the framework, such as an unknown path or method."""
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, error.detail.lower())


async def _on_internal_error(request: Request, error: Exception) -> Response:
    """Print an unexpected error in the terminal; the response contains no details."""
    print(f"ttt-fast: internal error: {type(error).__name__}: {error}".splitlines()[0], file=sys.stderr)
    return refusal(_FAULT, "internal error; the server's terminal says which")


def server_app(endpoints: Endpoints, token: str, port: int) -> ASGIApp:
    """Return the application, protected by its `Guard`.

    Parameters
    ----------
    endpoints
        The endpoints.
    token
        The first part of every path.
    port
        The port of the server.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> app = server_app(Endpoints(parse_game("tic-tac-toe"), Workers()), "token", 8000)
    >>> callable(app)
    True
    """
    handlers: Mapping[int | type[Exception], ExceptionHandler] = {
        TttFastError: _on_own_error,
        HTTPException: _on_http_error,
        Exception: _on_internal_error,
    }
    app = Starlette(routes=endpoints.routes(), exception_handlers=handlers)
    app.router.redirect_slashes = False  # it does not know the token
    return Guard(app, token, port)
