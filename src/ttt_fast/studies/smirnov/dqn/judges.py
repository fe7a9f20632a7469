"""Judges of Smirnov's statements about networks, from the tables of the study."""

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import FALSE, IN_PART, StatementVerdict, by_parts, holds


def peaks_are_low(tables: Tables) -> StatementVerdict:
    """Judge whether no run without tricks gets above the printed win rate."""
    highest = tables.array("settings", "highest", plot="no tricks")
    return holds(not any(highest >= 0.805), IN_PART if any(highest < 0.805) else FALSE)


def optimizers_differ(tables: Tables) -> StatementVerdict:
    """Judge whether the worst optimizer fails to win at least twice as often as the best one, in each seat."""
    ends = [tables.array("settings", "last", plot="optimizer", seat=seat) for seat in "xo"]
    return by_parts(1 - min(wins) >= 2 * (1 - max(wins)) for wins in ends)


def adam_is_best(tables: Tables) -> StatementVerdict:
    """Judge whether all other optimizers end lower than Adam, in each seat."""
    parts = []
    for seat in "xo":
        ends = tables.means("settings", "last", plot="optimizer", seat=seat)
        adam = tables.mean("settings", "last", plot="optimizer", setting="adam", seat=seat)
        parts.append(sum(ends < adam) == len(ends) - 1)
    return by_parts(parts)
