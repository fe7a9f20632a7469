"""What this study plays: every contest by its part, with the number of its games."""

from itertools import combinations_with_replacement
from math import sqrt
from typing import Final, NamedTuple

from ttt_fast.studies.ultimate.matches import Contest
from ttt_fast.studies.ultimate.players import IMPROVED, OURS, PLAYED, Agent, as_coded, corrected
from ttt_fast.studies.ultimate.published import TABLE_1, exploration


class Size(NamedTuple):
    """How many games a form of the study plays.

    Attributes
    ----------
    coded
        Of each cell of both tables, as coded.
    corrected
        Of each pair, corrected, in both seats together.
    readings
        Of each other reading of Table I.
    tuned
        Of each exploration parameter, corrected.
    defects
        Of each defect, mended alone.
    ours
        Of each of our contests.
    positions
        Positions at which the minimax agents' choices are compared.
    """

    coded: int
    corrected: int
    readings: int
    tuned: int
    defects: int
    ours: int
    positions: int


FULL: Final = Size(coded=1000, corrected=500, readings=300, tuned=1000, defects=800, ours=200, positions=3000)
QUICK: Final = Size(coded=4, corrected=4, readings=2, tuned=2, defects=2, ours=2, positions=60)

PAIRS: Final = tuple(combinations_with_replacement(PLAYED, 2))
"""The cells of Fig. 5 that are played here: the first one begins, as it did there."""
TABLE_1_PAIR: Final = ("minimax-5", "mcts-500")
FORMULAS: Final = {"c sqrt(ln(N / n))": 1.0, "c sqrt(2 ln(N / n))": sqrt(2)}
"""What c of Table I can stand for: every commit of the program has sqrt(2 ln(N / n)), which is c = sqrt(2) or 1."""
TUNED: Final = ("0", "0.25", "0.5", "0.75", "1", "sqrt(2)", "2", "3", "5")
SIMULATIONS: Final = (100, 500, 1000, 2000)


class Reading(NamedTuple):
    """A reading of Table I: what c is, and who begins."""

    formula: str
    first: str


READINGS: Final = tuple(Reading(formula, first) for first in ("minimax", "MCTS") for formula in FORMULAS)
"""The first is the one of Fig. 5: c = sqrt(2) is the published program, and minimax begins."""


class Mended(NamedTuple):
    """One thing changed: an agent with it against one without."""

    what: str
    agent: Agent
    against: Agent


def coded_contests(size: Size) -> list[Contest]:
    """Return the cells of Fig. 5 as coded: the agent of the row always begins."""
    return [
        Contest(as_coded(first), as_coded(second), size.coded, False, (1, number))
        for number, (first, second) in enumerate(PAIRS)
    ]


def corrected_contests(size: Size) -> list[Contest]:
    """Return the pairs of Fig. 5, corrected and with the seats swapped; an agent against itself is the first seat's."""
    return [
        Contest(corrected(first), corrected(second), size.corrected, first != second, (2, number))
        for number, (first, second) in enumerate(PAIRS)
    ]


def table_1_contests(size: Size) -> dict[tuple[Reading, str], Contest]:
    """Return the cells of Table I as coded, by reading and c."""
    contests = {}
    for number, reading in enumerate(READINGS):
        for place, name in enumerate(TABLE_1):
            c = FORMULAS[reading.formula] * exploration(name)
            pair = as_coded(TABLE_1_PAIR[0]), as_coded(TABLE_1_PAIR[1], c)
            first, second = pair if reading.first == "minimax" else pair[::-1]
            games = size.coded if number == 0 else size.readings
            contests[reading, name] = Contest(first, second, games, False, (3, number, place))
    return contests


def tuned_contests(size: Size) -> dict[str, Contest]:
    """Return Table I corrected, by c, and with more of them: MCTS is the first agent, the seats are swapped."""
    minimax, mcts = TABLE_1_PAIR
    return {
        name: Contest(corrected(mcts, exploration(name)), corrected(minimax), size.tuned, True, (4, place))
        for place, name in enumerate(TUNED)
    }


def defects() -> list[Mended]:
    """Return what is changed by itself."""
    rule = ",rule=published"
    log_ratio, ucb1 = "mcts:sims=500,formula=log-ratio", "mcts:sims=500"
    return [
        *(Mended(f"minimax-{n}: true ties", corrected(f"minimax-{n}"), Agent(f"minimax-{n}")) for n in (1, 3, 5)),
        Mended("mcts-500: every move listed once", Agent(log_ratio), Agent(log_ratio, True)),
        Mended("mcts-500: UCB1", Agent(ucb1, True), Agent(log_ratio, True)),
        Mended("mcts-500: both", Agent(ucb1), Agent(log_ratio, True)),
        Mended(
            "minimax-3 corrected: a move costs one ply",
            Agent("alphabeta:depth=3,eval=complex"), corrected("minimax-3"),
        ),
        Mended(
            "minimax-5 corrected: rewards as printed",
            Agent(f"alphabeta:depth=5,eval=complex-written{rule}"), corrected("minimax-5"),
        ),
        Mended(
            "minimax-5 corrected v 7 steps, simple reward",
            corrected("minimax-5"), Agent(f"alphabeta:depth=7,eval=simple{rule}"),
        ),
        Mended("improved minimax v minimax-5, as coded", Agent(IMPROVED), Agent("minimax-5")),
    ]  # fmt: skip


def defect_contests(size: Size) -> list[Contest]:
    """Return the contests of `defects`, with the seats swapped."""
    return [Contest(one.agent, one.against, size.defects, True, (5, number)) for number, one in enumerate(defects())]


class Ours(NamedTuple):
    """One of our agents: the name of its opponent, the opponent itself and its version, and the score to reach."""

    agent: Agent
    name: str
    opponent: Agent
    version: str
    target: float


UCT, CODED, MENDED = "plain UCT, c = sqrt(2)", "as coded", "corrected"
TARGETS: Final = {UCT: 0.60, CODED: 0.65, MENDED: 0.65}


def ours() -> list[Ours]:
    """Return our contests: the best options against plain UCT, and our agent against every agent of the source."""
    rows = [
        Ours(Agent(f"mcts-best:sims={n}"), f"mcts:sims={n}", Agent(f"mcts:sims={n}"), UCT, TARGETS[UCT])
        for n in SIMULATIONS
    ]
    best = Agent(OURS)
    rows += [Ours(best, agent, as_coded(agent), CODED, TARGETS[CODED]) for agent in (*PLAYED, IMPROVED)]
    rows += [Ours(best, agent, corrected(agent), MENDED, TARGETS[MENDED]) for agent in PLAYED if agent != "random"]
    return rows


def our_contests(size: Size) -> list[Contest]:
    """Return the contests of `ours`, with the seats swapped."""
    return [Contest(one.agent, one.opponent, size.ours, True, (6, number)) for number, one in enumerate(ours())]
