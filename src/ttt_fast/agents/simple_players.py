"""The simplest players of any game: random, the default opponent, and players of a policy."""

from fractions import Fraction
from math import nan
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.connect_four_rule import centre_first_action
from ttt_fast.games.defaults import win_or_block
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import Weights, reduced
from ttt_fast.search.player import DrawingPlayer, Player, SearchResult, ongoing
from ttt_fast.tables import StateTable, store
from ttt_fast.tables.state_table import cached_on_table


class RandomPlayer(DrawingPlayer):
    """Draws uniformly from the legal actions."""

    def search(self, state: GameState) -> SearchResult:
        """Return a random legal action."""
        return SearchResult(int(api.random_action(ongoing(state), self._words.word())), nan, 1)

    def probabilities(self, state: GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""
        return _uniform(state)


@kernel
def _fill_win_or_block(
    start: api.State, table: tuple[NDArray[np.uint64], NDArray[np.int8]], out: NDArray[np.int16]
) -> None:
    """Fill `out` (S, 2) with `win_or_block` of every ongoing state."""
    key, player = table
    for state in range(key.size):
        out[state, 0] = out[state, 1] = api.NO_ACTION
        if player[state] != 0:
            out[state, 0], out[state, 1] = win_or_block(api.state_of_key(start, key[state]))


@cached_on_table(1)
def _wins_and_blocks(table: StateTable) -> NDArray[np.int16]:
    """Return `win_or_block` of every ongoing state, (S, 2) int16; -1 in terminal states."""

    def make() -> dict[str, NDArray[np.int16]]:
        found = np.empty((table.num_states, 2), np.int16)
        _fill_win_or_block(table.game.initial_state, (table.key, table.player), found)
        return {"actions": found}

    return store.derived(table, "wins-and-blocks", __file__, make)["actions"]


def default_weights(table: StateTable, skill: Fraction) -> Weights:
    """Return the default opponent (Sai) over a table, (E,) int64: win if it can, else block, else move at random.

    Parameters
    ----------
    table
        The game.
    skill
        The probability of noticing a win and, if no win was taken, of noticing a block.  It is 1 in Sai's report, and
        1/100 in the published program.  Ties go to the first such action.
    """
    found = _wins_and_blocks(table)
    of, p, q = table.edge_state, skill.numerator, skill.denominator
    # All rows over the common denominator q * q * n, where n is the number of legal actions.
    n = np.diff(table.edge_start).astype(np.int64)
    take_win = np.where(found[:, 0] >= 0, p * q, 0)
    take_block = np.where(found[:, 1] >= 0, (q * q - take_win) * p // q, 0)
    wins, blocks = (table.edge_action == found[of, column] for column in (0, 1))
    weights = (take_win * n)[of] * wins + (take_block * n)[of] * blocks + (q * q - take_win - take_block)[of]
    return reduced(table, weights)


class DefaultPlayer(DrawingPlayer):
    """The default opponent (Sai) in any game: wins if it can, else blocks, else moves at random.

    Parameters
    ----------
    name
        Its agent string.
    skill
        Probability of looking for a win, and again for a block: 1 in Sai's report, 0.01 in the published program.
    """

    def __init__(self, name: str, skill: Fraction) -> None:
        super().__init__(name)
        self.skill = float(skill)

    def search(self, state: GameState) -> SearchResult:
        """Return a winning action, else a blocking one, else a random one."""
        for action in win_or_block(ongoing(state)):
            if action != api.NO_ACTION and self._words.share() < self.skill:
                return SearchResult(int(action), nan, 1)
        return SearchResult(int(api.random_action(state, self._words.word())), nan, 1)

    def probabilities(self, state: GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""
        row, left = np.zeros(api.num_actions(state)), 1.0
        for action in win_or_block(state):
            if action != api.NO_ACTION:
                row[action] += left * self.skill
                left *= 1 - self.skill
        return row + left * _uniform(state)


class CentreFirstPlayer(DrawingPlayer):
    """The scripted player of Connect 4 that prefers the centre (`games.connect_four_rule`)."""

    def search(self, state: GameState) -> SearchResult:
        """Return its column."""
        return SearchResult(centre_first_action(ongoing(state)), nan, 1)


def _uniform(state: GameState) -> NDArray[np.float64]:
    """Return the same probability for each legal action of an ongoing state, (A,) float64."""
    row, legal = np.zeros(api.num_actions(state)), api.legal_actions(ongoing(state))
    row[legal] = 1 / len(legal)
    return row


class PolicyPlayer(DrawingPlayer):
    """Plays a policy."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy.name)
        self.policy = policy

    @property
    def memory_bytes(self) -> int:
        """Bytes of the policy."""
        return int(self.policy.edge_probabilities.nbytes)

    def knows(self, state: GameState) -> bool:
        """Return whether the policy has learned the seat of the player to move."""
        return self.policy.holds_seat(int(api.player(state)))

    def check_seat(self, seat: int, because: str = "") -> None:
        """Warn with an `UnlearnedSeatWarning` if the policy has not learned a seat."""
        self.policy.for_seat(seat, because)

    def search(self, state: GameState) -> SearchResult:
        """Return an action with its probability in this state."""
        self.policy.for_seat(int(api.player(state)))
        row = self.probabilities(state)
        action = int(np.searchsorted(np.cumsum(row), self._words.share(), side="right"))
        legal = np.flatnonzero(row)
        return SearchResult(action if action in legal else int(legal[-1]), nan, 1)

    def probabilities(self, state: GameState) -> NDArray[np.float64]:
        """Return the probability of each action in a state, (A,) float64."""
        table = self.policy.table
        index = table.index_of(state)
        edges = slice(table.edge_start[index], table.edge_start[index + 1])
        if edges.start >= edges.stop:
            ongoing(state)
        row = np.zeros(table.num_actions)
        row[table.edge_action[edges]] = self.policy.edge_probabilities[edges]
        return row


@runtime_checkable
class SeatPlayer(Protocol):
    """A player that may play only one of the seats."""

    def knows(self, state: GameState) -> bool:
        """Return whether the player can play the seat that is to move."""

    def check_seat(self, seat: int, because: str = "") -> None:
        """Raise an error or a warning if the player cannot play a seat."""


def seated(player: Player, *seats: int, because: str = "") -> Player:
    """Return a player for some seats, with an error or an `UnlearnedSeatWarning` if it cannot play one of them."""
    if isinstance(player, SeatPlayer):
        for seat in seats:
            player.check_seat(seat, because)
    return player
