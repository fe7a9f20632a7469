"""The command `score`: the exact scorecard of a policy."""

from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.core.errors import UsageError


def score(
    policy: Annotated[str, typer.Argument(metavar="POLICY", help="a policy file or any agent")],
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="AGENT", help="a further opponent (may be repeated)")
    ] = None,
    game: options.Game = "tic-tac-toe",
    exact: options.Exact = False,
    by_state: Annotated[
        bool, typer.Option("--by-state", help="list its states instead: move, agreement, minimax value lost")
    ] = False,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Print the exact scorecard: results against random, minimax and its best response, agreement, proof."""
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.evaluate.scorecard import scorecard
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, output)
    options.allow_large_table(game, exact)
    judged = parse_agent(policy, game)
    if by_state:
        listing = results.judged_rows(judged)
        config = {"policy": policy, "game": game, "by_state": True}
        title = f"states of {policy}"
        rows.write_rows(chosen, output, "score", listing, config, lambda: tables.rows_report(listing, title))
        return
    opponents = dict.fromkeys([*(against or []), "random", "minimax"])
    card = scorecard(judged, [parse_agent(spec, game) for spec in opponents])
    if not card:
        raise UsageError(f"expected a policy that holds states, got none in {policy!r}")
    records = [row.as_row() for row in card]
    settings = {"policy": policy, "game": game, "against": against or []}
    rows.write_rows(chosen, output, "score", records, settings, lambda: tables.score_report(card))
