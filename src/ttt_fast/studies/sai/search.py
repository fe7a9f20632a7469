"""Sai's players as plain Python: minimax that searches at every move, the default opponent, a table.

Written as Sai's program is (appendix 9.1): a board that is copied for every move that is looked at, and
its clock: seconds and the peak of `tracemalloc`, added up over a player's moves of a game.
"""

import math
import random
import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.games import api, tic_tac_toe as rules
from ttt_fast.games.results import outcome_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable

Move = Callable[["PlainBoard"], int]


class PlainBoard:
    """A board as Sai's program uses it: copied and pushed to, with the result looked up afresh at every node.

    Attributes
    ----------
    marks
        Nine marks: 0 empty, 1 X, 2 O.
    turn
        Who moves, 1 or 2.
    """

    def __init__(self, marks: list[int] | None = None, turn: int = api.X) -> None:
        self.marks = marks or [rules.EMPTY] * rules.NUM_CELLS
        self.turn = turn

    def copy(self) -> "PlainBoard":
        """Return a copy."""
        return type(self)(self.marks.copy(), self.turn)

    def push(self, cell: int) -> None:
        """Mark a cell for the player whose turn it is."""
        self.marks[cell] = self.turn
        self.turn = 3 - self.turn

    def moves(self) -> list[int]:
        """Return the empty cells, row by row."""
        return [cell for cell, mark in enumerate(self.marks) if mark == rules.EMPTY]

    def result(self) -> int | None:
        """Return who has won, 0 for a tie, None while the game goes on."""
        for one, two, three in rules.LINES:
            if self.marks[one] != rules.EMPTY and self.marks[one] == self.marks[two] == self.marks[three]:
                return self.marks[one]
        return None if rules.EMPTY in self.marks else 0


class Searcher:
    """Minimax as in appendix 9.1, with or without alpha-beta pruning; counts its nodes."""

    def __init__(self, prune: bool) -> None:
        self.prune = prune
        self.nodes = 0

    def __call__(self, board: PlainBoard) -> int:
        """Return the first of the best moves, row by row."""
        alpha, beta = (-math.inf, math.inf) if self.prune else (None, None)
        return self.search(board, alpha, beta, board.turn == api.X)[1]

    def search(self, board: PlainBoard, alpha: float | None, beta: float | None, maximize: bool) -> tuple[int, int]:
        """Return the value for X and the move, -1 at the end of a game."""
        self.nodes += 1
        result = board.result()
        if result is not None:
            return (0, 1, -1)[result], -1
        best_move, best = -1, -100 if maximize else 100
        for move in board.moves():
            after = board.copy()
            after.push(move)
            value = self.search(after, alpha, beta, not maximize)[0]
            if value > best if maximize else value < best:
                best_move, best = move, value
            if alpha is not None and beta is not None:
                alpha, beta = (max(alpha, best), beta) if maximize else (alpha, min(beta, best))
                if alpha >= beta:
                    break
        return best, best_move


def default_player(skill: float, generator: random.Random) -> Move:
    """Return the default opponent: a winning cell, else a blocking one, each noticed with chance `skill`."""

    def completes(board: PlainBoard, player: int) -> int | None:
        for move in board.moves():
            after = board.copy()
            after.turn = player
            after.push(move)
            if after.result() == player:
                return move
        return None

    def move(board: PlainBoard) -> int:
        for player in (board.turn, 3 - board.turn):
            cell = completes(board, player)
            if cell is not None and generator.random() < skill:
                return cell
        return generator.choice(board.moves())

    return move


def table_player(values: Mapping[str, float], epsilon: float, generator: random.Random) -> Move:
    """Return the player of appendix 9.2: a dictionary from the board as a string to the value of an afterstate."""

    def move(board: PlainBoard) -> int:
        moves = board.moves()
        if generator.random() <= epsilon:
            return generator.choice(moves)
        best, chosen = -math.inf, moves[0]
        for cell in moves:
            after = board.copy()
            after.push(cell)
            value = values.get(str(after.marks), 0.0)
            if value >= best:
                best, chosen = value, cell
        return chosen

    return move


