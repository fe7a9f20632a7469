"""The command `match`: games between two agents, beside their exact result."""

import typer

from ttt_fast.cli import options
from ttt_fast.cli.executors import given_executor
from ttt_fast.cli.interrupted import leave_interrupted, leave_with_part, this_command
from ttt_fast.cli.parsing import parse_count, parse_method, parse_seed, parse_sprt, parse_threads

EXIT_CODES = {"H1": 0, "H0": 10, "continue": 11}
"""Exit codes of a match with a test, by its decision."""


def match(
    x: options.XAgent,
    o: options.OAgent,
    games: options.Games = None,
    seed: options.Seed = "0",
    threads: options.Threads = None,
    game: options.Game = "tic-tac-toe",
    exact: options.Exact = False,
    openings: options.Openings = None,
    sprt: options.Sprt = None,
    executor: options.Executor = "threads",
    scheduler: options.Scheduler = None,
    method: options.Method = "play",
    random_opening: options.RandomOpening = False,
    board: options.Board = None,
    swap: options.Swap = False,
    rival: options.Rival = None,
    save: options.Save = None,
    resume: options.Resume = None,
    chunk: options.Chunk = "2M",
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Play N games between two agents, beside the exact result.

    Where somebody searches, or a game has no table, games are played one by one, in pairs with the seats swapped, and
    rated: score, Elo and their 95 % intervals, likelihood of superiority.  With --sprt the exit code is 0 if ELO1 is
    accepted, 10 if ELO0 is, 11 if the games did not decide.
    """
    from ttt_fast.play.contest import ContestConfig, contest, usual_games, way_of
    from ttt_fast.report.contests import contest_report
    from ttt_fast.report.progress import progress
    from ttt_fast.report.rows import chosen_format, write_rows

    options.announce_compilation()
    chosen, threads_used = chosen_format(form, output), parse_threads(threads)
    options.allow_large_table(game, exact)
    settings = ContestConfig(
        games=0 if games is None else parse_count(games, "a number of games", minimum=2 if swap else 1),
        seed=parse_seed(seed),
        method=parse_method(method),
        random_opening=random_opening,
        start=options.parse_board(game, board),
        chunk_games=parse_count(chunk, "a number of games a chunk", minimum=1),
        game=game,
        swap=swap,
        openings=openings,
    )
    test = None if sprt is None else parse_sprt(sprt)
    with given_executor(executor, scheduler) as pool:
        if games is None:
            way = way_of([x, o, *([] if rival is None else [rival])], settings, test, pool is not None)
            settings = usual_games(settings, way)
        with progress(settings.games, "games", f"{x} v {o}") as update:
            held = contest(
                x, o, settings, rival=rival, sprt=test, threads=threads_used, executor=pool, save_to=save,
                resume_from=resume, on_progress=update,
            )  # fmt: skip
    config = {**held.described, "games": settings.games, "sprt": sprt}
    write_rows(chosen, output, "match", held.rows, config, lambda: contest_report(held, game, test), held.summary)
    if not held.is_complete:
        if save is None and resume is None:
            leave_with_part("the games played so far (--save FILE makes it resumable)")
        leave_interrupted(this_command(resumed=True))
    if test is not None:
        raise typer.Exit(EXIT_CODES[held.decision])
