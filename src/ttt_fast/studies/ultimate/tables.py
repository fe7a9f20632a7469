"""The rows of this study: every printed cell, the readings of Table I, ratings, defects, our agents."""

from collections.abc import Mapping, Sequence
from math import erfc, isfinite, sqrt
from typing import Any, Final

import numpy as np

from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.evaluate.homogeneity import Homogeneity, homogeneity, total_p_value
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.cells import NOISE_SIGMAS
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.ultimate.matches import Result, rate_counts
from ttt_fast.studies.ultimate.plan import PAIRS, READINGS, TUNED, Reading, defects, ours
from ttt_fast.studies.ultimate.players import PLAYED, as_coded, corrected
from ttt_fast.studies.ultimate.published import AGENTS, DQN, FIG_5, GAMES, PRINTED, TABLE_1, Counts, exploration

NOISE_P: Final = erfc(NOISE_SIGMAS / sqrt(2))
"""Counts as unlikely as NOISE_SIGMAS standard errors, about one in 2,000, are noise no more."""
LATER: Final = "left for later"
NO_DQN: Final = "the DQN is not trained in this version of the study; a later one will"
FIGURE, TABLE = "bichot figure 5", "bichot table I"
Results = Mapping[tuple[str, str], Result]


def verdict_of(test: Homogeneity) -> str:
    """Return whether two samples can be of one kind: `equal` where nothing but one outcome occurs in both."""
    if test.p_value < NOISE_P:
        return "wrong"
    return "equal" if test.statistics.size == 1 else "within noise"


def significant(number: float) -> float:
    """Return a number with four digits, so that rounding noise never shows.

    Examples
    --------
    >>> significant(0.0123456), significant(1e-20)
    (0.01235, 0.0)
    """
    return float(f"{number:.4g}") if number >= 1e-12 else 0.0


def counts_of(results: Results, row: str, column: str) -> Counts:
    """Return the games of two agents, told from the first one; what was not played is the mirror of what was."""
    return results[row, column].counts if (row, column) in results else results[column, row].counts.mirrored()


def _told(name: str, counts: Counts, score: str = "") -> Row:
    """Return score, interval and counts in columns that begin with a name; `score` is another name for the score's."""
    rating = rate_counts(counts)
    return {
        score or name: rating.score, f"{name}_low": rating.score_low, f"{name}_high": rating.score_high,
        f"{name}_wins": counts.wins, f"{name}_draws": counts.draws, f"{name}_losses": counts.losses,
    }  # fmt: skip


def figure_rows(coded: Results, mended: Results) -> Rows:
    """Return a row for each of the 81 printed scores of Fig. 5."""
    rows = []
    for (row, column), printed in PRINTED.items():
        played = (row, column) in FIG_5
        published = FIG_5[row, column] if played else FIG_5[column, row].mirrored()
        head: Row = {
            "source": FIGURE, "cell": f"{row} v {column}", "row": row, "column": column, "quantity": "score",
            "published": str(printed), "first_mover": row if played else column,
            **_told("published", published, "published_share"),
        }  # fmt: skip
        if DQN in (row, column):
            head |= {"verdict": LATER, "verdict_corrected": LATER, "reason": NO_DQN}
            rows.append(head)
            continue
        of_coded, of_mended = counts_of(coded, row, column), counts_of(mended, row, column)
        rows.append(head | _judged(published, of_coded, of_mended) | {"reason": _reason(row, column, played)})
    return rows


def _reason(row: str, column: str, played: bool) -> str:
    if row == column:
        return "as the first player against itself, corrected too"
    return "" if played else f"no games of its own: the mirror of {column} v {row}"


def _judged(published: Counts, of_coded: Counts, of_mended: Counts) -> Row:
    judged: Row = {}
    for name, suffix, counts in (("as_coded", "", of_coded), ("corrected", "_corrected", of_mended)):
        test = homogeneity(published, counts)
        judged |= _told(name, counts)
        judged |= {
            f"chi_square{suffix}": significant(test.statistic), f"expected{suffix}": significant(test.mean),
            f"p{suffix}": significant(test.p_value), f"verdict{suffix}": verdict_of(test),
        }  # fmt: skip
    return judged


