"""Many games against one opponent, stepped by one kernel: what vectorized environments are made of.

Letters: B games, S states, A actions, N cells of an observation, F fields of a state, R slots of a sampler's table.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import GOLDEN_GAMMA, mix64
from ttt_fast.games import api
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.learn.environment import opponent_of, seat_code
from ttt_fast.play.sampler import compile_sampler
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import ROOT, StateTable, find_table
from ttt_fast.tables.observations import observations_of

_GAMMA = np.uint64(GOLDEN_GAMMA)
_STREAM_KEY = 0x62617463  # keeps these streams apart from those of matches and of learning
_BOTH = 3


class _Games(NamedTuple):
    """What a step modifies in place: of each game its stream, the learner's seat, and what the learner is told."""

    stream: NDArray[np.uint64]
    seat: NDArray[np.int8]
    is_over: NDArray[np.bool_]
    reward: NDArray[np.float64]
    observation: NDArray[np.uint8]
    mask: NDArray[np.bool_]


class _Replies(NamedTuple):
    """A table with an opponent: (S, A) children, (S,) status, player, row and slot bits, (R,) slots and their states.

    `observation` (S, N) and `mask` (S, A) are copied to the learner.
    """

    child: NDArray[np.int32]
    status: NDArray[np.int8]
    player: NDArray[np.int8]
    row: NDArray[np.int64]
    slot_bits: NDArray[np.int64]
    slots: NDArray[np.uint64]
    state_of_row: NDArray[np.int32]
    observation: NDArray[np.uint8]
    mask: NDArray[np.bool_]


@inlined_kernel
def _reward_of(status: int, seat: int) -> float:
    """Return 1 for a win of a seat, -1 for a loss, else 0."""
    if status == seat:
        return 1.0
    return -1.0 if status == 3 - seat else 0.0


@kernel
def _step_in_table(replies: _Replies, actions: NDArray[np.int64], states: NDArray[np.int32], games: _Games) -> None:
    """Step each game, or begin it anew if it is over; `states` (B,) are indices into the table."""
    num_actions, cells = replies.child.shape[1], replies.observation.shape[1]
    for game in range(states.size):
        state, seat, reward = np.int64(states[game]), games.seat[game], 0.0
        if games.is_over[game]:
            state, games.is_over[game] = np.int64(0), False
        else:
            action = actions[game]
            child = replies.child[state, action] if 0 <= action < num_actions else -1
            if child < 0:
                games.is_over[game], games.reward[game] = True, -1.0
                continue
            state = np.int64(child)
        stream = games.stream[game]
        while replies.player[state] == 3 - seat:
            stream += _GAMMA
            draw, bits = mix64(stream) >> np.uint64(32), np.uint64(replies.slot_bits[state])
            slot = replies.slots[np.uint64(replies.row[state]) + (draw >> (np.uint64(32) - bits))]
            row = slot >> np.uint64(16) if draw <= slot >> np.uint64(32) else slot
            state = np.int64(replies.state_of_row[np.int64(row & np.uint64(0xFFFF))])
        games.stream[game] = stream
        status = replies.status[state]
        if status != 0:
            games.is_over[game], reward = True, _reward_of(status, seat)
        states[game], games.reward[game] = state, reward
        for cell in range(cells):
            games.observation[game, cell] = replies.observation[state, cell]
        for action in range(num_actions):
            games.mask[game, action] = replies.mask[state, action]


@kernel
def _step_at_random(start: api.State, actions: NDArray[np.int64], states: NDArray[np.int64], games: _Games) -> None:
    """Step each game, or begin it anew if it is over; `states` (B, F) are fields, and replies are random."""
    for game in range(actions.size):
        state, seat, reward = api.load_state(start, states, game), games.seat[game], 0.0
        if games.is_over[game]:
            state, games.is_over[game] = start, False
        else:
            action = actions[game]
            if not (0 <= action < games.mask.shape[1] and games.mask[game, action]):
                games.is_over[game], games.reward[game] = True, -1.0
                continue
            state = api.play(state, action)
        stream, status = games.stream[game], api.status(state)
        while status == 0 and api.player(state) != seat:
            stream += _GAMMA
            state = api.play_random(state, mix64(stream))
            status = api.status(state)
        games.stream[game] = stream
        if status != 0:
            games.is_over[game], reward = True, _reward_of(status, seat)
        games.reward[game] = reward
        api.store_state(state, states, game)
        api.fill_observation(state, games.observation[game])
        api.fill_legal_action_mask(state, games.mask[game])


class _Stepper(Protocol):
    """What steps all games: a kernel with the states that it modifies."""

    def step(self, actions: NDArray[np.int64], games: _Games) -> None:
        """Step each game, or begin it anew."""


