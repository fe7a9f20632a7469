"""Games for PettingZoo (Terry et al. 2021, arXiv:2009.14471): both players are agents that act in turn (AEC).

Needs the extra `rl`.  `env("connect4")` follows the conventions of PettingZoo's own games: `player_1` is X, `player_2`
is O, and an observation is a dictionary of the planes and the legal actions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import UsageError, parse_game
from ttt_fast.adapters import extra
from ttt_fast.adapters.gymnasium_games import spaces_of
from ttt_fast.adapters.views import RENDER_MODES, check_render_mode, mask_of, rendered, seen_by
from ttt_fast.core.checks import whole_number
from ttt_fast.games import api

with extra("rl"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env_logger import EnvLogger

SEATS = {"player_1": api.X, "player_2": api.O}
"""The agents, and the seat of each."""
_AGENTS = {seat: agent for agent, seat in SEATS.items()}


class GameAEC(AECEnv):  # type: ignore[misc, type-arg, unused-ignore]
    """One game in which both players are agents; an illegal action loses at once.

    `agent_selection` is the player to move.  In some games a player moves more than once in a row.

    Parameters
    ----------
    game
        The game, as `parse_game` reads it.
    render_mode
        `ansi` (the board as text), `rgb_array` (rows * 24, columns * 24, 3) uint8, or None.

    Attributes
    ----------
    rewards
        1 for a win, 0 for a draw and -1 for a loss of each agent, in the step that ends a game; else 0.
    infos
        `action_mask` of the agent to move, as in its observation; no entry for the other agent.

    Examples
    --------
    >>> game = GameAEC("tic-tac-toe", render_mode="ansi")
    >>> game.reset()
    >>> game.step(4)
    >>> game.agent_selection, game.render().splitlines()[2], game.last()[0]["action_mask"].tolist()
    ('player_2', ' 3 │ X │ 5 ', [1, 1, 1, 1, 0, 1, 1, 1, 1])
    """

    metadata = {  # noqa: RUF012  (as PettingZoo has it)
        "name": "ttt_fast_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, game: str = "tic-tac-toe", render_mode: str | None = None) -> None:
        super().__init__()
        self.game, self.render_mode = parse_game(game), render_mode
        check_render_mode(render_mode, self.game)
        planes, _ = spaces_of(game)
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        self.possible_agents: list[str] = list(SEATS)
        self.agents: list[str] = []
        self.observation_spaces = {one: spaces.Dict({"observation": planes, "action_mask": mask}) for one in SEATS}
        self.action_spaces = {one: spaces.Discrete(self.game.num_actions) for one in SEATS}
        self._state = self.game.initial_state

    def __str__(self) -> str:
        """Return the name for PettingZoo."""
        return f"{self.metadata['name']}({self.game.spec})"

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; the seed has no effect, because the game is deterministic."""
        self._state, self.agents = self.game.initial_state, list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._pass_the_turn()

    def step(self, action: Any) -> None:
        """Play an action of the agent to move, which loses if it is illegal; after the end each agent plays None.

        Raises
        ------
        UsageError
            If the action is not a whole number, or no game is in progress.
        """
        if not self.agents:
            raise UsageError("expected a call of reset before step, since no game has been started")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = whole_number(action, "the action")
        self._cumulative_rewards[agent] = 0.0
        if 0 <= number < self.game.num_actions and api.is_legal(self._state, number):
            self._state = api.play(self._state, number)
            status = api.status(self._state)
        else:
            EnvLogger.warn_on_illegal_move()
            status = 3 - SEATS[agent]
        if status != api.ONGOING:
            seats = {one: SEATS[one] for one in self.agents}  # a win has the number of its seat
            self.rewards = {one: float(status == seat) - float(status == 3 - seat) for one, seat in seats.items()}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._pass_the_turn()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation of the state, with its legal actions; none if it is not to move.

        Returns
        -------
        dict
            `observation`, (planes, rows, columns) uint8 (`views.seen_by`), and `action_mask`, (A,) int8.
        """
        return {"observation": seen_by(self._state, SEATS[agent]), "action_mask": self._mask(agent)}

    def render(self) -> Any:
        """Return the board as text or as a picture; None without a render mode."""
        return rendered(self.game, self._state, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is no window to close."""

    def _pass_the_turn(self) -> None:
        """Select the agent to move, or the first agent when the game is over."""
        over = self.terminations[self.possible_agents[0]]
        self.agent_selection = self.possible_agents[0] if over else _AGENTS[api.player(self._state)]
        self.infos: dict[str, dict[str, Any]] = {one: {} for one in self.agents}
        self.infos[self.agent_selection]["action_mask"] = self._mask(self.agent_selection)

    def _mask(self, agent: str) -> NDArray[np.int8]:
        """Return the legal actions of an agent, (A,) int8: all zeros if it is not to move, as PettingZoo's games do."""
        mask = mask_of(self._state)
        return mask * (agent == self.agent_selection and not self.terminations.get(agent, True))


def env(game: str = "tic-tac-toe", render_mode: str | None = None) -> Any:
    """Return a game in PettingZoo's usual wrappers: a number that is no action of the game is an AssertionError.

    Parameters
    ----------
    game, render_mode
        As for `GameAEC`.

    Raises
    ------
    UsageError
        If there is no such game, or no such render mode.

    Examples
    --------
    >>> game = env("connect4:columns=4,rows=4")
    >>> game.reset(seed=1)
    >>> for agent in game.agent_iter():
    ...     observation, reward, termination, truncation, info = game.last()
    ...     game.step(None if termination else observation["action_mask"].argmax())
    ...     if termination:
    ...         print(agent, reward)
    player_1 1.0
    player_2 -1.0
    """
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(GameAEC(game, render_mode)))
