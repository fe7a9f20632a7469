"""How often a first mover keeps its win of Connect 4 against a perfect player that draws among its best moves.

    python bench/first_mover.py c4.npz mcts:ms=100,leaf=c4.npz alphabeta:ms=100,eval=c4.npz -o first_mover.csv

The second player is PyPI's bitbully with its book of 12 plies (`pip install -r bench/requirements.txt`).  It puts off a
loss as long as possible, and draws among the moves that do.  Such moves are few, so that many games are the same: the
openings are counted, a mirror image as the same one, and the interval is that over openings.  A second file, whose name
ends in `_openings`, has the games of each.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any, Final

from ttt_fast.agents.convert import as_player
from ttt_fast.core.rng import Stream, below, chunk_stream
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.report.rows import encode, write_bytes
from ttt_fast.studies.statistics.samples import RunSample

GAME = parse_game("connect4")
OPENING_PLIES: Final = 8
RESULTS: Final = {"wins": api.X_WINS, "draws": api.DRAW, "losses": api.O_WINS}
MIRRORED: Final = str.maketrans("1234567", "7654321")


def best_moves(solver: Any, moves: tuple[int, ...]) -> list[int]:
    """Return the moves of the highest score after some moves: an early win, a late loss."""
    import bitbully

    scores = solver.score_all_moves(bitbully.Board(list(moves)))
    return sorted(action for action, score in scores.items() if score == max(scores.values()))


def play(first: Any, solver: Any, game: int) -> tuple[int, str]:
    """Return the status at the end of a game, and its moves."""
    state: Any = GAME.initial_state
    moves: tuple[int, ...] = ()
    words = Stream(chunk_stream(0, game, 1))
    first.begin(chunk_stream(0, game, 0))
    while api.status(state) == api.ONGOING:
        if len(moves) % 2 == 0:
            action = first.search(state).action
        else:
            among = best_moves(solver, moves)
            action = among[int(below(words.word(), len(among)))]
        moves, state = (*moves, action), api.play(state, action)
    return int(api.status(state)), "".join(str(action + 1) for action in moves)


def opening_of(moves: str) -> str:
    """Return the first plies of a game or of its mirror image, whichever comes first."""
    return min(moves[:OPENING_PLIES], moves[:OPENING_PLIES].translate(MIRRORED))


def distinct(played: Sequence[tuple[int, str]]) -> int:
    """Return the number of different games, a mirror image being the same one."""
    return len({min(moves, moves.translate(MIRRORED)) for _, moves in played})


def opening_rows(agent: str, played: Sequence[tuple[int, str]]) -> list[dict[str, Any]]:
    """Return the games of each opening."""
    of = defaultdict(list)
    for status, moves in played:
        of[opening_of(moves)].append((status, moves))
    return [
        {
            "first": agent, "opening": opening, "games": len(own), "distinct_games": distinct(own),
            **{name: sum(status == wanted for status, _ in own) for name, wanted in RESULTS.items()},
        }
        for opening, own in sorted(of.items())
    ]  # fmt: skip


def over_openings(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Return the 95 % interval of the share of wins over openings, Wilson's where all are won, or none."""
    games, wins, count = sum(row["games"] for row in rows), sum(row["wins"] for row in rows), len(rows)
    if wins in (0, games):
        return wilson_interval(count if wins else 0, count)
    if count < 2:
        return 0.0, 1.0
    squares = sum((row["wins"] - wins / games * row["games"]) ** 2 for row in rows)
    half = RunSample([0.0] * count).student * sqrt(count / (count - 1) * squares) / games
    return max(0.0, wins / games - half), min(1.0, wins / games + half)


def measured(agent: str, games: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the row of a first mover, and those of its openings."""
    import bitbully

    first, solver = as_player(agent, GAME), bitbully.BitBully(opening_book="12-ply-dist")
    started = time.perf_counter()
    played = [play(first, solver, game) for game in range(games)]
    seconds, openings = time.perf_counter() - started, opening_rows(agent, played)
    counts = {name: sum(row[name] for row in openings) for name in RESULTS}
    (low, high), (least, most) = wilson_interval(counts["wins"], games), over_openings(openings)
    row = {
        "first": agent, "games": games, **counts, "share": counts["wins"] / games, "share_low": low, "share_high": high,
        "distinct_games": distinct(played),
        "openings": len(openings), "low_over_openings": least, "high_over_openings": most, "seconds": round(seconds, 1),
    }  # fmt: skip
    return row, openings


def main() -> None:
    """Measure each agent; the file is written anew after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="agent strings")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--output", "-o", type=Path, required=True, help="a .csv file")
    given, rows, openings = parser.parse_args(), [], []
    for agent in given.agents:
        row, own = measured(agent, given.games)
        rows.append(row)
        openings += own
        print(row, *own, sep="\n", file=sys.stderr, flush=True)
        write_bytes(encode("csv", "first_mover", rows, {}), given.output)
        beside = given.output.with_name(f"{given.output.stem}_openings.csv")
        write_bytes(encode("csv", "first_mover_openings", openings, {}), beside)


if __name__ == "__main__":
    main()
