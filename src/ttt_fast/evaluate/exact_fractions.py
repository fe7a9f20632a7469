"""The exact result of a match as fractions: a forward pass in the arithmetic of several primes.

Modulo a prime every probability is an integer, so that one pass over the table with 64-bit integers gives each result
modulo that prime.  The denominator divides a number that is known in advance: the product over the plies of the least
common multiple of the policies' row sums.  Primes whose product exceeds it determine the numerators (the Chinese
remainder theorem), and one more prime checks them.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import isqrt, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import PolicyError
from ttt_fast.core.jit import kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.policies.joint import check_pair
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.views import CHANCES, CHOICE, UNIFORM, Moves
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.tables.state_table import ROOT, Edges, StateTable

_LARGEST_PRIME = 2**31 - 1
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


@kernel(plain=True)
def _propagate_modulo(
    edges: Edges,
    edge_action: NDArray[np.uint8],
    x: Moves,
    o: Moves,
    start: int,
    uniform_start: bool,
    prime: int,
    inverses: NDArray[np.int64],
    reach: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Push probability from `start` down the table, modulo a prime below 2**31.

    Parameters
    ----------
    edges, edge_action, x, o, start, uniform_start
        As in `exact_outcome`; probabilities are integers modulo the prime.
    prime
        The prime.
    inverses : (A + 1,) int64
        The inverse of each number of actions.
    reach : (S,) int64
        Zero on entry; afterwards congruent to the probability of each state.
    totals : (4,) int64
        Zero on entry; the sum over the states of each status.
    """
    edge_start, edge_child, status, player = edges
    reach[start] = 1
    for state in range(start, len(status)):
        mass = reach[state] % prime  # a sum of at most 2**32 numbers below 2**31
        if mass == 0:
            continue
        if player[state] == 0:
            totals[status[state]] = (totals[status[state]] + mass) % prime
            continue
        first, after = edge_start[state], edge_start[state + 1]
        is_x = player[state] == api.X
        form = x.form if is_x else o.form
        if state == start and uniform_start:
            form = UNIFORM
        if form == CHANCES:
            for edge in range(first, after):
                reach[edge_child[edge]] += mass * (x.probabilities[edge] if is_x else o.probabilities[edge]) % prime
            continue
        if form == CHOICE:
            action = x.actions[state] if is_x else o.actions[state]
            while edge_action[first] != action:
                first += 1
            after = first + 1
        share = mass * inverses[after - first] % prime
        for edge in range(first, after):
            reach[edge_child[edge]] += share


class _Weighed(NamedTuple):
    """The weights of a policy, (E,), the distinct sums of its rows, and the index of each state's sum, (S,)."""

    weights: NDArray[np.integer]
    sums: NDArray[np.int64]
    which: NDArray[np.int64]


def _weighed(policy: Policy) -> _Weighed | None:
    """Return the weights of a policy; None if its form determines its probabilities."""
    if policy.form in ("uniform", "choice"):
        return None
    if policy.form != "weights" or policy.stored is None:
        raise PolicyError(
            f"policy {policy.name!r}: expected integer weights, from which exact fractions are computed, got"
            " probabilities as floats; exact_outcome takes them"
        )
    sums, which = np.unique(policy.table.row_sums(policy.stored), return_inverse=True)
    return _Weighed(policy.stored, sums, which)


def _moves_modulo(policy: Policy, weighed: _Weighed | None, prime: int) -> Moves:
    """Return the moves of a policy modulo a prime that divides none of its row sums."""
    if weighed is None:
        return policy.moves._replace(probabilities=frozen(np.zeros(0, np.int64)))
    inverses = np.array([pow(int(one), -1, prime) if one else 0 for one in weighed.sums], np.int64)
    of_states, chances = inverses[weighed.which], np.empty(policy.table.num_edges, np.int64)
    for states, edges in policy.table.blocks():
        weights = weighed.weights[edges].astype(np.int64) % prime
        chances[edges] = weights * policy.table.to_edges(of_states[states], states) % prime
    return policy.moves._replace(form=CHANCES, probabilities=frozen(chances))


def denominator(x: Policy, o: Policy, *, start: int = ROOT, random_opening: bool = False) -> int:
    """Return a common multiple of the denominators of all results; parameters as for `exact_fractions`.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_policy
    >>> denominator(as_policy("random"), as_policy("random"))  # 9!
    362880
    """
    x, o = check_pair(x, o)
    return _denominator(x.table, (x, o), (_weighed(x), _weighed(o)), start, random_opening)


def _denominator(
    table: StateTable, pair: tuple[Policy, Policy], weighed: Sequence[_Weighed | None], start: int, random_opening: bool
) -> int:
    """Return `denominator` for policies with known weights."""
    product, counts = 1, np.diff(table.edge_start)
    rows = [_row_sums(policy, found, counts) for policy, found in zip(pair, weighed, strict=True)]
    for ply in range(int(table.ply[start]), table.num_plies):
        here = slice(*table.ply_start[ply : ply + 2])
        of_ply = set[int]()
        for seat, (sums, which) in zip((api.X, api.O), rows, strict=True):
            used = np.bincount(which[here][table.player[here] == seat])
            of_ply.update(int(sums[index]) for index in used.nonzero()[0])
        product *= lcm(*of_ply)
    return product * (max(int(counts[start]), 1) if random_opening else 1)


def _row_sums(
    policy: Policy, weighed: _Weighed | None, counts: NDArray[np.int32]
) -> tuple[NDArray[np.integer] | range, NDArray[np.integer]]:
    """Return the sums that occur among the states' weights, and the index of each state's sum, (S,)."""
    if weighed is not None:
        return weighed.sums, weighed.which
    return range(257), counts if policy.form == "uniform" else np.ones(counts.size, np.int8)


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
    x, o = check_pair(x, o)
    table = x.table
    start = table.check_state(start)
    weighed = _weighed(x), _weighed(o)
    whole = _denominator(table, (x, o), weighed, start, random_opening)
    avoid = {int(one) for found in weighed if found is not None for one in found.sums if one}

    def passes() -> Iterator[tuple[int, list[int]]]:
        for prime in primes_avoiding(avoid):
            check_interrupt()
            moves = (_moves_modulo(x, weighed[0], prime), _moves_modulo(o, weighed[1], prime))
            yield prime, _totals_modulo(table, *moves, start, random_opening, prime)

    return fractions_of(passes(), whole)


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


def _totals_modulo(table: StateTable, x: Moves, o: Moves, start: int, random_opening: bool, prime: int) -> list[int]:
    """Return the probabilities that X wins, of a draw, and that O wins, modulo a prime."""
    inverses = np.array([0, *(pow(number, -1, prime) for number in range(1, table.num_actions + 1))], np.int64)
    reach, totals = np.zeros(table.num_states, np.int64), np.zeros(4, np.int64)
    _propagate_modulo(
        table.edges, table.edge_action, x, o, start, bool(random_opening), prime, frozen(inverses), reach, totals
    )
    return [int(totals[status]) for status in _STATUSES]
