"""Requests that nobody means: each is answered or refused, and none has a file opened, a program run, a host called.

TTT_FAST_FUZZED_REQUESTS is their number (default: 250).
"""

import asyncio
import json
import os
import random
import sys
import sysconfig
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the server needs the extra web")

import ttt_fast
from server_client import GONE, OWN, TOKEN, Client
from ttt_fast import as_policy, save_policy
from ttt_fast.core.cache import choose_folder

REQUESTS = int(os.environ.get("TTT_FAST_FUZZED_REQUESTS", "250"))
SECONDS = 0.25
GAMES = (
    "tic-tac-toe", "tic-tac-toe", "connect4", "connect4:columns=4,rows=4,length=3", "tic-tac-toe:misere=yes", "chess",
    "tic-tac-toe:rows=99", "openspiel:chess", "python:os:system", "", "connect4:columns=1e9", "../x",
)  # fmt: skip
AGENTS = (
    "random", "minimax", "minimax:prefer=fast", "heuribot", "default:skill=0.5", "mcts:sims=50", "mcts-best:sims=20",
    "mcts:sims=999999999", "mcts:ms=4000", "alphabeta:depth=3", "solver", "buggy2", "best-response:random", "learned",
    "mix:1/2*random+1/2*minimax", "python:os:getcwd", "mix:1*(python:os:getcwd)", "{file}", "best-response:{file}",
    "mcts:leaf={file}", "alphabeta:eval={file}", "mix:1*{file}", "/etc/passwd", "/etc/hostname", "..", ".", "C:\\x.npz",
    "random:frozen=3", "http://127.0.0.1:1/x.npz", "\x00", "\ud800", "(((", "mix:", "best-response:", "ü" * 50,
)  # fmt: skip
SANE = ("random", "default", "mcts:sims=50", "alphabeta:depth=2", "mcts-best:sims=9", "mcts:sims=1000000")
PATHS = (
    "/", "/game", "/line", "/value", "/agent", "/static/main.js", "/../../etc/passwd", "{file}", "/%2e%2e/x",
    "//etc/passwd", "/agent/", "/\x00", "/\ud800", "/" + "a" * 5000,
)  # fmt: skip
ODD = (None, True, -1, 0, 2**53, 1e308, "", "x" * 2000, [], [[]], {}, {"a": []}, "X........", "\u202e", [None], ["4"])

NOTED = ("open", "os.listdir", "os.scandir", "os.system", "subprocess.Popen", "socket.connect")
MACHINE = (Path("/proc/meminfo"), Path("/proc/cpuinfo"), Path(f"/proc/{os.getpid()}/cgroup"), Path("/sys/fs/cgroup"))
IMPORTED_FROM = {Path(place or ".").resolve() for place in sys.path}
seen: list[tuple[str, str]] = []
watching = [False]


def note(event, arguments):
    """Note the files, folders, programs and hosts that anything asks for while requests are answered."""
    is_opened = event == "open" and isinstance(arguments[0], int)  # a file that was noted when it got its number
    if watching[0] and event in NOTED and not is_opened:
        seen.append((event, os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else repr(arguments)))


@cache
def own_folders():
    """Where the package, its libraries and its caches are."""
    caches = [Path(choose_folder(kind, "")).parent for kind in ("tables", "numba")]
    places = [Path(ttt_fast.__file__).parent, *caches, *map(Path, sysconfig.get_paths().values())]
    return [place.resolve() for place in places]


def is_own(event, name):
    """Whether something is of the package or its libraries, the machine's memory, or a folder of modules."""
    if event not in ("open", "os.listdir", "os.scandir"):
        return False
    if name in sys.path or Path(name or ".").resolve() in IMPORTED_FROM:
        return True
    return any(Path(name).resolve().is_relative_to(folder) for folder in (*own_folders(), *MACHINE))


