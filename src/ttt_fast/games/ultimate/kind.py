"""Ultimate as a family of games, and the modules that implement further functions for its types of states."""

from dataclasses import replace
from math import inf
from typing import Any, Final

from ttt_fast.core import jit
from ttt_fast.core.specs import Option
from ttt_fast.games.api import NO_ACTION
from ttt_fast.games.game import GameKind
from ttt_fast.games.peers import NO_BOARD, Peer
from ttt_fast.games.ultimate import (
    duplicates as duplicates,  # every type of state is known before a kernel is compiled
    rules,
    stay,
    text,
)

FEATURES: Final = "small boards"
"""The features by which TD(lambda) values positions."""

for _state_type in (rules.UltimateState, stay.StayState):
    for _declaring, _implementing in (
        ("search.rewards.api", "search.ultimate.rewards"),
        ("search.rollouts", "search.ultimate.playout"),
        ("values.inputs", "values.ultimate.inputs"),
    ):
        jit.note_elsewhere(_state_type, f"ttt_fast.{_declaring}", f"ttt_fast.{_implementing}")


class UltimatePeer(Peer):
    """Ultimate in OpenSpiel, in which a free move begins with the choice of a board."""

    def steps(self, state: Any, action: int) -> tuple[int, ...]:
        """Return the cell of an action; on a free move, its board first."""
        board = rules.divide_by_9(action)
        cell = action - 9 * board
        return (board, cell) if state.target == rules.ANYWHERE else (cell,)

    def action(self, state: Any, board: int, step: int) -> int:
        """Return the action of a cell in the chosen board, otherwise in the target board; -1 if there is neither."""
        target = state.target if board == NO_BOARD else board
        return NO_ACTION if target == rules.ANYWHERE else 9 * target + step


def peer(start: rules.UltimateState) -> Peer | None:
    """Return the counterpart in OpenSpiel of Ultimate with its usual rules; None for other rules."""
    is_usual = not isinstance(start, stay.StayState) and start.tie == rules.TIE_DRAW
    return UltimatePeer("ultimate_tic_tac_toe") if is_usual else None


def _initial_state(tie: str, closed: str) -> rules.UltimateState:
    ending = rules.TIE_BOARDS if tie == "boards" else rules.TIE_DRAW
    return stay.initial_state(ending) if closed == "stay" else rules.initial_state(ending)


_STAYING = GameKind(
    "nine small boards on a large one; the cell of a move names the board of the next",
    {
        "tie": Option.one_of("draw|boards", "no line and no move left: a draw, or the player with more boards wins"),
        "closed": Option.one_of("free|stay", "sent to a won board: a free move, or it stays in play while it has room"),
    },
    _initial_state,
    lambda state: inf,
    text,
    board="boards",
    small_boards=text.small_boards,
    open_spiel=peer,
)
ULTIMATE: Final = replace(_STAYING, features=FEATURES, of_states={stay.StayState: _STAYING})
