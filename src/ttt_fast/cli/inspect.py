"""Commands that look at one thing: `score`, `show`, `best-response`, `agents`, `states`."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_seat, parse_seed
from ttt_fast.core.errors import UsageError


def score(
    policy: Annotated[str, typer.Argument(metavar="POLICY", help="a policy file or any agent")],
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="AGENT", help="a further opponent (may be repeated)")
    ] = None,
    game: options.Game = "tic-tac-toe",
    by_state: Annotated[
        bool, typer.Option("--by-state", help="list its states instead: move, agreement, minimax value lost")
    ] = False,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Print the exact scorecard: results against random, minimax and its best response, agreement, proof."""
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.evaluate.scorecard import scorecard
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, output)
    judged = parse_agent(policy, game)
    if by_state:
        listing = results.judged_rows(judged)
        config = {"policy": policy, "game": game, "by_state": True}
        title = f"states of {policy}"
        rows.write_rows(chosen, output, "score", listing, config, lambda: tables.rows_report(listing, title))
        return
    opponents = dict.fromkeys([*(against or []), "random", "minimax"])
    card = scorecard(judged, [parse_agent(spec, game) for spec in opponents])
    if not card:
        raise UsageError(f"expected a policy that holds states, got none in {policy!r}")
    records = [row.as_row() for row in card]
    settings = {"policy": policy, "game": game, "against": against or []}
    rows.write_rows(chosen, output, "score", records, settings, lambda: tables.score_report(card))


def show(
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION",
            help="nine characters: XO..X...O; of other games a position or a line of moves, 4453 or '55 51'",
        ),
    ],
    game: options.Game = "tic-tac-toe",
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            metavar="A,B",
            help="who is asked (default: random,minimax,heuribot; in other games default,mcts,alphabeta)",
        ),
    ] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="seed of the choices of players that draw")] = "0",
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Show a position: each agent's move and its value of each move; in tic-tac-toe, the exact values."""
    from ttt_fast.agents.catalogue import AGENTS
    from ttt_fast.agents.registry import split_agents
    from ttt_fast.games.registry import parse_game
    from ttt_fast.report import rows
    from ttt_fast.tables import has_table
    from ttt_fast.terminal.positions import asked_agents, position_report, position_rows

    chosen = rows.chosen_format(form, output)
    played, drawn = parse_game(game), parse_seed(seed)
    usual = ("random", "minimax", "heuribot") if has_table(played) else ("default", "mcts", "alphabeta")
    specs = [name for name in usual if AGENTS[name].fits(played)] if agents is None else split_agents(agents)
    state = played.parse_state(position)
    asked = asked_agents(specs, played)
    options.announce_compilation()
    records = position_rows(played, state, asked, drawn)
    config = {"game": game, "position": position, "agents": ",".join(specs), "seed": drawn}
    rows.write_rows(chosen, output, "show", records, config, lambda: position_report(played, state, records, asked))


def best_response(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="the agent to exploit")],
    game: options.Game = "tic-tac-toe",
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


def states(
    game: options.Game = "tic-tac-toe",
    form: options.Format = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="export all states to .parquet, .csv or .jsonl"),
    ] = None,
) -> None:
    """Count the states by ply, outcome and symmetry class, or export the table of all of them."""
    from ttt_fast.report import results, rows, states_table, tables
    from ttt_fast.tables import table_of

    if output is None:
        chosen = rows.chosen_format(form, None)
        table = table_of(game)
        records = results.state_rows(table, states_table.classes_by_ply(table))
        rows.write_rows(chosen, None, "states", records, {"game": game}, lambda: tables.states_report(records))
        return
    exported = rows.chosen_format(form, output)
    if exported not in ("csv", "parquet", "jsonl"):
        raise UsageError(f"expected a .parquet, .csv or .jsonl file, got {str(output)!r}")
    table = table_of(game)
    rows.write_bytes(states_table.encode_states(table, exported), output)
    typer.echo(f"saved {table.num_states:,} states to {output}", err=True)
