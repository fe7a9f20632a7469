"""The command `match`: games between two agents, beside their exact result."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli.options import (
    GAMES_FILE,
    Contests,
    Force,
    OAgent,
    Start,
    Target,
    XAgent,
    leave_interrupted,
    leave_with_part,
    this_command,
)
from ttt_fast.cli.parsing import one_of
from ttt_fast.cli.signatures import of_run, option
from ttt_fast.core.specs import parse_count

EXIT_CODES = {"H1": 0, "H0": 10, "continue": 11}
"""Exit codes of a match with a test, by its decision."""

_Sprt = Annotated[
    str | None,
    option(
        "--sprt ELO0,ELO1",
        "sequential test of two hypotheses about the Elo difference: stop when one is accepted; score and Elo are then"
        " biased, since the games decide when it stops",
    ),
]
_Seats = Annotated[
    str | None,
    option(
        "--seats ab|ba|both",
        "ab: seats as given; ba: swapped; both: half of the games each (default: ab; both if played game by game)",
        one_of("the value of --seats", "ab", "ba", "both"),
    ),
]
_Save = Annotated[
    Path | None,
    of_run(
        "--save FILE",
        "write to this file during the match: counts of final boards (.npz), or every game (.jsonl), which is then"
        " played game by game",
    ),
]
_Chunk = Annotated[
    str, of_run("--chunk N", "games per chunk; each chunk has its own random stream, so this number affects the sample")
]


def match(
    x: XAgent,
    o: OAgent,
    shared: Contests,
    start: Start,
    target: Target,
    games: Annotated[
        str | None, option("--games -n N", "number of games (default: 1M, or 1000 if played game by game)")
    ] = None,
    sprt: _Sprt = None,
    seats: _Seats = None,
    save: _Save = None,
    force: Force = False,
    resume: Annotated[Path | None, of_run("--resume FILE", "continue the match that --save wrote to this file")] = None,
    chunk: _Chunk = "2M",
) -> None:
    """Play N games between two agents, and print the sampled result beside the exact one.

    If an agent searches, or the game has no state table, the match is played game by game: each opening is played
    twice, with the seats swapped.  The output then contains the score and the Elo difference with their 95 % intervals,
    and the likelihood of superiority.

    With --sprt the exit code is 0 if ELO1 is accepted, 10 if ELO0 is accepted, and 11 if the test is undecided.
    """
    from ttt_fast import parse_agent
    from ttt_fast.report.contests import contest_report, contest_sentence

    chunk_games = parse_count(chunk, "a number of games per chunk", minimum=1)
    fewest = 2 if seats == "both" else 1
    if shared.openings is None and str(save or resume).endswith(GAMES_FILE):
        shared.openings = "none"  # single games, which the file keeps, also of two policies
    settings = shared.settings(games, fewest, position=start.position, chunk_games=chunk_games, seats=seats)
    held, number = shared.hold(
        settings, games, f"{x} v {o}", parse_agent(x), parse_agent(o),
        sprt=sprt, save_to=save, resume_from=resume, overwrite=force,
    )  # fmt: skip
    config = {**held.described, "games": number, "sprt": sprt}
    rows = held.rows
    said = contest_sentence(held, rows)
    target.write("match", rows, config, lambda: contest_report(held, rows, shared.game), held.summary, said)
    if not held.complete:
        if save is None and resume is None:
            leave_with_part("the games played so far (--save FILE makes it resumable)")
        leave_interrupted(this_command(resumed=True))
    if sprt is not None:
        raise typer.Exit(EXIT_CODES[held.decision])
