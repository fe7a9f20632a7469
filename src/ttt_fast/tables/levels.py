"""Levels: the ongoing states that remain when an agent moves in one seat, ply by ply, with its choice in each of them.

Only keys and choices are stored; the children of a state are computed again in each pass.  Finished games are not
stored either: a pass finds them as children of their last states.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.instructions import prefetch
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.tables.enumeration import place_of
from ttt_fast.tables.state_table import FixedSeat

Rows = NDArray[np.int64] | NDArray[np.float64]
"""Distinct rows of a policy, (R, A): weights, or probabilities."""
ALL: Final = -1
"""The code of a state in which every legal action is equally likely."""
CHUNK = 1 << 17
"""States processed by one call of a kernel."""
BLOCK = 64
"""States whose children are looked up together, so that the reads of their slots overlap."""
_MIN_SLOTS = 1 << 10
_SPARE = 1 << 12


class Level(NamedTuple):
    """The ongoing states of one ply.

    Attributes
    ----------
    keys : (N,) uint64
        `api.state_key` of each state, in the order of discovery.
    codes : (N,) uint8 or int32
        The row of `Levels.rows` that the agent plays in a state of its seat; the largest number of the dtype for `ALL`,
        also in states of the free seat.
    """

    keys: NDArray[np.uint64]
    codes: NDArray[np.uint8] | NDArray[np.int32]

    @classmethod
    def encoded(cls, keys: NDArray[np.uint64], codes: NDArray[np.int32], num_rows: int) -> "Level":
        """Return the level of some states and their codes, (N,) int32, which are stored in a byte each if they fit."""
        is_narrow = num_rows < np.iinfo(np.uint8).max
        codes[codes == ALL] = np.iinfo(np.uint8 if is_narrow else np.int32).max
        return cls(keys, codes.astype(np.uint8) if is_narrow else codes)

    def decoded(self, states: slice | NDArray[np.integer] = slice(None)) -> NDArray[np.int32]:
        """Return the codes of some states; `ALL` stands for itself."""
        codes = self.codes[states].astype(np.int32)
        codes[codes == np.iinfo(self.codes.dtype).max] = ALL
        return codes

    def chunks(self) -> Iterator[tuple[slice, NDArray[np.uint64], NDArray[np.int32]]]:
        """Yield slices of the states with their keys and codes, read-only; `ALL` stands for itself."""
        for first in range(0, self.keys.size, CHUNK):
            part = slice(first, min(first + CHUNK, self.keys.size))
            yield part, frozen(np.asarray(self.keys[part])), frozen(self.decoded(part))


@dataclass(frozen=True, eq=False, repr=False)
class Levels:
    """The states that remain when an agent moves in one seat and the other seat is free.

    Attributes
    ----------
    game
        The game.
    fixed
        The fixed seat and its agent.
    levels
        The ongoing states by ply.
    rows : (R, A) int64 or float64
        Distinct rows of the agent's policy: weights, or probabilities if it is known as floats only.  The first A rows
        are the single actions.
    ends : (P, 4) int64
        For each ply, the number of moves from its states that lead to each status, which is 0 if the game goes on.
    deterministic
        Whether the agent plays a single action in every state.
    is_partial
        Whether the states after the last level are missing.
    """

    game: Game
    fixed: FixedSeat
    levels: tuple[Level, ...]
    rows: Rows
    ends: NDArray[np.int64]
    deterministic: bool
    is_partial: bool = False

    @property
    def positions(self) -> int:
        """Number of ongoing states, of both seats."""
        return sum(level.keys.size for level in self.levels)

    @property
    def support(self) -> NDArray[np.bool_]:
        """The actions that may be played by each row, (R, A) bool."""
        return frozen(self.rows > 0)

    def __repr__(self) -> str:
        """Return a one-line summary."""
        seat = "XO"[self.fixed.seat - 1]
        return f"<Levels of {self.game.spec} with {self.fixed.agent} as {seat}: {self.positions:,} positions>"


class Below(NamedTuple):
    """The next level: complete, for look-ups, or under construction.

    Attributes
    ----------
    keys : (M,) uint64
        The keys, with spare capacity at the end during construction.
    slots : (H,) uint32
        Hash table of the keys: index plus 1, which is 0 in a free slot.
    shift : uint64
        64 minus the binary logarithm of H.
    """

    keys: NDArray[np.uint64]
    slots: NDArray[np.uint32]
    shift: np.uint64


class Children(NamedTuple):
    """Scratch buffers for the children of a block of states, in the order of states and actions.

    Attributes
    ----------
    keys, places : (BLOCK * A,) uint64
        Key of each child, and the first slot of its search.
    actions : (BLOCK * A,) uint8
        The action that leads to it.
    status : (BLOCK * A,) int8
        Its status; only ongoing children have a key.
    starts : (BLOCK + 1,) int64
        The first child of each state of the block, and the end of the last one.
    legal : (A,) uint8
        The legal actions of a state.
    """

    keys: NDArray[np.uint64]
    places: NDArray[np.uint64]
    actions: NDArray[np.uint8]
    status: NDArray[np.int8]
    starts: NDArray[np.int64]
    legal: NDArray[np.uint8]


def make_children(game: Game) -> Children:
    """Return scratch buffers for a game."""
    size = BLOCK * game.num_actions
    return Children(
        np.empty(size, np.uint64),
        np.empty(size, np.uint64),
        np.empty(size, np.uint8),
        np.empty(size, np.int8),
        np.zeros(BLOCK + 1, np.int64),
        np.empty(game.num_actions, np.uint8),
    )


@inlined_kernel  # the keys of `below` may be written in an enumeration, and are read-only elsewhere
def gather(
    like: api.State,
    keys: NDArray[np.uint64],
    codes: NDArray[np.int32],
    support: NDArray[np.bool_],
    first: int,
    below: Below,
    children: Children,
) -> int:
    """Fill `children` for the block of states from `first` on, and prefetch their slots; return their number.

    Parameters
    ----------
    like
        A state of the game.
    keys, codes : (N,)
        The states, and the rows of `support` that may be played there; ALL: every legal action.
    support : (R, A) bool
        The actions of each row.
    first
        The first state.
    below
        The next level.
    children
        Output.
    """
    count, legal = 0, children.legal
    for here in range(first, min(first + BLOCK, keys.size)):
        at = api.state_of_key(like, keys[here])
        children.starts[here - first] = count
        for place in range(api.fill_legal_actions(at, legal)):
            if codes[here] != ALL and not support[codes[here], legal[place]]:
                continue
            child = api.play(at, legal[place])
            children.actions[count], children.status[count] = legal[place], api.status(child)
            if children.status[count] == api.ONGOING:
                key = api.state_key(child)
                children.keys[count], children.places[count] = key, place_of(key, below.shift)
                prefetch(below.slots, children.places[count])
            count += 1
        children.starts[here - first + 1] = count
    for one in range(count):
        if children.status[one] == api.ONGOING:
            index = below.slots[children.places[one]]
            if index != np.uint32(0):
                prefetch(below.keys, index - np.uint32(1))
    return count


@inlined_kernel
def slot_of(key: np.uint64, place: np.uint64, below: Below) -> np.uint64:
    """Return the slot of a key, or the free slot at which its search ends; the search begins at `place`."""
    last = np.uint64(below.slots.size - 1)
    while below.slots[place] != np.uint32(0) and below.keys[below.slots[place] - np.uint32(1)] != key:
        place = (place + np.uint64(1)) & last
    return place


@kernel
def _expand(
    like: api.State,
    keys: NDArray[np.uint64],
    codes: NDArray[np.int32],
    support: NDArray[np.bool_],
    first: int,
    below: Below,
    found: int,
    children: Children,
    ends: NDArray[np.int64],
) -> tuple[int, int]:
    """Insert the ongoing children of the states from `first` on into `below`, which has `found` keys.

    Parameters are those of `gather`.  `ends` (4,) counts the moves that lead to each status.  The function returns the
    end of the part done, and the number of keys.  It returns early if a block of children might not fit.
    """
    room = min(below.keys.size, below.slots.size // 2) - children.keys.size
    state = first
    while state < keys.size and found <= room:
        for one in range(gather(like, keys, codes, support, state, below, children)):
            ends[children.status[one]] += 1
            if children.status[one] != api.ONGOING:
                continue
            slot = slot_of(children.keys[one], children.places[one], below)
            if below.slots[slot] == np.uint32(0):
                below.keys[found] = children.keys[one]
                found += 1
                below.slots[slot] = np.uint32(found)
        state += BLOCK
    return min(state, keys.size), found


@kernel
def _fill_slots(keys: NDArray[np.uint64], slots: NDArray[np.uint32], shift: np.uint64) -> None:
    """Insert distinct keys, (N,), into free slots."""
    last, ahead = np.uint64(slots.size - 1), 16
    for index in range(keys.size):
        if index + ahead < keys.size:
            prefetch(slots, place_of(keys[index + ahead], shift))
        place = place_of(keys[index], shift)
        while slots[place] != np.uint32(0):
            place = (place + np.uint64(1)) & last
        slots[place] = np.uint32(index + 1)


def make_slots(wanted: int) -> tuple[NDArray[np.uint32], np.uint64]:
    """Return an empty hash table for some keys, at most half full, and the shift of its places."""
    size = 1 << max(2 * wanted, _MIN_SLOTS).bit_length()
    return np.zeros(size, np.uint32), np.uint64(65 - size.bit_length())


def _filled(keys: NDArray[np.uint64], found: int, wanted: int) -> tuple[NDArray[np.uint32], np.uint64]:
    """Return a hash table of the first `found` keys with room for `wanted`, and its shift."""
    slots, shift = make_slots(wanted)
    _fill_slots(frozen(keys[:found].view()), slots, shift)
    return slots, shift


def below_of(keys: NDArray[np.uint64]) -> Below:
    """Return a complete level for look-ups."""
    whole = frozen(np.asarray(keys).view())
    slots, shift = _filled(whole, whole.size, whole.size)
    return Below(whole, slots, shift)


def next_keys(
    game: Game,
    level: Level,
    support: NDArray[np.bool_],
    ends: NDArray[np.int64],
    on_progress: Callable[[int], object] = lambda found: None,
) -> NDArray[np.uint64]:
    """Return the keys of the ongoing children of a level, in the order of discovery.

    Parameters
    ----------
    game
        The game.
    level
        The states, with the agent's choices.
    support : (R, A) bool
        The actions of each row of choices.
    ends : (4,) int64
        Number of moves that lead to each status; updated in place.
    on_progress
        Called with the number of keys found so far.
    """
    children = make_children(game)
    spare = _SPARE + children.keys.size
    keys, found = np.empty(level.keys.size + spare, np.uint64), 0
    slots, shift = _filled(keys, 0, keys.size)
    for _, states, codes in level.chunks():
        first = 0
        while first < states.size:
            below = Below(keys, slots, shift)
            first, found = _expand(game.initial_state, states, codes, support, first, below, found, children, ends)
            if first < states.size:
                keys.resize(2 * keys.size, refcheck=False)
                if slots.size < 2 * keys.size:
                    slots, shift = _filled(keys, found, keys.size)
        on_progress(found)
    keys.resize(found, refcheck=False)
    return frozen(keys)


@kernel
def _fill_seats(like: api.State, keys: NDArray[np.uint64], seats: NDArray[np.int8]) -> None:
    """Fill the player to move of each state."""
    for place in range(keys.size):
        seats[place] = api.player(api.state_of_key(like, keys[place]))


def seats_of(game: Game, keys: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the player to move of some ongoing states, (N,) int8."""
    seats = np.empty(keys.size, np.int8)
    _fill_seats(game.initial_state, frozen(np.asarray(keys).view()), seats)
    return seats
