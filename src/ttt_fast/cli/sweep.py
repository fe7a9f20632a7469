"""The command `sweep`: a grid of settings times seeds, on threads or on a cluster."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.options import leave_interrupted, this_command
from ttt_fast.cli.parsing import output_file
from ttt_fast.cli.settings import digest_of, read_toml
from ttt_fast.cli.signatures import of_game, of_result, of_run, option
from ttt_fast.learners import SETTINGS

if TYPE_CHECKING:
    from ttt_fast.learners import Sweep
    from ttt_fast.running.api import Executor


def sweep(
    given: Annotated[
        list[str] | None,
        option("--set NAME=V1,V2", f"a training setting and its values (may be repeated): {', '.join(SETTINGS)}"),
    ] = None,
    game: Annotated[str | None, of_game("--game GAME", "the game of every run (default: tic-tac-toe)")] = None,
    seeds: Annotated[
        str | None, of_run("--seeds N", "train each combination with the seeds 0 to N - 1 (default: 10)")
    ] = None,
    episodes: Annotated[str | None, option("--episodes -n N", "episodes per run (default: those of train)")] = None,
    config: Annotated[
        Path | None,
        of_run(
            "--config FILE",
            "a TOML file with the sections [settings] (one value each) and [grid] (lists of values) and the key seeds",
        ),
    ] = None,
    threads: options.Threads = None,
    scheduler: options.Scheduler = None,
    folder: Annotated[
        Path | None,
        of_result(
            "--output -o FOLDER",
            "folder of the runs, a file for each, not for the printed table (default: a folder in runs/)",
        ),
    ] = None,
    merge: Annotated[
        Path | None, of_result("--merge FILE", "write all curves to one parquet file as well", output_file)
    ] = None,
    force: options.Force = False,
    form: options.Format = None,
) -> None:
    """Train every combination of settings with every seed; finished runs are not repeated."""
    from ttt_fast.files import check_output

    target = options.Target(form)
    plan = _plan(config, given or [], {"game": game, "episodes": episodes}, seeds)
    where = folder or _default_folder(plan)
    check_output(where, makes_folders=True, is_folder=True)
    if not force:
        plan.check_folder(where)
    with options.given_executor(scheduler, threads) as pool:
        missing = _run(plan, where, pool)
    if missing:
        leave_interrupted(this_command(), f"{plan.num_units - missing:,} of {plan.num_units:,} runs")
    _report(plan, where, merge, target)


def _plan(path: Path | None, given: list[str], named: dict[str, str | None], seeds: str | None) -> "Sweep":
    """Return the sweep of a TOML file and the command line, which takes precedence; `named` settings have options."""
    from ttt_fast.learners import Sweep

    sections = {} if path is None else _read_toml(path)
    settings, grid = dict(sections.get("settings", {})), dict(sections.get("grid", {}))
    words: dict[str, list[Any]] = {}
    for word in given:
        name, values = Sweep.parse_setting(word)
        if name in words or named.get(name) is not None:
            raise UsageError(f"expected the values of {name} only once, got them twice")
        words[name] = values
    words |= {name: [text] for name, text in named.items() if text is not None}
    for name in words:
        settings.pop(name, None)
        grid.pop(name, None)
    settings |= {name: values[0] for name, values in words.items() if len(values) == 1}
    grid |= {name: values for name, values in words.items() if len(values) > 1}
    return Sweep(settings, grid, Sweep.parse_seeds(seeds or sections.get("seeds", 10)))


def _read_toml(path: Path) -> dict[str, Any]:
    """Return the checked sections of a file."""
    content = read_toml(path)
    for name in content:
        if name not in ("settings", "grid", "seeds"):
            raise UsageError(f"{str(path)!r}: expected [settings], [grid] or seeds, got {name!r}")
        if name != "seeds" and not isinstance(content[name], dict):
            raise UsageError(f"{str(path)!r}: expected a section [{name}], got {content[name]!r}")
    for name, values in content.get("grid", {}).items():
        if not isinstance(values, list):
            raise UsageError(f"{str(path)!r}: expected a list of values for {name} in [grid], got {values!r}")
    return content


def _default_folder(plan: "Sweep") -> Path:
    """Return a folder named after the settings without the seeds: additional seeds use the same folder."""
    described = {name: value for name, value in plan.as_dict().items() if name != "seeds"}
    return Path("runs") / f"sweep-{'-'.join(plan.varied)[:40] or 'seeds'}-{digest_of(described)}"


def _run(plan: "Sweep", folder: Path, pool: "Executor") -> int:
    """Do the missing runs, and return the number still missing afterwards."""
    from ttt_fast.report.progress import progress

    pending = plan.pending(folder, lambda damage: typer.echo(f"{damage}; it is run again", err=True))
    there = plan.num_units - len(pending)
    if there:
        typer.echo(f"{there:,} of {plan.num_units:,} runs were in {folder} already", err=True)
    total = plan.episodes_of(range(plan.num_units))
    before = total - plan.episodes_of(pending)
    with progress(total, "episodes", f"{plan.num_units:,} runs", resumed=before) as update:

        def on_progress(runs: int, episodes: int) -> None:
            update(before + episodes, f"{there + runs:,} of {plan.num_units:,} runs")

        return len(pending) - plan.run(pending, folder, pool, on_progress, on_interrupt="return")


def _report(plan: "Sweep", folder: Path, merge: Path | None, target: options.Target) -> None:
    from ttt_fast.report.training import sweep_report

    if merge is not None:
        plan.save_curves(folder, merge)
    records = plan.summary(folder)
    target.write("sweep", records, plan.as_dict(), lambda: sweep_report(records, plan.num_units, folder))
