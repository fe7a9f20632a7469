"""The loop of deep Q-learning: play episodes, store transitions and learn, one transition after another."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dqn.replay import (
    ILLEGAL,
    KEPT,
    STEPS,
    UPDATES,
    DqnRule,
    Env,
    Targets,
    TrainState,
    fill_minibatch,
    greedy_place,
    insert,
)
from ttt_fast.algorithms.dynamics import (
    AnyState,
    StateOrIndex,
    fill_actions,
    mover_of,
    opponent_step,
    status_of,
    transition,
)
from ttt_fast.algorithms.episodes import ALTERNATE, Episodes
from ttt_fast.algorithms.networks.backprop import update
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel_without_counts
from ttt_fast.core.rng import below, next_word
from ttt_fast.games.results import outcome_of
from ttt_fast.values.choice import drawn_place
from ttt_fast.values.layers import Layers

RIVAL_TENTHS = 2
"""Tenths of the self-play episodes in which a kept network plays one seat."""
_MASK_24, _MASK_32 = np.uint64((1 << 24) - 1), np.uint64(0xFFFFFFFF)
_ALWAYS = np.uint64(1 << 24)
_0, _1, _24, _31 = (np.uint64(number) for number in (0, 1, 24, 31))


@inlined_kernel
def learn_step(
    env: Env, run: TrainState, state: AnyState, action: int, next_state: AnyState, alpha: float, now: np.uint64
) -> np.uint64:
    """Store a transition and, if due, learn from a minibatch; return the stream."""
    rule, progress = run.rule, run.progress
    # a ring: the new transition replaces the oldest
    insert(run.replay, progress[STEPS] % run.capacity, state, action, next_state)
    progress[STEPS] += 1
    steps = progress[STEPS]
    if steps < rule.warm_up or steps % rule.train_every != 0:
        return now
    # places in use
    size = min(steps, run.capacity)
    now = fill_minibatch(env, run, size, now)
    update(run.online, run.moments, run.backprop, run.samples, run.optimizer, run.loss, alpha)
    progress[UPDATES] += 1
    online, target = run.online.weights, run.target.weights
    if rule.polyak > 0.0:
        share = np.float32(rule.polyak)
        for place in range(online.size):
            target[place] += share * (online[place] - target[place])
    elif progress[UPDATES] % rule.target_every == 0:
        for place in range(online.size):
            target[place] = online[place]
    return now


@inlined_kernel
def reset(env: Env, rule: DqnRule, targets: Targets, now: np.uint64) -> tuple[StateOrIndex, np.uint64]:
    """Return the initial state of an episode (after the random plies, if any), and the stream."""
    state, plies = env.dynamics.initial, rule.max_random_plies
    # from 0 to `max_random_plies` plies; otherwise exactly one, or none
    if plies > 0 and not rule.one_random_ply:
        now, word = next_word(now)
        plies = below(word, plies + 1)
    while plies > 0 and mover_of(env.dynamics, state) >= 0:
        now, word = next_word(now)
        count = fill_actions(env.dynamics, state, targets.legal_actions)
        state = transition(env.dynamics, state, as_int(targets.legal_actions[drawn_place(word >> _24, count)]))
        plies -= 1
    return state, now


@inlined_kernel
def draw_rival(run: TrainState, now: np.uint64) -> tuple[int, Layers, np.uint64]:
    """Return the seat of a kept network in an episode (0: none), the network, and the stream."""
    kept, online = run.progress[KEPT], run.online
    seat, weights = 0, online.weights
    if run.rule.seat == 0 and kept > 0:
        now, word = next_word(now)
        # the upper half decides whether a kept network plays; the lower half: 1 bit its seat, 31 bits its number
        low, size = word & _MASK_32, online.weights.size
        if below(word, 10) < RIVAL_TENTHS:
            seat = 1 + as_int(low & _1)
            # networks in the buffer: beyond its size, the new ones have replaced the oldest
            number = min(kept, run.rivals.size // size)
            which = as_int(((low >> _1) * np.uint64(number)) >> _31)
            weights = run.rivals[which * size : (which + 1) * size]
    return seat, Layers(weights, online.sizes, online.starts, online.slope, online.num_hidden), now


@inlined_kernel
def choose_action(
    env: Env, run: TrainState, layers: Layers, state: AnyState, word: np.uint64, explore_below: np.uint64
) -> int:
    """Return the learner's action for a random word, plus ILLEGAL if illegal; fill `targets.legal_actions`."""
    rule, targets = run.rule, run.targets
    count = fill_actions(env.dynamics, state, targets.legal_actions)
    if (word & _MASK_24) < explore_below or run.progress[STEPS] < rule.warm_up:
        # exploration, and every move before the first update
        action = as_int(targets.legal_actions[drawn_place(word >> _24, count)])
    elif targets.penalizes_illegal:
        # illegal actions compete, too; entries from `count` on are left from other states
        action = as_int(greedy_place(env, layers, targets, state, targets.all_actions, targets.all_actions.size))
        place = 0
        while place < count and targets.legal_actions[place] != action:
            place += 1
        if place == count:
            action += ILLEGAL
    else:
        action = as_int(targets.legal_actions[greedy_place(env, layers, targets, state, targets.legal_actions, count)])
    return action


