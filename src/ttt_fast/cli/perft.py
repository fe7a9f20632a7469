"""The command `perft`: the number of lines of play of a game, and the speed of counting them."""

from typing import Annotated, Any

import typer

from ttt_fast.cli import options
from ttt_fast.cli.interrupted import leave_with_part
from ttt_fast.cli.signatures import option
from ttt_fast.core.specs import parse_count

USUAL_DEPTH = 7
LONG_SECONDS = 60.0
"""A count that may take longer than this, in seconds, is announced."""


def perft(
    target: options.Target,
    game: options.Game = "connect4",
    depth: Annotated[str | None, option("--depth -d N", "count lines of 1 to N plies (default: 7)")] = None,
    position: options.Position = None,
    moves: options.Moves = None,
    by_move: Annotated[bool, option("--by-move", "list the lines of N plies by their first move")] = False,
    threads: options.Threads = None,
) -> None:
    """Count the lines of play of each length: the usual proof of the rules of a game, and of their speed."""
    from ttt_fast import parse_game
    from ttt_fast.games import api
    from ttt_fast.report.console import long_time
    from ttt_fast.report.progress import progress
    from ttt_fast.search.perft import perft_rows

    played = parse_game(game)
    start = options.parse_start(played, position=position, moves=moves)
    most = max(1, api.max_plies(start) - api.ply(start))
    left = f"{most}, the most plies that are left in {played.spec}"
    plies = min(USUAL_DEPTH, most) if depth is None else parse_count(depth, "a depth", 1, most, left)
    options.announce_compilation()

    def warn(seconds: float) -> None:
        if seconds > LONG_SECONDS:
            ends = "ends it" if by_move else "ends it with the depths counted so far"
            typer.echo(f"{plies} plies may take {long_time(seconds)}; Ctrl-C {ends}", err=True)

    def show(depth: int, done: int, total: int) -> None:
        update(100 * done // total, f"{depth} plies, {done} of {total} subtrees")

    rows = perft_rows(played, start, plies, threads, by_action=by_move, on_forecast=warn, on_progress=show)
    records: list[dict[str, Any]] = []
    complete = True
    with progress(100, "%", played.spec) as update:
        try:
            for row in rows:
                records.append(row)
        except KeyboardInterrupt:
            if not records:
                raise
            complete = False
    config = {"game": game, "depth": plies, "position": played.format_position(start)}
    title = f"lines of play of {game}" + (f", {plies} plies, by first move" if by_move else "")
    target.write("perft", records, config, title)
    if not complete:
        leave_with_part("the depths counted so far")
