"""The command `train`."""

import os
import shlex
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast import TttFastError, UsageError
from ttt_fast.cli import options
from ttt_fast.cli.options import leave_interrupted
from ttt_fast.cli.parsing import output_file
from ttt_fast.cli.settings import SettingsCommand, digest_of, read_toml, with_settings
from ttt_fast.cli.signatures import of_result, of_run
from ttt_fast.core.specs import parse_count
from ttt_fast.learners import SETTINGS, setting_value

if TYPE_CHECKING:
    from ttt_fast import TrainingConfig, TrainingRun

_CURVES = (".parquet", ".jsonl", ".csv")
"""Endings of the files that a curve is written to."""
COMMAND = SettingsCommand
"""The class of the command."""

_MemoryLimit = Annotated[
    str | None,
    of_run(
        "--memory-limit BYTES",
        "stop before the run needs more memory than this, for instance 8G (default: three quarters of the available"
        " memory)",
    ),
]
_CheckpointEvery = Annotated[
    float | None,
    of_run(
        "--checkpoint-every SECONDS",
        "seconds between checkpoints (default: 5; for hash tables 30, or 20 times the saving time if longer)",
    ),
]


@with_settings
def train(
    given: dict[str, Any],
    memory_limit: _MemoryLimit = None,
    config: Annotated[Path | None, of_run("--config FILE", "settings from a TOML file")] = None,
    curve: Annotated[
        Path | None, of_result("--curve FILE", "write the learning curve (.parquet, .jsonl or .csv)", output_file)
    ] = None,
    output: Annotated[
        Path | None,
        of_result(
            "--output -o FILE",
            "file for the learned values and the checkpoints, not for the printed result (default: a file in runs/)",
        ),
    ] = None,
    resume: Annotated[Path | None, of_run("--resume FILE", "continue the interrupted run of this file")] = None,
    checkpoint_every: _CheckpointEvery = None,
    force: options.Force = False,
    form: options.Format = None,
) -> None:
    """Train a learner, print the exact value of its policy during training, and an exact scorecard at the end.

    Games without a state table (connect4, ultimate) are learned with a hash table of the visited states, and their
    scores are estimated from sampled games.  With `--algorithm dqn` a network learns on any game.  With `--algorithm
    alphazero` a network learns by self-play with search on a game with a state table.  With `--algorithm td` an
    n-tuple network learns on connect4, and a network on ultimate.

    `train --help` lists the options of every run, with the defaults of the algorithm q.  `train --algorithm NAME
    --help` lists the settings of another algorithm and its defaults.  If several conditions of a default hold, the
    last of them decides.
    """
    from ttt_fast.learners import start_training
    from ttt_fast.report.training import closing

    target = options.Target(form)
    if curve is not None and curve.suffix not in _CURVES:
        raise UsageError(f"expected a .parquet, .jsonl or .csv file for the curve, got {str(curve)!r}")
    if checkpoint_every is not None and not 0 < checkpoint_every < inf:
        wanted = "a number of seconds above 0 for --checkpoint-every"
        raise UsageError(f"expected {wanted}, got {checkpoint_every!r}")
    if output is not None:
        _check_path(output, resume, inf, force)
    settings = {**_read_config(config), **given}
    kept = settings.pop("memory_limit", None)
    asked = kept if memory_limit is None else memory_limit
    limit = None if asked is None else parse_count(asked, "a number of bytes", minimum=1)

    def check(made: "TrainingConfig") -> None:
        _check_path(output or resume or _default_path(made), resume, made.episodes, force)

    training = start_training(settings, resume=resume, on_config=check)
    if resume is not None and training.complete:
        typer.echo(
            f"{resume} contains a finished run of {training.episodes:,} episodes: no episode was added", err=True
        )
    path = output or resume or _default_path(training.config)
    finished = _run(training, path, curve, checkpoint_every, limit)
    _write_curve(finished, curve)
    if not finished.complete:
        often = () if checkpoint_every is None else ("--checkpoint-every", str(checkpoint_every))
        done = f"{finished.episodes:,} of {finished.config.episodes:,} episodes"
        leave_interrupted(_go_on_words(path, curve, *often, *_unnamed(given, finished.config)), done)
    rows, report = closing(finished, str(path))
    target.write("train", rows, _described(finished.config), lambda: report)


