"""The command `watch`: a game between two agents, or one of a file, move by move."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.options import GAMES_FILE
from ttt_fast.cli.parsing import output_file
from ttt_fast.cli.signatures import argument, of_result

if TYPE_CHECKING:
    from ttt_fast import Game
    from ttt_fast.games import api

_PAUSE = 0.5
"""Seconds after each move in a terminal."""


@dataclass
class Shown(options.Drawn):
    """The output of a game: a terminal, move by move; rows; or a picture."""

    output: Annotated[
        Path | None,
        of_result(
            "--output -o FILE",
            "write the game to a file: as a picture (.svg), or as one row per move (.csv, .json, ...)",
            output_file,
        ),
    ] = None
    exact: options.Solved = False
    pause: Annotated[
        float | None, of_result("--pause SECONDS", "wait after each move (default: 0.5 in a terminal, otherwise 0)")
    ] = None

    def __post_init__(self) -> None:
        """Choose the format and the pause."""
        if self.pause is not None and not 0 <= self.pause <= 3600:
            raise UsageError(f"expected a pause of 0 to 3600 seconds, got {self.pause!r}")
        super().__post_init__()

    def show(
        self, game: "Game", agents: tuple[str, str], start: "api.GameState", config: dict[str, Any], **how: Any
    ) -> None:
        """Show the moves as they are played (see `annotated_game`), or write all of them to a file."""
        from ttt_fast.analysis.annotated import annotated_game
        from ttt_fast.report.console import render
        from ttt_fast.report.moves import game_row
        from ttt_fast.report.rows import write_bytes
        from ttt_fast.terminal.boards import turn_text
        from ttt_fast.terminal.moves import move_lines

        rows, parts, state = list[dict[str, Any]](), list[str](), start
        is_live = not self.is_picture and self.chosen == "table" and self.output is None
        pause = (_PAUSE if sys.stdout.isatty() else 0.0) if self.pause is None else self.pause
        for ply, view in enumerate(annotated_game(game, agents, start, exact=self.exact, **how), 1):
            rows.append(game_row(view, ply, agents))
            parts.append(render(move_lines(view, ply, agents)).rstrip("\n") + "\n")
            state = game.play(state, rows[-1]["action"])
            if is_live:
                write_bytes(f"{parts[-1]}\n".encode(), None)
                time.sleep(pause)
        end = f"{agents[0]} v {agents[1]}: {turn_text(game, state)}"
        if self.is_picture:
            self.draw(game.svg(start, [row["action"] for row in rows], end))
        elif is_live:
            typer.echo(render([end]), nl=False)
        else:
            self.write("watch", rows, config, lambda: "\n".join([*parts, render([end])]))


def watch(
    x: Annotated[str, argument("X", "agent that plays X; a file of games, as `review` reads it; or a line of moves")],
    start: options.Start,
    shown: Shown,
    o: Annotated[str | None, argument("O", "agent that plays O; if X is a file, the line of the game to show")] = None,
    game: options.Game = options.DEFAULT_GAME,
    seed: options.Seed = 0,
    fixed_seat: options.FixedSeat = None,
) -> None:
    """Show a game between two agents, or a recorded game, move by move, with the value of each move.

    Each agent shows its own estimate of the value, and the exact value is shown if it is known.  `watch games.jsonl 3`
    shows the game in line 3 of a file, and `watch 44453` a line of moves.  With --fixed-seat, the exact values are
    those against the agent of this seat.
    """
    from ttt_fast import Seat, parse_game

    is_file = Path(x).suffix == GAMES_FILE or (Path(x).is_file() and bool({*x} & {*"./\\"}))  # by its spelling
    is_line = o is None and x[:1].isdigit() and not is_file
    if fixed_seat is not None and (o is None or o.isdecimal()):
        raise UsageError("expected two agents with --fixed-seat, got one argument")
    if (o is None or o.isdecimal()) and not is_line:
        if Path(x).suffix != GAMES_FILE and not Path(x).is_file():
            raise UsageError(f"expected two agents, or a file of games and a line, got only {x!r}")
        if o is None:
            raise UsageError(f"expected the line of a game in {x!r}, got none; try `ttt-fast review {x} --moves`")
        if start.position is not None or seed:
            raise UsageError(f"expected no --seed or --position with the games of {x!r}, got one of them")
        _watch_file(Path(x), int(o), None if game == options.DEFAULT_GAME else game, shown)
        return
    played = parse_game(game)
    first = start.state(played)
    config: dict[str, Any] = {"game": game, "start": played.format_position(first)}
    if o is None:
        actions = played.parse_moves(x, first)
        options.allow_exact(played, shown.exact)
        shown.show(played, ("X", "O"), first, {**config, "line": x}, actions=actions)
        return
    options.allow_exact(played, shown.exact and fixed_seat is None)
    config |= {"x": x, "o": o, "seed": seed}
    table = None
    if fixed_seat is not None:
        from ttt_fast import induced_table

        config["fixed_seat"] = Seat(fixed_seat).text
        table = induced_table(x if fixed_seat == Seat.X else o, fixed_seat, played).table
    shown.show(played, (x, o), first, config, seed=seed, table=table)


def _watch_file(file: Path, line: int, game: str | None, shown: Shown) -> None:
    """Show a game of a file."""
    from ttt_fast.play.recorded import read_games

    games = read_games(file, game)
    players, start, actions = games.legal_line(line)
    options.allow_exact(games.game, shown.exact)
    shown.show(games.game, players, start, {"file": str(file), "game": line}, actions=actions)
