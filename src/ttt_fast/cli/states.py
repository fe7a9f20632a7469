"""The commands `states` and `perft`: the states of a game, and the number and speed of its lines of play."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.options import leave_with_part
from ttt_fast.cli.parsing import output_file
from ttt_fast.cli.signatures import of_result, option
from ttt_fast.core.specs import parse_count

USUAL_DEPTH = 7


def states(
    game: options.Game = options.DEFAULT_GAME,
    form: options.RowFormat = None,
    output: Annotated[
        Path | None, of_result("--output -o FILE", "export all states to .parquet, .csv or .jsonl", output_file)
    ] = None,
) -> None:
    """Count the states by ply, outcome and symmetry class, or export the table of all of them."""
    from ttt_fast import table_of
    from ttt_fast.files import encode_frame
    from ttt_fast.report import states_table, tables
    from ttt_fast.report.rows import write_bytes

    target = options.Target(form, output)
    options.allow_large_table(game)
    if output is not None and target.chosen not in ("csv", "parquet", "jsonl"):
        raise UsageError(f"expected a .parquet, .csv or .jsonl file, got {str(output)!r}")
    table = table_of(game)
    if output is None:
        records = states_table.state_rows(table)
        target.write("states", records, {"game": game}, lambda: tables.states_report(records))
        return
    write_bytes(encode_frame(states_table.states_frame(table), target.chosen), output)
    typer.echo(f"saved {table.num_states:,} states to {output}", err=True)


def perft(
    start: options.Start,
    target: options.Target,
    game: options.Game = "connect4",
    depth: Annotated[str | None, option("--depth -d N", "count lines of 1 to N plies (default: 7)")] = None,
    by_move: Annotated[bool, option("--by-move", "count the lines of N plies for each first move")] = False,
    threads: options.Threads = None,
) -> None:
    """Count the lines of play of each length, the usual test of the correctness and speed of move generation."""
    from ttt_fast import parse_game
    from ttt_fast.games import api
    from ttt_fast.report.progress import progress
    from ttt_fast.search.perft import perft_rows

    played = parse_game(game)
    state = start.state(played)
    most = max(1, api.max_plies(state) - api.ply(state))
    left = f"{most}, the most plies that are left in {played.spec}"
    plies = min(USUAL_DEPTH, most) if depth is None else parse_count(depth, "a depth", 1, most, left)

    records: list[dict[str, Any]] = []
    complete = True
    with progress(100, "%", played.spec) as update:

        def show(depth: int, done: int, total: int) -> None:
            update(100 * done // total, f"{depth} plies, {done} of {total} subtrees")

        try:
            for row in perft_rows(played, state, plies, threads, by_action=by_move, on_progress=show):
                records.append(row)
        except KeyboardInterrupt:
            if not records:
                raise
            complete = False
    config = {"game": game, "depth": plies, "position": played.format_position(state)}
    title = f"lines of play of {game}" + (f", {plies} plies, by first move" if by_move else "")
    target.write("perft", records, config, title)
    if not complete:
        leave_with_part("the depths counted so far")
