"""The statements of Bichot's text, a row each: our measurement and a verdict."""

from typing import Final

from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.studies.page import Row, Rows, Tables
from ttt_fast.studies.ultimate.published import FIG_5, PRINTED, SLOWER, printed_error

HOLDS, FAILS, PARTLY, UNDECIDED = "holds", "does not hold", "holds in part", "cannot be told"
LATER: Final = "left for later"
_DETERMINISTIC_SHARE: Final = 0.8
_EVEN: Final = 0.5
_LARGELY: Final = 0.6
_SIGNIFICANT: Final = 0.05


def claim_rows(parts: Tables) -> Rows:
    """Return the statements, judged by the rows of the other tables."""
    return [
        _first_move(parts), _best_agent(parts), _best_exploration(parts), _pruning(parts),
        *_without_randomness(parts), _printed_rewards(parts), _rewards(parts), _improved(parts), _doubling(parts),
        _printed(),
        _row("V", f"MCTS with N = 2000 is more than {SLOWER:g} times slower than 5-step minimax",
             "seconds a move of both are in `timing.json`: they are the machine's", UNDECIDED),
        _row("V", "the DQN, trained for 15,000 games, scores 45 against random and always beats itself",
             "no DQN is trained here; the published program drops the weights that it loads, so that its network may"
             " have been an untrained one; the diagonal is one game without randomness, 100 times", LATER),
        _row("V", "the DQN was trained for more than 15 hours, and then chooses an illegal action 21 % of the time",
             "no DQN is trained here", LATER),
        _row("III", "the complex reward takes twenty times as long as the simple one",
             "ours keeps both up to date with every move; times are the machine's and the program's", UNDECIDED),
    ]  # fmt: skip


def _row(where: str, words: str, measured: str, verdict: str | bool) -> Row:
    told = verdict if isinstance(verdict, str) else (HOLDS if verdict else FAILS)
    return {"where": where, "statement": words, "measured": measured, "verdict": told}


def _score(row: Row, name: str = "score") -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def _first_move(parts: Tables) -> Row:
    rows = [row for row in parts["first_player"] if "as_coded" in row]
    off = [row["agent"] for row in rows if not row["as_coded_low"] <= _EVEN <= row["as_coded_high"]]
    listed = ", ".join(f"{row['agent']} {_score(row, 'as_coded')}" for row in rows)
    told = f"not even: {', '.join(off)}" if off else "all intervals hold 0.5"
    return _row("V", "beginning does not seem to make a big difference",
                f"first player's score against itself, as coded: {listed}; {told}", not off)  # fmt: skip


def _best_agent(parts: Tables) -> Row:
    cells = [row for row in parts["cells"] if row["row"] == "minimax-5" and row["quantity"] == "score"]
    others = [row for row in cells if row["column"] != "minimax-5" and "as_coded" in row]
    told, verdicts = [], []
    for name, words in _FORMS.items():
        nearest = min(others, key=lambda row: row[name])
        best = max(parts["ratings"], key=lambda row: row[name])["agent"]
        rating = f"the best rating has {best}"
        told.append(f"{words} its lowest score is {_score(nearest, name)} against {nearest['column']}, and {rating}")
        beaten = any(row[f"{name}_high"] < _EVEN for row in others)
        verdicts.append(FAILS if beaten else (HOLDS if all(row[f"{name}_low"] > _EVEN for row in others) else PARTLY))
    verdict = verdicts[0] if len(set(verdicts)) == 1 else PARTLY
    return _row("V", "the 5-step minimax agent is the best one", "; ".join(told), verdict)


_FORMS: Final = {"as_coded": "as coded", "corrected": "corrected"}


def _best_exploration(parts: Tables) -> Row:
    rows = list(parts["exploration"])
    best = max(rows, key=lambda row: row["wins"])
    root = next(row for row in rows if row["c"] == "sqrt(2)")
    coded = [row for row in parts["cells"] if row["source"] == "bichot table I"]
    top = max(coded, key=lambda row: row["as_coded"])["cell"].rpartition("c = ")[2]
    test = two_proportion_z_test(*(count for row in (best, root) for count in (_won(row), row["games"])))
    others = len(rows) - 1
    p_value = min(1.0, others * test.p_value)  # the best of all is compared (Bonferroni)
    apart = p_value < _SIGNIFICANT
    verdict = HOLDS if best["c"] == "sqrt(2)" else (FAILS if apart else UNDECIDED)
    return _row("IV, Table I", "of the exploration parameters c = sqrt(2) is the best",
                f"as coded the most wins are at c = {top}; corrected (UCB1, other c too) at c = {best['c']} with"
                f" {_score(best, 'wins')}, and {_score(root, 'wins')} at sqrt(2); p ="
                f" {p_value:.2g} (times the {others} others)", verdict)  # fmt: skip


