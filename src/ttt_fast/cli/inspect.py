"""Commands that look at one thing: `score`, `show`, `best-response`, `agents`, `states`."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_seat
from ttt_fast.errors import UsageError


def score(
    policy: Annotated[str, typer.Argument(metavar="POLICY", help="a policy file or any agent")],
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="AGENT", help="a further opponent (may be repeated)")
    ] = None,
    by_state: Annotated[
        bool, typer.Option("--by-state", help="list its states instead: move, agreement, minimax value lost")
    ] = False,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Print the exact scorecard: results against random, minimax and its best response, agreement, proof."""
    from ttt_fast.evaluate.scorecard import scorecard
    from ttt_fast.policies.agents import parse_agent
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, output)
    judged = parse_agent(policy)
    if by_state:
        listing = results.judged_rows(judged)
        config = {"policy": policy, "by_state": True}
        title = f"states of {policy}"
        rows.write_rows(chosen, output, "score", listing, config, lambda: tables.rows_report(listing, title))
        return
    card = scorecard(judged, [parse_agent(spec) for spec in against or []])
    if not card:
        raise UsageError(f"expected a policy that holds states, got none in {policy!r}")
    records = [row.as_row() for row in card]
    settings = {"policy": policy, "against": against or []}
    rows.write_rows(chosen, output, "score", records, settings, lambda: tables.score_report(card))


def show(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="nine characters, for instance XO..X...O")],
    agents: Annotated[
        str, typer.Option("--agents", metavar="A,B", help="agents whose move probabilities are shown")
    ] = "random,minimax,heuribot",
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Show a board: minimax value and distance of each move, and how probable each agent finds it."""
    from ttt_fast.policies.agents import parse_agent, split_agents
    from ttt_fast.report import results, rows, tables
    from ttt_fast.tables import standard_table

    chosen = rows.chosen_format(form, output)
    state = standard_table().state_index(board)
    policies = [parse_agent(spec) for spec in split_agents(agents)]
    records = results.move_rows(state, policies)
    config = {"board": board, "agents": agents}
    rows.write_rows(chosen, output, "show", records, config, lambda: tables.show_report(state, records, policies))


def best_response(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="the agent to exploit")],
    seat: Annotated[str | None, typer.Option("--seat", help="the exploiting seat, x or o (default: both)")] = None,
    objective: Annotated[str, typer.Option("--objective", help="score (wins minus losses) or wins")] = "score",
    form: options.Format = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="save the policy (.npz or .txt)")
    ] = None,
) -> None:
    """Compute the policy that exploits AGENT best, and exactly how well it does."""
    from ttt_fast.policies.agents import parse_agent
    from ttt_fast.policies.best_response import OBJECTIVES, best_response_policy
    from ttt_fast.policies.files import save_policy
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, None)
    if objective not in OBJECTIVES:
        raise UsageError(f"expected an objective of score or wins, got {objective!r}")
    seats = (1, 2) if seat is None else (parse_seat(seat),)
    opponent = parse_agent(agent)
    response = best_response_policy(opponent, objective)
    records = [results.response_row(response, opponent, one, objective) for one in seats]
    if output is not None:
        save_policy(output, response)
    config = {"agent": agent, "seat": seat, "objective": objective}
    rows.write_rows(chosen, None, "best-response", records, config, lambda: tables.response_report(records, agent))
    if output is not None:
        typer.echo(f"saved {output}: play it as an agent, for instance `ttt-fast match {output} {agent}`", err=True)


def agents(form: options.Format = None, output: options.Output = None) -> None:
    """List the agents and their options."""
    from ttt_fast.policies.agents import agent_rows
    from ttt_fast.report import rows, tables

    chosen = rows.chosen_format(form, output)
    records = agent_rows()
    rows.write_rows(chosen, output, "agents", records, {}, lambda: tables.rows_report(records, "agents"))


def states(
    form: options.Format = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="export all 5,478 states to .parquet, .csv or .jsonl"),
    ] = None,
) -> None:
    """Count the states by ply, outcome and symmetry class, or export the table of all of them."""
    from ttt_fast.report import results, rows, states_table, tables
    from ttt_fast.tables import standard_table

    if output is not None:
        exported = rows.chosen_format(form, output)
        if exported not in ("csv", "parquet", "jsonl"):
            raise UsageError(f"expected a .parquet, .csv or .jsonl file, got {str(output)!r}")
        rows.write_bytes(states_table.encode_states(exported), output)
        typer.echo(f"saved {standard_table().num_states:,} states to {output}", err=True)
        return
    chosen = rows.chosen_format(form, None)
    records = results.state_rows(standard_table(), states_table.classes_by_ply())
    rows.write_rows(chosen, None, "states", records, {}, lambda: tables.states_report(records))
