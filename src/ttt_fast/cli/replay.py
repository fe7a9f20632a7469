"""The command `replay`: the games that `match --save games.jsonl` kept."""

from pathlib import Path
from typing import Annotated

from ttt_fast.cli import options
from ttt_fast.cli.signatures import argument, option
from ttt_fast.cli.watch import Pause, Picture, Shown, Solved, analysis_of
from ttt_fast.core.errors import UsageError


def replay(
    file: Annotated[Path, argument("FILE", "games.jsonl of `match --save`")],
    game: Annotated[int | None, option("--game N", "show game N of the list, move by move")] = None,
    exact: Solved = False,
    pause: Pause = 0.0,
    form: options.Format = None,
    output: Picture = None,
) -> None:
    """List the games of a file, or show one of them move by move, with the exact values where they are known."""
    from ttt_fast.core.archive import read_bytes
    from ttt_fast.core.text import printable
    from ttt_fast.games.registry import parse_game
    from ttt_fast.play.game_file import parse_games
    from ttt_fast.play.narrated import recorded_game
    from ttt_fast.report.console import rows_report
    from ttt_fast.report.moves import game_rows

    found, games = parse_games(file, read_bytes(file))
    records = [record for record, _ in games]
    config = {"file": str(file), "game": game}
    if game is None:
        title = f"{file}: games of {found['game']}; --game N shows one"
        rows = game_rows(records)
        table = [{name: value for name, value in row.items() if name != "moves"} for row in rows]
        options.Target(form, output).write("replay", rows, config, lambda: rows_report(table, title))
        return
    if not 1 <= game <= len(records):
        raise UsageError(f"expected a game from 1 to {len(records)} of {str(file)!r}, got {game}")
    played, record = parse_game(found["game"]), records[game - 1]
    shown = Shown(played, (printable(record.x), printable(record.o)), analysis_of(played, exact), pause, form, output)
    actions = played.parse_moves(record.moves)
    shown.show("replay", recorded_game(actions, played.initial_state), played.initial_state, config)
