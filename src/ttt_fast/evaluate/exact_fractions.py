"""The exact result of a match as fractions: a forward pass in the arithmetic of several primes.

Modulo a prime every probability is an integer, so that one pass over the table with 64-bit integers gives each result
modulo all primes.  The denominator divides a number that is known in advance: the product over the plies of the least
common multiple of the policies' row sums.  Primes whose product exceeds it determine the numerators (the Chinese
remainder theorem), and one more prime checks them.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, islice
from math import isqrt, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy, check_pair
from ttt_fast.policies.views import CHANCES, CHOICE, UNIFORM
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.tables.state_table import ROOT, Edges, StateTable

_LARGEST_PRIME = 2**31 - 1
_BITS_OF_A_PRIME = 30.99
_RESIDUES = 1 << 27
"""Residues of a ply that are computed at once: a gibibyte."""
_BLOCK_EDGES = 1 << 22
_STATUSES = (api.X_WINS, api.DRAW, api.O_WINS)


class OutcomeFractions(NamedTuple):
    """The result of a match between scripted players as fractions.

    Examples
    --------
    >>> random = Policy.uniform("tic-tac-toe")
    >>> sum(exact_fractions(random, random))
    Fraction(1, 1)
    """

    x_wins: Fraction
    draws: Fraction
    o_wins: Fraction


class _Weights(NamedTuple):
    """The moves of a policy in some plies, modulo K primes, for a kernel.

    Attributes
    ----------
    form
        UNIFORM, CHOICE or CHANCES.
    actions : (S,) uint8
        The actions of the form CHOICE, of all states.
    weights : (E',) int64, which : (S',) int64, inverses : (R * K,) int64
        Of the form CHANCES: the weights of the edges of these plies, below 2**31, the index of the row sum of each of
        their states, and the inverse of each of R sums.
    """

    form: int
    actions: NDArray[np.uint8]
    weights: NDArray[np.int64]
    which: NDArray[np.int64]
    inverses: NDArray[np.int64]


@kernel(plain=True)
def _propagate_modulo(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    x: _Weights,
    o: _Weights,
    drawn: int,
    plies: tuple[int, int],
    ply_start: NDArray[np.int32],
    places: NDArray[np.int64],
    primes: NDArray[np.int64],
    inverses: NDArray[np.int64],
    mass: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Push probability through some plies, modulo K primes below 2**31.

    Parameters
    ----------
    edges, edge_action, x, o, ply_start
        The table, and the policies in these plies.
    drawn
        A state whose action is drawn uniformly; -1 without one.
    plies
        The first ply, and the one after the last.
    places : (P + 2,) int64
        `StateTable.places_of_two_plies`.
    primes : (K,) int64, inverses : ((A + 1) * K,) int64
        The primes, and the inverses of each number of actions.
    mass : (2 * W * K,) int64
        Numbers congruent to the probabilities of the states of two plies, sums of at most 2**32 numbers below 2**31.
    totals : (4 * K,) int64
        The residues of each status, to which those of the terminal states are added.
    """
    edge_start, edge_child, status, player = edges
    count, first_state = len(primes), ply_start[plies[0]]
    first_edge = edge_start[first_state]
    for ply in range(plies[0], plies[1]):
        here, below = places[ply], places[ply + 1]
        for state in range(ply_start[ply], ply_start[ply + 1]):
            at, row, is_zero = (state + here) * count, state - first_state, True
            for k in range(count):
                is_zero = is_zero and mass[at + k] == 0
            if is_zero:
                continue
            first, after, is_x = edge_start[state], edge_start[state + 1], player[state] == api.X
            form = x.form if is_x else o.form
            if state == drawn:
                form = UNIFORM
            if form == CHOICE and player[state] != 0:
                action = x.actions[state] if is_x else o.actions[state]
                while edge_action[first] != action:
                    first += 1
                after = first + 1
            for k in range(count):
                prime = primes[k]
                share = mass[at + k] % prime
                mass[at + k] = 0
                if player[state] == 0:
                    totals[status[state] * count + k] = (totals[status[state] * count + k] + share) % prime
                elif form == CHANCES and is_x:
                    share = share * x.inverses[x.which[row] * count + k] % prime
                    for edge in range(first, after):
                        mass[(edge_child[edge] + below) * count + k] += share * x.weights[edge - first_edge] % prime
                elif form == CHANCES:
                    share = share * o.inverses[o.which[row] * count + k] % prime
                    for edge in range(first, after):
                        mass[(edge_child[edge] + below) * count + k] += share * o.weights[edge - first_edge] % prime
                else:
                    if after - first > 1:
                        share = share * inverses[(after - first) * count + k] % prime
                    for edge in range(first, after):
                        mass[(edge_child[edge] + below) * count + k] += share


