"""The functions that every game implements.

A state is a NamedTuple of integers (int64 in kernels), passed by value.  Each game has its own state type, and its
module registers its functions with `@implements(play, ItsState)`.  A kernel calls `play(state, action)` and is compiled
once for each state type that it receives.  One search therefore serves every game, and its compiled form is loaded from
the disk cache.  The same functions can be called from Python, at some microseconds a call.

Conventions: X is player 1 and moves first.  A status or a result is given from X's side.  `play` and the functions
about actions expect a state whose `status` is ONGOING.  An action passed to them must be legal.  They do not check
their arguments, and neither does any kernel.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import jit
from ttt_fast.games.results import DRAW as DRAW, O_WINS as O_WINS, ONGOING as ONGOING, X_WINS as X_WINS, O as O, X as X

__all__ = [
    "NO_ACTION",
    "GameState",
    "alternates",
    "fill_legal_actions",
    "fill_observation",
    "implements",
    "is_legal",
    "legal_action_mask",
    "legal_actions",
    "max_plies",
    "num_actions",
    "num_symmetries",
    "observation_shape",
    "observe",
    "play",
    "play_random",
    "player",
    "ply",
    "random_action",
    "state_check",
    "state_key",
    "state_of_key",
    "status",
    "threat_action",
    "transform",
    "transform_action",
    "winning_action",
]

NO_ACTION: Final = -1
"""The return value of `winning_action` and `threat_action` if there is no such action."""

GameState = tuple[int, ...]
"""The state type of any game."""
State = TypeVar("State", bound=GameState)
Function = TypeVar("Function", bound=Callable[..., Any])
_IMPLEMENTATIONS: dict[tuple[Callable[..., object], type | None], Any] = {}
_TYPES: set[type | None] = set()
"""Types with an implementation of some function: state types of games, and others (`values/evaluators.py`)."""


DRAWN_BY: dict[type, Any] = {}
"""A `Game` that draws the states of a type, whatever their options; `games.registry` fills it."""


def picture(state: GameState) -> str:
    """Return a state as text: its board, or its fields if it has no board."""
    game = DRAWN_BY.get(type(state))
    return repr(state) if game is None else str(game.board(state))


def svg(state: GameState, title: str = "", notes: Mapping[int, tuple[str, float, bool]] | None = None) -> str | None:
    """Return a state as SVG for notebooks; None if it has no board of cells, or its fields are not a position."""
    try:
        return str(DRAWN_BY[type(state)].svg(state, (), title, notes))
    except Exception:  # of any kind, since a notebook would print its traceback in place of the state
        return None


def implements(
    function: Callable[..., object], state_type: type | None, *, plain: bool = False, vanishes: bool = False
) -> Callable[[Function], Function]:
    """Return a decorator that registers an implementation of `function` for states of `state_type`.

    The implementation has the parameters of `function`.  It is compiled as a separate kernel for calls from Python, and
    into every kernel that calls `function` with such a state.

    Parameters
    ----------
    function
        A function declared for every game, in this module or in the package that owns it.
    state_type
        The NamedTuple type of the first argument, usually the state type of a game.  If it is None, the
        implementation serves all types that implement another function but not this one.
    plain
        Whether a call from Python may run as Python (`ttt_fast.core.jit.kernel`).
    vanishes
        Whether the implementation only passes its arguments on, so that even array arguments are not reference-counted.
    """

    def decorate(implementation: Function) -> Function:
        record = jit.kernel(plain=plain)(implementation)
        _IMPLEMENTATIONS[function, state_type] = record
        _TYPES.add(state_type)
        jit.when_loaded(lambda: _IMPLEMENTATIONS.update({(function, state_type): getattr(record, "compiled", record)}))
        jit.note_implementation(function, state_type, implementation)

        def choose(*arguments: object) -> Function | None:
            # numba's type of a NamedTuple carries its class
            key = _key(function, getattr(arguments[0], "instance_class", None))
            return implementation if key == (function, state_type) else None

        vars(choose)["__signature__"] = inspect.signature(implementation)  # numba wants the two to agree
        # inlined by force: otherwise a state's fields go through the stack at every call, a third of the time of a game
        # defaults, and rules outside the package, may allocate arrays, even inside of kernels that do not
        allocates = state_type is None or not implementation.__module__.startswith("ttt_fast.")
        counts = {"_nrt": True} if allocates else {}
        jit.overloads(function, "always" if vanishes else "never", forceinline=True, **counts)(choose)
        if function is play and state_type is not None:
            _register_storage(state_type)
        return record

    return decorate


def default_of(function: Callable[..., object], *, plain: bool = False) -> Callable[[Function], Function]:
    """Return a decorator that registers the default of `function`, for types without an implementation."""
    return implements(function, None, plain=plain)


def _key(function: Callable[..., object], state_type: type | None) -> tuple[Callable[..., object], type | None]:
    """Return the key of the implementation of a function for a state type.

    The type's own implementation is preferred, then that of a base type, then the default.
    """
    bases = getattr(state_type, "__mro__", ())
    for _ in range(2):  # the second pass follows the import of an implementation from another module
        for one in bases:
            if (function, one) in _IMPLEMENTATIONS:
                return function, one
        jit.import_implementations(bases, lambda declared: declared == function.__module__)
    return function, None if state_type in _TYPES else state_type


def implementation(function: Function, state: tuple[object, ...]) -> Function:
    """Return the implementation of a function for a state: that of its game, or the default."""
    found: Function | None = _IMPLEMENTATIONS.get(_key(function, type(state)))
    if found is None:
        raise TypeError(f"expected a state whose game supports {function.__name__}(), got {state!r}")
    return found


def play(state: State, action: int) -> State:
    """Return the state after a legal action of the player to move."""
    return implementation(play, state)(state, int(action))


def status(state: State) -> int:
    """Return the status of a state: ONGOING, X_WINS, O_WINS or DRAW."""
    return implementation(status, state)(state)


def player(state: State) -> int:
    """Return the player to move: 1 (X) or 2 (O)."""
    return implementation(player, state)(state)


def alternates(state: GameState) -> bool:
    """Return whether X and O alternate throughout the game of a state, X first (default: yes)."""
    return bool(implementation(alternates, state)(state))


def ply(state: State) -> int:
    """Return the number of plies before a state, usually the number of marks or stones on the board."""
    return implementation(ply, state)(state)


def num_legal_actions(state: State) -> int:
    """Return the number of legal actions of an ongoing state."""
    return implementation(num_legal_actions, state)(state)


def fill_legal_actions(state: State, actions: NDArray[np.uint8]) -> int:
    """Write the legal actions of an ongoing state into `actions`, in ascending order, and return their number.

    `actions` is (A,) uint8 with A at least `num_actions(state)`.
    """
    return implementation(fill_legal_actions, state)(state, actions)


def legal_actions(state: State) -> list[int]:
    """Return the legal actions of any state in ascending order, none if the game is over (not for kernels)."""
    if status(state) != ONGOING:
        return []
    actions = np.empty(num_actions(state), np.uint8)
    return [int(action) for action in actions[: fill_legal_actions(state, actions)]]


def is_legal(state: State, action: int) -> bool:
    """Return whether an action, any integer, is legal in an ongoing state."""
    return implementation(is_legal, state)(state, int(action))


def random_action(state: State, word: np.uint64) -> int:
    """Return a legal action of an ongoing state, uniformly distributed if the uint64 `word` is."""
    return implementation(random_action, state)(state, np.uint64(word))


def play_random(state: State, word: np.uint64) -> State:
    """Return the state after `random_action`; for some games this is faster than the two calls."""
    return implementation(play_random, state)(state, np.uint64(word))


def winning_action(state: State) -> int:
    """Return an action by which the player to move wins the game at once, or -1."""
    return implementation(winning_action, state)(state)


def threat_action(state: State) -> int:
    """Return an action by which the opponent would win at once if it were the opponent's turn, or -1."""
    return implementation(threat_action, state)(state)


