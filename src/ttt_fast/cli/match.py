"""The command `match`: games between two agents, beside their exact result."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli.interrupted import leave_interrupted, leave_with_part, this_command
from ttt_fast.cli.options import Board, Contests, Force, OAgent, Target, XAgent, given_executor
from ttt_fast.cli.parsing import one_of
from ttt_fast.cli.signatures import option
from ttt_fast.core.specs import parse_count

EXIT_CODES = {"H1": 0, "H0": 10, "continue": 11}
"""Exit codes of a match with a test, by its decision."""


def match(
    x: XAgent,
    o: OAgent,
    shared: Contests,
    target: Target,
    games: Annotated[str | None, option("--games -n N", "number of games (default: 1M; one by one 1000)")] = None,
    sprt: Annotated[
        str | None, option("--sprt ELO0,ELO1", "stop when it is clear which of two Elo differences is true")
    ] = None,
    board: Board = None,
    swap: Annotated[bool, option("--swap", "play half of the games with the seats swapped")] = False,
    seats: Annotated[
        str | None,
        option(
            "--seats ab|ba|both",
            "ab: the seats as named; ba: swapped; both: half of the games each (default: ab; one by one both)",
            one_of("seats", "ab", "ba", "both"),
        ),
    ] = None,
    rival: Annotated[
        str | None, option("--rival AGENT", "play the match with AGENT as X too and test the difference")
    ] = None,
    save: Annotated[
        Path | None, option("--save FILE", "keep counts (.npz), or games one by one (.jsonl), on the way")
    ] = None,
    force: Force = False,
    resume: Annotated[Path | None, option("--resume FILE", "go on with what such a file holds")] = None,
    chunk: Annotated[str, option("--chunk N", "games a chunk (part of the result)")] = "2M",
) -> None:
    """Play N games between two agents, beside the exact result.

    If either agent searches, or the game has no table, games are played one by one, in pairs with the seats swapped,
    and rated: score, Elo and their 95 % intervals, likelihood of superiority.  With --sprt the exit code is 0 if ELO1
    is accepted, 10 if ELO0 is, 11 if the games did not decide.
    """
    from ttt_fast import contest
    from ttt_fast.report.contests import contest_report
    from ttt_fast.report.progress import progress

    chunk_games = parse_count(chunk, "a number of games a chunk", minimum=1)
    fewest = 2 if swap or seats == "both" else 1
    settings = shared.settings(games, fewest, board, chunk_games=chunk_games, swap=swap, seats=seats)
    with given_executor(shared.executor, shared.scheduler, shared.threads) as pool:
        if games is None:
            agents = [x, o, *([] if rival is None else [rival])]
            settings = settings.with_usual_games(agents, sprt=sprt, executor=pool)
        with progress(settings.games, "games", f"{x} v {o}") as update:
            held = contest(
                x, o, settings, rival=rival, sprt=sprt, threads=shared.threads, executor=pool, save_to=save,
                resume_from=resume, overwrite=force, on_progress=update, on_interrupt="return",
            )  # fmt: skip
    config = {**held.described, "games": settings.games, "sprt": sprt}
    target.write("match", held.rows, config, lambda: contest_report(held, shared.game), held.summary)
    if not held.complete:
        if save is None and resume is None:
            leave_with_part("the games played so far (--save FILE makes it resumable)")
        leave_interrupted(this_command(resumed=True))
    if sprt is not None:
        raise typer.Exit(EXIT_CODES[held.decision])
