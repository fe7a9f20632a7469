"""The command `page`: a game, its agents and an atlas of its positions as one file for a browser."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.signatures import option

_USUAL = ("minimax", "heuribot", "default", "random")


def page(
    output: options.HtmlOutput = Path("page.html"),
    agents: Annotated[
        str | None, option("--agents A,B", "who plays and is shown (default: minimax,heuribot,default,random)")
    ] = None,
    game: options.Game = "tic-tac-toe",
) -> None:
    """Make a page that plays a game of up to 10,000 states in a browser, and shows every position with every agent."""
    from ttt_fast import AgentSpec, list_agents, parse_game
    from ttt_fast.report.rows import write_bytes
    from ttt_fast.web.render import page_html

    options.check_html(output)
    played = parse_game(game)
    known = [row["agent"] for row in list_agents(played)]
    specs = [name for name in _USUAL if name in known] if agents is None else AgentSpec.split(agents)
    options.announce_compilation()
    content = page_html(game, specs)
    write_bytes(content, output)
    typer.echo(f"saved {', '.join(specs)} in {output} ({len(content):,} bytes): open it in a browser", err=True)
