"""The command `tables`: the large tables that are kept on disk."""

from typing import Annotated

import typer

from ttt_fast.cli.options import Target
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.errors import UsageError


def tables(
    target: Target,
    action: Annotated[str, argument("ACTION", "list or clear")] = "list",
    game: Annotated[str | None, option("--game GAME", "clear the table of one game only")] = None,
) -> None:
    """List the tables of large games that are kept on disk, or delete them."""
    from ttt_fast.games.registry import parse_game
    from ttt_fast.tables import large

    if action not in ("list", "clear"):
        raise UsageError(f"expected list or clear, got {action!r}")
    wanted = None if game is None else parse_game(game)
    kept = [one for one in large.kept_tables() if wanted is None or one.path.stem == wanted.file_name]
    if action == "list":
        title = f"large tables in {large.folder()}, which may hold {large.quota() / 1e9:g} GB"
        target.write("tables", [one.row() for one in kept], {"game": game}, title)
        return
    for one in kept:
        large.remove(one.path)
    typer.echo(f"removed {len(kept)} tables, {sum(one.bytes for one in kept) / 1e9:.2f} GB", err=True)
