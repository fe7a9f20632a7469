"""The command `best-response`: the policy that exploits an agent."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import one_of, output_file, parse_seat
from ttt_fast.cli.signatures import argument, option


def best_response(
    agent: Annotated[str, argument("AGENT", "the agent to exploit")],
    game: options.Game = "tic-tac-toe",
    seat: Annotated[int | None, option("--seat x|o", "the exploiting seat (default: both)", parse_seat)] = None,
    objective: Annotated[
        Any,
        option(
            "--objective score|wins",
            "score: most wins + draws/2, which is the highest value; wins: most wins, then fewest losses",
            one_of("an objective", "score", "wins"),
        ),
    ] = "score",
    form: options.Format = None,
    output: Annotated[
        Path | None, option("--output -o FILE", "save the policy (.npz, .txt or .dat)", output_file)
    ] = None,
) -> None:
    """Compute the policy that exploits AGENT best, and exactly how well it does."""
    from ttt_fast import Seat, as_policy, best_response as response_to, save_policy
    from ttt_fast.report import results, tables

    target = options.Target(form)
    options.allow_large_table(game)
    opponent = as_policy(agent, game)
    response = response_to(opponent, objective)
    known = [one for one in Seat if response.holds_seat(one)] or list(Seat)
    seats = known if seat is None else [seat]
    records = [results.response_row(response, opponent, one, objective) for one in seats]
    if output is not None:
        save_policy(output, response)
    config = {"agent": agent, "game": game, "seat": seat and Seat(seat).text, "objective": objective}
    for one in Seat if seat is None else ():
        if one not in known:
            typer.echo(f"policy {agent!r} holds no state of {one.other.text.upper()}: left out", err=True)
    target.write("best-response", records, config, lambda: tables.response_report(records, agent))
    if output is not None:
        typer.echo(f"saved {output}: play it as an agent, for instance `ttt-fast match {output} {agent}`", err=True)
