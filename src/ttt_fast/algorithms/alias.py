"""Policies over a table of states as alias slots, which kernels sample with one random word (Walker; Vose 1991)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.policies.policy import Policy
from ttt_fast.tables.state_table import Edges, cached_on_table

FULL_SLOT = (1 << 32) - 1


class AliasSlots(NamedTuple):
    """The alias slots of every state.

    Attributes
    ----------
    number : (S,) uint8
        Number of slots of each state, one for each action of positive probability (possibly 0).
    slots : (E,) uint64
        The slots of state s begin at edge_start[s]: threshold << 32 | second << 16 | first.  Both `first` and `second`
        are places among the legal actions.  The first action has threshold / 2**32 of the slot, or all of it if both
        are the same.
    """

    number: NDArray[np.uint8]
    slots: NDArray[np.uint64]


@inlined_kernel
def pair_outcomes(
    mass: NDArray[np.float64],
    least: int,
    threshold: NDArray[np.int64],
    second: NDArray[np.int64],
    waiting: NDArray[np.int64],
) -> None:
    """Pair each poor outcome with a rich one, which takes the rest of its slot (Vose's method).

    The last poor outcome is paired with the last rich one.  A rich outcome that becomes poor is appended to the poor
    ones.

    Parameters
    ----------
    mass : (N,) float64
        Probabilities of the outcomes, times their number; overwritten.
    least
        Least threshold.
    threshold, second : (M,) int64
        Output for each pair: the poor outcome's own share of the slot, in units of 2**-32, and the rich outcome.
    waiting : (2, M) int64
        Scratch array, M at least N.
    """
    poor, rich, num_poor, num_rich = waiting[0], waiting[1], 0, 0
    for i in range(mass.size):
        if mass[i] < 1.0:
            poor[num_poor] = i
            num_poor += 1
        else:
            rich[num_rich] = i
            num_rich += 1
    while num_poor > 0 and num_rich > 0:
        num_poor -= 1
        taker, giver = poor[num_poor], rich[num_rich - 1]
        share = max(least, round(mass[taker] * 4294967296.0))
        if share <= FULL_SLOT:  # else the slot is the taker's alone
            threshold[taker], second[taker] = share, giver
            mass[giver] -= 1.0 - mass[taker]
            if mass[giver] < 1.0:
                num_rich -= 1
                poor[num_poor] = giver
                num_poor += 1


@kernel
def fill_slots(edges: Edges, chance: NDArray[np.float64], count: NDArray[np.uint8], slots: NDArray[np.uint64]) -> None:
    """Fill `count` and `slots` by Vose's method."""
    places, mass, waiting = np.empty(256, np.int64), np.empty(256), np.empty((2, 256), np.int64)
    threshold, second = np.empty(256, np.int64), np.empty(256, np.int64)
    for state in range(count.size):
        first, end = edges.start[state], edges.start[state + 1]
        n = 0
        for edge in range(first, end):
            if chance[edge] > 0:
                places[n] = edge - first
                n += 1
        for i in range(n):
            mass[i] = chance[first + places[i]] * n
            threshold[i], second[i] = FULL_SLOT, i
        pair_outcomes(mass[:n], 1, threshold, second, waiting)
        count[state] = n
        for i in range(n):
            packed = threshold[i] << 32 | places[second[i]] << 16 | places[i]
            slots[first + i] = np.uint64(packed)


@cached_on_table(16)
def alias_slots(policy: Policy) -> AliasSlots:
    """Return the slots of a policy; cached, since the runs of a sweep meet the same opponents.

    Examples
    --------
    >>> from ttt_fast import as_policy
    >>> found = alias_slots(as_policy("random"))
    >>> int(found.number[0]), hex(found.slots[2])
    (9, '0xffffffff00020002')
    """
    table = policy.table
    found = AliasSlots(np.zeros(table.num_states, np.uint8), np.zeros(table.num_edges, np.uint64))
    fill_slots(table.edges, policy.edge_probabilities, found.number, found.slots)
    return found
