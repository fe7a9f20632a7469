"""The commands `exact`, `score` and `best-response`: exact results of agents, and the policy that exploits one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.parsing import one_of, output_file, parse_seat
from ttt_fast.cli.signatures import argument, option


def exact(
    x: options.XAgent,
    o: options.OAgent,
    start: options.Start,
    target: options.Target,
    game: options.Game = options.DEFAULT_GAME,
    random_opening: options.RandomOpening = False,
    reach: Annotated[
        str | None, option("--reach final|all", "list the boards that the game can reach, with their probabilities")
    ] = None,
) -> None:
    """Compute the exact result of two agents: probabilities, fractions, game lengths.

    The command builds the table of the game, as large as the memory allows.  `ttt-fast info tables` lists the large
    tables that are kept on disk.
    """
    from ttt_fast import as_policy, exact_outcome
    from ttt_fast.report import tables

    options.allow_large_table(game)
    policies = as_policy(x, game), as_policy(o, game)
    table = policies[0].table
    board = None if start.text is None else table.game.format_position(start.state(table.game))
    index = 0 if board is None else table.state_index(board)
    found = exact_outcome(*policies, start=index, random_opening=random_opening)
    config: dict[str, Any] = {"game": game, "x": x, "o": o}
    if reach is not None:
        title = f"{x} v {o}: {'final boards' if reach == 'final' else 'boards'} and their exact probability"
        target.write("exact", found.reach_rows(reach), {**config, "reach": reach}, title)
        return
    config |= {"random_opening": random_opening, "board": board}
    row = found.row()
    target.write("exact", [row], config, lambda: tables.exact_report(row))


def score(
    policy: Annotated[str, argument("POLICY", "a policy file or any agent")],
    target: options.Target,
    against: Annotated[list[str] | None, option("--against AGENT", "a further opponent (may be repeated)")] = None,
    game: options.Game = options.DEFAULT_GAME,
    by_state: Annotated[
        bool,
        option(
            "--by-state",
            "print a row for each state instead of the scorecard: the move, its agreement with minimax, and its regret",
        ),
    ] = False,
) -> None:
    """Print the exact scorecard of a policy: results against random, minimax and its best response, and agreement.

    The agreement is the share of states whose most probable move is optimal.
    """
    from ttt_fast import as_policy, scorecard
    from ttt_fast.report import results, tables

    options.allow_large_table(game)
    judged = as_policy(policy, game)
    config = {"policy": policy, "game": game}
    if by_state:
        target.write("score", results.judged_rows(judged), {**config, "by_state": True}, f"states of {policy}")
        return
    opponents = dict.fromkeys([*(against or []), "random", "minimax"])
    card = scorecard(judged, [as_policy(spec, game) for spec in opponents])
    if not card:
        raise UsageError(f"expected a policy that contains at least one state, got {policy!r}, which contains none")
    settings = {**config, "against": against or []}
    rows = [row.as_row() for row in card]
    target.write("score", rows, settings, lambda: tables.score_report(rows))


def best_response(
    agent: Annotated[str, argument("AGENT", "the agent to exploit")],
    game: options.Game = options.DEFAULT_GAME,
    seat: Annotated[int | None, option("--seat x|o", "the exploiting seat (default: both)", parse_seat)] = None,
    objective: Annotated[
        Any,
        option(
            "--objective score|wins",
            "score: most wins + draws/2, which is the highest value; wins: most wins, then fewest losses",
            one_of("the objective", "score", "wins"),
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
            typer.echo(
                f"policy {agent!r} holds no state of {one.other.text.upper()}, and is omitted from that seat",
                err=True,
            )
    target.write("best-response", records, config, lambda: tables.response_report(records, agent))
    if output is not None:
        typer.echo(f"saved {output}: play it as an agent, for instance `ttt-fast match {output} {agent}`", err=True)
