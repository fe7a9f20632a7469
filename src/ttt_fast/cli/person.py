"""The command `play`: a person against any agent."""

from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_seat, parse_seed


def play(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="whom to play against")] = "minimax",
    seat: Annotated[str, typer.Option("--seat", help="your seat, x or o")] = "x",
    board: options.Board = None,
    hints: Annotated[bool, typer.Option("--hints", help="show the value of every move before each of yours")] = False,
    seed: Annotated[str | None, typer.Option("--seed", metavar="N", help="seed of the agent's choices")] = None,
) -> None:
    """Play against an agent: type a cell, or h (hint), u (undo), n (new game), q (quit)."""
    from ttt_fast.policies.agents import parse_agent
    from ttt_fast.report.play_session import PlaySession
    from ttt_fast.tables import standard_table

    start = 0 if board is None else standard_table().state_index(board)
    drawn = None if seed is None else parse_seed(seed)
    session = PlaySession(parse_agent(agent), parse_seat(seat), start, drawn, hints=hints)
    session.run()
