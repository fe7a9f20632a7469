"""The measures of Smirnov's study without learning: the best against random, heuribot, minimax, other bots."""

from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np

from ttt_fast import Policy, StateTable, exact_outcome, never_loses, solution_of
from ttt_fast.games import api
from ttt_fast.policies.heuribot import Rule
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.smirnov import players
from ttt_fast.studies.smirnov.players import CHOSEN, DRAWN, table

LINES: Final = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""The lines as bit masks."""


def make_or_take(own: int, opp: int) -> Sequence[int]:
    """Return the cells of "Block Fork", taken literally: cells that make two in a row, else the opponent's fork."""
    forks = Rule.FORK.cells(opp, own)
    lines = [line for line in LINES if (own & line).bit_count() == 1 and not opp & line]
    twos = {cell for line in lines for cell in range(9) if line & ~own & 1 << cell}
    return sorted(twos) or forks if forks else ()


RULES: Final = (
    Rule.WIN.cells, Rule.BLOCK.cells, Rule.FORK.cells, make_or_take, Rule.CENTER.cells, Rule.OPPOSITE_CORNER.cells,
    Rule.CORNER.cells, Rule.SIDE.cells,
)  # fmt: skip


def crowley_siegler(table: StateTable) -> Policy:
    """Return the bot of Crowley and Siegler: the first rule that approves a cell, and the lowest approved cell.

    Its rule "Block Fork" is taken literally.

    Notes
    -----
    K. Crowley and R. S. Siegler, "Flexible Strategy Use in Young Children's Tic-Tac-Toe" (Cognitive Science 17, 1993).

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> bot = crowley_siegler(table_of("tic-tac-toe"))
    >>> bot.greedy_actions()[[0, 5]].tolist()  # an empty board, and one with X in the centre
    [4, 0]
    """
    actions = np.zeros(table.num_states, np.int64)
    for state in np.flatnonzero(table.decision_mask).tolist():
        own, opp, _ = table.state(state)
        actions[state] = next(cells[0] for rule in RULES if (cells := rule(own, opp)))
    return Policy.from_actions(table, actions, "crowley-siegler")


VARIANTS: Final = ("written", "coded", "lone-fork")
"""Variants of the heuribot."""


def values(work: Runner) -> Rows:
    """Return exact numbers printed in the text: counts, a power, utilities of positions, a bot against itself."""
    tree, bot, won = table(), crowley_siegler(table()), players.best_against_random(api.X, "never loses, most wins")
    rows = [("the game", "states", tree.num_states), ("alpha", "at the end", 0.9**100),
            ("the game", "actions", int(np.diff(tree.edge_start).max())),
            ("crowley-siegler v itself", "x_wins", exact_outcome(bot, bot).x_wins),
            ("never loses, most wins, as X", "draws", float(won[0][1]))]  # fmt: skip
    wanted = dict.fromkeys(cell.place for cell in cells_of(__package__) if cell.quantity == "utility")
    utility = solution_of(tree).value
    rows += [(place, "utility", int(utility[tree.state_index(place.split()[-1])]))
             for place in (*wanted, "OO..X...X", "O.O.X...X")]  # fmt: skip
    return [dict(zip(("name", "quantity", "value"), row, strict=True)) for row in rows]


def fractions(work: Runner) -> Rows:
    """Return the results, in lines of random's moves, consistent with the printed shares of the tabular learner."""
    return players.fractions_of(cells_of(__package__), players.TABULAR)


def masks(tree: StateTable, state: int) -> tuple[int, int]:
    """Return the cells of the player to move and of the opponent, as bit masks."""
    own, other, _ = tree.state(state)
    return own, other


def forks(work: Runner) -> Rows:
    """Return counts and outcomes of forks: positions in which the player to move faces two threats or more."""
    tree, rows = table(), []
    for seat in (api.X, api.O):
        counts = np.zeros(3, int)
        for state in np.flatnonzero(tree.player == seat).tolist():
            own, other = masks(tree, state)
            if len(set(Rule.BLOCK.cells(own, other))) > 1:
                counts += (1, bool(Rule.WIN.cells(own, other)), (3 - 2 * seat) * solution_of(tree).value[state] > 0)
        names = ("forks", "forked player wins at once", "won by the forked player")
        rows.append({"forked": "XO"[seat - 1]} | dict(zip(names, counts.tolist(), strict=True)))
    return rows


