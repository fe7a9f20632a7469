"""Games of OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453): `openspiel:breakthrough(rows=4,columns=3)`.

Supported games have two players, perfect information, no chance, sequential moves and zero sum.  Two states of
OpenSpiel are treated as equal if their text, player and number of moves agree.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.games.custom import CustomGame, Rules, enumerate_game
from ttt_fast.games.peers import Peer
from ttt_fast.games.results import Status

_WANTED = {
    "dynamics": "SEQUENTIAL",
    "chance_mode": "DETERMINISTIC",
    "information": "PERFECT_INFORMATION",
    "utility": "ZERO_SUM",
    "reward_model": "TERMINAL",
}
"""The required game type, in OpenSpiel's terms."""


class _Position(NamedTuple):
    """The identity of a state: its text, the player to move (0, 1, below 0 at the end) and the number of moves."""

    text: str
    player: int
    move_number: int


class OpenSpielRules:
    """The rules of an OpenSpiel game over positions; each position keeps the first OpenSpiel state that led to it."""

    def __init__(self, spec: str, game: Any) -> None:
        self.spec = spec
        self.scale = float(game.max_utility())
        self.states: dict[_Position, Any] = {}
        self.words: dict[tuple[int, int], str] = {}
        self.initial = self.position(game.new_initial_state())

    def position(self, state: Any) -> _Position:
        """Return the position of a state; its actions must agree with the first state of that position."""
        found = _Position(str(state), state.current_player(), state.move_number())
        held, actions = self.states.setdefault(found, state), state.legal_actions()
        if held is state:
            for action in actions:
                if (found.player, action) not in self.words:
                    self.words[found.player, action] = state.action_to_string(action)
        elif (held.legal_actions(), held.returns()) != (actions, state.returns()):
            wanted = "a game whose states have different texts"
            raise UsageError(f"expected {wanted}, got {self.spec!r}, in which two states have the text {found.text!r}")
        return found

    def result(self, position: _Position) -> Status | None:
        """Return the result of a finished game, or None."""
        state = self.states[position]
        if not state.is_terminal():
            return None
        score = state.returns()[0]
        if abs(score) not in (0.0, self.scale):
            raise UsageError(
                f"expected a game that is won, drawn or lost, got {self.spec!r}, with a score of {score!r}"
            )
        return Status.DRAW if score == 0 else (Status.X_WINS if score > 0 else Status.O_WINS)

    def word(self, action: int) -> str:
        """Return the text of an action if it is the same for both players, otherwise its OpenSpiel number."""
        words = {self.words[player, action] for player in (0, 1) if (player, action) in self.words}
        return words.pop() if len(words) == 1 else str(action)

    def as_functions(self) -> Rules[_Position, int]:
        """Return the rules as functions of positions."""
        return Rules(
            legal_actions=lambda position: self.states[position].legal_actions(),
            play=lambda position, action: self.position(self.states[position].child(action)),
            result=self.result,
            player=lambda position: 1 + position.player,
            text=lambda position: position.text,
            action_text=self.word,
            is_stable=True,
        )


def load(spec: str) -> CustomGame:
    """Load and enumerate a game of OpenSpiel.

    Parameters
    ----------
    spec
        Name and parameters of the game in the syntax of `pyspiel.load_game`.

    Raises
    ------
    UsageError
        If OpenSpiel is not installed, the game does not exist, or its type is not supported.
    TableSizeError
        If the game has more than a million states, the limit for games of OpenSpiel.
    """
    return _enumerated(str(_loaded(spec)))


@contextmanager
def _silenced() -> Iterator[None]:
    """Discard standard error, to which OpenSpiel also writes the exceptions that it raises."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _reasons(spec: str) -> Iterator[None]:
    """Convert the exceptions of OpenSpiel, also those of its C++ library, to a UsageError."""
    try:
        yield
    except TttFastError:
        raise
    except (RuntimeError, ValueError, LookupError) as error:
        reason = str(error).partition("\n")[0].partition(". Available")[0]
        raise UsageError(f"expected a game of OpenSpiel, got 'openspiel:{spec}' ({reason})") from None


@lru_cache(maxsize=256)
def _loaded(spec: str) -> Any:
    """Return the OpenSpiel game of a text, checked for its type."""
    try:
        import pyspiel
    except ImportError:
        message = f"expected OpenSpiel for 'openspiel:{spec}' (pip install 'ttt-fast[rl]'), got no module pyspiel"
        raise UsageError(message) from None
    with _reasons(spec), _silenced():
        game = pyspiel.load_game(spec)
        kind = game.get_type()
    traits = {name: str(getattr(kind, name)).rpartition(".")[2] for name in _WANTED}
    wrong = [traits[name] for name, wanted in _WANTED.items() if traits[name] != wanted]
    wrong += [f"{game.num_players()} players"] * (game.num_players() != 2)
    if wrong:
        wanted = "two players, perfect information, no chance and one who wins what the other loses, at the end"
        raise UsageError(f"expected a game of {wanted}, got 'openspiel:{spec}' ({', '.join(wrong)})")
    return game


@cache
def _enumerated(name: str) -> CustomGame:
    """Return an enumerated game; OpenSpiel's action numbers are in the same order as those of the graph."""
    import pyspiel

    with _reasons(name):
        with _silenced():
            rules = OpenSpielRules(f"openspiel:{name}", pyspiel.load_game(name))
        found = enumerate_game(rules.spec, rules.initial, rules.as_functions())
    return found._replace(peer=Peer(name, sorted({action for _, action in rules.words})))
