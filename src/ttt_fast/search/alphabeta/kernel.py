"""The kernel of alpha-beta: one loop over a stack of levels, for the states of every game.

Values are sums of rewards from the root on, for the player to move: his less the other's.  A level's window is that
of its player, so that a child has the negated one (negamax).  The kernel stops after a budget of nodes and goes on
where it stood when it is called again; that is how searches keep to a time.

Bounds are fail-soft: a level returns the best of what it has seen, even outside of its window.  At the root a child
is searched with a window that begins one below the best value so far wherever an equal one would matter, so that
a value that only bounds the truth is never taken for a tie; TIE_PUBLISHED does without that, as seed 003 does.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import kernel
from ttt_fast._rng import below
from ttt_fast.games import api
from ttt_fast.search.alphabeta import transposition
from ttt_fast.search.alphabeta.work import (
    ALPHA,
    BEST,
    BEST_ACTION,
    BETA,
    CHILD_DEPTH,
    CHOSEN,
    COUNT,
    DEPTH,
    FIRST_ALPHA,
    LEVEL,
    NEXT,
    NODES,
    SCORE,
    TIE_FIRST,
    TIE_LAST,
    TIE_PUBLISHED,
    TIE_UNIFORM,
    TIE_VALUES,
    Settings,
    Work,
)
from ttt_fast.search.evaluation.rewards import Evaluation, fill_listed_actions, num_listed_actions, reward

_WIDE = 9  # the published program looks one ply less far below more listed actions than this
_TABLE_FIRST, _REWARD_FIRST = 1 << 60, 1 << 20  # keys of the ordering: the table's action, rewards, history
_HISTORY_LIMIT = 1 << 14


@kernel
def _child_depth(state: api.State, depth: int, settings: Settings) -> int:
    """Return the depth left after a move in a state with `depth`, at least 1, left."""
    if settings.published_depth and num_listed_actions(state) > _WIDE:
        return max(0, depth - 2)
    return depth - 1


@kernel
def _order(state: api.State, level: int, first: int, evaluation: Evaluation, work: Work) -> None:
    """Give each action of a level the key by which `_next_action` takes them."""
    seat = api.player(state) - 1
    for index in range(work.frames[level, COUNT]):
        action = np.int64(work.actions[level, index])
        score = reward(state, action, evaluation) * _REWARD_FIRST + work.history[seat, action]
        work.scores[level, index] = score + (_TABLE_FIRST if action == first else 0)


@kernel
def _next_action(level: int, settings: Settings, work: Work) -> int:
    """Return the next action of a level; with ordering, the one with the largest key (the first of equals)."""
    actions, index = work.actions[level], work.frames[level, NEXT]
    work.frames[level, NEXT] = index + 1
    if settings.ordering:
        scores, best = work.scores[level], index
        for other in range(index + 1, work.frames[level, COUNT]):
            if scores[other] > scores[best]:
                best = other
        action, score = actions[best], scores[best]
        for other in range(best, index, -1):  # the rest keeps its order
            actions[other], scores[other] = actions[other - 1], scores[other - 1]
        actions[index], scores[index] = action, score
    return np.int64(actions[index])  # type: ignore[return-value]


@kernel
def _frontier(
    state: api.State, score: int, beta: int, settings: Settings, evaluation: Evaluation, actions: NDArray[np.uint8]
) -> tuple[int, int]:
    """Return the value of a state below which the search ends, and how many of its actions were looked at."""
    best, count = -settings.infinity, api.fill_legal_actions(state, actions)
    for index in range(count):
        value = score + settings.scale * reward(state, np.int64(actions[index]), evaluation)
        if value > best:
            best = value
            if settings.pruning and best >= beta:
                return best, index + 1
    return best, count


@kernel
def _open(
    state: api.State, level: int, depth: int, score: int, alpha: int, beta: int, settings: Settings, work: Work
) -> None:
    """Begin a level with a state that has `depth` plies left; actions and keys are filled in elsewhere."""
    api.store_state(state, work.states, level)
    frame = work.frames[level]
    frame[DEPTH] = depth
    frame[CHILD_DEPTH] = _child_depth(state, depth, settings)
    frame[ALPHA] = frame[FIRST_ALPHA] = alpha
    frame[BETA] = beta
    frame[BEST] = -settings.infinity
    frame[BEST_ACTION] = api.NO_ACTION
    frame[NEXT] = 0
    frame[SCORE] = score


@kernel
def _child_alpha(level: int, action: int, settings: Settings, work: Work) -> int:
    """Return the alpha, for the player of this level, of the search of one of its actions."""
    frame = work.frames[level]
    if not settings.pruning or (level == 0 and settings.ties == TIE_VALUES):
        return -settings.infinity
    if level == 0 and frame[BEST_ACTION] != api.NO_ACTION:
        if _equal_counts(action, frame[BEST_ACTION], settings):
            return frame[BEST] - 1  # type: ignore[no-any-return]
        return frame[BEST]  # type: ignore[no-any-return]
    return frame[ALPHA]  # type: ignore[no-any-return]


@kernel
def _equal_counts(action: int, best_action: int, settings: Settings) -> bool:
    """Return whether it matters that a root action is as good as the best one so far."""
    if settings.ties == TIE_FIRST:
        return action < best_action
    if settings.ties == TIE_LAST:
        return action > best_action
    return settings.ties == TIE_UNIFORM


@kernel
def _visit(level: int, root: api.State, settings: Settings, evaluation: Evaluation, work: Work) -> tuple[bool, int]:
    """Look at the next action of a level: open the level below and return True, or return False and a value."""
    frame = work.frames[level]
    action = _next_action(level, settings, work)
    state = api.load_state(root, work.states, level)
    score = frame[SCORE] + settings.scale * reward(state, action, evaluation)
    depth = frame[CHILD_DEPTH]
    work.counters[NODES] += 1
    if depth == 0:
        return False, score
    child = api.play(state, action)
    result = api.status(child)
    if result != api.ONGOING:
        if result == api.DRAW:
            return False, settings.infinity if settings.lost_draws else score
        if settings.prefer_fast:
            score += depth if result == api.player(state) else -depth
        return False, score
    alpha, beta = -settings.infinity, settings.infinity
    if settings.pruning:
        alpha, beta = -frame[BETA], -_child_alpha(level, action, settings, work)
    if _child_depth(child, depth, settings) == 0:
        value, looked_at = _frontier(child, -score, beta, settings, evaluation, work.actions[level + 1])
        work.counters[NODES] += looked_at
        return False, -value
    first = api.NO_ACTION
    if work.table.shape[0] > 0:
        kind, value, known_depth, first = transposition.probe(child, work.table)
        value -= score
        exact = kind == transposition.EXACT
        if known_depth == depth and (
            exact
            or (kind == transposition.LOWER and value >= beta)
            or (kind == transposition.UPPER and value <= alpha)
        ):
            return False, -value
    _open(child, level + 1, depth, -score, alpha, beta, settings, work)
    work.frames[level + 1, COUNT] = api.fill_legal_actions(child, work.actions[level + 1])
    if settings.ordering:
        _order(child, level + 1, first, evaluation, work)
    return True, 0


@kernel
def _update(level: int, value: int, work: Work) -> None:
    """Count the value of the action of a level that was looked at last."""
    frame = work.frames[level]
    if level == 0:
        work.root_values[frame[NEXT] - 1] = value
    action = np.int64(work.actions[level, frame[NEXT] - 1])
    if value > frame[BEST] or (value == frame[BEST] and frame[BEST_ACTION] == api.NO_ACTION):
        frame[BEST], frame[BEST_ACTION] = value, action
        frame[ALPHA] = max(frame[ALPHA], value)


@kernel
def _finish(level: int, root: api.State, settings: Settings, work: Work) -> int:
    """Return the value of a level whose actions are done, for the player above, and remember what was found."""
    frame = work.frames[level]
    best, action, depth = frame[BEST], frame[BEST_ACTION], frame[DEPTH]
    state = api.load_state(root, work.states, level)
    if settings.ordering and settings.pruning and best >= frame[BETA]:
        seat = api.player(state) - 1
        count, gain = work.history[seat, action], min(depth * depth, 1024)
        work.history[seat, action] = count + gain - count * gain // _HISTORY_LIMIT
    if work.table.shape[0] > 0:
        kind = transposition.EXACT
        if settings.pruning and best <= frame[FIRST_ALPHA]:
            kind = transposition.UPPER
        elif settings.pruning and best >= frame[BETA]:
            kind = transposition.LOWER
        transposition.store(state, work.table, kind, best - frame[SCORE], depth, action)
    return -best  # type: ignore[no-any-return]


@kernel
def _choose(settings: Settings, work: Work, word: np.uint64) -> int:
    """Return the root action to play, from what each of them returned."""
    frame, actions, values = work.frames[0], work.actions[0], work.root_values
    visited, best = frame[NEXT], frame[BEST]
    if settings.ties == TIE_FIRST or settings.ties == TIE_LAST:
        chosen = np.int64(-1)
        for index in range(visited):
            action = np.int64(actions[index])
            if values[index] == best and (chosen < 0 or (action < chosen) == (settings.ties == TIE_FIRST)):
                chosen = action
        return chosen  # type: ignore[return-value]
    ties = 0
    for index in range(visited):
        ties += values[index] == best
    skip = below(word, ties)
    for index in range(visited):
        if values[index] == best:
            if skip == 0:
                return np.int64(actions[index])  # type: ignore[return-value]
            skip -= 1
    return np.int64(actions[0])  # type: ignore[return-value]


@kernel
def search(
    root: api.State, depth: int, settings: Settings, evaluation: Evaluation, work: Work, budget: int, word: np.uint64
) -> bool:
    """Search an ongoing state, or go on with it, for about `budget` nodes; return whether the search is done.

    Parameters
    ----------
    root
        The state, the same in each call of a search.
    depth
        Plies, 1 to the number of levels less 1.
    settings, evaluation, work
        What to search, what counts, and where.  Before the first call counters[LEVEL] is -1, and counters[CHOSEN]
        the action to be tried first at the root, or -1.
    budget
        Nodes, at least 1: positions looked at, the root and the horizon included.
    word
        Random bits, uint64, for choosing among ties.
    """
    level = work.counters[LEVEL]
    if level < 0:
        level = 0
        work.counters[NODES] = 1
        _open(root, 0, depth, 0, -settings.infinity, settings.infinity, settings, work)
        if settings.ties == TIE_PUBLISHED:
            work.frames[0, COUNT] = fill_listed_actions(root, work.actions[0])
        else:
            work.frames[0, COUNT] = api.fill_legal_actions(root, work.actions[0])
        if settings.ordering:
            _order(root, 0, work.counters[CHOSEN], evaluation, work)
    stop = work.counters[NODES] + budget
    done = False
    while not done and work.counters[NODES] < stop:
        frame = work.frames[level]
        cut = settings.pruning and frame[BEST] >= frame[BETA]
        if frame[NEXT] < frame[COUNT] and not cut:
            opened, value = _visit(level, root, settings, evaluation, work)
            level += opened
        else:
            opened, done = False, level == 0
            if not done:
                value = _finish(level, root, settings, work)
                level -= 1
        if not opened and not done:
            _update(level, value, work)
    work.counters[LEVEL] = level
    if done:
        work.counters[CHOSEN] = _choose(settings, work, word)
    return done
