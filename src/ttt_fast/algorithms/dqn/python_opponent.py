"""Deep Q-learning against any player of a game without a table: each move of the player is a Python call."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.dqn.encoding import EncodedRules
from ttt_fast.algorithms.dqn.episodes import choose_action, learn_step
from ttt_fast.algorithms.dqn.minibatch import TrainState
from ttt_fast.algorithms.dqn.replay import ILLEGAL
from ttt_fast.algorithms.episodes import ALTERNATE, Episodes
from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import Stream, StreamKey, chunk_stream
from ttt_fast.games import api
from ttt_fast.games.results import outcome_of
from ttt_fast.search.player import Player, checked

_24, _40 = np.uint64(24), np.uint64(40)


@kernel
def _choose(env: EncodedRules, run: TrainState, state: api.State, word: np.uint64, explore_below: np.uint64) -> int:
    """Return the learner's action, plus ILLEGAL if it is illegal."""
    return as_int(choose_action(env, run, run.online, state, word, explore_below))


@kernel
def _learn(
    env: EncodedRules,
    run: TrainState,
    state: api.State,
    action: int,
    next_state: api.State,
    alpha: float,
    now: np.uint64,
) -> np.uint64:
    """Store a transition and, if due, learn from a minibatch; return the stream."""
    return learn_step(env, run, state, action, next_state, alpha, now)


def learn_against_player(
    env: EncodedRules,
    run: TrainState,
    player: Player,
    episodes: Episodes,
    stream: np.uint64,
    seed: int,
    counts: NDArray[np.int64],
) -> None:
    """Learn from episodes against a Python player, as `episodes.learn_episodes` does against a kernel's opponent.

    Parameters
    ----------
    env, run, episodes
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
    rule, words = run.rule, Stream(stream)
    for episode in range(episodes.alphas.size):
        alpha, number = float(episodes.alphas[episode]), episodes.first + episode
        explore_below = np.uint64(round(episodes.epsilons[episode] * 2.0**24))
        seat = 1 + number % 2 if rule.seat == ALTERNATE else rule.seat
        player.begin(chunk_stream(seed, StreamKey.TRAINING_OPPONENT, number))
        state = env.dynamics.initial
        if rule.one_random_ply:
            actions = api.legal_actions(state)
            state = api.play(state, actions[int(((words.word() >> _24) * np.uint64(len(actions))) >> _40)])
        before: api.GameState | None = None
        action, is_forced = 0, False
        while api.status(state) == api.ONGOING:
            word, mover = words.word(), api.player(state)
            if mover != seat:
                state = api.play(state, checked(player.search(state), player, state).action)
            else:
                before = state
                action = int(_choose(env, run, state, word, np.uint64(1 << 24) if is_forced else explore_below))
                is_forced = action >= ILLEGAL
                state = state if is_forced else api.play(state, action)
            if before is not None and (api.status(state) != api.ONGOING or api.player(state) == seat):
                words.state = np.uint64(_learn(env, run, before, action, state, alpha, words.state))
                before = None
        counts[outcome_of(api.status(state))] += 1
