"""The command `perft`: count the lines of play of a game, and how fast."""

from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_count, parse_threads
from ttt_fast.core.errors import UsageError


def perft(
    game: options.Game = "connect4",
    depth: Annotated[str, typer.Option("--depth", "-d", metavar="N", help="count lines of 1 to N plies")] = "7",
    position: options.Position = None,
    moves: options.Moves = None,
    by_move: Annotated[bool, typer.Option("--by-move", help="list the lines of N plies by their first move")] = False,
    threads: options.Threads = None,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Count the lines of play of each length: the usual proof of the rules of a game, and of their speed."""
    from ttt_fast.games.registry import parse_game
    from ttt_fast.report import rows, tables
    from ttt_fast.report.perft import move_rows, perft_rows

    chosen = rows.chosen_format(form, output)
    threads_used = parse_threads(threads)
    plies = parse_count(depth, "a depth", minimum=1)
    if position is not None and moves is not None:
        raise UsageError("expected --position or --moves, got both")
    played = parse_game(game)
    start = played.initial_state if position is None else played.parse_position(position)
    if moves is not None:
        start = played.state_after(moves)
    options.announce_compilation()
    make = move_rows if by_move else perft_rows
    records = make(played, start, plies, threads_used)
    config = {"game": game, "depth": plies, "position": played.format_position(start)}
    title = f"lines of play of {game}" + (f", {plies} plies, by first move" if by_move else "")
    rows.write_rows(chosen, output, "perft", records, config, lambda: tables.rows_report(records, title))
