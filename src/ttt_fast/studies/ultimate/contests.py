"""The contests of this study: those of the printed pairs, and the lines of `contests.csv`."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import isfinite
from typing import Any, Final, NamedTuple

import numpy as np

from ttt_fast.evaluate.rating import rate
from ttt_fast.studies.engine.sources import cells_of, lines_of
from ttt_fast.studies.engine.tables import Row
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.ultimate.matches import DUPLICATED, play

DQN: Final = "dqn"
AGENTS: Final = (
    "random", DQN, "minimax-1", "minimax-3", "minimax-5", "mcts-100", "mcts-500", "mcts-1000", "mcts-2000",
)  # fmt: skip
"""The agents (1) to (9) of Fig. 5: N-step minimax with random ties, MCTS with N iterations."""
MATCHES: Final = tuple(combinations_with_replacement(AGENTS, 2))
"""The 45 matches that the source played, its first agent beginning; all other cells are their mirrors."""
PAIRS: Final = tuple(pair for pair in MATCHES if DQN not in pair)
CODED, FIRST, SWAPPED = "as coded", "corrected, the row begins", "corrected, seats swapped"
PROGRAMS: Final = {CODED: 1, FIRST: 9, SWAPPED: 2}
"""What plays the pairs, and the first number of the keys of its contests."""
SIZES: Final = {CODED: 1000, FIRST: 500, SWAPPED: 500}
_GAMES_A_PIECE = 50

Counts = tuple[int, int, int]
"""Wins, draws and losses of the first agent named."""


class Contest(NamedTuple):
    """Two agents and their games; a line of `contests.csv`.

    Attributes
    ----------
    part, name, variant
        What it belongs to, and what it is called there.
    first, second
        Agent strings.
    game
        The rules.
    seats
        `swapped` from game to game, or the `first` agent begins.
    games
        Number of games.
    key
        Numbers that keep its streams apart from those of others.
    """

    part: str
    name: str
    variant: str
    first: str
    second: str
    game: str
    seats: str
    games: int
    key: str


def as_coded(agent: str) -> str:
    """Return an agent of Fig. 5 as the published program has it.

    Examples
    --------
    >>> as_coded("minimax-5"), as_coded("mcts-500")
    ('minimax-5', 'mcts:sims=500,formula=log-ratio with duplicated moves')
    """
    kind, _, number = agent.partition("-")
    return f"mcts:sims={number},formula=log-ratio{DUPLICATED}" if kind == "mcts" else agent


def corrected(agent: str) -> str:
    """Return an agent of Fig. 5 with its defects mended: moves listed once, true ties, UCB1.

    What is a choice and not a defect stays: the rewards as coded, and that a position with more than nine moves
    costs two plies.

    Examples
    --------
    >>> corrected("minimax-5"), corrected("mcts-500")
    ('alphabeta:depth=5,eval=complex,rule=published', 'mcts:sims=500')
    """
    kind, _, number = agent.partition("-")
    if kind == "minimax":
        return f"alphabeta:depth={number},eval=complex,rule=published"
    return f"mcts:sims={number}" if kind == "mcts" else agent


def pair_contests(program: str) -> list[Contest]:
    """Return the matches of Fig. 5 without the DQN; an agent against itself keeps its seats."""
    made = as_coded if program == CODED else corrected
    return [
        Contest(program, f"{one} v {two}", "", made(one), made(two), "ultimate",
                "swapped" if program == SWAPPED and one != two else "first", SIZES[program],
                f"{PROGRAMS[program]}/{number}")
        for number, (one, two) in enumerate(PAIRS)
    ]  # fmt: skip


def listed_contests() -> list[Contest]:
    """Return the contests of `contests.csv`."""
    lines: list[dict[str, Any]] = list(lines_of(__package__, "contests.csv"))
    return [Contest(**line | {"games": int(line["games"])}) for line in lines]


def results_of(work: Work, contests: Sequence[Contest]) -> Iterator[tuple[Contest, Row]]:
    """Yield each contest with what its games add up to; quick ones have a game for each seating."""
    jobs = []
    for place, one in enumerate(contests):
        settings = {"first": one.first, "second": one.second, "game": one.game, "seats": one.seats,
                    "key": [int(number) for number in one.key.split("/")]}  # fmt: skip
        size = 1 + (one.seats == "swapped") if work.quick else one.games
        for begin in range(0, size, _GAMES_A_PIECE):
            jobs.append((place, {**settings, "begin": begin, "end": min(begin + _GAMES_A_PIECE, size)}))
    found = work.pieces(play, [job for _, job in jobs])
    for number, one in enumerate(contests):
        pieces: list[Any] = [piece for (place, _), piece in zip(jobs, found, strict=True) if place == number]
        total = {name: sum(piece[name] for piece in pieces) for name in ("counts", "moves", "nodes", "spent")}
        yield one, {**total, "plies": np.concatenate([piece["plies"] for piece in pieces])}


def scored(counts: Sequence[int], name: str = "score") -> Row:
    """Return the score of wins, draws and losses with its 95 % interval; the games are independent of each other.

    Examples
    --------
    >>> {name: round(one, 2) for name, one in scored([54, 11, 35]).items()}
    {'score': 0.6, 'score_low': 0.5, 'score_high': 0.68}
    """
    rating = rate([int(one) for one in counts][::-1])
    return {name: rating.score, f"{name}_low": rating.score_low, f"{name}_high": rating.score_high}


def row_of(one: Contest, result: Row) -> Row:
    """Return the row of a contest, told from its first agent."""
    by_seat = result["counts"]
    wins, draws, losses = by_seat.sum(axis=0).tolist()
    elo = rate([losses, draws, wins]).elo
    seats = [scored(counts)["score"] if counts.sum() else None for counts in by_seat]
    work = result["nodes"] / np.maximum(result["moves"], 1)
    return {
        "part": one.part, "name": one.name, "variant": one.variant, "first": one.first, "second": one.second,
        "seats": one.seats, "games": wins + draws + losses, "wins": wins, "draws": draws, "losses": losses,
        **scored((wins, draws, losses)), "as_first": seats[0], "as_second": seats[1],
        "elo": round(elo, 1) if isfinite(elo) else None, "longest": int(result["plies"].max()),
        "work": round(float(work[0]), 1), "its_work": round(float(work[1]), 1),
    }  # fmt: skip


def published() -> dict[tuple[str, str], Counts]:
    """Return the counts of games behind the matches of Fig. 5, from the notes of `cells.csv`.

    Examples
    --------
    >>> len(published()), published()["minimax-3", "minimax-5"]
    (45, (41, 16, 43))
    """
    of = {cell.place: cell.note for cell in cells_of(__package__)}
    return {pair: counts_of(of[" v ".join(pair)]) for pair in MATCHES}


def counts_of(text: str) -> Counts:
    """Return wins, draws and losses from `w/d/l`, which other words may follow.

    Examples
    --------
    >>> counts_of("41/16/43")
    (41, 16, 43)
    """
    wins, draws, losses = map(int, text.split()[0].rstrip(",;").split("/"))
    return wins, draws, losses
