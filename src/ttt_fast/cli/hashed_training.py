"""The part of `train` that learns on games too large to enumerate, over a hash table of states."""

import shlex
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ttt_fast.cli.training_files import (
    check_resumed,
    checked_table,
    leave_interrupted,
    plain_name,
    usual_table,
    write_curve,
)
from ttt_fast.core.errors import TttFastError

if TYPE_CHECKING:
    from ttt_fast.learn.hashed.checkpoint import HashedTraining


def is_wanted(game: str | None, resume: Path | None) -> bool:
    """Return whether a game, or without one a file to resume, is of this kind."""
    from ttt_fast.games.registry import parse_game
    from ttt_fast.tables import has_table

    if game is not None:
        return not has_table(parse_game(game))
    if resume is None:
        return False
    from ttt_fast.learn.hashed.checkpoint import is_hashed_file

    return is_hashed_file(resume)


def train_and_report(
    settings: Mapping[str, Any],
    memory_limit: int | None,
    resume: Path | None,
    output: Path | None,
    curve: Path | None,
    checkpoint_every: float | None,
    form: str,
) -> None:
    """Train, watch sampled scores, and close with larger samples."""
    from ttt_fast.learn.hashed.memory import MemoryLimitError
    from ttt_fast.learn.hashed.strength import check_judges

    run = _prepared(settings, resume)
    config = run.config
    check_judges(config)
    name = f"{config.algorithm}-{plain_name(config.game)}"
    path = checked_table(output or resume or usual_table(name, config.seed, config.as_dict()))
    stopped: MemoryLimitError | None = None
    try:
        run = _trained(run, path, checkpoint_every, memory_limit)
    except MemoryLimitError as error:
        run, stopped = error.run, error
    if curve is not None:
        write_curve(run.curve(), config.as_dict(), curve)
    if stopped is not None:
        raise TttFastError(f"{stopped}; {_how_to_go_on(path, curve, stopped.forecast.needed_bytes)}") from stopped
    if not run.is_complete:
        leave_interrupted(run.episodes, config.episodes, path, curve, checkpoint_every)
    _report(run, path, form)


def _prepared(settings: Mapping[str, Any], resume: Path | None) -> "HashedTraining":
    """Return the run to go on with."""
    from ttt_fast.learn.config import config_from
    from ttt_fast.learn.hashed.checkpoint import load_hashed_training, start_hashed_training

    if resume is None:
        return start_hashed_training(config_from(settings))
    run = load_hashed_training(resume)
    check_resumed(resume, settings, run.config)
    return run


def _how_to_go_on(path: Path, curve: Path | None, needed: int) -> str:
    """Return the command that goes on with a run where there is as much memory as it needs."""
    more = f"{ceil(needed / 1e9)}G" if needed >= 1e9 else f"{ceil(needed / 1e6)}M"
    words = ["--resume", str(path), "--memory-limit", more, *([] if curve is None else ["--curve", str(curve)])]
    return f"what was learned is kept; go on with `ttt-fast train {shlex.join(words)}`"


def _trained(
    run: "HashedTraining", path: Path, checkpoint_every: float | None, memory_limit: int | None
) -> "HashedTraining":
    from ttt_fast.core.archive import make_folder
    from ttt_fast.learn.hashed.memory import Forecast
    from ttt_fast.learn.hashed.training import MIN_SECONDS_BETWEEN_CHECKPOINTS, train_hashed
    from ttt_fast.report.hashed_training import forecast_text, status_text
    from ttt_fast.report.progress import progress

    make_folder(path.parent)
    training = run.config
    label = f"{training.algorithm} on {run.config.game}"
    with progress(training.episodes, "episodes", label, resumed=run.episodes) as update:

        def on_chunk(latest: "HashedTraining") -> None:
            update(latest.episodes, status_text(latest))

        def on_forecast(forecast: Forecast) -> None:
            typer.echo(forecast_text(run, forecast), err=True)

        every = MIN_SECONDS_BETWEEN_CHECKPOINTS if checkpoint_every is None else checkpoint_every
        return train_hashed(
            run, checkpoint=path, checkpoint_every=every, on_chunk=on_chunk, memory_limit=memory_limit,
            on_forecast=on_forecast,
        )  # fmt: skip


def _report(run: "HashedTraining", path: Path, form: str) -> None:
    from ttt_fast.learn.hashed.strength import sampled_strength
    from ttt_fast.report.hashed_training import hashed_report, hashed_rows
    from ttt_fast.report.rows import write_rows

    tallies = [sampled_strength(run, judge) for judge in run.config.judge_names]
    rows = hashed_rows(run, tallies, str(path))
    write_rows(form, None, "train", rows, run.config.as_dict(), lambda: hashed_report(run, tallies, rows))
