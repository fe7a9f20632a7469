"""Induced tables: a `StateTable` of the states that remain when an agent moves in one seat, made from levels."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import TableSizeError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.tables import kept_levels
from ttt_fast.tables.enumeration import Columns, key_order_of, place_of
from ttt_fast.tables.levels import (
    BLOCK,
    Below,
    Children,
    Levels,
    below_of,
    gather,
    make_children,
    make_slots,
    slot_of,
)
from ttt_fast.tables.state_table import Arrays, FixedSeat, StateTable

MAX_INDUCED_STATES = 50_000_000
"""Positions of the largest induced table; more are kept as levels only."""


_tables: dict[tuple[Game, FixedSeat], StateTable] = {}
"""The induced tables of this process."""


@kernel
def _add_level(
    like: api.State,
    keys: NDArray[np.uint64],
    codes: NDArray[np.int32],
    support: NDArray[np.bool_],
    first_state: int,
    below: Below,
    ended: Below,
    found: NDArray[np.int64],
    columns: Columns,
    children: Children,
) -> None:
    """Write the edges of some states, and the final states to which they lead.

    Parameters
    ----------
    like, keys, codes, support, children
        As in `gather`.
    first_state
        Index of the first of these states.
    below
        The ongoing states of the next ply.
    ended
        The final states of the next ply, under construction.
    found : (4,) int64
        Number of edges so far; index of the first ongoing and of the first final state of the next ply; number of final
        states so far.
    columns
        Output.
    """
    edge = found[0]
    for first in range(0, keys.size, BLOCK):
        gather(like, keys, codes, support, first, below, children)
        for here in range(first, min(first + BLOCK, keys.size)):
            begin, end = children.starts[here - first], children.starts[here - first + 1]
            columns.player[first_state + here] = api.player(api.state_of_key(like, keys[here]))
            for one in range(begin, end):
                columns.edge_action[edge] = children.actions[one]
                if children.status[one] == api.ONGOING:
                    slot = slot_of(children.keys[one], children.places[one], below)
                    columns.edge_child[edge] = found[1] + np.int64(below.slots[slot]) - 1
                else:
                    key = api.state_key(api.play(api.state_of_key(like, keys[here]), children.actions[one]))
                    slot = slot_of(key, place_of(key, ended.shift), ended)
                    if ended.slots[slot] == np.uint32(0):
                        ended.keys[found[3]] = key
                        columns.status[found[2] + found[3]] = children.status[one]
                        columns.key[found[2] + found[3]] = key
                        found[3] += 1
                        ended.slots[slot] = np.uint32(found[3])
                    columns.edge_child[edge] = found[2] + np.int64(ended.slots[slot]) - 1
                edge += 1
            columns.edge_start[first_state + here + 1] = edge
    found[0] = edge


def induced_state_table(levels: Levels) -> StateTable:
    """Return the induced table of some levels; every call returns the same object.

    Raises
    ------
    TableSizeError
        If there are more than `MAX_INDUCED_STATES` positions.
    """
    identity = levels.game, levels.fixed
    if identity not in _tables:
        _tables[identity] = table_of_levels(levels)
    return _tables[identity]


def reduced(table: StateTable) -> tuple[Callable[..., StateTable], tuple[object, ...]]:
    """Return the pickled form of an induced table: its identity if its levels are on disk, otherwise its arrays."""
    assert table.fixed is not None
    kept = kept_levels.is_kept(table.game, table.fixed)
    return _restored, (table.game, table.fixed, None if kept else table.arrays())


def _restored(game: Game, fixed: FixedSeat, arrays: Arrays | None) -> StateTable:
    """Return the table of this identity in this process, made from the levels on disk or the pickled arrays."""
    found = _tables.get((game, fixed))
    if found is None and arrays is not None:
        found = _tables[game, fixed] = StateTable.of_arrays(game, arrays, fixed)
    if found is None:
        levels = kept_levels.open_levels(game, fixed)
        if levels is None:
            raise TableSizeError(
                f"expected the positions of {fixed.agent!r} on disk, got none: the pickled table refers to them"
            )
        found = induced_state_table(levels)
    return found


def table_of_levels(levels: Levels) -> StateTable:
    """Return the states of some levels, and the final states to which they lead, as a new table.

    States of one ply are ordered by their discovery, the ongoing states first.

    Raises
    ------
    TableSizeError
        If there are more than `MAX_INDUCED_STATES` positions.
    """
    if levels.positions > MAX_INDUCED_STATES:
        raise TableSizeError(
            f"expected at most {MAX_INDUCED_STATES:,} positions for an induced table, got {levels.positions:,} of"
            f" {levels.fixed.agent!r}; outcomes, the best response and refutations need no table"
        )
    edges, most = int(levels.ends.sum()), levels.positions + int(levels.ends[:, 1:].sum())
    columns = Columns(
        np.zeros(most + 1, np.int32), np.empty(edges, np.uint8), np.empty(edges, np.int32),
        np.zeros(most, np.int8), np.zeros(most, np.int8), np.empty(most, np.uint64),
    )  # fmt: skip
    children, support = make_children(levels.game), levels.support
    columns.key[0] = levels.levels[0].keys[0]
    ply_start, found, first = [0, 1], np.array([0, 1, 1, 0]), 0
    for ply, level in enumerate(levels.levels):
        keys = levels.levels[ply + 1].keys if ply + 1 < len(levels.levels) else np.empty(0, np.uint64)
        below, states = below_of(keys), ply_start[-1]
        final = int(levels.ends[ply, 1:].sum())
        ended = Below(np.empty(final, np.uint64), *make_slots(final))
        found[1:] = states, states + keys.size, 0
        columns.key[states : states + keys.size] = keys
        for part, some, codes in level.chunks():
            at = first + part.start, below, ended, found, columns, children
            _add_level(levels.game.initial_state, some, codes, support, *at)
            check_interrupt()
        columns.edge_start[first + level.keys.size + 1 : states + 1] = found[0]
        first = states
        ply_start.append(states + keys.size + int(found[3]))
    total = ply_start[-1]
    columns.edge_start[first + 1 :] = found[0]
    sized = {name: column[: total + (name == "edge_start")] for name, column in columns._asdict().items()}
    sized |= {name: getattr(columns, name) for name in ("edge_action", "edge_child")}
    plies = np.array(ply_start, np.int32)
    key_order = key_order_of(sized["key"], plies)
    return StateTable(levels.game, **sized, ply_start=plies, key_order=key_order, fixed=levels.fixed)