class Fuzzer:
    """Requests by a stream of random numbers."""

    def __init__(self, seed, file):
        self.draw, self.file = random.Random(seed), file

    def pick(self, words):
        word = self.draw.choice(words)
        return word.replace("{file}", self.file) if isinstance(word, str) else word

    def agent(self):
        if self.draw.random() < 0.8:
            return self.pick(AGENTS)
        return "".join(
            self.draw.choice([*"():,+*=/.", "mix", "random", "sims=", "9" * 9, "leaf=", self.file]) for _ in range(6)
        )

    def sane(self):
        """A question that has an answer, but for its time."""
        game, moves = self.draw.choice([("tic-tac-toe", 9), ("connect4", 7), ("connect4:columns=4,rows=4,length=3", 4)])
        played = self.draw.sample(range(moves), self.draw.randrange(4))
        return {"game": game, "moves": played, "agent": self.draw.choice(SANE), "seed": self.draw.randrange(9)}

    def question(self):
        if self.draw.random() < 0.4:
            return self.sane()
        question = {"game": self.pick(GAMES)}
        if self.draw.random() < 0.7:
            question["moves"] = [
                self.draw.randrange(self.draw.choice([7, 9, 100])) for _ in range(self.draw.randrange(6))
            ]
        if self.draw.random() < 0.6:
            question["agent"] = self.agent()
        if self.draw.random() < 0.2:
            question["start"] = self.pick(["X...O....", "XO" * 40, "#ff", "#0", "./x", self.file, "x" * 81, "/" * 99])
        if self.draw.random() < 0.3:
            question["seed"] = self.draw.choice([0, 1, 2**53 - 1, 2**64])
        if self.draw.random() < 0.25:
            question[self.draw.choice([*question, "since", "path", "__class__"])] = self.draw.choice(ODD)
        return question

    def body(self):
        kind = self.draw.random()
        if kind < 0.75:
            text = json.dumps(self.question(), ensure_ascii=self.draw.random() < 0.5).encode("utf-8", "surrogatepass")
        elif kind < 0.85:
            text = self.draw.randbytes(self.draw.randrange(200))
        elif kind < 0.95:
            text = self.draw.choice(
                [b"[" * 16_000, b'{"game":' * 900, b"9" * 16_000, b"NaN", b"", b'"' + b"\\u0000" * 99]
            )
        else:
            text = b"{" + b" " * self.draw.randrange(40_000)
        cut = self.draw.randrange(len(text) + 1)
        parts = [text[:cut], text[cut:]] if self.draw.random() < 0.3 else [text]
        return [*parts, GONE] if self.draw.random() < 0.03 else parts

    def headers(self):
        told = {name.encode(): value.encode() for name, value in OWN.items()}
        if self.draw.random() < 0.2:
            name = self.draw.choice(
                [b"host", b"origin", b"content-type", b"content-length", b"sec-fetch-site", b"x-any"]
            )
            told[name] = self.draw.choice(
                [b"", b"null", b"http://evil.example", b"-1", b"99999999", self.draw.randbytes(30)]
            )
        pairs = list(told.items())
        return [*pairs, self.draw.choice(pairs)] if self.draw.random() < 0.03 else pairs

    def request(self):
        method = "POST" if self.draw.random() < 0.85 else self.draw.choice(["GET", "HEAD", "PUT", "", "get", "TRACE"])
        path = self.pick(PATHS[1:5] if self.draw.random() < 0.85 else PATHS)
        token = TOKEN if self.draw.random() < 0.93 else self.draw.choice(["", "x", TOKEN[:-1], "..", "\ud800"])
        return method, f"/{token}{path}", self.headers(), self.body()


def test_every_request_is_answered_and_none_opens_a_file(tmp_path, monkeypatch):
    sys.addaudithook(note)  # stays, and does nothing outside of this test
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "secret.npz"
    save_policy(file, as_policy("minimax"))
    fuzzer, client = Fuzzer(1, str(file)), Client(value_seconds=SECONDS, agent_seconds=SECONDS, body_seconds=1.0)
    before, statuses = set(os.listdir(tmp_path)), Counter()

    async def all_of_them():
        for _ in range(REQUESTS):
            method, path, headers, parts = fuzzer.request()
            answered = await client.send(method, path, headers, parts, waits=fuzzer.draw.random() < 0.97)
            statuses[answered.status] += 1
            assert 200 <= answered.status < 500, (method, path, headers, parts, answered)
            assert b"Traceback" not in answered.body, (parts, answered)
        return await client.send(
            "POST", f"/{TOKEN}/agent", fuzzer_headers(), [b'{"game": "tic-tac-toe", "agent": "minimax"}']
        )

    seen.clear()
    watching[0] = True
    try:
        alive = asyncio.run(all_of_them())
    finally:
        watching[0] = False
        client.close()
    assert alive.status == 200 and alive.json()["moves"]
    assert set(statuses) >= {200, 400, 403, 404, 405, 413, 415, 422}, statuses
    assert min(statuses[200], statuses[400]) > REQUESTS // 10, statuses
    print(dict(statuses))  # with -s
    assert set(os.listdir(tmp_path)) == before
    assert sorted({one for one in seen if not is_own(*one)}) == []


def fuzzer_headers():
    return [(name.encode(), value.encode()) for name, value in OWN.items()]
