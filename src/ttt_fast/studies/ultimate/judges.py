"""Verdicts on Bichot's statements that need more than a condition; the reasons are given with the statements."""

from collections.abc import Sequence

from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.studies.engine.conditions import LEVEL, StatementVerdict
from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.ultimate.contests import CODED, FIRST, SWAPPED, counts_of

BEST = "minimax-5"
LARGELY = 0.6
"""The score above which a win counts as large."""
IN_PART, CANNOT, FALSE = StatementVerdict.IN_PART, StatementVerdict.CANNOT_BE_TOLD, StatementVerdict.DOES_NOT_HOLD


def _verdict_on(ends: Sequence[tuple[float, float]]) -> StatementVerdict:
    """Return whether all scores are certainly above one half, given their intervals."""
    return FALSE if any(high < 0.5 for _, high in ends) else holds(all(low > 0.5 for low, _ in ends), IN_PART)


def best_agent(tables: Tables) -> StatementVerdict:
    """Judge whether 5-step minimax beats every other agent, seats swapped, as coded and corrected.

    As coded, only the agents close to it have games with the seats swapped; all others lose clearly in either seat.
    """
    near = tables.where("swapped_as_coded", first=BEST)
    rivals = {one["second"] for one in near}
    others = [row for row in tables.where("games", part=CODED) if not rivals & {row["first"], row["second"]}]
    ends = [(row["score_low"], row["score_high"]) for row in near]
    for row in others + tables.where("games", part=SWAPPED):
        pair = row["name"].split(" v ")
        if BEST in pair and pair[0] != pair[1]:
            low, high = row["score_low"], row["score_high"]
            ends.append((low, high) if pair[0] == BEST else (1 - high, 1 - low))
    return _verdict_on(ends)


def more_iterations(tables: Tables) -> StatementVerdict:
    """Judge MCTS with more iterations, which is named second, against MCTS with fewer, as coded and corrected."""
    ends = []
    for row in (row for program in (CODED, FIRST) for row in tables.where("games", part=program)):
        pair = row["name"].split(" v ")
        if pair[0] != pair[1] and all(one.startswith("mcts") for one in pair):
            ends.append((1 - row["score_high"], 1 - row["score_low"]))
    return _verdict_on(ends)


def best_exploration(tables: Tables) -> StatementVerdict:
    """Judge whether another exploration parameter wins more games, as coded and corrected, by any corrected test."""
    worse = []
    for kind in (CODED, "corrected"):
        rows = {row["c"]: row for row in tables["exploration"] if row[kind] is not None}
        wins, games = {c: row[kind] for c, row in rows.items()}, 1000
        if kind != CODED:
            games = next(iter(rows.values()))["games"]
        best = max(wins, key=wins.__getitem__)
        pair = [count for c in (best, "sqrt(2)") for count in (round(wins[c] * games), games)]
        worse.append(best != "sqrt(2)" and (len(rows) - 1) * two_proportion_z_test(*pair).p_value < LEVEL)
    return FALSE if all(worse) else holds(not any(worse), IN_PART)


def complex_reward(tables: Tables) -> StatementVerdict:
    """Judge the complex against the simple reward, with at least twenty times the positions for the simple search."""
    rows = sorted(tables.where("games", part="complex v simple"), key=lambda row: row["its_work"])
    row = next((row for row in rows if row["its_work"] >= 20 * row["work"]), rows[-1])
    return FALSE if row["score_high"] < LARGELY else holds(row["score_low"] > LARGELY, CANNOT)


def printed_scores(tables: Tables) -> StatementVerdict:
    """Judge the printed scores by the counts behind them."""
    off = 0
    for row in tables.where("cells", table="Fig. 5", own_reading=True):
        wins, draws, losses = counts_of(row["note"])
        wins = losses if "mirror" in row["note"] else wins
        off += abs(row["printed_value"] - (wins + draws / 2) / 100) > 0.005 + 1e-9
    return holds(not off, IN_PART)
