"""The tables of this process, their solutions and symmetry classes: each is found or made once, under a lock."""

import copyreg
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import inf
from weakref import WeakValueDictionary

from ttt_fast.core.checks import count_of, whole_number
from ttt_fast.core.errors import TableSizeError
from ttt_fast.core.manifest import available_memory
from ttt_fast.games import api, custom
from ttt_fast.games.custom import Move, Position
from ttt_fast.games.game import Game
from ttt_fast.games.registry import add_custom_game, check_name, parse_game
from ttt_fast.tables import store
from ttt_fast.tables.enumeration import BYTES_PER_STATE, enumerate_game, size_error, size_text
from ttt_fast.tables.solution import SOLUTIONS, Solution, solve
from ttt_fast.tables.state_table import Arrays, FixedSeat, StateTable, cached_on_table
from ttt_fast.tables.symmetry import Symmetry, find_symmetry

MAX_STATES = 1_000_000
"""States of the largest table that is made automatically."""
_BOUND_TO_TRY = 16.0
"""A game is enumerated to test its size if its bound is at most this multiple of the limit."""

SOLVED_STATES = 100_000
"""States of the largest table that is stored together with its solution."""
_Identity = Game | tuple[Game, FixedSeat]
_tables: WeakValueDictionary[_Identity, StateTable] = WeakValueDictionary()
"""The tables of this process."""
_strong: dict[_Identity | None, StateTable] = {}
"""Those that stay in memory, in the order of their last use: the small ones of games, `_FIXED` small ones with a fixed
seat, and a large one, as None."""
_FIXED = 8
_making = threading.RLock()
"""Lock for table look-ups: threads that request the same table receive the same object."""
_too_large: dict[Game, int] = {}
"""Games with more states than a limit, as found by enumeration, with that limit."""


def table_of(
    game: Game | str | StateTable,
    max_states: float | None = None,
    *,
    on_large: Callable[[str], object] | None = None,
) -> StateTable:
    """Return the table of a game; every call returns the same object.

    Tables are stored on disk for later processes, if the quota allows (`tables.store`).

    Parameters
    ----------
    game
        A game, a text for `parse_game`, or a table, which is returned unchanged.
    max_states
        Largest number of states; a larger game is refused (default: a million, or the size of an existing table).
        `inf`: as many as fit into memory, which also limits any other number.
    on_large
        Called with a description of the size before a table of more than a million states is made; not called for a
        table on disk.

    Raises
    ------
    TableSizeError
        If the game has more states, or its states cannot be enumerated.

    Examples
    --------
    >>> table_of("connect4:columns=4,rows=4,length=3")
    <StateTable of connect4:columns=4,rows=4,length=3: 41,750 states, 65,756 edges>
    """
    if isinstance(game, StateTable):
        return game
    asked = parse_game(game)
    limit = (
        MAX_STATES if max_states is None else most_states() if max_states == inf else count_of(max_states, "max_states")
    )
    if on_large is not None and MAX_STATES < asked.state_bound <= limit and not store.is_kept(asked):
        on_large(size_text(f"up to {asked.state_bound:,.0f}", asked.state_bound))
    with _making:
        held = _tables.get(asked)
        if held is None:
            try:
                _check_bound(asked, limit)
                held = _from_disk(asked, limit) or _enumerated(asked, limit)
            except TableSizeError as error:
                raise (TableSizeError(f"{error}{table_hint(asked)}") if max_states is None else error) from None
        if held.num_states > limit and (asked not in _tables or max_states is not None):
            raise size_error(asked, limit, f"{held.num_states:,}", held.num_states)
        return remembered(asked, held)


def table_from_functions(
    initial: Position,
    legal_actions: Callable[[Position], Iterable[Move]],
    play: Callable[[Position, Move], Position],
    result: Callable[[Position], Hashable],
    *,
    player: Callable[[Position], int | str] | None = None,
    name: str = "my-game",
    text: Callable[[Position], str] = str,
    observe: Callable[[Position], Sequence[int]] | None = None,
    max_states: int = MAX_STATES,
) -> StateTable:
    """Return the table of a custom game defined by plain Python functions, for all features including searches.

    Afterwards the game is known by its name in this process: `as_policy("random", "my-game")`,
    `TrainingConfig(game=...)`. A state of the table is a state of the functions together with its number of plies.
    Actions are numbered in sorted order, or in the order of discovery if they cannot be sorted.  Their text is that of
    `str`, without blanks.  The agent `default` sees wins but no threats, because the functions cannot evaluate a move
    by the opponent out of turn.

    Parameters
    ----------
    initial
        The initial state.  States and actions are any hashable objects; equal objects are the same state or action.
    legal_actions
        Returns the legal actions of an ongoing state.
    play
        Returns the state after an action; it must not modify its argument.
    result
        Returns None while the game is not over, then 1 (X has won), 0 (a draw) or -1 (O has won).
    player
        Returns the player to move in an ongoing state: 1 or 'x'; 2, -1 or 'o' (default: X and O alternate).
    name
        Name of the game; a second custom game with the same name replaces the first.
    text
        Returns the text of a state, for example a drawing (default: `str`).
    observe
        Returns the inputs of a network for a state, from the view of the player to move: always equally many integers
        from -127 to 127 (default: the bits of the state's number, from which a network cannot generalise).
    max_states
        Largest number of states.

    Raises
    ------
    UsageError
        If the game does not end within 127 plies or has more than 256 actions.  Also if a function raises an error, or
        returns an invalid or inconsistent value.
    TableSizeError
        If there are more than `max_states` states.

    Examples
    --------
    Taking the last of ten matches wins; one to three are taken at a time.

    >>> table = table_from_functions(
    ...     (10, 1),
    ...     legal_actions=lambda state: range(1, min(3, state[0]) + 1),
    ...     play=lambda state, taken: (state[0] - taken, -state[1]),
    ...     result=lambda state: None if state[0] else -state[1],
    ...     name="matches",
    ... )
    >>> table
    <StateTable of matches: 44 states, 91 edges>
    >>> int(solution_of(table).value[0]), int(solution_of(table).distance[0])
    (1, 5)
    """
    check_name(name)
    rules = custom.Rules(legal_actions, play, result, player, text, observe=observe)
    game = custom.enumerate_game(name, initial, rules, whole_number(max_states, "max_states"))
    return table_of(add_custom_game(name, game), game.num_states)


