"""A line-based connection to an external program: its standard input and output, time limits, and termination."""

import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from ttt_fast.core.errors import TttFastError, printable
from ttt_fast.core.signals import TIDYING
from ttt_fast.running.interrupts import check_interrupt

_LONGEST_LINE = 4096  # bytes: longer lines are cut, so that a program cannot fill the memory
_MOST_LINES = 1000  # not yet received: further lines are read only after some have been received
_MOST_COMMENTS = 10_000
"""Limit on empty lines and comments before a reply."""
_COMMENT = "#"
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_LEAVE = 0.5
_HAS_GROUPS = os.name == "posix"
_running: set["subprocess.Popen[bytes]"] = set()


class ProgramEndedError(TttFastError):
    """The program has ended; the message contains its exit code and its last lines of standard error."""


class ProgramSilentError(TttFastError):
    """The program did not reply in time, or sent too many empty lines and comments."""


class Deadline:
    """A time limit for a whole exchange, regardless of its number of lines.

    Parameters
    ----------
    seconds
        The time from now.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self._end = seconds, time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left; negative after the deadline."""
        return self._end - time.monotonic()


class LineProcess:
    """An external program in a separate process.

    The process has its own group, so that Ctrl-C in a terminal does not reach it.  It is ended by `close`, when this
    object is garbage-collected, and at the exit of the interpreter.  To end it, its input is closed, and half a second
    later the process is killed.

    Parameters
    ----------
    words
        The program and its arguments; no shell is involved.
    farewell
        The line sent to the program before its input is closed.

    Raises
    ------
    OSError
        If the program cannot be started.

    Examples
    --------
    >>> import sys
    >>> program = LineProcess([sys.executable, "-c", "print(input().upper())"])
    >>> deadline = Deadline(60.0)
    >>> program.send("hello" + chr(10), deadline)
    >>> program.receive(deadline)
    'HELLO'
    >>> program.close()
    """

    def __init__(self, words: Sequence[str], farewell: str = "") -> None:
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=_HAS_GROUPS)
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._input = process.stdin.fileno()
        if _HAS_GROUPS:
            os.set_blocking(self._input, False)  # a program that does not read must not block this one
        self._lines: queue.Queue[str | None] = queue.Queue(_MOST_LINES)
        self._last_words: deque[str] = deque(maxlen=5)
        is_closed = threading.Event()
        readers = [
            threading.Thread(target=_read_lines, args=(process.stdout, self._lines, is_closed), daemon=True),
            threading.Thread(target=_read_last, args=(process.stderr, self._last_words), daemon=True),
        ]
        for reader in readers:
            reader.start()
        self._process = process
        self._last_reader = readers[1]
        _running.add(process)
        self._end = weakref.finalize(self, _end, process, readers, is_closed, farewell.encode())

    @property
    def is_alive(self) -> bool:
        """Whether the program is running and has not been closed."""
        return self._end.alive and self._process.poll() is None

    @property
    def has_unread(self) -> bool:
        """Whether the program has written lines that have not been received."""
        return not self._lines.empty()

    def send(self, text: str, deadline: Deadline) -> None:
        """Write a text to the program's input; errors as `receive`."""
        if self._process.stdin is None or self._process.stdin.closed:  # its descriptor may now belong to another file
            raise self._ended()
        rest = text.encode()
        while rest:
            try:
                rest = rest[os.write(self._input, rest) :]
            except BlockingIOError:
                check_interrupt()
                if deadline.left <= 0:
                    raise ProgramSilentError("it does not read its input") from None
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            except OSError as error:
                raise self._ended() from error

    def receive(self, deadline: Deadline) -> str:
        """Return the next line that is neither empty nor a comment, stripped and printable.

        Raises
        ------
        ProgramSilentError
            If no such line arrives in time, or too many others precede it.
        ProgramEndedError
            If the program has ended or has closed its output.
        """
        for _ in range(_MOST_COMMENTS):
            check_interrupt()
            line = self._next(deadline)
            if line and not line.startswith(_COMMENT):
                return line
        raise ProgramSilentError(f"no answer among its first {_MOST_COMMENTS:,} lines")

    def _next(self, deadline: Deadline) -> str:
        """Return the next line; errors as `receive`."""
        has_ended = False
        while (left := deadline.left) > 0 or self.has_unread:
            try:
                line = self._lines.get(timeout=max(0.0, min(left, _SECONDS_BETWEEN_LOOKS)))
            except queue.Empty:
                check_interrupt()
                if has_ended:  # a child process keeps its output open
                    raise self._ended() from None
                has_ended = self._process.poll() is not None
                continue
            if line is None:
                self._lines.put(None)  # for later calls
                raise self._ended()
            return line
        raise ProgramSilentError(f"no answer in {deadline.seconds:g} s")

    def _ended(self) -> ProgramEndedError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_LEAVE)
        self._last_reader.join(_SECONDS_TO_LEAVE)
        code = self._process.poll()
        how = "it has closed its output" if code is None else f"it ended with exit code {code}"
        said = f": {self._last_words[-1]}" if self._last_words else ""
        return ProgramEndedError(f"{how}{said}")

    def end_input(self) -> None:
        """Close the program's input; its remaining output can still be received."""
        _close(self._process)

    def leaves(self, text: str, deadline: Deadline) -> bool:
        """Return whether the program exits by itself in time, after a last text or (if empty) end of input."""
        if text:
            self.send(text, deadline)
        else:
            self.end_input()
        try:
            self._process.wait(deadline.left)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """End the program; a second call has no effect."""
        self._end()


def _read_lines(stream: IO[bytes], lines: "queue.Queue[str | None]", is_closed: threading.Event) -> None:
    """Put the lines of a program into a queue until its output ends, then None; long lines are truncated."""

    def hand_on(line: str | None) -> None:
        while not is_closed.is_set():
            with suppress(queue.Full):
                return lines.put(line, timeout=_SECONDS_BETWEEN_LOOKS)

    with stream, suppress(OSError, ValueError):
        while not is_closed.is_set() and (line := stream.readline(_LONGEST_LINE)):
            hand_on(printable(line.decode(errors="replace").strip()))
            while len(line) == _LONGEST_LINE and not line.endswith(b"\n") and not is_closed.is_set():
                line = stream.readline(_LONGEST_LINE)
    hand_on(None)


def _read_last(stream: IO[bytes], last: deque[str]) -> None:
    """Store the last lines that are not empty."""
    with stream, suppress(OSError, ValueError):
        while line := stream.readline(_LONGEST_LINE):
            if text := " ".join(line.decode(errors="replace").split()):
                last.append(printable(text))


def _close(process: "subprocess.Popen[bytes]") -> None:
    """Close the input of a process."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _end(
    process: "subprocess.Popen[bytes]", readers: Sequence[threading.Thread], is_closed: threading.Event, farewell: bytes
) -> None:
    """End a process and its group, first by closing its input."""
    stream = process.stdin
    assert stream is not None
    try:
        with suppress(OSError):
            if farewell and process.poll() is None and not stream.closed:
                os.write(stream.fileno(), farewell)
        _close(process)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS_TO_LEAVE)
    finally:  # after Ctrl-C, too
        _kill(process)
        process.wait()
        _running.discard(process)
        is_closed.set()
    for reader in readers:
        reader.join(_SECONDS_TO_LEAVE)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and its group at once; the group may have members left after the process has exited."""
    with suppress(OSError):
        if _HAS_GROUPS:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _kill_all() -> None:
    """End all programs at once."""
    for process in list(_running):
        _kill(process)


TIDYING.append(_kill_all)
