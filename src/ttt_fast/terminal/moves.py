"""A game move by move in a terminal: the board after each move, with exact values and the agents' analyses."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from ttt_fast import Seat
from ttt_fast.analysis.moves import MoveView
from ttt_fast.games import api
from ttt_fast.report.console import counted
from ttt_fast.terminal.boards import BoardView
from ttt_fast.terminal.positions import VALUE_NAMES, verdict


def move_lines(view: MoveView, ply: int, agents: Sequence[str]) -> Iterator[RenderableType]:
    """Yield the lines of a move: player, board after the move, both agents' analyses, exact value."""
    game, state, action = view.game, view.state, view.action
    assert action is not None
    seat = Seat(int(api.player(state)))
    yield Text(f"{ply}. {seat.text.upper()} {agents[seat - 1]} plays {game.format_moves([action])}", "bold")
    yield BoardView(game).draw(api.play(state, action), {}, action)
    for side, agent in zip("xo", agents, strict=True):
        if side in view.agents:  # not in a recorded game
            yield Text(f"{side.upper()} {agent}{_analysis(view, side, action)}")
    for place, move in enumerate(view.exact):
        if move.action == action:
            left = None if move.distance is None else move.distance - 1
            when = f" in {counted(left, 'more ply', 'more plies')}" if left else "" if left is None else " now"
            judged = verdict(view, place) or "a mistake"
            yield Text(f"exact: {VALUE_NAMES[move.value_x]}{when} ({judged})")
    yield Text("")


def _analysis(view: MoveView, side: str, action: int) -> str:
    """Return the analysis of a seat's agent as text: its probability of the move, and its value for X."""
    agent = view.agents[side]
    share = agent.probability(action)
    if share is None:
        return ": not learned"
    often = {0.0: "would not play it", 1.0: "plays it"}.get(share, f"plays it with probability {share:.4f}")
    worth = next((f"; value for X before it {view.sign * value:+.3f}" for value in agent.values.values()), "")
    return f" {often}{worth}"
