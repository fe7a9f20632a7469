"""The server's connections: each has a deadline for its request, and the longest idle one is closed at the limit.

Any process that can connect to a port of this machine can keep connections open, without a token.
"""

import asyncio
import socket
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 64
"""Maximum number of simultaneous connections, far below the file descriptors of a process (256 on macOS)."""
_ACCEPTED_AT_ONCE = 16  # before any of them can be closed
_QUEUED = 512  # in the kernel, where they need no descriptor
_SECONDS_TO_END = 2
_LONGEST_HEADERS = 32_768  # bytes


class Connection(H11Protocol):
    """A connection that is closed, without a response, if its client exceeds the time limit.

    Parameters
    ----------
    seconds
        Time limit for the headers and the body of a request.
    **settings
        The arguments from uvicorn.
    """

    def __init__(self, seconds: float, **settings: Any) -> None:
        super().__init__(**settings)
        self._seconds = seconds
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a request; close the longest waiting connection if there are too many."""
        super().connection_made(transport)
        self._watch()
        others = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(others) > MAX_CONNECTIONS:
            min(others, key=Connection._patience).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the deadline."""
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read more data; a complete request ends the wait."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Start waiting for the next request, and for the client to read the response."""
        super().on_response_complete()
        self._watch()

    def _patience(self) -> float:
        """Return the deadline of the connection; infinity while the server, not the client, is busy."""
        return float("inf") if self._deadline is None else self._deadline.when()

    def _watch(self) -> None:
        """Set a deadline while the server waits for the client, and remove it otherwise."""
        if not (self.cycle is None or self.cycle.response_complete or self.cycle.more_body):
            self._forget()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._seconds, self.transport.abort)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Server(uvicorn.Server):
    """The server of an application, on listening sockets.

    Parameters
    ----------
    app
        The application.
    request_seconds
        Time limit for receiving a complete request, in seconds since the connection or the last response.
    on_exit
        Called at a signal that ends the server.
    """

    def __init__(self, app: ASGIApp, request_seconds: float, on_exit: Callable[[], None]) -> None:
        protocol: Any = partial(Connection, request_seconds)
        config = uvicorn.Config(
            app, loop="asyncio", http=protocol, ws="none", lifespan="off", log_config=None, log_level="critical",
            access_log=False, proxy_headers=False, server_header=False, backlog=_ACCEPTED_AT_ONCE,
            timeout_graceful_shutdown=_SECONDS_TO_END, h11_max_incomplete_event_size=_LONGEST_HEADERS,
        )  # fmt: skip
        super().__init__(config)
        self._on_exit, self._has_complained = on_exit, False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal that ends the server."""
        self._on_exit()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections, a few at a time; report an error outside requests only once."""
        asyncio.get_running_loop().set_exception_handler(self._complain)
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_QUEUED)  # asyncio has one number for both

    def _complain(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not self._has_complained:
            self._has_complained = True
            problem = context.get("exception") or context["message"]
            print(f"ttt-fast: the server goes on after {problem!r}".splitlines()[0], file=sys.stderr)
