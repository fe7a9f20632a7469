"""Wraps agents as OpenSpiel bots, and agents with known probabilities as OpenSpiel policies."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.policy import Policy as OpenSpielPolicy

from ttt_fast import AgentError, Game, Player, Policy, as_player, as_policy
from ttt_fast.adapters.open_spiel_games import NO_BOARD, SharedGame, SharedPosition, shared_game
from ttt_fast.agents.api import AgentLike, MixedPlayer, PolicyPlayer
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.core.checks import whole_number
from ttt_fast.games import api
from ttt_fast.kernels import StreamKey, chunk_stream
from ttt_fast.search.player import checked

_KEPT_POSITIONS = 1 << 16
_Rows = Callable[[api.GameState], NDArray[np.float64]]


def _chances(game: SharedGame, rows: _Rows, position: SharedPosition) -> dict[int, float]:
    """Return the probability of each legal action of OpenSpiel at a position of a shared game.

    Parameters
    ----------
    game
        The game.
    rows
        Returns the probability of each action of this package in an ongoing state, (A,) float64.
    position
        The position.
    """
    settled, found = game.settled(position), dict[int, float]()
    row, total = rows(position.state), 1.0
    legal = api.legal_actions(settled)
    if position.board != NO_BOARD:
        total = float(row[legal].sum())
        if total == 0.0:  # the agent never chooses this board: as if the rules required it
            row, total = rows(settled), 1.0
    for action in legal:
        step = game.steps(settled, action)[0]
        found[step] = found.get(step, 0.0) + float(row[action]) / total
    return found


class AgentBot(pyspiel.Bot):  # type: ignore[misc, unused-ignore]
    """An agent as an OpenSpiel bot, in either seat.

    On a free move of Ultimate the agent chooses once: the bot returns first the board, and then the cell.

    Parameters
    ----------
    agent
        An agent string, a policy, a function of a state, or an object with `choose`.
    game
        The game, or its name, as for `SharedGame`.
    seed
        Seed of all choices.  The choices in the n-th game of a bot are always the same.

    Raises
    ------
    AgentError
        If a string names no agent of the game.
    UsageError
        If OpenSpiel has no such game, or the seed is not a non-negative integer.

    Examples
    --------
    >>> from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
    >>> state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    >>> evaluate_bots(state, [AgentBot("minimax"), AgentBot("minimax", seed=1)], np.random)
    [0.0, 0.0]
    """

    def __init__(self, agent: AgentLike, game: Game | str = "tic-tac-toe", seed: int = 0) -> None:
        pyspiel.Bot.__init__(self)
        self._game = shared_game(game)
        self._player: Player = as_player(agent, self._game.ours)
        self._seed, self._games = whole_number(seed, "the seed", 0), 0
        self.restart()

    def __repr__(self) -> str:
        """Return a one-line description of the bot."""
        return f"<AgentBot {self._player.name} of {self._game.ours.spec}>"

    def restart(self) -> None:
        """Begin the next game."""
        self._player.begin(chunk_stream(self._seed, StreamKey.OPEN_SPIEL_BOTS, self._games))
        self._games += 1
        self._planned: dict[tuple[int, ...], int] = {}

    def restart_at(self, state: Any) -> None:
        """Begin the next game at any state."""
        self.restart()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Do nothing: the state passed to `step` contains all moves."""

    def step(self, state: Any) -> int:
        """Return an action in an ongoing state."""
        line = tuple(state.history())
        if line in self._planned:
            return self._planned.pop(line)
        position = self._game.position_of(state)
        settled = self._game.settled(position)
        result = checked(self._player.search(settled), self._player, settled)
        first, *rest = self._game.steps(settled, result.action)
        self._planned = {(*line, first): step for step in rest}
        return first

    def provides_policy(self) -> bool:
        """Return whether the probabilities of its actions are known."""
        return isinstance(self._player, MixedPlayer)

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Return the legal actions of a state with their probabilities; raises AgentError if these are not known."""
        return list(_chances(self._game, _rows_of(self._player), self._game.position_of(state)).items())

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Return the probabilities in a state, and an action."""
        return self.get_policy(state), self.step(state)


def _rows_of(player: Player) -> _Rows:
    """Return the function for a player's probabilities; raise AgentError if these are not known."""
    if not isinstance(player, MixedPlayer):
        wanted = "an agent whose action probabilities are known (a policy, random or default)"
        raise AgentError(f"expected {wanted}, got {player.name!r}, a searching agent")
    return player.probabilities


class AgentPolicy(OpenSpielPolicy):  # type: ignore[misc, unused-ignore]
    """An agent as an OpenSpiel policy, for both players.

    Parameters
    ----------
    agent
        An agent string, a policy, a function of a state, or an object with `choose`.  Its probabilities must be known.
        If the game has a small table, these are all agents with a policy over it.  In other games they are `random`,
        `default`, and external agents that return probabilities.
    game
        The game, or its name, as for `SharedGame` (default: that of a policy, else tic-tac-toe).

    Raises
    ------
    AgentError
        If a string names no agent of the game, or an agent without known probabilities.
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> policy = AgentPolicy("minimax:tie=first")
    >>> policy.action_probabilities(pyspiel.load_game("tic_tac_toe").new_initial_state())[0]
    1.0
    """

    def __init__(self, agent: AgentLike, game: Game | str | None = None) -> None:
        if game is None:
            game = agent.table.game if isinstance(agent, Policy) else "tic-tac-toe"
        self._game = shared_game(game)
        super().__init__(self._game.theirs, [0, 1])
        is_made = isinstance(agent, Policy) or ExactAnalysis(self._game.ours).table is None
        player = as_player(agent if is_made else as_policy(agent, self._game.ours), self._game.ours)
        player.begin(chunk_stream(0, StreamKey.OPEN_SPIEL_BOTS))
        chances = partial(_chances, self._game, _rows_of(player))
        self._chances = lru_cache(_KEPT_POSITIONS)(chances) if isinstance(player, PolicyPlayer) else chances

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action of a state, for the player to move."""
        return dict(self._chances(self._game.position_of(state)))
