"""The command `states`: the states of a game, counted or exported."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.parsing import output_file
from ttt_fast.cli.signatures import option


def states(
    game: options.Game = "tic-tac-toe",
    form: options.Format = None,
    output: Annotated[
        Path | None, option("--output -o FILE", "export all states to .parquet, .csv or .jsonl", output_file)
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
