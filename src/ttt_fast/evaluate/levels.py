"""Exact results over levels: a match in floats and fractions, the best response, and the shortest refutation.

All primes of a fraction are computed in one pass over the levels.
"""

from collections.abc import Callable, Sequence
from math import lcm, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.exact_fractions import OutcomeFractions, fractions_of, primes_avoiding
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat, result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.rows import RowBook
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.tables import StateTable
from ttt_fast.tables.fragment import fragment_of
from ttt_fast.tables.levels import ALL, BLOCK, Below, Children, Levels, Rows, below_of, gather, make_children, slot_of

_STATUSES = (api.X_WINS, api.DRAW, api.O_WINS)
_BITS_OF_A_PRIME = 30.99
StatePolicy = Callable[[StateTable], Policy]
"""A function that returns an agent's policy over the states of a fragment."""


class LevelOutcome(NamedTuple):
    """The exact distribution of the results of a match with a fixed seat.

    Attributes
    ----------
    x_wins, draws, o_wins
        Probabilities.
    lengths : (3, P + 1) float64
        Probability of each result (rows: X wins, draw, O wins) at each length in plies.
    fractions
        The probabilities as fractions; None if a policy is known as floats only, or games are unfinished.
    unfinished
        Probability of the games that have not ended in the levels at hand; 0 if the levels are complete.
    """

    x_wins: float
    draws: float
    o_wins: float
    lengths: NDArray[np.float64]
    fractions: OutcomeFractions | None
    unfinished: float = 0.0

    @property
    def value(self) -> float:
        """The value for X: wins minus losses."""
        return self.x_wins - self.o_wins

    def value_of(self, seat: int) -> float:
        """Return the value for a seat (1 X, 2 O)."""
        return self.value if seat == api.X else -self.value


class _Rows(NamedTuple):
    """The rows of both policies in kernels.

    Attributes
    ----------
    support : (R, A) bool, chances : (R, A) float64
        The actions that may be played, and their probabilities.
    residues : (R, A, K) int64, inverses : (A + 1, K) int64
        Probabilities, and the inverse of each number of actions, modulo each of K primes.
    primes : (K,) int64
        The primes, below 2**31.
    """

    support: NDArray[np.bool_]
    chances: NDArray[np.float64]
    residues: NDArray[np.int64]
    inverses: NDArray[np.int64]
    primes: NDArray[np.int64]


class _Mass(NamedTuple):
    """The probability of each state of a level, (N,) float64, and its residues, (N, K) uint32."""

    chances: NDArray[np.float64]
    residues: NDArray[np.uint32]


@inlined_kernel
def _receive(
    to: _Mass, index: int, share: float, rows: _Rows, code: int, action: int, factors: NDArray[np.int64]
) -> None:
    """Add a share to the probability of a state, and to its residues the parent's, `factors`, times the row's."""
    to.chances[index] += share
    for k in range(factors.size):
        part = factors[k]
        if code >= rows.support.shape[1]:  # the smaller codes are single actions
            part = part * rows.residues[code, action, k] % rows.primes[k]
        part += np.int64(to.residues[index, k])
        to.residues[index, k] = np.uint32(part - rows.primes[k] if part >= rows.primes[k] else part)


@kernel
def _push(
    like: api.State,
    keys: NDArray[np.uint64],
    codes: NDArray[np.int32],
    rows: _Rows,
    below: Below,
    above: _Mass,
    after: _Mass,
    ended: _Mass,
    used: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    children: Children,
) -> None:
    """Push the probability of some states to their children in the next level, or to the results (4,) in `ended`.

    `used` marks the numbers of equally likely actions that occur, (A + 1,) bool, and the rows that occur, (R,) bool.
    """
    factors, primes = np.empty(rows.primes.size, np.int64), rows.primes
    for first in range(0, keys.size, BLOCK):
        gather(like, keys, codes, rows.support, first, below, children)
        for here in range(first, min(first + BLOCK, keys.size)):
            begin, end = children.starts[here - first], children.starts[here - first + 1]
            mass, code = above.chances[here], codes[here]
            if mass == 0.0:
                continue
            if code == ALL:
                used[0][end - begin] = True
            else:
                used[1][code] = True
            for k in range(primes.size):
                factors[k] = above.residues[here, k]
                if code == ALL:
                    factors[k] = factors[k] * rows.inverses[end - begin, k] % primes[k]
            for one in range(begin, end):
                action, status = children.actions[one], children.status[one]
                share = mass * (1.0 / (end - begin) if code == ALL else rows.chances[code, action])
                if status == api.ONGOING:
                    slot = slot_of(children.keys[one], children.places[one], below)
                    _receive(after, int(below.slots[slot]) - 1, share, rows, code, action, factors)
                else:
                    _receive(ended, int(status), share, rows, code, action, factors)


