"""Programs that are talked to in lines: what they say, how they end, and what cannot stop or fill us."""

import os
import sys
import time
from pathlib import Path

import pytest

from conftest import PATIENCE
from ttt_fast.running import line_process
from ttt_fast.running.line_process import Deadline, LineProcess, ProgramEndedError, ProgramSilentError


@pytest.fixture
def program():
    """Starts a program in Python, which is ended with the test."""
    started = []

    def start(source):
        started.append(LineProcess([sys.executable, "-c", source]))
        return started[-1]

    yield start
    for one in started:
        one.close()
        one.close()  # nothing happens
    assert not line_process._running


def received(program):
    return program.receive(Deadline(PATIENCE))


def test_lines_go_to_and_fro(program):
    echo = program("import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)")
    deadline = Deadline(PATIENCE)
    echo.send("one\ntwo\n", deadline)
    assert [received(echo), received(echo)] == ["ONE", "TWO"] and not echo.has_unread
    assert echo.is_alive and echo.leaves("", deadline) and not echo.is_alive
    with pytest.raises(ProgramEndedError, match=r"^it ended with exit code 0$"):
        echo.send("three\n", deadline)


def test_its_last_words_are_told(program):
    broken = program("import sys; print('one', file=sys.stderr); print('two\\n', file=sys.stderr); sys.exit(7)")
    for _ in range(2):
        with pytest.raises(ProgramEndedError, match=r"^it ended with exit code 7: two$"):
            received(broken)


def test_an_output_that_is_closed_is_an_end(program):
    with pytest.raises(ProgramEndedError, match="it has closed its output"):
        received(program("import os, time; os.close(1); time.sleep(1000)"))


def test_silence_has_an_end(program):
    silent = program("import time; time.sleep(1000)")
    with pytest.raises(ProgramSilentError, match=r"no answer in 0\.05 s"):
        silent.receive(Deadline(0.05))
    with pytest.raises(ProgramSilentError, match="does not read its input"):
        silent.send("x" * 10_000_000, Deadline(0.05))
    assert not silent.leaves("", Deadline(0.05))


def test_a_deadline_is_not_moved_by_comments(program):
    slow = program("import time\nwhile True: time.sleep(0.02); print('# still here', flush=True)")
    with pytest.raises(ProgramSilentError, match=r"^no answer in 0\.3 s$"):
        slow.receive(Deadline(0.3))


def test_no_program_fills_the_memory(program):
    flood = program("while True: print('x' * 100_000)")
    for _ in range(5):
        assert len(received(flood)) == 4096
    assert flood._lines.maxsize == 1000
    with pytest.raises(ProgramSilentError, match=r"^no answer among its first 10,000 lines$"):
        received(program("import os\nwhile True: os.write(1, bytes([10]) * 4096)"))


def test_nothing_is_lost_of_many_lines_and_the_rest_of_a_long_one_is(program):
    many = program("for number in range(3000): print('#' * 9000, number, sep=chr(10))")
    assert [received(many) for _ in range(3000)] == list(map(str, range(3000)))


def test_what_a_program_says_is_printable(program):
    strange = program("import os, sys; os.write(1, bytes([255, 27, 7, 10])); sys.exit('why' + chr(27) + chr(155))")
    assert received(strange) == "\ufffd" + r"\x1b\x07"
    with pytest.raises(ProgramEndedError, match=r"exit code 1: why\\x1b\\x9b$"):
        received(strange)


STATES = Path("/proc")
FORKING = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print(child.pid, flush=True)
sys.exit(input())
"""


@pytest.mark.skipif(not line_process._HAS_GROUPS, reason="there are no groups of processes")
def test_a_child_that_a_program_leaves_behind_is_ended(program):
    """The child holds the output open, too."""
    forking = program(FORKING)
    child = int(received(forking))
    forking.send("5\n", Deadline(PATIENCE))
    with pytest.raises(ProgramEndedError, match=r"^it ended with exit code 1: 5$"):
        received(forking)
    os.kill(child, 0)  # is there
    forking.close()
    assert has_ended(child)


def has_ended(process_id):
    """Whether a process is gone, or only waits for the first process to take note."""
    deadline = Deadline(PATIENCE)
    while deadline.left > 0:
        try:
            os.kill(process_id, 0)
            if STATES.exists() and (STATES / f"{process_id}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False