class Spent(NamedTuple):
    """What a player spent in one game: seconds, summed and greatest peak in bytes, moves."""

    seconds: float
    summed_peaks: int
    greatest_peak: int
    moves: int


def play_measured(x: Move, o: Move, trace: bool, start: Callable[[], PlainBoard] = PlainBoard) -> tuple[Spent, Spent]:
    """Play one game from `start()`; return what X and O spent: memory only if traced, since that slows the clock."""
    board, players = start(), (x, o)
    spent = [[0.0, 0, 0, 0], [0.0, 0, 0, 0]]
    while board.result() is None:
        seat = board.turn - 1
        if trace:
            tracemalloc.start()
        started = time.perf_counter()
        move = players[seat](board)
        own = spent[seat]
        own[0] += time.perf_counter() - started
        if trace:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            own[1] += peak
            own[2] = max(own[2], peak)
        own[3] += 1
        board.push(move)
    first, second = (Spent(float(one[0]), int(one[1]), int(one[2]), int(one[3])) for one in spent)
    return first, second


def measure(
    first: Move, second: Move, games: int, start: Callable[[], PlainBoard] = PlainBoard
) -> list[dict[str, Any]]:
    """Return the mean seconds and bytes a game of two players that begin in turn, each timed without tracing, too."""
    rows = []
    spent: dict[bool, tuple[list[Spent], list[Spent]]] = {True: ([], []), False: ([], [])}
    for trace, (of_first, of_second) in spent.items():
        for game in range(games):
            swap = game % 2 == 1
            result = play_measured(*((second, first) if swap else (first, second)), trace, start)
            of_first.append(result[swap])
            of_second.append(result[not swap])
    for which in (0, 1):
        traced, plain = spent[True][which], spent[False][which]
        rows.append(
            {
                "games": games,
                "seconds": sum(one.seconds for one in plain) / games,
                "seconds_traced": sum(one.seconds for one in traced) / games,
                "summed_peaks_bytes": sum(one.summed_peaks for one in traced) / games,
                "greatest_peak_bytes": max(one.greatest_peak for one in traced),
            }
        )
    return rows


def plain_nodes(table: StateTable) -> list[int]:
    """Return the nodes that minimax without pruning visits from each state, itself included, (S,).

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> plain_nodes(table_of("tic-tac-toe"))[0]
    549946
    """
    children = [[child for child in row if child >= 0] for row in table.child.tolist()]
    nodes = [1] * table.num_states
    for state in range(table.num_states - 1, -1, -1):
        nodes[state] += sum(nodes[child] for child in children[state])
    return nodes


def alpha_beta_nodes(table: StateTable) -> list[int]:
    """Return the nodes that minimax with alpha-beta visits from each state, itself included, (S,).

    The search of `Searcher` over the child table, which gives the same counts and is quick enough for all states.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> alpha_beta_nodes(table_of("tic-tac-toe"))[0]
    18297
    """
    children = [[child for child in row if child >= 0] for row in table.child.tolist()]
    values = [1 - outcome_of(status) if status else 0 for status in table.status.tolist()]
    maximizes = (table.player == api.X).tolist()
    count = 0

    def search(state: int, alpha: int, beta: int) -> int:
        nonlocal count
        count += 1
        if not children[state]:
            return values[state]
        maximize = maximizes[state]
        best = -2 if maximize else 2
        for child in children[state]:
            value = search(child, alpha, beta)
            if maximize:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    nodes = []
    for state in range(table.num_states):
        count = 0
        search(state, -2, 2)
        nodes.append(count)
    return nodes


def spent_exactly(player: Policy, opponent: Policy, nodes: list[int]) -> tuple[float, float]:
    """Return the nodes and the moves of a player in a game, expected exactly, the two beginning in turn."""
    expected, moves = 0.0, 0.0
    for seat, pair in ((api.X, (player, opponent)), (api.O, (opponent, player))):
        reach = exact_outcome(*pair).reach * (player.table.player == seat)
        expected += float(sum(share * count for share, count in zip(reach.tolist(), nodes, strict=True))) / 2
        moves += float(reach.sum()) / 2
    return expected, moves
