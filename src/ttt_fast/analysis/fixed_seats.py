"""Tables with a fixed seat: the states that can arise against an agent, within limits, with the edges that it may play.

The agent is asked in blocks of states, and again in a sample of each block.
"""

import hashlib
from dataclasses import replace
from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.resolve import Resolved
from ttt_fast.core.errors import AgentError, TableSizeError
from ttt_fast.core.manifest import available_memory
from ttt_fast.evaluate.outcome import Outcome
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.tables.block import Block
from ttt_fast.tables.enumeration import Enumeration
from ttt_fast.tables.state_table import FixedSeat, StateTable

_ASKED_AGAIN = 128
"""States of each block that are asked again, in another order."""
MAX_POSITIONS = 1e9
"""Default limit of positions."""
_BYTES_OF_A_POSITION = 50
"""Memory for a position and its edges, and for the exact passes over them."""
_LAST_GROWTH = -0.3
"""Growth over the last two plies, in logarithms, with which the forecasts were closest."""
_SURE = 50_000
"""States of the first ply from which a forecast counts."""


class InducedSizeError(TableSizeError):
    """The states that can arise against an agent exceed a limit.

    Attributes
    ----------
    table
        The states up to a ply; those of this ply have no edges and no player to move.
    forecast
        The expected number of positions in all.
    outcome
        The exact result so far against random, whose probabilities are those of the games that have ended within the
        table; None if unknown.
    """

    def __init__(self, text: str, table: StateTable, forecast: float, outcome: Outcome | None = None) -> None:
        super().__init__(text)
        self.table, self.forecast, self.outcome = table, forecast, outcome


def forecast(sizes: list[int], plies: int) -> float:
    """Return the expected number of positions in all, from the sizes of the first plies.

    The growth over two plies, in logarithms, is expected to decline linearly until the board is full: so it does for
    the scripted rule and for n-tuples of Connect 4, whose totals are forecast within a factor of three from ply 14 on.

    Examples
    --------
    >>> round(forecast([1, 7, 7, 42, 41, 240, 146, 800, 433], 42))
    14261744
    """
    if len(sizes) < 5 or len(sizes) >= plies:
        return float(sum(sizes))
    logs = [log(max(size, 1)) for size in sizes]
    growth = (logs[-1] - logs[-3] + logs[-2] - logs[-4]) / 2
    step = (_LAST_GROWTH - growth) / (plies - len(sizes))
    total = float(sum(sizes))
    for _ in range(len(sizes), plies):
        growth += step
        logs.append(logs[-2] + growth)
        total += exp(logs[-1])
    return total


class Limits(NamedTuple):
    """Limits of an enumeration: the largest number of positions, and bytes of memory."""

    positions: float
    memory: float

    @classmethod
    def default(cls, positions: float | None = None) -> "Limits":
        """Return the limits of this machine, and at most `positions`, if it is given."""
        memory = float(available_memory())
        room = min(MAX_POSITIONS, memory / _BYTES_OF_A_POSITION)
        return cls(room if positions is None else min(room, positions), memory)


class _Asking:
    """An agent that is asked block by block, and the numbers of the edges that it may play."""

    def __init__(self, agent: Resolved, seat: int) -> None:
        self.agent, self.game, self.seat, self.random = agent, agent.game, seat, np.random.default_rng(0)
        self.numbers = list[tuple[int, NDArray[Any] | None]]()
        self.samples = list[tuple[NDArray[np.uint64], NDArray[Any]]]()

    def choose(self, block: Block) -> NDArray[np.bool_]:
        """Return the edges of a block that the agent may play."""
        policies = self.agent.ask(block, np.arange(block.num_states))
        numbers = np.concatenate([_numbers(policy) for _, policy in policies])
        some = self.random.permutation(block.num_states)[:_ASKED_AGAIN]
        self.samples.append((block.key[some], block.part(some).dense(numbers[block.edges_of(some)])))
        remains = numbers > 0
        kept, counts = numbers[remains], block.row_sums(remains)
        starts = np.cumsum(counts) - counts
        if numbers.dtype.kind != "f":  # 3 to 3 is 1 to 1, whatever else is in the block
            kept = kept // np.repeat(np.gcd.reduceat(kept, starts), counts) if kept.size else kept
        is_even = kept.size == block.num_states or bool((kept == np.repeat(kept[starts], counts)).all())
        self.numbers.append((kept.size, None if is_even else kept))
        return remains

    def weights(self, table: StateTable) -> NDArray[Any] | None:
        """Return the numbers of all edges of a table, as `StateTable.weights`."""
        some = [numbers for _, numbers in self.numbers if numbers is not None]
        if not some:
            return None
        found = np.ones(table.num_edges, np.result_type(*some))
        parts = [np.ones(size, found.dtype) if numbers is None else numbers for size, numbers in self.numbers]
        of_agent = np.concatenate(parts)
        own = np.flatnonzero(table.to_edges(table.player == self.seat))
        found[own] = of_agent[: own.size]  # of a part of the table, the last edges are unknown
        if found.dtype.kind == "f":  # rows of weights and of equal chances, too
            found /= table.to_edges(table.row_sums(found))
        return found

    def check_answers(self) -> None:
        """Ask again in the samples, in another order; raise AgentError if an answer differs."""
        for keys, rows in reversed(self.samples):
            block = Block.of_keys(self.game, keys[::-1])
            again = block.dense(_numbers(self.agent.policy_in(block)))[::-1]
            for place in np.flatnonzero((again != rows).any(axis=1))[:1].tolist():
                board = self.game.format_position(api.state_of_key(self.game.initial_state, keys[place]))
                raise AgentError(
                    f"expected an agent that always answers alike, but {self.agent.spec.text!r} gave two answers at"
                    f" {board!r}; `ttt-fast match` plays with such agents"
                )


