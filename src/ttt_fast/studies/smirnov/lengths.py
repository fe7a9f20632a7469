"""Gamma and the length of won games: which training and which match the published table is of, and its cells."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.learn.settings import SELF_PLAY
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import agent
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.sample import Sample
from ttt_fast.studies.smirnov.published import GAMES, GAMMA_TABLE, GAMMAS, OURS, THEIRS
from ttt_fast.studies.smirnov.runs import Size, annealed, each, learn
from ttt_fast.studies.smirnov.tables import among

SOURCE = "smirnov gamma and win length"


class Reading(NamedTuple):
    """One way to read the text: how the learner was trained, and how the table's games began."""

    opponent: str
    trained_drawn: bool
    played_drawn: bool

    def __str__(self) -> str:
        """Return it in words."""
        training = "by self-play" if self.opponent == SELF_PLAY else f"against {self.opponent}"
        trained, played = ("drawn" if drawn else "chosen" for drawn in (self.trained_drawn, self.played_drawn))
        return f"trained {training} with the first move {trained}, played with it {played}"


Measured = dict[Reading, NDArray[np.float64]]
"""For each reading (gammas, runs, quantities) float64."""


def measure(policy: Policy, drawn: bool) -> list[float]:
    """Return X's wins against random and its wins at 5, 7 and 9 plies, exactly."""
    outcome = exact_outcome(policy, agent("random"), random_opening=drawn)
    return [outcome.x_wins, *outcome.lengths[0, [5, 7, 9]].tolist()]


def measured(size: Size, threads: int) -> Measured:
    """Train a single Q-learner for every gamma in every way, and measure it in both matches."""
    found: Measured = {}
    for opponent in (SELF_PLAY, "random"):
        for trained in (True, False):
            configs = [
                annealed(size.length_episodes, 0, opponent=opponent, random_opening=trained, discount=gamma)
                for gamma in GAMMAS
            ]
            policies = each(learn, configs, threads, size.length_runs)
            for played in (True, False):
                values = [[measure(policy, played) for policy in runs] for runs in policies]
                found[Reading(opponent, trained, played)] = np.array(values)
    return found


def published() -> NDArray[np.float64]:
    """Return the printed table, (gammas, quantities) float64."""
    return np.array([[float(text) for text in row] for row in GAMMA_TABLE.values()]).T


def distances(found: Measured) -> dict[Reading, float]:
    """Return how far each reading's means are from the printed figures, on average."""
    return {reading: float(np.abs(values.mean(axis=1) - published()).mean()) for reading, values in found.items()}


def best_reading(found: Measured) -> Reading:
    """Return the reading that is nearest to the table."""
    off = distances(found)
    return min(off, key=lambda reading: (off[reading], reading))


def prediction(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return where one further run lies with 95 %, by Student's t, within 0 and 1."""
    low, high = Sample(values).prediction()
    return max(0.0, low), min(1.0, high)


def gamma_cells(found: Measured) -> Rows:
    """Return a row for each cell of the table, judged by the reading that fits best."""
    reading = best_reading(found)
    rows = []
    for number, (quantity, texts) in enumerate(GAMMA_TABLE.items()):
        for place, (gamma, text) in enumerate(zip(GAMMAS, texts, strict=True)):
            values = found[reading][place, :, number]
            sample, share, (low, high) = Sample(values), float(text), prediction(values)
            inside = among(Sample([low, high]), share)
            wilson = wilson_interval(round(share * GAMES), GAMES)
            rows.append(
                {
                    "source": SOURCE,
                    "cell": f"gamma {gamma:g}",
                    "quantity": quantity,
                    "published": text,
                    "published_low": wilson[0],
                    "published_high": wilson[1],
                    "ours": sample.mean,
                    "sd": sample.sd,
                    "lowest": sample.low,
                    "highest": sample.high,
                    "best_run": None,
                    "optimum": None,
                    "runs": values.size,
                    "published_share": share,
                    "verdict": "reproduced" if inside else "not reproduced",
                    "reason": f"{'inside' if inside else 'outside'} what our runs predict of one more,"
                    f" {low:.4f} to {high:.4f}",
                }
            )
    return rows


def gamma_rows(found: Measured) -> Rows:
    """Return every reading's means and standard deviations at every gamma, the mean length of a win; and the table."""
    rows, best = [], best_reading(found)
    for reading, values in found.items():
        for gamma, runs in zip(GAMMAS, values, strict=True):
            row: Row = {"reading": str(reading), "gamma": gamma, "runs": runs.shape[0]}
            for quantity, column in zip(GAMMA_TABLE, runs.T, strict=True):
                row |= {quantity: float(column.mean()), f"{quantity}_sd": Sample(column).sd}
            who = OURS if reading == best else ""
            rows.append(row | {"mean_win_length": _win_length(runs.mean(axis=0)), "shown": who})
    for gamma, printed in zip(GAMMAS, published(), strict=True):
        row = {"reading": THEIRS, "gamma": gamma, "runs": 1}
        for quantity, value in zip(GAMMA_TABLE, printed, strict=True):
            row |= {quantity: float(value), f"{quantity}_sd": 0.0}
        rows.append(row | {"mean_win_length": _win_length(printed), "shown": THEIRS})
    return rows


def win_lengths(found: Measured) -> dict[float, float]:
    """Return the mean length of a won game for every gamma, in the reading that fits."""
    means = found[best_reading(found)].mean(axis=1)
    return {gamma: _win_length(row) for gamma, row in zip(GAMMAS, means, strict=True)}


def _win_length(row: NDArray[np.float64]) -> float:
    return float(row[1:] @ np.array([5.0, 7.0, 9.0]) / row[0])


def reading_rows(found: Measured) -> Rows:
    """Return how near each reading is to the table, best first."""
    off = distances(found)
    printed = published()
    rows = []
    for reading in sorted(off, key=lambda one: (off[one], one)):
        deviations = np.abs(found[reading].mean(axis=1) - printed)
        rows.append(
            {
                "reading": str(reading),
                "mean deviation": off[reading],
                "greatest deviation": float(deviations.max()),
                "cells within 0.005": int(np.count_nonzero(deviations <= 0.005)),
                "cells": printed.size,
            }
        )
    return rows
