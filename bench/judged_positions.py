"""Make the positions of Connect 4 by which players are judged: the value of every move, where some move loses value.

    python bench/judged_positions.py         writes src/ttt_fast/evaluate/judged_positions.csv, the same bits each time

Half of them are reached by 8 to 24 random moves.  The other half are from games that begin with 8 random moves and go
on with moves that keep the value, one in five of which is drawn from all; about every second position is taken.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ttt_fast.core.rng import Stream, below, chunk_stream
from ttt_fast.evaluate.kept_moves import POSITIONS, RANDOM_MOVES, SOLVED_GAMES
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.games.results import result_of
from ttt_fast.search.connect_four.solver import Solver

OF_EACH = 2500
FIRST_PLY, LAST_PLY = 8, 24
TABLE_MB = 256.0
GAME = parse_game("connect4")


def drawn(words: Stream, number: int) -> int:
    """Return a number from 0 to `number` - 1."""
    return int(below(words.word(), number))


def values_of(solver: Solver, state: Any) -> dict[int, int]:
    """Return the value of each legal action for the player to move: 1, 0 or -1."""
    children = {action: api.play(state, action) for action in api.legal_actions(state)}
    open_ones = {action: child for action, child in children.items() if api.status(child) == api.ONGOING}
    words = np.array([(child.own, child.occupied) for child in open_ones.values()], np.uint64).reshape(-1, 2)
    scores = solver.scores(words, weak=True).scores.tolist()
    solved = dict(zip(open_ones, (-score for score in scores), strict=True))
    return {
        action: solved[action] if action in solved else 1 - result_of(api.status(child), api.player(state))
        for action, child in children.items()
    }


def play_random(words: Stream, plies: int) -> tuple[int, ...] | None:
    """Return random moves, or None if the game ends before."""
    state: Any = GAME.initial_state
    moves: tuple[int, ...] = ()
    for _ in range(plies):
        actions = api.legal_actions(state)
        moves = (*moves, actions[drawn(words, len(actions))])
        state = api.play(state, moves[-1])
        if api.status(state) != api.ONGOING:
            return None
    return moves


def state_after(moves: tuple[int, ...]) -> Any:
    """Return the position after some moves."""
    state: Any = GAME.initial_state
    for move in moves:
        state = api.play(state, move)
    return state


def random_positions(solver: Solver, words: Stream) -> Iterator[tuple[tuple[int, ...], dict[int, int]]]:
    """Yield moves and values without end, the plies in turn."""
    while True:
        for ply in range(FIRST_PLY, LAST_PLY + 1):
            moves = None
            while moves is None:
                moves = play_random(words, ply)
            yield moves, values_of(solver, state_after(moves))


def positions_of_games(solver: Solver, words: Stream) -> Iterator[tuple[tuple[int, ...], dict[int, int]]]:
    """Yield every second position of games of the solver without end."""
    while True:
        moves = play_random(words, FIRST_PLY)
        while moves is not None:
            values = values_of(solver, state_after(moves))
            if drawn(words, 2):
                yield moves, values
            among = [action for action, value in values.items() if value == max(values.values())]
            if drawn(words, 5) == 0:
                among = list(values)
            moves = (*moves, among[drawn(words, len(among))])
            if api.status(state_after(moves)) != api.ONGOING:
                moves = None


def main() -> None:
    """Write the file."""
    solver, known, rows = Solver(table_mb=TABLE_MB), set(), []
    for source, positions in ((RANDOM_MOVES, random_positions), (SOLVED_GAMES, positions_of_games)):
        found = 0
        for moves, values in positions(solver, Stream(chunk_stream(0, len(source)))):
            key = int(api.state_key(state_after(moves)))
            if len(set(values.values())) > 1 and key not in known:
                known.add(key)
                shown = "".join("-0+"[values[action] + 1] if action in values else "." for action in range(7))
                rows.append((source, GAME.format_moves(list(moves)), shown))
                found += 1
                if found % 100 == 0:
                    print(source, found, file=sys.stderr, flush=True)
            if found == OF_EACH:
                break
    with Path(POSITIONS).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([("source", "moves", "values"), *rows])


if __name__ == "__main__":
    main()
