"""The command `watch`: a game between two agents, move by move."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.parsing import output_file
from ttt_fast.cli.signatures import option

if TYPE_CHECKING:
    from ttt_fast import Game
    from ttt_fast.report.rows import Row

    Moves = Iterable[tuple[dict[str, Any], Any]]

Picture = Annotated[
    Path | None,
    option(
        "--output -o FILE", "write the game to a file: a picture (.svg), or its rows (.csv, .json, ...)", output_file
    ),
]
Pause = Annotated[float, option("--pause SECONDS", "wait after each move")]
Solved = Annotated[bool, option("--exact", "exact values also where they take long: large tables, Connect 4 solved")]


def watch(
    x: options.XAgent,
    o: options.OAgent,
    game: options.Game = "tic-tac-toe",
    seed: options.Seed = 0,
    board: options.Board = None,
    position: options.Position = None,
    moves: options.Moves = None,
    exact: Solved = False,
    pause: Pause = 0.0,
    form: options.Format = None,
    output: Picture = None,
) -> None:
    """Show a game between two agents move by move, with the values of both and the exact ones where they are known."""
    from ttt_fast import parse_game
    from ttt_fast.analysis.annotated import annotated_game

    played = parse_game(game)
    start = options.parse_start(played, board, position, moves)
    options.allow_exact(played, exact)
    shown = Shown(played, (x, o), pause, form, output)
    options.announce_compilation()
    config = {"game": game, "x": x, "o": o, "seed": seed, "start": played.format_position(start)}
    shown.show("watch", annotated_game(played, (x, o), start, seed=seed, exact=exact), start, config)


class Shown:
    """The output of a game: a terminal, move by move; rows; or a picture."""

    def __init__(
        self,
        game: "Game",
        agents: tuple[str, str],
        pause: float,
        form: str | None,
        output: Path | None,
    ) -> None:
        if not 0 <= pause <= 3600:
            raise UsageError(f"expected a pause of 0 to 3600 seconds, got {pause!r}")
        self.game, self.agents, self.pause, self.output = game, agents, pause, output
        self.picture = output is not None and output.suffix.lower() == ".svg"
        if self.picture and form is not None:
            raise UsageError(f"expected no --format beside a picture, got {form!r}")
        self.target = None if self.picture else options.Target(form, output)

    def show(self, command: str, moves: "Moves", start: Any, config: dict[str, Any]) -> None:
        """Show the moves (rows with the states after them) as they are played, or write all of them to a file."""
        from ttt_fast.report.console import render

        rows, actions, parts = list[dict[str, Any]](), list[int](), list[str]()
        is_live = self.target is not None and self.target.chosen == "table" and self.output is None
        state = start
        for row, state in moves:
            rows.append(row)
            actions.append(row["action"])
            parts.append(self._text(row, state))
            if is_live:
                typer.echo(parts[-1])
                time.sleep(self.pause)
        end = self._end(state)
        if self.picture:
            self._draw(start, actions, end)
        elif is_live:
            typer.echo(render([end]), nl=False)
        else:
            assert self.target is not None
            self.target.write(command, rows, config, lambda: "\n".join([*parts, render([end])]))

    def _text(self, row: "Row", state: Any) -> str:
        from ttt_fast.report.console import render
        from ttt_fast.terminal.moves import move_lines

        return render(move_lines(self.game, state, row, self.agents)).rstrip("\n") + "\n"

    def _end(self, state: Any) -> str:
        from ttt_fast.terminal.boards import turn_text

        return f"{self.agents[0]} v {self.agents[1]}: {turn_text(self.game, state)}"

    def _draw(self, start: Any, actions: list[int], end: str) -> None:
        options.write_picture(self.output, lambda: self.game.svg(start, actions, end))
