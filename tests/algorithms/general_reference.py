"""The tabular family as one would explain it: dictionaries keyed by boards, Python floats, one ply after the other.

Same draws and arithmetic as the general kernel, hence the same tables bit for bit.  Shares nothing with the package.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from learn_reference import MASK_24, Replies, Table, pick, words

import reference
from reference import Board


class Rules(NamedTuple):
    """What is learned and how; `seat` is 1, 2, 3 (X in even episodes, O in odd ones) or 0 (self-play)."""

    algorithm: str = "q"
    seat: int = 0
    rewards: Sequence[float] = (1.0, 0.0, -1.0)
    gamma: float = 1.0
    initial: float = 0.0
    tie: str = "first"
    random_opening: bool = False
    visit_power: float = 0.0
    steps: int | None = None
    trace_decay: float | None = None


ONE_STEP = ("q", "double-q", "sarsa", "expected-sarsa")
KIND = {
    "monte-carlo": "sarsa", "n-step-sarsa": "sarsa", "n-step-expected-sarsa": "expected-sarsa",
    "n-step-tree-backup": "q", "sarsa-lambda": "sarsa", "q-lambda": "q",
}  # fmt: skip
"""By which value of a state an algorithm looks ahead."""


class GeneralLearner(Replies):
    """A learner against a player that maps boards to nine probabilities (None in self-play)."""

    def __init__(self, rules: Rules, opponent: Callable[[Board], list[float]] | None, game: Any = reference) -> None:
        self.game = game
        self.rules, self.opponent = rules, opponent
        self.tables: list[Table] = [{}, {}] if rules.algorithm == "double-q" else [{}]
        self.updates: dict[tuple[Board, int], int] = {}
        self.results = [0, 0, 0]  # X wins, draws, O wins
        self.episodes = 0
        self.slots = {}

    def actions(self, board: Board) -> list[int]:
        """The legal actions in the order of ties."""
        return sorted(self.game.legal_actions(board), reverse=self.rules.tie == "last")

    def value(self, table: Table, board: Board, action: int) -> float:
        return table.get((board, action), self.rules.initial)

    def total(self, board: Board, action: int) -> float:
        """What the learner acts on."""
        return sum(self.value(table, board, action) for table in self.tables)

    def greedy(self, board: Board, x: int) -> int:
        best = max(self.total(board, action) for action in self.actions(board))
        equal = [action for action in self.actions(board) if self.total(board, action) == best]
        return equal[pick(x, len(equal))[0]] if self.rules.tie == "random" else equal[0]

    def target(self, side: int, board: Board, action: int, epsilon: float) -> float:
        """What `board` is worth to its mover, who takes `action` there."""
        actions, kind = self.actions(board), KIND.get(self.rules.algorithm, self.rules.algorithm)
        if kind == "sarsa":
            return self.total(board, action)
        if kind == "expected-sarsa":
            values = [self.total(board, one) for one in actions]
            mean = 0.0
            for value in values:
                mean += value
            return (1.0 - epsilon) * max(values) + epsilon * mean / len(actions)
        own, other = self.tables[side], self.tables[-1 - side]  # the same one but for double Q
        return self.value(other, board, max(actions, key=lambda one: self.value(own, board, one)))

    def look_ahead(self, turns: list, turn: int, end: float, reward: float) -> float:
        """The return of a turn that looks as far as `end`; a turn is (board, action, value of the board, cut)."""
        if turn + 1 == len(turns):
            return reward
        _, _, worth, is_cut = turns[turn + 1]
        if turn + 1 < end and not is_cut:
            decay = 1.0 if self.rules.trace_decay is None else self.rules.trace_decay
            worth = (1.0 - decay) * worth + decay * self.look_ahead(turns, turn + 1, end, reward)
        return self.rules.gamma * worth

    def end_of_episode(self, turns: list, reward: float, alpha: float) -> None:
        """Update what a player did, each by its return: in the order of the game, no update changes another."""
        for turn, (board, action, _, _) in enumerate(turns):
            end = turn + (self.rules.steps or float("inf"))
            self.update(0, board, action, self.look_ahead(turns, turn, end, reward), alpha)

    def update(self, side: int, board: Board, action: int, target: float, alpha: float) -> None:
        key = board, action
        self.updates[key] = self.updates.get(key, 0) + 1
        if self.rules.visit_power:
            alpha = float(self.updates[key]) ** -self.rules.visit_power
        old = self.value(self.tables[side], board, action)
        self.tables[side][key] = old + alpha * (target - old)

    def chunk(self, alphas: Sequence[float], epsilons: Sequence[float], stream: int) -> None:
        """Learn from a chunk of episodes, which share a stream."""
        word = words(stream)

        def coin() -> int:
            return next(word) & 1 if len(self.tables) == 2 else 0

        for alpha, epsilon in zip(alphas, epsilons, strict=True):
            seat = 1 + self.episodes % 2 if self.rules.seat == 3 else self.rules.seat
            self.episodes += 1
            last: dict[int, tuple[Board, int]] = {}
            turns: dict[int, list] = {1: [], 2: []}
            board = self.game.START
            while not self.game.is_over(board):
                drawn, mover = next(word), self.game.mover(board)
                x, actions = drawn >> 24, self.actions(board)
                if self.rules.random_opening and board == self.game.START:
                    action = actions[pick(x, len(actions))[0]]
                elif seat not in (0, mover):
                    action = self.reply(board, x)
                else:
                    if drawn & MASK_24 < round(epsilon * 2**24):
                        action = actions[pick(x, len(actions))[0]]
                    else:
                        action = self.greedy(board, x)
                    if self.rules.algorithm not in ONE_STEP:
                        best = max(self.total(board, one) for one in actions)
                        is_cut = KIND[self.rules.algorithm] == "q" and self.total(board, action) < best
                        turns[mover].append((board, action, self.target(0, board, action, epsilon), is_cut))
                    elif mover in last:
                        side = coin()
                        value = self.target(side, board, action, epsilon)
                        self.update(side, *last[mover], self.rules.gamma * value, alpha)
                    last[mover] = board, action
                board = self.game.after(board, action)
            winner = self.game.winner(board)
            self.results[{1: 0, 0: 1, 2: 2}[winner]] += 1
            for player in (1, 2):
                reward = self.rules.rewards[{player: 0, 0: 1}.get(winner, 2)]
                if turns[player]:
                    self.end_of_episode(turns[player], reward, alpha)
                elif player in last:
                    self.update(coin(), *last[player], reward, alpha)
