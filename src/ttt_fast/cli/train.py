"""The command `train`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli import hashed_training, options
from ttt_fast.cli.parsing import parse_count
from ttt_fast.cli.settings import read_toml, setting_value, with_settings
from ttt_fast.cli.training_files import (
    check_curve,
    check_interval,
    check_resumed,
    checked_table,
    leave_interrupted,
    plain_name,
    usual_table,
    write_curve,
)
from ttt_fast.core.errors import UsageError
from ttt_fast.learn.settings import SEATS

if TYPE_CHECKING:
    from ttt_fast.learn.checkpoint import Training
    from ttt_fast.policies.policy import Policy

_SEATS = {code: name for name, code in SEATS.items()}


@with_settings
def train(
    given: dict[str, Any],
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit",
            metavar="BYTES",
            help="of hash tables: stop in time, 8G for instance (default: three quarters of the available memory)",
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
    """Train a tabular learner, watch its exact score, and close with an exact scorecard.

    On games without a table of states (connect4, ultimate) values are kept in a hash table of the states that are met,
    and scores are samples.
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
    if hashed_training.is_wanted(settings.get("game"), resume):
        hashed_training.train_and_report(settings, limit, resume, output, curve, checkpoint_every, chosen)
        return
    if limit is not None:
        raise UsageError(f"expected --memory-limit with connect4 or ultimate, got {asked!r} with tic-tac-toe")
    _train_and_report(settings, resume, output, curve, checkpoint_every, chosen)


def _train_and_report(
    settings: dict[str, Any],
    resume: Path | None,
    output: Path | None,
    curve: Path | None,
    checkpoint_every: float | None,
    form: str,
) -> None:
    """Train on tic-tac-toe and report."""
    training, rivals = _prepare(settings, resume)
    path = checked_table(output or resume or _default_path(training))
    finished = _run(training, rivals, path, checkpoint_every)
    if curve is not None:
        write_curve(finished.curve(), finished.config.as_dict(), curve)
    if not finished.is_complete:
        leave_interrupted(finished.episodes, finished.config.episodes, path, curve, checkpoint_every)
    _report(finished, rivals, path, form)


def _read_config(path: Path | None) -> dict[str, Any]:
    """Return the settings of a TOML file, and the limit of memory if it has one."""
    content = {} if path is None else read_toml(path)
    limit = {name: str(content.pop(name)) for name in ("memory_limit",) if name in content}
    return {**{name: setting_value(name, raw) for name, raw in content.items()}, **limit}


def _prepare(settings: dict[str, Any], resume: Path | None) -> "tuple[Training, list[Policy]]":
    """Return the run to go on with, and the opponents' policies."""
    from ttt_fast.learn.checkpoint import check_opponents, load_training
    from ttt_fast.learn.config import config_from
    from ttt_fast.learn.opponents import opponents_of
    from ttt_fast.learn.training import start_training

    if resume is None:
        config = config_from(settings)
        return start_training(config), opponents_of(config)
    training = load_training(resume)
    check_resumed(resume, settings, training.config)
    rivals = opponents_of(training.config)
    check_opponents(resume, rivals)
    return training, rivals


def _default_path(training: "Training") -> Path:
    """Return the file of a run that was given no name."""
    config = training.config
    seat = "both" if config.is_self_play else _SEATS[config.seat]
    name = f"{config.algorithm}-{seat}-v-{plain_name(config.opponent)}"
    return usual_table(name, config.seed, config.as_dict())


def _run(training: "Training", rivals: "list[Policy]", path: Path, checkpoint_every: float | None) -> "Training":
    from ttt_fast.core.archive import make_folder
    from ttt_fast.learn.training import SECONDS_BETWEEN_CHECKPOINTS
    from ttt_fast.learn.training import train as run_training
    from ttt_fast.report.progress import progress

    make_folder(path.parent)
    config = training.config
    label = f"{config.algorithm} v {config.opponent}"
    with progress(config.episodes, "episodes", label, resumed=training.episodes) as update:

        def on_chunk(episodes: int, latest: Any) -> None:
            update(episodes, "" if latest is None else f"exact: wins {latest[1]:.6f}, loses {latest[3]:.6f}")

        every = SECONDS_BETWEEN_CHECKPOINTS if checkpoint_every is None else checkpoint_every
        return run_training(training, rivals, checkpoint=path, checkpoint_every=every, on_chunk=on_chunk)


def _report(training: "Training", rivals: "list[Policy]", path: Path, form: str) -> None:
    from ttt_fast.report import rows, tables
    from ttt_fast.report.training import scorecard_of, training_row

    card = scorecard_of(training, rivals, str(path))
    row = training_row(training, card, str(path))
    rows.write_rows(
        form, None, "train", [row], training.config.as_dict(), lambda: tables.training_report(training, card, row)
    )
