"""Access control of the server: the check of each request, and the headers of every response.

Another page in the same browser may send requests to this machine, and another host name may resolve to it.  A request
therefore needs the token in its path, and the server's own name as its host and, if it has one, as its origin.  A
browser may also open the page by a link or a redirect, such as the file of this server; this requires the token, too.
"""

import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HOST = "127.0.0.1"
"""The only address on which the server listens."""
NAMES = (HOST, "localhost")
"""Names of this machine that a browser may use."""
_TOKEN_BYTES = 24
_FORBIDDEN = 403
_SAME_PAGE = (b"same-origin", b"none")  # the header values of a request that no other page caused
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Headers of every response; a page replaces the content security policy by its own."""
_NOTHING = "default-src 'none'; frame-ancestors 'none'"


def new_token() -> str:
    """Return an unguessable token of 32 characters for an address.

    Examples
    --------
    >>> len(new_token()), new_token() == new_token()
    (32, False)
    """
    return secrets.token_urlsafe(_TOKEN_BYTES)


class Guard:
    """An application with access control.

    Parameters
    ----------
    app
        Receives the accepted requests, with their path without the token: `/`, `/line`.
    token
        The first part of every path.
    port
        The port of the server.
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {f"{name}:{port}".encode() for name in NAMES}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        if scope["type"] != "http":
            return
        problem = self._problem(scope)

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _completed(list(message.get("headers", ())))
            await send(message)

        if problem:
            await refuse(send_with_headers, _FORBIDDEN, problem)
            return
        path = "/" + scope["path"].removeprefix("/").partition("/")[2]
        await self._app(
            {**scope, "path": path, "raw_path": path.encode("utf-8", "replace")}, receive, send_with_headers
        )

    def _problem(self, scope: Scope) -> str:
        """Return the reason for refusing a request; an empty text if it is accepted."""
        headers = list(scope["headers"])
        hosts = [value for name, value in headers if name.lower() == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "expected the host of this server"
        if any(value not in self._origins for name, value in headers if name.lower() == b"origin"):
            return "expected a request of the server's own page"
        sites = [value for name, value in headers if name.lower() == b"sec-fetch-site"]
        if any(value not in _SAME_PAGE for value in sites) and not _opens_page(scope["method"], headers):
            return "expected a request of the server's own page"
        named, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(named.encode("utf-8", "replace"), self._token):
            return "expected the whole address that the server has printed, with its token"
        return ""


def _opens_page(method: str, headers: list[tuple[bytes, bytes]]) -> bool:
    """Return whether a request is a browser's navigation to a page in a window of its own."""
    told = {name.lower(): value for name, value in headers}
    return method == "GET" and (told.get(b"sec-fetch-mode"), told.get(b"sec-fetch-dest")) == (b"navigate", b"document")


def _completed(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a response, followed by the standard headers."""
    told = {name.lower() for name, _ in headers}
    ours = {**HEADERS, "content-security-policy": _NOTHING}
    return headers + [(name.encode(), text.encode()) for name, text in ours.items() if name.encode() not in told]


async def refuse(send: Send, status: int, problem: str) -> None:
    """Send a status with one line as JSON, and close the connection, since a body may be unread."""
    body = json.dumps({"error": problem}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
