"""N-tuples as one would explain them: a dictionary of weights, and cells read from a dictionary of stones.

Same draws and arithmetic as the kernels, hence the same weights bit for bit.  Shares nothing with the package.
"""

from math import floor

import numpy as np

from games_reference import DRAW, ONGOING, ConnectFour
from reference import words

UNIT = 2.0**-28


def cell_value(stones, column, row, player):
    """Stones are {(column, row): player}, from the bottom row on."""
    if (column, row) in stones:
        return 2 if stones[column, row] == player else 3
    return int(row == 0 or (column, row - 1) in stones)


def squash(x):
    return 1.0 if x >= 3 else -1.0 if x <= -3 else x * (27.0 + x * x) / (27.0 + 9.0 * x * x)


class Learner:
    """TD(lambda) over tuples of cells (column, row); weights are {(table, tuple, values of its cells): number}."""

    def __init__(
        self, game: ConnectFour, tuples, max_opening=0, *, tables=2, trace_decay=0.5, coherent=False, share=0.5,
        starts=(), start_share=0.5,
    ):  # fmt: skip
        self.game, self.tuples, self.max_opening, self.tables = game, tuples, max_opening, tables
        self.trace_decay, self.coherent, self.share = trace_decay, coherent, share
        self.starts, self.start_share = starts, start_share
        self.weights, self.errors, self.sizes, self.results = {}, {}, {}, [0, 0, 0]

    def places(self, moves):
        """The weights of a board, in the view of the player to move: each tuple, and its mirror image."""
        stones = {cell: who - 1 for cell, who in self.game.marks(moves).items()}
        player, last = len(moves) % 2, self.game.columns - 1
        found = []
        for number, cells in enumerate(self.tuples):
            for image in (cells, [(last - column, row) for column, row in cells]):
                values = tuple(cell_value(stones, *cell, player) for cell in image)
                found.append((player if self.tables == 2 else 0, number, values))
        return found

    def total(self, moves):
        return sum(self.weights.get(place, 0) for place in self.places(moves)) * UNIT

    def score(self, moves):
        """What the last move is worth to its player, not squashed."""
        status = self.game.status(moves)
        return -self.total(moves) if status == ONGOING else 0.0 if status == DRAW else float("inf")

    def play(self, word, epsilon, max_opening):
        moves = ()
        if self.starts:
            now = next(word)
            if now % 2**24 < self.start_share * 2**24:
                max_opening, moves = 0, self.starts[(now >> 24) * len(self.starts) >> 40]
        drawn = [True] * len(moves)
        opening = (next(word) >> 24) * (max_opening + 1) >> 40 if max_opening else 0
        while self.game.status(moves) == ONGOING:
            now, actions = next(word), self.game.legal(moves)
            is_drawn = len(moves) < opening or now % 2**24 < round(epsilon * 2**24)
            if not is_drawn:
                scores = [self.score((*moves, action)) for action in actions]
                actions = [a for a, score in zip(actions, scores, strict=True) if score == max(scores)]
            moves, drawn = (*moves, actions[(now >> 24) * len(actions) >> 40]), [*drawn, is_drawn]
        return moves, drawn

    def learn(self, moves, drawn, alpha):
        status = self.game.status(moves)
        self.results[[1, DRAW, 2].index(status)] += 1
        states = [moves[:ply] for ply in range(len(moves))]
        values = [squash(self.total(state)) for state in states] + [0.0 if status == DRAW else -1.0]
        target = values[-1]
        for ply in reversed(range(len(moves))):
            if drawn[ply]:
                target = values[ply]
                continue
            target = -((1.0 - self.trace_decay) * values[ply + 1] + self.trace_decay * target)
            self.update(states[ply], alpha, target - values[ply])

    def update(self, state, alpha, error):
        places = self.places(state)
        for place in places:
            change = alpha / (len(places) * UNIT) * error
            if self.coherent:
                total, size = float(self.errors.get(place, 0.0)), float(self.sizes.get(place, 0.0))
                change *= abs(total) / size if size else 1.0
                self.errors[place], self.sizes[place] = np.float32(total + error), np.float32(size + abs(error))
            self.weights[place] = self.weights.get(place, 0) + floor(change + 0.5)

    def chunk(self, alphas, epsilons, stream):
        """Play games and learn from each."""
        word = words(stream)
        for alpha, epsilon in zip(alphas, epsilons, strict=True):
            number = sum(self.results)
            is_opened = floor((number + 1) * self.share) > floor(number * self.share)
            moves, drawn = self.play(word, epsilon, self.max_opening if is_opened else 0)
            self.learn(moves, drawn, alpha)