class _TableStepper:
    """Games as indices into a table, against any policy."""

    def __init__(self, policy: Policy, num_games: int) -> None:
        table, sampler = policy.table, compile_sampler(policy)
        if sampler is None:
            raise UsageError(f"expected a game of fewer states for {policy.name!r}, got {table.game.spec}")
        state_of_row = np.zeros(sampler.table.size, np.int32)
        state_of_row[sampler.layout.row] = np.arange(table.num_states)
        observation = observations_of(table, np.arange(table.num_states, dtype=np.int32))
        self.states = np.full(num_games, ROOT, np.int32)
        self.replies = _Replies(
            table.child,
            table.status,
            table.player,
            frozen(sampler.layout.row.copy()),  # the layout is shared, and other kernels are compiled for it as it is
            frozen(sampler.layout.slot_bits.copy()),
            frozen(sampler.table),
            frozen(state_of_row),
            frozen(observation.reshape(table.num_states, -1).astype(np.uint8)),
            table.legal_action_mask,
        )

    def step(self, actions: NDArray[np.int64], games: _Games) -> None:
        """Step each game, or begin it anew."""
        _step_in_table(self.replies, actions, self.states, games)


class _RandomStepper:
    """Games as states of their own, against uniformly random replies."""

    def __init__(self, game: Game, num_games: int) -> None:
        self.start = game.initial_state
        self.states = np.zeros((num_games, len(self.start)), np.int64)

    def step(self, actions: NDArray[np.int64], games: _Games) -> None:
        """Step each game, or begin it anew."""
        _step_at_random(self.start, actions, self.states, games)


def _stepper_of(game: Game, opponent: str | Policy, num_games: int) -> _Stepper:
    """Return what steps the games: over the table where it is small, else by the rules."""
    table: StateTable | None = find_table(game)
    if table is not None and table.is_narrow:
        policy = opponent_of(opponent, table)
        if policy is None:
            raise UsageError(f"expected an opponent other than 'self', got {shown(opponent)}")
        return _TableStepper(policy, num_games)
    if opponent != "random":
        told = "a batch knows no other one in games without a table of at most 32,767 states"
        raise UsageError(f"expected the opponent 'random' in {game.spec}, got {shown(opponent)}: {told}")
    return _RandomStepper(game, num_games)


class GameBatch:
    """B games against one opponent, stepped together by one kernel on one thread.

    A game that is over begins anew with the next step, whose action is not played (Gymnasium's `NEXT_STEP`).  An
    illegal action loses at once: the reward is -1, the game is over, and the learner sees the same state again.

    Parameters
    ----------
    game
        The game, as `parse_game` reads it.
    seat
        The learner's seat: `x`, `o`, or `both`: X in the even games and O in the odd ones, throughout.
    opponent
        An agent string or a policy where the game has a small table; else `random`.
    num_games
        Number of games, B.

    Attributes
    ----------
    observation : (B, planes, rows, columns) uint8
        The states as the player to move sees them, written in place.
    legal_action_mask : (B, A) bool
        Their legal actions, written in place; none where a game has ended by the rules.
    reward : (B,) float64
        1 for a win of the learner, 0 for a draw and -1 for a loss, in the step that ends a game; else 0.
    is_over : (B,) bool
        Whether the last step has ended the game.

    Raises
    ------
    UsageError
        If an argument is out of its range, or the opponent cannot be drawn from in this game.

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
        self.game, count = parse_game(game), whole_number(num_games, "num_games")
        if count < 1:
            raise UsageError(f"expected num_games to be at least 1, got {shown(num_games)}")
        code, start = seat_code(seat), self.game.initial_state
        self.num_games, self.num_actions = count, self.game.num_actions
        shape = api.observation_shape(start)
        self.observation = np.zeros((count, *shape), np.uint8)
        self._stepper = _stepper_of(self.game, opponent, count)
        seats = np.arange(count) % 2 + 1 if code == _BOTH else np.full(count, code)
        self._games = _Games(
            np.zeros(count, np.uint64),
            seats.astype(np.int8),
            np.ones(count, np.bool_),
            np.zeros(count),
            self.observation.reshape(count, -1),
            np.zeros((count, self.num_actions), np.bool_),
        )
        self.legal_action_mask, self.reward = self._games.mask, self._games.reward
        self.is_over, self.seats = self._games.is_over, self._games.seat

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew; with a seed the opponent's replies, too (default: they go on from where they are)."""
        if seed is not None:
            number = whole_number(seed, "the seed")
            sequence = np.random.SeedSequence(entropy=number, spawn_key=(_STREAM_KEY,))
            self._games.stream[:] = sequence.generate_state(self.num_games, np.uint64)
        self.is_over[:] = True
        self._stepper.step(np.zeros(self.num_games, np.int64), self._games)

    def step(self, actions: object) -> None:
        """Play an action in each game, (B,) whole numbers, and the opponent's reply.

        Raises
        ------
        UsageError
            If the actions are not (B,) whole numbers.
        """
        array = np.asarray(actions)
        if array.shape != (self.num_games,) or array.dtype.kind not in "iu":
            wanted = f"({self.num_games},) whole numbers as actions"
            raise UsageError(f"expected {wanted}, got {array.shape} of {array.dtype}")
        self._stepper.step(np.array(array, np.int64, order="C"), self._games)
