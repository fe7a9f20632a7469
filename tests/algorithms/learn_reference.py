"""Q-learning as one would explain it: dictionaries keyed by boards, Python floats, one episode after the other.

Same draws and arithmetic as the kernels, hence the same table bit for bit.  Shares nothing with the package.
"""

from collections.abc import Callable, Sequence

import reference
from reference import Board, words

MASK_40, MASK_24 = 2**40 - 1, 2**24 - 1
FULL_SLOT = 2**32 - 1

Slot = tuple[int, int, int]
Table = dict[tuple[Board, int], float]
"""Values of the actions that have been updated; all others are at their initial value."""


def alias_slots(chances: Sequence[float]) -> list[Slot]:
    """Vose's alias method: one slot (threshold, its own action, the other action) for each possible action.

    The order in which poor and rich actions meet is part of the definition of the draws: the last poor one and
    the last rich one; a rich one that has become poor goes to the end of the poor.
    """
    possible = [action for action, chance in enumerate(chances) if chance > 0]
    left = {action: chances[action] * len(possible) for action in possible}
    slots = {action: (FULL_SLOT, action, action) for action in possible}
    poor = [action for action in possible if left[action] < 1]
    rich = [action for action in possible if left[action] >= 1]
    while poor and rich:
        taker, giver = poor.pop(), rich[-1]
        threshold = max(1, round(left[taker] * 2**32))
        if threshold > FULL_SLOT:  # as good as full: nothing is given
            continue
        slots[taker] = (threshold, taker, giver)
        left[giver] -= 1.0 - left[taker]
        if left[giver] < 1:
            poor.append(rich.pop())
    return [slots[action] for action in possible]


def pick(x: int, n: int) -> tuple[int, int]:
    """One of n from the 40-bit fraction x, and the fraction that is left."""
    return x * n >> 40, x * n & MASK_40


class Replies:
    """The moves of a player that maps boards to nine probabilities."""

    opponent: Callable[[Board], Sequence[float]] | None
    slots: dict[Board, list[Slot]]

    def reply(self, board: Board, x: int) -> int:
        """The action drawn by x."""
        assert self.opponent is not None
        if board not in self.slots:
            self.slots[board] = alias_slots(self.opponent(board))
        slot, x = pick(x, len(self.slots[board]))
        threshold, own, other = self.slots[board][slot]
        return own if x >> 8 < threshold else other


class Learner(Replies):
    """A learner in one seat (1 X, 2 O) against a fixed player, which maps boards to nine probabilities."""

    def __init__(
        self, seat: int, opponent: Callable[[Board], list[float]], rewards: Sequence[float], initial: float = 0.0
    ) -> None:
        self.seat, self.opponent, self.rewards, self.initial = seat, opponent, rewards, initial
        self.q: Table = {}
        self.counts = [0, 0, 0]  # wins, draws, losses
        self.slots: dict[Board, list[Slot]] = {}

    def value(self, board: Board, action: int) -> float:
        return self.q.get((board, action), self.initial)

    def best(self, board: Board) -> int:
        """The greedy action, ties to the lowest."""
        return max(reference.legal_actions(board), key=lambda action: (self.value(board, action), -action))

    def chunk(self, episodes: int, alpha: float, epsilon: float, gamma: float, stream: int) -> None:
        """Learn from a chunk of episodes, which share a stream, a step size and an epsilon."""
        word = words(stream)
        for _ in range(episodes):
            board = reference.START
            if self.seat == 2:
                board = reference.after(board, self.reply(board, next(word) >> 24))
            while not reference.is_over(board):
                drawn = next(word)
                x = drawn >> 24
                actions = reference.legal_actions(board)
                if drawn & MASK_24 < round(epsilon * 2**24):
                    place, x = pick(x, len(actions))
                    action = actions[place]
                else:
                    action = self.best(board)
                following = reference.after(board, action)
                if not reference.is_over(following):
                    following = reference.after(following, self.reply(following, x))
                if reference.is_over(following):
                    result = {self.seat: 0, 0: 1}.get(reference.winner(following), 2)
                    self.counts[result] += 1
                    target = self.rewards[result]
                else:
                    target = gamma * self.value(following, self.best(following))
                old = self.value(board, action)
                self.q[board, action] = old + alpha * (target - old)
                board = following
