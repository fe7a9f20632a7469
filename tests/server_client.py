"""A client of the server's application without a network: requests as they come out of a socket."""

import asyncio
import json
from typing import Any, NamedTuple

from ttt_fast import parse_game
from ttt_fast.web.server.app import Endpoints, server_app
from ttt_fast.web.server.workers import Workers

TOKEN, PORT = "t" * 32, 8000
OWN = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json"}
GONE = object()
"""In the place of a part of a body: the client has left."""


class Answered(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """An application for one game, and a loop of its own."""

    def __init__(self, game="tic-tac-toe", trusted=frozenset(), workers=None, **limits):
        self.workers = workers or Workers()
        self.app = server_app(Endpoints(parse_game(game), self.workers, trusted, **limits), TOKEN, PORT)

    async def send(self, method, path, headers, parts, waits=True):
        """Send a request, its headers as pairs of bytes; after the parts of its body the client waits, or leaves."""
        left, answered, body = list(parts), [], []

        async def receive():
            if not left:
                if waits:
                    await asyncio.Event().wait()
                return {"type": "http.disconnect"}
            part = left.pop(0)
            if part is GONE:
                return {"type": "http.disconnect"}
            if isinstance(part, float):
                await asyncio.sleep(part)
                part = b""
            return {"type": "http.request", "body": part, "more_body": bool(left)}

        async def send(message):
            if message["type"] == "http.response.start":
                answered.append(message)
            else:
                body.append(message.get("body", b""))

        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode("utf-8", "replace"), "query_string": b"", "root_path": "",
            "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", PORT),
        }  # fmt: skip
        await self.app(scope, receive, send)
        (start,) = answered
        told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]}
        return Answered(start["status"], told, b"".join(body))

    def request(self, method, path, headers=OWN, parts=(b"",), token=TOKEN, waits=True):
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        return asyncio.run(self.send(method, f"/{token}{path}", pairs, parts, waits))

    def ask(self, kind, headers=OWN, **question):
        return self.request("POST", f"/{kind}", headers, [json.dumps(question).encode()])

    def close(self):
        self.workers.close()
