"""The command `agents`: the list of agents."""

from typing import Annotated

import typer

from ttt_fast.cli import options


def agents(
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="list those of one game only: connect4, ultimate, ...")
    ] = None,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """List the agents of all games or of one, and their options."""
    from ttt_fast.agents.registry import agent_rows
    from ttt_fast.games.registry import parse_game
    from ttt_fast.report import rows, tables

    chosen = rows.chosen_format(form, output)
    name = None if game is None else parse_game(game).name
    records = agent_rows(name)
    title = "agents" if name is None else f"agents of {name}"
    rows.write_rows(chosen, output, "agents", records, {"game": game}, lambda: tables.rows_report(records, title))
