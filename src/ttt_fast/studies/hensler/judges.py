"""Judges of Hensler's statements, from the tables of the study; the reasons are given with the statements."""

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import FALSE, IN_PART, StatementVerdict, by_parts, falls, holds


def his_agents_are_unbeatable(tables: Tables) -> bool:
    """Judge whether his agents never lose to random, which plays every line."""
    rows = tables.where("cells", table="his files")
    return all(row["printed_value"] == 0 for row in rows if row["quantity"].endswith("losses v random"))


def self_play_becomes_optimal(tables: Tables) -> StatementVerdict:
    """Judge whether runs end unbeatable, or in part whether all are so at any time."""
    row = tables.one("variants", learner="as published")
    return holds(row["high"] > 0.95, IN_PART if row["at any time"] == row["runs"] else FALSE)


def no_exploration_is_worse(tables: Tables) -> StatementVerdict:
    """Judge whether no run without exploration is unbeatable."""
    return holds(tables.value("variants", "unbeatable", learner="no exploration") == 0, IN_PART)


def last_actions_are_credited(tables: Tables) -> bool:
    """Judge whether one game changes the value of the last action of each player at most."""
    return bool(tables.value("bleeding", "other than 0", episodes=1) <= 2)


def values_bleed(tables: Tables) -> bool:
    """Judge whether values come ever earlier in the game, up to the empty board."""
    stones = tables.array("bleeding", "stones before the earliest")
    return falls(stones[::-1]) == 0 and bool(stones[-1] == 0)


def wins_are_seen_early(tables: Tables) -> bool:
    """Judge whether a value stands at the empty board."""
    return bool(tables.array("bleeding", "stones before the earliest")[-1] == 0)


def parts_of_a_board_are_copies(tables: Tables) -> StatementVerdict:
    """Judge whether the parts of a board that the check for wins takes are copies."""
    return by_parts(tables.array("copies", "shares memory") == 0)
