"""Monte Carlo tree search as one would write it on a blackboard: objects, lists and recursion, from the same words.

Only the rules come from the package, called one move at a time.
"""

import math
import struct

import numpy as np

from ttt_fast.core.rng import GOLDEN_GAMMA, below, mix64
from ttt_fast.games import api


class Words:
    """Random words, one after the other."""

    def __init__(self, stream):
        self.stream = int(stream)

    def next(self):
        self.stream = (self.stream + GOLDEN_GAMMA) % 2**64
        return np.uint64(mix64(np.uint64(self.stream)))


class Node:
    def __init__(self, state, action, mover):
        self.state, self.action, self.mover = state, action, mover  # mover: who moved into it
        self.visits, self.points, self.children, self.untried, self.settled = 0, 0, [], None, False
        self.result = api.status(state)

    def score(self, parent, c, formula):
        if self.settled:  # no exploration of what is proved
            return {api.DRAW: 0.5, self.mover: 1.0}.get(self.result, -1.0)
        mean = self.points / (2 * self.visits)
        if formula == "ucb1":
            return mean + c * math.sqrt(math.log(parent.visits)) * (1 / math.sqrt(self.visits))
        return mean + c * math.sqrt(max(math.log(parent.visits) - math.log(self.visits), 0.0))


def ordered(score):
    """A score without the last ten bits of its 64."""
    return struct.unpack("<q", struct.pack("<d", score))[0] >> 10


def gain(result, player):
    """What a known result is worth to a player."""
    return 0 if result == api.DRAW else (1 if result == player else -1)


class Search:
    """Search from `state`; the root is `root`.

    `leaf`, a function of a state, tells its value for the player to move; without it games are played out.
    """

    def __init__(self, state, stream, c, formula="ucb1", careful=False, solver=False, leaf=None, expand_all=False):
        self.words, self.c, self.formula, self.careful, self.solver = Words(stream), c, formula, careful, solver
        self.leaf, self.expand_all = leaf or self.played_out, expand_all
        self.root = Node(state, None, 3 - api.player(state))

    def run(self, simulations):
        for done in range(simulations):
            if self.root.result != api.ONGOING:
                return done
            self.visit(self.root)
        return simulations

    def visit(self, node):
        """Simulate once through a node; return its value for the player to move there."""
        to_move = 3 - node.mover
        if node.result != api.ONGOING:
            value = gain(node.result, to_move)
        elif node.untried is None and self.expand_all:
            value = self.open(node)
        elif node.visits == 0 and node is not self.root:
            value = 1 if self.wins_at_once(node) else self.leaf(node.state)
        else:
            child = self.choose(node)
            value = -self.visit(child)
            if self.solver and child.result != api.ONGOING:
                node.result = self.proved(node)
                if node.result != api.ONGOING:
                    value = gain(node.result, to_move)
        self.count(node, value)
        return value

    def count(self, node, value):
        node.visits += 1
        node.points += 1 - value
        node.settled = self.solver and node.result != api.ONGOING

    def wins_at_once(self, node):
        if self.solver and api.winning_action(node.state) != api.NO_ACTION:
            node.result = api.player(node.state)
            return True
        return False

    def open(self, node):
        """Make all children at once, each with its value; return the best one's value for the player to move."""
        node.untried, values = [], []
        for action in api.legal_actions(node.state):
            child = Node(api.play(node.state, action), action, 3 - node.mover)
            node.children.append(child)
            if child.result != api.ONGOING or self.wins_at_once(child):
                values.append(-gain(child.result, node.mover))
            else:
                values.append(-self.leaf(child.state))
            self.count(child, -values[-1])
        if self.solver:
            node.result = self.proved(node)
        return max(values) if node.result == api.ONGOING else gain(node.result, 3 - node.mover)

    def choose(self, node):
        if node.untried is None:
            actions = np.zeros(1024, np.uint8)
            node.untried = actions[: api.fill_legal_actions(node.state, actions)].tolist()
        if node.untried:
            drawn = below(self.words.next(), len(node.untried))
            action, node.untried[drawn] = node.untried[drawn], node.untried[0]
            del node.untried[0]
            node.children.append(Node(api.play(node.state, action), action, 3 - node.mover))
            return node.children[-1]
        return max(node.children, key=lambda child: ordered(child.score(node, self.c, self.formula)))

    def proved(self, node):
        results = [child.result for child in node.children]
        mover = 3 - node.mover
        if mover in results:
            return mover
        if node.untried or api.ONGOING in results:
            return api.ONGOING
        return api.DRAW if api.DRAW in results else node.mover

    def played_out(self, state):
        return gain(self.play_out(state), api.player(state))

    def play_out(self, state):
        while api.status(state) == api.ONGOING:
            action = api.NO_ACTION
            if self.careful:
                action = api.winning_action(state)
                if action == api.NO_ACTION:
                    action = api.threat_action(state)
            state = api.play(state, api.random_action(state, self.words.next()) if action == api.NO_ACTION else action)
        return api.status(state)

    def best(self, latest):
        """The child to play: a proved win, else the most visits, then the points (or the latest); a loss is last."""
        mover, draw = 3 - self.root.mover, 1 + (self.root.result == api.DRAW)
        rank = {mover: 3, 3 - mover: 0, api.DRAW: draw, api.ONGOING: 1}

        def key(row):
            order, child = row
            return rank[child.result], child.visits, *((order,) if latest else (child.points, -order))

        return max(enumerate(self.root.children), key=key)[1]

    def move_on(self, state, *actions):
        """Go on below the root after two actions, if the tree holds that position unproved; else from nothing."""
        below = {
            (child.action, reply.action): reply
            for child in self.root.children
            for reply in child.children
            if child.result == reply.result == api.ONGOING
        }
        self.root = below.get(actions) or Node(state, None, 3 - api.player(state))


def value_of(child):
    """The value of a child of the root for the player to move there."""
    return child.points / child.visits - 1 if child.result == api.ONGOING else gain(child.result, child.mover)


def assert_same_search(player, plain, state):
    """Search with both: the same simulations, visits, values, proofs and move; return the move."""
    result, simulations = player.search(state), plain.run(player.config.sims)
    assert result.nodes == simulations
    found = [column.tolist() for column in player.root_statistics()]
    tried = [row for row in zip(*found, strict=True) if row[3] >= 0]
    children = [
        (one.action, one.visits, value_of(one), order, one.result) for order, one in enumerate(plain.root.children)
    ]
    assert sorted(tried) == sorted(children)
    best = plain.best(latest=player.config.formula == "log-ratio")
    assert (result.action, result.value) == (best.action, value_of(best))
    return result.action
