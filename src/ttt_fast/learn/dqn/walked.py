"""Deep Q-learning against any player of a game without a table: each move of the player is a Python call."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import Stream, StreamKey, chunk_stream
from ttt_fast.games import api
from ttt_fast.games.results import outcome_of
from ttt_fast.learn.dqn.episodes import chosen_unit, learn_step
from ttt_fast.learn.dqn.minibatch import Parts
from ttt_fast.learn.dqn.replay import ILLEGAL
from ttt_fast.learn.dqn.worlds import SeenRules
from ttt_fast.learn.learner import Episodes
from ttt_fast.learn.settings import ALTERNATE
from ttt_fast.search.player import Player, checked

_24, _40 = np.uint64(24), np.uint64(40)


@kernel
def _choose(seen: SeenRules, parts: Parts, state: api.State, word: np.uint64, explore_below: np.uint64) -> int:
    """Return the learner's action, plus ILLEGAL if it is illegal."""
    return as_int(chosen_unit(seen, parts, parts.online, state, word, explore_below))


@kernel
def _learn(
    seen: SeenRules, parts: Parts, state: api.State, unit: int, after: api.State, alpha: float, now: np.uint64
) -> np.uint64:
    """Store a transition and, if due, learn from a minibatch; return the stream."""
    return learn_step(seen, parts, state, unit, after, alpha, now)


def learn_walked(
    seen: SeenRules,
    parts: Parts,
    player: Player,
    episodes: Episodes,
    stream: np.uint64,
    seed: int,
    counts: NDArray[np.int64],
) -> None:
    """Learn from episodes against a Python player, as `episodes.learn_episodes` does against a kernel's opponent.

    Parameters
    ----------
    seen, parts, episodes
        As in `episodes.learn_episodes`.
    player
        The opponent, which has its own random stream in each game.
    stream
        Random stream of the chunk.
    seed
        Seed of the run.
    counts : (3,) int64
        Games that X won, drew, lost; incremented.
    """
    rule, words = parts.rule, Stream(stream)
    for episode in range(episodes.alphas.size):
        alpha, number = float(episodes.alphas[episode]), episodes.first + episode
        explore_below = np.uint64(round(episodes.epsilons[episode] * 2.0**24))
        seat = 1 + number % 2 if rule.seat == ALTERNATE else rule.seat
        player.begin(chunk_stream(seed, StreamKey.TRAINING_OPPONENT, number))
        state = seen.world.initial
        if rule.is_one:
            actions = api.legal_actions(state)
            state = api.play(state, actions[int(((words.word() >> _24) * np.uint64(len(actions))) >> _40)])
        before: api.GameState | None = None
        unit, is_forced = 0, False
        while api.status(state) == api.ONGOING:
            word, mover = words.word(), api.player(state)
            if mover != seat:
                state = api.play(state, checked(player.think(state), player, state).action)
            else:
                before = state
                unit = int(_choose(seen, parts, state, word, np.uint64(1 << 24) if is_forced else explore_below))
                is_forced = unit >= ILLEGAL
                state = state if is_forced else api.play(state, unit)
            if before is not None and (api.status(state) != api.ONGOING or api.player(state) == seat):
                words.state = np.uint64(_learn(seen, parts, before, unit, state, alpha, words.state))
                before = None
        counts[outcome_of(api.status(state))] += 1
