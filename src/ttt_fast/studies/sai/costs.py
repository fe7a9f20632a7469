"""The cost of the players: exact nodes of the searches of tic-tac-toe, and games of the plain players on the clock."""

import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.games import api
from ttt_fast.games.results import outcome_of
from ttt_fast.learn.learners import GeneralLearner
from ttt_fast.learn.stores import DenseStore
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.sai.kinds import boards_of_keys
from ttt_fast.studies.sai.learners import IN_PLAY, PUBLISHED, config_of, learner_of
from ttt_fast.studies.sai.matches import CONNECT_FOUR
from ttt_fast.studies.sai.plain import (
    DEPTH,
    HEIGHT,
    WIDTH,
    DefaultPlayer,
    FourBoard,
    PlainBoard,
    PlainPlayer,
    Searcher,
    TablePlayer,
    match_on_the_clock,
)
from ttt_fast.tables import table_of
from ttt_fast.tables.boards import boards_of

DEFAULT, PLAIN, ALPHA_BETA, TABLE = "default", "minimax", "minimax with alpha-beta", "tabular Q-learning"


@lru_cache
def nodes_of(prune: bool) -> list[int]:
    """Return the nodes that minimax visits from each state of tic-tac-toe, itself included: those of `plain.Searcher`.

    Examples
    --------
    >>> [nodes_of(prune)[0] for prune in (False, True)]
    [549946, 18297]
    """
    table = table_of("tic-tac-toe")
    children = [[child for child in row if child >= 0] for row in table.child.tolist()]
    if not prune:
        nodes = [1] * table.num_states
        for state in range(table.num_states - 1, -1, -1):
            nodes[state] += sum(nodes[child] for child in children[state])
        return nodes
    values = [1 - outcome_of(status) if status else 0 for status in table.status.tolist()]
    maximizes = (table.player == api.X).tolist()
    count = 0

    def search(state: int, alpha: int, beta: int) -> int:
        nonlocal count
        count += 1
        if not children[state]:
            return values[state]
        best = -2 if maximizes[state] else 2
        for child in children[state]:
            value = search(child, alpha, beta)
            if maximizes[state]:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    def counted(state: int) -> int:
        nonlocal count
        count = 0
        search(state, -2, 2)
        return count

    return [counted(state) for state in range(table.num_states)]


def spent_exactly(player: Policy, opponent: Policy, nodes: list[int]) -> tuple[float, float]:
    """Return the moves and the nodes of a player in a game, expected exactly, the two beginning in turn."""
    moves, expected = 0.0, 0.0
    for seat, pair in ((api.X, (player, opponent)), (api.O, (opponent, player))):
        reach = exact_outcome(*pair).reach * (player.table.player == seat)
        expected += float(sum(share * count for share, count in zip(reach.tolist(), nodes, strict=True))) / 2
        moves += float(reach.sum()) / 2
    return moves, expected


def values_of_x(learner: GeneralLearner) -> Iterator[tuple[str, float]]:
    """Yield X's values as the program's dictionary has them: the marks of a plain board as text, and the value."""
    if isinstance(learner.store, DenseStore):
        table, boards = table_of("tic-tac-toe"), learner.store.rows
        for state in np.flatnonzero((boards.updates > 0) & (table.ply % 2 == 1)).tolist():
            yield str(boards_of(table)[state].tolist()), float(boards.first[state])
        return
    content = learner.store.sorted_rows()
    mover, stones = boards_of_keys(content.keys, WIDTH, HEIGHT)
    cells = [
        bit for column in range(WIDTH)
        for bit in range((column + 1) * (HEIGHT + 1) - 2, column * (HEIGHT + 1) - 1, -1)
    ]  # fmt: skip
    for own, both, value in zip(mover.tolist(), stones.tolist(), content.values[:, 0].tolist(), strict=True):
        yield str([(both >> bit & 1) * 2 - (own >> bit & 1) for bit in cells]), value


def clocked(game: str, first: str, second: str, games: int, seed: int, episodes: int) -> dict[str, Any]:
    """Return what two plain players as coded spent in some games: a piece of work.

    Parameters
    ----------
    game, first, second, games
        The game, the players as the tables name them, and how many games they play.
    seed
        Of their draws.
    episodes
        Games of training of a table.
    """
    generator_of = {name: random.Random(seed) for name in {first, second}}
    depth, start = (DEPTH, FourBoard) if game == CONNECT_FOUR else (None, PlainBoard)

    def player(name: str) -> PlainPlayer:
        generator = generator_of[name]
        if name == DEFAULT:
            return DefaultPlayer(0.01, generator)
        if name != TABLE:
            return Searcher(name == ALPHA_BETA, depth)
        learner = learner_of(config_of(game, PUBLISHED, 0, episodes), PUBLISHED)
        learner.run_chunks(0, learner.config.num_chunks)
        return TablePlayer(dict(values_of_x(learner)), float(IN_PLAY), generator)

    make: Callable[[], PlainBoard] = start
    return match_on_the_clock(player(first), player(second), games, make)
