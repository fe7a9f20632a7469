"""Afterstate learning as one would explain it: a dictionary from boards to values, one game after the other.

Same draws and arithmetic as the kernel, hence the same values bit for bit.  Shares nothing with the package.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from learn_reference import MASK_24, Replies, pick, words

import reference
from reference import Board

Pair = tuple[float, float]


class Rules(NamedTuple):
    """What is learned and how.

    `seat` is 1, 2, 3 (X in even games, O in odd ones) or 0 (self-play); `rewards` are, for X's win, a draw and O's
    win, the updates at the end of a game, each by its rewards for X and O, for the positions of `learners`.
    """

    seat: int = 0
    rewards: Sequence[Sequence[Pair]] = (((1, -1),), ((0, 0),), ((-1, 1),))
    gamma: float = 1.0
    initial: float = 0.0
    tie: str = "first"
    random_opening: bool = False
    visit_power: float = 0.0
    learners: Sequence[int] = (1, 2)


class AfterstateLearner(Replies):
    """A learner against a player that maps boards to nine probabilities (None in self-play)."""

    def __init__(self, rules: Rules, opponent: Callable[[Board], list[float]] | None, game: Any = reference) -> None:
        self.game = game
        self.rules, self.opponent = rules, opponent
        self.values: dict[Board, float] = {}
        self.updates: dict[Board, int] = {}
        self.results = [0, 0, 0]  # X wins, draws, O wins
        self.games = 0
        self.slots = {}

    def value(self, board: Board) -> float:
        return self.values.get(board, self.rules.initial)

    def update(self, boards: list[Board], reward: float, alpha: float) -> None:
        """Sai's appendix 9.2, `q_learning_update`."""
        for board in reversed(boards):
            self.updates[board] = self.updates.get(board, 0) + 1
            if self.rules.visit_power:
                alpha = float(self.updates[board]) ** -self.rules.visit_power
            old = self.value(board)
            self.values[board] = old + alpha * (self.rules.gamma * reward - old)
            reward = self.values[board]

    def greedy(self, afters: list[Board], x: int) -> Board:
        best = max(map(self.value, afters))
        equal = [board for board in afters if self.value(board) == best]
        return equal[pick(x, len(equal))[0] if self.rules.tie == "random" else 0]

    def chunk(self, alphas: Sequence[float], epsilons: Sequence[float], stream: int) -> None:
        """Learn from a chunk of games, which share a stream."""
        word = words(stream)
        for alpha, epsilon in zip(alphas, epsilons, strict=True):
            seat = 1 + self.games % 2 if self.rules.seat == 3 else self.rules.seat
            self.games += 1
            board, seen = self.game.START, {1: [], 2: []}
            while not self.game.is_over(board):
                drawn, mover = next(word), self.game.mover(board)
                x, actions = drawn >> 24, sorted(self.game.legal_actions(board), reverse=self.rules.tie == "last")
                afters = [self.game.after(board, action) for action in actions]
                if self.rules.random_opening and board == self.game.START:
                    board = afters[pick(x, len(afters))[0]]
                    continue
                if seat not in (0, mover):
                    board = self.game.after(board, self.reply(board, x))
                    continue
                if drawn & MASK_24 < round(epsilon * 2**24):
                    board = afters[pick(x, len(afters))[0]]
                else:
                    board = self.greedy(afters, x)
                seen[mover].append(board)
            result = {1: 0, 0: 1, 2: 2}[self.game.winner(board)]
            self.results[result] += 1
            for pair in self.rules.rewards[result]:
                for player in self.rules.learners:
                    self.update(seen[player], pair[player - 1], alpha)