def table_rows(coded: Mapping[tuple[Reading, str], Result], tuned: Mapping[str, Result]) -> Rows:
    """Return a row for each of the five printed win rates of Table I, in the first reading."""
    rows = []
    for name, printed in TABLE_1.items():
        here = coded[READINGS[0], name].counts.mirrored()
        mended = tuned[name].counts
        low, high = wilson_interval(printed, GAMES)
        row: Row = {
            "source": TABLE, "cell": f"mcts-500 v minimax-5, c = {name}", "row": "mcts-500", "column": "minimax-5",
            "quantity": "wins", "published": str(printed), "first_mover": "not said", "published_share": printed / 100,
            "published_low": low, "published_high": high, "published_wins": printed,
        }  # fmt: skip
        for word, suffix, counts in (("as_coded", "", here), ("corrected", "_corrected", mended)):
            test = wins_test(printed, counts)
            low, high = wilson_interval(counts.wins, counts.games)
            row |= _told(word, counts) | {word: counts.wins / counts.games, f"{word}_low": low, f"{word}_high": high}
            row |= {
                f"chi_square{suffix}": significant(test.statistic), f"expected{suffix}": significant(test.mean),
                f"p{suffix}": significant(test.p_value), f"verdict{suffix}": verdict_of(test),
            }  # fmt: skip
        rows.append(row | {"reason": "who began is not said; see the readings"})
    return rows


def wins_test(printed: int, counts: Counts) -> Homogeneity:
    """Return the test of a number of wins of 100 games against counts."""
    return homogeneity((printed, GAMES - printed), (counts.wins, counts.games - counts.wins))


def reading_rows(coded: Mapping[tuple[Reading, str], Result]) -> Rows:
    """Return a row for each reading of Table I and c, and one for all c of a reading together."""
    rows = []
    for reading in READINGS:
        tests = []
        for name, printed in TABLE_1.items():
            counts = coded[reading, name].counts
            counts = counts.mirrored() if reading.first == "minimax" else counts
            tests.append(wins_test(printed, counts))
            score = round(100 * counts.score, 1)
            rows.append({
                "reading": f"{reading.formula}, {reading.first} begins", "c": name, "published": printed,
                "wins": counts.wins / counts.games, "score": score / 100, "games": counts.games,
                "chi_square": significant(tests[-1].statistic), "expected": significant(tests[-1].mean),
                "p": significant(tests[-1].p_value), "verdict": verdict_of(tests[-1]),
            })  # fmt: skip
        rows.append(total_row(tests) | {"reading": rows[-1]["reading"], "c": "all"})
    return rows


def total_row(tests: Sequence[Homogeneity]) -> Row:
    """Return the sum of the statistics of many cells beside what is expected, and its chance."""
    total, p_value = sum(test.statistic for test in tests), total_p_value(tests)
    return {
        "chi_square": significant(total), "expected": significant(sum(test.mean for test in tests)),
        "p": significant(p_value), "verdict": "wrong" if p_value < NOISE_P else "within noise",
    }  # fmt: skip


def tuned_rows(coded: Mapping[tuple[Reading, str], Result], tuned: Mapping[str, Result]) -> Rows:
    """Return a row for each exploration parameter: published, as coded in the first reading, and corrected."""
    rows = []
    for name in TUNED:
        row: Row = {"c": name, "weight": exploration(name)}
        wins = {"published": (TABLE_1.get(name, 0), GAMES if name in TABLE_1 else 0), "as_coded": (0, 0)}
        if name in TABLE_1:
            here = coded[READINGS[0], name].counts.mirrored()
            wins["as_coded"] = here.wins, here.games
        mended = tuned[name].counts
        for word, (won, games) in (wins | {"wins": (mended.wins, mended.games)}).items():
            low, high = wilson_interval(won, games)
            told = {word: won / games, f"{word}_low": low, f"{word}_high": high} if games else {}
            row |= dict.fromkeys((word, f"{word}_low", f"{word}_high")) | told
        rating = tuned[name].rating
        rows.append(
            row | {"score": rating.score, "score_low": rating.score_low, "score_high": rating.score_high}
            | {"games": mended.games}
        )  # fmt: skip
    return rows