@kernel
def _pull(
    like: api.State,
    keys: NDArray[np.uint64],
    codes: NDArray[np.int32],
    rows: _Rows,
    seat: int,
    below: Below,
    after: NDArray[np.float64],
    values: NDArray[np.float64],
    children: Children,
) -> None:
    """Fill the values of some states for `seat`, which responds best, from those of the next level, `after`."""
    for first in range(0, keys.size, BLOCK):
        gather(like, keys, codes, rows.support, first, below, children)
        for here in range(first, min(first + BLOCK, keys.size)):
            begin, end = children.starts[here - first], children.starts[here - first + 1]
            code, responds = codes[here], api.player(api.state_of_key(like, keys[here])) == seat
            total = -2.0 if responds else 0.0
            for one in range(begin, end):
                if children.status[one] == api.ONGOING:
                    slot = slot_of(children.keys[one], children.places[one], below)
                    value = after[np.int64(below.slots[slot]) - 1]
                else:
                    value = 1.0 - result_of(children.status[one], seat)
                if responds:
                    total = max(total, value)
                else:
                    total += value * (1.0 / (end - begin) if code == ALL else rows.chances[code, children.actions[one]])
            values[here] = total


@kernel
def _find_move(
    like: api.State,
    keys: NDArray[np.uint64],
    codes: NDArray[np.int32],
    support: NDArray[np.bool_],
    below: Below,
    status: int,
    key: np.uint64,
    children: Children,
) -> tuple[int, int]:
    """Return the first state and action that lead to a status, and to a key if it is ONGOING; (-1, -1) without one."""
    for first in range(0, keys.size, BLOCK):
        gather(like, keys, codes, support, first, below, children)
        for here in range(first, min(first + BLOCK, keys.size)):
            for one in range(children.starts[here - first], children.starts[here - first + 1]):
                if children.status[one] == status and (status != api.ONGOING or children.keys[one] == key):
                    return here, int(children.actions[one])
    return -1, -1


def _prepared(game: Game, rows: Rows, primes: Sequence[int]) -> _Rows:
    """Return the rows of a book for kernels."""
    sums = rows.sum(axis=1)
    residues = np.zeros((*rows.shape, len(primes)), np.int64)
    inverses = np.zeros((game.num_actions + 1, len(primes)), np.int64)
    for place, prime in enumerate(primes):
        of_rows = np.array([pow(int(one), -1, prime) for one in sums], np.int64)
        residues[:, :, place] = rows % prime * of_rows[:, None] % prime
        inverses[1:, place] = [pow(number, -1, prime) for number in range(1, game.num_actions + 1)]
    arrays = np.ascontiguousarray(rows > 0), rows / sums[:, None], residues, inverses, np.array(primes, np.int64)
    return _Rows(*map(frozen, arrays))


class _ForwardPass:
    """A pass of probability through all levels, with a number of primes that may turn out to be too small.

    Attributes
    ----------
    whole
        A common multiple of the denominators of all results.
    """

    def __init__(self, levels: Levels, policy: StatePolicy | None, primes: Sequence[int], name: str) -> None:
        self.levels, self.game, self.policy, self.name = levels, levels.game, policy, name
        self.primes, self.whole = list(primes), 1
        self.book = RowBook(self.game.num_actions, levels.rows)
        self.children = make_children(self.game)
        self.lengths = np.zeros((4, len(levels.levels) + 1))
        self.totals = np.zeros((4, len(primes)), np.uint32)
        self.unfinished = 0.0

    def run(self) -> None:
        """Push the probability of the start through all levels."""
        levels = self.levels.levels
        above = _Mass(np.ones(1), np.ones((1, len(self.primes)), np.uint32))
        for ply in range(len(levels)):
            is_last = ply + 1 == len(levels)
            if is_last and self.levels.is_partial:
                self.unfinished = float(above.chances.sum())
                return
            keys = levels[ply + 1].keys if not is_last else np.empty(0, np.uint64)
            above = self._next(ply, below_of(keys), above)
            report_progress(f"exact result against {self.name}", ply + 1, len(levels), "plies")

    def _next(self, ply: int, below: Below, above: _Mass) -> _Mass:
        """Push the probability of one level; return that of the next."""
        shape = below.keys.size, len(self.primes)
        after = _Mass(np.zeros(below.keys.size), np.zeros(shape, np.uint32))
        ended = _Mass(np.zeros(4), np.zeros((4, len(self.primes)), np.uint32))
        counts, used_rows = np.zeros(self.game.num_actions + 1, np.bool_), np.zeros(0, np.bool_)
        rows = None
        for part, keys, level_codes in self.levels.levels[ply].chunks():
            chances = above.chances[part]
            codes = self._codes(keys, level_codes, chances)
            if rows is None or len(rows.support) < len(self.book.rows):
                rows = _prepared(self.game, self.book.rows, self.primes if self.book.is_exact else [])
                used_rows = np.concatenate([used_rows, np.zeros(len(rows.support) - used_rows.size, np.bool_)])
            here = _Mass(chances, above.residues[part])
            used = counts, used_rows
            _push(self.game.initial_state, keys, codes, rows, below, here, after, ended, used, self.children)
            check_interrupt()
        sums = self.book.rows[: used_rows.size].sum(axis=1)[used_rows] if self.book.is_exact else []
        self.whole *= lcm(*map(int, np.flatnonzero(counts)), *map(int, sums))
        self.lengths[:, ply + 1] = ended.chances
        primes = np.array(self.primes, np.int64)
        self.totals = ((self.totals.astype(np.int64) + ended.residues) % primes).astype(np.uint32)
        return after

    def _codes(
        self, keys: NDArray[np.uint64], codes: NDArray[np.int32], chances: NDArray[np.float64]
    ) -> NDArray[np.int32]:
        """Return the codes of some states, those of the opponent in the states that it reaches."""
        if self.policy is None:
            return codes
        reached = np.flatnonzero(chances)
        fragment = fragment_of(self.game, keys[reached])
        asked = np.flatnonzero(fragment.player != self.levels.fixed.seat)
        both = codes.copy()
        if asked.size:
            free = fragment_of(self.game, fragment.key[asked]) if asked.size < reached.size else fragment
            both[reached[asked]] = self.book.codes(self.policy(free))
        return frozen(both)

    def fractions(self) -> OutcomeFractions | None:
        """Return the results as fractions; None if the primes do not suffice."""
        if not self.book.is_exact or self.unfinished or prod(self.primes[:-1]) <= self.whole:
            return None
        residues = self.totals[list(_STATUSES)].T.tolist()
        return fractions_of(zip(self.primes, residues, strict=True), self.whole)


