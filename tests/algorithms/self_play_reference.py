"""Self-play as one would explain it: dictionaries keyed by boards, Python floats, one episode after the other.

Same draws and arithmetic as the kernels, hence the same table bit for bit.  Shares nothing with the package.
"""

from collections.abc import Sequence

from learn_reference import Table, words

import reference as rules
from reference import Board


def gap_table(epsilon: float) -> list[tuple[int, int, int]]:
    """Alias table of the plies before the next exploring one: (threshold, own outcome, other outcome)."""
    left = [64 * epsilon * (1 - epsilon) ** i for i in range(63)] + [64 * (1 - epsilon) ** 63]
    slots = [(0, i, i) for i in range(64)]
    poor, rich = [i for i in range(64) if left[i] < 1], [i for i in range(64) if left[i] >= 1]
    while poor and rich:
        taker, giver = poor.pop(), rich[-1]
        threshold = round(left[taker] * 2**32)
        if threshold < 2**32:
            slots[taker] = (threshold, taker, giver)
            left[giver] -= 1 - left[taker]
            if left[giver] < 1:
                poor.append(rich.pop())
    return slots


class Learner:
    """Both players: one table (Q-learning) or two (double Q-learning), each row from the view of its mover."""

    def __init__(
        self,
        tables: int,
        rewards: Sequence[Sequence[float]],
        *,
        random_ties: bool = False,
        initial: float = 0.0,
    ) -> None:
        self.q: list[Table] = [{} for _ in range(tables)]
        self.rewards = {1: rewards[0], 2: rewards[1]}
        self.initial = initial
        self.random_ties = random_ties
        self.counts = [0, 0, 0]  # X wins, draws, O wins

    def value(self, board: Board, action: int, table: int | None = None) -> float:
        """Value in one table, or in all of them together."""
        if table is not None:
            return self.q[table].get((board, action), self.initial)
        return sum(q.get((board, action), self.initial) for q in self.q)

    def maxima(self, board: Board, table: int | None = None) -> list[int]:
        """The actions of greatest value, ascending."""
        values = {action: self.value(board, action, table) for action in rules.legal_actions(board)}
        return [action for action, value in values.items() if value == max(values.values())]

    def draw_gap(self, limit: int) -> None:
        """Draw how many greedy plies come before the next exploring one, and the fraction of its action."""
        self.gap = 0
        while True:
            word = next(self.word)
            threshold, own, other = self.slots[word >> 58]
            outcome = own if (word >> 26) % 2**32 < threshold else other
            self.gap += outcome
            self.fraction = word % 2**26
            if outcome < 63 or self.gap > limit:
                return

    def act(self, board: Board, limit: int) -> int:
        """The action of the player to move."""
        if self.gap == 0:
            actions = rules.legal_actions(board)
            action = actions[self.fraction * len(actions) >> 26]
            self.draw_gap(limit)
            return action
        self.gap -= 1
        actions = self.maxima(board)
        if self.random_ties and len(actions) > 1:
            return actions[(next(self.word) >> 32) * len(actions) >> 32]
        return actions[0]

    def chunk(self, episodes: int, alpha: float, epsilon: float, gamma: float, stream: int) -> None:
        """Learn from a chunk of episodes, which share a stream, a step size and an epsilon."""
        self.word, self.slots = words(stream), gap_table(epsilon)
        limit = 9 * episodes
        self.draw_gap(limit)
        for _ in range(episodes):
            coins = next(self.word) if len(self.q) == 2 else 0
            boards, actions = [rules.START], []
            while not rules.is_over(boards[-1]):
                actions.append(self.act(boards[-1], limit))
                boards.append(rules.after(boards[-1], actions[-1]))
            winner = rules.winner(boards[-1])
            result = {1: 0, 0: 1, 2: 2}[winner]
            self.counts[result] += 1
            for t, action in enumerate(actions):
                table = coins >> t & 1
                if t + 2 < len(boards) and not rules.is_over(boards[t + 2]):
                    best = self.maxima(boards[t + 2], table)[0]
                    target = gamma * self.value(boards[t + 2], best, 1 - table if len(self.q) == 2 else 0)
                else:
                    target = self.rewards[1 + t % 2][result]
                old = self.value(boards[t], action, table)
                self.q[table][boards[t], action] = old + alpha * (target - old)
