"""Custom games: rules as plain Python functions of hashable states, enumerated once and converted to a graph.

A state of the graph is a state of the functions together with its number of plies, so that every action adds a ply.
The functions are called once for each of their states, or twice if their results might change.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, TypeVarTuple, cast

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import TableSizeError, TttFastError, UsageError
from ttt_fast.core.external import error_line
from ttt_fast.games.custom_text import CustomText
from ttt_fast.games.graph import GameGraph, GraphState, initial_state
from ttt_fast.games.peers import Peer
from ttt_fast.games.results import DRAW, O_WINS, ONGOING, X_WINS, Seat, Status
from ttt_fast.running.progress import report_progress

Position = TypeVar("Position", bound=Hashable)
Move = TypeVar("Move", bound=Hashable)
Value = TypeVar("Value")
Given = TypeVarTuple("Given")

MAX_STATES = 1_000_000
"""Number of states at which an enumeration stops with an error."""
MAX_ACTIONS = 256
"""Limit on the number of actions, which are stored as bytes."""
MAX_PLIES = 127
"""Limit on the number of plies, which a state table stores as signed bytes."""
_TRIED_LINES = 8
_TOLD_STATES = 10_000
"""States between two progress reports."""
_STATUS: dict[Hashable, int] = {1: X_WINS, 0: DRAW, -1: O_WINS}


class Rules(NamedTuple, Generic[Position, Move]):
    """The functions of a game; states and actions are any hashable objects.

    Attributes
    ----------
    legal_actions
        Returns the legal actions of an ongoing state.
    play
        Returns the state after an action; it must not modify the state that it is given.
    result
        Returns None while the game is not over, then 1 (X has won), 0 (a draw) or -1 (O has won); or a `Status`.
    player
        Returns the player to move in an ongoing state: 1 or 'x', 2 or 'o'.  If it is None, X and O alternate.
    text, action_text
        Return the text of a state and of an action.
    observe
        Returns the features of a state, always equally many integers from -127 to 127; None: the bits of its number.
    is_stable
        Whether the results are known never to change, so that each function is called only once.
    """

    legal_actions: Callable[[Position], Iterable[Move]]
    play: Callable[[Position, Move], Position]
    result: Callable[[Position], Hashable]
    player: Callable[[Position], int | str] | None = None
    text: Callable[[Position], str] = str
    action_text: Callable[[Move], str] = str
    observe: Callable[[Position], Sequence[int]] | None = None
    is_stable: bool = False


class _Expansion(NamedTuple, Generic[Position, Move]):
    """The results of the game's functions for a position; `mover` is 0 if the number of plies determines the player."""

    status: int
    mover: int
    actions: list[Move]
    children: list[Position]


