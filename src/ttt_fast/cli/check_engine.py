"""The command `check-engine`: checks of a program against the rules for engines."""

from typing import Annotated

import typer

from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.specs import parse_count


def check_engine(
    command: Annotated[str, argument("COMMAND", "the program and its arguments, in quotes; `ms=N` before it")],
    target: options.Target,
    game: Annotated[
        list[str] | None, option("--game GAME", "a game to try (may be repeated; default: its own)")
    ] = None,
    positions: Annotated[str, option("--positions N", "random positions of each game")] = "50",
    seed: options.Seed = 0,
) -> None:
    """Check a program that is to play as `engine:COMMAND`: each rule of docs/ENGINES.md, in each game.

    The exit code is 0 if it keeps all of them, else 1.
    """
    from ttt_fast.agents.engine_check import check_engine as findings

    spec = f"engine:{command.removeprefix('engine:')}"
    count = parse_count(positions, "a number of positions", minimum=1)
    options.announce_compilation()
    found = findings(spec, game or [], count, seed)
    config = {"command": spec, "games": game or [], "positions": count, "seed": seed}
    target.write("check-engine", [one._asdict() for one in found], config, spec)
    if any(one.result == "failed" for one in found):
        raise typer.Exit(EXIT_FAILED)
