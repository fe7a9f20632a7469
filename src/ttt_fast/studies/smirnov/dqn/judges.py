"""Verdicts on Smirnov's statements about his DQN; their reasons stand beside the statements."""

from typing import Final

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Row, Rows, Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.smirnov.judges import NO, PART, ahead

PEAK: Final = 0.805
"""The most that rounds to the win rate "of around 0.80"."""
TRICKLESS: Final = "no tricks"
_READING: Final = "as described"


def _kept(tables: Tables) -> Rows:
    return tables.where("strength", reading=_READING)


def never_losing(tables: Tables) -> StatementVerdict:
    """Judge whether all networks kept never lose, or some."""
    shares = [row["share"] for row in _kept(tables)]
    return holds(min(shares) == 1, PART if max(shares) > 0 else NO)


def always_ties(tables: Tables) -> StatementVerdict:
    """Judge whether all networks kept tie with minimax, or some, with the first move chosen."""
    shares = [row["ties with minimax"] / row["runs"] for row in _kept(tables)]
    return holds(min(shares) == 1, PART if max(shares) > 0 else NO)


def blows_up(tables: Tables) -> StatementVerdict:
    """Judge whether networks diverge without the tricks: with all settings, or with some."""
    found = [row["diverged"] > 0 for row in tables.where("settings", plot=TRICKLESS)]
    return holds(all(found), PART if any(found) else NO)


def peaks_low(tables: Tables) -> StatementVerdict:
    """Judge whether no run without the tricks has a higher win rate than is said, or no run of some settings."""
    rows = [row for row in tables.where("settings", plot=TRICKLESS) if row["highest"] is not None]
    return holds(all(row["highest"] < PEAK for row in rows), PART if any(row["highest"] < PEAK for row in rows) else NO)


def best_is_not_last(tables: Tables) -> StatementVerdict:
    """Judge whether the last network is worse than the best one of its run, by more than nothing, in both seats."""
    return holds(all(row["lost low"] > 0 for row in tables.where("settings", plot="main", reading=_READING)))


def _optimizers(tables: Tables, seat: str) -> dict[str, Row]:
    return {row["setting"]: row for row in tables.where("settings", plot="optimizer", seat=seat)}


def dramatic(tables: Tables) -> StatementVerdict:
    """Judge whether the worst optimizer fails to win twice as many games as the best one: in both seats, or in one."""
    found = []
    for seat in "xo":
        last = [row["last"] for row in _optimizers(tables, seat).values() if row["last"] is not None]
        found.append(1 - min(last) >= 2 * (1 - max(last)))
    return holds(all(found), PART if any(found) else NO)


def adam_is_best(tables: Tables) -> StatementVerdict:
    """Judge whether Adam ends ahead of each other optimizer, in both seats or in one, at the published step size."""
    found = []
    for seat in "xo":
        rows = _optimizers(tables, seat)
        others = [row for name, row in rows.items() if name != "adam" and row["last"] is not None]
        found.append(all(ahead(rows["adam"], row, "last") > 0 for row in others))
    return holds(all(found), PART if any(found) else NO)
