"""The command `exact`: the exact result of two agents."""

from typing import Annotated, Any

from ttt_fast.cli import options
from ttt_fast.cli.signatures import option


def exact(
    x: options.XAgent,
    o: options.OAgent,
    target: options.Target,
    game: options.Game = "tic-tac-toe",
    random_opening: options.RandomOpening = False,
    board: options.Board = None,
    reach: Annotated[
        str | None, option("--reach final|all", "list the boards that the game can reach, with probability")
    ] = None,
) -> None:
    """Compute the exact result of two agents: probabilities, fractions, game lengths.

    The table of the game is made for it, as large as the memory allows; `ttt-fast tables` lists those that are kept.
    """
    from ttt_fast import as_policy, exact_outcome
    from ttt_fast.report import tables

    options.allow_large_table(game)
    policies = as_policy(x, game), as_policy(o, game)
    start = 0 if board is None else policies[0].table.state_index(board)
    found = exact_outcome(*policies, start=start, random_opening=random_opening)
    config: dict[str, Any] = {"game": game, "x": x, "o": o}
    if reach is not None:
        title = f"{x} v {o}: {'final boards' if reach == 'final' else 'boards'} and their exact probability"
        target.write("exact", found.reach_rows(reach), {**config, "reach": reach}, title)
        return
    config |= {"random_opening": random_opening, "board": board}
    row = found.row()
    target.write("exact", [row], config, lambda: tables.exact_report(row))
