"""Self-play over a dictionary of positions, as one would explain it: any game, one game after the other.

Same draws and arithmetic as the kernels, hence the same values bit for bit.  Shares nothing with the package; a game
is one of `games_reference.GAMES`, a position the frozen set of its marks.
"""

from collections.abc import Sequence
from typing import NamedTuple

from learn_reference import MASK_24, pick, words

RESULT_OF_STATUS = {1: 0, 3: 1, 2: 2}


class Rules(NamedTuple):
    """What is learned and how; `passes` are, for X's win, a draw and O's win, the updates by rewards of X and O."""

    rewards: Sequence[float] = (1.0, 0.0, -1.0)
    passes: Sequence[Sequence[tuple[float, float]]] = ()
    learners: tuple[int, ...] = (0, 1)
    gamma: float = 1.0
    initial: float = 0.0
    tie: str = "first"
    visit_power: float = 0.0


class DictionaryLearner:
    """What both learners have in common: values and visits by whatever they are filed under, and a choice."""

    def __init__(self, game, rules):
        self.game, self.rules = game, rules
        self.values, self.visits = {}, {}
        self.results = [0, 0, 0]

    def value(self, name):
        return self.values.get(name, self.rules.initial)

    def move(self, name, target, alpha):
        self.visits[name] = self.visits.get(name, 0) + 1
        if self.rules.visit_power:
            alpha = float(self.visits[name]) ** -self.rules.visit_power
        self.values[name] = self.value(name) + alpha * (target - self.value(name))
        return self.values[name]

    def position(self, moves):
        return frozenset((self.game.marks(moves) if hasattr(self.game, "marks") else board(self.game, moves)).items())

    def actions(self, moves):
        return sorted(self.game.legal(moves), reverse=self.rules.tie == "last")

    def choose(self, scores, drawn, epsilon):
        """The place of a score."""
        x = drawn >> 24
        if drawn & MASK_24 < round(epsilon * 2**24):
            return pick(x, len(scores))[0]
        best = [place for place, score in enumerate(scores) if score == max(scores)]
        return best[pick(x, len(best))[0] if self.rules.tie == "random" else 0]

    def chunk(self, alphas, epsilons, stream):
        """Learn from games that share a stream."""
        word = words(stream)
        for alpha, epsilon in zip(alphas, epsilons, strict=True):
            self.play(word, alpha, epsilon)


def board(game, moves):
    """The marks of tic-tac-toe by cell."""
    return {cell: mark for cell, mark in enumerate(game.board(moves)) if mark}


class AfterstateDictionary(DictionaryLearner):
    """Values of positions for whoever has just moved (Sai)."""

    def play(self, word, alpha, epsilon):
        moves, path = (), []
        while not self.game.status(moves):
            drawn, actions = next(word), self.actions(moves)
            after = [self.position((*moves, action)) for action in actions]
            place = self.choose([self.value(name) for name in after], drawn, epsilon)
            moves = (*moves, actions[place])
            path.append(after[place])
        result = RESULT_OF_STATUS[self.game.status(moves)]
        self.results[result] += 1
        for pair in self.rules.passes[result]:
            for player in self.rules.learners:
                target = pair[player]
                for name in reversed(path[player::2]):
                    target = self.move(name, self.rules.gamma * target, alpha)


class QDictionary(DictionaryLearner):
    """Values of actions, updated when their mover is to move again."""

    def play(self, word, alpha, epsilon):
        moves, last = (), {}
        while not self.game.status(moves):
            drawn, actions, mover = next(word), self.actions(moves), len(moves) % 2
            names = [(self.position(moves), action) for action in actions]
            scores = [self.value(name) for name in names]
            place = self.choose(scores, drawn, epsilon)
            if mover in last:
                self.move(last[mover], self.rules.gamma * max(scores), alpha)
            last[mover] = names[place]
            moves = (*moves, actions[place])
        result = RESULT_OF_STATUS[self.game.status(moves)]
        self.results[result] += 1
        for player, name in sorted(last.items()):
            self.move(name, self.rules.rewards[2 - result if player else result], alpha)
