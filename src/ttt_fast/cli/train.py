"""The command `train`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_count, parse_rewards, parse_seat, parse_seed
from ttt_fast.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.learn.checkpoint import Training
    from ttt_fast.policies.policy import Policy

_SEATS = {1: "x", 2: "o"}


def train(
    opponent: Annotated[
        str | None, typer.Option("--opponent", metavar="AGENT", help="whom to learn against (default: random)")
    ] = None,
    seat: Annotated[str | None, typer.Option("--seat", help="the learner's seat, x or o (default: x)")] = None,
    episodes: Annotated[
        str | None, typer.Option("--episodes", "-n", metavar="N", help="number of episodes (default: 100M)")
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="N", help="seed (default: 0)")] = None,
    step_size: Annotated[float | None, typer.Option(help="alpha at the start (default: 0.5)")] = None,
    final_step_size: Annotated[float | None, typer.Option(help="alpha at the end (default: 0.001)")] = None,
    epsilon: Annotated[float | None, typer.Option(help="chance to explore at the start (default: 0.2)")] = None,
    final_epsilon: Annotated[float | None, typer.Option(help="chance to explore at the end (default: 0.2)")] = None,
    discount: Annotated[float | None, typer.Option(help="gamma (default: 1)")] = None,
    rewards: Annotated[
        str | None, typer.Option(metavar="WIN,DRAW,LOSS", help="rewards at the end (default: 1,0,-1)")
    ] = None,
    initial_q: Annotated[float | None, typer.Option(help="value of an untried action (default: 0)")] = None,
    chunk: Annotated[
        str | None, typer.Option("--chunk", metavar="N", help="episodes a chunk, part of the result (default: auto)")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="table and checkpoint (default: in runs/)")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="go on with an interrupted run")
    ] = None,
    form: options.Format = None,
) -> None:
    """Train a Q-learner, watch its exact score, and close with an exact scorecard."""
    from ttt_fast.report.rows import chosen_format

    chosen = chosen_format(form, None)
    given: dict[str, Any] = {
        "opponent": opponent,
        "seat": None if seat is None else parse_seat(seat),
        "episodes": None if episodes is None else parse_count(episodes, "a number of episodes"),
        "seed": None if seed is None else parse_seed(seed),
        "step_size": step_size,
        "final_step_size": final_step_size,
        "epsilon": epsilon,
        "final_epsilon": epsilon if final_epsilon is None else final_epsilon,
        "discount": discount,
        **({} if rewards is None else parse_rewards(rewards)),
        "initial_q": initial_q,
        "chunk_episodes": None if chunk is None else parse_count(chunk, "a number of episodes a chunk", minimum=1),
    }
    given = {name: value for name, value in given.items() if value is not None}
    options.announce_compilation()
    training, rival = _prepare(given, resume)
    path = _checked_path(output or resume or _default_path(training))
    finished = _run(training, rival, path)
    if not finished.is_complete:
        typer.echo(
            f"interrupted after {finished.episodes:,} of {finished.config.episodes:,} episodes; go on with\n"
            f"  ttt-fast train --resume {path}",
            err=True,
        )
        raise typer.Exit(130)
    _report(finished, rival, path, chosen)


def _prepare(given: dict[str, Any], resume: Path | None) -> "tuple[Training, Policy]":
    """Return the run to go on with, and the opponent's policy."""
    from ttt_fast.learn.checkpoint import check_opponent, load_training
    from ttt_fast.learn.config import TrainingConfig
    from ttt_fast.learn.training import start_training
    from ttt_fast.policies.agents import parse_agent

    if resume is None:
        config = TrainingConfig(**given)
        return start_training(config), parse_agent(config.opponent)
    training = load_training(resume)
    for name, value in given.items():
        kept = getattr(training.config, name)
        if value != kept:
            raise UsageError(f"expected the settings of {str(resume)!r} ({name} {kept!r}), got {value!r}")
    rival = parse_agent(training.config.opponent)
    check_opponent(resume, rival)
    return training, rival


def _checked_path(path: Path) -> Path:
    """Return a path that the table can be read from again: agents are files by their suffix."""
    if path.suffix != ".npz" and not path.is_char_device():
        raise UsageError(f"expected a .npz file for the table, got {str(path)!r}")
    return path


def _default_path(training: "Training") -> Path:
    """Return a file name that tells the run; the same settings give the same name, and the same bits."""
    import hashlib
    import json

    config = training.config
    digest = hashlib.sha256(json.dumps(config.as_dict(), sort_keys=True).encode()).hexdigest()[:8]
    plain = "".join(symbol if symbol.isalnum() else "-" for symbol in config.opponent)[:40]
    return Path("runs") / f"q-{_SEATS[config.seat]}-v-{plain}-seed{config.seed}-{digest}.npz"


def _run(training: "Training", rival: "Policy", path: Path) -> "Training":
    from ttt_fast._archive import make_folder
    from ttt_fast.learn.training import train as run_training
    from ttt_fast.report.console import progress

    make_folder(path.parent)
    config = training.config
    label = f"{config.opponent} as {_SEATS[config.seat].upper()}"
    with progress(config.episodes, "episodes", f"learning v {label}", resumed=training.episodes) as update:

        def on_chunk(episodes: int, latest: Any) -> None:
            update(episodes, "" if latest is None else f"exact: wins {latest[1]:.6f}, loses {latest[3]:.6f}")

        return run_training(training, rival, checkpoint=path, on_chunk=on_chunk)


def _report(training: "Training", rival: "Policy", path: Path, form: str) -> None:
    from ttt_fast.report import rows, tables
    from ttt_fast.report.training import scorecard_of, training_row

    card = scorecard_of(training, rival, str(path))
    row = training_row(training, card, str(path))
    rows.write_rows(
        form, None, "train", [row], training.config.as_dict(), lambda: tables.training_report(training, card, row)
    )
