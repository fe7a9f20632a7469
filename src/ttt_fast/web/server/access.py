"""Access control of the server: the check of each request, and the headers of every response.

Another page in the same browser may send requests to this machine, and another host name may resolve to it.  A request
therefore needs the token in its path, and the server's own name as its host and, if it has one, as its origin.  A
browser may also open the page by a link or a redirect, such as the file of this server; this also requires the token.
"""

import secrets

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
"""The only address on which the server listens."""
NAMES = (HOST, "localhost")
"""Names of this machine that a browser may use."""
_FORBIDDEN = 403
_SAME_PAGE = ("same-origin", "none")  # the header values of a request that no other page caused
_WINDOW = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
"""The headers of a browser's navigation to a page in a window of its own."""
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Headers of every response; a page replaces the content security policy by its own."""


def json_response(status: int, content: object, **headers: str) -> Response:
    """Return a response with JSON; a number that is not finite becomes null."""
    return Response(msgspec.json.encode(content), status, {**HEADERS, **headers}, "application/json")


def refusal(status: int, problem: str) -> Response:
    """Return an error in one line, and close the connection, since a body may be unread."""
    return json_response(status, {"error": problem}, connection="close")


class Guard:
    """An application with access control.

    Starlette's `TrustedHostMiddleware` would not do: it ignores the port, and all but the first of several hosts.

    Parameters
    ----------
    app
        Receives the accepted requests, with their path without the token: `/`, `/line`.
    token
        The first part of every path.
    port
        The port of the server.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = {f"{name}:{port}" for name in NAMES}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        if scope["type"] != "http":
            return
        problem = self._problem(scope)
        if problem:
            await refusal(_FORBIDDEN, problem)(scope, receive, send)
            return
        path = "/" + scope["path"].removeprefix("/").partition("/")[2]
        await self._app({**scope, "path": path, "raw_path": path.encode("utf-8", "replace")}, receive, send)

    def _problem(self, scope: Scope) -> str:
        """Return the reason for refusing a request; an empty text if it is accepted."""
        headers = Headers(raw=[(name.lower(), value) for name, value in scope["headers"]])
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "expected the host of this server"
        opens_page = scope["method"] == "GET" and _WINDOW.items() <= dict(headers).items()
        is_own = opens_page or set(headers.getlist("sec-fetch-site")) <= set(_SAME_PAGE)
        if not (is_own and set(headers.getlist("origin")) <= self._origins):
            return "expected a request of the server's own page"
        named, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(named.encode("utf-8", "replace"), self._token):
            return "expected the whole address that the server has printed, with its token"
        return ""
