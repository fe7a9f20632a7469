"""The loop of deep Q-learning: play episodes, store transitions and learn, one transition after another."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel_without_counts
from ttt_fast.core.rng import below, next_word
from ttt_fast.games.results import outcome_of
from ttt_fast.learn.dqn.minibatch import Parts, Room, Rule, best_unit, fill_minibatch
from ttt_fast.learn.dqn.replay import ILLEGAL, put
from ttt_fast.learn.dqn.worlds import Seen, fill_units, take
from ttt_fast.learn.learner import Episodes
from ttt_fast.learn.networks.backprop import update
from ttt_fast.learn.settings import ALTERNATE
from ttt_fast.learn.worlds import AnyState, StateOrIndex, reply, status_of, turn_of
from ttt_fast.values.choice import drawn_place
from ttt_fast.values.layers import Layers

STEPS, UPDATES, KEPT = 0, 1, 2
"""Indices of `progress`: transitions, updates, networks kept as rivals."""
RIVAL_TENTHS = 2
"""Tenths of the self-play episodes in which a kept network plays one seat."""
_MASK_24, _MASK_32 = np.uint64((1 << 24) - 1), np.uint64(0xFFFFFFFF)
_ALWAYS = np.uint64(1 << 24)
_0, _1, _24, _31 = (np.uint64(number) for number in (0, 1, 24, 31))


@inlined_kernel
def learn_step(
    seen: Seen, parts: Parts, state: AnyState, unit: int, after: AnyState, alpha: float, now: np.uint64
) -> np.uint64:
    """Store a transition and, if due, learn from a minibatch; return the stream."""
    rule, progress = parts.rule, parts.progress
    put(parts.replay, progress[STEPS] % parts.capacity, state, unit, after)
    progress[STEPS] += 1
    steps = progress[STEPS]
    if steps < rule.warm_up or steps % rule.train_every != 0:
        return now
    size = min(steps, parts.capacity)
    now = fill_minibatch(seen, parts, size, now)
    update(parts.online, parts.moments, parts.scratch, parts.samples, parts.optimizer, parts.loss, alpha)
    progress[UPDATES] += 1
    follow(parts.online.weights, parts.target.weights, rule, progress[UPDATES])
    return now


@inlined_kernel
def follow(online: NDArray[np.float32], target: NDArray[np.float32], rule: Rule, updates: int) -> None:
    """Update the target network from the online network, after a number of updates."""
    if rule.polyak > 0.0:
        share = np.float32(rule.polyak)
        for place in range(online.size):
            target[place] += share * (online[place] - target[place])
    elif updates % rule.target_every == 0:
        for place in range(online.size):
            target[place] = online[place]


@inlined_kernel
def opened(seen: Seen, rule: Rule, room: Room, now: np.uint64) -> tuple[StateOrIndex, np.uint64]:
    """Return the initial state of an episode, after any drawn plies, and the stream."""
    state, plies = seen.world.initial, rule.opening
    if plies > 0 and not rule.is_one:
        now, word = next_word(now)
        plies = below(word, plies + 1)
    while plies > 0 and turn_of(seen.world, state) >= 0:
        now, word = next_word(now)
        count = fill_units(seen, state, room.legal)
        place = drawn_place(word >> _24, count)
        state = take(seen, state, place, as_int(room.legal[place]))
        plies -= 1
    return state, now


@inlined_kernel
def rival_of(parts: Parts, now: np.uint64) -> tuple[int, Layers, np.uint64]:
    """Return the seat of a kept network in an episode (0: none), the network, and the stream."""
    kept, online = parts.progress[KEPT], parts.online
    seat, weights = 0, online.weights
    if parts.rule.seat == 0 and kept > 0:
        now, word = next_word(now)
        low, size = word & _MASK_32, online.weights.size
        if below(word, 10) < RIVAL_TENTHS:
            seat = 1 + as_int(low & _1)
            number = min(kept, parts.rivals.size // size)
            which = as_int(((low >> _1) * np.uint64(number)) >> _31)
            weights = parts.rivals[which * size : (which + 1) * size]
    return seat, Layers(weights, online.sizes, online.starts, online.slope, online.num_hidden), now


@inlined_kernel
def chosen_unit(
    seen: Seen, parts: Parts, layers: Layers, state: AnyState, word: np.uint64, explore_below: np.uint64
) -> int:
    """Return the learner's action for a random word, plus ILLEGAL if illegal; `room.legal` gets the legal actions."""
    rule, room = parts.rule, parts.room
    count = fill_units(seen, state, room.legal)
    if (word & _MASK_24) < explore_below or parts.progress[STEPS] < rule.warm_up:
        unit = as_int(room.legal[drawn_place(word >> _24, count)])
    elif rule.punishes:
        unit = as_int(best_unit(seen, layers, room, state, room.every, room.every.size))
        if place_of(room.legal, unit) >= count:
            unit += ILLEGAL
    else:
        unit = as_int(room.legal[best_unit(seen, layers, room, state, room.legal, count)])
    return unit


@inlined_kernel
def place_of(units: NDArray[np.uint8], unit: int) -> int:
    """Return the first place of an action, or the number of places if it is absent."""
    place = 0
    while place < units.size and units[place] != unit:
        place += 1
    return place


@kernel_without_counts
def learn_episodes(
    seen: Seen, parts: Parts, episodes: Episodes, stream: NDArray[np.uint64], counts: NDArray[np.int64]
) -> None:
    """Learn from episodes.

    Parameters
    ----------
    seen
        The encoded world.
    parts
        The mutable state of the run, and its rule.
    episodes
        The episodes of a chunk.
    stream : (1,) uint64
        Random stream of the chunk; advanced to its end.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    rule, room, online = parts.rule, parts.room, parts.online
    now = stream[0]
    for episode in range(episodes.alphas.size):
        alpha = episodes.alphas[episode]
        explore_below = np.uint64(round(episodes.epsilons[episode] * 2.0**24))
        seat = 1 + (episodes.first + episode) % 2 if rule.seat == ALTERNATE else rule.seat
        rival_seat, rival, now = rival_of(parts, now)
        state: StateOrIndex
        state, now = opened(seen, rule, room, now)
        before, unit, waits, is_forced = state, as_int(_0), False, False
        mover = turn_of(seen.world, state)
        while mover >= 0:
            now, word = next_word(now)
            if seat != 0 and mover + 1 != seat:
                state = reply(seen.world, state, word >> _24)
            else:
                before, waits = state, True
                layers = rival if mover + 1 == rival_seat else online
                unit = chosen_unit(seen, parts, layers, state, word, _ALWAYS if is_forced else explore_below)
                is_forced = unit >= ILLEGAL
                if not is_forced:
                    state = take(seen, state, place_of(room.legal, unit), unit)
            mover = turn_of(seen.world, state)
            if waits and (seat == 0 or rule.expects or mover < 0 or mover + 1 == seat):
                now = learn_step(seen, parts, before, unit, state, alpha, now)
                waits = False
        counts[outcome_of(status_of(seen.world, state))] += 1
    stream[0] = now