def level_outcome(levels: Levels, policy: StatePolicy | None = None, name: str = "random") -> LevelOutcome:
    """Return the exact result of the agent of some levels against an opponent in the free seat.

    Parameters
    ----------
    levels
        The states and the agent's choices.
    policy
        The opponent, queried in the states of its seat that it reaches (default: uniformly random).
    name
        The opponent's name, for progress reports.
    """
    game = levels.game
    sums = {int(one) for one in levels.rows.sum(axis=1)} if levels.rows.dtype.kind != "f" else {1}
    bound = len(levels.levels) * max(lcm(*range(1, game.num_actions + 1), *sums).bit_length(), 1)
    if levels.deterministic:  # half of the plies have a denominator
        bound = bound // 2 + bound // max(len(levels.levels), 1)
    while True:
        count = int(bound / _BITS_OF_A_PRIME) + 2
        source = primes_avoiding(sums | set(range(2, game.num_actions + 1)))
        primes = [next(source) for _ in range(count)] if levels.rows.dtype.kind != "f" and not levels.is_partial else []
        found = _ForwardPass(levels, policy, primes, name)
        found.run()
        fractions = found.fractions()
        if not primes or not found.book.is_exact or fractions is not None:
            break
        sums |= {int(one) for one in found.book.rows.sum(axis=1)}
        bound = found.whole.bit_length()
    lengths = found.lengths[list(_STATUSES)]
    x_wins, draws, o_wins = lengths.sum(axis=1).tolist()
    return LevelOutcome(x_wins, draws, o_wins, lengths, fractions, found.unfinished)


def best_value(levels: Levels) -> float:
    """Return the value of the best response of the free seat, for that seat."""
    game, seat = levels.game, int(Seat(levels.fixed.seat).other)
    rows, children = _prepared(game, levels.rows, []), make_children(game)
    after, below = frozen(np.zeros(0)), below_of(np.empty(0, np.uint64))
    for ply in range(len(levels.levels) - 1, -1, -1):
        level = levels.levels[ply]
        values = np.empty(level.keys.size)
        for part, keys, codes in level.chunks():
            _pull(game.initial_state, keys, codes, rows, seat, below, after, values[part], children)
            check_interrupt()
        after, below = frozen(values), below_of(level.keys)
        report_progress("best response", len(levels.levels) - ply, len(levels.levels), "plies")
    return float(after[0])


def shortest_line(levels: Levels, status: int) -> list[int] | None:
    """Return the actions of a shortest game that ends with a status; None if no game does.

    Each action of the fixed seat is one that its agent may play.  Among the shortest games, the first discovered one is
    returned.
    """
    plies = np.flatnonzero(levels.ends[:, status])
    if not plies.size:
        return None
    game, children = levels.game, make_children(levels.game)
    below, support = below_of(np.empty(0, np.uint64)), levels.support
    line: list[int] = []
    wanted, key = status, np.uint64(0)
    for ply in range(int(plies[0]), -1, -1):
        for _, keys, codes in levels.levels[ply].chunks():
            found, action = _find_move(game.initial_state, keys, codes, support, below, wanted, key, children)
            if found >= 0:
                line.append(int(action))
                wanted, key = int(api.ONGOING), keys[found]
                break
    return line[::-1]
