"""Enumeration of every reachable state of a game, level by level in the order of discovery."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import TableSizeError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.tables.state_table import StateTable

BYTES_PER_STATE = 60
"""Of a table and of the work of enumerating it, at some five actions a state."""


@kernel
def _expand(
    start: api.State,
    keys: NDArray[np.uint64],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    counts: NDArray[np.int32],
    actions: NDArray[np.uint8],
    children: NDArray[np.uint64],
) -> int:
    """Write what a table holds of each state of a ply; return the number of their edges.

    `status`, `player` and `counts`, the number of legal actions, are of each state.  `actions` and `children`, the
    keys of the states that they lead to, are of each edge, with room for A of each state.
    """
    edges = 0
    for state in range(keys.size):
        here = api.state_of_key(start, keys[state])
        status[state], player[state], counts[state] = api.status(here), 0, 0
        if status[state] == api.ONGOING:
            player[state], counts[state] = api.player(here), api.fill_legal_actions(here, actions[edges:])
            for edge in range(edges, edges + counts[state]):
                children[edge] = api.state_key(api.play(here, actions[edge]))
            edges += counts[state]
    return edges


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
    start, found, num_states = game.initial_state, list[tuple[NDArray[Any], ...]](), 0
    keys, order = np.array([api.state_key(start)], np.uint64), np.zeros(1, np.int32)
    while keys.size:
        first, num_states = num_states, num_states + keys.size
        if num_states > limit:
            raise size_error(game, limit, f"more than {limit:,}", limit)
        room = keys.size * game.num_actions
        status, player = np.empty((2, keys.size), np.int8)
        counts = np.empty(keys.size, np.int32)
        actions, children = np.empty(room, np.uint8), np.empty(room, np.uint64)
        edges = _expand(start, keys, status, player, counts, actions, children)
        below, place, which = np.unique(children[:edges], return_index=True, return_inverse=True)
        discovered = np.argsort(place)
        rank = np.empty(below.size, np.int32)
        rank[discovered] = np.arange(num_states, num_states + below.size)
        found.append((counts, actions[:edges].copy(), rank[which], status, player, keys, order + first))
        keys, order = below[discovered], rank - num_states
    ply_start = np.cumsum([0, *(len(ply[0]) for ply in found)], dtype=np.int32)
    columns: Iterator[Any] = map(np.concatenate, zip(*found, strict=True))
    all_counts, edge_action, edge_child, all_status, all_players, key, key_order = columns
    edge_start = np.append(0, all_counts).cumsum(dtype=np.int32)
    return StateTable(game, edge_start, edge_action, edge_child, all_status, all_players, ply_start, key, key_order)
