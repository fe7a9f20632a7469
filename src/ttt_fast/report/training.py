"""Reports of a training run: its final rows and text, and its state during training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Seat, TrainingRun
from ttt_fast.report.console import render, si_number
from ttt_fast.report.results import RESULT_NAMES
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row
from ttt_fast.report.tables import score_report

_SPARE_OF_SWEEPS = (
    "mean_seconds iqm_value_low iqm_value_high sd_value min_value max_value median_episodes_low median_episodes_high"
)


def closing(training: TrainingRun, path: str) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of `ttt-fast train`, and the readable report.

    If the game has a table of states, there is a single exact row; otherwise there is a sampled row for each judge.

    Parameters
    ----------
    training
        The run.
    path
        The file of the run, which names the agent.
    """
    config = training.config
    if config.has_table:
        card = [row.as_row() for row in training.scorecard(path)]
        row = training_row(training, card, path)
        return [row], score_report(card) + render(_exact_lines(training, row).splitlines())
    samples = [sample._asdict() for sample in training.samples()]
    rows = sampled_rows(training, samples, path)
    seats = "both seats" if len(config.seats) > 1 else f"seat {Seat(config.seats[0]).text}"
    title = f"{config.game.spec}, greedy play in {seats}: samples (no exact result)"
    shown = render([RowTable(samples, title)]) if samples else ""
    closing_lines = f"{_episodes_line(training, rows[0])}{_sizes_line(training)}sha256 begins {rows[0]['sha256'][:16]}"
    return rows, shown + render(closing_lines.splitlines())


def training_row(training: TrainingRun, card: Sequence[Row], path: str) -> dict[str, Any]:
    """Return the row of `ttt-fast train`: the settings, the rate, and the exact strength."""
    first = {f"exact_{name}" if name in RESULT_NAMES else name: value for name, value in card[0].items()}
    return {**first, **_speed(training), **_results(training, path)}


def sampled_rows(training: TrainingRun, samples: Sequence[Row], path: str) -> list[dict[str, Any]]:
    """Return the rows of `ttt-fast train` on a game without exact results.

    There is a row for each opponent of the sampled games, with the settings and the rate of the run.  Its results are
    the sum over the seats that learn.  If no games were sampled, there is a single row without results.
    """
    trained: dict[str, Any] = {**_speed(training), **training.values.sizes(), **_results(training, path)}
    agent = {"game": training.config.game.spec, "agent": path}
    return [{**agent, **sample, **trained} for sample in samples] or [{**agent, **trained}]


def _speed(training: TrainingRun) -> dict[str, Any]:
    return {name: getattr(training, name) for name in ("episodes", "seconds", "episodes_per_second")}


def _results(training: TrainingRun, path: str) -> dict[str, Any]:
    names = ("training_wins", "training_draws", "training_losses")
    counts = dict(zip(names, training.counts.tolist(), strict=True))
    return {**counts, "sha256": training.sha256(), "file": path}


def _episodes_line(training: TrainingRun, row: Row) -> str:
    rate = si_number(training.episodes_per_second)
    return f"{training.episodes:,} episodes in {training.seconds:.2f} s ({rate} episodes/s), saved in {row['file']}\n"


def _sizes_line(training: TrainingRun) -> str:
    """Return a text about the sizes of the values; if they can grow, also their maximum during the run."""
    sizes = training.values.sizes()
    numbers = [f"{number:,} {name.replace('_', ' ')}" for name, number in sizes.items() if "bytes" not in name]
    peak = f" ({_megabytes(sizes['peak_memory_bytes'])} while the table grew)" if training.values.grows else ""
    return f"{', '.join(numbers)} in {_megabytes(sizes['memory_bytes'])}{peak}\n"


def _exact_lines(training: TrainingRun, row: Row) -> str:
    """Return the closing lines; the last line contains the distance of the policy from the optimum."""
    reached = f"exact value {row['value']:.9f} of {row['best_value']:.9f} (wins minus losses)"
    if training.config.is_self_play:
        gained = row["exploitability"]
        meaning = "what best responses gain, the mean of both seats" if gained else "no opponent can gain anything"
        verdict = f"exploitability {gained:.6g}: {meaning}; {reached} against {row['opponent']}"
    elif row["regret"] == 0.0:
        verdict = f"{reached}: no policy can do better against {row['opponent']}"
    else:
        verdict = f"{reached}: {row['regret']:.6g} below the best possible against {row['opponent']}"
    return f"{_episodes_line(training, row)}sha256 begins {row['sha256'][:16]}\n{verdict}\n"


def sweep_report(rows: Sequence[Row], runs: int, folder: Path) -> str:
    """Return the report of `ttt-fast sweep`, whose lines below the table explain its columns."""
    is_exact = any(row["best_value"] is not None for row in rows)
    title = f"{runs:,} runs in {folder}: {'exact' if is_exact else 'sampled'} final values"
    notes = [
        "value: wins minus losses of greedy play (in self-play, minus the exploitability); mean and interquartile mean"
        " (iqm) over the seeds; low, high: 95 % intervals; p value: test against the first setting, paired by seed"
    ]
    if is_exact:
        notes.append(
            "optimal seeds: those that end with the best value; median episodes: from where they keep it, if more than"
            " half of the seeds do (the others are censored)"
        )
    return render([RowTable(rows, title, spare=_SPARE_OF_SWEEPS.split()), *notes])


def status_text(training: TrainingRun, latest: NDArray[np.float64] | None) -> str:
    """Return a short text about the state of a run: its last measures and the size of a hash table.

    Parameters
    ----------
    training
        The run at its start; its hash table, if any, is the one that training updates.
    latest
        The last row of its history, if any.
    """
    config = training.config
    if config.has_table and config.is_self_play and latest is not None:
        results = 6 * max(len(config.judges.specs), 1)  # of both seats against each judge
        return f"exact: exploitability {latest[1 + results]:.6f}"
    if config.has_table:
        return "" if latest is None else f"exact: wins {latest[1]:.6f}, loses {latest[3]:.6f}"
    size = ""
    if training.values.grows:
        size = f"{si_number(len(training.hashed))} states, {_megabytes(training.hashed.memory_bytes)}"
    if latest is None or not config.judges.specs:
        return size
    last = dict(zip(training.columns, latest.tolist(), strict=True))
    names = [spec.text for spec in config.judges.specs]
    scores = [f"{last[f'wins_v_{judge}'] + last[f'draws_v_{judge}'] / 2:.2f} v {judge}" for judge in names]
    return "; ".join(["sampled: " + ", ".join(scores), *([size] if size else [])])


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f} MB"
