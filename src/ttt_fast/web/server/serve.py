"""The server process: its port, its address, and its shutdown."""

import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from ttt_fast import Game, TttFastError
from ttt_fast.core.compilation import compiling
from ttt_fast.web.server.access import HOST
from ttt_fast.web.server.app import Endpoints, server_app
from ttt_fast.web.server.connections import Server
from ttt_fast.web.server.warming import warm, warm_others_apart
from ttt_fast.web.server.workers import Workers

_TOKEN_BYTES = 24
_NOBODY = ("you", None)
"""Seats of the page that no agent plays."""
REQUEST_SECONDS = 10.0
"""Time limit for receiving a complete request, in seconds."""
_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={address}">
<title>ttt-fast</title>
<a href="{address}">the page</a>
"""
_BACKLOG = 64
"""Maximum number of connections that wait to be accepted."""


def open_port(port: int) -> socket.socket:
    """Return a socket that listens on a port of this machine, for local connections only; 0 for any free port.

    Raises
    ------
    TttFastError
        If the port is in use, or not permitted.

    Examples
    --------
    >>> with open_port(0) as opened:
    ...     opened.getsockname()[0]
    '127.0.0.1'
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # on other systems the option lets two servers share a port
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((HOST, port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        raise TttFastError(f"expected a free port, got {port!r}: {(error.strerror or str(error)).lower()}") from None
    return opened


def address_of(port: int, token: str, settings: "dict[str, str]") -> str:
    """Return the address of the page, with its initial settings.

    Examples
    --------
    >>> address_of(8000, "token", {"game": "connect4", "x": "you"})
    'http://127.0.0.1:8000/token/#play?game=connect4&x=you'
    """
    return f"http://{HOST}:{port}/{token}/#play?{urlencode(settings)}"


def has_display() -> bool:
    """Return whether a graphical browser can be opened; a text browser would occupy the terminal."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


@contextmanager
def redirect_to(address: str) -> Iterator[str]:
    """Write a temporary file that redirects a browser to an address, and yield the address of the file.

    Every user of the machine can see the command line of a browser, but only the owner can read the file.

    Examples
    --------
    >>> with redirect_to("http://127.0.0.1:8000/token/") as redirect:
    ...     print(redirect.startswith("file:///"), "token" in redirect)
    True False
    """
    with TemporaryDirectory(prefix="ttt-fast-", ignore_cleanup_errors=True) as folder:  # mode 700
        file = Path(folder) / "page.html"
        file.touch(mode=0o600)
        file.write_text(_REDIRECT.format(address=escape(address)), encoding="utf-8")
        yield file.as_uri()


def serve(
    game: Game,
    settings: "dict[str, str]",
    port: int,
    on_ready: Callable[[str], None],
    opens: bool,
    trusted: frozenset[str] = frozenset(),
    request_seconds: float = REQUEST_SECONDS,
) -> None:
    """Serve the page of a game until Ctrl-C.

    Parameters
    ----------
    game
        The initial game.
    settings
        Settings of the page: `game`, `x`, `o`, `start`, `moves`, `seed`, `asked`.
    port
        The port; 0 for any free port.
    on_ready
        Called with the address when the server is ready.
    opens
        Whether to open a browser, if there is a display.
    trusted
        Agents of this game that requests may name although they are files: the agents of the command line.
    request_seconds
        Time limit for receiving a complete request, in seconds.

    Raises
    ------
    TttFastError
        If the port is in use.
    """
    workers, token = Workers(), secrets.token_urlsafe(_TOKEN_BYTES)
    endpoints = Endpoints(game, workers, trusted)
    with open_port(port) as opened, ExitStack() as private, compiling.watched_by(endpoints.note):
        agents = map(settings.get, ("x", "o", "asked"))
        warm(game, [one for one in agents if one not in _NOBODY])
        private.callback(warm_others_apart(game.name).terminate)
        number = opened.getsockname()[1]

        def on_exit() -> None:
            workers.stop()
            private.close()  # SIGTERM ends the process inside `run`

        server = Server(server_app(endpoints, token, number), request_seconds, on_exit)
        address = address_of(number, token, settings)
        on_ready(address)
        if opens and has_display():
            redirect = private.enter_context(redirect_to(address))
            threading.Thread(target=webbrowser.open, args=(redirect,), daemon=True).start()
        try:
            server.run(sockets=[opened])
        except KeyboardInterrupt:
            pass  # the usual signals for ending a server
        finally:
            workers.close()
