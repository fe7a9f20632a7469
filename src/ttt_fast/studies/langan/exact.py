"""The exact part of Langan's study: counts in the text, the boards of the figures, and the cost of a full search."""

from collections.abc import Mapping
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, agreement, best_response, exact_outcome, never_loses, solution_of, symmetry_of, table_of
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import Evidence, Kind, agent, of_exact
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Rows, Tables
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.langan.game import CELL_OF_ACTION
from ttt_fast.studies.statistics.proportions import two_proportion_z_test

GAME: Final = "tic-tac-toe"
FIGURE_4: Final = "210100020"
"""The board of figure 4, with X to move."""
CELLS: Final = ("top left", "top", "top right", "left", "centre", "right", "bottom left", "bottom", "bottom right")


def printed(place: str, quantity: str) -> float:
    """Return a published number of Langan's report; a count of games is converted to a share."""
    return next(one.value for one in cells_of(__package__) if (one.place, one.quantity) == (place, quantity))


def most(opponent: Policy) -> float:
    """Return the best value (wins minus losses) that X can have against a player."""
    return exact_outcome(best_response(opponent), opponent).value_of(api.X)


def games_of(representative: NDArray[np.int32]) -> int:
    """Return the number of games if boards with the same representative, (S,), are identified.

    Examples
    --------
    >>> games_of(symmetry_of(GAME).representative), games_of(np.arange(5478, dtype=np.int32))
    (26830, 255168)
    """
    table = table_of(GAME)
    paths = dict.fromkeys(sorted(set(representative.tolist())), 0) | {0: 1}
    games = 0
    for state, number in paths.items():  # in the order of the plies
        if not table.decision_mask[state]:
            games += number
            continue
        for child in {int(representative[child]) for child in table.child[state] if child >= 0}:
            paths[child] += number
    return games


def first_free_cell() -> Policy:
    """Return the policy of an empty table: the first free cell from the bottom left."""
    table = table_of(GAME)
    return Policy.from_values(table, np.zeros(table.num_edges), "first free cell", tie=CELL_OF_ACTION)


def centre_among(count: int) -> int:
    """Return the number of O's boards with a given number of best moves, one of which is the free centre.

    Examples
    --------
    >>> centre_among(9)
    0
    """
    table, best = table_of(GAME), agent("minimax").probabilities
    of = (table.player == api.O) & table.decision_mask & (best[:, CELLS.index("centre")] > 0)
    return int((of & (np.count_nonzero(best, axis=1) == count)).sum())


def values(work: Runner) -> Rows:
    """Return the true values of numbers in the text, and related numbers that explain them, by name and quantity."""
    table, random, minimax = table_of(GAME), agent("random"), agent("minimax")
    wins = [round(printed(place, "x_wins") * 200_000) for place in ("Q_random v Random", "Minimax v Random")]
    plies = exact_outcome(random, random).lengths.sum(axis=0) @ np.arange(10)
    pruned = agent("alphabeta:depth=9")
    otherwise = np.unique(table.edge_state[pruned.support != minimax.support])
    limited = agreement(agent("alphabeta:depth=2"))
    found = {
        "boards that can come up": ("states", table.num_states),
        "boards up to symmetry": ("states", symmetry_of(table).num_classes),
        "fillings of nine cells": ("states", 3**9),
        "games up to symmetry": ("states", games_of(symmetry_of(table).representative)),
        "games": ("sequences", int(table.path_counts()[~table.decision_mask].sum())),
        "orders of nine cells": ("sequences", factorial(9)),
        "two proportions": ("z", two_proportion_z_test(wins[0], 200_000, wins[1], 200_000).z),
        "rows for all fillings": ("megabytes", 3**9 * 9 * 8 / 1e6),
        "nine states a game": ("million states", 9 * 100),
        "random games": ("million states", 100 * float(plies)),
        "minutes": ("ratio", printed("with minimax", "minutes") / printed("without minimax", "minutes")),
        "first free cell v random": ("x_wins", exact_outcome(first_free_cell(), random).x_wins),
        "random v random": ("x_wins", exact_outcome(random, random).x_wins),
        "boards in which somebody is to move": ("states", int(table.decision_mask.sum())),
        "boards where alpha-beta chooses otherwise": ("states", otherwise.size),
        "boards where depth two loses value": ("states", limited.states - limited.agreeing),
        "boards in which the centre is one of four best moves of O": ("states", centre_among(4)),
        "seats in which minimax never loses": ("seats", sum(never_loses(minimax, seat) for seat in (1, 2))),
    }  # fmt: skip
    return [{"name": name, "quantity": quantity, "value": value} for name, (quantity, value) in found.items()]


