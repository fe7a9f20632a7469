"""The server as a process: its address, its end by Ctrl-C, and what comes out of a real socket."""

import json
import signal
import socket
import sys
import threading
import time
from urllib.parse import parse_qs

import pytest

pytest.importorskip("uvicorn", reason="the server needs the extra web")

from cli_runner import assert_one_line, run
from conftest import PATIENCE
from server_process import SAID, Running


@pytest.fixture
def running():
    made = []

    def make(*words):
        made.append(Running(*words))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def test_it_prints_an_address_serves_it_and_ends_with_ctrl_c(running):
    server = running("--game", "connect4", "--opponent", "learned:ms=50", "--seat", "o", "--moves", "44", "--seed", "7")
    assert (server.address.scheme, server.address.hostname) == ("http", "127.0.0.1")
    view, _, settings = server.address.fragment.partition("?")
    wanted = {"game": "connect4", "x": "learned:ms=50", "o": "you", "moves": "3.3", "seed": "7"}
    assert view == "play" and {name: one for name, (one,) in parse_qs(settings).items()} == wanted
    status, page = server.request("GET", "")
    assert status == 200 and page.startswith(b"<!doctype html>")
    status, told = server.ask("line", game="connect4", moves=[3, 3], since=2)
    assert status == 200 and json.loads(told)["states"][0]["ply"] == 2
    assert server.end() == (0, b"", SAID)


def test_ctrl_c_ends_a_search_that_runs(running):
    server = running("--game", "ultimate", "--opponent", "alphabeta:depth=42")
    asked = threading.Thread(
        target=lambda: answers.append(server.ask("agent", game="ultimate", agent="alphabeta:depth=42"))
    )
    answers: list[object] = []
    asked.start()
    time.sleep(1.0)
    assert server.ask("game", game="ultimate")[0] == 200  # it goes on beside the search
    assert server.end() == (0, b"", SAID)
    asked.join(PATIENCE)
    assert not asked.is_alive()


def test_sigterm_ends_it_without_a_word(running):
    code, out, err = running().end(signal.SIGTERM)
    assert (code, out, err) == (-signal.SIGTERM, b"", SAID)


def test_slow_huge_and_broken_bodies_are_refused_and_the_server_lives(running):
    server = running()
    began = time.monotonic()
    slow = [
        threading.Thread(target=lambda: slow_answers.append(server.says(server.head("Content-Length: 20") + b"{")))
        for _ in range(3)
    ]
    slow_answers: list[bytes] = []
    for one in slow:
        one.start()
    assert server.ask("game", game="tic-tac-toe")[0] == 200  # meanwhile
    huge = server.says(server.head("Content-Length: 1000000000") + b"x" * 4_000_000)
    assert huge[:12] in (b"HTTP/1.1 413", b"")  # the answer may be lost with the connection
    endless = server.says(server.head("Transfer-Encoding: chunked") + b"4000\r\n" + b"x" * 0x4000 + b"\r\n1\r\nx\r\n")
    assert endless.startswith(b"HTTP/1.1 413")
    for broken in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"\r\n\r\n\r\n", b"x" * 100_000):
        assert server.says(broken)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 403", b"")
    assert server.says(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").startswith(b"HTTP/1.1 403")
    for one in slow:
        one.join(PATIENCE)
    assert [one[:12] for one in slow_answers] == [b"HTTP/1.1 408"] * 3
    assert all(b"expected the body within 5 s" in one for one in slow_answers) and time.monotonic() - began >= 4
    assert server.ask("game", game="tic-tac-toe")[0] == 200
    assert server.end() == (0, b"", SAID)


def test_a_foreign_host_a_foreign_origin_and_no_token_are_refused(running):
    server = running()
    good = server.path
    for path, headers in (
        (good, {"Host": "evil.example"}),
        (good, {"Origin": "http://evil.example"}),
        ("/", {}),
        ("/" + "x" * 32 + "/", {}),
    ):
        server.path = path
        status, body = server.request("GET", "", headers=headers)
        assert status == 403 and list(json.loads(body)) == ["error"]
    server.path = good
    assert server.request("GET", "")[0] == 200


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have one loopback address")
def test_it_listens_to_one_address(running):
    server = running()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE)


def test_a_port_that_is_taken_is_one_line():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert_one_line(run("play", "--browser", "--no-open", "--port", port), 1, "free port", str(port))


MISTAKES = {
    "a port without a page": (("--port", "8000"), "--port with --browser"),
    "no page, no browser": (("--no-open",), "--no-open with --browser"),
    "a large port": (("--browser", "--port", "65536"), "0 to 65535"),
    "no agent": (("--browser", "--opponent", "nobody"), "unknown agent 'nobody'"),
    "code of others": (("--browser", "python:os:system"), "no code of others with --browser"),
    "a program": (("--browser", "--hints-by", "engine:ls"), "no code of others with --browser"),
    "no game": (("--browser", "--game", "chess"), "unknown game"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line(name):
    words, told = MISTAKES[name]
    assert_one_line(run("play", *words), 2, told)


@pytest.mark.parametrize("library", ["starlette", "uvicorn", "jinja2"])
def test_a_missing_extra_is_one_line(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    assert_one_line(run("play", "--browser"), 2, library, "install 'ttt-fast[web]'")
