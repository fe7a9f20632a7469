"""Enumeration of every reachable state of a game, level by level; the states that some of the actions reach.

The children of a block of states are hashed together, so that reads of their slots in a large hash table overlap.
Separate reads would each wait for memory.
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core import jit
from ttt_fast.core.errors import TableSizeError
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import GOLDEN_GAMMA
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.tables.block import Block
from ttt_fast.tables.state_table import ROOT, FixedSeat, StateTable

BYTES_PER_STATE = 60
"""Bytes per state of a table and of the work arrays of its enumeration, at about five actions a state."""
MAX_EDGES = 2**31 - 1
"""Edges have indices of 32 bits."""
_BLOCK = 64
"""States whose children are looked up together, as one block."""
_CHUNK = 1 << 17
"""States between two checks of the limit and the clock."""
_MIN_SLOTS = 1 << 10
_PLAIN_STATES = 10_000
"""States of the largest game that is enumerated in Python where numba is not loaded yet, which takes longer."""
_GROWTH = 4
_TYPES = {"edge_start": "i4", "edge_action": "u1", "edge_child": "i4", "status": "i1", "player": "i1", "key": "u8"}
_0, _1 = np.uint64(0), np.uint64(1)
_FACTOR = np.uint64(GOLDEN_GAMMA)


class Columns(NamedTuple):
    """The columns of a table under construction, as in `StateTable`, with spare capacity at the end."""

    edge_start: NDArray[np.int32]
    edge_action: NDArray[np.uint8]
    edge_child: NDArray[np.int32]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    key: NDArray[np.uint64]


@inlined_kernel
def place_of(key: np.uint64, shift: np.uint64) -> np.uint64:
    """Return the first slot in the search for a key: Fibonacci hashing (Knuth, volume 3, 6.4)."""
    return ((key ^ (key >> np.uint64(32))) * _FACTOR) >> shift


@kernel
def _expand(
    start: api.State,
    columns: Columns,
    first: int,
    end: int,
    found: NDArray[np.int64],
    slots: NDArray[np.uint64],
    shift: np.uint64,
    keys: NDArray[np.uint64],
    places: NDArray[np.uint64],
    has_edges: bool,
) -> int:
    """Write the columns of states `first` to `end - 1` and discover their children; return the end of the part done.

    The function returns early if fewer than a block of keys would fit into half of `slots`.

    Parameters
    ----------
    start
        A state of the game.
    columns
        The columns of the table, with capacity for all entries that these states may add.
    first, end
        Range of states, all of one ply.
    found : (3,) int64
        Number of states and of edges so far, and the first state of the next ply; updated in place.
    slots : (N, 2) uint64
        Hash table of the states of the next ply: the key, and the index plus 1, which is 0 in a free slot.
    shift
        64 minus the binary logarithm of N.
    keys, places : (B * A,) uint64
        Scratch buffers for the keys of a block's children, and for the first slots of their searches.
    has_edges
        Whether the columns of these states are written already, except `edge_child`.
    """
    states, edges, below = found
    last = np.uint64(slots.shape[0] - 1)
    room = slots.shape[0] // 2 - _BLOCK * api.num_actions(start)
    state = first
    while state < end and states - below <= room:
        edge = edges
        for here in range(state, min(state + _BLOCK, end)):
            at, after = api.state_of_key(start, columns.key[here]), edge
            if has_edges:
                after = np.int64(columns.edge_start[here + 1])
            else:
                columns.status[here], columns.player[here] = api.status(at), 0
                if columns.status[here] == api.ONGOING:
                    columns.player[here] = api.player(at)
                    after = edge + api.fill_legal_actions(at, columns.edge_action[edge:])
                columns.edge_start[here + 1] = after
            for one in range(edge, after):
                key = api.state_key(api.play(at, columns.edge_action[one]))
                keys[one - edges], places[one - edges] = key, place_of(key, shift)
            edge = after
        for one in range(edge - edges):  # reads the slots in advance: these reads do not wait for each other
            places[one] = (places[one] << _1) | (slots[places[one], 1] != _0)
        for one in range(edge - edges):
            key, place = keys[one], places[one] >> _1
            while slots[place, 1] != _0 and slots[place, 0] != key:
                place = (place + _1) & last
            if slots[place, 1] == _0:
                columns.key[states] = key
                states += 1
                slots[place, 0], slots[place, 1] = key, np.uint64(states)
            columns.edge_child[edges + one] = np.int64(slots[place, 1]) - 1
        edges = edge
        state += _BLOCK
    found[0], found[1] = states, edges
    return min(state, end)


@kernel
def _fill_slots(keys: NDArray[np.uint64], first: int, end: int, slots: NDArray[np.uint64], shift: np.uint64) -> None:
    """Insert states `first` to `end - 1` into empty slots."""
    last = np.uint64(slots.shape[0] - 1)
    for state in range(first, end):
        place = place_of(keys[state], shift)
        while slots[place, 1] != _0:
            place = (place + _1) & last
        slots[place, 0], slots[place, 1] = keys[state], np.uint64(state + 1)


def size_text(number: str, states: float) -> str:
    """Return a number of states as text, with the size of a table of `states` states.

    Examples
    --------
    >>> size_text("up to 9,722,011", 9_722_011)
    'up to 9,722,011 states (0.54 GiB)'
    """
    return f"{number} states ({states * BYTES_PER_STATE / 2**30:.2g} GiB)"


def size_error(game: Game, limit: int, number: str, states: float | None = None) -> TableSizeError:
    """Return the error for a game with more states than a limit; `number` is the text for `states`, if known."""
    size = f"{number} states" if states is None else size_text(number, states)
    return TableSizeError(f"expected a game of at most {limit:,} states, got {game.spec!r}, which has {size}")


def _make_room(columns: Columns, states: int, edges: int) -> None:
    """Extend the columns to hold some states and edges; large columns grow in place."""
    for name, column in columns._asdict().items():
        wanted = edges if name in ("edge_action", "edge_child") else states
        if column.size < wanted:
            column.resize(wanted, refcheck=False)


@kernel
def _fill_statuses(start: api.State, columns: Columns, first: int, end: int) -> None:
    """Write the status of states `first` to `end - 1`, and the player to move."""
    for here in range(first, end):
        at = api.state_of_key(start, columns.key[here])
        columns.status[here], columns.player[here] = api.status(at), 0
        if columns.status[here] == api.ONGOING:
            columns.player[here] = api.player(at)


class _PythonRules(NamedTuple):
    """The rules of a game as functions in Python."""

    status: Callable[[api.GameState], int]
    player: Callable[[api.GameState], int]
    fill_legal_actions: Callable[[api.GameState, NDArray[np.uint8]], int]
    play: Callable[[api.GameState, int], api.GameState]
    state_key: Callable[[api.GameState], np.uint64]


def enumerate_game(game: Game, limit: int) -> StateTable:
    """Return the table of every state that legal play reaches, and report the progress (`running.progress`).

    Parameters
    ----------
    game
        A game with exact keys (`api.has_exact_key`), in which every action adds a ply.
    limit
        Largest number of states.

    Raises
    ------
    TableSizeError
        If there are more states than `limit`.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> table = enumerate_game(parse_game("tic-tac-toe"), 10_000)
    >>> table.num_states, table.num_edges, int((table.status != 0).sum())
    (5478, 16167, 958)
    """
    if 0 < game.state_bound <= min(limit, _PLAIN_STATES) and "numba" not in sys.modules:  # 0: unknown
        return _enumerate_plainly(game)
    made = Enumeration(game, f"table of {game.spec}")

    def check() -> None:
        if made.num_states > limit or made.is_full:
            raise size_error(game, limit, f"more than {min(limit, made.num_states):,}")

    made.run(check)
    return made.table()


class Enumeration:
    """An enumeration in progress.

    Parameters
    ----------
    game
        A game with exact keys.
    name
        The name of the work, for progress reports.
    seat, choose
        A fixed seat, and a function that returns the edges of a block of its states that remain, (E,) bool.  All edges
        of the other seat remain.

    Attributes
    ----------
    positions : list of int
        With a fixed seat: the number of ongoing states of each ply, up to the ply whose children are being found.
    """

    def __init__(
        self, game: Game, name: str, seat: int = 0, choose: Callable[[Block], NDArray[np.bool_]] | None = None
    ) -> None:
        self.game, self.name, self.seat, self.choose = game, name, seat, choose
        self.columns = Columns(*(np.zeros(1, _TYPES[name]) for name in Columns._fields))
        self.columns.key[0] = api.state_key(game.initial_state)
        self.found, self.ply_start, self.positions = np.array([1, 0, 1]), [0], list[int]()
        self._slots = _slots(0)

    @property
    def num_states(self) -> int:
        """Number of states found so far."""
        return int(self.found[0])

    @property
    def is_full(self) -> bool:
        """Whether the next states might have more edges than a table can hold."""
        return bool(self.found[1] > MAX_EDGES - _CHUNK * self.game.num_actions)

    @property
    def num_bytes(self) -> int:
        """Memory for the states and edges found so far."""
        return sum(column.nbytes for column in self.columns) + self._slots.nbytes

    def run(self, check: Callable[[], object]) -> None:
        """Find all states; `check` is called between two parts of a ply, and before the children of a ply are found."""
        first = 0
        while first < self.found[0]:
            end = self.found[2] = self.found[0]
            self.ply_start.append(int(end))
            if self.choose is not None:
                _fill_statuses(self.game.initial_state, self.columns, first, int(end))
                self.positions.append(int((self.columns.status[first:end] == api.ONGOING).sum()))
                check()
            self._slots = _slots(_GROWTH * int(end - first))
            for part in range(first, int(end), _CHUNK):
                self._expand(part, min(part + _CHUNK, int(end)))
                check()
                check_interrupt()
                if self.found[0] > _CHUNK:
                    report_progress(self.name, int(self.found[0]), None, "states")
            first = int(end)
        if self.found[0] > _CHUNK:
            report_progress(self.name, int(self.found[0]), int(self.found[0]), "states")

    def _expand(self, first: int, end: int) -> None:
        """Find the edges and the children of a chunk of states, all of one ply."""
        found, columns, actions = self.found, self.columns, self.game.num_actions
        edges = (end - first + 1) * actions if self.choose is None else self._fill_edges(first, end)
        while first < end:
            ahead = min(int(found[2]) + self._slots.shape[0] // 2, int(found[0]) + edges)
            _make_room(columns, ahead + 1, int(found[1]) + edges)
            work = np.empty((2, _BLOCK * actions), np.uint64)
            slots = self._slots, _shift(self._slots), work[0], work[1]
            first = _expand(self.game.initial_state, columns, first, end, found, *slots, self.choose is not None)
            if first < end:
                self._slots = _slots(_GROWTH * self._slots.shape[0])
                _fill_slots(columns.key, int(found[2]), int(found[0]), self._slots, _shift(self._slots))

    def _fill_edges(self, first: int, end: int) -> int:
        """Write the edges of a chunk of states that remain with a fixed seat; return their number."""
        assert self.choose is not None
        columns, edges = self.columns, int(self.found[1])
        block = Block.of_keys(self.game, columns.key[first:end])
        own = np.flatnonzero(block.player == self.seat)
        remains = np.ones(block.num_edges, np.bool_)
        if own.size:
            remains[block.edges_of(own)] = self.choose(block.part(own) if own.size < end - first else block)
        kept = int(remains.sum())
        _make_room(columns, end + 1, edges + kept)
        columns.edge_action[edges : edges + kept] = block.edge_action[remains]
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(remains)])
        columns.edge_start[first + 1 : end + 1] = edges + ends[block.edge_start[1:]]
        return kept

    def table(self, fixed: FixedSeat | None = None, last: int | None = None) -> StateTable:
        """Return the table of all states; with `last`, of those up to a ply, which count as having no player to move.

        The columns of the enumeration become those of the table.
        """
        columns, plies = self.columns, self.ply_start if last is None else self.ply_start[: last + 2]
        states, edges = plies[-1], int(self.found[1])
        if last is not None:
            edges = int(columns.edge_start[plies[-2]])
            columns.edge_start[plies[-2] : states + 1] = edges
            columns.player[plies[-2] : states] = 0
        for name, column in columns._asdict().items():
            size = edges if name in ("edge_action", "edge_child") else states + (name == "edge_start")
            column.resize(size, refcheck=False)
        return StateTable(self.game, **columns._asdict(), ply_start=np.array(plies, np.int32), fixed=fixed)


def _enumerate_plainly(game: Game) -> StateTable:
    """Return the table of a small game by a search in Python."""
    start = game.initial_state
    rules = _python_rules(start)
    states, index, actions = [start], {start: 0}, np.zeros(game.num_actions, np.uint8)
    rows: list[tuple[int, int]] = []
    edge_start, edge_action, edge_child, ply_start = [0], list[int](), list[int](), [0]
    while len(rows) < len(states):
        ply_start.append(len(states))
        for state in states[len(rows) :]:
            outcome = rules.status(state)
            is_ongoing = outcome == api.ONGOING
            rows.append((outcome, rules.player(state) if is_ongoing else 0))
            for action in actions[: rules.fill_legal_actions(state, actions) if is_ongoing else 0].tolist():
                child = rules.play(state, action)
                edge_child.append(index.setdefault(child, len(states)))
                edge_action.append(action)
                if edge_child[-1] == len(states):
                    states.append(child)
            edge_start.append(len(edge_child))
    status_and_player = zip(*rows, strict=True)
    keys = [rules.state_key(state) for state in states]
    values = (edge_start, edge_action, edge_child, *status_and_player, keys)
    columns = Columns(*(np.array(v, _TYPES[name]) for name, v in zip(Columns._fields, values, strict=True)))
    plies = np.array(ply_start, np.int32)
    return StateTable(game, **columns._asdict(), ply_start=plies)


def _python_rules(state: api.GameState) -> _PythonRules:
    """Return the functions that implement the rules for the type of a state."""
    return _PythonRules(
        *(jit.python_function(api.implementation(getattr(api, name), state)) for name in _PythonRules._fields)
    )


def _slots(wanted: int) -> NDArray[np.uint64]:
    """Return a free hash table whose size is a power of two of at least `wanted`."""
    return np.zeros((1 << max(wanted, _MIN_SLOTS).bit_length(), 2), np.uint64)


def _shift(slots: NDArray[np.uint64]) -> np.uint64:
    return np.uint64(65 - slots.shape[0].bit_length())


@kernel(plain=True)
def _mark_reached(
    edge_start: NDArray[np.int32],
    edge_child: NDArray[np.int32],
    played: NDArray[np.bool_],
    reached: NDArray[np.bool_],
) -> None:
    """Mark the states reachable from the first one; children have larger indices than their parents."""
    reached[ROOT] = True
    for state in range(len(reached)):
        if reached[state]:
            for edge in range(edge_start[state], edge_start[state + 1]):
                if played[edge]:
                    reached[edge_child[edge]] = True


def reachable_mask(table: StateTable, played: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the states reachable from the start, itself included, by some of the actions.

    Parameters
    ----------
    table
        The game.
    played : (E,) bool
        Edges that may be played.

    Returns
    -------
    (S,) bool

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> first_free_cell = np.zeros(table.num_edges, np.bool_)
    >>> first_free_cell[table.edge_start[:-1][table.decision_mask]] = True
    >>> [table.board(int(state)) for state in reachable_mask(table, first_free_cell).nonzero()[0]][-2:]
    ['XOXOXO...', 'XOXOXOX..']
    """
    reached = np.zeros(table.num_states, np.bool_)
    _mark_reached(table.edge_start, table.edge_child, frozen(np.array(played, np.bool_)), reached)
    return reached
