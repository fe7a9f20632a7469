"""The measures of Smirnov's study that need no learning: the best against random, heuribot, minimax, other bots."""

from typing import Final

import numpy as np

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import never_loses
from ttt_fast.games import api
from ttt_fast.policies.heuribot import VARIANTS, Rule, classify_states, heuribot_move
from ttt_fast.studies.engine.evidence import agent, share_of
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Work
from ttt_fast.studies.smirnov.players import GOALS, MINIMAX, best_against_random, crowley_siegler, masks, table
from ttt_fast.tables import solution_of
from ttt_fast.tables.boards import boards_of

PACKAGE: Final = "ttt_fast.studies.smirnov"
CHOSEN, DRAWN = "first move chosen", "first move drawn"
_SURE = 1e-9


def values(work: Work) -> Rows:
    """Return exact numbers that the text prints: counts, a power, utilities of positions, a bot against itself."""
    solution, bot, won = solution_of(table()), crowley_siegler(), best_against_random(api.X, "never loses, most wins")
    rows = [("the game", "states", table().num_states), ("alpha", "at the end", 0.9**100),
            ("the game", "actions", int(np.diff(table().edge_start).max())),
            ("crowley-siegler v itself", "x_wins", exact_outcome(bot, bot).x_wins),
            ("never loses, most wins, as X", "draws", float(won[0][1]))]  # fmt: skip
    boards = ["".join(" XO"[mark] for mark in board).replace(" ", ".") for board in boards_of(table()).tolist()]
    utility = dict(zip(boards, solution.value.tolist(), strict=True))
    wanted = dict.fromkeys(cell.place for cell in cells_of(PACKAGE) if cell.quantity == "utility")
    rows += [(place, "utility", utility[place.split()[-1]]) for place in (*wanted, "OO..X...X", "O.O.X...X")]
    return [dict(zip(("name", "quantity", "value"), row, strict=True)) for row in rows]


def bounds(work: Work) -> Rows:
    """Return the results of the best players against random, each by its own goal."""
    rows = []
    for seat, goal in ((seat, goal) for seat in (api.X, api.O) for goal in GOALS):
        for opening, found in zip((CHOSEN, DRAWN), best_against_random(seat, goal), strict=True):
            if seat == api.X or opening == CHOSEN:
                results = zip(("wins", "draws", "losses"), found, strict=True)
                row = {"seat": "XO"[seat - 1], "opening": opening, "goal": goal}
                rows.append(row | {f"{name} exactly": str(one) for name, one in results}
                            | {"wins": float(found[0]), "draws": float(found[1]), "losses": float(found[2]),
                               "not won": str(1 - found[0]), "wins less losses": str(found[0] - found[2])})  # fmt: skip
    return rows


def classes(work: Work) -> Rows:
    """Return the number of positions of each class of the heuribot, the rule that it follows there."""
    found = {version: classify_states(table(), version).rules for version in VARIANTS}
    return [
        {"class": rule.name.lower().replace("_", " ")} | {f"as {one}": int((found[one] == rule).sum()) for one in found}
        for rule in Rule
    ]


def told_apart(work: Work) -> Rows:
    """Return what the heuribot makes of the positions of either seat: values kept, wins and draws given away."""
    tree, rows = table(), []
    value = solution_of(tree).value
    for version in ("written", "coded", "lone-fork"):
        for seat in (api.X, api.O):
            sign, states = 3 - 2 * seat, np.flatnonzero(tree.player == seat)
            kept, mixed, wins, draws = 0, 0, 0, 0
            won = int((sign * value[states] > 0).sum())
            for state in states.tolist():
                edges = slice(tree.edge_start[state], tree.edge_start[state + 1])
                worth = dict(zip(tree.edge_action[edges].tolist(), sign * value[tree.edge_child[edges]], strict=True))
                move, best = heuribot_move(*masks(state), version), sign * value[state]
                kept += worth[move.action] == best
                mixed += best > 0 and len({worth[cell] for cell in move.approved}) > 1
                wins += best > 0 and worth[move.action] < best
                draws += best == 0 and worth[move.action] < best
            rows.append({
                "version": f"as {version}", "seat": "XO"[seat - 1], "positions": states.size, "value kept": kept,
                "won positions": won, "approves winning and other cells": mixed, "gives a win away": wins,
                "gives a draw away": draws,
            })  # fmt: skip
    return rows


