"""Many games against one opponent, stepped by one kernel: the basis of vectorized environments.

Letters: B games, A actions.
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.episodes import ALTERNATE
from ttt_fast.algorithms.registry import read_setting
from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.rng import StreamKey
from ttt_fast.external.environment import opponent_of
from ttt_fast.external.steppers import Replies, games_of, replies_of, step_at_random, step_in_table
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, find_table


class GameBatch:
    """B games against one opponent, stepped together by one kernel on one thread.

    A finished game restarts at the next step, whose action is ignored (Gymnasium's `NEXT_STEP`).  An illegal action
    loses at once: the reward is -1, the game is over, and the observation does not change.

    Parameters
    ----------
    game
        The game, as `parse_game` reads it.
    seat
        The learner's seat: `x`, `o`, or `both` (X in the even games and O in the odd ones).
    opponent
        An agent string or a policy if the game has a small table; otherwise `random`.
    num_games
        Number of games, B.

    Attributes
    ----------
    observation : (B, planes, rows, columns) uint8
        The observations from the view of the player to move, written in place.
    legal_action_mask : (B, A) bool
        The legal actions, written in place; all actions in a game that has ended by the rules.
    reward : (B,) float64
        In the step that ends a game: 1 for a win of the learner, 0 for a draw and -1 for a loss; otherwise 0.
    is_over : (B,) bool
        Whether the last step has ended the game.

    Raises
    ------
    UsageError
        If an argument is out of its range, or the opponent cannot be sampled in this game.

    Examples
    --------
    >>> batch = GameBatch("tic-tac-toe", "x", "random", num_games=3)
    >>> batch.reset(seed=1)
    >>> batch.step(np.array([4, 4, 9]))
    >>> batch.observation.sum(axis=(1, 2, 3)).tolist(), batch.is_over.tolist(), batch.reward.tolist()
    ([2, 2, 0], [False, False, True], [0.0, 0.0, -1.0])
    """

    def __init__(
        self,
        game: str = "tic-tac-toe",
        seat: str | int = "x",
        opponent: str | Policy = "random",
        num_games: int = 1,
    ) -> None:
        self.game, count = parse_game(game), whole_number(num_games, "num_games", 1)
        code, start = read_setting("seat", seat), self.game.initial_state
        self.num_games, self.num_actions = count, self.game.num_actions
        shape = api.observation_shape(start)
        self._replies = self._replies_of(opponent, code)
        self._indices, self._scratch = np.zeros(count, np.int32), np.zeros(count, np.int32)
        self._states = np.zeros((count, len(start)), np.int64)
        seats = np.arange(count) % 2 + 1 if code == ALTERNATE else np.full(count, code)
        self._games = games_of(seats.astype(np.int8), prod(shape), self.num_actions)
        self._games.stream[:] = self._streams(0)
        self.observation = self._games.observation.reshape(count, *shape)
        self._no_actions = np.zeros(count, np.int64)
        self.legal_action_mask, self.reward = self._games.mask, self._games.reward
        self.is_over, self.seats = self._games.is_over, self._games.seat

    def _replies_of(self, opponent: str | Policy, learner: int) -> Replies | None:
        """Return the table with the opponent's replies if it is small; None for games by the rules."""
        table: StateTable | None = find_table(self.game)
        if table is not None and table.is_narrow:
            policy = opponent_of(opponent, table, learner)
            if policy is None:
                raise UsageError(f"expected an opponent other than 'self', got {shown(opponent)}")
            return replies_of(policy)
        if opponent != "random":
            described = "a batch knows no other one in games without a table of at most 32,767 states"
            raise UsageError(f"expected the opponent 'random' in {self.game.spec}, got {shown(opponent)}: {described}")
        return None

    def reset(self, seed: int | None = None, games: NDArray[np.bool_] | None = None) -> None:
        """Restart all games, or those of a mask, (B,) bool; the others do not change.

        With a seed, the opponent's replies in these games are reseeded too.  By default their streams continue; the
        first ones are those of seed 0.
        """
        chosen = np.ones(self.num_games, np.bool_) if games is None else np.asarray(games)
        if chosen.shape != (self.num_games,) or chosen.dtype != np.bool_:
            wanted = f"a mask of games, ({self.num_games},) bool"
            raise UsageError(f"expected {wanted}, got {chosen.shape} of {chosen.dtype}")
        if seed is not None:
            self._games.stream[chosen] = self._streams(whole_number(seed, "the seed", 0))[chosen]
        ended = self.is_over & ~chosen  # these games restart at the next step
        self.is_over[:] = chosen
        self.begin()
        self.is_over[ended] = True

    def _streams(self, seed: int) -> NDArray[np.uint64]:
        """Return the random stream of each game for a seed, (B,) uint64."""
        sequence = np.random.SeedSequence(entropy=seed, spawn_key=(StreamKey.GAME_BATCH,))
        return np.asarray(sequence.generate_state(self.num_games, np.uint64), np.uint64)

    def begin(self) -> None:
        """Restart the games that are over now, instead of at the next step; the others do not change.

        `reward` and `is_over` are then those of the beginning of a game.
        """
        self._step(self._no_actions, only_over=True)

    def step(self, actions: object) -> None:
        """Play an action in each game, (B,) integers, and the opponent's reply.

        Raises
        ------
        UsageError
            If the actions are not (B,) integers.
        """
        array = np.asarray(actions)
        if array.shape != (self.num_games,) or array.dtype.kind not in "iu":
            wanted = f"({self.num_games},) whole numbers as actions"
            raise UsageError(f"expected {wanted}, got {array.shape} of {array.dtype}")
        whole = np.ascontiguousarray(array, np.int64)
        self._step(whole if whole.flags.writeable else whole.copy(), only_over=False)  # one signature

    def _step(self, actions: NDArray[np.int64], only_over: bool) -> None:
        """Step each game, or restart it if it is over; with `only_over`, only restart."""
        if self._replies is None:
            step_at_random(self.game.initial_state, actions, only_over, self._states, self._games)
        else:
            step_in_table(self._replies, actions, only_over, self._indices, self._scratch, self._games)
