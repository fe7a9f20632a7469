"""Verdicts on Hensler's statements; their reasons stand beside the statements."""

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.hensler.measures import GREEDY, PUBLISHED


def their_files(tables: Tables) -> StatementVerdict:
    """Judge the files: random plays every line, so that an agent that could lose would lose to it now and then."""
    rows = tables.where("cells", table="his files")
    return holds(not any(row["printed_value"] for row in rows if "losses" in row["quantity"]))


def the_recipe(tables: Tables) -> StatementVerdict:
    """Judge whether nearly all runs end with two agents that nobody can beat."""
    return holds(tables.one("variants", learner=PUBLISHED)["high"] > 0.95)


def no_exploration(tables: Tables) -> StatementVerdict:
    """Judge whether runs without exploration fail."""
    return holds(tables.one("variants", learner=GREEDY)["unbeatable"] == 0, StatementVerdict.IN_PART)


def last_action(tables: Tables) -> StatementVerdict:
    """Judge whether a first game leaves a value to the last move of each player alone."""
    return holds(tables.one("bleeding", episodes=1)["other than 0"] <= 2)


def bleed(tables: Tables) -> StatementVerdict:
    """Judge whether the earliest move with a value stands ever nearer to the empty board."""
    stones = [row["stones before the earliest"] for row in tables["bleeding"]]
    return holds(stones == sorted(stones, reverse=True) and stones[-1] == 0)