class _Enumeration(Generic[Position, Move]):
    """The states enumerated so far, level by level."""

    def __init__(self, name: str, rules: Rules[Position, Move], limit: int) -> None:
        self.name, self.rules, self.limit = name, rules, limit
        self.known: dict[Position, _Expansion[Position, Move]] = {}
        self.actions: dict[Move, None] = {}
        self.states: list[Position] = []
        self.parents = [0]
        self.ply_start = [0]
        self.children: list[int] = []

    def try_lines(self, initial: Position) -> None:
        """Play some games first, to reject at once a game that is too long or has too many actions."""
        for first in range(_TRIED_LINES):
            line = [initial]
            while children := self.results_of(line[-1]).children:
                line.append(children[(first + len(line) ** 2) % len(children)])
                if len(line) > MAX_PLIES + 1:
                    raise self.endless(line)

    def enumerate_states(self, initial: Position) -> None:
        """Enumerate the states from the initial state to the end of every game."""
        level = [initial]
        while level:
            self.states += level
            if len(self.ply_start) > MAX_PLIES + 1:
                raise self.endless(self.last_line())
            self.ply_start.append(len(self.states))
            below: dict[Position, int] = {}
            for number, state in enumerate(level, self.ply_start[-2]):
                for child in self.results_of(state).children:
                    index = below.setdefault(child, len(self.parents))
                    if index == len(self.parents):
                        self.parents.append(number)
                    self.children.append(index)
                if number % _TOLD_STATES == 0 and number:
                    report_progress(f"states of {self.name}", len(self.parents), None, "states")
                if len(self.parents) > self.limit:
                    self.states += below
                    raise self.endless(self.last_line(), too_many=True)
            level = list(below)

    def last_line(self) -> list[Position]:
        """Return the states on the path to the last state."""
        line, index = list[Position](), len(self.states) - 1
        while index:
            line.append(self.states[index])
            index = self.parents[index]
        return [self.states[0], *reversed(line)]

    def endless(self, line: list[Position], too_many: bool = False) -> UsageError:
        """Return the error for a game that is too long or too large; a line of play may repeat a state."""
        again = next((state for place, state in enumerate(line) if state in line[:place]), None)
        if again is not None:
            return UsageError(f"expected a game that ends, got {shown(again)} again after itself in {self.name!r}")
        if too_many:
            message = f"expected a game of at most {self.limit:,} states, got {self.name!r}, which has more"
            return TableSizeError(message)
        return UsageError(f"expected games of at most {MAX_PLIES} plies, got a longer one in {self.name!r}")

    def results_of(self, state: Position) -> _Expansion[Position, Move]:
        """Return the checked results of the game's functions for a position."""
        if state in self.known:
            return self.known[state]
        status, mover = self.status(state), 0
        actions, children = list[Move](), list[Position]()
        if status == ONGOING:
            if self.rules.player is not None:
                mover = self.mover(state)
            actions = self.call("legal_actions", lambda one: list(self.rules.legal_actions(one)), state)
            self.check_actions(actions, state)
            play = self.rules.play
            children = [self.hashed(self.call("play", play, state, action), "a state") for action in actions]
        self.known[state] = _Expansion(status, mover, actions, children)
        return self.known[state]

    def call(self, role: str, function: Callable[[*Given], Value], *given: *Given) -> Value:
        """Return the result of a function, called twice unless stable; convert its exceptions to UsageError."""
        try:
            found = function(*given)
            again = found if self.rules.is_stable else function(*given)
            changes = bool(found != again)
        except (TttFastError, KeyboardInterrupt):
            raise
        except BaseException as error:
            about = " and ".join(map(shown, given))
            raise UsageError(
                f"expected {role} of {self.name!r} to return a result for {about}, got {error_line(error)}"
            ) from error
        if changes:
            about = " and ".join(map(shown, given))
            answers = f"{shown(found)} and then {shown(again)}"
            raise UsageError(
                f"expected {role} of {self.name!r} to return the same result every time, got {answers} for {about}"
            )
        return found

    def hashed(self, value: Value, role: str) -> Value:
        """Return a value if it is hashable, or raise UsageError."""
        try:
            hash(value)
        except TypeError:
            raise UsageError(f"expected {role} of {self.name!r} to be hashable, got {shown(value)}") from None
        return value

    def status(self, state: Position) -> int:
        """Return the status of a state."""
        result = self.call("result", self.rules.result, state)
        if result is None or isinstance(result, Status):
            return ONGOING if result is None else int(result)
        if isinstance(result, bool | np.bool_) or self.hashed(result, "a result") not in _STATUS:
            wanted = "None, 1 (X wins), 0 (a draw) or -1 (O wins)"
            got = f"{shown(result)} for {shown(state)}"
            raise UsageError(f"expected a result of {self.name!r} to be {wanted}, got {got}")
        return _STATUS[result]

    def mover(self, state: Position) -> int:
        """Return the player to move in an ongoing state."""
        assert self.rules.player is not None
        who = self.call("player", self.rules.player, state)
        try:
            return int(Seat.O if isinstance(who, int) and who == -1 else Seat.parse(who))
        except UsageError:
            got = f"{shown(who)} for {shown(state)}"
            raise UsageError(f"expected a player of {self.name!r} to be 1 or 'x', 2, -1 or 'o', got {got}") from None

    def check_actions(self, actions: list[Move], state: Position) -> None:
        """Record the actions of an ongoing state, or raise UsageError if there are none, duplicates or too many."""
        for action in actions:
            self.actions[self.hashed(action, "an action")] = None
        if not actions or len(set(actions)) < len(actions):
            wanted = "one or more legal actions, each once,"
            raise UsageError(f"expected {wanted} in {shown(state)} of {self.name!r}, got {shown(actions)}")
        if len(self.actions) > MAX_ACTIONS:
            raise UsageError(f"expected a game of at most {MAX_ACTIONS} actions, got {self.name!r}, which has more")

    def graph(self) -> tuple[GameGraph, list[Move]]:
        """Return the graph, and its actions in the order of their numbers."""
        try:
            actions: list[Move] = sorted(cast(Iterable[Any], self.actions))
        except TypeError:
            actions = list(self.actions)
        number = {action: place for place, action in enumerate(actions)}
        expansions = [self.known[state] for state in self.states]
        plies = np.repeat(np.arange(len(self.ply_start) - 1), np.diff(self.ply_start))
        counts = np.array([len(one.actions) for one in expansions])
        status = np.array([one.status for one in expansions])
        movers = np.array([one.mover for one in expansions])
        movers = np.where(status == ONGOING, np.where(movers == 0, 1 + plies % 2, movers), 0)
        taken = np.array([number[action] for one in expansions for action in one.actions], np.int64)
        order = np.lexsort((taken, np.repeat(np.arange(counts.size), counts)))
        start = np.append(0, counts).cumsum()
        children = np.array(self.children, np.int64)
        graph = GameGraph(len(actions), status, movers, plies, start, taken[order], children[order])
        return graph if self.rules.observe is None else graph._replace(features=self.features()), actions

    def features(self) -> NDArray[np.int64]:
        """Return the features of all states, (S, I)."""
        observe = self.rules.observe
        assert observe is not None
        rows = [self.call("observe", lambda one: tuple(observe(one)), state) for state in self.states]
        for state, row in zip(self.states, rows, strict=True):
            numbers = all(isinstance(one, int | np.integer) and -127 <= one <= 127 for one in row)
            if not (row and numbers and len(row) == len(rows[0])):
                wanted = "one or more integers from -127 to 127, equally many for every state"
                raise UsageError(
                    f"expected observe of {self.name!r} to return {wanted}, got {shown(row)} for {shown(state)}"
                )
        return np.array(rows, np.int64)


