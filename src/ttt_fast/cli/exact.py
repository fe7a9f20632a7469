"""The commands `exact`, `score` and `best-response`: exact results of agents, and the policy that exploits one."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast import TableSizeError, UsageError
from ttt_fast.cli import options
from ttt_fast.cli.parsing import one_of, output_file, parse_labelled, parse_seat
from ttt_fast.cli.signatures import argument, of_result, option

if TYPE_CHECKING:
    from ttt_fast import Policy

_MANY_STATES = 10**6
"""Numbers of states above which the queries of a function take long: 100,000 states take some seconds."""


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
    fixed_seat: options.FixedSeat = None,
    max_positions: options.MaxPositions = None,
) -> None:
    """Compute the exact result of two agents: probabilities, fractions, game lengths.

    The command builds the table of the game, as large as the memory allows.  `ttt-fast info tables` lists the large
    tables that are kept on disk.  With --fixed-seat, it needs only the positions that can arise against the agent of
    one seat.  This makes Connect 4 on 7x6 feasible for many deterministic agents.
    """
    from ttt_fast import Seat, exact_outcome
    from ttt_fast.report import tables
    from ttt_fast.report.results import outcome_sentence

    config: dict[str, Any] = {"game": game, "x": x, "o": o}
    more: dict[str, Any] = {}
    if fixed_seat is not None:
        if start.position is not None or random_opening:
            raise UsageError("expected no --position and no --random-opening with --fixed-seat, got one of them")
        from ttt_fast import induced_table

        agent, opponent = (x, o) if fixed_seat == Seat.X else (o, x)
        config["fixed_seat"] = Seat(fixed_seat).text
        found = induced_table(agent, fixed_seat, game, max_positions=max_positions).outcome(opponent)
    else:
        options.refuse({"--max-positions": max_positions}, "--fixed-seat")
        policies = _policies(game, {"x": x, "o": o})
        table = policies[0].table
        state = start.state(table.game)
        more["random_opening"] = random_opening
        more["board"] = None if start.position is None else table.game.format_position(state)
        found = exact_outcome(*policies, start=table.state_index(state), random_opening=random_opening)
    if reach is not None:
        title = f"{x} v {o}: {'final boards' if reach == 'final' else 'boards'} and their exact probability"
        target.write("exact", found.reach_rows(reach), {**config, "reach": reach}, title)
        return
    row = found.row()
    target.write("exact", [row], config | more, lambda: tables.exact_report(row), said=outcome_sentence(row))


def _policies(game: str, agents: dict[str, str]) -> list["Policy"]:
    """Return the policies of agents in some seats; if the table or queries take long, suggest --fixed-seat."""
    from ttt_fast import as_policy, parse_agent, parse_game, table_of

    played, specs = parse_game(game), {seat: parse_agent(agent) for seat, agent in agents.items()}
    try:
        options.allow_large_table(played)
    except TableSizeError as error:
        with suppress(TableSizeError):  # the file of another game is reported first
            [as_policy(spec, played) for spec in specs.values()]
        raise TableSizeError(
            f"{error}; --fixed-seat x|o needs only the positions that can arise against the agent of this seat"
        ) from None
    table = table_of(played)
    for seat, spec in specs.items():
        if spec.is_external and (states := int(table.decision_mask.sum())) > _MANY_STATES:
            typer.echo(
                f"{agents[seat]} is queried twice in each of {states:,} states; --fixed-seat {seat} queries it only in"
                " those that can arise against it",
                err=True,
            )
    return [as_policy(spec, table) for spec in specs.values()]


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
    fixed_seat: options.FixedSeat = None,
    max_positions: options.MaxPositions = None,
    labelled: Annotated[
        int | None,
        option(
            "--labelled N",
            "with --fixed-seat in Connect 4: positions of each ply that the solver labels (default: 100)",
            parse_labelled,
        ),
    ] = None,
) -> None:
    """Print the exact scorecard of a policy: results against random, minimax and its best response, and agreement.

    The agreement is the share of states whose most probable move is optimal; of equally probable moves, the lowest
    counts.  With --fixed-seat, the scorecard is that of one seat, from the positions that can arise against the agent.
    It contains the shortest line to the worst result.  In Connect 4 it also contains the share of positions in which
    the agent gives value away.

    `ttt-fast page POLICY` makes a report with the same scorecard and the boards of the worst mistakes.
    """
    from ttt_fast import scorecard
    from ttt_fast.report import results, tables

    if fixed_seat is not None:
        if by_state:
            raise UsageError("expected no --by-state with --fixed-seat, got both")
        each = 100 if labelled is None else labelled
        _score_fixed_seat(policy, fixed_seat, game, max_positions, against or [], each, target)
        return
    options.refuse({"--max-positions": max_positions, "--labelled": labelled}, "--fixed-seat")
    (judged,) = _policies(game, {"x|o": policy})
    config = {"policy": policy, "game": game}
    if by_state:
        target.write("score", results.judged_rows(judged), {**config, "by_state": True}, f"states of {policy}")
        return
    opponents = dict.fromkeys([*(against or []), "random", "minimax"])
    card = scorecard(judged, list(opponents))
    if not card:
        raise UsageError(f"expected a policy that contains at least one state, got {policy!r}, which contains none")
    settings = {**config, "against": against or []}
    rows = [row.as_row() for row in card]
    target.write("score", rows, settings, lambda: tables.score_report(rows))


def _score_fixed_seat(
    agent: str, seat: int, game: str, most: float | None, against: list[str], labelled: int, target: options.Target
) -> None:
    """Write the scorecard of an agent in one seat, from the positions that can arise against it."""
    from ttt_fast import Seat, Solver, induced_table
    from ttt_fast.report.induced import fixed_score_report

    induced = induced_table(agent, seat, game, max_positions=most)
    rows = induced.score_rows(list(dict.fromkeys([*against, "random"])))
    plies = [one.row() for one in induced.mistakes(labelled)] if labelled and Solver.supports(induced.game) else []
    config = {"policy": agent, "game": game, "against": against, "fixed_seat": Seat(seat).text, "labelled": labelled}
    for row in rows:
        row["mistakes_by_ply"] = plies
    target.write("score", rows, config, lambda: fixed_score_report(rows, plies, game))


def best_response(
    agent: Annotated[str, argument("AGENT", "the agent to exploit")],
    game: options.Game = options.DEFAULT_GAME,
    seat: Annotated[int | None, option("--seat x|o", "the exploiting seat (default: both)", parse_seat)] = None,
    objective: Annotated[
        Any,
        option(
            "--objective value|wins",
            "value: most wins minus losses; wins: most wins, then fewest losses",
            one_of("the objective", "value", "wins"),
        ),
    ] = "value",
    form: options.Format = None,
    output: Annotated[
        Path | None,
        of_result("--output -o FILE", "save the policy (.npz, .txt or .dat), not the printed result", output_file),
    ] = None,
    fixed_seat: options.FixedSeat = None,
    max_positions: options.MaxPositions = None,
) -> None:
    """Compute the policy that exploits AGENT best, and its exact value.

    With --fixed-seat, AGENT plays this seat, and only the positions that can arise against it are needed.  The command
    then prints the value of the best response and the shortest line to the agent's worst result.
    """
    from ttt_fast import Seat, best_response as response_to, save_policy
    from ttt_fast.report import results, tables

    target = options.Target(form)
    if fixed_seat is not None:
        if seat == fixed_seat:
            text = Seat(fixed_seat).text
            raise UsageError(f"expected the other seat to exploit --fixed-seat {text}, got --seat {text}")
        if objective != "value" or output is not None:
            raise UsageError("expected no --objective wins and no -o with --fixed-seat, got one of them")
        from ttt_fast import induced_table
        from ttt_fast.report.induced import fixed_response_report

        row = induced_table(agent, fixed_seat, game, max_positions=max_positions).response_row()
        config = {"agent": agent, "game": game, "fixed_seat": Seat(fixed_seat).text, "objective": objective}
        target.write("best-response", [row], config, lambda: fixed_response_report(row, game))
        return
    options.refuse({"--max-positions": max_positions}, "--fixed-seat")
    (opponent,) = _policies(game, {"x|o": agent})
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
                f"{agent} has not learned {one.other.text.upper()}: there is no best response to it in that seat",
                err=True,
            )
    target.write("best-response", records, config, lambda: tables.response_report(records, agent))
    if output is not None:
        typer.echo(f"saved {output}: play it as an agent, for instance `ttt-fast match {output} {agent}`", err=True)