def _numbers(policy: Policy) -> NDArray[Any]:
    """Return numbers in proportion to the probabilities of the edges of each state: exact ones, if there are any."""
    if policy.form in ("uniform", "choice"):
        return policy.support.astype(np.uint8)
    assert policy.stored is not None
    return policy.stored


def _identified(fixed: FixedSeat, table: StateTable) -> FixedSeat:
    """Return the identity of a table; an agent that no text determines is identified by its answers."""
    if fixed.digest:
        return fixed
    digest = hashlib.sha256(table.edge_action.tobytes())
    if table.weights is not None:
        digest.update(table.weights.tobytes())
    return fixed._replace(digest=digest.hexdigest())


def enumerated(agent: Resolved, fixed: FixedSeat, limits: Limits) -> StateTable:
    """Return the table of the states that can arise when an agent moves in one seat.

    Parameters
    ----------
    agent
        The agent in a game with exact keys; it is asked once in each state of its seat, and again in a sample.
    fixed
        The seat and its agent; without a digest, that of the agent's answers is taken.
    limits
        Limits of the enumeration.

    Raises
    ------
    InducedSizeError
        If there are more positions than the limits allow, or the forecast says so.
    AgentError
        If the agent does not always answer alike.
    """
    game = agent.game
    if not api.has_exact_key(game.initial_state):
        raise TableSizeError(f"expected a game whose states can be enumerated, got {game.spec!r}")
    asking, plies = _Asking(agent, fixed.seat), int(api.max_plies(game.initial_state))
    made = Enumeration(game, f"positions with {agent.spec.text}", fixed.seat, asking.choose)

    def table(last: int | None = None) -> StateTable:
        found = made.table(fixed, last)
        found = replace(found, weights=asking.weights(found))
        return replace(found, fixed=_identified(fixed, found))

    def refuse(last: int, found: int) -> None:
        asking.check_answers()  # an agent that draws its moves is refused for this reason
        sizes = made.positions[: last + 1]
        expected = max(forecast(sizes, plies), float(sum(sizes) + found))
        most = min(limits.positions, limits.memory / _BYTES_OF_A_POSITION)
        raise InducedSizeError(
            f"expected at most {most:,.0f} positions of {game.spec} against the agent, got {agent.spec.text!r}:"
            f" {sum(sizes):,} up to ply {last}, forecast {expected:.2g} in all",
            table(last), expected,
        )  # fmt: skip

    def check() -> None:
        """Raise InducedSizeError if the limits are exceeded, or will be."""
        sizes, last = made.positions, len(made.positions) - 1
        found = made.num_states - made.ply_start[-1]
        if found:  # children of the last ply, some of which are terminal
            if made.num_bytes > limits.memory or made.is_full:
                refuse(last, found)
            return
        if last and sum(sizes) > limits.positions:
            refuse(last - 1, sizes[-1])
        if max(sizes) >= _SURE and last >= plies // 4 and forecast(sizes, plies) > 2 * limits.positions:
            refuse(last, 0)

    made.run(check)
    asking.check_answers()
    return table()