def state_key(state: State) -> np.uint64:
    """Return the 64-bit key of a state in a transposition table.

    The key is exact for tic-tac-toe and Connect 4: among states of the same size and options, equal keys mean equal
    states.  For Ultimate it is a well-mixed hash, and `state_check` must agree too.
    """
    return np.uint64(implementation(state_key, state)(state))


def state_check(state: State) -> np.uint64:
    """Return 64 further bits of the key, or 0 if `state_key` is exact."""
    return np.uint64(implementation(state_check, state)(state))


def state_of_key(like: State, key: np.uint64) -> State:
    """Return the state whose exact `state_key` is `key`.

    Parameters
    ----------
    like
        Any state of the same game, from which the board size and the options are taken.
    key
        Key of a state that legal play reaches.  Games with hashed keys do not implement this function
        (`has_exact_key`).
    """
    return implementation(state_of_key, like)(like, np.uint64(key))


def is_implemented(function: Callable[..., object], state: GameState) -> bool:
    """Return whether a state type implements a function itself, beyond the default (not for kernels)."""
    key = _key(function, type(state))
    return key[1] is not None and key in _IMPLEMENTATIONS


def has_exact_key(state: GameState) -> bool:
    """Return whether states can be rebuilt from their keys: whether `state_of_key` is implemented (not for kernels)."""
    return (state_of_key, type(state)) in _IMPLEMENTATIONS