@kernel_without_counts
def learn_game(
    env: Env,
    run: TrainState,
    state: StateOrIndex,
    actions: NDArray[np.int16],
    opening: int,
    alpha: float,
    now: np.uint64,
) -> np.uint64:
    """Learn from the moves of a game that others have played; return the stream.

    Parameters
    ----------
    env, run
        As for `learn_episodes`.
    state
        The first state.
    actions : (M,) int16, opening
        The legal moves of both players, and the number of those that nobody learns from.
    alpha, now
        The step size, and the random stream of the chunk.
    """
    for ply in range(actions.size):
        before, action = state, as_int(actions[ply])
        state = transition(env.dynamics, before, action)
        if ply >= opening:
            now = learn_step(env, run, before, action, state, alpha, now)
    return now


@kernel_without_counts
def learn_episodes(
    env: Env,
    run: TrainState,
    episodes: Episodes,
    chunk_episodes: int,
    streams: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Learn from the episodes of C successive chunks.

    Parameters
    ----------
    env
        The environment.
    run
        The mutable state of the run, and its rule.
    episodes
        The episodes of the chunks.
    chunk_episodes
        Number of episodes of each chunk; the last one may have fewer.
    streams : (C,) uint64
        Random stream of each chunk; the last one is advanced, for further episodes of that chunk.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    rule, targets, online = run.rule, run.targets, run.online
    now = _0
    for episode in range(episodes.alphas.size):
        # stream k belongs to chunk k
        if episode % chunk_episodes == 0:
            now = streams[episode // chunk_episodes]
        alpha = episodes.alphas[episode]
        explore_below = np.uint64(round(episodes.epsilons[episode] * 2.0**24))
        seat = 1 + (episodes.first + episode) % 2 if rule.seat == ALTERNATE else rule.seat
        rival_seat, rival, now = draw_rival(run, now)
        state: StateOrIndex
        state, now = reset(env, rule, targets, now)
        # the pending transition: from `before` by `action`, to a state that is not known yet
        before, action, is_pending, is_forced = state, as_int(_0), False, False
        mover = mover_of(env.dynamics, state)
        while mover >= 0:
            now, word = next_word(now)
            if seat != 0 and mover + 1 != seat:
                state = opponent_step(env.dynamics, state, word >> _24)
            else:
                before, is_pending = state, True
                # `rival_seat` is 0 without a kept network
                layers = rival if mover + 1 == rival_seat else online
                action = choose_action(env, run, layers, state, word, _ALWAYS if is_forced else explore_below)
                # the state stays after an illegal choice, and the next word draws a legal action
                is_forced = action >= ILLEGAL
                if not is_forced:
                    state = transition(env.dynamics, state, action)
            mover = mover_of(env.dynamics, state)
            # complete at once (self-play, expected replies), or when the learner moves again or the game is over
            if is_pending and (seat == 0 or run.targets.is_expected or mover < 0 or mover + 1 == seat):
                now = learn_step(env, run, before, action, state, alpha, now)
                is_pending = False
        counts[outcome_of(status_of(env.dynamics, state))] += 1
    if episodes.alphas.size > 0:
        streams[streams.size - 1] = now
