"""Verdicts on Smirnov's statements; their reasons stand beside the statements."""

from itertools import pairwise
from math import hypot
from typing import Any, Final

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Row, Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.smirnov.curves import AGAINST_RANDOM, BY_SELF_PLAY
from ttt_fast.studies.smirnov.learners import DOUBLE, SINGLE
from ttt_fast.studies.smirnov.measures import NEAREST

NO, PART, UNKNOWN = StatementVerdict.DOES_NOT_HOLD, StatementVerdict.IN_PART, StatementVerdict.CANNOT_BE_TOLD
DESCRIBED: Final = "as described"
MOST: Final = 0.9
"""The share of the runs from which on they count as all, where the text says that it tends to be so."""
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


def _mark(tables: Tables, mark: str) -> Row:
    return tables.one("strength", training=DESCRIBED, mark=mark)


def _wins(tables: Tables, goal: str, seat: str = "X", opening: str = "first move chosen") -> Row:
    return tables.one("bounds", seat=seat, goal=goal, opening=opening)


def states(tables: Tables) -> StatementVerdict:
    """Judge the number of boards."""
    return holds(tables.one("values", name="the game", quantity="states")["value"] == 5478)


def never_losing(tables: Tables) -> StatementVerdict:
    """Judge whether heuribot and learner never lose; minimax does not."""
    bots = [row["never loses"] for row in tables.where("bots", bot="heuribot as coded")]
    return holds(all(bots) and all(_mark(tables, f"never loses as {seat}")["share"] == 1 for seat in "XO"), PART)


def heuribot_never_loses(tables: Tables) -> StatementVerdict:
    """Judge both the rules as written and as coded."""
    found = [
        row["never loses"] for one in ("written", "coded") for row in tables.where("bots", bot=f"heuribot as {one}")
    ]
    return holds(all(found), PART if any(found) else NO)


def keeps_draws(tables: Tables) -> StatementVerdict:
    """Judge whether no position that is not lost is given away, by either version."""
    given = [
        sum(row["gives a draw away"] for row in tables.where("told_apart", version=f"as {one}"))
        for one in ("written", "coded")
    ]
    return holds(not any(given), PART if not all(given) else NO)


def trouble(tables: Tables) -> StatementVerdict:
    """Judge whether rules approve winning and other cells alike."""
    return holds(any(row["approves winning and other cells"] for row in tables["told_apart"]))


def crowley_itself(tables: Tables) -> StatementVerdict:
    """Judge the bot of Crowley and Siegler against itself."""
    return holds(tables.one("bots", bot="Crowley-Siegler", against="itself")["x_wins"] == 1)


def upper_right(tables: Tables) -> StatementVerdict:
    """Judge whether the corner is worth more to O than the side."""
    side, corner = (tables.one("values", name=board)["value"] for board in ("OO..X...X", "O.O.X...X"))
    return holds(corner < side)


def not_every_game(tables: Tables) -> StatementVerdict:
    """Judge whether minimax and heuribot are tied by random, as X."""
    rows = [row for row in tables.where("cells", table="first table", quantity="draws", own_reading=True)
            if row["place"] in ("X Minimax, O Random", "X Heuribot, O Random")]  # fmt: skip
    return holds(all(row["value"] > 0 for row in rows))


def always_a_tie(tables: Tables) -> StatementVerdict:
    """Judge whether random can tie any player: some would rather lose, but none that never loses avoids it."""
    any_player, safe = (_wins(tables, goal)["draws"] for goal in ("fewest draws", "never loses, most wins"))
    return holds(any_player > 0, PART if safe > 0 else NO)


def around(tables: Tables) -> StatementVerdict:
    """Judge the chance of a tie."""
    return holds(round(_wins(tables, "never loses, most wins")["draws"], 3) == 0.005)


def nine_turns(tables: Tables) -> StatementVerdict:
    """Judge whether minimax and heuribot tie in nine turns."""
    rows = [tables.one("bots", bot="heuribot as coded", against=f"minimax, as {seat}") for seat in "XO"]
    return holds(all(row["draws"] == row["nine plies"] == 1 for row in rows))


def passes_wins(tables: Tables) -> StatementVerdict:
    """Judge whether minimax passes wins by, and gives won positions away."""
    rows = tables["passed_wins"]
    passes, gives = (any(row[name] for row in rows) for name in ("of them not taken", "of them given away"))
    return holds(passes and gives, PART if passes else NO)


def aggressive(tables: Tables) -> StatementVerdict:
    """Judge whether the penalty makes games shorter, in both seats."""
    plies = [
        [tables.one("lengths", player=one, seat=seat, opening="first move chosen")["mean plies"] for seat in "XO"]
        for one in ("minimax, utility less filled squares", "minimax")
    ]
    return holds(all(fast < slow for fast, slow in zip(*plies, strict=True)))


