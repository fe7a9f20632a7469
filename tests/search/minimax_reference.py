"""Minimax as plain recursion, and Bichot's program as its rules are known, with lists and fractions.

Nothing here comes from the package; positions are the actions played so far, as in `games_reference`.
"""

import math
import random
from fractions import Fraction

import reference
from games_reference import DRAW, ONGOING

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
WORTH = [Fraction(3, 2), 1, Fraction(3, 2), 1, 2, 1, Fraction(3, 2), 1, Fraction(3, 2)]


def random_positions(plain, count, seed, deepest=None):
    """Ongoing positions of random games, any number of plies long."""
    generator, found = random.Random(seed), []
    while len(found) < count:
        moves, plies = (), generator.randrange((deepest or plain.cells) + 1)
        while len(moves) < plies and plain.status(moves) == ONGOING:
            moves = (*moves, generator.choice(plain.legal(moves)))
        if len(moves) == plies and plain.status(moves) == ONGOING:
            found.append(moves)
    return found


def action_values(plain, moves, depth, leaf=lambda after: 0, win=1, lost_draws=False):
    """The minimax value of every legal action, for the player to move, without pruning.

    `leaf`, of the moves so far, tells what lines are worth that go on; `lost_draws`: above the horizon nobody wins a
    full board.
    """
    values = {}
    for action in plain.legal(moves):
        after, status = (*moves, action), plain.status((*moves, action))
        if status == DRAW:
            values[action] = math.inf if lost_draws and depth > 1 else 0
        elif status != ONGOING:
            values[action] = win if status == 1 + len(moves) % 2 else -win
        else:
            deeper = action_values(plain, after, depth - 1, leaf, win, lost_draws) if depth > 1 else {}
            values[action] = -max(deeper.values()) if deeper else -leaf(after)
    return values


def grid_value(grid, as_coded):
    """Value of nine cells for player 1: 5 for each way to complete a line, 10 at most, and the cells' own worth."""
    total = 0
    for who, sign in ((1, 1), (2, -1)):
        live = [line for line in LINES if sorted(grid[c] for c in line) == [0, who, who]]
        gaps = [next(c for c in line if grid[c] == 0) for line in live]
        in_line = {c for line in live for c in line}
        ways = len(set(gaps)) if as_coded else len(gaps)
        cells = [c for c in range(9) if grid[c] == who and not (as_coded and c in in_line)]
        total += sign * (5 * min(2, ways) + sum(WORTH[c] for c in cells))
    return total


class PublishedBoard:
    """Ultimate as Bichot's program plays it: who owns each cell and each board, where the next move may go."""

    def __init__(self, moves=(), stay=False):
        self.stay = stay
        self.cells = [[0] * 9 for _ in range(9)]
        self.large, self.last, self.player, self.over = [0] * 9, None, 1, False
        for action in moves:
            self.play(action)

    @classmethod
    def parse(cls, text):
        """A position as its text shows it, the last mark in upper case."""
        board = cls()
        board.cells = [[".xo".index(mark) for mark in text.lower()[start : start + 9]] for start in range(0, 81, 9)]
        board.large = [reference.winner(tuple(cells)) for cells in board.cells]
        board.last = next(action for action, mark in enumerate(text) if mark in "XO")
        board.player = 2 if text[board.last] == "X" else 1
        return board

    def is_closed(self, board):
        return (self.large[board] != 0 and not self.stay) or 0 not in self.cells[board]

    def actions(self):
        """The list with its repetitions: a board of k free cells k times, unless the move is forced or the first."""
        if self.last is None:
            return list(range(81))
        if not self.is_closed(self.last % 9):
            listed = [self.last % 9]
        else:
            listed = [b for b in range(9) if not self.is_closed(b) for cell in self.cells[b] if cell == 0]
        return [9 * b + c for b in listed for c in range(9) if self.cells[b][c] == 0]

    def play(self, action):
        board, cell = divmod(action, 9)
        undo = (action, self.last, self.large[board], self.over)
        self.cells[board][cell] = self.player
        if self.large[board] == 0 and reference.winner(tuple(self.cells[board])) == self.player:
            self.large[board] = self.player
        self.last = action
        won = reference.winner(tuple(self.large)) == self.player
        self.over = won or all(self.is_closed(b) for b in range(9))
        self.player = 3 - self.player
        return undo, won

    def undo(self, undo):
        action, self.last, self.large[action // 9], self.over = undo
        self.cells[action // 9][action % 9] = 0
        self.player = 3 - self.player

    def step(self, action, kind, as_coded=True):
        """Play, and return how to undo it and what it earns the player."""
        board = action // 9
        small, large = grid_value(self.cells[board], as_coded), grid_value(self.large, as_coded)
        with_board = [self.player if b == board else owner for b, owner in enumerate(self.large)]
        improved = abs(grid_value(with_board, as_coded) - large)
        lead = sum({self.player: 1, 0: 0}.get(owner, -1) for owner in self.large)
        if self.large[board] != 0:  # it stays in play
            return self.play(action)[0], 0
        undo, won = self.play(action)
        takes = self.large[board] != 0
        if kind == "simple-written":
            return undo, 100 - 10 * lead if won else 10 * takes
        if kind == "simple":
            return undo, 100 if won else 10 * takes
        if won:
            return undo, 400
        if takes:
            return undo, (20 if as_coded else 1) * improved
        return undo, abs(grid_value(self.cells[board], as_coded) - small) * improved


def published_search(board, depth, kind="complex"):
    """The value of the root for the player to move and the actions that the published program draws from."""
    sign = 1 if board.player == 1 else -1
    value, actions = _published(board, depth, -1000, 1000, 0, kind)
    return sign * value, actions


def _published(board, depth, alpha, beta, score, kind):
    """Player 1 maximises the sum of rewards along the line and player 2 minimises it; equal bounds are ties."""
    if depth == 0 or board.over:
        return score, []
    listed = board.actions()
    new_depth = depth - 1 if len(listed) <= 9 else max(0, depth - 2)
    maximises = board.player == 1
    best, chosen = (-1000 if maximises else 1000), []
    for action in listed:
        undo, earned = board.step(action, kind)
        value, _ = _published(board, new_depth, alpha, beta, score + (earned if maximises else -earned), kind)
        board.undo(undo)
        if value == best:
            chosen.append(action)
        elif value > best if maximises else value < best:
            best, chosen = value, [action]
        if maximises:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if beta <= alpha:
            break
    return best, chosen


def unpruned_values(board, depth, kind, published_depth, as_coded=True):
    """The value of every action of Ultimate, for the player to move, by minimax without pruning."""
    listed, values = board.actions(), {}
    new_depth = max(0, depth - 2) if published_depth and len(listed) > 9 else depth - 1
    for action in sorted(set(listed)):
        undo, values[action] = board.step(action, kind, as_coded)
        if new_depth > 0 and not board.over:
            values[action] -= max(unpruned_values(board, new_depth, kind, published_depth, as_coded).values())
        board.undo(undo)
    return values
