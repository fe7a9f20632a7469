"""A program that is talked to in lines: its standard input and output, limits of time, and its certain end."""

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

from ttt_fast.core.errors import TttFastError
from ttt_fast.running.interrupts import check_interrupt

_LONGEST_LINE = 4096  # bytes: what is longer is cut, so that a program cannot fill the memory
_MOST_LINES = 1000  # that nobody has read yet: then its output is not read any more
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_LEAVE = 0.5
_HAS_GROUPS = os.name == "posix"


class ProgramEndedError(TttFastError):
    """A program that is not there any more; the message has its exit code and its last words."""


class ProgramSilentError(TttFastError):
    """A program that did not answer in time."""


class LineProcess:
    """A program in a process of its own.

    It has its own group, so that Ctrl-C in a terminal does not reach it.  It is ended by `close`, when nothing refers
    to this object any more, and at the interpreter's exit: its input is closed, and half a second later it is killed.

    Parameters
    ----------
    words
        The program and its arguments; no shell reads them.
    farewell
        The line that it is sent before its input is closed.

    Raises
    ------
    OSError
        If it cannot be started.

    Examples
    --------
    >>> import sys
    >>> program = LineProcess([sys.executable, "-c", "print(input().upper())"])
    >>> program.send("hello" + chr(10))
    >>> program.receive(60.0)
    'HELLO'
    >>> program.close()
    """

    def __init__(self, words: Sequence[str], farewell: str = "") -> None:
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=_HAS_GROUPS)
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._input = process.stdin.fileno()
        if _HAS_GROUPS:
            os.set_blocking(self._input, False)  # a program that does not read must not stop us
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._last_words: deque[str] = deque(maxlen=5)
        readers = [
            threading.Thread(target=_read_lines, args=(process.stdout, self._lines), daemon=True),
            threading.Thread(target=_read_last, args=(process.stderr, self._last_words), daemon=True),
        ]
        for reader in readers:
            reader.start()
        self._process = process
        self._last_reader = readers[1]
        self._end = weakref.finalize(self, _end, process, readers, farewell.encode())

    @property
    def is_alive(self) -> bool:
        """Whether it has not been closed, and runs."""
        return self._end.alive and self._process.poll() is None

    @property
    def has_unread(self) -> bool:
        """Whether it has said something that nobody has received."""
        return not self._lines.empty()

    def send(self, text: str, seconds: float = 10.0) -> None:
        """Write a text to its input; errors as `receive`."""
        if self._process.stdin is None or self._process.stdin.closed:  # its number may be that of another file now
            raise self._ended()
        rest, deadline = text.encode(), time.monotonic() + seconds
        while rest:
            try:
                rest = rest[os.write(self._input, rest) :]
            except BlockingIOError:
                check_interrupt()
                if time.monotonic() > deadline:
                    raise ProgramSilentError("it does not read its input") from None
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            except OSError as error:
                raise self._ended() from error

    def receive(self, seconds: float) -> str:
        """Return its next line, without what ends it.

        Raises
        ------
        ProgramSilentError
            If none comes in time.
        ProgramEndedError
            If it has ended, or closed its output.
        """
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            try:
                line = self._lines.get(timeout=max(0.0, min(left, _SECONDS_BETWEEN_LOOKS)))
            except queue.Empty:
                check_interrupt()
                if left <= 0:
                    raise ProgramSilentError(f"no answer in {seconds:g} s") from None
                continue
            if line is None:
                self._lines.put(None)  # for whoever asks again
                raise self._ended()
            return line

    def _ended(self) -> ProgramEndedError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_LEAVE)
        self._last_reader.join(_SECONDS_TO_LEAVE)
        code = self._process.poll()
        how = "it has closed its output" if code is None else f"it ended with exit code {code}"
        said = f": {self._last_words[-1]}" if self._last_words else ""
        return ProgramEndedError(f"{how}{said}")

    def end_input(self) -> None:
        """End its input: what it still says can be received."""
        _close(self._process)

    def leaves(self, text: str, seconds: float) -> bool:
        """Return whether it ends by itself in time, after a last text; after the end of its input if that is empty."""
        if text:
            self.send(text, seconds)
        else:
            self.end_input()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """End the program; nothing happens the second time."""
        self._end()


def _read_lines(stream: IO[bytes], lines: "queue.Queue[str | None]") -> None:
    """Hand on the lines of a program until its output ends, then None."""
    with stream, suppress(OSError, ValueError):
        while lines.qsize() < _MOST_LINES and (line := stream.readline(_LONGEST_LINE)):
            lines.put(line.decode(errors="replace").rstrip("\r\n"))
    lines.put(None)


def _read_last(stream: IO[bytes], last: deque[str]) -> None:
    """Keep the last lines that say something."""
    with stream, suppress(OSError, ValueError):
        while line := stream.readline(_LONGEST_LINE):
            if text := " ".join(line.decode(errors="replace").split()):
                last.append(text)


def _close(process: "subprocess.Popen[bytes]") -> None:
    """End the input of a process."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()


def _end(process: "subprocess.Popen[bytes]", readers: Sequence[threading.Thread], farewell: bytes) -> None:
    """End a process and its group: kindly at first."""
    stream = process.stdin
    assert stream is not None
    with suppress(OSError):
        if farewell and process.poll() is None and not stream.closed:
            os.write(stream.fileno(), farewell)
    _close(process)
    try:
        process.wait(_SECONDS_TO_LEAVE)
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            if _HAS_GROUPS:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
    for reader in readers:
        reader.join(_SECONDS_TO_LEAVE)
