"""Verdicts on Sai's statements; their reasons stand beside the statements."""

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.sai.matches import CONNECT_FOUR, SKILLS, TIC_TAC_TOE

IN_PART, NOT = StatementVerdict.IN_PART, StatementVerdict.DOES_NOT_HOLD
DESCRIBED = "learner, corrected"
EXPLORES_NO_MORE = "learner, corrected, exploration ends"


def _wins(tables: Tables, player: str, opponent: str, game: str = TIC_TAC_TOE) -> float:
    return float(tables.one("strength", game=game, player=player, opponent=opponent)["wins"])


def best_in_tic_tac_toe(tables: Tables) -> StatementVerdict:
    """Judge minimax against the learner whose exploration ends: losses, and wins against both opponents."""
    of = {row["player"]: row for row in tables["marks"]}
    learner, minimax = of[EXPLORES_NO_MORE], of["minimax, first of the best"]
    more = [_wins(tables, "minimax, first of the best", one) > _wins(tables, EXPLORES_NO_MORE, one) for one in SKILLS]
    safer = minimax["share"] >= learner["share"]
    return holds(safer and all(more), IN_PART if safer and any(more) else NOT)


def best_in_connect_four(tables: Tables) -> StatementVerdict:
    """Judge minimax among the source's three players of Connect 4, against both default opponents."""
    others = (DESCRIBED, "default opponent, skill 1")
    own = {skill: _wins(tables, "minimax of depth 5", skill, CONNECT_FOUR) for skill in SKILLS}
    best = [own[skill] >= _wins(tables, other, skill, CONNECT_FOUR) for skill in SKILLS for other in others]
    return holds(all(best), IN_PART)