def fit_rows(coded: Results, mended: Results) -> Rows:
    """Return how the published counts of the cells without the DQN fit both programs, all cells together."""
    rows = []
    for name, results in (("as coded, the row begins", coded), ("corrected, seats swapped", mended)):
        tests = {pair: homogeneity(FIG_5[pair], results[pair].counts) for pair in PAIRS}
        p_values = sorted(test.p_value for test in tests.values())
        worst = min(tests, key=lambda pair: tests[pair].p_value)
        rows.append({
            "program": name, "cells": len(tests), **total_row(list(tests.values())),
            "cells with p < 0.05": sum(p < 0.05 for p in p_values),
            "worst cell": " v ".join(worst), "its p": significant(tests[worst].p_value),
            "rms difference of scores": sqrt(
                sum((FIG_5[pair].score - results[pair].counts.score) ** 2 for pair in PAIRS) / len(PAIRS)
            ),
        })  # fmt: skip
    return rows


def rating_rows(coded: Results, mended: Results) -> Rows:
    """Return the Elo ratings of the agents by the published counts, as coded, and corrected; `random` is 0."""
    columns = {
        name: _ratings(games)
        for name, games in (
            ("published", {pair: FIG_5[pair] for pair in PAIRS}),
            ("as_coded", {pair: coded[pair].counts for pair in PAIRS}),
            ("corrected", {pair: mended[pair].counts for pair in PAIRS}),
        )
    }
    return [{"agent": agent, **{name: ratings[agent] for name, ratings in columns.items()}} for agent in PLAYED]


def _ratings(games: Mapping[tuple[str, str], Counts]) -> dict[str, float]:
    size = len(PLAYED)
    points, played = np.zeros((size, size)), np.zeros((size, size), np.int64)
    for (first, second), counts in games.items():
        i, j = PLAYED.index(first), PLAYED.index(second)
        if i != j:
            points[i, j], points[j, i] = counts.score * counts.games, (1 - counts.score) * counts.games
            played[i, j] = played[j, i] = counts.games
    ratings = bradley_terry(points, played)
    return {agent: round(float(rating - ratings[0]), 1) for agent, rating in zip(PLAYED, ratings, strict=True)}


def seat_rows(coded: Results, mended: Results) -> Rows:
    """Return the score of the first player where an agent plays itself."""
    rows = []
    for agent in AGENTS:
        published = FIG_5[agent, agent]
        row: Row = {"agent": agent, **_told("published", published)}
        if agent != DQN:
            row |= _told("as_coded", coded[agent, agent].counts) | _told("corrected", mended[agent, agent].counts)
        rows.append({key: value for key, value in row.items() if not key.endswith(("_wins", "_draws", "_losses"))})
    return rows


def contest_row(result: Result) -> dict[str, Any]:
    """Return what a contest in both seats says: score with interval, counts, score by seat, Elo."""
    rating, counts = result.rating, result.counts
    return {
        "games": counts.games, "wins": counts.wins, "draws": counts.draws, "losses": counts.losses,
        "score": rating.score, "score_low": rating.score_low, "score_high": rating.score_high,
        "as_first": result.as_x.score, "as_second": result.as_o.score,
        "elo": round(rating.elo, 1) if isfinite(rating.elo) else None,
    }  # fmt: skip


def defect_rows(results: Sequence[Result]) -> Rows:
    """Return what each change does by itself."""
    rows = []
    for one, result in zip(defects(), results, strict=True):
        rating = result.rating
        told = "better" if rating.score_low > 0.5 else ("worse" if rating.score_high < 0.5 else "no difference seen")
        row = {"change": one.what, "agent": str(one.agent), "against": str(one.against), **contest_row(result)}
        rows.append(row | {"verdict": told})
    return rows


def strength_rows(results: Sequence[Result]) -> Rows:
    """Return our contests: reached where the whole interval is above the target."""
    rows = []
    for one, result in zip(ours(), results, strict=True):
        rating = result.rating
        verdict = "reached" if rating.score_low >= one.target else "not proved"
        if rating.score < one.target:
            verdict = "missed"
        rows.append({
            "agent": str(one.agent), "opponent": one.name, "version": one.version, "played as": str(one.opponent),
            **contest_row(result), "target": one.target, "verdict": verdict,
        })  # fmt: skip
    return rows


def agent_rows() -> Rows:
    """Return how every agent is spelled, as coded and corrected."""
    return [{"agent": one, "as coded": str(as_coded(one)), "corrected": str(corrected(one))} for one in PLAYED]
