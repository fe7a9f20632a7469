"""An agent's analysis of the moves of a position, or of a whole table: its probabilities, values and visits."""

from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.simple_players import PolicyPlayer, SeatPlayer
from ttt_fast.core.errors import PolicyError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.api import GameState
from ttt_fast.running.progress import report_progress
from ttt_fast.search.player import Analyst, MixedPlayer, Player, SearchResult, TreeAnalyst
from ttt_fast.tables import StateTable

_STATES_A_REPORT = 64  # of progress


class AgentMoves(NamedTuple):
    """An agent's analysis of the actions of an ongoing state.

    Attributes
    ----------
    probabilities
        The probability of each action that it may play.
    values
        The value of each action that the agent evaluates, for the player to move, in the agent's units.
    visits
        The number of visits to each action; only for a tree search.
    known
        Whether the analysis is available.  It is not if the agent cannot play the seat.
    """

    probabilities: dict[int, float]
    values: dict[int, float]
    visits: dict[int, int]
    known: bool = True

    def probability(self, action: int) -> float | None:
        """Return the probability of an action; None if the analysis is not available."""
        return self.probabilities.get(action, 0.0) if self.known else None


class AgentTable(NamedTuple):
    """An agent's analysis of all actions of a table (S states, E edges).

    Attributes
    ----------
    probabilities : (E,) float64
        The probability of each action.  A search gives 1 to the action that it chooses with seed 0.
    values : (E,) float64
        The agent's value of each action for the player to move, in its own units; nan without a value.
    held : (S,) bool
        The states that the agent knows.
    """

    probabilities: NDArray[np.float64]
    values: NDArray[np.float64]
    held: NDArray[np.bool_]


class AgentAnalysis:
    """An agent's analysis of arbitrary states.

    The same state and seed give the same analysis, except for players with a time limit and external agents.  `values`,
    `move`, `moves` and `searched` restart the player (`begin`); `in_game` does not.

    Parameters
    ----------
    player
        A player of the game, which must not be used in a game at the same time.

    Examples
    --------
    >>> from ttt_fast import as_player
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> AgentAnalysis(as_player("heuribot", game)).moves(game.parse_position("XX.OO...."))
    AgentMoves(probabilities={2: 1.0}, values={}, visits={}, known=True)
    """

    def __init__(self, player: Player) -> None:
        self.player = player

    def values(self, state: GameState, seed: int = 0) -> dict[int, float]:
        """Return the agent's value of each action of an ongoing state; empty if it evaluates only its own move."""
        if not isinstance(self.player, Analyst):
            return {}
        self.player.begin(chunk_stream(seed))
        return {int(action): float(value) for action, value in self.player.action_values(state).items()}

    def move(self, state: GameState, seed: int = 0, *key: int) -> SearchResult:
        """Return the move that the agent chooses in an ongoing state, with its value.

        Parameters
        ----------
        state
            The state.
        seed, *key
            Seed of the choices, and numbers that distinguish streams of the same seed.

        Raises
        ------
        TttFastError
            If the move is illegal.

        Examples
        --------
        >>> from ttt_fast import as_player
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4")
        >>> AgentAnalysis(as_player("default", game)).move(game.state_after("112233")).action
        3
        """
        self.player.begin(chunk_stream(seed, *key))
        return self.player.search(state).checked(self.player, state)

    def moves(self, state: GameState, seed: int = 0) -> AgentMoves:
        """Return the agent's analysis of an ongoing state.

        If the agent has no known probabilities, the action that it chooses with the seed gets probability 1.
        """
        if isinstance(self.player, MixedPlayer) or not self._knows(state):
            return self.in_game(state)
        result, values, visits = self.searched(state, seed)
        view = self.in_game(state, result)
        return view._replace(values=values or view.values, visits=visits)

    def searched(self, state: GameState, seed: int = 0) -> tuple[SearchResult, dict[int, float], dict[int, int]]:
        """Return the move that the agent chooses in an ongoing state, and the known values and visits of all actions.

        A tree is searched once: a second search under a time limit could prefer another move.
        """
        result = self.move(state, seed)
        if isinstance(self.player, TreeAnalyst):
            return result, self.player.visit_values(), self.player.visit_counts()
        return result, self.values(state, seed), {}

    def in_game(self, state: GameState, result: SearchResult | None = None) -> AgentMoves:
        """Return the agent's analysis of an ongoing state during a game.

        Parameters
        ----------
        state
            The state.
        result
            The move that the player has chosen in this state; None to query the player.
        """
        if not self._knows(state):
            return AgentMoves({}, {}, {}, known=False)
        if isinstance(self.player, MixedPlayer):
            row = self.player.probabilities(state)
            return AgentMoves({int(action): float(row[action]) for action in np.flatnonzero(row)}, {}, {})
        found = self.player.search(state).checked(self.player, state) if result is None else result
        return AgentMoves({found.action: 1.0}, {} if isnan(found.value) else {found.action: found.value}, {})

    def _knows(self, state: GameState) -> bool:
        return not isinstance(self.player, SeatPlayer) or self.player.knows(state)

    def over(self, table: StateTable) -> AgentTable:
        """Return the agent's analysis of every state of a table; a player that searches is queried once in each.

        Raises
        ------
        PolicyError
            If the agent is a policy over another table.
        FileFormatError
            If the agent is a file that cannot be read.

        Examples
        --------
        >>> from ttt_fast import as_player
        >>> from ttt_fast import table_of
        >>> view = AgentAnalysis(as_player("heuribot")).over(table_of("tic-tac-toe"))
        >>> view.probabilities[:9].argmax(), bool(np.isnan(view.values).all())
        (np.int64(4), True)
        """
        if isinstance(self.player, PolicyPlayer):
            policy = self.player.policy
            if policy.table is not table:
                other = policy.table.game.spec
                raise PolicyError(f"expected a policy for {table.game.spec}, got {policy.name!r} for {other}")
            known = np.nan if policy.values is None else policy.values
            values = np.where(policy.held[table.edge_state], known, np.nan)
            return AgentTable(policy.edge_probabilities, values, policy.held)
        probabilities, values = np.zeros(table.num_edges), np.full(table.num_edges, np.nan)
        held, states = table.decision_mask.copy(), np.flatnonzero(table.decision_mask).tolist()
        for done, index in enumerate(states):
            if done % _STATES_A_REPORT == 0:
                report_progress(f"querying {self.player.name}", done, len(states), "states")
            view = self.moves(table.state(index))
            held[index] = view.known
            for edge in range(int(table.edge_start[index]), int(table.edge_start[index + 1])):
                action = int(table.edge_action[edge])
                probabilities[edge] = view.probabilities.get(action, 0.0)
                values[edge] = view.values.get(action, np.nan)
        return AgentTable(probabilities, values, held)
