"""The command `compare`: a round robin of agents."""

from typing import Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli.options import Contests, Target, given_executor, leave_with_part
from ttt_fast.cli.signatures import argument, option


def compare(
    agents: Annotated[list[str], argument("AGENT...", "two or more agents")],
    shared: Contests,
    target: Target,
    games: Annotated[
        str | None,
        option("--games -n N", "games of each pair (default: 1M; if played one by one: 100); 0: exact results only"),
    ] = None,
) -> None:
    """Compare every pair of agents in both seats: matrices of exact and sampled results, and ratings."""
    from ttt_fast import contest
    from ttt_fast.report.contests import round_robin_report
    from ttt_fast.report.progress import progress

    if len(agents) < 2:
        raise UsageError(f"expected two or more agents, got {agents[0]!r} alone")
    settings = shared.settings(games)
    with given_executor(shared.executor, shared.scheduler, shared.threads) as pool:
        if games is None:
            settings = settings.with_usual_games(agents, executor=pool, round_robin=True)
        with progress(settings.games * len(agents) ** 2, "games", "compare") as update:
            found = contest(
                agents,
                config=settings,
                threads=shared.threads,
                executor=pool,
                on_progress=update,
                on_interrupt="return",
            )
    for agent, seat in found.described["left_out"]:
        typer.echo(f"policy {agent!r} holds no state of {seat.text.upper()}: left out", err=True)
    config = {"game": settings.game, "agents": agents}
    config |= {name: getattr(settings, name) for name in ("games", "seed", "openings", "random_opening")}
    target.write("compare", found.rows, config, lambda: round_robin_report(found, settings), found.summary)
    if not found.complete:
        leave_with_part("the games played so far")