def _read_config(path: Path | None) -> dict[str, Any]:
    """Return the settings of a TOML file, and its memory limit, if any."""
    content = {} if path is None else read_toml(path)
    if isinstance(content.get("settings"), dict):  # a file of a sweep has them in this table
        content = {**content.pop("settings"), **content}
    if path is not None and not content:
        raise UsageError(f"{str(path)!r}: expected settings, for instance epsilon = 0.1, got none")
    source = repr(str(path))
    return {
        name: str(raw) if name == "memory_limit" else setting_value(name, raw, source) for name, raw in content.items()
    }


def _unnamed(given: dict[str, Any], config: "TrainingConfig") -> tuple[str, ...]:
    """Return the command-line words for an external opponent, which the file of a run does not contain."""
    opponent = given.get("opponent", config.opponent.text)
    return () if opponent == config.opponent.text else ("--opponent", opponent)


def _check_path(path: Path, resume: Path | None, episodes: float, force: bool) -> None:
    """Raise an error unless a run of this length may write to a file, such as the one that it resumes."""
    from ttt_fast.files import check_output

    if path.suffix != ".npz" and not path.is_char_device():  # the suffix makes an agent string a file
        raise UsageError(f"expected a .npz file for the learned values, got {str(path)!r}")
    is_resumed = resume is not None and os.path.realpath(path) == os.path.realpath(resume)
    check_output(path, episodes, force=force or is_resumed, makes_folders=True)


def _default_path(config: "TrainingConfig") -> Path:
    """Return the default file of a run; equal settings give the same name and bit-identical contents."""
    seat = _described(config)["seat"]
    game = "" if config.game.spec == SETTINGS["game"].default else f"-{_plain_name(config.game.spec)}"
    name = f"{config.algorithm}{game}-{seat}-v-{_plain_name(config.opponent.text)}"
    return Path("runs") / f"{name}-seed{config.seed}-{digest_of(config.as_dict())}.npz"


def _described(config: "TrainingConfig") -> dict[str, Any]:
    """Return the settings as in a manifest, with the learner's seat as x, o or both."""
    from ttt_fast import Seat

    return {**config.as_dict(), "seat": "both" if len(config.seats) > 1 else Seat(config.seats[0]).text}


def _plain_name(text: str) -> str:
    """Return a text as a part of a file name."""
    return "".join(symbol if symbol.isalnum() else "-" for symbol in text)[:40]


def _run(
    training: "TrainingRun",
    path: Path,
    curve: Path | None,
    checkpoint_every: float | None,
    memory_limit: int | None,
) -> "TrainingRun":
    """Train; if the memory limit is reached, write the curve and print the command that resumes the run."""
    from ttt_fast import MemoryLimitError, train as run_training
    from ttt_fast.files import make_folder
    from ttt_fast.report.progress import progress
    from ttt_fast.report.training import status_text

    make_folder(path.parent)
    config = training.config
    label = f"{config.algorithm} v {config.opponent.text}" + (
        "" if config.game.spec == SETTINGS["game"].default else f" on {config.game.spec}"
    )
    with progress(config.episodes, "episodes", label, resumed=training.episodes) as update:

        def on_chunk(episodes: int, latest: Any) -> None:
            update(episodes, status_text(training, latest))

        try:
            return run_training(
                training,
                checkpoint=path,
                checkpoint_every=checkpoint_every,
                on_chunk=on_chunk,
                episodes_at_once=config.episodes,
                memory_limit=memory_limit,
                on_interrupt="return",
            )
        except MemoryLimitError as error:
            if not error.run.values.grows and not error.run.episodes:
                raise  # nothing has begun, hence nothing is saved
            _write_curve(error.run, curve)
            again = shlex.join(_go_on_words(path, curve, "--memory-limit", _bytes_text(error.needed_bytes)))
            raise TttFastError(f"{error}; the learned values are saved; resume with `{again}`") from error


def _write_curve(training: "TrainingRun", path: Path | None) -> None:
    """Write the learning curve in the format of the file's suffix, if there is a file."""
    if path is not None:
        from ttt_fast.report.rows import encode, write_bytes

        curve = training.curve().to_dicts()
        write_bytes(encode(path.suffix[1:], "train", curve, _described(training.config)), path)


def _go_on_words(path: Path, curve: Path | None, *more: str) -> list[str]:
    """Return the words of the command that resumes a run."""
    return ["ttt-fast", "train", "--resume", str(path), *([] if curve is None else ["--curve", str(curve)]), *more]


def _bytes_text(needed: int) -> str:
    """Return the needed number of bytes in the format of --memory-limit."""
    return f"{ceil(needed / 1e9)}G" if needed >= 1e9 else f"{ceil(needed / 1e6)}M"