def remembered(identity: _Identity, table: StateTable) -> StateTable:
    """Return the table of an identity in this process, a new one if there is none; a large one releases the last."""
    with _making:
        table = _tables.setdefault(identity, table)
        key = identity if table.num_states <= MAX_STATES else None
        _strong.pop(key, None)
        _strong[key] = table
        for old in [one for one in _strong if isinstance(one, tuple)][:-_FIXED]:
            del _strong[old]
    return table


def fixed_table(game: Game, fixed: FixedSeat) -> StateTable | None:
    """Return the table of a game with a fixed seat, from this process or from disk; None if it is not made yet."""
    with _making:
        found = _tables.get((game, fixed))
        if found is None:
            opened = store.open_table(game, fixed)
            found = None if opened is None else opened[0]
        return None if found is None else remembered((game, fixed), found)


def _reduced(table: StateTable) -> tuple[Callable[..., StateTable], tuple[object, ...]]:
    """Return the pickled form of a table: its identity if other processes can make it or open it, else its arrays."""
    if table.fixed is None:
        return table_of, (table.game, table.num_states)
    return _restored, (table.game, table.fixed, None if store.is_kept(table.game, table.fixed) else table.arrays())


def _restored(game: Game, fixed: FixedSeat, arrays: Arrays | None) -> StateTable:
    """Return the table of this identity in this process, from disk, or from the pickled arrays."""
    found = fixed_table(game, fixed)
    if found is None and arrays is not None:
        found = remembered((game, fixed), StateTable.of_arrays(game, arrays, fixed))
    if found is None:
        raise TableSizeError(
            f"expected the table of {fixed.agent!r} on disk, to which a pickled object refers, got none"
        )
    return found


copyreg.pickle(StateTable, _reduced)


def _from_disk(game: Game, limit: int) -> StateTable | None:
    """Return the stored table of a game, or None."""
    found = store.open_table(game, most=limit) if game.kind.is_kept else None
    if found is None:
        return None
    table, arrays = found
    if "value" in arrays:
        SOLUTIONS[table] = Solution(*(arrays[name] for name in Solution._fields))
    return table


def _check_bound(game: Game, max_states: int) -> None:
    """Raise TableSizeError if a game cannot be enumerated, or if the attempt would be a waste of time."""
    if not api.has_exact_key(game.initial_state):
        raise TableSizeError(f"expected a game whose states can be enumerated, got {game.spec!r}")
    if game.state_bound > _BOUND_TO_TRY * max_states:
        raise size_error(game, max_states, f"up to {game.state_bound:.3g}", game.state_bound)


def _enumerated(game: Game, max_states: int) -> StateTable:
    """Enumerate a game without a table on disk and store the table; remember games that are too large."""
    if _too_large.get(game, -1) >= max_states:
        raise size_error(game, max_states, f"more than {max_states:,}")
    limit = min(max_states, most_states())
    if limit > MAX_STATES:
        store.quota()  # an error in it is raised before the work
    try:
        table = enumerate_game(game, limit)
    except TableSizeError:
        _too_large[game] = limit
        raise
    if game.kind.is_kept:
        store.keep_table(table, solution_of(table)._asdict() if table.num_states <= SOLVED_STATES else None)
    return table


def most_states() -> int:
    """Return the number of states of the largest table that fits into memory together with its work arrays."""
    return int(available_memory() // (2 * BYTES_PER_STATE))


def table_hint(game: Game) -> str:
    """Return a hint on how to make a table that is not made automatically; empty if the table would not fit.

    Examples
    --------
    >>> table_hint(parse_game("tic-tac-toe:rows=4,columns=4,length=4"))
    '; --exact, or table_of(game, max_states) in Python, makes its table'
    >>> table_hint(parse_game("connect4"))
    ''
    """
    fits = api.has_exact_key(game.initial_state) and game.state_bound <= most_states()
    return "; --exact, or table_of(game, max_states) in Python, makes its table" if fits else ""


def find_table(game: Game | str) -> StateTable | None:
    """Return the table of a game, or None if it is too large for one.

    Examples
    --------
    >>> find_table("connect4") is None, find_table("tic-tac-toe").num_states
    (True, 5478)
    """
    try:
        return table_of(game)
    except TableSizeError:
        return None


def has_table(game: Game | str) -> bool:
    """Return whether a game is small enough for a table; if so, the table is made."""
    return find_table(game) is not None


def solution_of(table: StateTable | Game | str) -> Solution:
    """Return the solution of a table, or of the table of a game; it is computed once.

    Examples
    --------
    >>> int(solution_of("tic-tac-toe:misere=yes").value[0])
    0
    """
    table = table_of(table)
    if table not in SOLUTIONS:
        SOLUTIONS[table] = solve(table)
    return SOLUTIONS[table]


def symmetry_of(table: StateTable | Game | str) -> Symmetry:
    """Return the symmetries of a table, or of the table of a game, and its classes of states; they are computed once.

    Examples
    --------
    >>> symmetry_of("tic-tac-toe").num_classes
    765
    """
    return _symmetry_of(table_of(table))


_symmetry_of = cached_on_table(1)(find_symmetry)