def _won(row: Row) -> int:
    won: int = round(row["wins"] * row["games"])
    return won


def _pruning(parts: Tables) -> Row:
    ties = next(row for row in parts["ties"] if row["agent"] == "minimax-5")
    true = next(row for row in parts["defects"] if row["change"] == "minimax-5: true ties")
    return _row("II", "pruning does not change the resulting decision",
                "with random ties it does: a move whose search was cut off can return the best value without having it;"
                f" in {ties['with a worse move among the ties']:.1%} of {ties['positions']} random positions a worse"
                " move is among the ties of 5-step minimax, and is played with chance"
                f" {ties['chance of a worse move']:.3f}; with true ties it scores {_score(true)} against itself as"
                " coded", not ties["with a worse move among the ties"])  # fmt: skip


def _without_randomness(parts: Tables) -> Rows:
    games = list(parts["deterministic"])
    same = [row for row in games if row["first"] == row["second"]]
    won = [row["first"] for row in same if row["winner"] == "first"]
    unequal = [row for row in games if row["first"] != row["second"]]
    deeper = [row for row in unequal if row["winner"] == ("first" if row["first"] > row["second"] else "second")]
    lost = [
        f"{row['first']} beats {row['second']}" for row in unequal if row not in deeper and row["winner"] == "first"
    ]
    share = len(deeper) / len(unequal)
    return [
        _row("V", "without randomisation, for the same number of steps, the agent starting nearly always wins",
             f"each pair has one game, however often it is played: the first player wins it for {', '.join(won)}",
             HOLDS if len(won) == len(same) else PARTLY),
        _row("V", "without randomisation the agent with more steps wins in more than 80 % of the games",
             f"it wins {len(deeper)} of the {len(unequal)} games that there are; {'; '.join(lost) or 'no exception'}",
             share > _DETERMINISTIC_SHARE),
    ]  # fmt: skip


def _printed_rewards(parts: Tables) -> Row:
    row = next(row for row in parts["defects"] if "rewards as printed" in row["change"])
    return _row("III", "the agents' rewards are those of the section's formulas",
                "the program counts only marks outside of pairs, lines by distinct completing cells, and a won board 20"
                f" times; with the printed rewards 5-step minimax scores {_score(row)} against itself with the coded"
                " ones, both with true ties", FAILS)  # fmt: skip


def _rewards(parts: Tables) -> Row:
    row = next(row for row in parts["defects"] if "simple reward" in row["change"])
    verdict = UNDECIDED if row["score_low"] <= _LARGELY <= row["score_high"] else bool(row["score"] > _LARGELY)
    return _row("V", "the complex reward wins largely against the simple one with more steps",
                f"5 steps against 7, both with true ties: {_score(row)}; largely is taken as 0.6", verdict)  # fmt: skip


def _improved(parts: Tables) -> Row:
    row = next(row for row in parts["defects"] if row["change"].startswith("improved"))
    verdict = UNDECIDED if row["score_low"] <= _EVEN <= row["score_high"] else bool(row["score"] > _EVEN)
    return _row("V, VI", "the improved minimax is a really good agent",
                f"as coded it scores {_score(row)} against 5-step minimax; people were not asked", verdict)  # fmt: skip


def _doubling(parts: Tables) -> Row:
    row = next(row for row in parts["cells"] if row["cell"] == "mcts-1000 v mcts-2000")
    return _row("V, Fig. 5", "MCTS with N = 1000 scores 52 against N = 2000",
                f"as coded {_score(row, 'as_coded')}, p = {row['p']:g}; corrected {_score(row, 'corrected')}",
                {"wrong": FAILS}.get(str(row["verdict"]), HOLDS if row["p"] >= 0.05 else UNDECIDED))  # fmt: skip


def _percent(score: float) -> str:
    return f"{100 * score:g}"


def _printed() -> Row:
    off = {pair: printed_error(*pair) for pair in PRINTED}
    wrong = [pair for pair, error in off.items() if abs(error) > 0.5 + 1e-9 and pair in FIG_5]
    told = "; ".join(
        f"{' v '.join(pair)} is printed as {PRINTED[pair]}, its counts give {_percent(FIG_5[pair].score)}"
        for pair in wrong
    )
    return _row("Fig. 5", "the printed scores are 100 (w + e / 2) / n",
                f"{told}: the program rounds wins and draws to pixels first", PARTLY if wrong else HOLDS)  # fmt: skip
