"""Training over a hash table: its progress, its closing rows, and its report."""

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType

from ttt_fast.learn.hashed.checkpoint import HashedTraining, columns_of
from ttt_fast.learn.hashed.memory import Forecast, size_text
from ttt_fast.play.tally import Tally
from ttt_fast.report.console import rich_table, si_number
from ttt_fast.report.rows import Row
from ttt_fast.report.tables import render

_RESULTS = ("games", "wins", "draws", "losses", "score", "score_low", "score_high")


def status_text(run: HashedTraining) -> str:
    """Return the state of a run in a few words: the last samples, and the size of the table."""
    size = f"{si_number(len(run.table))} states, {_megabytes(run.table.memory_bytes)}"
    if not len(run.history) or not run.config.judge_names:
        return size
    last = dict(zip(columns_of(run.config), run.history[-1].tolist(), strict=True))
    scores = [
        f"{last[f'wins_v_{judge}'] + last[f'draws_v_{judge}'] / 2:.2f} v {judge}" for judge in run.config.judge_names
    ]
    return f"sampled: {', '.join(scores)}; {size}"


def forecast_text(run: HashedTraining, forecast: Forecast) -> str:
    """Return what is said of a run that will not fit its memory, before much of it is done."""
    return (
        f"{run.config.episodes:,} episodes will need about {size_text(forecast.needed_bytes)}"
        f" ({si_number(forecast.states)} states of {run.table.slot_bytes} bytes), the limit is"
        f" {size_text(forecast.limit_bytes)}: the run will stop after about {forecast.episodes_that_fit:,} of them,"
        " with a checkpoint (see --memory-limit)"
    )


def hashed_rows(run: HashedTraining, tallies: Sequence[Tally], path: str) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast train` on a game without exact results.

    A row for each opponent in a sample, over both seats, with the settings of the run and its rate;
    a single row without results if there is none.
    """
    wins, draws, losses = run.counts.tolist()
    trained: dict[str, Any] = {
        "episodes": run.episodes,
        "seconds": run.seconds,
        "episodes_per_second": run.episodes_per_second,
        "states": len(run.table),
        "memory_bytes": run.table.memory_bytes,
        "peak_memory_bytes": run.table.peak_bytes,
        "training_wins": wins,
        "training_draws": draws,
        "training_losses": losses,
        "sha256": run.sha256(),
        "file": path,
    }
    agent = {"game": run.config.game, "agent": path}
    rows = []
    for tally in tallies:
        summary = tally.summary_row()
        results = {name: summary[name] for name in _RESULTS}
        rows.append({**agent, "opponent": tally.second, **results, **trained})
    return rows or [{**agent, **trained}]


def hashed_report(run: HashedTraining, tallies: Sequence[Tally], rows: Sequence[Row]) -> str:
    """Return the report: samples with their 95 % intervals, and the size of the table."""
    items: list[RenderableType] = []
    if tallies:
        shown = [{name: row[name] for name in ("opponent", *_RESULTS)} for row in rows]
        title = f"{run.config.game}, greedy play in both seats: samples (no exact result is known for this game)"
        items.append(rich_table(shown, title))
    row, rate = rows[0], si_number(run.episodes_per_second)
    closing = (
        f"{run.episodes:,} episodes in {run.seconds:.2f} s ({rate} episodes/s), saved in {row['file']}\n"
        f"{row['states']:,} states in {_megabytes(row['memory_bytes'])}"
        f" ({_megabytes(row['peak_memory_bytes'])} while the table grew)\n"
        f"table sha256 {row['sha256'][:16]}…\n"
    )
    return render(items) + closing


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f} MB"
