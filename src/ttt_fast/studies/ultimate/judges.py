"""Judges of Bichot's statements, from the tables of the study; the reasons are given with the statements."""

from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import CANNOT, FALSE, HOLDS, IN_PART, LEVEL, StatementVerdict, holds
from ttt_fast.studies.statistics.proportions import two_proportion_z_test
from ttt_fast.studies.ultimate.contests import CODED, FIRST

LARGELY = 0.6
"""The score above which a win counts as large."""


def more_iterations(tables: Tables) -> StatementVerdict:
    """Judge MCTS with more iterations, which is named second, against MCTS with fewer, as coded and corrected."""
    ends = []
    for row in (row for program in (CODED, FIRST) for row in tables.where("games", part=program)):
        pair = row["name"].split(" v ")
        if pair[0] != pair[1] and all(one.startswith("mcts") for one in pair):
            ends.append((1 - row["score_high"], 1 - row["score_low"]))
    return FALSE if any(high < 0.5 for _, high in ends) else holds(all(low > 0.5 for low, _ in ends), IN_PART)


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


def beginning_makes_no_difference(tables: Tables) -> StatementVerdict:
    """Judge whether the scores of equal agents, as coded, are close to one half."""
    score, low, high = (tables.array("first_player", f"{CODED}{end}") for end in ("", "_low", "_high"))
    if any(low > LARGELY) or any(high < 1 - LARGELY):
        return FALSE
    return IN_PART if any(abs(score - 0.5) > 0.1) else HOLDS
