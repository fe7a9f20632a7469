"""The command `report`: a page about one policy."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.signatures import argument


def report(
    policy: Annotated[str, argument("POLICY", "a policy file or any agent")],
    output: options.HtmlOutput = Path("report.html"),
    game: options.Game = "tic-tac-toe",
) -> None:
    """Make a page about a policy: scorecard, curve of its training, openings, and the worst mistakes as boards."""
    from ttt_fast.report.rows import write_bytes
    from ttt_fast.web.report_page import report_html

    options.check_html(output)
    options.announce_compilation()
    options.allow_large_table(game)
    content = report_html(policy, game)
    write_bytes(content, output)
    typer.echo(f"saved the report of {policy} in {output} ({len(content):,} bytes): open it in a browser", err=True)
