"""The measures of Smirnov's deep Q-learning: curves, runs, matches and strength of the networks kept; all exact."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import Outcome, exact_outcome
from ttt_fast.evaluate.samples import counted, spread
from ttt_fast.evaluate.strength import never_loses
from ttt_fast.games import api
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.settings import SEAT_NAMES
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.smirnov.curves import estimated
from ttt_fast.studies.smirnov.dqn.plan import CLAIMED, MAIN, PLAYED, READINGS, SETTINGS, Setting, size_of
from ttt_fast.studies.smirnov.learners import TABLE_GAMMA, annealed
from ttt_fast.studies.smirnov.measures import SCRIPTED, TABULAR
from ttt_fast.studies.smirnov.players import best_against_random
from ttt_fast.studies.smirnov.scripted import DRAWN

DQN: Final = "DQN"
_SURE = 1e-9
_DIGITS = 6
"""Of the curves, whose file would be large."""


def found_runs(work: Work, settings: Sequence[Setting]) -> list[tuple[Setting, int, list[Training | None]]]:
    """Return the runs of some settings and their seats, None for one that has diverged; they are done seed by seed."""
    size, jobs = size_of(work), []
    for number, (setting, seat) in enumerate((one, seat) for one in settings for seat in one.seats):
        first = setting.config(size, seat, 0)
        jobs += [(seed, number, replace(first, seed=seed)) for seed in range(setting.runs(size))]
    jobs.sort(key=lambda job: job[:2])
    runs = work.trainings([config for *_, config in jobs])
    of: dict[int, list[Training | None]] = {}
    for (_, number, _), run in zip(jobs, runs, strict=True):
        of.setdefault(number, []).append(run)
    heads = [(one, seat) for one in settings for seat in one.seats]
    return [(*head, of[number]) for number, head in enumerate(heads)]


def wins_of(work: Work, setting: Setting, training: Training) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the checkpoints after the buffer is full, and the exact win rate against random at each, (P,) each."""
    episodes = training.history[:, 0].astype(np.int64) - setting.prefill(size_of(work))
    wins = training.history[:, training.columns.index("wins")]
    return episodes[episodes > 0], wins[episodes > 0]


def optimum_of(setting: Setting, seat: int) -> float:
    """Return the largest win rate that any player has against random, with the first move of the setting."""
    is_drawn = bool(setting.changes.get("random_opening", True))
    return float(best_against_random(seat, "most wins")[is_drawn][0])


def _head(setting: Setting, seat: int) -> Row:
    plot = {"plot": setting.plot, "setting": setting.name, "reading": setting.reading}
    return plot | {"seat": SEAT_NAMES[seat]}


def curves(work: Work) -> Rows:
    """Return mean, deviation and range over the runs of each setting at each checkpoint."""
    rows: Rows = []
    for setting, seat, runs in found_runs(work, SETTINGS):
        found = [wins_of(work, setting, one) for one in runs if one is not None]
        for place, episodes in enumerate(found[0][0] if found else ()):
            shown = spread([wins[place] for _, wins in found], ["min", "max"])
            numbers = {name: round(number, _DIGITS) for name, number in shown.items()}
            rows.append(_head(setting, seat) | {"episodes": int(episodes)} | numbers | {"runs": len(found)})
    return rows


def networks(work: Work) -> Rows:
    """Return the best and the last win rate of each run, beside the optimum; none where the network diverged."""
    rows: Rows = []
    for setting, seat, runs in found_runs(work, (*SETTINGS, *PLAYED, *CLAIMED)):
        optimum = optimum_of(setting, seat)
        for seed, run in enumerate(runs):
            wins = None if run is None else wins_of(work, setting, run)[1]
            best, last = (None, None) if wins is None else (float(wins.max()), float(wins[-1]))
            is_optimal = best is not None and best > optimum - _SURE
            row = {"seed": seed, "best": best, "last": last, "optimum": optimum, "reaches_optimum": is_optimal}
            rows.append(_head(setting, seat) | row | {"diverged": wins is None})
    return rows


