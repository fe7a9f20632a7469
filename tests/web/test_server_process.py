"""The server as a process: its address, its end by Ctrl-C, and what comes out of a real socket."""

import html
import json
import shlex
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs

import pytest

pytest.importorskip("uvicorn", reason="the server needs the extra web")

from cli_runner import assert_one_line, run, wait_for
from conftest import PATIENCE
from server_process import SAID, Running, read_to_the_end


@pytest.fixture
def running():
    """Starts servers, none of which outlives the test."""
    made = []

    def make(*words, **options):
        made.append(Running(*words, **options))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def test_it_prints_an_address_serves_it_and_ends_with_ctrl_c_while_it_searches(running):
    server = running("--game", "connect4", "learned:ms=50", "--seat", "o", "--position", "44", "--seed", "7")
    assert (server.address.scheme, server.address.hostname) == ("http", "127.0.0.1")
    view, _, settings = server.address.fragment.partition("?")
    wanted = {"game": "connect4", "x": "learned:ms=50", "o": "you", "moves": "4.4", "seed": "7"}
    assert view == "play" and {name: one for name, (one,) in parse_qs(settings).items()} == wanted
    status, page = server.request("GET", "")
    assert status == 200 and page.startswith(b"<!doctype html>")
    if sys.platform.startswith("linux"):  # other systems have one loopback address
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", server.port), timeout=PATIENCE)
    status, told = server.ask("line", game="connect4", moves=[3, 3], since=2)
    assert status == 200 and json.loads(told)["states"][0]["ply"] == 2
    asked = threading.Thread(
        target=lambda: answers.append(server.ask("agent", game="ultimate", agent="alphabeta:depth=42"))
    )
    answers: list[object] = []
    asked.start()
    time.sleep(0.3)
    assert server.ask("game", game="ultimate")[0] == 200 and not answers  # it goes on beside the search
    assert server.end() == (0, b"", SAID)
    asked.join(PATIENCE)
    assert not asked.is_alive()


@pytest.mark.slow
def test_huge_and_broken_bodies_are_refused_and_the_server_lives(running):
    server = running()
    huge = server.says(server.head("Content-Length: 1000000000") + b"x" * 4_000_000)
    assert huge[:12] in (b"HTTP/1.1 413", b"")  # the answer may be lost with the connection
    endless = server.says(server.head("Transfer-Encoding: chunked") + b"4000\r\n" + b"x" * 0x4000 + b"\r\n1\r\nx\r\n")
    assert endless.startswith(b"HTTP/1.1 413")
    for broken in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"\r\n\r\n\r\n", b"x" * 100_000):
        assert server.says(broken)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 403", b"")
    assert server.ask("game", game="tic-tac-toe")[0] == 200
    assert server.end() == (0, b"", SAID)


LIMITED = [sys.executable, "-c", """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
from ttt_fast.games.registry import parse_game
from ttt_fast.web.server.serve import serve
game, seconds = parse_game("tic-tac-toe"), float(sys.argv[2])
serve(game, {}, 0, lambda address: print(address, flush=True), opens=False, request_seconds=seconds)
"""]  # fmt: skip
"""A server with few descriptors, and its own deadline."""


def left_waiting(server, number):
    """Connections that say nothing, half of the headers, and half of a body with the token."""
    said = (b"", b"GET / HTTP/1.1\r\nHost: ", server.head("Content-Length: 20") + b"{")
    opened = []
    for one in range(number):
        opened.append(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
        opened[-1].sendall(said[one % len(said)])
    return opened


def ends(connection):
    """Wait until the server has closed a connection; return what it has said before."""
    with connection:
        return read_to_the_end(connection)


@pytest.mark.slow
def test_waiting_connections_do_not_keep_the_page_from_others(running):
    resource = pytest.importorskip("resource", reason="limits of a process are POSIX")
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 512:
        pytest.skip("the test has 400 connections itself")
    server = running(256, PATIENCE, program=LIMITED)
    opened = left_waiting(server, 400)
    assert server.request("GET", "")[0] == 200  # though none of them has been closed by its deadline
    assert {ends(one)[:12] for one in opened[:300]} <= {b"", b"HTTP/1.1 408"}
    assert server.end() == (0, b"", "")
    for one in opened[300:]:
        one.close()


def test_waiting_connections_are_closed_in_the_end(running):
    pytest.importorskip("resource", reason="limits of a process are POSIX")
    server = running(32, 0.5, program=LIMITED)
    assert {ends(one) for one in left_waiting(server, 48)} == {b""}
    assert server.request("GET", "")[0] == 200
    code, out, err = server.end()
    assert (code, out) == (0, b"")
    assert err.startswith("ttt-fast: the server goes on after OSError(24, ") and err.count("\n") == 1


BROWSER = """
import json, sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname
file = Path(url2pathname(urlsplit(sys.argv[2]).path))
modes = [one.stat().st_mode & 0o777 for one in (file, file.parent)]
seen = {"words": sys.argv[2:], "file": str(file), "text": file.read_text(), "modes": modes}
Path(sys.argv[1] + ".new").write_text(json.dumps(seen))
Path(sys.argv[1] + ".new").rename(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="BROWSER names the browser elsewhere")
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_browser_is_led_to_the_page_by_a_private_file(number, running, tmp_path):
    (tmp_path / "browser.py").write_text(BROWSER)
    words = (sys.executable, str(tmp_path / "browser.py"), str(tmp_path / "seen.json"))
    surroundings = {"DISPLAY": ":0", "BROWSER": f"{shlex.join(words)} %s", "TMPDIR": str(tmp_path)}
    server = running("--game", "connect4", opens=True, env=surroundings)
    wait_for((tmp_path / "seen.json").exists, server.process)
    seen = json.loads((tmp_path / "seen.json").read_text())
    token = server.path.strip("/")
    assert len(seen["words"]) == 1 and token not in seen["words"][0] and seen["modes"] == [0o600, 0o700]
    assert f'content="0; url={server.address.geturl()}"' in html.unescape(seen["text"])
    assert Path(seen["file"]).exists()
    assert server.end(number) == (0 if number == signal.SIGINT else -number, b"", SAID)
    assert not Path(seen["file"]).parent.exists()


def test_a_port_that_is_taken_is_one_line():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert_one_line(run("play", "--browser", "--no-open", "--port", port), 1, "free port", str(port))


MISTAKES = {
    "a port without a page": (("--port", "8000"), "--port only with --browser"),
    "a large port": (("--browser", "--port", "65536"), "0 to 65535"),
    "code that is not part": (("--browser", "python:os:system"), "no external agent with --browser"),
    "hints by code": (("--browser", "--hints-by", "python:os:system"), "no external agent with --browser"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_line(name):
    words, told = MISTAKES[name]
    assert_one_line(run("play", *words), 2, told)


@pytest.mark.parametrize("library", ["starlette", "uvicorn", "jinja2", "msgspec"])
def test_a_missing_extra_is_one_line(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    assert_one_line(run("play", "--browser"), 2, library, "install 'ttt-fast[web]'")
