"""The command `perft`: count the lines of play of a game, and how fast."""

from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_count, parse_threads
from ttt_fast.core.errors import UsageError

USUAL_DEPTH = 7
EXIT_INTERRUPTED = 130


def perft(
    game: options.Game = "connect4",
    depth: Annotated[
        str | None, typer.Option("--depth", "-d", metavar="N", help="count lines of 1 to N plies (default: 7)")
    ] = None,
    position: options.Position = None,
    moves: options.Moves = None,
    by_move: Annotated[bool, typer.Option("--by-move", help="list the lines of N plies by their first move")] = False,
    threads: options.Threads = None,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Count the lines of play of each length: the usual proof of the rules of a game, and of their speed."""
    from ttt_fast.games import api
    from ttt_fast.games.registry import parse_game
    from ttt_fast.report import perft as counting
    from ttt_fast.report import rows, tables

    chosen = rows.chosen_format(form, output)
    threads_used = parse_threads(threads)
    asked = None if depth is None else parse_count(depth, "a depth", minimum=1)
    if position is not None and moves is not None:
        raise UsageError("expected --position or --moves, got both")
    played = parse_game(game)
    start = played.initial_state if position is None else played.parse_position(position)
    if moves is not None:
        start = played.state_after(moves)
    most = max(1, api.max_plies(start) - api.ply(start))
    if asked is not None and asked > most:
        left = f"the most plies that are left in {played.spec}"
        raise UsageError(f"expected a depth from 1 to {most}, {left}, got {depth!r}")
    plies = min(USUAL_DEPTH, most) if asked is None else asked
    options.announce_compilation()
    seconds = counting.forecast_seconds(start, plies, threads_used)
    if seconds > counting.LONG_SECONDS:
        ends = "ends it" if by_move else "ends it with the depths counted so far"
        typer.echo(f"{plies} plies may take {counting.long_time(seconds)}; Ctrl-C {ends}", err=True)
    if by_move:
        records, complete = counting.move_rows(played, start, plies, threads_used), True
    else:
        records, complete = counting.perft_rows(played, start, plies, threads_used)
    config = {"game": game, "depth": plies, "position": played.format_position(start)}
    title = f"lines of play of {game}" + (f", {plies} plies, by first move" if by_move else "")
    rows.write_rows(chosen, output, "perft", records, config, lambda: tables.rows_report(records, title))
    if not complete:
        typer.echo("interrupted; the table holds the depths counted so far", err=True)
        raise typer.Exit(EXIT_INTERRUPTED)
