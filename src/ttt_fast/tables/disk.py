"""Tables of small games on disk, so that a process need neither enumerate nor solve what another one has."""

import os
from functools import cache as remembered
from hashlib import sha256
from pathlib import Path

import numpy as np

from ttt_fast.core import cache
from ttt_fast.core.archive import ArraySpec, load_archive, save_archive
from ttt_fast.core.errors import TttFastError
from ttt_fast.games.registry import Game
from ttt_fast.tables.solution import Solution
from ttt_fast.tables.state_table import StateTable

LARGEST = 100_000
"""States of the largest table that is kept without being asked for: some megabytes."""
_KIND = "table"
_ARRAYS = {
    "edge_start": ArraySpec("int32", (-1,)),
    "edge_action": ArraySpec("uint8", (-1,)),
    "edge_child": ArraySpec("int32", (-1,)),
    "status": ArraySpec("int8", (-1,)),
    "player": ArraySpec("int8", (-1,)),
    "ply_start": ArraySpec("int32", (-1,)),
    "key": ArraySpec("uint64", (-1,)),
    "key_order": ArraySpec("int32", (-1,)),
    "value": ArraySpec("int8", (-1,)),
    "distance": ArraySpec("int16", (-1,)),
    "optimal": ArraySpec("bool", (-1,)),
    "fastest": ArraySpec("bool", (-1,)),
}


@remembered
def _folder() -> Path:
    """Return the folder of tables, named by every source that decides their content."""
    here = Path(__file__).parent
    sources = [cache.sources_digest(str(here / name)) for name in ("enumeration.py", "solution.py")]
    return cache.choose_folder("tables", "".join(sources))


def _path(game: Game) -> Path:
    name = sha256(repr((game.name, game.version, tuple(map(int, game.initial_state)))).encode()).hexdigest()[:16]
    return _folder() / f"{game.name}-{name}.npz"


def stored(game: Game) -> tuple[StateTable, Solution] | None:
    """Return the table and the solution of a game from disk; None if they are not there, or damaged."""
    path = _path(game)
    try:
        if not os.path.exists(path):
            return None
        arrays = load_archive(path, {_KIND: _ARRAYS}).arrays
    except TttFastError:
        return None
    table = StateTable(game, **{name: arrays[name] for name in list(_ARRAYS)[:8]})
    solution = Solution(*(arrays[name] for name in Solution._fields))
    for array in solution:
        array.flags.writeable = False
    return (table, solution) if _fits(table, solution) else None


def _fits(table: StateTable, solution: Solution) -> bool:
    """Return whether the parts of a file fit each other: kernels trust them."""
    states, edges = table.num_states, table.num_edges
    return (
        table.edge_start.size == states + 1
        and table.edge_child.size == edges == int(table.edge_start[-1])
        and {array.size for array in (table.player, table.key, table.key_order, *solution[:2])} == {states}
        and {array.size for array in solution[2:]} == {edges}
        and int(table.ply_start[-1]) == states
        and bool((np.diff(table.edge_start) >= 0).all())
        and bool((table.edge_child > table.edge_state).all() and (table.edge_child < states).all())
    )


def store(table: StateTable, solution: Solution) -> None:
    """Keep a small table and its solution on disk; a full disk only costs time later."""
    if table.num_states > LARGEST:
        return
    try:
        save_archive(_path(table.game), _KIND, {**table.arrays(), **solution._asdict()}, {"game": table.game.spec})
    except (TttFastError, OSError):
        pass
