"""The server as a process: its port, its address, and its end."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any
from urllib.parse import urlencode

from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.games.registry import Game
from ttt_fast.web.server.guard import HOST, new_token

_SECONDS_TO_END = 2
_LONGEST_HEADERS = 32_768  # bytes
_BACKLOG = 64
"""Connections that wait."""


def check_extra() -> None:
    """Raise UsageError unless the extra `web` is installed.

    Examples
    --------
    >>> check_extra()
    """
    for name in ("jinja2", "starlette", "uvicorn"):
        try:
            import_module(name)
        except ImportError:
            raise UsageError(f"the server needs {name}: install 'ttt-fast[web]'") from None


def open_port(port: int) -> socket.socket:
    """Return a socket of this machine alone that listens to a port; 0: any free one.

    Raises
    ------
    TttFastError
        If the port is taken, or not ours to take.

    Examples
    --------
    >>> with open_port(0) as opened:
    ...     opened.getsockname()[0]
    '127.0.0.1'
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option lets two servers share a port
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((HOST, port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise TttFastError(f"expected a free port, got {port!r}: {(error.strerror or str(error)).lower()}") from None
    return opened


def address_of(port: int, token: str, settings: "dict[str, str]") -> str:
    """Return the address of the page, with the settings that it begins with.

    Examples
    --------
    >>> address_of(8000, "token", {"game": "connect4", "x": "you"})
    'http://127.0.0.1:8000/token/#play?game=connect4&x=you'
    """
    return f"http://{HOST}:{port}/{token}/#play?{urlencode(settings)}"


def has_display() -> bool:
    """Return whether a browser with windows can be opened: one of a terminal would take the terminal."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def serve(
    game: Game,
    settings: "dict[str, str]",
    port: int,
    tell: Callable[[str], None],
    opens: bool,
    trusted: frozenset[str] = frozenset(),
) -> None:
    """Serve the page of a game until Ctrl-C.

    Parameters
    ----------
    game
        The game that it begins with.
    settings
        Settings of the page: `game`, `x`, `o`, `start`, `moves`, `seed`, `asked`.
    port
        The port; 0: any free one.
    tell
        Called with the address, when it can be visited.
    opens
        Whether a browser is opened, if there is a display.
    trusted
        Agents of that game that requests may name although they are files: those of the command line.

    Raises
    ------
    TttFastError
        If the port is taken, or the extra `web` is missing.
    """
    check_extra()
    uvicorn: Any = import_module("uvicorn")
    app: Any = import_module("ttt_fast.web.server.app")
    workers = import_module("ttt_fast.web.server.workers").Workers()
    questions, token = app.Questions(game, workers, trusted), new_token()
    with open_port(port) as opened:
        number = opened.getsockname()[1]
        config = uvicorn.Config(
            app.server_app(questions, token, number), loop="asyncio", http="h11", ws="none", lifespan="off",
            log_config=None, log_level="critical", access_log=False, proxy_headers=False, server_header=False,
            timeout_graceful_shutdown=_SECONDS_TO_END, h11_max_incomplete_event_size=_LONGEST_HEADERS,
        )  # fmt: skip
        server = uvicorn.Server(config)
        end = server.handle_exit

        def handle_exit(number: int, frame: FrameType | None) -> None:
            workers.stop()
            end(number, frame)

        server.handle_exit = handle_exit
        address = address_of(number, token, settings)
        tell(address)
        if opens and has_display():
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        try:
            server.run(sockets=[opened])
        except KeyboardInterrupt:
            pass  # how a server is ended
        finally:
            workers.close()
