"""Judges of Langan's statements, from the tables of the study; the reasons are given with the statements."""

from typing import Any

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import FALSE, IN_PART, StatementVerdict, holds

CODED = "as coded"
MINIMAX, RANDOM, SELF = "Q_minimax", "Q_random", "Q_self-play 1"


def _strength(tables: Tables, policy: str, column: str, variant: str = CODED) -> Any:
    return tables.value("strength", column, policy=policy, variant=variant)


def rewards_are_written(tables: Tables) -> bool:
    """Judge whether rewards that are written as they are fit all printed agreements."""
    return "wrong" not in tables.array("cells", "verdict", reading="as written", quantity="agreement")


def self_play_needs_no_change(tables: Tables) -> bool:
    """Judge whether self-play ends perfect as often as coded as with the defects mended."""
    coded, mended = (tables.where("ablation", mended=one)[-1] for one in (CODED, "B1+B2+B3"))
    return bool(coded["perfect_high"] > mended["perfect_low"])


def frozen_teaches_weak_play(tables: Tables) -> StatementVerdict:
    """Judge whether policies taught by a frozen player win less against random than those taught by minimax."""
    first = tables.where("lengths", opponent="random:frozen")[0]
    return holds(first["wins v random, high"] < _strength(tables, MINIMAX, "wins v random, low"), IN_PART)


def as_good_against_all(tables: Tables) -> StatementVerdict:
    """Judge whether the learner never loses, and wins as often as minimax against all opponents."""
    safe = _strength(tables, RANDOM, "never lose")
    is_as_good = not any(tables.array("others", "win less than minimax"))
    return holds(safe == _strength(tables, RANDOM, "runs") and is_as_good, IN_PART if safe > 0 else FALSE)


def buggy2_teaches_less(tables: Tables) -> StatementVerdict:
    """Judge whether policies taught by buggy2 win less against random than those taught by buggy."""
    high, low = _strength(tables, "Q_buggy2", "wins v random, high"), _strength(tables, "Q_buggy", "wins v random, low")
    return holds(high < low, IN_PART)
