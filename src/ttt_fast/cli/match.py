"""The command `match`: games between two agents, beside their exact result."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli.options import (
    Contests,
    Force,
    OAgent,
    Start,
    Target,
    XAgent,
    given_executor,
    leave_interrupted,
    leave_with_part,
    this_command,
)
from ttt_fast.cli.parsing import one_of
from ttt_fast.cli.signatures import option
from ttt_fast.core.specs import parse_count

EXIT_CODES = {"H1": 0, "H0": 10, "continue": 11}
"""Exit codes of a match with a test, by its decision."""


def match(
    x: XAgent,
    o: OAgent,
    shared: Contests,
    start: Start,
    target: Target,
    games: Annotated[
        str | None, option("--games -n N", "number of games (default: 1M; if played one by one: 1000)")
    ] = None,
    sprt: Annotated[
        str | None, option("--sprt ELO0,ELO1", "sequential test: stop when one of two Elo differences is accepted")
    ] = None,
    swap: Annotated[bool, option("--swap", "play half of the games with the seats swapped")] = False,
    seats: Annotated[
        str | None,
        option(
            "--seats ab|ba|both",
            "ab: seats as given; ba: swapped; both: half of the games each (default: ab, or both if played one by one)",
            one_of("seats", "ab", "ba", "both"),
        ),
    ] = None,
    rival: Annotated[
        str | None, option("--rival AGENT", "play the same match with AGENT as X, and test the difference")
    ] = None,
    save: Annotated[
        Path | None, option("--save FILE", "save counts (.npz), or games played one by one (.jsonl), during the match")
    ] = None,
    force: Force = False,
    resume: Annotated[Path | None, option("--resume FILE", "continue the match of such a file")] = None,
    chunk: Annotated[str, option("--chunk N", "games per chunk (affects the sample)")] = "2M",
) -> None:
    """Play N games between two agents, and print the exact result beside the sample.

    If either agent searches, or the game has no table, games are played one by one, in pairs with the seats swapped,
    and rated: score, Elo and their 95 % intervals, likelihood of superiority.  With --sprt the exit code is 0 if ELO1
    is accepted, 10 if ELO0 is accepted, and 11 if the test is undecided.
    """
    from ttt_fast import contest
    from ttt_fast.report.contests import contest_report
    from ttt_fast.report.progress import progress

    chunk_games = parse_count(chunk, "a number of games a chunk", minimum=1)
    fewest = 2 if swap or seats == "both" else 1
    settings = shared.settings(games, fewest, start, chunk_games=chunk_games, swap=swap, seats=seats)
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
