"""Afterstate learning in self-play: the value of a board for the player who has just moved (seed 001).

Both players learn from their own post-move boards, which never coincide, so that one (S,) array holds both value
tables.  At the end of a game each player's afterstates are updated from the last to the first,
`V += alpha * (gamma * r - V)`, where `r` is the reward at the last one and the new `V` of the following one before
it: there is no maximum, and gamma applies at the last step, too.

Draws.  A chunk of games has one SplitMix64 stream; every move takes one word `w`: the low 24 bits decide whether to
explore, the high 40 bits which action.

1. `explore = (w & 0xFFFFFF) < round(epsilon * 2**24)`, with the epsilon of the game.
2. If exploring, with n legal actions in the order of ties (ascending for `first`, descending for `last`): the action
   is number `((w >> 24) * n) >> 40` of them.  Else it is the first one in that order whose afterstate has the
   highest value.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._interrupt import stop_between_chunks
from ttt_fast._jit import kernel
from ttt_fast._rng import GOLDEN_GAMMA, chunk_stream, mix64
from ttt_fast.errors import UsageError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn.schedules import check_range, parse_schedule
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import epsilon_soft_policy, greedy_policy, tie_order
from ttt_fast.tables import StateTable, standard_table

EPSILON_SCALE = 2.0**24
X_WINS, DRAW, O_WINS = 0, 1, 2
"""Results, in the order of counts and rewards."""

_RESULT_OF_STATUS = {rules.X_WINS: X_WINS, rules.DRAW: DRAW, rules.O_WINS: O_WINS}
_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_4, _MASK_24 = np.uint64(0xF), np.uint64(0xFFFFFF)
_0, _1, _4, _24, _40 = (np.uint64(n) for n in (0, 1, 4, 24, 40))

Passes = tuple[tuple[tuple[float, float], ...], ...]
"""For each result the updates at the end of a game, each by its rewards for X and O."""

REWARDS: Passes = (((1.0, -1.0),), ((0.0, 0.0),), ((-1.0, 1.0),))
"""One update a game: +1 for a win, 0 for a draw, -1 for a loss."""

REWARDS_AS_PUBLISHED: Passes = (((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),))
"""Seed 001: a win of X is followed by a second update, with the rewards of a draw (an `if` without its `el`)."""


@dataclass(frozen=True)
class AfterstateConfig:
    """Everything that decides the bits of the learned values.

    Attributes
    ----------
    episodes, seed
        Number of games, and the seed of their streams.
    step_size, discount
        Alpha and gamma, constant.
    epsilon
        The chance to explore, a schedule over the games; the cumulative one is seed 001's.
    rewards
        For X's win, a draw and O's win, the updates at the end of a game as pairs of rewards (for X, for O).
    initial_value
        Value of an afterstate before its first update.
    tie
        Of equally good actions take the `first`, the `last` or the first in `column-major` order.
    chunk_episodes
        Games a chunk; each has a stream.
    """

    episodes: int = 5_000_000
    seed: int = 0
    step_size: float = 0.1
    discount: float = 0.9
    epsilon: str = "cumulative:0.9,1e-6,0.3"
    rewards: Passes = REWARDS
    initial_value: float = 0.0
    tie: str = "last"
    chunk_episodes: int = 100_000

    def __post_init__(self) -> None:
        """Check every setting."""
        for name, low, high in (("episodes", 0, 10**12), ("seed", 0, 2**128), ("chunk_episodes", 1, 10**8)):
            if not low <= getattr(self, name) <= high:
                raise UsageError(f"expected {name} from {low} to {high}, got {getattr(self, name)!r}")
        for name in ("step_size", "discount"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(f"expected {name} from 0 to 1, got {getattr(self, name)!r}")
        schedule = parse_schedule(self.epsilon)
        if schedule.by_visits:
            raise UsageError(f"expected an epsilon that depends on the game, got {self.epsilon!r}")
        check_range("epsilon", schedule, self.episodes, 0.0, 1.0)
        pairs = [pair for passes in self.rewards for pair in passes]
        if len(self.rewards) != 3 or not all(len(pair) == 2 and isfinite(sum(pair)) for pair in pairs):
            raise UsageError(f"expected pairs of finite rewards for each of 3 results, got {self.rewards!r}")
        if not isfinite(self.initial_value):
            raise UsageError(f"expected a finite initial_value, got {self.initial_value!r}")
        if self.tie == "uniform":
            raise UsageError("expected a tie rule first, last or column-major, got 'uniform'")
        tie_order(self.tie, rules.NUM_CELLS)

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return ceil(self.episodes / self.chunk_episodes)

    def episodes_after(self, chunks: int) -> int:
        """Return the number of games in the first `chunks` chunks."""
        return min(chunks * self.chunk_episodes, self.episodes)


class AfterstateRun(NamedTuple):
    """A run of afterstate learning, finished or not.

    Attributes
    ----------
    config, chunks_done, seconds
        What was asked for, how much of it is done, and the wall time of that.
    values : (S,) float64
        Value of each board for the player who has just moved; 0 for the empty board.
    visited : (S,) bool
        Afterstates that have been updated.
    counts : (3,) int64
        X's wins, draws and O's wins while both explored.
    """

    config: AfterstateConfig
    values: NDArray[np.float64]
    visited: NDArray[np.bool_]
    chunks_done: int
    counts: NDArray[np.int64]
    seconds: float

    @property
    def episodes(self) -> int:
        """Games trained."""
        return self.config.episodes_after(self.chunks_done)

    @property
    def is_complete(self) -> bool:
        """Whether all games have been trained."""
        return self.chunks_done == self.config.num_chunks

    def sha256(self) -> str:
        """Return the hash of the values: equal bits, equal hash."""
        return hashlib.sha256(self.values.tobytes()).hexdigest()

    def policy(
        self,
        name: str = "afterstates",
        *,
        seats: str = "xo",
        epsilon: Fraction | float = 0,
        table: StateTable | None = None,
    ) -> Policy:
        """Return how the values play: greedily, or at random with probability `epsilon` a move.

        `seats` says whose values it has: `xo`, or `x` or `o` as the two files of seed 001, which know nothing of
        the other seat's boards and play them by the tie rule.  The weights are exact.
        """
        if seats not in ("x", "o", "xo"):
            raise UsageError(f"expected seats x, o or xo, got {seats!r}")
        table = table or standard_table()
        known = self.visited & np.isin(np.where(table.ply % 2 == 1, "x", "o"), list(seats))
        values = np.where(known, self.values, self.config.initial_value)[table.child]
        held = np.asarray((known[table.child] & table.legal_action_mask).any(axis=1))
        if epsilon == 0:
            return greedy_policy(values, name, held=held, tie=self.config.tie, table=table)
        return epsilon_soft_policy(values, epsilon, name, held=held, tie=self.config.tie, table=table)


@kernel
def _learn(
    values: NDArray[np.float64],
    visited: NDArray[np.bool_],
    row: NDArray[np.uint32],
    child: NDArray[np.uint16],
    rewards: NDArray[np.float64],
    num_passes: NDArray[np.int64],
    explore_below: NDArray[np.uint64],
    alpha: float,
    gamma: float,
    stream: np.uint64,
    path: NDArray[np.uint16],
    counts: NDArray[np.int64],
) -> None:
    """Play and learn one game for each entry of `explore_below`; updates `values`, `visited` and `counts`.

    `row` packs first_edge << 4 | number_of_edges, for a finished game result << 4; `child` is in the order of
    ties; `rewards` is (3, P, 2), of which `num_passes` (3,) count; `path` is scratch for the states of a game.
    """
    for game in range(explore_below.size):
        below = explore_below[game]
        state = np.uint16(0)
        length = 0
        packed = np.uint64(row[0])
        while packed & _MASK_4:
            stream += _GAMMA
            word = mix64(stream)
            first, count = packed >> _4, packed & _MASK_4
            if (word & _MASK_24) < below:
                state = child[first + (((word >> _24) * count) >> _40)]
            else:
                best = -np.inf
                for edge in range(first, first + count):
                    candidate = child[edge]
                    value = values[candidate]
                    better = value > best
                    best = value if better else best
                    state = candidate if better else state
            path[length] = state
            length += 1
            packed = np.uint64(row[state])
        result = packed >> _4
        counts[result] += 1
        for turn in range(num_passes[result]):
            target = rewards[result, turn, (length - 1) & 1]  # of the player who has moved last
            other = rewards[result, turn, length & 1]
            for i in range(length - 1, -1, -1):
                state = path[i]
                value = values[state]
                value += alpha * (gamma * target - value)
                values[state] = value
                visited[state] = True
                target = other
                other = value


def train_afterstates(
    config: AfterstateConfig,
    *,
    resume: AfterstateRun | None = None,
    on_chunk: Callable[[int, NDArray[np.float64]], None] | None = None,
    table: StateTable | None = None,
) -> AfterstateRun:
    """Learn the values of afterstates by self-play, to the end or until Ctrl-C.

    Parameters
    ----------
    config
        What to do.
    resume
        An interrupted run of the same settings, to be continued.
    on_chunk
        Called after every chunk with the number of games so far and the values, (S,) float64, to be read only.
    table
        The game, ordinary tic-tac-toe unless told.

    Returns
    -------
    AfterstateRun
        The same bits whether the run was interrupted or not; `is_complete` says whether it is at its end.

    Raises
    ------
    UsageError
        If `resume` is a run of other settings, or of another game.

    Examples
    --------
    >>> run = train_afterstates(AfterstateConfig(episodes=20_000))
    >>> int(run.counts.sum()), run.is_complete, round(float(run.values.max()), 3)
    (20000, True, 0.9)
    """
    table = table or standard_table()
    if resume is not None and (resume.config != config or resume.values.size != table.num_states):
        raise UsageError(f"expected a run of the same settings to resume, got {resume.config!r}")
    before = resume or _start(config, table)
    values, visited, counts = before.values.copy(), before.visited.copy(), before.counts.copy()
    done = before.chunks_done
    row, child = _packed_game(table, config.tie)
    rewards, num_passes = _packed_rewards(config.rewards)
    path = np.zeros(table.num_actions, np.uint16)
    started = time.perf_counter()
    with stop_between_chunks() as stop:
        while done < config.num_chunks and not stop.requested:
            stream = chunk_stream(config.seed, done)
            _learn(
                values, visited, row, child, rewards, num_passes, _thresholds(config, done),
                config.step_size, config.discount, stream, path, counts,
            )  # fmt: skip
            done += 1
            if on_chunk is not None:
                on_chunk(config.episodes_after(done), values)
    return AfterstateRun(config, values, visited, done, counts, before.seconds + time.perf_counter() - started)


def _start(config: AfterstateConfig, table: StateTable) -> AfterstateRun:
    """Return a run of which nothing has been trained yet."""
    values = np.full(table.num_states, config.initial_value)
    values[0] = 0.0
    return AfterstateRun(config, values, np.zeros(values.size, np.bool_), 0, np.zeros(3, np.int64), 0.0)


def _thresholds(config: AfterstateConfig, chunk: int) -> NDArray[np.uint64]:
    """Return the 24-bit exploration threshold of each game of a chunk, (G,) uint64."""
    first, last = config.episodes_after(chunk), config.episodes_after(chunk + 1)
    epsilons = parse_schedule(config.epsilon).values(first, last - first, config.episodes)
    return np.rint(epsilons * EPSILON_SCALE).astype(np.uint64)


def _packed_game(table: StateTable, tie: str) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Return the rows and edges of the kernel: the children of each state in the order of ties."""
    order = np.array(tie_order(tie, table.num_actions))
    ordered = table.child[:, order]
    row = table.edge_start[:-1].astype(np.uint32) << 4 | table.legal_action_mask.sum(axis=1).astype(np.uint32)
    for status, result in _RESULT_OF_STATUS.items():
        row[table.status == status] = result << 4
    return row, ordered[ordered >= 0].astype(np.uint16)


def _packed_rewards(passes: Passes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (3, P, 2) rewards and the number of passes of each result, (3,)."""
    most = max(1, *(len(pairs) for pairs in passes))
    padded = [[*pairs, *[(0.0, 0.0)] * (most - len(pairs))] for pairs in passes]
    return np.array(padded), np.array([len(pairs) for pairs in passes])
