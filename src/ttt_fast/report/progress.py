"""A progress line with the rate and the remaining time, on standard error."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Protocol

from rich import progress as bars
from rich.table import Column
from rich.text import Text

from ttt_fast.report import live_lines
from ttt_fast.report.console import message_console, si_number

_relabel: list[Callable[[str], None]] = []
_WITH_BAR = 100
"""Minimum width of a line with a bar; in a narrower line the numbers need the space."""


class ProgressCallback(Protocol):
    """A callback that receives the amount of work done and a short text about its state."""

    def __call__(self, done: int, status: str = "") -> None:
        """Show the new state."""


class _RateColumn(bars.ProgressColumn):
    """Shows units per second over the whole run, and their number if there is no bar."""

    def __init__(self, unit: str, column: Column) -> None:
        super().__init__(table_column=column)
        self.unit = unit

    def render(self, task: bars.Task) -> Text:
        """Return the rate as text."""
        elapsed = task.elapsed or 0.0
        done = task.completed - task.fields.get("resumed", 0)
        rate = done / elapsed if elapsed > 0 else 0.0
        count = f"{si_number(done)} {self.unit}, " if task.total is None else ""
        return Text(f"{count}{si_number(rate)} {self.unit}/s", style="magenta")


@contextmanager
def progress(total: int | None, unit: str, label: str, resumed: int = 0) -> Iterator[ProgressCallback]:
    """Show a bar with rate and remaining time on standard error; silent if this is not a terminal.

    If the total is unknown (None), the bar pulses, and the elapsed time replaces the remaining time.  The callback may
    be called at any rate: the bar is redrawn five times a second.
    """
    console = message_console()
    if not console.is_terminal:
        yield lambda done, status="": None
        return
    if _relabel:  # two live lines would overwrite each other

        def update(done: int, status: str = "") -> None:
            relabel_bar(f"{label}: {si_number(done)} {unit}")

        try:
            yield update
        finally:
            relabel_bar("")
        return
    line = Column(no_wrap=True)
    columns = [
        bars.TextColumn("[bold]{task.description}", table_column=line),
        *([bars.BarColumn(bar_width=16)] if console.width >= _WITH_BAR else []),
        bars.TaskProgressColumn(table_column=line),
        _RateColumn(unit, line),
        (bars.TimeElapsedColumn if total is None else partial(bars.TimeRemainingColumn, compact=True))(
            table_column=line
        ),
        bars.TextColumn("[cyan]{task.fields[status]}", table_column=Column(no_wrap=True, overflow="crop")),
    ]
    bar = bars.Progress(*columns, console=console, transient=True, refresh_per_second=5, redirect_stdout=False)
    task = bar.add_task(label, total=total, completed=resumed, resumed=resumed, status="")
    _relabel.append(lambda text: bar.update(task, description=text or label))
    try:
        with bar:
            yield lambda done, status="": bar.update(task, completed=done, status=status)
    finally:
        _relabel.pop()  # only now: until its line is erased, other texts go into the bar


def relabel_bar(text: str) -> bool:
    """Show a text in place of the label of the open bar, or its own label again; return whether a bar is open."""
    for relabel in _relabel[-1:]:
        relabel(text)
    return bool(_relabel)


class WorkBars:
    """Shows the work reported through `running.progress.report_progress`, one line at a time."""

    def __init__(self) -> None:
        self._bars: dict[str, tuple[ExitStack, ProgressCallback]] = {}

    def __call__(self, work: str, done: int, total: int | None, unit: str) -> None:
        """Show the progress of some work; its line is removed at the end, or when other work begins."""
        if work not in self._bars:
            self.close()
            stack = ExitStack()
            self._bars[work] = stack, stack.enter_context(progress(total, unit, work))
        self._bars[work][1](done)
        if done == total:
            self.close()

    def close(self) -> None:
        """Remove the line."""
        while self._bars:
            self._bars.popitem()[1][0].close()


work_bars = WorkBars()
"""The line of this process."""
live_lines.append(work_bars.close)
