"""The command `page`: a page that plays a game, or a report about a policy, as one file for a browser."""

from pathlib import Path
from typing import Annotated

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.parsing import html_file
from ttt_fast.cli.signatures import argument, of_result, option


def page(
    policy: Annotated[str | None, argument("POLICY", "a policy file or an agent: make a report about it")] = None,
    output: Annotated[
        Path | None,
        of_result("--output -o FILE", "the .html file (default: page.html, or report.html with POLICY)", html_file),
    ] = None,
    agents: Annotated[
        str | None,
        option("--agents A,B", "agents on the page (default: minimax, heuribot, 'default', random)"),
    ] = None,
    game: options.Game = options.DEFAULT_GAME,
    fixed_seat: options.FixedSeat = None,
) -> None:
    """Make a web page on which a game can be played and every position is shown; with POLICY, a report on that policy.

    The page contains every position of a game, which may have at most 10,000 states, with the moves of each agent
    (`play --browser` has every game).  A report contains the scorecard, the learning curve, the openings, and boards
    with the worst mistakes.  With --fixed-seat the agent of this seat is POLICY or the first agent, and the page has
    only the positions that can arise against it.
    """
    if policy is not None and agents is not None:
        raise UsageError(f"expected a policy or --agents, got {policy!r} and --agents {agents!r}")
    if policy is None:
        _write_page(output or html_file("page.html"), agents, game, fixed_seat)
    else:
        _write_report(output or html_file("report.html"), policy, game, fixed_seat)


def _write_page(output: Path, agents: str | None, game: str, fixed_seat: int | None) -> None:
    """Write the page of a game and its agents."""
    from ttt_fast import AgentSpec, parse_game
    from ttt_fast.report.rows import write_bytes
    from ttt_fast.web.page_data import usual_agents
    from ttt_fast.web.render import page_html

    specs = usual_agents(parse_game(game)) if agents is None else AgentSpec.split(agents)
    content = page_html(game, specs, fixed_seat)
    write_bytes(content, output)
    typer.echo(f"saved {', '.join(specs)} in {output} ({len(content):,} bytes): open it in a browser", err=True)


def _write_report(output: Path, policy: str, game: str, fixed_seat: int | None) -> None:
    """Write the report about a policy."""
    from ttt_fast.report.rows import write_bytes
    from ttt_fast.web.report_page import fixed_report_html, report_html

    if fixed_seat is None:
        options.allow_large_table(game)
        content = report_html(policy, game)
    else:
        content = fixed_report_html(policy, game, fixed_seat)
    write_bytes(content, output)
    typer.echo(f"saved the report of {policy} in {output} ({len(content):,} bytes): open it in a browser", err=True)
