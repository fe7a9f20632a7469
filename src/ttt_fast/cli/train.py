"""The command `train`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast.cli import hashed_training, options
from ttt_fast.cli import training_options as setting
from ttt_fast.cli.parsing import parse_count, parse_rewards, parse_seed
from ttt_fast.cli.settings import parse_learning_seat, read_toml, setting_value
from ttt_fast.cli.training_files import (
    check_curve,
    check_interval,
    checked_table,
    leave_interrupted,
    plain_name,
    usual_table,
    write_curve,
)
from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.learn.checkpoint import Training
    from ttt_fast.policies.policy import Policy

_SEATS = {1: "x", 2: "o", 3: "both"}
_OF_GAMES = ("game", "credit", "memory_limit")
"""Settings that say what is learned on, and where, not how."""


def train(
    opponent: setting.Opponent = None,
    seat: setting.Seat = None,
    episodes: setting.Episodes = None,
    seed: setting.Seed = None,
    game: setting.Game = None,
    algorithm: setting.Algorithm = None,
    step_size: setting.StepSize = None,
    epsilon: setting.Epsilon = None,
    discount: setting.Discount = None,
    rewards: setting.Rewards = None,
    initial_q: setting.InitialQ = None,
    tie: setting.Tie = None,
    credit: setting.Credit = None,
    random_opening: setting.RandomOpening = None,
    chunk: setting.Chunk = None,
    evaluations: setting.Evaluations = None,
    judges: setting.Judges = None,
    memory_limit: setting.MemoryLimit = None,
    config: setting.Config = None,
    curve: setting.Curve = None,
    output: setting.Output = None,
    resume: setting.Resume = None,
    checkpoint_every: setting.CheckpointEvery = None,
    form: options.Format = None,
) -> None:
    """Train a tabular learner, watch its exact score, and close with an exact scorecard.

    On connect4 and ultimate both seats learn, over a hash table of the states that they meet, and scores are samples:
    no exact result is known there.
    """
    from ttt_fast.report.rows import chosen_format

    chosen = chosen_format(form, None)
    given = {
        "opponent": opponent,
        "seat": None if seat is None else parse_learning_seat(seat),
        "episodes": None if episodes is None else parse_count(episodes, "a number of episodes"),
        "seed": None if seed is None else parse_seed(seed),
        "algorithm": algorithm,
        "step_size": step_size,
        "epsilon": epsilon,
        "discount": discount,
        **({} if rewards is None else parse_rewards(rewards)),
        "initial_q": initial_q,
        "tie": tie,
        "random_opening": random_opening or None,
        "chunk_episodes": None if chunk is None else parse_count(chunk, "a number of episodes a chunk", minimum=1),
        "evaluations": None if evaluations is None else parse_count(evaluations, "a number of evaluations"),
        "judges": judges,
        "game": game,
        "credit": credit,
        "memory_limit": memory_limit,
    }
    check_curve(curve)
    check_interval(checkpoint_every)
    options.announce_compilation()
    settings = {**_read_config(config), **{name: value for name, value in given.items() if value is not None}}
    played, credited, limited = (settings.pop(name, None) for name in _OF_GAMES)
    limit = None if limited is None else parse_count(limited, "a number of bytes", minimum=1)
    if hashed_training.is_wanted(played, resume):
        hashed_training.train_and_report(
            played, credited, settings, limit, resume, output, curve, checkpoint_every, chosen
        )
        return
    for name, value in (("--credit", credited), ("--memory-limit", limited)):
        if value is not None:
            raise UsageError(f"expected {name} with connect4 or ultimate, got {value!r} with tic-tac-toe")
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
    """Return the settings of a TOML file."""
    if path is None:
        return {}
    from ttt_fast.learn.config import check_names

    content = read_toml(path)
    of_games = {name: str(content.pop(name)) for name in _OF_GAMES if name in content}
    check_names(content)
    return {**{name: setting_value(name, raw) for name, raw in content.items()}, **of_games}


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
    for name, value in settings.items():
        kept = getattr(training.config, name, None)
        if value != kept:
            raise UsageError(f"expected the settings of {str(resume)!r} ({name} {kept!r}), got {value!r}")
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
    from ttt_fast.report.console import progress

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
