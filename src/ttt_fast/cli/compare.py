"""The command `compare`: every agent against every agent."""

from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.executors import given_executor
from ttt_fast.cli.interrupted import leave_with_part
from ttt_fast.cli.parsing import parse_count, parse_method, parse_seed, parse_threads


def compare(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="two or more agents")],
    games: options.GamesOfPair = None,
    seed: options.Seed = "0",
    threads: options.Threads = None,
    game: options.Game = "tic-tac-toe",
    exact: options.Exact = False,
    openings: options.Openings = None,
    executor: options.Executor = "threads",
    scheduler: options.Scheduler = None,
    method: options.Method = "play",
    random_opening: options.RandomOpening = False,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Set every agent against every agent, in both seats: matrices of exact and played results, and ratings."""
    from ttt_fast.play.contest import ContestConfig, usual_games, way_of
    from ttt_fast.play.round_robin import play_round_robin
    from ttt_fast.report.contests import round_robin_report
    from ttt_fast.report.progress import progress
    from ttt_fast.report.rows import chosen_format, write_rows

    options.announce_compilation()
    chosen, threads_used = chosen_format(form, output), parse_threads(threads)
    options.allow_large_table(game, exact)
    settings = ContestConfig(
        games=0 if games is None else parse_count(games, "a number of games"),
        seed=parse_seed(seed),
        method=parse_method(method),
        random_opening=random_opening,
        game=game,
        openings=openings,
    )
    with given_executor(executor, scheduler) as pool:
        if games is None:
            settings = usual_games(settings, way_of(agents, settings, remote=pool is not None), pairs=True)
        with progress(settings.games * len(agents) ** 2, "games", "compare") as update:
            found = play_round_robin(agents, settings, threads=threads_used, executor=pool, on_progress=update)
    config = {"game": game, "agents": agents, "games": settings.games, "seed": settings.seed, "openings": openings}
    config["random_opening"] = random_opening
    write_rows(
        chosen, output, "compare", found.rows, config, lambda: round_robin_report(found, game, random_opening),
        summary=found.summary,
    )  # fmt: skip
    if not found.is_complete:
        leave_with_part("the games played so far")