def passed_wins(work: Work) -> Rows:
    """Return how often minimax, which takes the first of equal moves, does not take a win that is on the board."""
    tree, rows = table(), []
    child, solution, policy = tree.edge_child, solution_of(tree), agent(MINIMAX)
    owner = np.repeat(np.arange(tree.num_states), np.diff(tree.edge_start))
    for seat in (api.X, api.O):
        ends = (tree.status[child] == (api.X_WINS if seat == api.X else api.O_WINS)) & (tree.player[owner] == seat)
        has, takes = np.zeros(tree.num_states, bool), np.zeros(tree.num_states, bool)
        has[owner[ends]] = True
        takes[owner[ends & policy.played]] = True
        pair = (policy, agent("random"))[:: 3 - 2 * seat]
        reach, won = exact_outcome(*pair).reach, (solution.value == 3 - 2 * seat) & (tree.player == seat)
        lost = won[owner] & policy.played & (solution.value[child] != 3 - 2 * seat)
        rows.append({
            "seat": "XO"[seat - 1], "positions with a win at once": int(has.sum()),
            "of them not taken": int((has & ~takes).sum()), "passed in a game": float(reach[has & ~takes].sum()),
            "won positions": int(won.sum()), "of them given away": int(lost.sum()),
        })  # fmt: skip
    return rows


def minimax_variants(work: Work) -> Rows:
    """Return which minimax the tables are of: what each gives against random, and how many printed numbers that is."""
    x, o = "X Minimax, O Random", "X Random, O Minimax"
    table_1, table_2 = "first table", "game lengths"
    wanted = [(table_1, x, "x_wins", False), (table_1, o, "o_wins", False), (table_2, x, "plies_5", True),
              (table_2, o, "plies_6", False), (table_2, o, "plies_8", False)]  # fmt: skip
    cells = {(cell.table, cell.place, cell.quantity): cell for cell in cells_of(PACKAGE)}
    rows = []
    for tie, prefer in (
        (tie, prefer) for tie in ("uniform", "first", "last", "column-major") for prefer in ("none", "fast")
    ):
        row: Row = {"ties": tie, "prefers": prefer}
        fits = 0
        for *key, drawn in wanted:
            cell, minimax = cells[key[0], key[1], key[2]], agent(f"minimax:tie={tie},prefer={prefer}")
            pair = (minimax, agent("random"))[:: 1 if cell.place.startswith("X Minimax") else -1]
            found = share_of(exact_outcome(*pair, random_opening=drawn), cell.quantity)
            row[f"{'X' if pair[0] is minimax else 'O'} {cell.quantity}{', drawn' if drawn else ''}"] = found
            fits += abs(found - cell.value) <= cell.half_unit + _SURE
        rows.append(row | {"printed numbers that it gives": fits, "of": len(wanted)})
    return rows


def bots(work: Work) -> Rows:
    """Return the exact results of Crowley and Siegler's bot, and of each version of the heuribot."""
    versions = {f"heuribot as {one}": agent(f"heuribot:as={one}") for one in VARIANTS}
    rows: Rows = []
    for name, bot in {"Crowley-Siegler": crowley_siegler(), **versions}.items():
        random, minimax, safe = agent("random"), agent("minimax"), never_loses(bot, api.X) and never_loses(bot, api.O)
        for rival, pair in (("itself", (bot, bot)), ("random, as X", (bot, random)), ("random, as O", (random, bot)),
                            ("minimax, as X", (bot, minimax)), ("minimax, as O", (minimax, bot))):  # fmt: skip
            found = exact_outcome(*pair)
            rows.append({"bot": name, "against": rival, "x_wins": found.x_wins, "draws": found.draws,
                         "o_wins": found.o_wins, "nine plies": float(found.lengths[:, 9].sum()),
                         "never loses": safe})  # fmt: skip
    return rows


MEASURES: Final = {
    one.__name__: one for one in (values, bounds, classes, told_apart, passed_wins, minimax_variants, bots)
}
