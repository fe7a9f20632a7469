"""Smirnov's tables: scripted players exactly, the tabular learner over many runs, lengths of games by gamma."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import Outcome, exact_outcome
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games import api
from ttt_fast.policies.best_response import Objective, best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import NOISE_SIGMAS, Cell, agent, ordinary_table
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.sample import Sample
from ttt_fast.studies.smirnov.published import (
    BASE_CELLS,
    GAMES,
    HEURIBOT,
    LEARNED_PAIR_CELLS,
    MINIMAX,
    SCRIPTED_PAIR_CELLS,
    TABULAR_Q,
    LearnedCell,
)
from ttt_fast.tables import ROOT

LATER = "left for later"
LENGTHS = (5, 6, 7, 8, 9)
_ROUNDING = 0.0005  # all shares are printed with three decimals
_SPECS = {"Minimax": MINIMAX, "Heuribot": HEURIBOT, "Random": "random"}


def among(sample: Sample, printed: float) -> bool:
    """Return whether a figure, printed with three decimals after `GAMES` games, lies among the runs."""
    slack = _ROUNDING + NOISE_SIGMAS * sqrt(max(printed * (1 - printed), 0.0) / GAMES) + 1e-12
    return sample.low - slack <= printed <= sample.high + slack


def most_wins(spec: str, seat: int, *, random_opening: bool, objective: Objective = "wins") -> float:
    """Return the most that any player could reach in a seat against an agent, exactly.

    Examples
    --------
    >>> round(192 * most_wins("random", 1, random_opening=False), 9)
    191.0
    """
    value = best_response(agent(spec), seat, objective).value
    return float(value[ordinary_table().child[ROOT]].mean()) if random_opening else float(value[ROOT])


def scripted_row(cell: Cell) -> Row:
    """Return the row of a figure that needs no learning: the exact value, and a verdict with its reason."""
    judged = cell.judge()
    low, high = wilson_interval(round(cell.share * cell.games), cell.games)
    reason = judged["why"] or f"{judged['sigmas']:.1f} standard errors from the exact value"
    if judged["fits"]:
        reason += f"; {judged['fits']} gives {judged['exact_of_fit']:.6f}"
    return _row(cell, cell.share, (low, high), judged["exact"]) | {"verdict": judged["verdict"], "reason": reason}


def _row(
    cell: Cell | LearnedCell,
    share: float,
    interval: tuple[float, float],
    ours: float | None,
    sample: Sample | None = None,
) -> Row:
    return {
        "source": cell.source,
        "cell": cell.label,
        "quantity": cell.quantity,
        "published": cell.published,
        "published_low": interval[0],
        "published_high": interval[1],
        "ours": ours,
        "sd": sample.sd if sample else None,
        "lowest": sample.low if sample else None,
        "highest": sample.high if sample else None,
        "best_run": None,
        "optimum": None,
        "runs": len(sample.values) if sample else 0,
        "published_share": share,
    }


def learned_row(cell: LearnedCell, learners: Sequence[Policy], others: Sequence[Policy] = ()) -> Row:
    """Return the row of a printed share of the tabular learner beside our runs, the best run and the optimum.

    Where the share is not among the runs of `learners`, it is looked for among those of `others`, which were trained
    with the first move chosen.
    """
    share = float(cell.published)
    interval = wilson_interval(round(share * GAMES), GAMES)
    if cell.is_dqn:
        reason = "a DQN, which this version of the study does not train"
        return _row(cell, share, interval, None) | {"verdict": LATER, "reason": reason}
    outcomes = _outcomes(cell, learners)
    sample = Sample(np.array([getattr(outcome, cell.quantity) for outcome in outcomes]))
    scores = np.array([outcome.score for outcome in outcomes])
    both = cell.x == cell.o == TABULAR_Q
    best = int(np.argmax(-np.abs(scores) if both else (scores if cell.x == TABULAR_Q else -scores)))
    row = _row(cell, share, interval, sample.mean, sample) | {"best_run": float(sample.values[best])}
    wins = "x_wins" if cell.x == TABULAR_Q else "o_wins"
    if cell.quantity == wins and not both:
        opponent, seat = (cell.o, api.X) if cell.x == TABULAR_Q else (cell.x, api.O)
        row["optimum"] = most_wins(_SPECS[opponent], seat, random_opening=cell.random_opening)
    held = among(sample, share)
    reason = f"{'among' if held else 'not among'} our {len(learners)} runs, {sample.low:.4f} to {sample.high:.4f}"
    if not held and others:
        second = Sample(np.array([getattr(outcome, cell.quantity) for outcome in _outcomes(cell, others)]))
        place = "among" if among(second, share) else "not among"
        reason += f"; {place} {len(others)} runs trained with the first move chosen, {second.low:.4f} to"
        reason += f" {second.high:.4f}"
    return row | {"verdict": "reproduced" if held else "not reproduced", "reason": reason}


def _outcomes(cell: LearnedCell, learners: Sequence[Policy]) -> list[Outcome]:
    """Return the exact results of a cell's match, one for each learner; it plays itself where both seats are its."""
    found = []
    for one in learners:
        x, o = (one if name == TABULAR_Q else agent(_SPECS[name]) for name in (cell.x, cell.o))
        found.append(exact_outcome(x, o, random_opening=cell.random_opening))
    return found


