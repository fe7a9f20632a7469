"""The emulated training runs of Langan's study, and the values kept of each at its checkpoints."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.rng import chunk_stream
from ttt_fast.evaluate.strength import Agreement
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.running.chunks import run_chunks
from ttt_fast.running.interrupts import StopRequest, stop_between_chunks
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.langan import emulation, game
from ttt_fast.studies.langan.emulation import Mended
from ttt_fast.studies.langan.plan import AS_CODED, AS_WRITTEN, OVER_LEGAL, SELF_PLAY, Job
from ttt_fast.studies.page import Progress
from ttt_fast.tables import solution_of

MAX_SEGMENT = 1_000_000
_REWARDS = {AS_CODED: (1.0, 0.0, -1.0), OVER_LEGAL: (1.0, 0.0, -1.0), AS_WRITTEN: (1.0, 0.5, 0.0)}


class Snapshot(NamedTuple):
    """What T learners play at a checkpoint: their greedy actions and the rows that they have, (T, S) each."""

    episodes: int
    actions: NDArray[np.int64]
    seen: NDArray[np.bool_]

    def policy(self, learner: int = 0) -> Policy:
        """Return the greedy policy of one learner."""
        return Policy.from_actions(ordinary_table(), self.actions[learner], "emulated", held=self.seen[learner])

    def agreement(self, learner: int = 0, *, own_turn: bool = False) -> Agreement:
        """Return in how many rows the action keeps the minimax value: of all rows, as published, or of its own."""
        table = ordinary_table()
        counted = self.seen[learner] & table.decision_mask
        if own_turn:
            counted &= table.player == learner + 1
        states = np.flatnonzero(counted)
        agreeing = table.dense(solution_of(table).optimal)[states, self.actions[learner, states]]
        return Agreement(int(agreeing.sum()), int(states.size))


class Evidence(NamedTuple):
    """What a table holds of each learner, where the defects leave their traces (counts of rows or values).

    Attributes
    ----------
    opponent_rows, nonzero_opponent_rows
        Rows of boards where the opponent is to move, and those of them with a value other than 0.
    nonzero_elsewhere
        Values other than 0 of actions that do not win at once.
    negative
        Negative values.
    disagreeing, disagreeing_all_zero
        Rows of the learner's turn whose greedy action gives minimax value away, and those that are all zero.
    """

    opponent_rows: int
    nonzero_opponent_rows: int
    nonzero_elsewhere: int
    negative: int
    disagreeing: int
    disagreeing_all_zero: int


class Run(NamedTuple):
    """A finished job: its checkpoints, and the evidence of each learner at the end."""

    job: Job
    snapshots: list[Snapshot]
    evidence: list[Evidence]

    @property
    def last(self) -> Snapshot:
        """The end of the run."""
        return self.snapshots[-1]

    def at(self, episodes: int) -> Snapshot:
        """Return the checkpoint after so many episodes."""
        return next(snapshot for snapshot in self.snapshots if snapshot.episodes == episodes)


def evidence_of(q: NDArray[np.float64], held: NDArray[np.bool_], actions: NDArray[np.int64], seat: int) -> Evidence:
    """Return what a table holds.

    Parameters
    ----------
    q : (S, A) float64
        Values by our numbers of actions.
    held : (S,) bool
        Its rows.
    actions : (S,) int64
        Its greedy actions.
    seat
        The learner's seat, 1 or 2.
    """
    table = ordinary_table()
    decisions = held & table.decision_mask
    own, other = decisions & (table.player == seat), decisions & (table.player == 3 - seat)
    values = np.where(table.legal_action_mask & held[:, None], q, 0.0)
    filled = np.any(values != 0.0, axis=1)
    won = api.X_WINS if seat == api.X else api.O_WINS
    wins_at_once = table.legal_action_mask & (table.status[table.child] == won)
    wrong = own & ~table.dense(solution_of(table).optimal)[np.arange(table.num_states), actions]
    return Evidence(
        int(other.sum()),
        int((other & filled).sum()),
        int(((values != 0.0) & ~wins_at_once).sum()),
        int((values < 0.0).sum()),
        int(wrong.sum()),
        int((wrong & ~filled).sum()),
    )


def segments(checkpoints: Iterable[int]) -> list[tuple[int, int]]:
    """Return the stretches (first episode, last episode) that a run is made of: each has a stream of its own.

    Examples
    --------
    >>> segments([1000, 1_500_000])
    [(0, 1000), (1000, 1001000), (1001000, 1500000)]
    """
    parts, done = [], 0
    for checkpoint in checkpoints:
        while done < checkpoint:
            following = min(done + MAX_SEGMENT, checkpoint)
            parts.append((done, following))
            done = following
    return parts


def train_job(job: Job, stop: StopRequest | None = None) -> Run:
    """Do one training run.

    Raises
    ------
    KeyboardInterrupt
        If a stop was requested meanwhile.
    """
    rows = game.program_rows()
    learners = 2 if job.opponent == SELF_PLAY else 1
    tables = game.new_tables(rows, learners)
    replies = None if learners == 2 else game.uniform_replies(agent(job.opponent), rows)
    mended = Mended(*(name in job.variant.split("+") for name in ("B1", "B2", "B3")))
    snapshots = []
    for index, (done, following) in enumerate(segments(job.checkpoints)):
        if stop is not None and stop.requested:
            raise KeyboardInterrupt
        stream = chunk_stream(job.seed, index)
        if replies is None:
            emulation.self_play(rows, tables, mended, following - done, stream)
        else:
            last_step = 1.0 if job.variant == AS_WRITTEN else emulation.STEP_SIZE
            rewards = np.array(_REWARDS[job.variant])
            emulation.learn_against(rows, tables, replies, rewards, last_step, mended.maximum, following - done, stream)
        if following in job.checkpoints:
            actions = np.stack([game.greedy_actions(rows, tables, learner) for learner in range(learners)])
            snapshots.append(Snapshot(following, actions, tables.seen.copy()))
    evidence = [
        evidence_of(game.full_table(rows, tables, learner), tables.seen[learner], actions[learner], learner + 1)
        for learner in range(learners)
    ]
    return Run(job, snapshots, evidence)


def train_all(jobs: list[Job], threads: int, on_progress: Progress | None = None) -> dict[tuple[str, str], list[Run]]:
    """Do all runs, the longest first, and return them by opponent and variant in the order of their seeds."""
    order = sorted(jobs, key=lambda job: -job.checkpoints[-1])
    found: dict[tuple[str, str], list[Run]] = {(job.opponent, job.variant): [] for job in jobs}
    with stop_between_chunks() as stop:
        for number, run in enumerate(run_chunks(lambda i: train_job(order[i], stop), 0, len(order), threads), 1):
            job = run.job
            found[job.opponent, job.variant].append(run)
            if on_progress is not None:
                on_progress(f"{number} of {len(order)} runs: {job.opponent}, {job.variant}, seed {job.seed}")
    for runs in found.values():
        runs.sort(key=lambda run: run.job.seed)
    return found
