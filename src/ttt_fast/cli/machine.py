"""The commands `info` and `warmup`: versions, kernels and tables of this machine, and the glossary."""

import csv
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli.options import Target
from ttt_fast.cli.signatures import argument, of_game

TOPICS = ("machine", "tables", "glossary")
GLOSSARY = Path(__file__).with_name("glossary.csv")
"""The terms of docs/GLOSSARY.md, which an installed package does not contain."""


def info(
    target: Target,
    topic: Annotated[str, argument("TOPIC", "machine, tables or glossary", TOPICS)] = "machine",
    action: Annotated[str, argument("ACTION", "with the topic tables: list or clear", ("list", "clear"))] = "list",
    game: Annotated[str | None, of_game("--game GAME", "list or clear only the table of this game")] = None,
) -> None:
    """Print the versions and the machine, or the glossary; list or delete the state tables on disk.

    State tables are kept on disk for later commands.  Those above 32 MiB together take at most 20 GB, or the value of
    the environment variable TTT_FAST_TABLES_GB; 0 keeps none of them.  A new one replaces those that have not been used
    for the longest time.
    """
    if topic not in TOPICS:
        raise UsageError(f"expected machine, tables or glossary as TOPIC, got {topic!r}")
    if action not in ("list", "clear"):
        raise UsageError(f"expected list or clear as ACTION, got {action!r}")
    if topic == "tables":
        _tables(target, game, clears=action == "clear")
        return
    if action == "clear" or game is not None:
        raise UsageError(f"expected clear and --game only with the topic tables, got one of them with {topic}")
    if topic == "glossary":
        terms = list(csv.DictReader(GLOSSARY.read_text(encoding="utf-8").splitlines()))
        target.write("info", terms, {"topic": topic}, "terms of this program and its documentation")
    else:
        _machine(target)


def _machine(target: Target) -> None:
    """Write the details that a bug report should contain."""
    from ttt_fast.files import environment
    from ttt_fast.report.console import rows_report

    found = environment(kernel_cache=True)
    listing = [{"what": key, "value": str(value)} for key, value in found.items()]
    target.write("info", [found], {"topic": "machine"}, lambda: rows_report(listing, "ttt-fast"))


def _tables(target: Target, game: str | None, *, clears: bool) -> None:
    """Write a row for each table on disk, or delete them."""
    from ttt_fast import parse_game
    from ttt_fast.tables.store import clear, described, tables_on_disk

    of = None if game is None else parse_game(game)
    if not clears:
        about, rows = described(), [one.row() for one in tables_on_disk(of)]
        target.write("info", rows, {"topic": "tables", "game": game}, lambda: _tables_report(rows, about))
        return
    from ttt_fast.report.console import counted

    kept, unfinished = clear(of)
    more = f", and {counted(unfinished, 'folder', 'folders')} that commands left unfinished" if unfinished else ""
    size = sum(one.bytes for one in kept) / 1e9
    typer.echo(f"removed {counted(len(kept), 'table', 'tables')}, {size:.2f} GB{more}", err=True)


def _tables_report(rows: list[dict[str, Any]], about: str) -> str:
    """Return a readable list of the tables, with their folder in the title."""
    from ttt_fast.report.console import render, rows_report

    if not rows:
        return render([f"no {about}"])
    shown = [{**row, "bytes": f"{row['bytes'] / 1e9:.2f} GB"} for row in rows]
    return rows_report([{name: value for name, value in row.items() if name != "path"} for row in shown], about)


def warmup() -> None:
    """Compile all kernels (the compiled functions of this program) now, so that later commands start without delay."""
    from ttt_fast.api.speed import warm_kernels

    typer.echo("compiling the kernels (once for this version) ...", err=True)
    started = time.perf_counter()
    folder = warm_kernels()
    typer.echo(f"ready after {time.perf_counter() - started:.1f} s; kept in {folder}", err=True)
