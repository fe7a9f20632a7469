"""The contests of this study: those of the printed pairs, and the lines of `contests.csv` and `arms.csv`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement, islice
from math import isfinite
from typing import Any, Final, NamedTuple

import numpy as np

from ttt_fast.evaluate.rating import rate
from ttt_fast.studies.engine.sources import cells_of, lines_of
from ttt_fast.studies.engine.tables import Row
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.ultimate.matches import play

PACKAGE: Final = "ttt_fast.studies.ultimate"
DQN: Final = "dqn"
PLAYED_AS: Final = {line["agent"]: line for line in lines_of(PACKAGE, "agents.csv")}
"""The agents (1) to (9) of Fig. 5: as in the published program, and with their defects mended.

The mended agents list each move once, choose uniformly among true ties, and use UCB1 in MCTS.  Design choices are kept:
the rewards as coded, and that a position with more than nine moves costs two plies.
"""
AGENTS: Final = tuple(PLAYED_AS)
MATCHES: Final = tuple(combinations_with_replacement(AGENTS, 2))
"""The 45 matches of the source, begun by the first agent; all other cells are their mirrors."""
PAIRS: Final = tuple(pair for pair in MATCHES if DQN not in pair)
CODED, FIRST, SWAPPED = "as coded", "corrected, the row begins", "corrected, seats swapped"
PROGRAMS: Final = {CODED: 1, FIRST: 9, SWAPPED: 2}
"""The programs that play the pairs, each with the first number of the keys of its contests."""
SIZES: Final = {CODED: 1000, FIRST: 500, SWAPPED: 500}
_GAMES_A_PIECE = 50

Counts = tuple[int, int, int]
"""Wins, draws and losses of the agent named first."""


class ListedContest(NamedTuple):
    """Two agents and their games; a line of `contests.csv` or `arms.csv`.

    Attributes
    ----------
    part, name, variant
        The group of contests that it belongs to, and its labels in that group.
    first, second
        Agent strings.
    game
        The rules.
    seats
        `swapped`: seats alternate from game to game; otherwise the `first` agent begins.
    games
        Number of games.
    key
        Numbers that separate its random streams from those of other contests.
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


def pair_contests(program: str) -> list[ListedContest]:
    """Return the matches of Fig. 5 without the DQN; an agent against itself keeps its seats."""
    made = {agent: line[CODED if program == CODED else "corrected"] for agent, line in PLAYED_AS.items()}
    seats = {pair: "swapped" if program == SWAPPED and pair[0] != pair[1] else "first" for pair in PAIRS}
    return [
        contest(program, pair, made, seats[pair], SIZES[program], f"{PROGRAMS[program]}/{number}")
        for number, pair in enumerate(PAIRS)
    ]


def contest(
    part: str, pair: tuple[str, str], made: Mapping[str, str], seats: str, games: int, key: str
) -> ListedContest:
    """Return the contest of two agents of Fig. 5, with the agent string of each taken from `made`."""
    return ListedContest(part, " v ".join(pair), "", made[pair[0]], made[pair[1]], "ultimate", seats, games, key)


def listed_contests(name: str = "contests.csv") -> list[ListedContest]:
    """Return the contests of a file."""
    return [ListedContest(**{**line, "games": int(line["games"])}) for line in lines_of(PACKAGE, name)]  # type: ignore[arg-type]


def results_of(work: Runner, contests: Sequence[ListedContest]) -> Iterator[tuple[ListedContest, Row]]:
    """Yield each contest with its summed results; the quick form has one game for each seating."""
    jobs: list[list[dict[str, Any]]] = []
    for one in contests:
        size = 1 + (one.seats == "swapped") if work.quick else one.games
        described = {name: getattr(one, name) for name in ("first", "second", "game", "seats")}
        described["key"] = [int(number) for number in one.key.split("/")]
        begins = range(0, size, _GAMES_A_PIECE)
        jobs.append([described | {"begin": begin, "end": min(begin + _GAMES_A_PIECE, size)} for begin in begins])
    found = iter(work.pieces(play, [*chain(*jobs)]))
    for one, own in zip(contests, jobs, strict=True):
        pieces = [*islice(found, len(own))]
        total = {name: sum(piece[name] for piece in pieces) for name in ("counts", "moves", "nodes")}
        yield one, {**total, "plies": np.concatenate([piece["plies"] for piece in pieces])}


def scored(counts: Sequence[int], name: str = "score") -> Row:
    """Return the score of wins, draws and losses with its 95 % interval; the games are independent.

    Examples
    --------
    >>> {name: round(one, 2) for name, one in scored([54, 11, 35]).items()}
    {'score': 0.6, 'score_low': 0.5, 'score_high': 0.68}
    """
    rating = rate([int(one) for one in counts][::-1])
    return {name: rating.score, f"{name}_low": rating.score_low, f"{name}_high": rating.score_high}


def row_of(one: ListedContest, result: Row) -> Row:
    """Return the row of a contest, from the side of its first agent."""
    by_seat = result["counts"]
    wins, draws, losses = by_seat.sum(axis=0).tolist()
    elo = rate([losses, draws, wins]).elo
    seats = [scored(counts)["score"] if counts.sum() else None for counts in by_seat]
    work = result["nodes"] / np.maximum(result["moves"], 1)
    named = {name: getattr(one, name) for name in ("part", "name", "variant", "first", "second", "seats")}
    return {
        **named, "games": wins + draws + losses, "wins": wins, "draws": draws, "losses": losses,
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
    of = {cell.place: cell.note for cell in cells_of(PACKAGE)}
    return {pair: counts_of(of[" v ".join(pair)]) for pair in MATCHES}


def counts_of(text: str) -> Counts:
    """Return wins, draws and losses from a text `w/d/l`, which may be followed by other words.

    Examples
    --------
    >>> counts_of("41/16/43")
    (41, 16, 43)
    """
    wins, draws, losses = map(int, text.split()[0].rstrip(",;").split("/"))
    return wins, draws, losses