def num_actions(state: State) -> int:
    """Return the number of actions A of the game: actions are 0 to A - 1, and at most A are legal."""
    return implementation(num_actions, state)(state)


def max_plies(state: State) -> int:
    """Return the largest number of plies that a game can have."""
    return implementation(max_plies, state)(state)


def observation_shape(state: State) -> tuple[int, int, int]:
    """Return the shape of the array that `observe` returns: planes, rows, columns."""
    return implementation(observation_shape, state)(state)


def fill_observation(state: State, out: NDArray[np.float32]) -> None:
    """Write the observation of a state into `out`, flat, (planes * rows * columns,) float32."""
    implementation(fill_observation, state)(state, out)


def observe(state: State) -> NDArray[np.float32]:
    """Return the observation of a state for the player to move (not for kernels).

    Returns
    -------
    NDArray[np.float32]
        Planes of zeros and ones, (planes, rows, columns): own marks, then the opponent's marks.  Ultimate adds the
        cells of boards won by each player, and the cells open to the player to move.  The top row comes first.
    """
    shape = observation_shape(state)
    flat = np.empty(shape[0] * shape[1] * shape[2], np.float32)
    fill_observation(state, flat)
    return flat.reshape(shape)


@jit.kernel(plain=True)
def fill_legal_action_mask(state: State, mask: NDArray[np.bool_]) -> None:
    """Write the legal action mask of any state into `mask`, (A,) bool: all False if the game is over."""
    ongoing = status(state) == ONGOING
    for action in range(num_actions(state)):
        mask[action] = ongoing and is_legal(state, action)


def legal_action_mask(state: State) -> NDArray[np.bool_]:
    """Return the legal action mask of any state, (A,) bool (not for kernels)."""
    mask = np.empty(num_actions(state), np.bool_)
    fill_legal_action_mask(state, mask)
    return mask


def num_symmetries(state: State) -> int:
    """Return the number G of symmetries of the board; symmetry 0 is the identity."""
    return implementation(num_symmetries, state)(state)


def transform(state: State, symmetry: int) -> State:
    """Return the image of a state under a symmetry 0 to G - 1: the same game on a rotated or reflected board."""
    return implementation(transform, state)(state, int(symmetry))


def transform_action(state: State, action: int, symmetry: int) -> int:
    """Return the image of an action under a symmetry."""
    return implementation(transform_action, state)(state, int(action), int(symmetry))


def action_map(state: State) -> NDArray[np.uint8]:
    """Return the image of every action under every symmetry: `a` becomes `map[g, a]`, (G, A) uint8.

    The map is the same for all states of a game (not for kernels, which call `transform_action`).
    """
    actions = range(num_actions(state))
    images = [[transform_action(state, action, g) for action in actions] for g in range(num_symmetries(state))]
    return np.array(images, np.uint8)


def load_state(like: State, states: NDArray[np.int64], row: int) -> State:
    """Return row `row` of an (N, F) int64 array as a state of the type of `like` (F = len(like) fields)."""
    return implementation(load_state, like)(like, states, int(row))


def store_state(state: State, states: NDArray[np.int64], row: int) -> None:
    """Write the F fields of a state into row `row` of an (N, F) int64 array."""
    implementation(store_state, state)(state, states, int(row))


def _fixed_tuple_in_kernels() -> object:
    from numba.np.unsafe import ndarray

    return ndarray.to_fixed_tuple


_fixed_tuple: Callable[[NDArray[np.int64], int], Iterable[int]] = jit.intrinsic(
    lambda row, width: tuple(row[:width]), _fixed_tuple_in_kernels
)
"""The numbers of a short row as a tuple, whose length numba knows at compile time."""


def _register_storage(state_type: type) -> None:
    """Register `load_state` and `store_state` for a state type; a stored state is the row of its fields."""
    width = len(state_type._fields)  # type: ignore[attr-defined]

    @implements(load_state, state_type)
    def load(like: State, states: NDArray[np.int64], row: int) -> State:
        return state_type(*_fixed_tuple(states[row], width))  # type: ignore[no-any-return]

    @implements(store_state, state_type)
    def store(state: GameState, states: NDArray[np.int64], row: int) -> None:
        for field in range(width):
            states[row, field] = state[field]