class _Sums(NamedTuple):
    """The distinct row sums of a policy's weights in some plies, (R,), and the index of each state's sum, (S',)."""

    distinct: NDArray[np.int64]
    which: NDArray[np.int64]


def _blocks(table: StateTable, begun: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of plies with some millions of edges, or of one ply, from the ply `begun` to the last one."""
    starts = table.edge_start[table.ply_start]
    while begun <= table.num_plies:
        end = max(begun + 1, int(np.searchsorted(starts, starts[begun] + _BLOCK_EDGES, "right")) - 1)
        end = table.num_plies + 1 if end >= table.num_plies else end
        yield begun, end
        begun = end


def _parts(table: StateTable, plies: tuple[int, int]) -> tuple[slice, slice]:
    """Return the states and the edges of a range of plies."""
    first, end = (int(table.ply_start[ply]) for ply in plies)
    return slice(first, end), slice(int(table.edge_start[first]), int(table.edge_start[end]))


def _sums_of(policy: Policy, plies: tuple[int, int]) -> _Sums | None:
    """Return the row sums of a policy in some plies; None if its form determines its probabilities."""
    if policy.form in ("uniform", "choice"):
        return None
    if policy.form != "weights" or policy.stored is None:
        raise PolicyError(
            f"policy {policy.name!r}: expected integer weights, from which exact fractions are computed, got"
            " probabilities as floats; exact_outcome takes them"
        )
    states, edges = _parts(policy.table, plies)
    sums = policy.table.reduced(np.add, policy.stored[edges], states, np.int64)
    return _Sums(*np.unique(sums, return_inverse=True))


def _weights_of(policy: Policy, sums: _Sums | None, plies: tuple[int, int], primes: Sequence[int]) -> _Weights:
    """Return the moves of a policy in some plies, modulo primes that divide none of its row sums."""
    nothing = frozen(np.zeros(0, np.int64))
    if sums is None or policy.stored is None:
        return _Weights(policy.moves.form, policy.moves.actions, nothing, nothing, nothing)
    inverses = [pow(int(one), -1, prime) if one else 0 for one in sums.distinct for prime in primes]
    weights = policy.stored[_parts(policy.table, plies)[1]].astype(np.int64)
    if len(primes) == 1:
        weights %= primes[0]
    arrays = weights, sums.which.astype(np.int64), np.array(inverses, np.int64)
    return _Weights(CHANCES, policy.moves.actions, *map(frozen, arrays))


class Passes:
    """The passes of a match, whose parameters are those of `exact_fractions`.

    Attributes
    ----------
    whole
        A common multiple of the denominators.
    avoid
        Numbers that the primes must not divide.
    """

    def __init__(self, x: Policy, o: Policy, start: int, random_opening: bool) -> None:
        self.x, self.o = check_pair(x, o)
        self.table, self.start = x.table, x.table.check_state(start)
        self.drawn = start if random_opening else -1
        self.begun = self.table.ply_of(start)
        self.whole, self.avoid = 1, set[int]()
        for plies in _blocks(self.table, self.begun):
            self._count(plies)
        if random_opening:
            self.whole *= max(int(self.table.edge_start[start + 1] - self.table.edge_start[start]), 1)

    def fractions(self) -> OutcomeFractions:
        """Return the result of the match."""
        source, at_once = primes_avoiding(self.avoid), self.primes_at_once()
        batches = iter(lambda: list(islice(source, at_once)), [])
        return fractions_of(chain.from_iterable(map(self.residues, batches)), self.whole)

    def _count(self, plies: tuple[int, int]) -> None:
        """Multiply `whole` by the least common multiple of the row sums of each ply."""
        states, _ = _parts(self.table, plies)
        counts = np.diff(self.table.edge_start[states.start : states.stop + 1])
        pair = [(api.X, self.x, _sums_of(self.x, plies)), (api.O, self.o, _sums_of(self.o, plies))]
        for ply in range(*plies):
            here = slice(*(self.table.ply_start[ply : ply + 2] - states.start).tolist())
            player, of_ply = self.table.player[states][here], set[int]()
            for seat, policy, sums in pair:
                if sums is not None:
                    used = np.bincount(sums.which[here][player == seat]).nonzero()[0]
                    of_ply.update(sums.distinct[used].tolist())
                elif policy.form == "uniform":
                    of_ply.update(np.bincount(counts[here][player == seat]).nonzero()[0].tolist())
            self.whole *= lcm(*of_ply)
            self.avoid |= of_ply

    def primes_at_once(self) -> int:
        """Return the number of primes of one pass: all, unless there are too many states or too large weights."""
        large = any(one.stored is not None and one.stored.dtype.itemsize > 2 for one in (self.x, self.o))
        if large and max(self.avoid, default=0) >= 1 << 31:
            return 1
        return max(1, min(int(self.whole.bit_length() / _BITS_OF_A_PRIME) + 2, _RESIDUES // self.table.widest_ply))

    def residues(self, primes: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield each prime with the probabilities that X wins, of a draw, and that O wins, modulo the prime."""
        table, count = self.table, len(primes)
        numbers = range(table.num_actions + 1)
        inverses = [pow(number, -1, prime) if number else 0 for number in numbers for prime in primes]
        constants = frozen(np.array(primes, np.int64)), frozen(np.array(inverses, np.int64))
        mass, totals = np.zeros(2 * table.widest_ply * count, np.int64), np.zeros(4 * count, np.int64)
        first = (self.start + int(table.places_of_two_plies[self.begun])) * count
        mass[first : first + count] = 1
        for plies in _blocks(table, self.begun):
            x, o = (_weights_of(one, _sums_of(one, plies), plies, primes) for one in (self.x, self.o))
            where = self.drawn, plies, table.ply_start, table.places_of_two_plies
            _propagate_modulo(table.edges, table.edge_action, x, o, *where, *constants, mass, totals)
            check_interrupt()
        for k, prime in enumerate(primes):
            yield prime, [int(totals[status * count + k]) for status in _STATUSES]


@cache
def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(3, isqrt(number) + 1, 2))


