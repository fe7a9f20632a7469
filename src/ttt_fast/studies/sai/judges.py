"""Judges of Sai's statements, from the tables of the study; the reasons are given with the statements."""

from typing import Any

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import CANNOT, FALSE, IN_PART, StatementVerdict, by_parts, holds

DEFAULTS = ("default 1", "default 0.01")
FIRST_TIE, LEARNER = "minimax, first of the best", "learner, corrected"
ENDS = f"{LEARNER}, exploration ends"


def _wins(tables: Tables, player: str, opponent: str, game: str = "tic-tac-toe") -> Any:
    return tables.value("strength", "wins", game=game, player=player, opponent=opponent)


def _printed(tables: Tables, player: str) -> Any:
    return tables.value("cells", "value", table="table 3", reading="as coded", quantity=f"{player} wins")


def exploration_is_to_go_on(tables: Tables) -> StatementVerdict:
    """Judge whether fewer runs are unbeatable if the exploration ends."""
    ends, goes_on = tables.one("marks", player=ENDS), tables.one("marks", player=LEARNER)
    is_more = ends["low"] > goes_on["high"]
    return holds(ends["unbeatable"] < goes_on["unbeatable"], FALSE if is_more else CANNOT)


def learner_beats_default(tables: Tables) -> bool:
    """Judge whether the learner wins more games than the default opponent."""
    return bool(_printed(tables, "learner") > _printed(tables, "default"))


def learner_beats_random(tables: Tables) -> bool:
    """Judge whether the learner wins more games than random against the same opponent."""
    return bool(_printed(tables, "learner") > _wins(tables, "random", "default 0.01"))


def learner_takes_less(tables: Tables) -> StatementVerdict:
    """Judge whether the learner takes less time and memory than the default opponent."""
    learner, default = (
        tables.one("costs", table="table 3", player=player) for player in ("tabular Q-learning", "default")
    )
    looked = "boards looked at a game"
    is_faster = learner[looked] / (1 - 0.9) < default[looked]
    characters = tables.value("values", "value", name="as coded", quantity="characters of policy-1")
    return holds(is_faster and characters < default["bytes"], IN_PART if is_faster else FALSE)


def default_never_wins(tables: Tables) -> bool:
    """Judge whether the default opponent wins no game against minimax in Connect 4."""
    return not any(tables.array("cells", "value", table="table 5", quantity="default wins"))


def pruning_saves_time_and_memory(tables: Tables) -> StatementVerdict:
    """Judge whether pruning saves half of the positions, and half of the memory."""
    row = tables.one("pruning", place="tables 5 and 4")
    return by_parts(row[one] < 0.5 for one in ("nodes", "bytes"))


def minimax_wins_almost_all(tables: Tables) -> StatementVerdict:
    """Judge whether minimax wins nine games of ten in Connect 4, against either skill."""
    return by_parts(_wins(tables, "minimax of depth 5, as coded", one, "connect4") > 0.9 for one in DEFAULTS)


def learner_does_worse_than_default(tables: Tables) -> bool:
    """Judge whether the learner wins less than it loses against the default opponent in Connect 4."""
    row = tables.one("strength", game="connect4", player=LEARNER, opponent="default 1")
    return bool(row["high"] < 0.5 and row["wins"] < row["losses"])


def connect4_is_not_feasible(tables: Tables) -> bool:
    """Judge whether the learner keeps no more values than by chance."""
    return bool(tables.value("kept_means", "gain low", player=LEARNER) <= 0)


def _are_about(tables: Tables, printed: float, *columns: str) -> StatementVerdict:
    """Return whether shares that pruning leaves, in both games, differ from a printed one by a fifth at most."""
    rows = [tables.one("pruning", place=place) for place in ("table 7", "tables 2 and 1")]
    return by_parts(abs(row[column] - printed) <= printed / 5 for row in rows for column in columns)


def pruning_takes_3_percent_of_the_time(tables: Tables) -> StatementVerdict:
    """Judge whether pruning leaves the printed share of positions and seconds."""
    return _are_about(tables, 0.03, "nodes", "seconds")


def pruning_takes_73_percent_of_the_memory(tables: Tables) -> StatementVerdict:
    """Judge whether pruning leaves the printed share of memory."""
    return _are_about(tables, 0.73, "bytes")


def minimax_is_best_in_tic_tac_toe(tables: Tables) -> StatementVerdict:
    """Judge whether minimax is as often unbeatable as the learner, and wins more against either skill."""
    minimax, learner = (tables.value("marks", "share", player=player) for player in (FIRST_TIE, ENDS))
    more = [_wins(tables, FIRST_TIE, one) > _wins(tables, ENDS, one) for one in DEFAULTS]
    return by_parts(more) if minimax >= learner else FALSE


def learner_beats_nobody_else(tables: Tables) -> StatementVerdict:
    """Judge whether the learner wins no game against minimax in Connect 4."""
    return holds(not any(tables.array("cells", "value", table="table 8", quantity="learner wins")), IN_PART)


def minimax_is_best_in_connect4(tables: Tables) -> StatementVerdict:
    """Judge whether minimax wins at least as often as the learner and the default opponent against either skill."""
    players = ("minimax of depth 5", LEARNER, "default opponent, skill 1")
    wins = [[_wins(tables, player, one, "connect4") for player in players] for one in DEFAULTS]
    return holds(all(minimax == max(minimax, *others) for minimax, *others in wins), IN_PART)


def pruning_saves_magnitudes(tables: Tables) -> StatementVerdict:
    """Judge whether pruning leaves a hundredth of the positions, and of the memory, anywhere."""
    return by_parts(any(tables.array("pruning", column) <= 0.01) for column in ("nodes", "bytes"))
