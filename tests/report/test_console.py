"""Boards, numbers and progress as a person sees them."""

import io
import time
from contextlib import contextmanager

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from rich.progress import Task, TaskID
from rich.table import Column

from cli_runner import run
from conftest import PATIENCE
from ttt_fast.report import progress as progress_module
from ttt_fast.report.console import si_number
from ttt_fast.report.row_table import RowTable


@given(st.floats(1, 9e17))
def test_si_numbers_have_three_digits_and_are_near(value):
    text = si_number(value)
    digits, _, prefix = text.partition(" ")
    scale = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}[prefix]
    assert float(digits) * scale == pytest.approx(value, rel=0.006)
    assert len(digits.replace(".", "")) == 3


def test_text_that_looks_like_markup_is_shown_as_it_is():
    stream = io.StringIO()
    Console(file=stream, width=100).print(RowTable([{"x": "[red]file[/red].npz"}]))
    assert "[red]file[/red].npz" in stream.getvalue()


def test_progress_is_silent_without_a_terminal(capsys):
    with progress_module.progress(100, "games", "a v b") as update:
        update(50)
        update(100, "done")
    assert capsys.readouterr() == ("", "")


def test_a_rate_before_any_time_has_passed_is_none():
    column = progress_module._RateColumn("games", Column())
    for now, rate in ((0.0, "0.00"), (2.0, "50.0")):
        task = Task(TaskID(0), "a v b", 1000, 300, fields={"resumed": 200}, _get_time=lambda now=now: now)
        task.start_time = 0.0
        assert column.render(task).plain == f"{rate} games/s"


def test_the_line_of_other_work_goes_when_new_work_begins(monkeypatch):
    told = []

    @contextmanager
    def recorded(total, unit, label):
        told.append(("begins", label, total, unit))
        yield lambda done: told.append((label, done))
        told.append(("goes", label))

    monkeypatch.setattr(progress_module, "progress", recorded)
    bars = progress_module.WorkBars()
    for words in (("table", 1, 9, "states"), ("table", 2, 9, "states"), ("search", 5, None, "nodes")):
        bars(*words)
    assert told == [
        ("begins", "table", 9, "states"), ("table", 1), ("table", 2), ("goes", "table"),
        ("begins", "search", None, "nodes"), ("search", 5),
    ]  # fmt: skip
    bars.close()
    bars("table", 9, 9, "states")  # done at once
    bars.close()
    assert told[6:] == [("goes", "search"), ("begins", "table", 9, "states"), ("table", 9), ("goes", "table")]


def test_progress_on_a_terminal_shows_label_rate_and_status(monkeypatch):
    stream = io.StringIO()
    terminal = Console(file=stream, force_terminal=True, width=120)
    monkeypatch.setattr(progress_module, "message_console", lambda: terminal)
    with progress_module.progress(1000, "games", "a v b", resumed=200) as update:
        for done in range(300, 1001, 100):
            update(done, "so far so good")
    shown = stream.getvalue()
    for word in ("a v b", "games/s", "so far so good", "100%"):
        assert word in shown


def test_progress_without_a_total_shows_the_number_and_the_time(monkeypatch):
    stream = io.StringIO()
    terminal = Console(file=stream, force_terminal=True, width=120)
    monkeypatch.setattr(progress_module, "message_console", lambda: terminal)
    with progress_module.progress(None, "nodes", "4453") as update:
        update(1234, "depth 3")
    shown = stream.getvalue()
    for word in ("4453", "1.23 k nodes, ", "nodes/s", "0:00:0", "depth 3"):
        assert word in shown
    assert "%" not in shown


def test_the_label_of_an_open_bar_gives_way_to_a_text(monkeypatch):
    terminal = Console(file=io.StringIO(), force_terminal=True, width=120)
    monkeypatch.setattr(progress_module, "message_console", lambda: terminal)
    assert not progress_module.relabel_bar("compiling")
    with progress_module.progress(10, "games", "a v b"):
        assert progress_module.relabel_bar("compiling 1 of 2 kernels")
        deadline = time.monotonic() + PATIENCE
        while "compiling 1 of 2 kernels" not in terminal.file.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert progress_module.relabel_bar("")
    assert not progress_module.relabel_bar("") and "a v b" in terminal.file.getvalue().rpartition("kernels")[2]


@pytest.mark.parametrize("words", [["agents"], ["agents", "alphabeta"], ["states"], ["exact", "random", "minimax"]])
def test_in_a_pipe_lines_have_at_most_100_characters(monkeypatch, words):
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = run(*words).text.splitlines()
    assert max(map(len, lines)) <= 100 and len(lines) < 40
