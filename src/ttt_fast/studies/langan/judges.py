"""Judges of Langan's statements, from the tables of the study; the reasons are given with the statements."""

from typing import Any

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import FALSE, HOLDS, IN_PART, StatementVerdict, by_parts, holds

CODED = "as coded"
MINIMAX, RANDOM, SELF = "Q_minimax", "Q_random", "Q_self-play 1"


def _strength(tables: Tables, policy: str, column: str, variant: str = CODED) -> Any:
    return tables.value("strength", column, policy=policy, variant=variant)


def _facing(tables: Tables, opponent: str, column: str) -> Any:
    return tables.value("opponents", column, opponent=opponent)


def converges(tables: Tables) -> StatementVerdict:
    """Judge whether training against random ends at the best policy, as coded or with a falling step size."""
    coded, corrected = (_strength(tables, RANDOM, "wins v random", variant) for variant in (CODED, "corrected"))
    best = _facing(tables, "random", "best possible")
    return holds(coded == best, IN_PART if corrected == best else FALSE)


def never_loses(tables: Tables) -> StatementVerdict:
    """Judge whether policies trained against random never lose."""
    safe = _strength(tables, RANDOM, "never lose")
    return holds(safe == _strength(tables, RANDOM, "runs"), IN_PART if safe > 0 else FALSE)


def agreeing_policies_never_lose(tables: Tables) -> bool:
    """Judge whether policies of full agreement never lose."""
    row = tables.one("maximum", mended="B3")
    return bool(row["never lose"] == row["runs"])


def rewards_are_written(tables: Tables) -> bool:
    """Judge whether rewards that are written as they are fit all printed agreements."""
    return "wrong" not in tables.array("cells", "verdict", reading="as written", quantity="agreement")


def tables_are_small(tables: Tables) -> bool:
    """Judge whether every learned table has less than half of the rows of all fillings."""
    rows = tables.array("memory", "rows")
    return bool(sum(rows >= tables.value("memory", "rows", table="all fillings of nine cells") / 2) == 1)


def self_play_needs_no_change(tables: Tables) -> bool:
    """Judge whether self-play ends perfect as often as coded as with the defects mended."""
    coded, mended = (tables.where("ablation", mended=one)[-1] for one in (CODED, "B1+B2+B3"))
    return bool(coded["perfect_high"] > mended["perfect_low"])


def low_agreement_under_performs(tables: Tables) -> StatementVerdict:
    """Judge whether the policy of lower agreement wins fewer games."""
    is_lower = _strength(tables, SELF, "agreement") < _strength(tables, MINIMAX, "agreement")
    low, high = _strength(tables, SELF, "wins v random, low"), _strength(tables, MINIMAX, "wins v random, high")
    return FALSE if is_lower and low > high else HOLDS


def unseen_boards_are_played_at_random(tables: Tables) -> bool:
    """Judge whether the first free cell of unseen boards wins no more games than a random one."""
    row = tables.one("unseen")
    return bool(row["wins from there, first free cell, low"] <= row["wins from there, random, high"])


def minimax_wins_less(tables: Tables) -> StatementVerdict:
    """Judge whether minimax, with random ties and with the first tie, lacks wins against both opponents."""
    frozen = [tables.value("frozen", "wins", minimax=tie) for tie in ("random ties", "first tie")]
    buggy = [_facing(tables, "buggy", f"minimax, {tie}, at most") for tie in ("random ties", "first tie")]
    is_drawn, is_first = (max(pair) < 1 for pair in zip(frozen, buggy, strict=True))
    return holds(is_drawn and is_first, IN_PART if is_drawn else FALSE)


def never_in_full_agreement(tables: Tables) -> bool:
    """Judge whether no run as coded ends in full agreement with minimax."""
    return bool(tables.array("minimax", "runs at 100 %", learner=CODED)[-1] == 0)


def disagrees_and_never_loses(tables: Tables) -> bool:
    """Judge whether policies disagree with minimax, and draw with it."""
    return bool(_strength(tables, MINIMAX, "agreement") < 1 and _strength(tables, MINIMAX, "draws v minimax") == 1)


def disagreements_are_not_reached(tables: Tables) -> bool:
    """Judge whether policies always draw with minimax."""
    return bool(_strength(tables, MINIMAX, "draws v minimax") == 1)


def minimax_teaches_no_general_play(tables: Tables) -> bool:
    """Judge whether policies taught by minimax win less than minimax against random, and lose."""
    wins, losses = _strength(tables, MINIMAX, "wins v random, high"), _strength(tables, MINIMAX, "losses v random, low")
    return bool(wins < _facing(tables, "random", "minimax, random ties") and losses > 0)


def agreement_is_no_measure(tables: Tables) -> bool:
    """Judge whether policies of high agreement lose to random, as coded and with B3 mended."""
    coded = _strength(tables, MINIMAX, "losses v random, low")
    return bool(min(coded, tables.value("maximum", "losses v random, low", mended="B3")) > 0)


