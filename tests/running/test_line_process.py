"""Programs that are talked to in lines: what they say, how they end, and what cannot stop or fill us."""

import sys

import pytest

from conftest import PATIENCE
from ttt_fast.running.line_process import LineProcess, ProgramEndedError, ProgramSilentError


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


def test_lines_go_to_and_fro(program):
    echo = program("import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)")
    echo.send("one\ntwo\n")
    assert [echo.receive(PATIENCE), echo.receive(PATIENCE)] == ["ONE", "TWO"] and not echo.has_unread
    assert echo.is_alive and echo.leaves("", PATIENCE) and not echo.is_alive
    with pytest.raises(ProgramEndedError, match=r"^it ended with exit code 0$"):
        echo.send("three\n")


def test_its_last_words_are_told(program):
    broken = program("import sys; print('one', file=sys.stderr); print('two\\n', file=sys.stderr); sys.exit(7)")
    for _ in range(2):
        with pytest.raises(ProgramEndedError, match=r"^it ended with exit code 7: two$"):
            broken.receive(PATIENCE)


def test_an_output_that_is_closed_is_an_end(program):
    with pytest.raises(ProgramEndedError, match="it has closed its output"):
        program("import os, time; os.close(1); time.sleep(1000)").receive(PATIENCE)


def test_silence_has_an_end(program):
    silent = program("import time; time.sleep(1000)")
    with pytest.raises(ProgramSilentError, match=r"no answer in 0\.05 s"):
        silent.receive(0.05)
    with pytest.raises(ProgramSilentError, match="does not read its input"):
        silent.send("x" * 10_000_000, 0.05)
    assert not silent.leaves("", 0.05)


def test_no_program_fills_the_memory(program):
    flood = program("while True: print('x' * 100_000)")
    assert len(flood.receive(PATIENCE)) == 4096
    for _ in range(500):
        flood.receive(PATIENCE)
    assert flood._lines.qsize() <= 1001


def test_bytes_that_are_no_text_are_replaced(program):
    assert program("import os; os.write(1, bytes([255, 10]))").receive(PATIENCE) == "\ufffd"
