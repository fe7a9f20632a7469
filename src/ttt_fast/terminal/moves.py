"""A game move by move in a terminal: the board after each move, with exact values and the agents' analyses."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ttt_fast import Game
from ttt_fast.games import api
from ttt_fast.report.rows import Row
from ttt_fast.terminal.boards import BoardView
from ttt_fast.terminal.positions import VALUE_NAMES, verdict


def move_lines(game: Game, after: api.GameState, row: Row, agents: Sequence[str]) -> list[RenderableType]:
    """Return the lines for the row of a move: player, board after the move, both agents' analyses, exact value."""
    view = BoardView(game)
    lines: list[RenderableType] = [
        Text(f"{row['ply']}. {row['player'].upper()} {row['agent']} plays {row['move']}", "bold"),
        view.draw(after, {}, row["action"]),
    ]
    lines += [Text(line) for line in _views(row, agents)]
    if row["value_x"] is not None:
        judged = verdict(row, 1 if row["player"] == "x" else -1) or "a mistake"
        left = row["distance"] - 1
        when = f" in {left} more {'ply' if left == 1 else 'plies'}" if left else " now"
        lines.append(Text(f"exact: {VALUE_NAMES[row['value_x']]}{when} ({judged})"))
    return [*lines, Text("")]


def _views(row: Row, agents: Sequence[str]) -> list[str]:
    """Return the agents' analyses as text: their values for X, and their probabilities of the move."""
    lines = []
    for side, agent in zip("xo", agents, strict=True):
        value, share = row[f"{side}_value"], row[f"{side}_probability"]
        if share is None:
            if row[f"{row['player']}_probability"] is not None:  # otherwise it is a recorded game, without views
                lines.append(f"{side.upper()} {agent}: not learned")
            continue
        often = {0.0: "would not play it", 1.0: "plays it"}.get(share, f"plays it with probability {share:.4f}")
        worth = "" if value is None else f"; value for X before it {value:+.3f}"
        lines.append(f"{side.upper()} {agent} {often}{worth}")
    return lines
