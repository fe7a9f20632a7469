"""Environments for external learners: one game in Python with a budget of episodes, and many games in one kernel."""

import random
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from math import prod

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.content import stamps_of
from ttt_fast.agents.convert import AgentLike, as_policy
from ttt_fast.agents.spec import AgentSpec, parse_agent
from ttt_fast.algorithms.curricula import SELF_PLAY
from ttt_fast.algorithms.episodes import ALTERNATE, SEAT_NAMES
from ttt_fast.algorithms.registry import read_setting
from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.rng import StreamKey, chunk_stream
from ttt_fast.external.steppers import Replies, games_of, replies_of, step_at_random, step_in_table
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import parse_game
from ttt_fast.games.results import Seat, result_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import ROOT, StateTable, find_table, table_of
from ttt_fast.tables.state_table import cached_on_table

_REWARDS = (1.0, 0.0, -1.0)
"""Rewards of a win, a draw and a loss."""
USUAL_SEAT = ""
"""The default seat of a learner: X, in self-play both."""


class _TableWithReplies:
    """A state table as lists, which Python reads faster than arrays, with the replies of an opponent."""

    def __init__(self, table: StateTable, opponent: Policy | None) -> None:
        self.opponent, self.states = opponent, table.states
        self.start, self.action = table.edge_start.tolist(), table.edge_action.tolist()
        self.child, self.status, self.player = table.edge_child.tolist(), table.status.tolist(), table.player.tolist()
        self._chances = [] if opponent is None else opponent.edge_probabilities.tolist()
        self._sums: dict[int, list[float]] = {}

    def reply(self, state: int, draw: float) -> int:
        """Return the state after the opponent's move, drawn by a number from 0 to 1."""
        first, end = self.start[state], self.start[state + 1]
        sums = self._sums.get(state)
        if sums is None:
            sums = self._sums[state] = list(accumulate(self._chances[first:end]))
        place = min(bisect_right(sums, draw * sums[-1]), end - first - 1)
        return int(self.child[first + place])


@cached_on_table(16)
def _rules(table: StateTable, opponent: Policy | None) -> _TableWithReplies:
    return _TableWithReplies(table, opponent)


@cached_on_table(32)
def _from_text(table: StateTable, agent: AgentSpec, stamps: tuple[tuple[int, ...], ...]) -> Policy:
    return as_policy(agent, table)


def opponent_of(agent: AgentLike, table: StateTable, learner: int) -> Policy | None:
    """Return the policy of an opponent, None for `self`.

    The `learner` is 1 (X), 2 (O) or 3 (both in turn).  The function warns with `UnlearnedSeatWarning` if the policy has
    learned no state of a seat in which it plays against the learner.

    Raises
    ------
    UsageError
        If it is not an agent of the game, or is the policy of another game.

    Examples
    --------
    >>> opponent_of("random", table_of("tic-tac-toe"), 1).name, opponent_of("self", table_of("tic-tac-toe"), 3)
    ('random', None)
    """
    if isinstance(agent, str) and agent == SELF_PLAY:
        return None
    spec = parse_agent(agent) if isinstance(agent, str) else None
    policy = as_policy(agent, table) if spec is None else _from_text(table, spec, stamps_of(spec))
    for seat in Seat:
        if learner != seat:
            policy.for_seat(seat)
    return policy


def learner_code(seat: str | int, opponent: AgentLike) -> int:
    """Return the code of a learner's seat: X by default; in self-play both, where no single seat may be named.

    Examples
    --------
    >>> learner_code(USUAL_SEAT, "random"), learner_code(USUAL_SEAT, "self")
    (1, 3)
    """
    is_self_play = isinstance(opponent, str) and opponent == SELF_PLAY
    code: int = read_setting("seat", ("both" if is_self_play else "x") if seat == USUAL_SEAT else seat)
    if is_self_play and code in (api.X, api.O):
        raise UsageError(f"expected both as the seat with the opponent 'self', got {shown(seat)}")
    return code


