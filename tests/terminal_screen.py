"""The program in a terminal: a pseudo-terminal, and the lines that a person sees in the end."""

import os
import re
import struct
from typing import NamedTuple

import pytest

from cli_runner import SCRIPT

_PARTS = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


class Seen(NamedTuple):
    """What a command left behind in a terminal."""

    code: int
    raw: str
    lines: list[str]


def run_in_terminal(*arguments: object, columns: int = 80, program: list[str] | None = None, **variables: str) -> Seen:
    """Run `ttt-fast ARGUMENTS` in a terminal of its own, of this width."""
    fcntl, pty, termios = (pytest.importorskip(name, reason="needs POSIX") for name in ("fcntl", "pty", "termios"))
    words = [*(program or SCRIPT), *map(str, arguments)]
    child, terminal = pty.fork()
    if child == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            os.environ.pop("COLUMNS", None)
            os.execve(words[0], words, {**os.environ, "TERM": "xterm", **variables})
        finally:
            os._exit(1)
    content = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the program has ended
            break
        if not part:
            break
        content += part
    os.close(terminal)
    raw = content.decode()
    return Seen(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), raw, screen(raw))


def screen(raw: str) -> list[str]:
    """Return the lines of a terminal of any width after these characters, without those at the end that are empty.

    >>> screen("50 %\\r\\x1b[2Kdone\\r\\nx\\r\\n\\x1b[1A\\x1b[2Ky")
    ['done', 'y']
    """
    lines, row, column = [""], 0, 0
    for number, kind, move, text in _PARTS.findall(raw):
        if text:
            lines[row] = lines[row].ljust(column)[:column] + text + lines[row][column + len(text) :]
            column += len(text)
        elif move == "\r":
            column = 0
        elif move == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif kind == "A":
            row = max(0, row - int(number or 1))
        elif kind == "K":
            lines[row] = ""
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip() for line in lines]
