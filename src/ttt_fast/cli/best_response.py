"""The command `best-response`: the policy that exploits an agent."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_seat
from ttt_fast.core.errors import UsageError


def best_response(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="the agent to exploit")],
    game: options.Game = "tic-tac-toe",
    exact: options.Exact = False,
    seat: Annotated[str | None, typer.Option("--seat", help="the exploiting seat, x or o (default: both)")] = None,
    objective: Annotated[
        str, typer.Option("--objective", help="score: most wins minus losses; wins: most wins, then fewest losses")
    ] = "score",
    form: options.Format = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="save the policy (.npz or .txt)")
    ] = None,
) -> None:
    """Compute the policy that exploits AGENT best, and exactly how well it does."""
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.policies.best_response import OBJECTIVES, best_response_policy
    from ttt_fast.policies.files import save_policy
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, None)
    options.allow_large_table(game, exact)
    if objective not in OBJECTIVES:
        raise UsageError(f"expected an objective of score or wins, got {objective!r}")
    seats = (1, 2) if seat is None else (parse_seat(seat),)
    opponent = parse_agent(agent, game)
    response = best_response_policy(opponent, objective)
    records = [results.response_row(response, opponent, one, objective) for one in seats]
    if output is not None:
        save_policy(output, response)
    config = {"agent": agent, "game": game, "seat": seat, "objective": objective}
    rows.write_rows(chosen, None, "best-response", records, config, lambda: tables.response_report(records, agent))
    if output is not None:
        typer.echo(f"saved {output}: play it as an agent, for instance `ttt-fast match {output} {agent}`", err=True)
