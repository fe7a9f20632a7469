"""Verdicts on Bichot's statements; their reasons stand beside the statements."""

from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Row, Rows, Tables
from ttt_fast.studies.engine.verdicts import LEVEL, StatementVerdict
from ttt_fast.studies.ultimate.contests import CODED, FIRST, counts_of

BIG, LARGELY, MORE_STEPS = 0.1, 0.6, 0.8
"""A big difference of a score from one half; a large win; a share that the source states."""
IN_PART, CANNOT, FALSE = StatementVerdict.IN_PART, StatementVerdict.CANNOT_BE_TOLD, StatementVerdict.DOES_NOT_HOLD


def _against(tables: Tables, program: str, agent: str) -> Rows:
    """Return the scores of an agent against all others, told from it: `score`, `score_low` and `score_high`."""
    rows: Rows = []
    for row in tables.where("games", part=program):
        one, _, two = row["name"].partition(" v ")
        if one != two and agent in (one, two):
            ends = [row[name] for name in ("score", "score_low", "score_high")]
            told = ends if one == agent else [1 - ends[0], 1 - ends[2], 1 - ends[1]]
            rows.append(dict(zip(("score", "score_low", "score_high"), told, strict=True)))
    return rows


def _above(row: Row, bound: float) -> StatementVerdict:
    """Return whether a score is above a bound with its whole interval, below it, or neither."""
    if row["score_low"] > bound:
        return StatementVerdict.HOLDS
    return FALSE if row["score_high"] < bound else CANNOT


def first_move(tables: Tables) -> StatementVerdict:
    """Judge whether no agent's first player is far from one half, nor may be."""
    rows = tables["first_player"]
    far = [row for row in rows if abs(row[CODED] - 0.5) > BIG]
    may_be = [row for row in rows if max(abs(row[f"{CODED}_{end}"] - 0.5) for end in ("low", "high")) > BIG]
    return FALSE if far else holds(not may_be, IN_PART)


def best_agent(tables: Tables) -> StatementVerdict:
    """Judge whether 5-step minimax beats every other agent, as coded and corrected."""
    found = [_against(tables, program, "minimax-5") for program in (CODED, FIRST)]
    if any(row["score_high"] < 0.5 for rows in found for row in rows):
        return FALSE
    return holds(all(row["score_low"] > 0.5 for rows in found for row in rows), IN_PART)


def best_exploration(tables: Tables) -> StatementVerdict:
    """Judge whether another exploration parameter wins more games, as coded and corrected, by any corrected test."""
    worse = []
    for kind in (CODED, "corrected"):
        rows = [row for row in tables["exploration"] if row[kind] is not None]
        games = 1 if not rows else {CODED: 1000, "corrected": rows[0]["games"]}[kind]
        root = next(row for row in rows if row["c"] == "sqrt(2)")
        best = max(rows, key=lambda row, kind=kind: row[kind])  # type: ignore[misc]
        pair = [count for row in (best, root) for count in (round(row[kind] * games), games)]
        worse.append(best is not root and (len(rows) - 1) * two_proportion_z_test(*pair).p_value < LEVEL)
    return FALSE if all(worse) else holds(not any(worse), IN_PART)


def more_iterations(tables: Tables) -> StatementVerdict:
    """Judge MCTS with more iterations against MCTS with fewer, as coded and corrected."""
    found = []
    for row in (row for program in (CODED, FIRST) for row in tables.where("games", part=program)):
        one, _, two = row["name"].partition(" v ")
        if one != two and one.startswith("mcts") and two.startswith("mcts"):
            found.append(row)  # the first has fewer
    if any(row["score_low"] > 0.5 for row in found):
        return FALSE
    return holds(all(row["score_high"] < 0.5 for row in found), IN_PART)


def faster(tables: Tables) -> StatementVerdict:
    """Judge whether pruning spares positions in searches of several steps."""
    return holds(all(row["share"] < 1 for row in tables["pruning"] if row["steps"] > 1))


def starter_wins(tables: Tables) -> StatementVerdict:
    """Judge whether the first player wins the one game of each pair of equals."""
    same = [row["winner"] == "first" for row in tables["deterministic"] if row["first"] == row["second"]]
    return holds(all(same), IN_PART if any(same) else FALSE)


def more_steps(tables: Tables) -> StatementVerdict:
    """Judge the share of wins of the agent with more steps; it is of six games, whatever is repeated."""
    unequal = [row for row in tables["deterministic"] if row["first"] != row["second"]]
    deeper = [row["winner"] == ("first" if row["first"] > row["second"] else "second") for row in unequal]
    return holds(sum(deeper) / len(deeper) > MORE_STEPS)


def complex_reward(tables: Tables) -> StatementVerdict:
    """Judge complex against simple, where the simple search first looks at twenty times the positions."""
    rows = sorted(tables.where("games", part="complex v simple"), key=lambda row: row["its_work"])
    enough = [row for row in rows if row["its_work"] >= 20 * row["work"]]
    return _above(enough[0] if enough else rows[-1], LARGELY)


def improved(tables: Tables) -> StatementVerdict:
    """Judge the improved minimax against its base, as written and as coded."""
    found = [
        _above(tables.one("games", part="improved", name=name, variant=20), 0.5) for name in ("as written", "as coded")
    ]
    return found[0] if found[0] == found[1] else IN_PART


def random_opening(tables: Tables) -> StatementVerdict:
    """Judge whether all moves are equal at first for an agent that knows victory alone."""
    early = [row["equal"] for row in tables.where("openings", reward="victory alone") if row["plies"] <= 16]
    return holds(min(early) > 0.99, IN_PART)


def has_learnt(tables: Tables) -> StatementVerdict:
    """Judge by the DQN's cells: whether an untrained network fails to give them, and a trained one gives them."""
    fails = {
        network: any(row["verdict"] == "wrong" for row in tables.where("cells", reading=network, table="Fig. 5"))
        for network in ("untrained", "trained")
    }
    if fails["untrained"] == fails["trained"]:
        return CANNOT
    return holds(fails["untrained"])


def not_long_enough(tables: Tables) -> StatementVerdict:
    """Judge whether longer training could change the DQN's cells: not where an untrained network gives them alone."""
    return FALSE if has_learnt(tables) == FALSE else CANNOT


def too_few_games(tables: Tables) -> StatementVerdict:
    """Judge whether the network trained as coded fails to beat random play, seats swapped."""
    row = tables.one("games", part="dqn trained, seats swapped", name="dqn v random")
    return FALSE if row["score_low"] > 0.5 else holds(row["score_high"] <= 0.5, CANNOT)


def printed_scores(tables: Tables) -> StatementVerdict:
    """Judge the printed scores by the counts behind them."""
    off = 0
    for row in tables.where("cells", table="Fig. 5", own_reading=True):
        wins, draws, losses = counts_of(row["note"])
        wins = losses if "mirror" in row["note"] else wins
        off += abs(row["printed_value"] - (wins + draws / 2) / 100) > 0.005 + 1e-9
    return holds(not off, IN_PART)
