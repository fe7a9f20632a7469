"""Verdicts on Langan's statements; their reasons stand beside the statements."""

from typing import Any

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Row, Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.langan.runs import AS_CODED, OVER_LEGAL

IN_PART = StatementVerdict.IN_PART
MENDED = "B1+B2+B3"


def value(tables: Tables, name: str) -> Any:
    """Return a true value by its name."""
    return tables.one("values", name=name)["value"]


def strength(tables: Tables, policy: str, variant: str = AS_CODED) -> Row:
    """Return what a published policy is worth."""
    return tables.one("strength", policy=policy, variant=variant)


def last(tables: Tables, table: str, **wanted: Any) -> Row:
    """Return the last row that has some values: the end of the longest runs."""
    return tables.where(table, **wanted)[-1]


def minimax_never_loses(tables: Tables) -> StatementVerdict:
    """Judge whether no opponent beats minimax, in either seat."""
    return holds(value(tables, "seats in which minimax never loses") == 2)


def pruning(tables: Tables) -> StatementVerdict:
    """Judge whether both ways to search less may choose otherwise: pruning, and a limit of the depth."""
    pruned, limited = (
        value(tables, f"boards where {one}") for one in ("alpha-beta chooses otherwise", "depth two loses value")
    )
    return holds(pruned > 0 and limited > 0, IN_PART if pruned or limited else StatementVerdict.DOES_NOT_HOLD)


def agreement_is_safety(tables: Tables) -> StatementVerdict:
    """Judge whether a table that agrees in all rows never loses."""
    row = strength(tables, "Q_minimax", "corrected")
    return holds(row["never lose"] == row["runs"])


def less_agreement_loses(tables: Tables) -> StatementVerdict:
    """Judge whether tables that disagree somewhere lose to minimax."""
    row = strength(tables, "Q_minimax")
    return holds(row["agreement"] < 1 and row["draws v minimax"] < 1)


def needs_no_change(tables: Tables) -> StatementVerdict:
    """Judge whether self-play learns without the changes that mend it."""
    coded, mended = (last(tables, "ablation", mended=one) for one in (AS_CODED, MENDED))
    return holds(coded["perfect_high"] > mended["perfect_low"])


def rewards_as_written(tables: Tables) -> StatementVerdict:
    """Judge whether the agreement that is printed is that of a learner with these rewards."""
    cells = tables.where("cells", reading="as written", quantity="agreement")
    return holds(all(row["verdict"] != "wrong" for row in cells))


def no_win_at_b(tables: Tables) -> StatementVerdict:
    """Judge whether the second move of figure 4 never wins against random."""
    return holds(tables.one("positions", **{"in the report": "B"})["wins with best play"] == 0)


def unseen_is_random(tables: Tables) -> StatementVerdict:
    """Judge whether a table without rows plays no better than random."""
    return holds(value(tables, "first free cell v random") <= value(tables, "random v random"))


def minimax_is_lower(tables: Tables) -> StatementVerdict:
    """Judge whether minimax wins less than the most there is, against each player that can be exploited."""
    rows = [tables.one("opponents", opponent=one) for one in ("frozen random", "buggy")]
    return holds(all(row["minimax, random ties, at most"] < row["best possible, at least"] for row in rows))


def trigger_wins(tables: Tables) -> StatementVerdict:
    """Judge whether best play always wins against the player of figure 5, as it is written and as it is coded."""
    return holds(all(row["wins of best play"] == 1 for row in tables.where("triggers", player="buggy")))


def only_explored(tables: Tables) -> StatementVerdict:
    """Judge whether the disagreement is left when only the maximum is mended, and exploration is not."""
    return holds(last(tables, "minimax", learner=OVER_LEGAL)["disagreeing"] > 0)


def never_reached(tables: Tables) -> StatementVerdict:
    """Judge whether no run as coded agrees in all rows."""
    return holds(last(tables, "minimax", learner=AS_CODED)["runs at 100 %"] == 0)


def not_general(tables: Tables) -> StatementVerdict:
    """Judge whether a player trained against minimax wins less against random than minimax, and loses."""
    row, minimax = strength(tables, "Q_minimax"), tables.one("opponents", opponent="random")["minimax, random ties"]
    return holds(row["wins v random, high"] < minimax and row["losses v random, low"] > 0)


