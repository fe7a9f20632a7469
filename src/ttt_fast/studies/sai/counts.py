"""A printed table as rows: each count beside what the described and the coded match give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.sai.odds import (
    Match,
    SampledHalves,
    Surprise,
    count_distribution,
    printed_in,
    significant,
    surprise,
)
from ttt_fast.studies.sai.published import Published


@dataclass(frozen=True)
class Compared:
    """A printed table and the two matches that it is held against.

    Attributes
    ----------
    published
        The table.
    described, coded
        Equally likely results of the match as the text describes it, and as the program plays it: one for each
        training run, or a single one without a learner.
    coded_is
        The coded match in words.
    why
        What makes the two differ.
    possible
        Shares of the three results if the player that learns were a best response; nothing where none is known.
    """

    published: Published
    described: Sequence[Match]
    coded: Sequence[Match]
    coded_is: str
    why: str = ""
    possible: Sequence[float] = ()


def count_rows(compared: Compared) -> list[dict[str, Any]]:
    """Return a row for each of the three printed counts: as described, as coded, verdicts, reason."""
    return [_row(compared, outcome) for outcome in range(3)]


def _row(compared: Compared, outcome: int) -> dict[str, Any]:
    published = compared.published
    name, count = list(published.counts.items())[outcome]
    printed, games = printed_in(published)[outcome], 2 * published.half
    described, coded = (
        surprise(count_distribution(one, outcome, published.half), printed)
        for one in (compared.described, compared.coded)
    )
    low, high = wilson_interval(printed, games)
    wrong = described.verdict == "wrong"
    fits = wrong and coded.verdict != "wrong"
    share = _mean(compared.coded, outcome)
    row: dict[str, Any] = {
        "source": published.source,
        "cell": published.label,
        "quantity": name,
        "published": str(count),
        "published_share": count / published.printed,
        "share_low": low,
        "share_high": high,
        "how": how(compared.described) if compared.described else "",
        "as_described": _mean(compared.described, outcome),
    }
    row |= _judged(described, games, "as_described", ("sigmas", "p_value", "verdict"))
    row["as_coded"] = share
    row |= _judged(coded, games, "as_coded", ("sigmas_as_coded", "p_as_coded", "verdict_as_coded"))
    return row | {
        "low_as_coded": coded.low,
        "high_as_coded": coded.high,
        "why": compared.why if wrong else "",
        "fits": compared.coded_is if fits else "",
        "share_of_fit": share if fits else None,
        "possible": compared.possible[outcome] if compared.possible else None,
    }


def _judged(found: Surprise, games: int, which: str, names: tuple[str, str, str]) -> dict[str, Any]:
    """Return where the share of such a match lies, and how far off the printed count is."""
    sigmas, p_value, verdict = names
    return {
        f"{which}_low": found.low / games,
        f"{which}_high": found.high / games,
        sigmas: found.sigmas,
        p_value: significant(found.p_value),
        verdict: found.verdict,
    }


def _mean(samples: Sequence[Match], outcome: int) -> float:
    return float(np.mean([one.mean[outcome] for one in samples]))


def how(samples: Sequence[Match]) -> str:
    """Return how a result was found: exactly, or by how many games.

    Examples
    --------
    >>> how([SampledHalves(np.array([[3, 2, 0], [1, 4, 0]]))] * 200)
    '2,000 games'
    """
    games = sum(one.games for one in samples if isinstance(one, SampledHalves))
    return f"{games:,} games" if games else "exact"
