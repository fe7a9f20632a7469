"""Games for Gymnasium (Towers et al. 2024, arXiv:2407.17032): one environment, and thousands in one kernel.

Needs the extra `rl`; importing this module registers `ttt_fast/TicTacToe-v0`, `ttt_fast/ConnectFour-v0` and
`ttt_fast/Ultimate-v0`, for `gymnasium.make` and `gymnasium.make_vec`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, UsageError, as_player, parse_game
from ttt_fast.adapters import extra
from ttt_fast.adapters.views import RENDER_MODES, check_render_mode, mask_of, rendered
from ttt_fast.core.checks import whole_number
from ttt_fast.external.environment import GameBatch
from ttt_fast.games import api
from ttt_fast.learners import setting_value

with extra("rl"):
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

REGISTERED = {
    "ttt_fast/TicTacToe-v0": "tic-tac-toe",
    "ttt_fast/ConnectFour-v0": "connect4",
    "ttt_fast/Ultimate-v0": "ultimate",
}
"""Registered environments and their games; the parameter `game` selects any other game."""


def spaces_of(game: str) -> tuple[Any, Any]:
    """Return the spaces of a game's observations and actions."""
    start = parse_game(game).initial_state
    return spaces.Box(0, 1, api.observation_shape(start), np.uint8), spaces.Discrete(api.num_actions(start))


class GameEnv(gymnasium.Env):  # type: ignore[misc, type-arg, unused-ignore]
    """One game at a time against any agent; a step includes its reply.

    An illegal action loses at once, with the reward -1.  `info["action_mask"]` marks the legal actions, (A,) int8, and
    all actions when the game is over.

    Parameters
    ----------
    game
        The game, as `parse_game` reads it.
    seat
        The learner's seat: `x`, `o`, or `both` (X and O alternate).
    opponent
        An agent string.
    render_mode
        `ansi` (the board as text), `rgb_array` (rows * 24, columns * 24, 3) uint8, or None.

    Examples
    --------
    >>> env = gymnasium.make("ttt_fast/TicTacToe-v0", opponent="minimax:tie=first")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(4)
    >>> observation.shape, observation.dtype, reward, terminated, int(info["action_mask"].sum())
    ((2, 3, 3), dtype('uint8'), 0.0, False, 7)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  (as Gymnasium has it)

    def __init__(
        self,
        game: str = "tic-tac-toe",
        seat: str | int = "x",
        opponent: str = "random",
        render_mode: str | None = None,
    ) -> None:
        self.game, self.render_mode = parse_game(game), render_mode
        code = setting_value("seat", seat)
        self._seats = [one for one in (api.X, api.O) if one & code]  # 3: both
        check_render_mode(render_mode, self.game)
        self.observation_space, self.action_space = spaces_of(game)
        self._player = as_player(opponent, self.game)
        self._state, self._episodes, self._own, self._is_on = self.game.initial_state, 0, api.X, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return its first observation and the legal actions."""
        super().reset(seed=seed)
        if seed is not None:
            self._episodes = 0
        self._own = self._seats[self._episodes % len(self._seats)]
        self._episodes += 1
        self._player.begin(np.uint64(self.np_random.integers(2**63)))
        self._state = self.game.initial_state
        self._reply()
        self._is_on = True
        return self._told()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action and the opponent's reply; the reward is 0 before the end of the game."""
        if not self._is_on:
            raise UsageError("expected a call of reset before step, since no episode has been started")
        number = whole_number(action, "the action")
        if not 0 <= number < self.game.num_actions or not api.is_legal(self._state, number):
            self._is_on = False
            observation, info = self._told()
            return observation, -1.0, True, False, info
        self._state = api.play(self._state, number)
        self._reply()
        status = api.status(self._state)
        self._is_on = status == api.ONGOING
        reward = float(status == self._own) - float(status == 3 - self._own)  # a win has the number of its seat
        observation, info = self._told()
        return observation, reward, status != api.ONGOING, False, info

    def render(self) -> Any:
        """Return the board as text or as a picture; None without a render mode."""
        return rendered(self.game, self._state, self.render_mode)

    def _reply(self) -> None:
        """Play the opponent's moves while it is the opponent's turn."""
        while api.status(self._state) == api.ONGOING and api.player(self._state) != self._own:
            result = self._player.search(self._state).checked(self._player, self._state)
            self._state = api.play(self._state, result.action)

    def _told(self) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Return the observation and the legal actions of the current state."""
        return api.observe(self._state).astype(np.uint8), {"action_mask": mask_of(self._state)}


class GameVectorEnv(VectorEnv):  # type: ignore[misc, type-arg, unused-ignore]
    """Thousands of games against one opponent, stepped by one kernel (`GameBatch`), with next-step autoreset.

    Parameters
    ----------
    num_envs
        Number of games, B.
    game, seat, opponent
        As for `GameBatch`.
    copy
        Whether each step returns new arrays; if False, the next step overwrites the returned arrays.

    Examples
    --------
    >>> envs = gymnasium.make_vec("ttt_fast/TicTacToe-v0", num_envs=4096, seat="both")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].shape, int(observations.sum())
    ((4096, 2, 3, 3), (4096, 9), 2048)
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  (as Gymnasium has it)

    def __init__(
        self,
        num_envs: int = 1,
        game: str = "tic-tac-toe",
        seat: str | int = "x",
        opponent: str | Policy = "random",
        copy: bool = True,
        render_mode: None = None,
    ) -> None:
        self.batch, self.copy, self.num_envs = GameBatch(game, seat, opponent, num_envs), copy, num_envs
        self.single_observation_space, self.single_action_space = spaces_of(game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded, self._never, self._all = False, np.zeros(num_envs, np.bool_), np.ones(num_envs, np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Restart all games, or those of `options["reset_mask"]`, (B,) bool.

        A first call without a seed draws a random seed for the replies.
        """
        if seed is None and not self._seeded:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._seeded = True
        self.batch.reset(seed, (options or {}).get("reset_mask"))
        return self._own(self.batch.observation), self._infos()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action and the replies in each game; a finished game restarts instead."""
        batch = self.batch
        batch.step(actions)
        described = self._own(batch.observation), self._own(batch.reward), self._own(batch.is_over)
        return *described, self._own(self._never), self._infos()

    def _infos(self) -> dict[str, Any]:
        """Return the legal actions, (B, A) int8, in the format of Gymnasium's vectorised infos."""
        return {"action_mask": self._own(self.batch.legal_action_mask.view(np.int8)), "_action_mask": self._all.copy()}

    def _own(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array


for _name, _game in REGISTERED.items():
    gymnasium.register(
        _name,
        entry_point="ttt_fast.adapters.gymnasium_games:GameEnv",
        vector_entry_point="ttt_fast.adapters.gymnasium_games:GameVectorEnv",
        kwargs={"game": _game},
    )