class CustomGame(NamedTuple):
    """An enumerated custom game: its initial state, number of states and texts, and its OpenSpiel peer, if any."""

    initial_state: GraphState
    num_states: int
    text: CustomText[Any]
    peer: Peer | None = None


def enumerate_game(
    name: str, initial: Position, rules: Rules[Position, Move], max_states: int = MAX_STATES
) -> CustomGame:
    """Enumerate a custom game from its initial state to the end of every line of play.

    Parameters
    ----------
    name
        The name of the game, for messages.
    initial
        The initial state, in which the game is not over.
    rules
        The functions of the game.
    max_states
        Largest number of states.  A position that occurs after different numbers of plies counts once for each number.

    Raises
    ------
    UsageError
        If the game does not end, or one of its functions raises an error, or returns an invalid or inconsistent value.
    TableSizeError
        If there are more than `max_states` states.

    Examples
    --------
    >>> countdown = Rules(lambda left: [1, 2][:left], lambda left, take: left - take, lambda left: None if left else 1)
    >>> enumerate_game("countdown", 4, countdown).num_states
    9
    """
    found = _Enumeration(name, rules, max_states)
    if not isinstance(found.call("text", rules.text, found.hashed(initial, "the initial state")), str):
        raise UsageError(f"expected text of {name!r} to return a text, got {shown(rules.text(initial))}")
    if found.status(initial) != ONGOING:
        raise UsageError(f"expected {name!r} not to be over at the start, got a result for {shown(initial)}")
    found.try_lines(initial)
    found.enumerate_states(initial)
    graph, actions = found.graph()
    text = CustomText(name, found.states, rules.text, [rules.action_text(action) for action in actions])
    return CustomGame(initial_state(graph), len(found.states), text)
