"""Verdicts on Smirnov's statements; their reasons stand beside the statements."""

from itertools import pairwise
from math import hypot
from typing import Any, Final

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Row, Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.smirnov.curves import BY_SELF_PLAY
from ttt_fast.studies.smirnov.learners import DOUBLE, SINGLE
from ttt_fast.studies.smirnov.measures import NEAREST

NO, PART, UNKNOWN = StatementVerdict.DOES_NOT_HOLD, StatementVerdict.IN_PART, StatementVerdict.CANNOT_BE_TOLD
DESCRIBED: Final = "as described"
NEARLY: Final = 0.01
"""A game in a hundred: differences of shares below it count as slight."""


def ahead(first: Row, second: Row, name: str) -> int:
    """Return 1 or -1 where one mean over runs is greater, by the 95 % interval of the difference; 0 if none is.

    Examples
    --------
    >>> ahead({"a": 0.5, "a low": 0.4, "a high": 0.6}, {"a": 0.3, "a low": 0.3, "a high": 0.3}, "a")
    1
    """
    half = hypot(*((row[f"{name} high"] - row[f"{name} low"]) / 2 for row in (first, second)))
    difference = first[name] - second[name]
    return 0 if abs(difference) <= half + 1e-9 else 1 if difference > 0 else -1


def greater(first: Row, second: Row, name: str) -> StatementVerdict:
    """Judge whether a mean over runs is greater than another."""
    sign = ahead(first, second, name)
    return UNKNOWN if sign == 0 else holds(sign > 0)


def _curve(tables: Tables, curve: str) -> dict[Any, Row]:
    return {row["setting"]: row for row in tables.where("ends", curve=curve)}


def always_ties(tables: Tables) -> StatementVerdict:
    """Judge whether each match of the learner without random is tied in all runs."""
    rows = [row for row in tables.where("pairs", training=DESCRIBED, quantity="draws") if "Random" not in row["place"]]
    return holds(min(row["min"] for row in rows) == 1, PART if max(row["mean"] for row in rows) == 1 else NO)


def best_alphas(tables: Tables) -> StatementVerdict:
    """Judge whether 0.2 or 0.3 is best late in the runs, and over all of them."""
    curve, found = _curve(tables, "alpha"), []
    for name in ("late", "overall"):
        best = max(curve.values(), key=lambda row: row[name])
        found.append(any(ahead(best, curve[one], name) <= 0 for one in (0.2, 0.3)))
    return holds(all(found), PART if any(found) else NO)


def reasonable_alphas(tables: Tables) -> StatementVerdict:
    """Judge whether none of them ends a game in a hundred below the best."""
    curve = _curve(tables, "alpha")
    best = max(row["late"] for row in curve.values())
    return holds(all(best - row["late"] < NEARLY for alpha, row in curve.items() if 0.1 <= alpha <= 0.4))


def noisier(tables: Tables) -> StatementVerdict:
    """Judge the swing of a run at 0.4 and at 0.2."""
    curve = _curve(tables, "alpha")
    return greater(curve[0.4], curve[0.2], "noise")


def lower_peak(tables: Tables) -> StatementVerdict:
    """Judge the wins at 0.4 late in the runs beside those at 0.2 and at 0.3."""
    curve = _curve(tables, "alpha")
    return holds(all(ahead(curve[one], curve[0.4], "late") > 0 for one in (0.2, 0.3)))


def poorer(tables: Tables) -> StatementVerdict:
    """Judge the lowest step size beside those that the text calls best."""
    curve = _curve(tables, "alpha")
    return holds(all(ahead(curve[one], curve[0.01], "late") > 0 for one in (0.2, 0.3)))


def faster_gammas(tables: Tables) -> StatementVerdict:
    """Judge whether curves arrive at nearly their ends later with each larger gamma."""
    arrivals = [row["arrives"] for _, row in sorted(_curve(tables, "gamma").items())]
    return holds(arrivals == sorted(arrivals) and arrivals[0] < arrivals[-1])


def lower_maximum(tables: Tables) -> StatementVerdict:
    """Judge whether late wins rise with gamma: at every step, or at all but one."""
    ends = [row["late"] for _, row in sorted(_curve(tables, "gamma, long").items())]
    falls = sum(second < first for first, second in pairwise(ends))
    return holds(falls == 0, PART if falls == 1 else NO)


def best_gamma(tables: Tables) -> StatementVerdict:
    """Judge whether no gamma has more wins than 1 late in the runs, and none more runs that nobody can beat."""
    long, short = _curve(tables, "gamma, long"), _curve(tables, "gamma")
    wins = not any(ahead(row, curve[1.0], "late") > 0 for curve in (short, long) for row in curve.values())
    safest = all(row["high"] < short[1.0]["low"] for gamma, row in short.items() if gamma != 1.0)
    return holds(wins and safest, PART if wins or safest else NO)


def sooner(tables: Tables) -> StatementVerdict:
    """Judge whether wins take longer with a larger gamma, by the intervals of the means: always, or from 0.1 on."""
    rows = sorted(tables.where("gamma_lengths", shown=NEAREST), key=lambda row: row["gamma"])
    name = "plies of a win"
    rises = [ahead(second, first, name) >= 0 for first, second in pairwise(rows)]
    return holds(all(rises), PART if all(rises[1:]) and ahead(rows[-1], rows[1], name) > 0 else NO)


def greedy_is_poor(tables: Tables) -> StatementVerdict:
    """Judge whether no exploration ends below all others."""
    curve = _curve(tables, "epsilon")
    return holds(all(ahead(row, curve[0.0], "late") > 0 for epsilon, row in curve.items() if epsilon > 0))


def better_than_visits(tables: Tables) -> StatementVerdict:
    """Judge the ad-hoc schedule beside two step sizes that fall with the visits."""
    curve = _curve(tables, "visits")
    wins = [ahead(curve["ad hoc"], curve[one], "end") > 0 for one in ("visits", "visits:0.75")]
    return holds(all(wins), PART if any(wins) else NO)


def _duel(tables: Tables, opponent: str, training: str = BY_SELF_PLAY) -> tuple[Row, Row]:
    """Return the rows of single and of double Q-learning."""
    single, double = (
        tables.one("duels", training=training, opponent=opponent, learner=one) for one in (SINGLE, DOUBLE)
    )
    return single, double


def at_least_comparable(tables: Tables) -> StatementVerdict:
    """Judge whether double is nowhere behind at the end, against random by less than a game in a hundred."""
    pairs = [_duel(tables, one) for one in ("random", "minimax", "heuribot", SINGLE, DOUBLE)]
    behind = [single["end"] - double["end"] for single, double in pairs if ahead(single, double, "end") > 0]
    return holds(max(behind, default=0.0) < NEARLY)


def converges_faster(tables: Tables) -> StatementVerdict:
    """Judge whether double loses less over the whole curve, against each opponent."""
    pairs = [_duel(tables, one) for one in ("random", "minimax", "heuribot", SINGLE, DOUBLE)]
    signs = [ahead(double, single, "not lost overall") for single, double in pairs]
    return holds(all(sign > 0 for sign in signs), PART if min(signs) >= 0 and max(signs) > 0 else NO)


def slower_against_single(tables: Tables) -> StatementVerdict:
    """Judge who loses less to the single Q-learner over the whole curve."""
    single, double = _duel(tables, SINGLE)
    return greater(double, single, "not lost overall")


def slower_against_double(tables: Tables) -> StatementVerdict:
    """Judge who loses less to the double Q-learner over the whole curve."""
    single, double = _duel(tables, DOUBLE)
    return greater(single, double, "not lost overall")
