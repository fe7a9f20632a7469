"""A training run: chunks of episodes, exact scores on the way, checkpoints, and resuming in the same bits."""

import os
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ttt_fast._interrupt import stop_between_chunks
from ttt_fast._rng import chunk_stream
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.learn.checkpoint import Training, save_training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.q_learning import Workspace, greedy_places, learn_chunk
from ttt_fast.learn.two_ply import TwoPly, fold_replies
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, standard_table

SECONDS_BETWEEN_CHECKPOINTS = 5.0
NUM_EVALUATIONS = 100
"""Exact evaluations of the greedy policy in a run."""


def start_training(config: TrainingConfig, table: StateTable | None = None) -> Training:
    """Return a run of which nothing has been trained yet."""
    table = table or standard_table()
    empty = np.zeros(table.child.shape)
    return Training(config, empty, empty != 0, 0, np.zeros(3, np.int64), np.zeros((0, 4)), 0.0)


def train(
    training: Training,
    opponent: Policy,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    on_chunk: Callable[[int, NDArray[np.float64] | None], None] | None = None,
    table: StateTable | None = None,
) -> Training:
    """Train from where a run stands to its end, or until Ctrl-C.

    Parameters
    ----------
    training
        A run from `start_training` or `load_training`.
    opponent
        The policy that `training.config.opponent` names.
    checkpoint
        A `.npz` file that is rewritten every few seconds, and at the end.
    on_chunk
        Called after every chunk with the number of episodes and the last row of the history, if any.
    table
        The game, ordinary tic-tac-toe unless told.

    Returns
    -------
    Training
        The same bits whether the run was interrupted and resumed or not; `is_complete` says whether it is at
        its end.

    Examples
    --------
    >>> from ttt_fast.policies.agents import parse_agent
    >>> run = train(start_training(TrainingConfig(episodes=200_000)), parse_agent("random"))
    >>> run.is_complete, run.episodes
    (True, 200000)
    """
    table = table or standard_table()
    config = training.config
    game = fold_replies(table, opponent, config.seat)
    workspace = _prepare_workspace(training, game)
    evaluate = _Evaluator(game, opponent, config.seat, table)
    counts, done = training.counts.copy(), training.chunks_done
    history = [row for row in training.history]
    rewards, discount = config.rewards, config.discount
    learn_chunk(game, workspace, rewards, 0, 1.0, 0.0, discount, np.uint64(0), counts)  # loads the kernel: no episodes
    evaluate(workspace)
    started = saved = time.perf_counter()

    def now() -> Training:
        seconds = training.seconds + time.perf_counter() - started
        q_table, visited = _unpack(game, workspace, table)
        rows = np.array(history).reshape(-1, 4)
        return Training(config, q_table, visited, done, counts.copy(), rows, seconds)

    with stop_between_chunks() as stop:
        while done < config.num_chunks and not stop.requested:
            episodes = config.episodes_after(done + 1) - config.episodes_after(done)
            alpha, epsilon = config.step_size_of(done), config.epsilon_of(done)
            stream = chunk_stream(config.seed, done)
            learn_chunk(game, workspace, rewards, episodes, alpha, epsilon, discount, stream, counts)
            done += 1
            if _is_evaluation_due(config, done):
                history.append(np.array([config.episodes_after(done), *evaluate(workspace)]))
            if on_chunk is not None:
                on_chunk(config.episodes_after(done), history[-1] if history else None)
            if checkpoint is not None and time.perf_counter() - saved > SECONDS_BETWEEN_CHECKPOINTS:
                save_training(checkpoint, now(), opponent, table)
                saved = time.perf_counter()
    result = now()
    if checkpoint is not None:
        save_training(checkpoint, result, opponent, table)
    return result


def _is_evaluation_due(config: TrainingConfig, chunks: int) -> bool:
    """Return whether the run has just passed another hundredth, which does not depend on interruptions."""
    before, after = config.episodes_after(chunks - 1), config.episodes_after(chunks)
    return before * NUM_EVALUATIONS // config.episodes < after * NUM_EVALUATIONS // config.episodes


class _Evaluator:
    """Exact results of the greedy policy against the opponent, straight from the kernel's arrays."""

    def __init__(self, game: TwoPly, opponent: Policy, seat: int, table: StateTable) -> None:
        self.opponent, self.seat, self.table = opponent, seat, table
        waits = int(game.edge_state[0] < 0)  # a start without a state, where the opponent moves first
        self.first_edge = game.edge_start[waits:-1].astype(np.int64)
        self.nodes = slice(waits, game.num_nodes)
        self.states = game.edge_state[self.first_edge]
        self.edge_action = game.edge_action
        self.probabilities = np.zeros(table.child.shape)
        frozen = self.probabilities.view()  # read-only, as every policy that the kernels see
        frozen.flags.writeable = False
        self.learner = Policy("learner", frozen, held=table.decision_mask)

    def __call__(self, workspace: Workspace) -> tuple[float, float, float]:
        """Return the learner's probabilities to win, draw and lose when it plays greedily."""
        actions = self.edge_action[self.first_edge + greedy_places(workspace, self.nodes)]
        self.probabilities[self.states] = 0.0
        self.probabilities[self.states, actions] = 1.0
        if self.seat == rules.X:
            result = exact_outcome(self.learner, self.opponent, table=self.table)
            return result.x_wins, result.draws, result.o_wins
        result = exact_outcome(self.opponent, self.learner, table=self.table)
        return result.o_wins, result.draws, result.x_wins


def _prepare_workspace(training: Training, game: TwoPly) -> Workspace:
    """Return a workspace with the values and marks of a run."""
    real = game.edge_state >= 0
    where = game.edge_state[real], game.edge_action[real]
    workspace = Workspace(game, np.full(real.size, training.config.initial_q))
    workspace.visited[real] = training.visited[where]
    workspace.q[real] = np.where(training.visited[where], training.q_table[where], training.config.initial_q)
    return workspace


def _unpack(game: TwoPly, workspace: Workspace, table: StateTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the (S, A) table of the values and the mask of the updated ones."""
    q_table, visited = np.zeros(table.child.shape), np.zeros(table.child.shape, np.bool_)
    real = game.edge_state >= 0
    where = game.edge_state[real], game.edge_action[real]
    q_table[where], visited[where] = workspace.q[real], workspace.visited[real]
    return q_table, visited
