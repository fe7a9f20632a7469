"""The emulated training runs of Langan's study, and the data kept of each at its checkpoints."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, solution_of, table_of
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.langan import emulation, game
from ttt_fast.studies.langan.emulation import EPSILON, STEP_SIZE, EmulatedRule, Mended

SELF_PLAY = "self-play"
AS_CODED, AS_WRITTEN, OVER_LEGAL = "as coded", "as written", "B3"
"""The variants.  "as coded" is the program.  "as written" follows the report: a step contains the moves of both
players, rewards are 1, 1/2 and 0, and the final reward is written directly into the table.  "B3" mends one defect:
the maximum is over legal actions."""
MAX_SEGMENT = 1_000_000
TRACES: Final = (
    "rows of the opponent's turn", "of them not all zero", "values of actions that do not win at once",
    "negative values", "disagreeing", "of them all zero",
)  # fmt: skip
"""Counts in a learner's final table that show traces of the defects.  The last two are rows of the learner's turn with
a greedy action that loses minimax value, and those of them with only zeros."""


class Run(NamedTuple):
    """A training run: the policies of T learners at K checkpoints, and the traces of the defects at its end.

    Attributes
    ----------
    seed
        Seed of its streams; runs with the same seed share their random numbers.
    lengths
        Episodes at the checkpoints.
    actions, seen
        The learners' greedy actions and the rows of their tables, (K, T, S).
    traces
        Counts, (T, 6), in the order of `TRACES`.
    """

    seed: int
    lengths: tuple[int, ...]
    actions: NDArray[np.int8]
    seen: NDArray[np.bool_]
    traces: NDArray[np.int64]

    def policy(self, episodes: int | None = None, learner: int = 0) -> Policy:
        """Return the greedy policy of a learner after some episodes (default: at the end)."""
        at = -1 if episodes is None else self.lengths.index(episodes)
        actions = self.actions[at, learner].astype(np.int64)
        return Policy.from_actions(table_of("tic-tac-toe"), actions, "emulated", held=self.seen[at, learner])

    def trace(self, name: str, learner: int = 0) -> int:
        """Return one of the traces."""
        return int(self.traces[learner, TRACES.index(name)])


def runs_of(
    work: Runner, opponent: str, variant: str, seeds: int, checkpoints: Sequence[int], **more: Any
) -> list[Run]:
    """Return runs of the first seeds; `{seed}` in the opponent's name is replaced by the seed of each run."""
    described = {"variant": variant, "checkpoints": [*checkpoints], **more}
    settings = [described | {"opponent": opponent.format(seed=seed), "seed": seed} for seed in range(seeds)]
    return [Run(seed, tuple(checkpoints), **one) for seed, one in enumerate(work.pieces(train, settings))]


def train(
    opponent: str,
    variant: str,
    seed: int,
    checkpoints: Sequence[int],
    step_size: float = STEP_SIZE,
    epsilon: float = EPSILON,
) -> dict[str, NDArray[Any]]:
    """Run one training; the step size and epsilon apply to self-play.

    Parameters
    ----------
    opponent
        `SELF_PLAY`, or the agent string of a fixed player.
    variant
        Text of a `Mended`, which lists the mended defects, or `AS_WRITTEN`.
    seed
        Seed of its streams.
    checkpoints
        Numbers of episodes, ascending, after which the tables are recorded.
    step_size, epsilon
        Settings of self-play.

    Returns
    -------
    dict
        The arrays of a `Run`.
    """
    rows, learners = game.program_rows(), 2 if opponent == SELF_PLAY else 1
    tables, rule = game.new_tables(rows, learners), rule_of(variant, step_size, epsilon)
    replies = None if learners == 2 else game.uniform_replies(agent(opponent), rows)
    actions, seen = [], []
    for index, (done, following) in enumerate(segments(checkpoints)):
        episodes, stream = following - done, chunk_stream(seed, index)
        if replies is None:
            emulation.self_play(rows.link, tables, rule, episodes, stream)
        else:
            emulation.learn_against(rows.link, replies, tables, rule, episodes, stream)
        if following in checkpoints:
            actions.append([game.greedy_actions(rows, tables, learner) for learner in range(learners)])
            seen.append(tables.seen.copy())
    traces = [
        traces_of(game.full_table(rows, tables, learner), tables.seen[learner], actions[-1][learner], learner + 1)
        for learner in range(learners)
    ]
    return {"actions": np.array(actions, np.int8), "seen": np.array(seen), "traces": np.array(traces)}


def rule_of(variant: str, step_size: float, epsilon: float) -> EmulatedRule:
    """Return the learning rule of a variant, which is `AS_WRITTEN` or the text of a `Mended`."""
    if variant == AS_WRITTEN:
        return EmulatedRule(Mended(True, True), emulation.WRITTEN, step_size, 1.0, epsilon)
    mended = Mended(*(name in variant.split("+") for name in ("B1", "B2", "B3")))
    return EmulatedRule(mended, emulation.CODED, step_size, step_size, epsilon)


def segments(checkpoints: Iterable[int]) -> list[tuple[int, int]]:
    """Return the segments (first episode, last episode) of a run; each has a random stream of its own.

    Examples
    --------
    >>> segments([1000, 1_500_000])
    [(0, 1000), (1000, 1001000), (1001000, 1500000)]
    """
    ends = [0]
    for checkpoint in checkpoints:
        ends += [*range(ends[-1] + MAX_SEGMENT, checkpoint, MAX_SEGMENT), checkpoint]
    return list(pairwise(ends))


def traces_of(q: NDArray[np.float64], held: NDArray[np.bool_], actions: NDArray[np.int64], seat: int) -> list[int]:
    """Return the counts of a table in the order of `TRACES`.

    Parameters
    ----------
    q : (S, A) float64
        Values in this package's numbering of actions.
    held : (S,) bool
        Rows of the table.
    actions : (S,) int64
        Greedy actions.
    seat
        The learner's seat, 1 or 2.
    """
    table = table_of("tic-tac-toe")
    decisions = held & table.decision_mask
    own, other = decisions & (table.player == seat), decisions & (table.player == 3 - seat)
    values = np.where(table.legal_action_mask & held[:, None], q, 0.0)
    filled = np.any(values != 0.0, axis=1)
    wins_at_once = table.legal_action_mask & (table.status[table.child] == (api.X_WINS, api.O_WINS)[seat - 1])
    wrong = own & ~table.dense(solution_of(table).optimal)[np.arange(table.num_states), actions]
    found = (other, other & filled, (values != 0.0) & ~wins_at_once, values < 0.0, wrong, wrong & ~filled)
    return [int(one.sum()) for one in found]


def one_two_five(last: int, *more: int) -> tuple[int, ...]:
    """Return 1,000, 2,000, 5,000, 10,000 … up to `last`, and the values of `more` below `last`.

    Examples
    --------
    >>> one_two_five(12_000, 3_000)
    (1000, 2000, 3000, 5000, 10000, 12000)
    """
    ladder = (digit * 10**power for power in range(3, 16) for digit in (1, 2, 5))
    return tuple(sorted({*(at for at in (*ladder, *more) if at < last), last}))