def always_ties(tables: Tables) -> StatementVerdict:
    """Judge whether each match of the learner without random is tied in all runs."""
    rows = [row for row in tables.where("pairs", training=DESCRIBED, quantity="draws") if "Random" not in row["place"]]
    return holds(min(row["min"] for row in rows) == 1, PART if max(row["mean"] for row in rows) == 1 else NO)


def nearly_equal(tables: Tables) -> StatementVerdict:
    """Judge whether the standard deviations over the runs are below a game in a hundred."""
    marks = [f"X v random, first move {one}: wins" for one in ("chosen", "drawn")] + ["O v random: wins"]
    return holds(max(_mark(tables, mark)["sd"] for mark in marks) < NEARLY)


def ties_and_wins(tables: Tables) -> StatementVerdict:
    """Judge whether all runs tie with minimax, and win all that can be won as X."""
    ties, wins = (_mark(tables, f"X v {one}")["share"] for one in ("minimax, first move chosen: ties",
                                                                    "random, first move chosen: wins"))  # fmt: skip
    return holds(ties == wins == 1, PART if ties == 1 and wins > 0 else NO)


def becomes_optimal(tables: Tables) -> StatementVerdict:
    """Judge whether all runs win against random as much as can be won in either seat."""
    shares = [_mark(tables, mark)["share"] for mark in ("X v random, first move chosen: wins", "O v random: wins")]
    return holds(min(shares) == 1, PART if max(shares) > 0 else NO)


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


def bumped_off(tables: Tables) -> StatementVerdict:
    """Judge whether most runs that reach the optimum with constant settings leave it again."""
    row = _curve(tables, "gamma, long")[0.9]
    return holds(row["reach it"] > 0 and row["leave it"] >= MOST * row["reach it"])


def better_than_visits(tables: Tables) -> StatementVerdict:
    """Judge the ad-hoc schedule beside two step sizes that fall with the visits."""
    curve = _curve(tables, "visits")
    wins = [ahead(curve["ad hoc"], curve[one], "end") > 0 for one in ("visits", "visits:0.75")]
    return holds(all(wins), PART if any(wins) else NO)


def _always(tables: Tables, opening: str, games: str, training: str = "self-play, annealed") -> Row:
    return tables.one("ties", training=training, opening=f"first move {opening}", games=games)


def _nearly_all(tables: Tables, opening: str, games: str) -> StatementVerdict:
    """Judge whether nine runs in ten always tie with minimax: with both ways to train, or with one."""
    rows = [_always(tables, opening, games, one) for one in ("self-play, annealed", "v random as X, constant")]
    reached, missed = [row["low"] > MOST for row in rows], [row["high"] < MOST for row in rows]
    return holds(all(reached), PART if any(reached) else NO if all(missed) else UNKNOWN)


def ties_soon(tables: Tables) -> StatementVerdict:
    """Judge the ties after the fewer games, first move chosen."""
    return _nearly_all(tables, "chosen", "few")


def ties_drawn(tables: Tables) -> StatementVerdict:
    """Judge the ties after the more games, first move drawn."""
    return _nearly_all(tables, "drawn", "many")


def order_of_magnitude(tables: Tables) -> StatementVerdict:
    """Judge whether a drawn first move needs the more games for what a chosen one has after the fewer."""
    few, chosen, many = (
        _always(tables, "drawn", "few"),
        _always(tables, "chosen", "few"),
        _always(tables, "drawn", "many"),
    )
    return holds(few["high"] < chosen["low"] and many["high"] >= chosen["low"])


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


def dips_below(tables: Tables) -> StatementVerdict:
    """Judge whether single is ahead against random somewhere by more than chance, at most slightly at the end."""
    row = tables.one("dips", training=BY_SELF_PLAY)
    return holds(row["low"] > 0 and row["gap at the end"] < NEARLY)


def slower_against_single(tables: Tables) -> StatementVerdict:
    """Judge who loses less to the single Q-learner over the whole curve."""
    single, double = _duel(tables, SINGLE)
    return greater(double, single, "not lost overall")


def slower_against_double(tables: Tables) -> StatementVerdict:
    """Judge who loses less to the double Q-learner over the whole curve."""
    single, double = _duel(tables, DOUBLE)
    return greater(single, double, "not lost overall")


def catches_up(tables: Tables) -> StatementVerdict:
    """Judge whether double ends where single does when both are trained against random, to three digits."""
    single, double = _duel(tables, "random", AGAINST_RANDOM)
    return holds(round(single["end"], 3) == round(double["end"], 3))


def avoids_the_dip(tables: Tables) -> StatementVerdict:
    """Judge whether double's mean curve falls less, trained against random, than single's by self-play."""
    return holds(
        _duel(tables, "random", AGAINST_RANDOM)[1]["greatest fall"] < _duel(tables, "random")[0]["greatest fall"]
    )