def settings(work: Work) -> Rows:
    """Return what the runs of each setting come to: best and last win rates, optima reached, networks that diverge."""
    rows: Rows = []
    for setting, seat, runs in found_runs(work, (*SETTINGS, *PLAYED, *CLAIMED)):
        wins = [wins_of(work, setting, one)[1] for one in runs if one is not None]
        optimum, measured = optimum_of(setting, seat), _ends(wins)
        reached = [one is not None and wins_of(work, setting, one)[1].max() > optimum - _SURE for one in runs]
        row = {**_head(setting, seat), "diverged": len(runs) - len(wins), **measured, "optimum": optimum}
        rows.append(row | counted("reach the optimum", reached))
    return rows


def _ends(wins: Sequence[NDArray[np.float64]]) -> Row:
    """Return best and last win rates of some curves, and the difference, with their intervals; nothing of none."""
    if not wins:
        names = [f"{name}{end}" for name in ("best", "last", "lost") for end in ("", " low", " high")]
        return dict.fromkeys([*names, "highest"])
    best, last = np.array([one.max() for one in wins]), np.array([one[-1] for one in wins])
    ends = {**estimated("best", best), **estimated("last", last), **estimated("lost", best - last)}
    return {**ends, "highest": float(best.max())}


def _players(work: Work) -> dict[str, dict[str, list[Policy]]]:
    """Return the networks kept, by reading: of X with its first move drawn and chosen in training, and of O.

    A kept network is the best of its run by exact score, as his is by games.
    """
    found: dict[str, dict[str, list[Policy]]] = {}
    mains = [one for one in SETTINGS if one.plot == MAIN]
    for setting, seat, runs in found_runs(work, (*mains, *PLAYED)):
        role = "o" if seat == api.O else "x drawn" if setting.plot == MAIN else "x chosen"
        found.setdefault(setting.reading, {})[role] = [one.policy() for one in runs if one is not None]
    return found


def _tabular(work: Work) -> Policy:
    config = annealed(size_of(work).tabular_episodes, algorithm="double-q", discount=TABLE_GAMMA)
    (training,) = work.trainings([config])
    assert training is not None  # tables do not diverge
    return training.policy()


def outcome_of(cell: Cell, x: Policy, o: Policy, tabular: Policy) -> Outcome:
    """Return the exact result of a printed match: X's or O's network, or both, in their places."""
    names = [one.removeprefix("X ").removeprefix("O ") for one in cell.place.split(", ")]
    pair = [
        network if name == DQN else tabular if name == TABULAR else agent(SCRIPTED[name])
        for name, network in zip(names, (x, o), strict=True)
    ]
    return exact_outcome(*pair, random_opening=cell.table.endswith(DRAWN))


def runs(work: Work) -> Rows:
    """Return each run's share in each printed match of a DQN; X and O of one seed play each other."""
    players, tabular = _players(work), _tabular(work)
    return [
        {"name": f"{reading}: {cell.place}, {cell.table.removeprefix('pairs, ')}", "quantity": cell.quantity,
         "seed": seed, "value": float(getattr(outcome_of(cell, x, o, tabular), cell.quantity))}
        for reading in READINGS
        for cell in cells_of("ttt_fast.studies.smirnov.dqn")
        for seed, (x, o) in enumerate(zip(
            players[reading]["x drawn" if cell.table.endswith(DRAWN) else "x chosen"], players[reading]["o"],
            strict=False,
        ))
    ]  # fmt: skip


def strength(work: Work) -> Rows:
    """Return how many of the networks kept never lose, by reading and training."""
    rows = []
    for reading, roles in _players(work).items():
        for role, policies in roles.items():
            seat = api.O if role == "o" else api.X
            safe = counted("never loses", [never_loses(policy, seat) for policy in policies])
            minimax = [_ties(policy, seat) for policy in policies]
            rows.append({"reading": reading, "network": role, **safe, "ties with minimax": sum(minimax)})
    return rows


def _ties(policy: Policy, seat: int) -> bool:
    pair = (policy, agent(SCRIPTED["Minimax"]))[:: 3 - 2 * seat]
    return exact_outcome(*pair).draws > 1 - _SURE


MEASURES: Final = {one.__name__: one for one in (curves, networks, settings, runs, strength)}
