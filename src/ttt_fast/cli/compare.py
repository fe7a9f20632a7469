"""The command `compare`: a round robin of agents."""

from typing import Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli.options import Contests, Target, given_executor, leave_with_part
from ttt_fast.cli.signatures import argument, option


def compare(
    agents: Annotated[list[str], argument("AGENT", "two or more agents")],
    shared: Contests,
    target: Target,
    games: Annotated[
        str | None,
        option(
            "--games -n N",
            "number of games: for each seating of a pair if results are exact (default: 0), otherwise for each pair"
            " (default: 100)",
        ),
    ] = None,
) -> None:
    """Compare every pair of agents in both seats: a matrix of exact results, and the score of each agent.

    Results are exact if the game has a state table (a list of all its states) and all agents are policies over it.
    With -n N, games are sampled, too, and the agents are rated.

    If an agent searches or is external, or the game has no state table, all agents play game by game, in pairs of games
    with the seats swapped, and there are no exact results.
    """
    from ttt_fast import contest, parse_agent
    from ttt_fast.report.contests import ranking_sentence, round_robin_report, seat_notes
    from ttt_fast.report.progress import progress

    if len(agents) < 2:
        raise UsageError(f"expected two or more agents, got only {agents[0]!r}")
    settings = shared.settings(games)
    specs = [parse_agent(agent) for agent in agents]
    with given_executor(shared.scheduler, shared.threads) as pool:
        if games is None:
            settings = settings.with_usual_games(specs, executor=pool, round_robin=True)
        with progress(settings.games * len(agents) ** 2, "games", "compare") as update:
            found = contest(
                specs,
                config=settings,
                threads=shared.threads,
                executor=pool,
                on_progress=update,
                on_interrupt="return",
            )
    for note in seat_notes(found) if target.chosen != "table" else []:
        typer.echo(note, err=True)
    config = {"game": settings.game, "agents": agents}
    config |= {name: getattr(settings, name) for name in ("games", "seed", "openings", "random_opening")}
    said = ranking_sentence(found)
    target.write("compare", found.rows, config, lambda: round_robin_report(found, settings), found.summary, said)
    if not found.complete:
        leave_with_part("the games played so far")
