"""The evidence for Bichot's numbers: games of the same match, with an exact test of both samples."""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from ttt_fast.studies.engine.evidence import Evidence, Kind
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.statistics.distributions import normal_p
from ttt_fast.studies.statistics.homogeneity import homogeneity
from ttt_fast.studies.ultimate.contests import counts_of

MCTS: Final = "mcts"


def _of_games(printed: Sequence[int], ours: Sequence[int], points: Sequence[float]) -> Evidence:
    """Return games as evidence: the test of whether two samples of results come from one match.

    `points` are the score of each result.
    """
    total, games = sum(ours), sum(printed)
    share = sum(one * point for one, point in zip(ours, points, strict=True)) / total
    spread = sum(one * point**2 for one, point in zip(ours, points, strict=True)) / total - share**2
    half = 1.96 * sqrt(max(0.0, spread) * (1 / total + 1 / games))
    return Evidence(
        "games", share, max(0.0, share - half), min(1.0, share + half), homogeneity(printed, ours).p_value, total
    )


def match(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `match PROGRAM: PAIR`: wins, draws and losses beside those behind a score of Fig. 5."""
    part, _, name = words.partition(": ")
    row = tables.one("games", part=part, name=name)
    return _of_games(counts_of(cell.note), [row["wins"], row["draws"], row["losses"]], (1.0, 0.5, 0.0))


def mirror(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `mirror PROGRAM: PAIR`: the same match, from the side of its second agent."""
    found = match(cell, words, tables)
    return found._replace(value=1 - found.value, low=1 - found.high, high=1 - found.low, is_repeated=True)


def mcts_wins(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `mcts_wins READING`: games won by MCTS, of a cell of Table I."""
    row = tables.one("games", part="table I", variant=words, name=cell.place)
    won = row["wins"] if row["first"].startswith(MCTS) else row["losses"]
    printed = round(cell.value * cell.games)
    return _of_games((printed, cell.games - printed), (won, row["games"] - won), (1.0, 0.0))


def illegal(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `illegal NETWORK`: the share of illegal first choices."""
    row = tables.one("networks", network=words)
    share, count = row["illegal_share"], row["choices"]
    error = sqrt(share * (1 - share) / count)
    excess = max(0.0, abs(cell.value - share) - cell.half_unit)
    p = normal_p(excess / error) if error else float(not excess)
    return Evidence("games", share, row["illegal_low"], row["illegal_high"], p, count)


EVIDENCE_KINDS: Final[dict[str, Kind]] = {"match": match, "mirror": mirror, "mcts_wins": mcts_wins, "illegal": illegal}
"""The kinds of evidence used only in this study."""
