"""Running the program: in this process, which is fast, or in another one."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any, NamedTuple
from unittest import mock

import pytest

from conftest import PATIENCE
from ttt_fast.cli.main import main

SCRIPT = [sys.executable, "-c", "from ttt_fast.cli.main import main; main()"]


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    def json(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        return json.loads(self.out)


def run(*arguments: object, stdin: str = "") -> Ran:
    """Run `ttt-fast ARGUMENTS` in this process, through its `main`."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["ttt-fast", *map(str, arguments)]),
        mock.patch.object(sys, "stdout", streams[0]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        redirect_stderr(streams[1]),
        mock.patch("ttt_fast.cli.main._CompilationLine._show"),  # which test compiles first is chance
    ):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
    assert isinstance(code, int)
    out, err = (stream.buffer.getvalue() for stream in streams)
    return Ran(code, out, err.decode())


def start(*arguments: object, program: list[str] | None = None, **options: Any) -> "subprocess.Popen[bytes]":
    """Start `ttt-fast ARGUMENTS` in a process of its own."""
    environment = {**os.environ, **options.pop("env", {})}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen([*(program or SCRIPT), *map(str, arguments)], env=environment, **{**streams, **options})


def run_process(*arguments: object, **options: Any) -> Ran:
    """Run `ttt-fast ARGUMENTS` in a process of its own."""
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=PATIENCE)
    return Ran(process.returncode, out, err.decode())


def run_python(*words: object, **options: Any) -> Ran:
    """Run `python WORDS` in a process of its own, which must end well."""
    ran = run_process(*words, program=[sys.executable], **options)
    assert ran.code == 0, ran.err
    return ran


def wait_for(condition: Callable[[], object], process: "subprocess.Popen[bytes]") -> None:
    """Wait until something is so; fail if the process ends before, or in the end."""
    given_up = time.monotonic() + PATIENCE
    while time.monotonic() < given_up:
        if condition():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    pytest.fail("waited in vain")


def assert_one_line(ran: Ran, code: int, *words: str) -> None:
    """A refused command: nothing on stdout, one line on stderr, no traceback."""
    assert (ran.code, ran.out) == (code, b""), ran
    assert ran.err.startswith("ttt-fast: "), ran.err
    assert ran.err.count("\n") == 1, ran.err
    assert "Traceback" not in ran.err
    assert "internal error" not in ran.err
    for word in words:
        assert word in ran.err
