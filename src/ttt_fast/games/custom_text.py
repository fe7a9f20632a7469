"""Moves and positions of custom games as text."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ttt_fast.core.errors import BoardError
from ttt_fast.core.specs import near_names
from ttt_fast.games.api import GameState
from ttt_fast.games.graph import GraphState

Position = TypeVar("Position")
_BEFORE_NUMBER = "#"


class CustomText(Generic[Position]):
    """Moves and positions as text, from the texts that the rules give to actions and states.

    Blanks are removed from the text of an action.  If two actions share a text, all actions are numbered instead, from
    0.

    The text of a state is a single line, with '/' between the lines of a drawing.  If states share a text, '#' and the
    number of the state are appended.  This happens if the same position occurs after different numbers of plies.

    Parameters
    ----------
    name
        Name of the game, for messages.
    states
        The position, as the functions of the game represent it, for each state of the graph.
    text
        Returns the text of a position.
    words
        The text of each action.
    """

    def __init__(
        self, name: str, states: list[Position], text: Callable[[Position], str], words: Sequence[str]
    ) -> None:
        self._name, self._states, self._text = name, states, text
        words = ["".join(word.split()) for word in words]
        unique = len(set(words)) == len(words) and all(words)
        self._words = words if unique else [str(number) for number in range(len(words))]
        self._known: dict[str, int] = {}

    def split_moves(self, text: str) -> list[str]:
        """Return the moves of a line of play, separated by blanks."""
        return text.split()

    def parse_action(self, text: str, start: object) -> int:
        """Return the number of an action; raise BoardError if no action has this text."""
        if text not in self._words:
            near = " or ".join(near_names(text, self._words)[:3])
            raise BoardError(f"expected a move like {near}, got {text!r}")
        return self._words.index(text)

    def format_action(self, action: int) -> str:
        """Return the text of an action, the inverse of `parse_action`."""
        return self._words[action]

    def _line(self, index: int) -> str:
        return "/".join(self._text(self._states[index]).strip("\n").split("\n"))

    def _texts(self) -> dict[str, int]:
        """Return the states by their texts, with -1 for a text shared by several states."""
        if not self._known:
            for index in range(len(self._states)):
                line = self._line(index)
                self._known[line] = -1 if line in self._known else index
        return self._known

    def parse_position(self, text: str, start: GameState) -> GraphState:
        """Return the state with this text; raise BoardError if there is no such state."""
        line, mark, digits = text.rpartition(_BEFORE_NUMBER)
        index = self._texts().get(text.strip("\n").replace("\n", "/"), -1)
        if index < 0 and mark and digits.isascii() and digits.isdigit() and int(digits) < len(self._states):
            index = int(digits) if line in ("", self._line(int(digits))) else -1
        if index < 0:
            wanted = f"the text of a state of {self._name!r}, with # and its number where several share it"
            raise BoardError(f"expected {wanted}, got {text!r}")
        return GraphState(index, GraphState(*start).address)

    def format_position(self, state: GameState) -> str:
        """Return the text of a state, the inverse of `parse_position`."""
        number = GraphState(*state).number
        line = self._line(number)
        return line if self._texts()[line] >= 0 else f"{line}{_BEFORE_NUMBER}{number}"
