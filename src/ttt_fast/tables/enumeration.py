"""Enumeration of every reachable state of a game, level by level in the order of discovery."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import TableSizeError
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import mix64
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.tables.state_table import StateTable

BYTES_PER_STATE = 60
"""Of a table and of the work of enumerating it, at some five actions a state."""
_DONE, _SHORT, _TOO_MANY = 0, 1, 2
_FIRST_CAPACITY = 1 << 13


class _Found(NamedTuple):
    """States and edges found so far, and where to look a key up; all are modified in place.

    Attributes
    ----------
    key : (C,) uint64, status, player, ply : (C,) int8
        Of each state found.
    edge_start : (C + 1,) int32, edge_action : (D,) uint8, edge_child : (D,) int32
        Legal actions of each state expanded, and where they lead.
    slots : (2**k,) int32
        States by the mixed bits of their keys, with linear probing; -1 where there is none.
    counts : (2,) int64
        Number of states found, and of states expanded.
    """

    key: NDArray[np.uint64]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    ply: NDArray[np.int8]
    edge_start: NDArray[np.int32]
    edge_action: NDArray[np.uint8]
    edge_child: NDArray[np.int32]
    slots: NDArray[np.int32]
    counts: NDArray[np.int64]


@kernel
def _slot_of(key: np.uint64, keys: NDArray[np.uint64], slots: NDArray[np.int32]) -> np.uint64:
    """Return the slot that holds a key, or the free one in which it belongs."""
    mask = np.uint64(slots.size - 1)
    slot = mix64(key) & mask
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def _fill_slots(found: _Found) -> None:
    """File all states found under their keys; `slots` is -1 on entry."""
    for state in range(found.counts[0]):
        found.slots[_slot_of(found.key[state], found.key, found.slots)] = state


@kernel
def _expand(start: api.State, found: _Found, actions: NDArray[np.uint8], limit: int) -> int:
    """Expand states in the order of discovery; return _DONE, _SHORT of room, or _TOO_MANY states."""
    count, state = found.counts[0], found.counts[1]
    result = _DONE
    while state < count:
        if count > limit:
            result = _TOO_MANY
            break
        edge = found.edge_start[state]
        if count + actions.size > found.key.size or edge + actions.size > found.edge_action.size:
            result = _SHORT
            break
        if found.status[state] == api.ONGOING:
            here = api.state_of_key(start, found.key[state])
            for place in range(api.fill_legal_actions(here, actions)):
                after = api.play(here, actions[place])
                key = api.state_key(after)
                slot = _slot_of(key, found.key, found.slots)
                if found.slots[slot] < 0:
                    found.slots[slot] = count
                    found.key[count] = key
                    status = api.status(after)
                    found.status[count] = status
                    found.player[count] = api.player(after) if status == api.ONGOING else 0
                    found.ply[count] = found.ply[state] + 1
                    count += 1
                found.edge_action[edge] = actions[place]
                found.edge_child[edge] = found.slots[slot]
                edge += 1
        state += 1
        found.edge_start[state] = edge
    found.counts[0], found.counts[1] = count, state
    return result


def _work(states: int, num_actions: int) -> _Found:
    """Return work arrays for a number of states, empty."""
    edges = min(states * num_actions, 2**31 - 1)
    slots = 1 << (2 * states - 1).bit_length()
    return _Found(
        np.empty(states, np.uint64),
        np.empty(states, np.int8),
        np.empty(states, np.int8),
        np.empty(states, np.int8),
        np.zeros(states + 1, np.int32),
        np.empty(edges, np.uint8),
        np.empty(edges, np.int32),
        np.full(slots, -1, np.int32),
        np.zeros(2, np.int64),
    )


def _grown(found: _Found, num_actions: int) -> _Found:
    """Return the same states and edges in work arrays for twice as many."""
    larger = _work(2 * found.key.size, num_actions)
    for name, old in found._asdict().items():
        if name != "slots":
            getattr(larger, name)[: old.size] = old
    _fill_slots(larger)
    return larger


def size_error(game: Game, limit: int, number: str, states: float) -> TableSizeError:
    """Return the error of a game with more states than a limit: their number in words, and as one for their bytes."""
    megabytes = f"{states * BYTES_PER_STATE / 2**20:.3g} MiB as a table"
    return TableSizeError(
        f"expected a game of at most {limit:,} states, got {game.spec!r}, which has {number} ({megabytes})"
    )


def enumerate_game(game: Game, limit: int) -> StateTable:
    """Return the table of every state that legal play reaches.

    Parameters
    ----------
    game
        A game with exact keys (`api.has_exact_key`), in which every action adds a ply.
    limit
        Largest number of states.

    Raises
    ------
    TableSizeError
        If there are more.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> table = enumerate_game(parse_game("tic-tac-toe"), 10_000)
    >>> table.num_states, table.num_edges, int((table.status != 0).sum())
    (5478, 16167, 958)
    """
    start = game.initial_state
    actions = np.empty(game.num_actions, np.uint8)
    found = _work(_FIRST_CAPACITY, game.num_actions)
    found.key[0], found.status[0] = api.state_key(start), api.status(start)
    found.player[0], found.ply[0] = api.player(start), 0
    found.counts[0] = 1
    _fill_slots(found)
    while (result := _expand(start, found, actions, limit)) == _SHORT:
        found = _grown(found, game.num_actions)
    if result == _TOO_MANY:
        raise size_error(game, limit, f"more than {limit:,}", limit)
    states = int(found.counts[0])
    edges = int(found.edge_start[states])
    ply = found.ply[:states]
    ply_start = np.searchsorted(ply, np.arange(int(ply[-1]) + 2)).astype(np.int32)
    key = found.key[:states].copy()
    return StateTable(
        game,
        found.edge_start[: states + 1].copy(),
        found.edge_action[:edges].copy(),
        found.edge_child[:edges].copy(),
        found.status[:states].copy(),
        found.player[:states].copy(),
        ply_start,
        key,
        np.lexsort((key, ply)).astype(np.int32),
    )
