"""The command `exact`: the exact result of two agents."""

from typing import Annotated

import typer

from ttt_fast.cli import options


def exact(
    x: options.XAgent,
    o: options.OAgent,
    game: options.Game = "tic-tac-toe",
    large: options.Exact = False,
    random_opening: options.RandomOpening = False,
    board: options.Board = None,
    reach: Annotated[
        str | None,
        typer.Option("--reach", metavar="final|all", help="list the boards that the game can reach, with probability"),
    ] = None,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Compute the exact result of two agents: probabilities, fractions, game lengths."""
    from ttt_fast.agents.registry import parse_agent
    from ttt_fast.evaluate.exact_result import exact_result
    from ttt_fast.report import results, rows, tables

    chosen = rows.chosen_format(form, output)
    options.allow_large_table(game, large)
    policies = parse_agent(x, game), parse_agent(o, game)
    start = 0 if board is None else policies[0].table.state_index(board)
    truth = exact_result(*policies, start=start, random_opening=random_opening)
    if reach is not None:
        listing = results.reach_rows(truth, reach)
        title = f"{x} v {o}: {'final boards' if reach == 'final' else 'boards'} and their exact probability"
        rows.write_rows(
            chosen,
            output,
            "exact",
            listing,
            {"game": game, "x": x, "o": o, "reach": reach},
            lambda: tables.rows_report(listing, title),
        )
        return
    config = {"game": game, "x": x, "o": o, "random_opening": random_opening, "board": board}
    rows.write_rows(chosen, output, "exact", [results.exact_row(truth)], config, lambda: tables.exact_report(truth))
