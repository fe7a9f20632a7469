"""Deep Q-learning as one would explain it: boards as tuples, a list of transitions, matrices in float64.

Same draws as the kernels, hence the same games and samples; numbers differ by the rounding of float32.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from learn_reference import MASK_24, Replies, pick, words

import network_reference
import reference
from reference import Board

SQUARE = np.arange(9).reshape(3, 3)
SYMMETRIES = [np.rot90(grid, turns).ravel().tolist() for grid in (SQUARE, SQUARE.T) for turns in range(4)]


class Rules(NamedTuple):
    """What is learned and how, in the words of the settings; `seat` is 0 in self-play."""

    seat: int
    minibatch: int
    replay: int
    warm_up: int
    train_every: int
    target_every: int | None
    polyak: float | None
    target: str
    loss: str
    input: str
    leak: float
    double: bool
    symmetries: bool
    illegal: str
    illegal_reward: float | None
    opening: int
    is_one: bool
    discount: float
    rewards: tuple[float, float, float]


def image(board: Board, symmetry: list[int]) -> Board:
    turned = [0] * 9
    for cell, mark in enumerate(board):
        turned[symmetry[cell]] = mark
    return tuple(turned)


def below(word: int, count: int) -> int:
    return (word >> 32) * count >> 32


class DqnReference(Replies):
    """A learner against a player that maps boards to nine probabilities (None in self-play).

    Parameters
    ----------
    pairs
        Weights and biases of each layer, in float64.
    stepper
        Makes an optimizer; each array has one of its own.
    """

    def __init__(
        self, rules: Rules, opponent: Callable[[Board], list[float]] | None, pairs: list, stepper: Callable[[], Any]
    ) -> None:
        self.rules, self.opponent = rules, opponent
        self.online, self.target = pairs, network_reference.as_float64(pairs)
        self.steppers = [tuple(stepper() for _ in pair) for pair in pairs]
        self.memory: list[tuple] = []
        self.steps = self.updates = self.episodes = 0
        self.results = [0, 0, 0]
        self.word = words(0)
        self.slots = {}
        self.rivals: list = []
        self.rival_seat, self.rival = 0, pairs

    def see(self, board: Board) -> list[float]:
        own = reference.mover(board)
        planes = [[float(mark == side) for mark in board] for side in (own, 3 - own)]
        if self.rules.input == "marks":
            return [one - other for one, other in zip(*planes, strict=True)]
        return planes[0] + planes[1]

    def outputs(self, pairs: list, board: Board) -> np.ndarray:
        return network_reference.layers_of(pairs, self.rules.leak, [self.see(board)])[-1][0]

    def choices(self, board: Board) -> list[int]:
        return list(range(9)) if self.rules.illegal == "penalty" else reference.legal_actions(board)

    def best(self, pairs: list, board: Board) -> int:
        values = self.outputs(pairs, board)
        return max(self.choices(board), key=lambda action: (values[action], -action))

    def value(self, board: Board) -> float:
        """The value of a board for its mover, by the target network."""
        chosen = self.best(self.online if self.rules.double else self.target, board)
        return float(self.outputs(self.target, board)[chosen])

    def worth(self, board: Board, after: Board, is_illegal: bool) -> float:
        """What an action that led from a board to what came after is worth."""
        rules, mover = self.rules, reference.mover(board)
        if is_illegal:
            return rules.illegal_reward + rules.discount * self.value(after)
        if reference.is_over(after):
            return rules.rewards[{mover: 0, 0: 1}.get(reference.winner(after), 2)]
        if reference.mover(after) == mover:
            return rules.discount * self.value(after)
        if rules.target == "expected":
            chances = self.opponent(after)
            replies = [(chances[cell], reference.after(after, cell)) for cell in reference.legal_actions(after)]
            return sum(chance * self.worth(board, next_one, False) for chance, next_one in replies if chance)
        return -rules.discount * self.value(after)

    def store(self, board: Board, action: int, after: Board, is_illegal: bool, alpha: float) -> None:
        place = self.steps % self.rules.replay
        self.memory[place : place + 1] = [(board, action, after, is_illegal)]
        self.steps += 1
        if self.steps >= max(self.rules.warm_up, 1) and self.steps % self.rules.train_every == 0:
            self.update(alpha)

    def update(self, alpha: float) -> None:
        inputs, actions, targets = [], [], []
        for _ in range(self.rules.minibatch):
            word = next(self.word)
            board, action, after, is_illegal = self.memory[below(word, len(self.memory))]
            number = ((word & 0xFFFFFFFF) * (8 if self.rules.symmetries else 1)) >> 32
            turn = SYMMETRIES[number]
            board, action, after = image(board, turn), turn[action], image(after, turn)
            inputs.append(self.see(board))
            actions.append(action)
            targets.append(self.worth(board, after, is_illegal))
        problem = self.rules.leak, np.array(inputs), np.array(targets), actions, self.rules.loss
        found = network_reference.gradients_of(self.online, *problem)
        self.online = [
            tuple(stepper.step(one, slope, alpha) for one, slope, stepper in zip(*parts, strict=True))
            for parts in zip(self.online, found, self.steppers, strict=True)
        ]
        self.updates += 1
        if self.rules.polyak:
            pairs = zip(self.online, self.target, strict=True)
            self.target = [
                tuple(slow + self.rules.polyak * (fast - slow) for fast, slow in zip(*pair, strict=True))
                for pair in pairs
            ]
        elif self.updates % self.rules.target_every == 0:
            self.target = network_reference.as_float64(self.online)

    def choose(self, board: Board, drawn: int, epsilon: float, alpha: float) -> int:
        actions = reference.legal_actions(board)
        if drawn & MASK_24 < round(epsilon * 2**24) or self.steps < max(self.rules.warm_up, 1):
            return actions[pick(drawn >> 24, len(actions))[0]]
        action = self.best(self.rival if reference.mover(board) == self.rival_seat else self.online, board)
        if action not in actions:
            self.store(board, action, board, True, alpha)
            return actions[pick(next(self.word) >> 24, len(actions))[0]]
        return action

    def keep_rival(self) -> None:
        """Keep the network that is measured."""
        self.rivals.append(network_reference.as_float64(self.target if self.rules.polyak else self.online))

    def draw_rival(self) -> None:
        """Choose one of the last eight that were kept for a seat, in a fifth of the episodes of self-play."""
        self.rival_seat = 0
        if self.rules.seat == 0 and self.rivals:
            word = next(self.word)
            low, number = word & 0xFFFFFFFF, min(len(self.rivals), 8)
            if below(word, 10) < 2:
                place = (low >> 1) * number >> 31
                self.rival_seat = 1 + low % 2
                self.rival = self.rivals[max(one for one in range(len(self.rivals)) if one % 8 == place)]

    def opened(self) -> Board:
        board, plies = reference.START, self.rules.opening
        if plies and not self.rules.is_one:
            plies = below(next(self.word), plies + 1)
        while plies and not reference.is_over(board):
            actions = reference.legal_actions(board)
            board = reference.after(board, actions[pick(next(self.word) >> 24, len(actions))[0]])
            plies -= 1
        return board

    def chunk(self, alphas: list[float], epsilons: list[float], stream: int) -> None:
        """Learn from a chunk of episodes, which share a stream."""
        self.word = words(stream)
        for alpha, epsilon in zip(alphas, epsilons, strict=True):
            seat = 1 + self.episodes % 2 if self.rules.seat == 3 else self.rules.seat
            self.episodes += 1
            self.draw_rival()
            board, waiting = self.opened(), None
            while not reference.is_over(board):
                drawn = next(self.word)
                if seat in (0, reference.mover(board)):
                    action = self.choose(board, drawn, epsilon, alpha)
                    waiting = board, action
                else:
                    action = self.reply(board, drawn >> 24)
                board = reference.after(board, action)
                is_complete = reference.is_over(board) or seat in (0, reference.mover(board))
                if waiting and (is_complete or self.rules.target == "expected"):
                    self.store(*waiting, board, False, alpha)
                    waiting = None
            self.results[{1: 0, 0: 1, 2: 2}[reference.winner(board)]] += 1
