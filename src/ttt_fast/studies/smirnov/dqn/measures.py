"""The measures of Smirnov's deep Q-learning: curves, runs, matches and strength of the networks kept; all exact."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.samples import counted, spread
from ttt_fast.evaluate.strength import never_loses
from ttt_fast.games import api
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.settings import SEAT_NAMES
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.smirnov.curves import estimated
from ttt_fast.studies.smirnov.dqn.plan import CLAIMED, CURVES, PLAYED, Setting
from ttt_fast.studies.smirnov.learners import annealed_double
from ttt_fast.studies.smirnov.players import DRAWN, TABULAR, always_ties, best_against_random, share_in

_SURE = 1e-9
_DIGITS = 6
"""Of the curves, whose file would be large."""


def found_runs(work: Work, settings: Sequence[Setting]) -> list[tuple[Setting, int, list[Training | None]]]:
    """Return the runs of some settings and their seats, None for one that has diverged; they are done seed by seed."""
    plan, heads = work.plan(__package__), [(one, seat) for one in settings for seat in one.seats]
    jobs = sorted((seed, n) for n, (one, _) in enumerate(heads) for seed in range(getattr(plan, one.repeats)))
    runs = work.trainings([heads[n][0].config(plan, heads[n][1], seed) for seed, n in jobs])
    of = [[run for (_, n), run in zip(jobs, runs, strict=True) if n == number] for number in range(len(heads))]
    return [(*head, own) for head, own in zip(heads, of, strict=True)]


def found_wins(work: Work, settings: Sequence[Setting]) -> list[tuple[Row, float, list[NDArray[np.float64] | None]]]:
    """Return the words of each setting, the optimum, and the win rates of its runs after the buffer is full."""
    found, points = [], work.plan(__package__).points
    for setting, seat, runs in found_runs(work, settings):
        head = {"plot": setting.plot, "setting": setting.name, "reading": setting.reading, "seat": SEAT_NAMES[seat]}
        best = best_against_random(seat, "most wins")[setting.changes.get("random_opening", True)][0]
        wins = [None if run is None else run.history[-points:, run.columns.index("wins")] for run in runs]
        found.append((head, float(best), wins))
    return found


def curves(work: Work) -> Rows:
    """Return mean, deviation and range over the runs of each setting at each checkpoint."""
    rows, plan = [], work.plan(__package__)
    for head, _, runs in found_wins(work, CURVES):
        found = [one for one in runs if one is not None]
        for place, wins in enumerate(np.array(found).T, 1):
            numbers = {name: round(number, _DIGITS) for name, number in spread(wins, ["min", "max"]).items()}
            rows.append({**head, "episodes": place * plan.episodes // plan.points, **numbers, "runs": len(found)})
    return rows


def networks(work: Work) -> Rows:
    """Return the best and the last win rate of each run, beside the optimum; none where the network diverged."""
    rows = []
    for head, optimum, runs in found_wins(work, (*CURVES, *PLAYED, *CLAIMED)):
        for seed, wins in enumerate(runs):
            best, last = (None, None) if wins is None else (float(wins.max()), float(wins[-1]))
            is_optimal = best is not None and best > optimum - _SURE
            row = {"seed": seed, "best": best, "last": last, "optimum": optimum, "reaches_optimum": is_optimal}
            rows.append({**head, **row, "diverged": wins is None})
    return rows


def settings(work: Work) -> Rows:
    """Return what the runs of each setting come to: best and last win rates, optima reached, networks that diverge."""
    rows = []
    for head, optimum, runs in found_wins(work, (*CURVES, *PLAYED, *CLAIMED)):
        wins = [one for one in runs if one is not None]
        reached = counted("reach the optimum", [one is not None and one.max() > optimum - _SURE for one in runs])
        rows.append({**head, "diverged": len(runs) - len(wins), **_ends(wins), "optimum": optimum, **reached})
    return rows


def _ends(wins: Sequence[NDArray[np.float64]]) -> Row:
    """Return best and last win rates of some curves, and the difference, with their intervals; nothing of none."""
    best, last = np.array([one.max() for one in wins]), np.array([one[-1] for one in wins])
    ends = {**estimated("best", best), **estimated("last", last), **estimated("lost", best - last)}
    return {**ends, "highest": float(best.max()) if wins else None}


def _players(work: Work) -> dict[str, dict[str, list[Policy]]]:
    """Return the networks kept, by reading: of X with its first move drawn and chosen in training, and of O.

    A kept network is the best of its run by exact score, as his is by games.
    """
    found: dict[str, dict[str, list[Policy]]] = {}
    for setting, seat, runs in found_runs(work, (*(one for one in CURVES if one.plot == "main"), *PLAYED)):
        role = "o" if seat == api.O else "x chosen" if setting in PLAYED else "x drawn"
        found.setdefault(setting.reading, {})[role] = [one.policy() for one in runs if one is not None]
    return found


def runs(work: Work) -> Rows:
    """Return each run's share in each printed match of a DQN; X and O of one seed play each other."""
    rows, players = [], _players(work)
    (training,) = work.trainings([annealed_double(work.plan(__package__).tabular_episodes)])
    assert training is not None  # tables do not diverge
    tabular = {TABULAR: training.policy()}
    for reading, of in players.items():
        for cell in cells_of(__package__):
            pairs = zip(of["x drawn" if cell.table.endswith(DRAWN) else "x chosen"], of["o"], strict=False)
            name = f"{reading}: {cell.place}, {cell.table.removeprefix('pairs, ')}"
            rows += [
                {"name": name, "quantity": cell.quantity, "seed": seed,
                 "value": share_in(cell, *({**tabular, "DQN": network} for network in pair))}
                for seed, pair in enumerate(pairs)
            ]  # fmt: skip
    return rows


def strength(work: Work) -> Rows:
    """Return how many of the networks kept never lose, by reading and training."""
    rows = []
    for reading, roles in _players(work).items():
        for role, policies in roles.items():
            seat = api.O if role == "o" else api.X
            safe = counted("never loses", [never_loses(policy, seat) for policy in policies])
            tied = sum(always_ties(policy, seat) for policy in policies)
            rows.append({"reading": reading, "network": role, **safe, "ties with minimax": tied})
    return rows


MEASURES: Final = {one.__name__: one for one in (curves, networks, settings, runs, strength)}
