"""Connect 4 of any size as plain functions, its scripted rule and its scores, and results of any game by recursion.

A position is a tuple of columns, each a tuple of marks from the bottom (1 X, 2 O); nothing comes from the package.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from custom_games import Functions

Rows = Callable[[Any], dict[int, Fraction]]


def lines_through(columns, column):
    """Whether the top stone of a column is part of four in a row."""
    x, y = column, len(columns[column]) - 1
    who = columns[x][y]

    def has(x, y):
        return 0 <= x < len(columns) and 0 <= y < len(columns[x]) and columns[x][y] == who

    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        count = 1
        for sign in (1, -1):
            step = 1
            while has(x + sign * step * dx, y + sign * step * dy):
                count, step = count + 1, step + 1
        if count >= 4:
            return True
    return False


def dropped(columns, column, who):
    """The columns after a stone."""
    return (*columns[:column], (*columns[column], who), *columns[column + 1 :])


def mover(columns):
    return 1 + sum(map(len, columns)) % 2


def wins_at(columns, column, who):
    return lines_through(dropped(columns, column, who), column)


def order_of(columns):
    """The columns from the centre: left of it, right of it, and so on outwards."""
    centre, found = len(columns) // 2, [len(columns) // 2]
    for distance in range(1, len(columns)):
        found += [column for column in (centre - distance, centre + distance) if 0 <= column < len(columns)]
    return found


def connect_four(width, height):
    """Connect 4 as plain functions."""

    def result(columns):
        for column, stones in enumerate(columns):
            if stones and lines_through(columns, column):
                return 1 if stones[-1] == 1 else -1
        return 0 if all(len(stones) == height for stones in columns) else None

    return Functions(
        ((),) * width,
        lambda columns: [column for column in range(width) if len(columns[column]) < height],
        lambda columns, column: dropped(columns, column, mover(columns)),
        result,
        mover,
    )


@cache
def score(columns, height):
    """The solver's score for the player to move, by trying everything."""
    played, best = sum(map(len, columns)), None
    for column, stones in enumerate(columns):
        if len(stones) < height:
            after = dropped(columns, column, mover(columns))
            own_stones = played // 2 + 1
            won = (height * len(columns) + 1 - played % 2) // 2 - own_stones + 1
            value = won if lines_through(after, column) else -score(after, height)
            best = value if best is None else max(best, value)
    return 0 if best is None else best


def words(columns, height):
    """The stones of the player to move and all stones, as bits."""
    cells = [(1 << c * (height + 1) + r, who) for c, one in enumerate(columns) for r, who in enumerate(one)]
    return sum(bit for bit, who in cells if who == mover(columns)), sum(bit for bit, _ in cells)


def random_columns(generator, width, height, plies):
    """A position after so many random plies, none of which wins."""
    columns = ((),) * width
    while sum(map(len, columns)) < plies:
        for column in generator.permutation(width):
            if len(columns[column]) < height and not wins_at(columns, column, mover(columns)):
                columns = dropped(columns, column, mover(columns))
                break
        else:
            columns = ((),) * width
    return columns


def random_positions(seed, width, height, plies, count):
    """(count, 2) uint64 words of random positions."""
    generator = np.random.default_rng(seed)
    found = [words(random_columns(generator, width, height, plies), height) for _ in range(count)]
    return np.array(found, np.uint64).reshape(-1, 2)


def rule(columns, height):
    """The column of the scripted rule."""
    who = mover(columns)
    free = [column for column in order_of(columns) if len(columns[column]) < height]
    for player in (who, 3 - who):
        for column in free:
            if wins_at(columns, column, player):
                return column
    for column in free:
        after = dropped(columns, column, who)
        if len(after[column]) == height or not wins_at(after, column, 3 - who):
            return column
    return free[0]


def rule_rows(height) -> Rows:
    return lambda columns: {rule(columns, height): Fraction(1)}


def random_rows(game) -> Rows:
    def rows(state):
        actions = list(game.legal_actions(state))
        return dict.fromkeys(actions, Fraction(1, len(actions)))

    return rows


def levels(game, seat, rows):
    """The distinct positions that are not terminal, of both seats, ply by ply."""

    def support(state):
        if game.player(state) != seat:
            return list(game.legal_actions(state))
        return [action for action, chance in rows(state).items() if chance > 0]

    found, level = [], {game.initial}
    while level:
        found.append(level)
        children = {game.play(state, action) for state in level for action in support(state)}
        level = {state for state in children if game.result(state) is None}
    return found


def outcome(game, x: Rows, o: Rows):
    """The chances that X wins, of a draw and that O wins."""

    @cache
    def of(state):
        end = game.result(state)
        if end is not None:
            return Fraction(end == 1), Fraction(end == 0), Fraction(end == -1)
        row = (x if game.player(state) == 1 else o)(state)
        parts = [(chance, of(game.play(state, action))) for action, chance in row.items() if chance > 0]
        return tuple(sum((chance * part[i] for chance, part in parts), Fraction(0)) for i in range(3))

    return of(game.initial)


def best_value(game, seat, rows: Rows):
    """The value of the best response to the agent of a seat, for the other seat."""

    @cache
    def of(state):
        end = game.result(state)
        if end is not None:
            return Fraction(end if seat == 2 else -end)
        if game.player(state) != seat:
            return max(of(game.play(state, action)) for action in game.legal_actions(state))
        return sum(chance * of(game.play(state, action)) for action, chance in rows(state).items() if chance > 0)

    return of(game.initial)


def shortest(game, seat, rows: Rows, result):
    """The plies of a shortest game with a result (1, 0 or -1); None without one."""
    for ply, level in enumerate(levels(game, seat, rows)):
        for state in level:
            own = game.player(state) == seat
            actions = [a for a, chance in rows(state).items() if chance > 0] if own else game.legal_actions(state)
            if any(game.result(game.play(state, action)) == result for action in actions):
                return ply + 1
    return None
