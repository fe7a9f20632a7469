"""The command `train`."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.interrupted import leave_interrupted
from ttt_fast.cli.parsing import parse_count
from ttt_fast.cli.settings import read_toml, setting_value, with_settings
from ttt_fast.cli.training_files import (
    check_curve,
    check_interval,
    check_resumed,
    checked_table,
    go_on_words,
    plain_name,
    usual_table,
    with_memory,
    write_curve,
)
from ttt_fast.core.errors import TttFastError
from ttt_fast.learn.settings import SEAT_NAMES

if TYPE_CHECKING:
    from ttt_fast.learn.checkpoint import Training
    from ttt_fast.learn.config import TrainingConfig
    from ttt_fast.policies.policy import Policy


@with_settings
def train(
    given: dict[str, Any],
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit",
            metavar="BYTES",
            help="stop before more is needed, 8G for instance (default: three quarters of the available memory)",
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option("--config", metavar="FILE", help="settings from a TOML file")] = None,
    curve: Annotated[
        Path | None, typer.Option("--curve", metavar="FILE", help="write the learning curve (.parquet, .jsonl or .csv)")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="table and checkpoint (default: in runs/)")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="go on with an interrupted run")
    ] = None,
    checkpoint_every: Annotated[
        float | None,
        typer.Option(
            "--checkpoint-every",
            metavar="SECONDS",
            help="from checkpoint to checkpoint (default: 5; of hash tables 30, or 20 times as long as saving takes)",
        ),
    ] = None,
    form: options.Format = None,
) -> None:
    """Train a learner, watch its exact score, and close with an exact scorecard.

    Games without a table of states (connect4, ultimate) are learned over a hash table of the states that are met, and
    scores are samples.
    """
    from ttt_fast.report.rows import chosen_format

    chosen = chosen_format(form, None)
    check_curve(curve)
    check_interval(checkpoint_every)
    options.announce_compilation()
    settings = {**_read_config(config), **given}
    asked = memory_limit if memory_limit is not None else settings.get("memory_limit")
    settings.pop("memory_limit", None)
    limit = None if asked is None else parse_count(asked, "a number of bytes", minimum=1)
    training, rivals = _prepare(settings, resume)
    path = checked_table(output or resume or _default_path(training.config))
    finished = _run(training, rivals, path, curve, checkpoint_every, limit)
    if curve is not None:
        write_curve(finished.curve(), finished.config.as_dict(), curve)
    if not finished.is_complete:
        often = () if checkpoint_every is None else ("--checkpoint-every", str(checkpoint_every))
        done = f"{finished.episodes:,} of {finished.config.episodes:,} episodes"
        leave_interrupted(go_on_words(path, curve, *often), done)
    _report(finished, rivals, path, chosen)


def _read_config(path: Path | None) -> dict[str, Any]:
    """Return the settings of a TOML file, and the limit of memory if it has one."""
    content = {} if path is None else read_toml(path)
    limit = {name: str(content.pop(name)) for name in ("memory_limit",) if name in content}
    return {**{name: setting_value(name, raw) for name, raw in content.items()}, **limit}


def _prepare(settings: dict[str, Any], resume: Path | None) -> "tuple[Training, list[Policy]]":
    """Return the run to go on with, and the opponents' policies."""
    from ttt_fast.learn.checkpoint import load_training
    from ttt_fast.learn.config import config_from
    from ttt_fast.learn.opponents import check_unchanged, opponents_of
    from ttt_fast.learn.training import start_training

    if resume is None:
        config = config_from(settings)
        return start_training(config), opponents_of(config)
    training = load_training(resume)
    check_resumed(resume, settings, training.config)
    rivals = opponents_of(training.config)
    check_unchanged(training.opponents_sha256, rivals, repr(str(resume)))
    return training, rivals


def _default_path(config: "TrainingConfig") -> Path:
    """Return the file of a run that was given no name."""
    seat = "both" if config.is_self_play else SEAT_NAMES[config.seat]
    game = "" if config.game == type(config).game else f"-{plain_name(config.game)}"
    return usual_table(
        f"{config.algorithm}{game}-{seat}-v-{plain_name(config.opponent)}", config.seed, config.as_dict()
    )


def _run(
    training: "Training",
    rivals: "list[Policy]",
    path: Path,
    curve: Path | None,
    checkpoint_every: float | None,
    memory_limit: int | None,
) -> "Training":
    """Train; where the memory ends, write the curve, and say how to go on."""
    from ttt_fast.core.archive import make_folder
    from ttt_fast.learn.memory import Forecast, MemoryLimitError
    from ttt_fast.learn.training import train as run_training
    from ttt_fast.report.progress import progress
    from ttt_fast.report.training import forecast_text, status_text

    make_folder(path.parent)
    config = training.config
    label = f"{config.algorithm} v {config.opponent}" + (
        "" if config.game == type(config).game else f" on {config.game}"
    )
    with progress(config.episodes, "episodes", label, resumed=training.episodes) as update:

        def on_chunk(episodes: int, latest: Any) -> None:
            update(episodes, status_text(training, latest))

        def on_forecast(forecast: Forecast) -> None:
            typer.echo(forecast_text(training, forecast), err=True)

        try:
            return run_training(
                training, rivals, checkpoint=path, checkpoint_every=checkpoint_every, on_chunk=on_chunk,
                memory_limit=memory_limit, on_forecast=on_forecast,
            )  # fmt: skip
        except MemoryLimitError as error:
            if curve is not None:
                write_curve(error.run.curve(), config.as_dict(), curve)
            again = shlex.join(go_on_words(path, curve, *with_memory(error.forecast.needed_bytes)))
            raise TttFastError(f"{error}; what was learned is kept; go on with `{again}`") from error


def _report(training: "Training", rivals: "list[Policy]", path: Path, form: str) -> None:
    from ttt_fast.report.rows import write_rows
    from ttt_fast.report.training import Closing

    closing = Closing(training, rivals, str(path))
    write_rows(form, None, "train", closing.rows, training.config.as_dict(), closing.report)