class Environment:
    """Episodes of a game with a table, played by a learner written in Python.

    Against an opponent, the learner sees the states in which it moves, and the final state.  The opponent's replies are
    drawn from a stream of the seed.  In self-play (`opponent="self"`) the learner moves for both seats in turn.

    Parameters
    ----------
    game
        The game, as `parse_game` reads it.
    seat
        The learner's seat: `x`, `o`, or `both` (X and O in turn).  Default: `x`; in self-play `both`, the only choice.
    opponent
        An agent as for `as_policy`, or `self`.
    seed
        Seed of the opponent's replies.
    episodes
        The budget; None for no limit.

    Attributes
    ----------
    table
        The states of the game.
    state_index
        The index of the current state in the table.
    player
        The player for whom the learner moves, 1 (X) or 2 (O); after the last move, the player of that move.
    episodes_begun
        Number of episodes so far.

    Examples
    --------
    >>> environment = Environment("tic-tac-toe", seat="x", opponent="random", seed=1)
    >>> state = environment.reset()
    >>> state, reward, is_over = environment.step(environment.legal_actions[0])
    >>> environment.table.board(environment.state_index).count("X"), reward, is_over
    (1, 0.0, False)
    """

    class BudgetSpentError(TttFastError):
        """An episode was requested after the budget was spent."""

    def __init__(
        self,
        game: str = "tic-tac-toe",
        seat: str | int = USUAL_SEAT,
        opponent: AgentLike = "random",
        seed: int = 0,
        episodes: int | None = None,
    ) -> None:
        self.table = table_of(game)
        self._seat = learner_code(seat, opponent)
        self.rules = _rules(self.table, opponent_of(opponent, self.table, self._seat))
        self.is_self_play = self.rules.opponent is None
        self.episodes = None if episodes is None else whole_number(episodes, "episodes", 0)
        self._random = random.Random(int(chunk_stream(whole_number(seed, "the seed", 0), StreamKey.ENVIRONMENT)))
        self.state_index, self.player, self.episodes_begun, self._is_on = ROOT, api.X, 0, False

    def __repr__(self) -> str:
        """Return a one-line summary."""
        rival, begun = self.rules.opponent, f"{self.episodes_begun:,} episodes begun"
        sides = "v self" if rival is None else f"seat {SEAT_NAMES[self._seat]} v {rival.name}"
        return f"<Environment of {self.table.game.spec}: {sides}, {begun}>"

    @property
    def episodes_left(self) -> float:
        """Number of episodes that can still begin; infinite without a budget."""
        return float("inf") if self.episodes is None else self.episodes - self.episodes_begun

    def reset(self) -> GameState:
        """Begin an episode and return the first state in which the learner moves.

        Raises
        ------
        BudgetSpentError
            If the budget is spent.
        """
        if self.episodes_left <= 0:
            raise self.BudgetSpentError(f"expected at most {self.episodes:,} episodes, the budget, got one more")
        in_turn = api.X if self.episodes_begun % 2 == 0 else api.O
        self.player = in_turn if self._seat not in (api.X, api.O) else self._seat
        self.state_index, self._is_on = ROOT, True
        self.episodes_begun += 1
        if self.is_self_play:
            self.player = self.rules.player[ROOT]
        self._replied()
        return self.rules.states[self.state_index]

    def step(self, action: int) -> tuple[GameState, float, bool]:
        """Play an action, and the opponent's reply.

        Returns
        -------
        GameState
            The next state in which the learner moves, or the final one.
        float
            At the end 1 for a win, 0 for a draw and -1 for a loss, otherwise 0.  In self-play this is the reward of the
            player of the action; the other player's is its negative.
        bool
            Whether the episode is over.

        Raises
        ------
        UsageError
            If the action is not legal, or no episode is in progress.
        """
        rules, state = self.rules, self.state_index
        if not self._is_on:
            raise UsageError("expected a call of reset before step, since no episode has been started")
        first, end = rules.start[state], rules.start[state + 1]
        number = action if type(action) is int else whole_number(action, "the action")  # the usual type is fast
        for edge in range(first, end):
            if rules.action[edge] == number:
                break
        else:
            legal = ", ".join(map(str, self.legal_actions))
            raise UsageError(f"expected one of the actions {legal} at {self.table.board(state)!r}, got {shown(action)}")
        mover, self.state_index = rules.player[state], rules.child[edge]
        self._replied()
        status = rules.status[self.state_index]
        self._is_on = status == api.ONGOING
        if self.is_self_play:
            self.player = rules.player[self.state_index] if self._is_on else mover
        reward = 0.0 if self._is_on else _REWARDS[result_of(status, mover)]
        return rules.states[self.state_index], reward, not self._is_on

    def _replied(self) -> None:
        """Play the opponent's moves as long as it is its turn."""
        rules = self.rules
        while not self.is_self_play and rules.player[self.state_index] == 3 - self.player:
            self.state_index = rules.reply(self.state_index, self._random.random())

    def games(self) -> Iterator[GameState]:
        """Yield the first state of each episode, until the budget is spent.

        Examples
        --------
        >>> environment = Environment(episodes=2)
        >>> for state in environment.games():
        ...     is_over = False
        ...     while not is_over:
        ...         state, reward, is_over = environment.step(environment.legal_actions[0])
        >>> environment.episodes_left
        0
        """
        while self.episodes_left > 0:
            yield self.reset()

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions of the current state, ascending; none if the episode is over."""
        rules = self.rules
        actions: list[int] = rules.action[rules.start[self.state_index] : rules.start[self.state_index + 1]]
        return actions

    @property
    def legal_action_mask(self) -> NDArray[np.bool_]:
        """Mask of the legal actions in the current state, (A,) bool; all actions if the episode is over."""
        mask = np.zeros(self.table.num_actions, np.bool_)
        mask[self.legal_actions or slice(None)] = True
        return mask

    @property
    def observation(self) -> NDArray[np.float32]:
        """The current state from the view of its player to move, (planes, rows, columns) float32: `api.observe`."""
        return api.observe(self.rules.states[self.state_index])


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
        The legal ones of A actions, written in place; all of them in a game that has ended by the rules.
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
