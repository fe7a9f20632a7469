"""Recorded games judged: lines and saved games of tic-tac-toe by the table, games of Connect 4 by the solver."""

import json
import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import ttt_fast
from groups.timing import Effort, Group, Rows, seconds_row, value_row
from ttt_fast.core.manifest import available_cores

GAMES, TURNS = 100_000, 5
SOLVED_GAMES, RANDOM_PLIES = 100, 2


def random_moves() -> list[str]:
    """Return the moves of random games of tic-tac-toe, which end when the board is full or three are in a row."""
    generator, game = random.Random(0), ttt_fast.parse_game("tic-tac-toe")
    found = []
    for _ in range(GAMES // 20):
        state, moves = game.initial_state, ""
        while not game.status(state):
            action = generator.choice(game.legal_actions(state))
            moves, state = f"{moves}{action}", game.play(state, action)
        found.append(moves)
    return found * 20


def seconds_of(path: Path, game: str) -> float:
    """Return the seconds of a call, warm."""
    started = time.perf_counter()
    ttt_fast.review(path, game)
    return time.perf_counter() - started


def reviewing(effort: Effort) -> Rows:
    """Measure files of each kind in turns."""
    rows: Rows = []
    with tempfile.TemporaryDirectory() as folder:
        lines, saved, solved = (Path(folder) / name for name in ("lines.txt", "saved.jsonl", "connect4.jsonl"))
        moves = random_moves()
        lines.write_text("\n".join(moves))
        fields: dict[str, Any] = {"pair": 0, "game": 0, "x": "one", "o": "other", "opening": 0}
        saved.write_text("\n".join(json.dumps({**fields, "moves": one, "plies": len(one)}) for one in moves))
        for path in (lines, saved):
            seconds_of(path, "tic-tac-toe")
            spent = [seconds_of(path, "tic-tac-toe") for _ in range(TURNS)]
            note = f"a call, median of {TURNS}; {GAMES:,} games, of which {len(set(moves)):,} differ"
            rows.append(seconds_row(f"tic-tac-toe, {path.suffix}", median(spent), note))
        config = ttt_fast.ContestConfig(SOLVED_GAMES, game="connect4", openings=f"random:{RANDOM_PLIES}")
        ttt_fast.contest("learned", "learned", config, save_to=solved)
        ttt_fast.review([{"moves": "4444"}], "connect4")  # loads the kernels
        started = time.perf_counter()
        found = ttt_fast.review(solved, "connect4").row(-1, named=True)
        seconds, decisions = time.perf_counter() - started, found["moves"]
        note = f"{decisions:,} decisions in {SOLVED_GAMES} games of learned after {RANDOM_PLIES} random plies"
        rate = f"connect4: decisions a second, {available_cores()} threads"
        rows.append(value_row(rate, decisions / seconds, f"{note}; all moves of each solved, weakly"))
    return rows


REVIEW = Group("review", "Recorded games judged", reviewing)
