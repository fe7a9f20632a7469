"""Levels on disk, beside the full tables and within their quota: a file of keys and one of codes for each ply.

The name of a folder contains the game, the version of its rules, the seat and the digest of the agent.
"""

from contextlib import suppress
from pathlib import Path

import numpy as np

from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import frozen
from ttt_fast.games.game import Game
from ttt_fast.tables import large
from ttt_fast.tables.levels import Level, Levels
from ttt_fast.tables.state_table import FixedSeat

FORMAT = 1
MAPPED_POSITIONS = 1 << 22
"""Positions of the smallest level whose arrays are written to files, and mapped from there, at once."""


def _name(game: Game, fixed: FixedSeat) -> str:
    return f"{game.file_name}-{'xo'[fixed.seat - 1]}-{fixed.digest[:16]}"


def _described(game: Game, fixed: FixedSeat) -> JsonObject:
    return {**large.described_game(game), "levels": FORMAT, "fixed": [fixed.seat, fixed.agent, fixed.digest]}


def is_kept(game: Game, fixed: FixedSeat) -> bool:
    """Return whether the levels of an agent have a folder on disk."""
    return bool(fixed.digest) and large.path_of(_name(game, fixed)).is_dir()


def open_levels(game: Game, fixed: FixedSeat) -> Levels | None:
    """Return the levels of an agent from disk, with their arrays mapped into memory; None if missing or damaged."""
    if not is_kept(game, fixed):
        return None
    spec = f"{game.spec} with {fixed.agent}"
    arrays = large.open_arrays(_name(game, fixed), _described(game, fixed), spec, ("rows", "ends", "deterministic"))
    if arrays is None:
        return None
    plies = sum(name.startswith("keys_") for name in arrays)
    levels = tuple(Level(arrays[f"keys_{ply:03}"], arrays[f"codes_{ply:03}"]) for ply in range(plies))
    return Levels(game, fixed, levels, arrays["rows"], arrays["ends"], bool(arrays["deterministic"][0]))


def map_level(new: Path, level: Level, ply: int) -> Level:
    """Write a level to files of a new folder, and return it with its arrays mapped from there."""
    names = {f"keys_{ply:03}": level.keys, f"codes_{ply:03}": level.codes}
    paths = [large.write_array(new, name, array) for name, array in names.items()]
    return Level(*(np.asarray(np.load(path, mmap_mode="r")) for path in paths))


def keep_levels(levels: Levels, new: Path) -> bool:
    """Complete a new folder with the levels that it lacks, and keep it; return whether there is room for it."""
    game, fixed = levels.game, levels.fixed
    size = sum(level.keys.nbytes + level.codes.nbytes for level in levels.levels)
    with suppress(OSError):
        if not large.make_room(size):
            return False
        for ply, level in enumerate(levels.levels):
            if not (new / f"codes_{ply:03}.npy").exists():
                map_level(new, level, ply)
        arrays = {"rows": levels.rows, "ends": levels.ends, "deterministic": np.array([levels.deterministic])}
        for name, array in arrays.items():
            large.write_array(new, name, frozen(array))
        described = {"spec": f"{game.spec} with {fixed.agent} as {'XO'[fixed.seat - 1]}", "states": levels.positions}
        large.finish(new, _name(game, fixed), {**_described(game, fixed), **described, "edges": int(levels.ends.sum())})
        return True
    return False
