"""Players of Smirnov's page that need no learning: their names, their matches, and the best against random."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from ttt_fast import Policy, StateTable, exact_outcome, table_of
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import agent, share_of
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Rows

MINIMAX, FAST_MINIMAX, HEURIBOT = "minimax:tie=first,prefer=none", "minimax:tie=first,prefer=fast", "heuribot:as=coded"
TABULAR: Final = "Tabular Q"
SCRIPTED: Final = {"Minimax": MINIMAX, "Heuribot": HEURIBOT, "Random": "random"}
CHOSEN, DRAWN = "first move chosen", "first move drawn"
_SURE = 1e-9
Results = tuple[Fraction, ...]
"""Probabilities of a win, a draw and a loss."""
GOALS: Final[dict[str, Callable[[int, int, int], tuple[int, ...]]]] = {
    "most wins": lambda win, draw, loss: (win, -loss),
    "best score": lambda win, draw, loss: (win - loss, win),
    "best score, fewest wins": lambda win, draw, loss: (win - loss, -win),
    "never loses, most wins": lambda win, draw, loss: (-loss, win),
    "fewest draws": lambda win, draw, loss: (-draw, win),
}
"""The possible goals of a player, as payoffs of a win, a draw and a loss; later payoffs break ties."""
_FIRSTS: Final = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_CELLS: Final = 9


def table() -> StateTable:
    """Return the table of ordinary tic-tac-toe."""
    return table_of("tic-tac-toe")


def share_in(cell: Cell, x: Mapping[str, Policy], o: Mapping[str, Policy]) -> float:
    """Return an exact quantity of the match `X NAME, O NAME` in a cell; `x` and `o` are the learners by name."""
    names = (one[2:] for one in cell.place.split(", "))
    pair = [own[name] if name in own else agent(SCRIPTED[name]) for own, name in zip((x, o), names, strict=True)]
    return share_of(pair, cell.quantity, random_opening=cell.table.endswith(DRAWN))


def always_ties(policy: Policy, seat: int, *, drawn: bool = False) -> bool:
    """Return whether a policy always ties with minimax, with X's first move chosen by its policy or drawn."""
    pair = (policy, agent(MINIMAX))[:: 3 - 2 * seat]
    return exact_outcome(*pair, random_opening=drawn).draws > 1 - _SURE


@lru_cache(maxsize=16)
def best_against_random(seat: int, goal: str) -> tuple[Results, Results]:
    """Return the exact results of the optimal player for a goal against random: first move chosen, and drawn.

    Examples
    --------
    >>> [str(results[0]) for results in best_against_random(1, "most wins")]
    ['191/192', '107/108']
    """
    tree, payoff = table(), GOALS[goal]
    ends = [(*payoff(*one), *one) for one in _FIRSTS]
    lines = np.ones(_CELLS + 2, np.int64)  # lines of random's remaining moves after each ply: the unit of values
    for ply in range(_CELLS - 1, -1, -1):
        lines[ply] = lines[ply + 1] * (_CELLS - ply if (ply % 2 == 0) == (seat == api.O) else 1)
    results = seat, api.DRAW, 3 - seat  # the result of a win is the winner's seat
    values: list[Any] = [()] * tree.num_states
    for state in range(tree.num_states - 1, -1, -1):
        children = [values[child] for child in tree.edge_child[tree.edge_start[state] : tree.edge_start[state + 1]]]
        if not children:
            scale = int(lines[tree.ply[state]])
            values[state] = tuple(scale * one for one in ends[results.index(tree.status[state])])
        else:
            values[state] = max(children) if tree.player[state] == seat else _sum(children)
    drawn = _sum([values[child] for child in tree.edge_child[: tree.edge_start[1]]])
    return _shares(values[0][-3:]), _shares(drawn[-3:])


def lines_of(seat: int, *, drawn: bool = False) -> int:
    """Return the number of equally likely lines of random's moves against a deterministic player in a seat.

    The probability of each result is a multiple of the inverse of this number.

    Examples
    --------
    >>> lines_of(api.O), lines_of(api.X), lines_of(api.X, drawn=True)
    (945, 384, 3456)
    """
    if seat == api.O:
        return prod(range(_CELLS, 0, -2))
    return prod(range(_CELLS - 1, 0, -2)) * (_CELLS if drawn else 1)


def results_printed_as(printed: Sequence[float], half_unit: float, lines: int) -> list[tuple[int, int, int]]:
    """Return all results of a deterministic player against random, in lines, that round to three printed shares.

    Examples
    --------
    >>> results_printed_as([0.910, 0.090, 0.000], 0.0005, 945)
    [(860, 85, 0)]
    """
    near = [[count for count in range(lines + 1) if abs(count / lines - one) <= half_unit + _SURE] for one in printed]
    return [one for one in product(near[0], near[1], near[2]) if sum(one) == lines]


def fractions_of(cells: Sequence[Cell], learner: str) -> Rows:
    """Return the results, in lines, that are consistent with the printed shares of a player against random.

    The player is assumed to be deterministic.
    """
    rows = []
    for seat, place in (("X", f"X {learner}, O Random"), ("O", f"X Random, O {learner}")):
        for name in dict.fromkeys(cell.table for cell in cells if cell.place == place):
            of = {cell.quantity: cell for cell in cells if (cell.table, cell.place) == (name, place)}
            own = [of[one] for one in ("x_wins", "draws", "o_wins")][:: 1 if seat == "X" else -1]
            lines = lines_of(api.O if seat == "O" else api.X, drawn=name.endswith(DRAWN))
            found = results_printed_as([cell.value for cell in own], own[0].half_unit, lines)
            low, high = (tuple(map(pick, zip(*found, strict=True))) for pick in (min, max))
            rows.append({
                "table": name, "player": learner, "seat": seat, "printed": " / ".join(cell.printed for cell in own),
                "lines": lines, "results": len(found), "fewest wins": low[0], "most wins": high[0],
                "fewest losses": low[2], "most losses": high[2],
            })  # fmt: skip
    return rows


def _sum(values: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*values, strict=True)))


def _shares(counts: tuple[int, ...]) -> Results:
    return tuple(Fraction(one, sum(counts)) for one in counts)