def player_1_beats_player_2(tables: Tables) -> StatementVerdict:
    """Judge whether X wins every greedy game of self-play."""
    wins, runs = (tables.array("ablation", column, mended=CODED) for column in ("greedy: X wins", "runs"))
    return holds(all(wins == runs), IN_PART)


def every_state_is_seen(tables: Tables) -> StatementVerdict:
    """Judge whether self-play sees every board of player 1."""
    states = _strength(tables, SELF, "states", "corrected")
    return holds(states == tables.value("memory", "rows", table="boards where player 1 is to move"), IN_PART)


def tuning_is_in_vain(tables: Tables) -> StatementVerdict:
    """Judge whether no setting draws a game with minimax."""
    draws = [tables.array("tuning", column) for column in ("p1_v_minimax_draws", "minimax_v_p2_draws")]
    return holds(not any(map(any, draws)), IN_PART)


def self_play_generalizes(tables: Tables) -> StatementVerdict:
    """Judge whether self-play wins more and loses less against random than policies taught by minimax."""
    wins = _strength(tables, SELF, "wins v random, low") > _strength(tables, MINIMAX, "wins v random, high")
    losses = _strength(tables, SELF, "losses v random, high") < _strength(tables, MINIMAX, "losses v random, low")
    return holds(wins and losses, IN_PART)


def _is_soon_best(tables: Tables, opponent: str) -> StatementVerdict:
    """Return whether all runs against an opponent are at the best possible at the first checkpoint."""
    first = tables.where("lengths", opponent=opponent)[0]
    return holds(first["runs at the best possible"] == first["runs"], IN_PART)


def frozen_is_soon_beaten(tables: Tables) -> StatementVerdict:
    """Judge whether all runs beat a frozen random player after the shortest training."""
    return _is_soon_best(tables, "random:frozen")


def buggy_is_soon_beaten(tables: Tables) -> StatementVerdict:
    """Judge whether all runs beat buggy after the shortest training."""
    return _is_soon_best(tables, "buggy:as=coded")


def frozen_teaches_weak_play(tables: Tables) -> StatementVerdict:
    """Judge whether policies taught by a frozen player win less against random than those taught by minimax."""
    first = tables.where("lengths", opponent="random:frozen")[0]
    return holds(first["wins v random, high"] < _strength(tables, MINIMAX, "wins v random, low"), IN_PART)


def minimax_cannot_beat_frozen(tables: Tables) -> StatementVerdict:
    """Judge whether minimax misses certain wins against frozen players, with random ties and with the first tie."""
    drawn, first = (tables.value("frozen", "share", minimax=tie) for tie in ("random ties", "first tie"))
    return holds(drawn < 1 and first < 1, IN_PART if drawn < 1 else FALSE)


def better_than_minimax_against_random(tables: Tables) -> StatementVerdict:
    """Judge whether the learner wins more than minimax with random ties and with the first tie."""
    minimax = [_facing(tables, "random", f"minimax, {tie}") for tie in ("random ties", "first tie")]
    return by_parts(wins < _strength(tables, RANDOM, "wins v random") for wins in minimax)


def as_good_against_all(tables: Tables) -> StatementVerdict:
    """Judge whether the learner never loses, and wins as often as minimax against all opponents."""
    safe = _strength(tables, RANDOM, "never lose")
    is_as_good = not any(tables.array("others", "win less than minimax"))
    return holds(safe == _strength(tables, RANDOM, "runs") and is_as_good, IN_PART if safe > 0 else FALSE)


def mistakes_are_not_reached(tables: Tables) -> StatementVerdict:
    """Judge whether all runs, or most of them, never lose."""
    share = _strength(tables, RANDOM, "share")
    return holds(share == 1, IN_PART if share > 0.5 else FALSE)


def as_good_as_minimax_in_all_tests(tables: Tables) -> bool:
    """Judge whether the printed results of the learner are those of minimax or better ones."""

    def printed(place: str, reading: str = CODED, quantity: str = "x_wins") -> Any:
        return tables.value("cells", "printed_value", table="table 5", place=place, quantity=quantity, reading=reading)

    is_better = printed("Q_random v Random") >= printed("Minimax v Random", "as written")
    is_safe = printed("Q_random v Minimax", quantity="draws") == 1
    return bool(is_better and is_safe and printed("Q_random v Q_self-play") >= printed("Minimax v Q_self-play"))


def buggy2_teaches_less(tables: Tables) -> StatementVerdict:
    """Judge whether policies taught by buggy2 win less against random than those taught by buggy."""
    high, low = _strength(tables, "Q_buggy2", "wins v random, high"), _strength(tables, "Q_buggy", "wins v random, low")
    return holds(high < low, IN_PART)


def searches_are_10_000_times_as_long(tables: Tables) -> bool:
    """Judge whether minimax visits some ten thousand positions a ply more than either fast player."""
    each = [tables.value("search", "positions a ply", x=x, o="Minimax") for x in ("Random", "Q_minimax")]
    return all(10**3.5 < one < 10**4.5 for one in each)