def moves(work: Runner) -> Rows:
    """Return the number and share of all moves with each minimax value, from the side of the player to move."""
    table = table_of(GAME)
    sign = np.where(table.player[table.edge_state] == api.X, 1, -1)
    worth = sign * solution_of(table).value[table.edge_child]
    return [
        {"value": name, "moves": int((worth == value).sum()), "share": float((worth == value).mean())}
        for name, value in (("wins", 1), ("draws", 0), ("loses", -1))
    ]


def positions(work: Runner) -> Rows:
    """Return X's moves in figure 4, with their minimax values and X's later wins against random."""
    table, random = table_of(GAME), agent("random")
    state, rows = table.state_index(FIGURE_4), []
    players = {"with minimax": agent("minimax"), "with best play": best_response(random, "wins")}
    for cell in np.flatnonzero(table.legal_action_mask[state]).tolist():
        child = int(table.child[state, cell])
        worth = ("draw", "win", "loss")[int(solution_of(table).value[child])]
        wins = {f"wins {name}": exact_outcome(x, random, start=child).x_wins for name, x in players.items()}
        rows.append({"move": CELLS[cell], "in the report": {5: "A", 8: "B"}.get(cell, ""), "minimax": worth} | wins)
    return rows


def triggers(work: Runner) -> Rows:
    """Return, for each buggy player, the boards where it differs from minimax, and how often X reaches them."""
    table, minimax, rows = table_of(GAME), agent("minimax"), []
    for name in ("buggy", "buggy2"):
        for reading in ("as written", "as coded"):
            player = agent(f"{name}:as={reading.removeprefix('as ')}")
            left = np.unique(table.edge_state[player.support != minimax.support])
            left = left[table.player[left] == api.O]
            row = {"player": name, "reading": reading, "boards": left.size}
            for shown, x in (("minimax", minimax), ("best play", best_response(player))):
                found = exact_outcome(x, player)
                row |= {f"visits a game, {shown}": float(found.reach[left].sum()), f"wins of {shown}": found.x_wins}
            rows.append(row)
    return rows


def tree_sizes() -> NDArray[np.int64]:
    """Return the size of the game tree from each board, the board included, without transpositions, (S,) int64."""
    table = table_of(GAME)
    size = np.ones(table.num_states, np.int64)
    for state in range(table.num_states - 1, -1, -1):
        size[state] += int(size[table.child[state][table.legal_action_mask[state]]].sum())
    return size


def search_rows(players: Mapping[str, Policy]) -> Rows:
    """Return the positions that a full search at every move visits in a game, and the time per position as printed."""
    table, size, rows = table_of(GAME), tree_sizes(), []
    seconds = printed("with minimax", "minutes") * 60 / 200_000
    pairs = (("Minimax", "Random"), ("Random", "Minimax"), ("Minimax", "Minimax"), ("Q_minimax", "Minimax"))
    for pair in pairs:
        reach = exact_outcome(*(players[one] for one in pair)).reach
        searches = np.isin(table.player, [seat for seat, one in enumerate(pair, 1) if one == "Minimax"])
        visited, plies = float((reach * (size - 1))[searches].sum()), float(reach[table.decision_mask].sum())
        rows.append({
            "x": pair[0], "o": pair[1], "positions a game": round(visited), "plies a game": plies,
            "positions a ply": visited / plies, "published milliseconds a game": round(seconds * 1e3),
            "nanoseconds a position": round(seconds / visited * 1e9),
        })  # fmt: skip
    return rows


def ends(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `ends NAME`: among the runs with this name, the final result that fits the number best.

    It applies to runs that jump between a few results and end at one of them, so a normal distribution is unsuitable.
    The p-value is that of a sample from the best-fitting run, the maximum over all runs (a composite hypothesis).  The
    interval extends from the lower bound of the lowest result to the upper bound of the highest.
    """
    found = tables.array("runs", "value", name=words, quantity=cell.quantity).tolist()
    each = [of_exact(cell, value) for value in found]
    best = max(each, key=lambda one: (one.p, -abs(one.value - cell.value)))
    low, high = min(one.low for one in each), max(one.high for one in each)
    return best._replace(kind="runs", low=low, high=high, size=len(each))


EVIDENCE_KINDS: Final[dict[str, Kind]] = {"ends": ends}