def cell_rows(learners: Sequence[Policy], others: Sequence[Policy] = ()) -> Rows:
    """Return a row for every number in the tables of results and of lengths of scripted players."""
    rows = [scripted_row(cell) for cell in (*BASE_CELLS, *SCRIPTED_PAIR_CELLS)]
    return rows + [learned_row(cell, learners, others) for cell in LEARNED_PAIR_CELLS]


def strength_rows(trainings: dict[str, list[Policy]]) -> Rows:
    """Return the learners' exact marks over the runs, the optimum, and how many runs attain it."""
    rows = []
    for name, policies in trainings.items():
        marks = [_marks(policy) for policy in policies]
        for mark, (_, optimum) in marks[0].items():
            sample = Sample(np.array([one[mark][0] for one in marks]))
            at = int(np.count_nonzero(np.abs(np.array(sample.values) - optimum) < 1e-9))
            rows.append(
                {
                    "training": name,
                    "mark": mark,
                    "mean": sample.mean,
                    "sd": sample.sd,
                    "lowest": sample.low,
                    "highest": sample.high,
                    "optimum": optimum,
                    "runs at optimum": at,
                    "runs": len(policies),
                }
            )
    return rows


def _marks(policy: Policy) -> dict[str, tuple[float, float]]:
    """Return each mark of a policy with the best that it could be."""
    random, minimax = agent("random"), agent(MINIMAX)
    as_o = exact_outcome(random, policy)
    marks = {}
    for drawn, words in ((False, "chosen"), (True, "drawn")):
        as_x = exact_outcome(policy, random, random_opening=drawn)
        ties = exact_outcome(policy, minimax, random_opening=drawn).draws
        marks[f"X v random, first move {words}: wins"] = as_x.x_wins, most_wins("random", 1, random_opening=drawn)
        marks[f"X v minimax, first move {words}: ties"] = ties, 1.0
    marks["O v random: wins"] = as_o.o_wins, most_wins("random", 2, random_opening=False)
    marks["O v random: wins minus losses"] = (
        as_o.value_of(api.O),
        most_wins("random", 2, random_opening=False, objective="score"),
    )
    marks["O v minimax: ties"] = exact_outcome(minimax, policy).draws, 1.0
    marks["never loses as X"] = float(never_loses(policy, api.X)), 1.0
    marks["never loses as O"] = float(never_loses(policy, api.O)), 1.0
    marks["exploitability"] = exploitability(policy), 0.0
    marks["agreement with minimax"] = agreement(policy).share, 1.0
    return marks


def length_rows(learners: Sequence[Policy]) -> Rows:
    """Return the exact shares of the lengths of games against random: scripted players and learners."""
    players = {
        "minimax": [agent(MINIMAX)],
        "minimax, utility 10 - filled squares": [agent("minimax:tie=first,prefer=fast")],
        "heuribot": [agent(HEURIBOT)],
        "Tabular Q": list(learners),
    }
    rows = []
    for name, policies in players.items():
        for seat, drawn in (("x", False), ("x", True), ("o", False)):
            lengths = np.array([_lengths(policy, seat, drawn) for policy in policies])
            row: Row = {"player": name, "seat": seat, "first move": "drawn" if drawn else "chosen"}
            for plies, shares in zip(LENGTHS, lengths.T, strict=True):
                row |= {f"plies_{plies}": float(shares.mean()), f"sd_{plies}": Sample(shares).sd}
            row["mean plies"] = float((lengths @ np.array(LENGTHS)).mean())
            rows.append(row | {"runs": len(policies)})
    return rows


def _lengths(policy: Policy, seat: str, drawn: bool) -> NDArray[np.float64]:
    pair = (policy, agent("random")) if seat == "x" else (agent("random"), policy)
    lengths: NDArray[np.float64] = exact_outcome(*pair, random_opening=drawn).lengths.sum(axis=0)
    return lengths[list(LENGTHS)]
