"""The kernel of alpha-beta: one loop over a stack of levels, for the states of every game.

Values are sums of rewards from the root: the rewards of the player to move minus the opponent's.  With an
evaluator, the reward of the last move of a line is its value (`horizon.py`).  The window of a level is for its player,
and that of a child is negated (negamax).  The kernel stops after a budget of nodes, and the next call continues from
there; this implements time limits.

Bounds are fail-soft: a level returns the best value found, even outside its window.  If ties at the root matter, the
window of a child begins one below the best value so far, so that a bound is never mistaken for a tie.  TIE_PUBLISHED
omits this, as Bichot's program does.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.core.rng import below
from ttt_fast.games import api
from ttt_fast.search.alphabeta import work as at
from ttt_fast.search.alphabeta.horizon import best_last_reward, horizon_gain
from ttt_fast.search.alphabeta.work import AlphaBetaSettings, AlphaBetaWork, Node
from ttt_fast.search.rewards import api as rewards
from ttt_fast.search.rewards.api import Evaluation
from ttt_fast.values import evaluators
from ttt_fast.values.evaluators import Evaluator

_WIDE = 9  # the published program looks one ply less far below more listed actions than this
_TABLE_FIRST, _REWARD_FIRST = 1 << 60, 1 << 20  # keys of the ordering: the table's action, rewards, history
_HISTORY_LIMIT = 1 << 14
_REPLY = 1 << 10  # in a search to the end, each reply of the opponent counts as so much history


@kernel
def _child_depth(state: api.State, depth: int, settings: AlphaBetaSettings) -> int:
    """Return the depth left after a move in a state with `depth`, at least 1, left."""
    if settings.published_depth and api.num_legal_actions(rewards.listed(state)) > _WIDE:
        return max(0, depth - 2)
    return depth - 1


@kernel
def _order(state: api.State, level: int, count: int, first: int, evaluation: Evaluation, work: AlphaBetaWork) -> None:
    """Give each action of a level the key by which `_next_action` orders them."""
    actions, keys, history = work.actions, work.keys, work.history
    seat = api.player(state) - 1
    for index in range(count):
        action = as_int(actions[level, index])
        key = rewards.reward(state, action, evaluation) * _REWARD_FIRST + history[seat, action]
        keys[level, index] = key + (_TABLE_FIRST if action == first else 0)


@kernel
def _prefer_few_replies(state: api.State, level: int, count: int, work: AlphaBetaWork) -> None:
    """Lower the key of each action of a level by the number of replies; apart, since it slows `_order`."""
    actions, keys = work.actions, work.keys
    for index in range(count):
        keys[level, index] -= api.num_legal_actions(api.play(state, as_int(actions[level, index]))) * _REPLY


@kernel
def _next_action(
    level: int, index: int, count: int, settings: AlphaBetaSettings, actions: NDArray[np.uint8], keys: NDArray[np.int64]
) -> int:
    """Return action `index` of a level; with ordering, the one with the largest key of the rest, which moves there."""
    if settings.ordering:
        best = index
        for other in range(index + 1, count):
            if keys[level, other] > keys[level, best]:
                best = other
        action, key = actions[level, best], keys[level, best]
        for other in range(best, index, -1):  # the rest keeps its order
            actions[level, other], keys[level, other] = actions[level, other - 1], keys[level, other - 1]
        actions[level, index], keys[level, index] = action, key
    return as_int(actions[level, index])


@kernel
def _open(node: Node, next_depth: int, settings: AlphaBetaSettings, work: AlphaBetaWork) -> None:
    """Begin the level of a node, whose children have `next_depth` plies left."""
    level, frames = node.level, work.frames
    api.store_state(node.state, work.states, level)
    frames[level, at.DEPTH] = node.depth
    frames[level, at.CHILD_DEPTH] = next_depth
    frames[level, at.ALPHA] = frames[level, at.FIRST_ALPHA] = node.alpha
    frames[level, at.BETA] = node.beta
    frames[level, at.BEST] = -settings.infinity
    frames[level, at.BEST_ACTION] = api.NO_ACTION
    frames[level, at.NEXT] = 0
    frames[level, at.SCORE] = node.score
    if level == 0 and settings.ties == at.TIE_PUBLISHED:
        frames[level, at.COUNT] = api.fill_legal_actions(rewards.listed(node.state), work.actions[level])
    else:
        frames[level, at.COUNT] = api.fill_legal_actions(node.state, work.actions[level])


@kernel
def _root_alpha(action: int, settings: AlphaBetaSettings, frames: NDArray[np.int64]) -> int:
    """Return the alpha with which a root action is searched: below the best value where an equal one matters."""
    best, best_action = frames[0, at.BEST], frames[0, at.BEST_ACTION]
    if settings.ties == at.TIE_VALUES or best_action == api.NO_ACTION:
        return -settings.infinity
    if settings.ties == at.TIE_FIRST:
        return best - (action < best_action)  # type: ignore[no-any-return]
    if settings.ties == at.TIE_LAST:
        return best - (action > best_action)  # type: ignore[no-any-return]
    return best - (settings.ties == at.TIE_UNIFORM)  # type: ignore[no-any-return]


@kernel
def _is_known(index: int, settings: AlphaBetaSettings, work: AlphaBetaWork) -> bool:
    """Return whether a root action was searched with this alpha before; if so, restore its value."""
    actions, values, alphas = work.actions, work.root_values, work.root_alphas
    action = as_int(actions[0, index])
    alphas[index] = _root_alpha(action, settings, work.frames)
    for earlier in range(index - 1, -1, -1):
        if actions[0, earlier] == action:
            if alphas[earlier] != alphas[index]:
                return False
            values[index] = values[earlier]
            return True
    return False


@kernel
def _final_value(value: int, result: int, mover_won: bool, depth: int, settings: AlphaBetaSettings) -> int:
    """Return the value, for the mover, of a move that ends the game with `depth` plies left."""
    if result == api.DRAW:
        return settings.infinity if settings.lost_draws else value
    if settings.prefer_fast:
        return value + depth if mover_won else value - depth
    return value


@kernel
def _look_up(node: Node, settings: AlphaBetaSettings, table: NDArray[np.uint64]) -> tuple[bool, int, int]:
    """Return whether the table determines the node, its value or else its score, and its best action.

    The value and the score are for the player of the last move.
    """
    if table.shape[0] == 0:
        return False, -node.score, api.NO_ACTION
    kind, below, known_depth, first = at.probe(node.state, table)
    value = below + node.score
    if known_depth == (at.TO_END if settings.to_end else node.depth) and (
        kind == at.EXACT or (kind == at.LOWER and value >= node.beta) or (kind == at.UPPER and value <= node.alpha)
    ):
        return True, -value, first
    return False, -node.score, first


@kernel
def _remember(node: Node, best: int, action: int, settings: AlphaBetaSettings, work: AlphaBetaWork) -> None:
    """Store the result of a node's search in the history and in the table."""
    cut = settings.pruning and best >= node.beta
    if settings.ordering and cut:
        history, seat = work.history, api.player(node.state) - 1
        gain = min(node.depth * node.depth, 1024)
        history[seat, action] += gain - history[seat, action] * gain // _HISTORY_LIMIT
    if work.table.shape[0] > 0:
        kind = at.LOWER if cut else at.EXACT
        if settings.pruning and best <= node.alpha:
            kind = at.UPPER
        at.store(node.state, work.table, kind, best - node.score, at.TO_END if settings.to_end else node.depth, action)


