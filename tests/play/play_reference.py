"""The play kernel as one would explain it: Python integers, one game at a time, no packing and no lanes in step.

Same draws, hence the same counts bit for bit.  Shares nothing with the package.
"""

from collections.abc import Iterator, Sequence

import reference

MASK_32, MASK_64 = (1 << 32) - 1, (1 << 64) - 1
NUM_LANES = 512

Slot = tuple[int, int, int]


def xoroshiro128plus(s: int, t: int) -> Iterator[int]:
    """Yield the outputs of xoroshiro128+ (Blackman and Vigna 2018)."""
    while True:
        yield s + t & MASK_64
        t ^= s
        s = (s << 24 | s >> 40) & MASK_64 ^ t ^ t << 16 & MASK_64
        t = (t << 37 | t >> 27) & MASK_64


def words_of_row(probabilities: Sequence[tuple[int, float]]) -> list[list[int]]:
    """Whole numbers of the 2**32 random words for (action, probability) pairs: the cumulative sum, rounded."""
    total = 0.0
    for _, p in probabilities:  # `sum` would compensate the rounding from Python 3.12 on
        total += p
    words: list[list[int]] = []
    used, mass, scale = 0, 0.0, 4294967296.0 / total
    for action, p in probabilities:
        mass += p
        upto = int(mass * scale + 0.5)
        if upto > used:
            words.append([upto - used, action])
            used = upto
    words[-1][0] += (1 << 32) - used
    return words


def slots_of_row(words: Sequence[Sequence[int]], num_slots: int) -> list[Slot]:
    """Split [[words, action], ...] into two-way slots [(last word of the first, first, second), ...]."""
    left, capacity, slots = [list(pair) for pair in words], (1 << 32) // num_slots, []
    for slot in range(num_slots):
        light = min(range(len(left)), key=lambda i: (left[i][0], i))
        heavy = max(range(len(left)), key=lambda i: (left[i][0], i))
        if left[light][0] >= capacity:
            light = heavy
        first = min(left[light][0], capacity)
        slots.append((slot * capacity + first - 1, left[light][1], left[heavy][1]))
        left[heavy][0] -= capacity - first
        left[light][0] -= first
        for i in sorted({light, heavy}, reverse=True):
            if left[i][0] == 0:
                left[i] = left[-1]
                left.pop()
    assert not left
    return slots


def draw(slots: Sequence[Slot], word: int) -> int:
    """The action that a 32-bit word means."""
    last_word, first, second = slots[word * len(slots) >> 32]
    return first if word <= last_word else second


class Reference:
    """A game and a joint policy, as lists of lists; rows are packed when they are first needed."""

    def __init__(self, child: list[list[int]], ply: list[int], policy: list[list[float]]) -> None:
        self.child, self.ply, self.policy = child, ply, policy
        self.legal = [[a for a, c in enumerate(row) if c >= 0] for row in child]
        self.num_plies = max(ply)
        self.most = [0] * (self.num_plies + 1)  # legal actions, by ply
        for state, actions in enumerate(self.legal):
            self.most[ply[state]] = max(self.most[ply[state]], len(actions))
        self.num_choice_plies = 1 + max(p for p, most in enumerate(self.most) if most > 1)
        self.rows: dict[int, list[Slot]] = {}

    def row(self, state: int) -> list[Slot]:
        """The slots of a state: as many as any state of its ply or a later one needs."""
        if state not in self.rows:
            num_slots = 1 << max(max(most - 2, 0).bit_length() for most in self.most[self.ply[state] :])
            words = words_of_row([(a, self.policy[state][a]) for a in self.legal[state]])
            self.rows[state] = slots_of_row(words, num_slots)
        return self.rows[state]

    def play(self, num_games: int, stream: int, start: int = 0) -> dict[int, int]:
        """Return {final state: games}."""
        seeds = reference.words(stream)
        lanes = [xoroshiro128plus(next(seeds), next(seeds)) for _ in range(NUM_LANES)]
        counts: dict[int, int] = {}
        for game in range(num_games):
            draws = []
            for _ in range(self.ply[start], self.num_choice_plies, 2):
                word = next(lanes[game % NUM_LANES])
                draws += [word >> 32, word & MASK_32]
            state = start
            for i in range(self.num_plies - self.ply[start]):
                if not self.legal[state]:
                    break
                action = draw(self.row(state), draws[i] if i < len(draws) else 0)
                state = self.child[state][action]
            counts[state] = counts.get(state, 0) + 1
        return counts
