"""Judges of Bichot's statements, from the tables of the study; the reasons are given with the statements."""

from collections.abc import Sequence

from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.studies.engine.tables import Row, Tables
from ttt_fast.studies.engine.verdicts import CANNOT, FALSE, HOLDS, IN_PART, LEVEL, StatementVerdict, by_parts, holds
from ttt_fast.studies.ultimate.contests import CODED, FIRST, SWAPPED, counts_of

BEST = "minimax-5"
LARGELY = 0.6
"""The score above which a win counts as large."""


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


def _game(tables: Tables, part: str, name: str) -> Row:
    return tables.one("games", part=part, name=name)


def first_player_wins_without_the_last_rule(tables: Tables) -> bool:
    """Judge whether the strategy wins every game within 43 plies."""
    rows = tables.where("games", part="won boards stay")
    return all(row["wins"] == row["games"] and row["longest"] <= 43 for row in rows)


def pruning_keeps_the_decision(tables: Tables) -> StatementVerdict:
    """Judge whether pruning keeps the value of all positions, and no worse move among equal ones."""
    same, positions = (tables.array("pruning", column) for column in ("same_value", "positions"))
    if not any(tables.array("ties", "with_worse")):
        return HOLDS
    return IN_PART if all(same == positions) else FALSE


def pruning_is_faster(tables: Tables) -> bool:
    """Judge whether every search of more than one step looks at fewer positions."""
    return not any(row["share"] >= 1 for row in tables["pruning"] if row["steps"] > 1)


def rewards_are_as_printed(tables: Tables) -> bool:
    """Judge whether the printed rewards are no worse and no better than those of the program."""
    row = _game(tables, "defects", "minimax-5 corrected: rewards as printed")
    return bool(row["score_low"] <= 0.5 <= row["score_high"])


def naive_evaluation_may_be_better(tables: Tables) -> StatementVerdict:
    """Judge whether the simple reward wins against the complex one anywhere."""
    return holds(any(tables.array("games", "score_high", part="complex v simple") < 0.5), CANNOT)


def beginning_makes_no_difference(tables: Tables) -> StatementVerdict:
    """Judge whether the scores of equal agents, as coded, are close to one half."""
    score, low, high = (tables.array("first_player", f"{CODED}{end}") for end in ("", "_low", "_high"))
    if any(low > LARGELY) or any(high < 1 - LARGELY):
        return FALSE
    return IN_PART if any(abs(score - 0.5) > 0.1) else HOLDS


def first_of_equals_wins(tables: Tables) -> StatementVerdict:
    """Judge whether the first player wins the games of equal depths."""
    return by_parts(row["winner"] == "first" for row in tables["deterministic"] if row["first"] == row["second"])


def deeper_search_wins(tables: Tables) -> bool:
    """Judge whether the deeper search wins more than four fifths of the games."""
    rows = [row for row in tables["deterministic"] if row["first"] != row["second"]]
    won = sum(row["winner"] == ("first" if row["first"] > row["second"] else "second") for row in rows)
    return bool(won > 0.8 * len(rows))


def mcts_is_slower(tables: Tables) -> bool:
    """Judge whether minimax takes the time of few enough simulations."""
    return bool(2000 / tables.value("calibration", "simulations", program=CODED) > 4.5)


def untrained_network_is_worse_than_random(tables: Tables) -> StatementVerdict:
    """Judge whether untrained networks lose to random, unless the printed games may be those of equal players."""
    is_open = tables.value("printed_games", "p", name="random v dqn") >= LEVEL
    score = tables.value("network_means", "score high", network="untrained", seats="random begins")
    return CANNOT if is_open else holds(score < 0.5)


def untrained_network_wins_against_itself(tables: Tables) -> bool:
    """Judge whether an untrained network as first player does not win every game."""
    return bool(_game(tables, "dqn untrained", "dqn v dqn")["score"] < 1)


def illegal_choices(tables: Tables) -> StatementVerdict:
    """Judge whether the trained network chooses the printed share of illegal actions."""
    row = tables.one("networks", network="trained")
    return holds(row["illegal_low"] <= 0.21 <= row["illegal_high"], CANNOT)


def few_actions_are_legal(tables: Tables) -> bool:
    """Judge whether most positions have less than nine legal moves, of random and of strong play."""
    return all(tables.value("legal_moves", "less than 9", agent=agent) > 0.5 for agent in ("random", BEST))


def victory_alone_plays_randomly(tables: Tables) -> StatementVerdict:
    """Judge whether the simple reward keeps all moves equal in the opening."""
    plies, equal = (tables.array("openings", column, reward="victory alone") for column in ("plies", "equal"))
    return IN_PART if any((plies <= 16) & (equal <= 0.99)) else HOLDS


def wins_are_missed(tables: Tables) -> bool:
    """Judge whether the search misses wins of a few more steps."""
    return any(tables.array("missed_wins", "low") > 0)


def training_was_too_short(tables: Tables) -> StatementVerdict:
    """Judge whether the trained network does not beat random, seats swapped."""
    row = _game(tables, "dqn trained, seats swapped", "dqn v random")
    return FALSE if row["score_low"] > 0.5 else holds(row["score_high"] <= 0.5, CANNOT)


def six_steps_are_intelligent(tables: Tables) -> StatementVerdict:
    """Judge whether six steps beat five, as coded and corrected."""
    rows = [_game(tables, "depth 6", f"minimax-5, {program}") for program in (CODED, "corrected")]
    return holds(all(row["score_low"] > 0.5 for row in rows), IN_PART)


def improved_minimax_is_better(tables: Tables) -> StatementVerdict:
    """Judge whether the improved minimax beats its base, as described and as coded."""
    pair = ("printed rewards, true ties", "coded rewards, false ties")
    rows = [tables.one("improved_ties", name=name) for name in pair]
    is_worse = all(row["score_high"] < 0.5 for row in rows)
    return holds(all(row["score_low"] > 0.5 for row in rows), FALSE if is_worse else IN_PART)