def bounds(work: Runner) -> Rows:
    """Return the results of the best players against random, one for each goal."""
    rows: Rows = []
    for seat, goal in product((api.X, api.O), players.GOALS):
        for opening, (wins, draws, losses) in zip(
            (CHOSEN, DRAWN), players.best_against_random(seat, goal), strict=True
        ):
            if seat == api.X or opening == CHOSEN:
                rows.append({
                    "seat": "XO"[seat - 1], "opening": opening, "goal": goal, "wins exactly": str(wins),
                    "draws exactly": str(draws), "losses exactly": str(losses), "wins": float(wins),
                    "draws": float(draws), "losses": float(losses), "not won": str(1 - wins),
                    "value exactly": str(wins - losses),
                })  # fmt: skip
    return rows


def fired(own: int, other: int, version: str) -> tuple[Rule, Sequence[int]]:
    """Return the first rule of the heuribot that approves a cell, and its cells; the first of these is played."""
    return next((rule, cells) for rule in Rule if (cells := rule.cells(own, other, version)))


def told_apart(work: Runner) -> Rows:
    """Return the quality of the heuribot's moves by seat: values kept, wins and draws given away."""
    tree, rows = table(), []
    for version, seat in product(VARIANTS, (api.X, api.O)):
        worth = (3 - 2 * seat) * solution_of(tree).value
        states, counts = np.flatnonzero(tree.player == seat), np.zeros(4)
        for state in states.tolist():
            edges = slice(tree.edge_start[state], tree.edge_start[state + 1])
            of = dict(zip(tree.edge_action[edges].tolist(), worth[tree.edge_child[edges]], strict=True))
            (_, approved), best = fired(*masks(tree, state), version), worth[state]
            is_mixed, lost = len({of[cell] for cell in approved}) > 1, of[approved[0]] < best
            counts += (not lost, best > 0 and is_mixed, best > 0 and lost, best == 0 and lost)
        kept, mixed, wins, draws = map(int, counts)
        rows.append({
            "version": f"as {version}", "seat": "XO"[seat - 1], "positions": states.size, "value kept": kept,
            "won positions": int((worth[states] > 0).sum()), "approves winning and other cells": mixed,
            "gives a win away": wins, "gives a draw away": draws,
        })  # fmt: skip
    return rows


def passed_wins(work: Runner) -> Rows:
    """Return how often minimax, playing the first of equal moves, misses an immediate win."""
    tree, solution, policy, rows = table(), solution_of(table()), agent(players.MINIMAX), []
    child, owner = tree.edge_child, tree.edge_state
    for seat in (api.X, api.O):
        ends = (tree.status[child] == (api.X_WINS if seat == api.X else api.O_WINS)) & (tree.player[owner] == seat)
        has, takes = (np.asarray(tree.row_sums(one) > 0) for one in (ends, ends & policy.support))
        reach = exact_outcome(*(policy, agent("random"))[:: 3 - 2 * seat]).reach
        won = (solution.value == 3 - 2 * seat) & (tree.player == seat)
        lost = won[owner] & policy.support & (solution.value[child] != 3 - 2 * seat)
        rows.append({
            "seat": "XO"[seat - 1], "positions with a win at once": int(has.sum()),
            "of them not taken": int((has & ~takes).sum()), "passed in a game": float(reach[has & ~takes].sum()),
            "won positions": int(won.sum()), "of them given away": int(lost.sum()),
        })  # fmt: skip
    return rows


def bots(work: Runner) -> Rows:
    """Return the exact results of Crowley and Siegler's bot, and of each version of the heuribot."""
    versions = {f"heuribot as {one}": agent(f"heuribot:as={one}") for one in VARIANTS}
    rows, random, minimax = [], agent("random"), agent("minimax")
    for name, bot in {"Crowley-Siegler": crowley_siegler(table()), **versions}.items():
        safe = never_loses(bot, api.X) and never_loses(bot, api.O)
        for rival, pair in (("itself", (bot, bot)), ("random, as X", (bot, random)), ("random, as O", (random, bot)),
                            ("minimax, as X", (bot, minimax)), ("minimax, as O", (minimax, bot))):  # fmt: skip
            found = exact_outcome(*pair)
            rows.append({"bot": name, "against": rival, "x_wins": found.x_wins, "draws": found.draws,
                         "o_wins": found.o_wins, "nine plies": float(found.lengths[:, 9].sum()),
                         "never loses": safe})  # fmt: skip
    return rows


MEASURES: Final = {one.__name__: one for one in (values, fractions, forks, bounds, told_apart, passed_wins, bots)}
