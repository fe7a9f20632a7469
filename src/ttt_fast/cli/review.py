"""The command `review`: the exact mistakes in recorded games."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import EXIT_FAILED, options
from ttt_fast.cli.parsing import one_of
from ttt_fast.cli.signatures import argument, of_game, option

_parse_first = one_of("--first-action", "0", "1")
_SHOWN = 10
"""Lines without a game that are named."""


def review(
    file: Annotated[Path, argument("FILE", "lines of moves (.txt), columns (.csv, .parquet), or saved games (.jsonl)")],
    target: options.Target,
    game: Annotated[str | None, of_game("--game GAME", "default: that of saved games, otherwise tic-tac-toe")] = None,
    exact: options.Exact = False,
    moves: Annotated[bool, option("--moves", "a row for each move, with the exact value of every legal move")] = False,
    actions: Annotated[bool, option("--actions", "read moves as numbers of actions, from 0")] = False,
    first_action: Annotated[
        str | None,
        option("--first-action 0|1", "the number of action 0, if moves are numbers of actions", _parse_first),
    ] = None,
    strict: Annotated[bool, option("--strict", "exit with code 1 if a line is no game")] = False,
    threads: options.Threads = None,
) -> None:
    """Judge recorded games of people, models and programs: exact mistakes by player.

    Each line may have two names before the moves, and a result after them: `ann bob 41028 x`.  The words illegal, none
    and timeout stand for a move that was not made.  Moves are judged by the table of the game, or by the solver of
    Connect 4; late moves of Ultimate by a search.  All other moves are counted and not judged.
    """
    from ttt_fast.analysis.review import Review
    from ttt_fast.core.errors import printable
    from ttt_fast.files import environment
    from ttt_fast.play.recorded import read_games
    from ttt_fast.report.review import review_report

    number = int(first_action) if first_action is not None else 0 if actions else None
    games = read_games(file, game, first_action=number)
    options.allow_large_table(games.game, exact)
    found = Review(games, threads or int(environment()["cores"]))
    rows = list(found.move_rows()) if moves else found.rows()
    config = {"file": str(file), "game": games.game.spec, "moves": moves, "first_action": number}
    target.write("review", rows, config, lambda: review_report(rows, games.game.spec))
    for line, text in found.malformed[:_SHOWN]:
        typer.echo(printable(f"line {line}: {text}"), err=True)
    if len(found.malformed) > _SHOWN:
        typer.echo(f"and {len(found.malformed) - _SHOWN:,} more lines without a game", err=True)
    if strict and found.malformed:
        raise typer.Exit(EXIT_FAILED)
