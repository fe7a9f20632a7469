"""The command `agents`: the list of agents."""

from typing import Annotated

from ttt_fast.cli.options import Target
from ttt_fast.cli.signatures import option


def agents(
    target: Target,
    game: Annotated[str | None, option("--game GAME", "list those of one game only: connect4, ultimate, ...")] = None,
) -> None:
    """List the agents of all games or of one, and their options."""
    from ttt_fast.agents.registry import agent_rows
    from ttt_fast.games.registry import parse_game

    name = None if game is None else parse_game(game).name
    title = "agents" if name is None else f"agents of {name}"
    target.write("agents", agent_rows(name), {"game": game}, title)
