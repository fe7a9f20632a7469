"""Small games other than tic-tac-toe, walked through once by the reference: what their tables are held against."""

from functools import cache

import games_reference
import reference

SMALL_GAMES = [
    "tic-tac-toe:misere=yes",
    "connect4:columns=3,rows=3,length=3",
    "connect4:columns=4,rows=4,length=3",
    "tic-tac-toe:rows=2,columns=4,length=2,misere=yes",
]
SEATS = (1, 2)


@cache
def graph_of(spec):
    return reference.explore(games_reference.GAMES[spec])


@cache
def solution_of(spec):
    return reference.solved(graph_of(spec))


@cache
def rows_of(spec, player):
    """The rows of `random`, `minimax` or `default`."""
    graph = graph_of(spec)
    if player == "random":
        return reference.random_rows(graph)
    if player == "minimax":
        return reference.minimax_rows(graph, solution_of(spec))
    assert player == "default"
    return reference.default_rows(graph, games_reference.GAMES[spec])


def text_of(spec, moves):
    """The position after some moves as our texts show it."""
    game = games_reference.GAMES[spec]
    marks = game.marks(moves)
    if spec.startswith("connect4"):
        rows = (
            "".join(".XO"[marks.get((column, row), 0)] for column in range(game.columns)) for row in range(game.rows)
        )
        return "/".join(reversed(list(rows)))
    rows = ("".join(".XO"[marks.get((row, column), 0)] for column in range(game.columns)) for row in range(game.rows))
    return ("" if game.rows == game.columns == 3 else "/").join(rows)


def images_of(spec, marks):
    """The same marks after every symmetry of the board."""
    maps = games_reference.GAMES[spec].maps()
    if spec.startswith("connect4"):
        return [frozenset(((to[column], row), who) for (column, row), who in marks) for to in maps]
    columns = games_reference.GAMES[spec].columns
    return [frozenset((divmod(to[columns * r + c], columns), who) for (r, c), who in marks) for to in maps]
