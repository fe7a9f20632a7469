"""How often a first mover keeps its win of Connect 4 against a perfect player that draws among its best moves.

    python bench/first_mover.py c4.npz mcts:ms=100,leaf=c4.npz alphabeta:ms=100,eval=c4.npz -o first_mover.csv

The second player is PyPI's bitbully with its book of 12 plies (`pip install -r bench/requirements.txt`).  It puts off a
loss as long as possible, and draws among the moves that do.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import Stream, below, chunk_stream
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.report.rows import encode, write_bytes

GAME = parse_game("connect4")


def best_moves(solver: Any, moves: tuple[int, ...]) -> list[int]:
    """Return the moves of the highest score after some moves: an early win, a late loss."""
    import bitbully

    scores = solver.score_all_moves(bitbully.Board(list(moves)))
    return sorted(action for action, score in scores.items() if score == max(scores.values()))


def play(first: Any, solver: Any, game: int) -> int:
    """Return the status at the end of a game."""
    state: Any = GAME.initial_state
    moves: tuple[int, ...] = ()
    words = Stream(chunk_stream(0, game, 1))
    first.begin(chunk_stream(0, game, 0))
    while api.status(state) == api.ONGOING:
        if len(moves) % 2 == 0:
            action = first.think(state).action
        else:
            among = best_moves(solver, moves)
            action = among[int(below(words.word(), len(among)))]
        moves, state = (*moves, action), api.play(state, action)
    return int(api.status(state))


def measured(agent: str, games: int) -> dict[str, Any]:
    """Return the row of a first mover."""
    import bitbully

    first, solver, started = (
        make_player(agent, GAME),
        bitbully.BitBully(opening_book="12-ply-dist"),
        time.perf_counter(),
    )
    results = [play(first, solver, game) for game in range(games)]
    wins, draws = results.count(api.X_WINS), results.count(api.DRAW)
    low, high = wilson_interval(wins, games)
    return {
        "first": agent, "games": games, "wins": wins, "draws": draws, "losses": games - wins - draws,
        "share": wins / games, "share_low": low, "share_high": high,
        "seconds": round(time.perf_counter() - started, 1),
    }  # fmt: skip


def main() -> None:
    """Measure each agent; the file is written anew after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="agent strings")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--output", "-o", type=Path, required=True, help="a .csv file")
    given, rows = parser.parse_args(), []
    for agent in given.agents:
        rows.append(measured(agent, given.games))
        print(rows[-1], file=sys.stderr, flush=True)
        write_bytes(encode("csv", "first_mover", rows, {}), given.output)


if __name__ == "__main__":
    main()
