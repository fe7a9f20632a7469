"""Runs of the general kernels and of their plain references, as the arrays that both should end with."""

import afterstate_reference
import general_reference
import numpy as np
from training_checks import INDEX, TABLE, learn_plainly, learned_by, policies

from ttt_fast import TrainingConfig
from ttt_fast.learners import GeneralLearner

SMALL = TrainingConfig(episodes=450, chunk_episodes=180, evaluations=3, seed=17)


def rules_of(config: TrainingConfig, kind=general_reference.Rules):
    """What the plain learner of a configuration learns, and how."""
    settings = config.settings
    rules = kind(
        seat=0 if config.is_self_play else config.seat,
        rewards=(settings.win_reward, settings.draw_reward, settings.loss_reward),
        gamma=settings.discount,
        initial=settings.initial_q,
        tie=settings.tie,
        random_opening=config.random_opening,
        visit_power=settings.step_size.numbers[0] if settings.step_size.by_visits else 0.0,
    )
    if kind is general_reference.Rules:
        ahead = {name: vars(settings).get(name) for name in ("steps", "trace_decay")}
        return rules._replace(algorithm=config.algorithm, **ahead)
    win, draw, loss = rules.rewards
    return rules._replace(rewards=(((win, loss),), ((draw, draw),), ((loss, win),)))


def reference_run(config: TrainingConfig, kind=general_reference.GeneralLearner):
    """The tables (T, S, A), updates (S, A) and counts that a configuration should end with."""
    slow = learn_plainly(kind(rules_of(config), None), config)
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
    """The same by the general kernel, also where a run would take a faster one."""
    return learned_by(GeneralLearner(config, policies(config)), config)


def board_run(config: TrainingConfig, passes=None):
    """Values and updates of boards, and counts, by the general kernel."""
    learner = GeneralLearner(config, policies(config), passes=passes)
    learner.run_chunks(0, config.num_chunks)
    return learner.store.rows.first, learner.store.rows.updates, learner.counts


def reference_boards(config: TrainingConfig, passes=None):
    """The same by the plain learner."""
    rules = rules_of(config, afterstate_reference.Rules)
    slow = afterstate_reference.AfterstateLearner(rules._replace(rewards=passes) if passes else rules, None)
    learn_plainly(slow, config)
    own = np.isin(TABLE.ply % 2, [seat % 2 for seat in config.seats]) & (TABLE.ply > 0)
    values, updates = np.where(own, config.settings.initial_q, 0.0), np.zeros(TABLE.num_states, np.int64)
    for board, value in slow.values.items():
        values[INDEX[board]] = value
    for board, number in slow.updates.items():
        updates[INDEX[board]] = number
    return values, updates, slow.results[::-1] if config.seats == (2,) else slow.results


def assert_as_reference(config: TrainingConfig, passes=None) -> None:
    """The kernel and the plain program end in the same bits: values, numbers of updates, results."""
    if config.by_board:
        found, wanted = board_run(config, passes), reference_boards(config, passes)
    else:
        found, wanted = general_run(config), reference_run(config)
    assert found[0].tobytes() == wanted[0].tobytes()
    assert np.array_equal(found[1], wanted[1])
    assert found[2].tolist() == wanted[2] and sum(wanted[2]) == config.episodes