def primes_avoiding(avoid: set[int]) -> Iterator[int]:
    """Yield the primes below 2**31 that divide none of the numbers in `avoid`, in descending order."""
    for number in range(_LARGEST_PRIME, 2, -2):
        if _is_prime(number) and all(one % number for one in avoid):
            yield number


def exact_fractions(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> OutcomeFractions:
    """Return the result of a match between two policies of one game as fractions."""
    return Passes(x, o, start, random_opening).fractions()


def fractions_of(passes: Iterable[tuple[int, list[int]]], whole: int) -> OutcomeFractions:
    """Return the results of which the residues modulo enough primes are known.

    Parameters
    ----------
    passes
        Primes, each with the residues of the three probabilities; their product exceeds `whole` before the last one,
        which checks the others.
    whole
        A common multiple of the denominators.
    """
    numerators, modulus = [0, 0, 0], 1
    for prime, residues in passes:
        wanted = [one * (whole % prime) % prime for one in residues]
        if modulus > whole:
            assert [one % prime for one in numerators] == wanted, "the passes modulo primes contradict each other"
            break
        step = pow(modulus, -1, prime)
        numerators = [
            one + modulus * ((target - one) * step % prime) for one, target in zip(numerators, wanted, strict=True)
        ]
        modulus *= prime
    return OutcomeFractions(*(Fraction(one, whole) for one in numerators))