def same_guarantee(tables: Tables) -> StatementVerdict:
    """Judge whether the best of the published trainings ends with a player that never loses."""
    row = strength(tables, "Q_random")
    return holds(row["never lose"] == row["runs"], IN_PART if row["never lose"] else StatementVerdict.DOES_NOT_HOLD)


def player_1_wins(tables: Tables) -> StatementVerdict:
    """Judge whether X wins every greedy game as coded."""
    rows = tables.where("ablation", mended=AS_CODED)
    return holds(all(row["greedy: X wins"] == row["runs"] for row in rows), IN_PART)


def neither_game_nor_tuning(tables: Tables) -> StatementVerdict:
    """Judge whether the failure stays when the defects are mended and game and hyperparameters are the same."""
    return holds(last(tables, "ablation", mended=MENDED)["perfect_low"] < 0.5)


def no_tuning_helps(tables: Tables) -> StatementVerdict:
    """Judge whether self-play as coded loses all games against minimax with every step size and exploration."""
    return holds(all(row["p1_v_minimax_draws"] == row["minimax_v_p2_draws"] == 0 for row in tables["tuning"]), IN_PART)


def mostly_draws(tables: Tables) -> StatementVerdict:
    """Judge whether more than half of all moves are worth a draw."""
    return holds(tables.one("moves", value="draws")["share"] > 0.5)


def self_play_is_more_general(tables: Tables) -> StatementVerdict:
    """Judge whether self-play wins more against random than training against minimax, and loses less."""
    one, other = strength(tables, "Q_self-play 1"), strength(tables, "Q_minimax")
    more = one["wins v random, low"] > other["wins v random, high"]
    return holds(more and one["losses v random, high"] < other["losses v random, low"], IN_PART)


def always_best(tables: Tables, opponent: str) -> StatementVerdict:
    """Judge whether all runs are at the best possible after the first checkpoint."""
    row = tables.where("lengths", opponent=opponent)[0]
    return holds(row["runs at the best possible"] == row["runs"], IN_PART)


def frozen_is_beaten(tables: Tables) -> StatementVerdict:
    """Judge whether all runs beat their frozen player."""
    return always_best(tables, "random:frozen")


def buggy_is_beaten(tables: Tables) -> StatementVerdict:
    """Judge whether all runs beat buggy."""
    return always_best(tables, "buggy:as=coded")


def frozen_is_weak(tables: Tables) -> StatementVerdict:
    """Judge whether training against a frozen player wins less against random than the weakest published player."""
    row, weak = tables.where("lengths", opponent="random:frozen")[0], strength(tables, "Q_minimax")
    return holds(row["wins v random, high"] < weak["wins v random, low"], IN_PART)


def beats_minimax(tables: Tables) -> StatementVerdict:
    """Judge whether Q-learning wins more against random than minimax does, whichever of its ties that takes."""
    row, wins = tables.one("opponents", opponent="random"), strength(tables, "Q_random")["wins v random"]
    above = [wins > row[f"minimax, {tie}"] for tie in ("random ties", "first tie")]
    return holds(all(above), IN_PART if any(above) else StatementVerdict.DOES_NOT_HOLD)


def buggy2_below_all(tables: Tables) -> StatementVerdict:
    """Judge whether nobody wins all games against buggy2."""
    return holds(tables.one("opponents", opponent="buggy2")["best possible"] < 1)


def buggy2_is_less_general(tables: Tables) -> StatementVerdict:
    """Judge whether Q_buggy2 wins less against random than Q_buggy, on average over the runs."""
    one, other = strength(tables, "Q_buggy2"), strength(tables, "Q_buggy")
    return holds(one["wins v random, high"] < other["wins v random, low"], IN_PART)


def ten_thousand(tables: Tables) -> StatementVerdict:
    """Judge whether the printed minutes have a ratio of the order of ten thousand."""
    return holds(10**3.5 < value(tables, "minutes") < 10**4.5)


def training_too(tables: Tables) -> StatementVerdict:
    """Judge whether a search in training visits ten thousand positions for a look-up, by order of magnitude."""
    rows = [tables.one("search", x=one, o="Minimax") for one in ("Random", "Q_minimax")]
    return holds(all(10**3.5 < row["positions a ply"] < 10**4.5 for row in rows))


def less_memory(tables: Tables) -> StatementVerdict:
    """Judge whether every learned table is smaller than half the worst case."""
    most = tables.one("memory", table="all fillings of nine cells")["rows"]
    return holds(all(row["rows"] < most / 2 for row in tables["memory"] if row["table"].startswith("Q_")))
