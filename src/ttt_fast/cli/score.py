"""The command `score`: the exact scorecard of a policy."""

from typing import Annotated

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.signatures import argument, option


def score(
    policy: Annotated[str, argument("POLICY", "a policy file or any agent")],
    target: options.Target,
    against: Annotated[list[str] | None, option("--against AGENT", "a further opponent (may be repeated)")] = None,
    game: options.Game = "tic-tac-toe",
    by_state: Annotated[
        bool, option("--by-state", "list its states instead: move, agreement, minimax value lost")
    ] = False,
) -> None:
    """Print the exact scorecard: results against random, minimax and its best response, agreement, proof."""
    from ttt_fast import as_policy, scorecard
    from ttt_fast.report import results, tables

    options.allow_large_table(game)
    judged = as_policy(policy, game)
    config = {"policy": policy, "game": game}
    if by_state:
        target.write("score", results.judged_rows(judged), {**config, "by_state": True}, f"states of {policy}")
        return
    opponents = dict.fromkeys([*(against or []), "random", "minimax"])
    card = scorecard(judged, [as_policy(spec, game) for spec in opponents])
    if not card:
        raise UsageError(f"expected a policy that holds states, got none in {policy!r}")
    settings = {**config, "against": against or []}
    rows = [row.as_row() for row in card]
    target.write("score", rows, settings, lambda: tables.score_report(rows))
