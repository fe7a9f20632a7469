"""The command `replay`: the games saved by `match --save games.jsonl`."""

from pathlib import Path
from typing import Annotated

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.signatures import argument, option
from ttt_fast.cli.watch import Pause, Picture, Shown, Solved


def replay(
    file: Annotated[Path, argument("FILE", "games.jsonl of `match --save`")],
    game: Annotated[int | None, option("--game N", "show game N of the list, move by move")] = None,
    exact: Solved = False,
    pause: Pause = 0.0,
    form: options.Format = None,
    output: Picture = None,
) -> None:
    """List the games of a file, or show one of them move by move, with the exact values where they are known."""
    from ttt_fast import parse_game
    from ttt_fast.analysis.annotated import annotated_game
    from ttt_fast.play.contest import Contest
    from ttt_fast.report.console import rows_report

    found, rows = Contest.load_games(file)
    config = {"file": str(file), "game": game}
    if game is None:
        title = f"{file}: games of {found['game']}; --game N shows one"
        table = [{name: value for name, value in row.items() if name != "moves"} for row in rows]
        options.Target(form, output).write("replay", rows, config, lambda: rows_report(table, title))
        return
    if not 1 <= game <= len(rows):
        raise UsageError(f"expected a game from 1 to {len(rows)} of {str(file)!r}, got {game}")
    played, row = parse_game(found["game"]), rows[game - 1]
    options.allow_exact(played, exact)
    agents, start = (row["x"], row["o"]), played.initial_state
    shown = Shown(played, agents, pause, form, output)
    moves = annotated_game(played, agents, start, actions=played.parse_moves(row["moves"]), exact=exact)
    shown.show("replay", moves, start, config)