@kernel
def _finish(level: int, root: api.State, settings: AlphaBetaSettings, work: AlphaBetaWork) -> int:
    """Return the value of a completed level for the player one level above, and store the result."""
    frames = work.frames
    best = frames[level, at.BEST]
    if settings.ordering or work.table.shape[0] > 0:
        state, alpha = api.load_state(root, work.states, level), frames[level, at.FIRST_ALPHA]
        node = Node(state, level, frames[level, at.DEPTH], frames[level, at.SCORE], alpha, frames[level, at.BETA])
        _remember(node, best, frames[level, at.BEST_ACTION], settings, work)
    return -best  # type: ignore[no-any-return]


@kernel
def _horizon(
    state: api.State,
    level: int,
    value: int,
    beta: int,
    settings: AlphaBetaSettings,
    evaluation: Evaluation,
    evaluator: Evaluator,
) -> tuple[int, int]:
    """Return the value, for the player of the last move, of a state with one ply left, and the moves examined.

    `value` is the sum of that player so far; `beta` is for the player to move.
    """
    enough = beta + value if settings.pruning else rewards.LARGE
    if settings.pruning and settings.scale != 1:  # a division takes as long as the rest
        enough = -(-enough // settings.scale)  # rounded up
    best, looked_at = best_last_reward(evaluator, level, state, enough, evaluation)
    return -max(-settings.infinity, settings.scale * best - value), looked_at


@kernel
def _two_moves(
    node: Node,
    first: int,
    settings: AlphaBetaSettings,
    evaluation: Evaluation,
    evaluator: Evaluator,
    work: AlphaBetaWork,
) -> tuple[int, int]:
    """Return the value, for the player of the last move, of a node with two plies left, and the positions examined.

    Most nodes are of this kind.  A separate loop avoids the memory that `search` needs to continue later.
    """
    state, level, alpha = node.state, node.level, node.alpha
    best, best_action, nodes = -settings.infinity, as_int(api.NO_ACTION), as_int(0)
    count = as_int(api.fill_legal_actions(state, work.actions[level]))
    if settings.ordering:
        _order(state, level, count, first, evaluation, work)
    for index in range(count):
        action = _next_action(level, index, count, settings, work.actions, work.keys)
        value = node.score + settings.scale * rewards.reward(state, action, evaluation)
        child = api.play(state, action)
        result = api.status(child)
        nodes += 1
        if result != api.ONGOING:
            value = _final_value(value, result, result == api.player(state), as_int(1), settings)
        else:
            evaluators.update(evaluator, level, state, action, child)
            value, looked_at = _horizon(child, level + 1, value, -alpha, settings, evaluation, evaluator)
            nodes += looked_at
        if value > best or best_action == api.NO_ACTION:
            best, best_action = max(value, best), action
            alpha = max(alpha, value)
            if settings.pruning and best >= node.beta:
                break
    if settings.ordering or work.table.shape[0] > 0:
        _remember(node, best, best_action, settings, work)
    return -best, nodes


@kernel
def _choose(settings: AlphaBetaSettings, work: AlphaBetaWork, word: np.uint64) -> int:
    """Return the root action to play, from the values of all root actions."""
    actions, values = work.actions, work.root_values
    visited, best = work.frames[0, at.NEXT], work.frames[0, at.BEST]
    chosen, ties = np.int64(-1), 0
    for index in range(visited):
        action = np.int64(actions[0, index])
        if values[index] == best:
            ties += 1
            if chosen < 0 or (action < chosen) == (settings.ties == at.TIE_FIRST):
                chosen = action
    if settings.ties == at.TIE_FIRST or settings.ties == at.TIE_LAST or ties == 0:
        return chosen if ties else np.int64(actions[0, 0])  # type: ignore[return-value]
    skip = below(word, ties)
    for index in range(visited):
        if values[index] == best:
            if skip == 0:
                chosen = np.int64(actions[0, index])
            skip -= 1
    return chosen  # type: ignore[return-value]


@kernel
def search(
    root: api.State, depth: int, settings: AlphaBetaSettings, evaluation: Evaluation, evaluator: Evaluator,
    work: AlphaBetaWork, budget: int, word: np.uint64,
) -> bool:  # fmt: skip
    """Start or continue the search of an ongoing state for about `budget` nodes; return whether it is complete.

    Parameters
    ----------
    root
        The state, the same in each call of a search.
    depth
        Plies, from 1 to the number of levels minus 1.
    settings, evaluation, evaluator, work
        The kind of search, the rewards, an evaluator or NO_EVALUATOR, the arrays.  Before the first call
        counters[LEVEL] is -1, and counters[CHOSEN] the first root action to search, or -1.
    budget
        Nodes, at least 1: positions examined, including the root and the horizon.
    word
        Random bits, uint64, for choosing among ties.
    """
    frames, actions, counters = work.frames, work.actions, work.counters
    pruning, scale, infinity = settings.pruning, settings.scale, settings.infinity
    level = counters[at.LEVEL]
    if level < 0:
        level += 1
        counters[at.NODES] = 1
        evaluators.init(evaluator, root)
        next_depth = _child_depth(root, depth, settings)
        # nothing exceeds infinity, but the published program stops at it
        beta = infinity + (settings.ties != at.TIE_PUBLISHED)
        _open(Node(root, level, depth, as_int(0), -infinity, beta), next_depth, settings, work)
        if settings.ordering:
            _order(root, level, frames[level, at.COUNT], counters[at.CHOSEN], evaluation, work)
    nodes = counters[at.NODES]
    stop = nodes + budget
    done = False
    while nodes < stop:
        index = frames[level, at.NEXT]
        if index == frames[level, at.COUNT] or (pruning and frames[level, at.BEST] >= frames[level, at.BETA]):
            if level == 0:
                done = True
                break
            value = _finish(level, root, settings, work)
            level -= 1
        else:
            frames[level, at.NEXT] = index + 1
            if level == 0 and settings.ties == at.TIE_PUBLISHED and _is_known(index, settings, work):
                continue
            nodes += 1
            state = api.load_state(root, work.states, level)
            action = _next_action(level, index, frames[level, at.COUNT], settings, actions, work.keys)
            value = frames[level, at.SCORE] + scale * rewards.reward(state, action, evaluation)
            depth = frames[level, at.CHILD_DEPTH]
            if depth == 0:
                value += scale * horizon_gain(evaluator, level, state, action, evaluation)
            else:
                child = api.play(state, action)
                result = api.status(child)
                if result != api.ONGOING:
                    value = _final_value(value, result, result == api.player(state), depth, settings)
                else:
                    alpha, beta = -infinity, infinity
                    if pruning:
                        alpha = -frames[level, at.BETA]
                        beta = -(_root_alpha(action, settings, frames) if level == 0 else frames[level, at.ALPHA])
                    low, high = -infinity, infinity
                    if settings.to_end:
                        low, high = rewards.result_bounds(child)
                        alpha, beta = max(alpha, low), min(beta, high)
                    next_depth = _child_depth(child, depth, settings)
                    if settings.to_end and alpha >= beta:
                        value = -high if high <= alpha else -low
                    elif next_depth == 0:
                        evaluators.update(evaluator, level, state, action, child)
                        value, looked_at = _horizon(child, level + 1, value, beta, settings, evaluation, evaluator)
                        nodes += looked_at
                    else:
                        node = Node(child, level + 1, depth, -value, alpha, beta)
                        known, value, first = _look_up(node, settings, work.table)
                        if not known:
                            evaluators.update(evaluator, level, state, action, child)
                        if not known and next_depth > 1:
                            level += 1
                            _open(node, next_depth, settings, work)
                            if settings.ordering:
                                _order(child, level, frames[level, at.COUNT], first, evaluation, work)
                            if settings.ordering and settings.to_end:
                                _prefer_few_replies(child, level, frames[level, at.COUNT], work)
                            continue
                        if not known:
                            value, looked_at = _two_moves(node, first, settings, evaluation, evaluator, work)
                            nodes += looked_at
        if level == 0:
            work.root_values[frames[0, at.NEXT] - 1] = value
        if value > frames[level, at.BEST] or frames[level, at.BEST_ACTION] == api.NO_ACTION:
            frames[level, at.BEST] = max(value, frames[level, at.BEST])
            frames[level, at.BEST_ACTION] = actions[level, frames[level, at.NEXT] - 1]
            frames[level, at.ALPHA] = max(frames[level, at.ALPHA], value)
    counters[at.LEVEL], counters[at.NODES] = level, nodes
    if done:
        counters[at.CHOSEN] = _choose(settings, work, word)
    return done
