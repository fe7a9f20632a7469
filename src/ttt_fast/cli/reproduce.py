"""The command `reproduce`: published results, beside the exact values."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.errors import UsageError


def reproduce(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="base: all published tables that need no learning")],
    results: Annotated[
        Path, typer.Option("--results", metavar="FOLDER", help="write the pages below this folder")
    ] = Path("results"),
    form: options.Format = None,
) -> None:
    """Reproduce published tables: each cell beside the exact value, with a verdict."""
    from ttt_fast.report import rows, tables
    from ttt_fast.studies import base

    chosen = rows.chosen_format(form, None)
    if study != "base":
        raise UsageError(f"expected a study of base, got {study!r}")
    folder = results / study
    records = base.run(folder)
    shown = ("source", "cell", "quantity", "published", "exact", "sigmas", "verdict")
    listing = [{key: row[key] for key in shown} for row in records]
    rows.write_rows(
        chosen,
        None,
        "reproduce",
        records,
        {"study": study},
        lambda: tables.rows_report(listing, "published base tables"),
    )
    counts = ", ".join(f"{count} {name}" for name, count in base.verdict_counts(records).items())
    typer.echo(f"{counts}; the page is {folder / 'README.md'}", err=True)
