"""The command `tables`: the large tables stored on disk."""

from typing import Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli.options import Target
from ttt_fast.cli.signatures import argument, option


def tables(
    target: Target,
    action: Annotated[str, argument("ACTION", "list or clear")] = "list",
    game: Annotated[str | None, option("--game GAME", "list or clear the table of one game only")] = None,
) -> None:
    """List the tables of large games that are kept on disk, or delete them.

    A table of more than a million states is kept for the next command. All together take at most 20 GB, or
    as many as the environment variable TTT_FAST_TABLES_GB says; 0 keeps none. New tables replace those that were not
    used for the longest time.
    """
    from ttt_fast import parse_game
    from ttt_fast.tables.large import tables_on_disk

    if action not in ("list", "clear"):
        raise UsageError(f"expected list or clear, got {action!r}")
    kept = tables_on_disk(None if game is None else parse_game(game))
    if action == "list":
        about = f"large tables in {kept.folder}, which may hold {kept.quota / 1e9:g} GB"
        rows = [one.row() for one in kept.tables]
        target.write("tables", rows, {"game": game}, lambda: _report(rows, about))
        return
    kept.remove()
    unfinished = _counted(len(kept.leftovers), "folder")
    parts = f", and {unfinished} that commands left unfinished" if kept.leftovers else ""
    size = sum(one.bytes for one in kept.tables) / 1e9
    typer.echo(f"removed {_counted(len(kept.tables), 'table')}, {size:.2f} GB{parts}", err=True)


def _report(rows: list[dict[str, Any]], about: str) -> str:
    """Return a readable list of the tables, with their folder in the title."""
    from ttt_fast.report.console import render, rows_report

    if not rows:
        return render([f"no {about}"])
    shown = [{**row, "bytes": f"{row['bytes'] / 1e9:.2f} GB"} for row in rows]
    return rows_report([{name: value for name, value in row.items() if name != "path"} for row in shown], about)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
