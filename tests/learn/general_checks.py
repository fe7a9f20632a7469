"""Runs of the general kernels and of their plain reference, as the arrays that both should end with."""

import general_reference
import numpy as np
from general_reference import Rules
from training_checks import learned_by

from conftest import random_policy
from ttt_fast.agents.convert import as_policy
from ttt_fast.core.rng import chunk_stream
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.initial_values import init_values
from ttt_fast.learn.learners import GeneralLearner
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_of
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = [tuple(board) for board in boards_of(TABLE).tolist()]
INDEX = {board: state for state, board in enumerate(BOARDS)}
SMALL = TrainingConfig(episodes=450, chunk_episodes=180, evaluations=3, seed=17)


def policies(config: TrainingConfig) -> list[Policy]:
    return [
        random_policy(int(spec.name[5:])) if spec.name.startswith("rows-") else as_policy(spec, config.game)
        for _, spec in config.stages()
    ]


def rules_of(config: TrainingConfig) -> Rules:
    visits = config.settings.step_size.partition(":") if config.settings.step_size.startswith("visits") else None
    return Rules(
        algorithm=config.algorithm,
        seat=0 if config.opponent == "self" else config.seat,
        rewards=(config.settings.win_reward, config.settings.draw_reward, config.settings.loss_reward),
        gamma=config.settings.discount,
        initial=config.settings.initial_q,
        tie=config.settings.tie,
        random_opening=config.random_opening,
        visit_power=float(visits[2] or 1) if visits else 0.0,
        steps=config.settings.steps,
        trace_decay=config.settings.trace_decay,
    )


def reference_run(config: TrainingConfig, kind=general_reference.GeneralLearner):
    """The tables (T, S, A), updates (S, A) and counts that a configuration should end with."""
    rivals = [rival.probabilities.tolist() for rival in policies(config)]
    slow = kind(rules_of(config), None)
    for chunk in range(config.num_chunks):
        first, last = config.episodes_after(chunk), config.episodes_after(chunk + 1)
        if rivals:
            progress = first / config.episodes
            number = next(i for i, (until, _) in enumerate(config.stages()) if progress < until)
            slow.slots.clear()
            slow.opponent = lambda board, rows=rivals[number]: rows[INDEX[board]]
        epsilons = [config.settings.epsilons.value(episode, config.episodes) for episode in range(first, last)]
        alphas = epsilons
        if not slow.rules.visit_power:
            alphas = [config.settings.step_sizes.value(episode, config.episodes) for episode in range(first, last)]
        slow.chunk(alphas, epsilons, int(chunk_stream(config.seed, chunk)))
    learns = np.isin(TABLE.player, (1, 2) if slow.rules.seat in (0, 3) else (slow.rules.seat,))
    empty = np.where(learns[:, None] & TABLE.legal_action_mask, config.settings.initial_q, 0.0)
    tables, updates = np.array([empty] * len(slow.tables)), np.zeros(empty.shape, np.int64)
    for table, values in zip(tables, slow.tables, strict=True):
        for (board, action), value in values.items():
            table[INDEX[board], action] = value
    for (board, action), number in slow.updates.items():
        updates[INDEX[board], action] = number
    return tables, updates, slow.results[::-1] if slow.rules.seat == 2 else slow.results


def general_run(config: TrainingConfig):
    """The same by the general kernel, also where `make_learner` would take a faster one."""
    return learned_by(GeneralLearner(config, policies(config), init_values(config), np.zeros(3, np.int64)), config)
