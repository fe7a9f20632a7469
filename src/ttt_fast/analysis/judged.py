"""The exact values of all moves of each distinct position in recorded games.

Letters: G games, M moves, U distinct positions, K legal actions of all these positions.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.analysis.mistakes import solved_values
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.play.recorded import RecordedGames
from ttt_fast.play.replay import Replay, replay_by_rules, replay_in
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.search.connect_four.positions import board_size
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.tables import StateTable, find_table, solution_of


class Positions(NamedTuple):
    """Distinct positions and the values of their moves.

    Attributes
    ----------
    first : (U + 1,) int64
        The legal actions of position u are first[u] to first[u + 1] - 1.
    player : (U,) int8
        The player to move: 1 X, 2 O.
    known : (U,) bool
        Whether the values are known; otherwise the position is not judged.
    action : (K,) uint8
        Each legal action.
    value : (K,) int8
        Its exact value for the player to move: 1, 0 or -1.
    wins, exposes : (K,) bool
        Whether it ends the game won, and whether the opponent may then end the game won by the next move.
    """

    first: NDArray[np.int64]
    player: NDArray[np.int8]
    known: NDArray[np.bool_]
    action: NDArray[np.uint8]
    value: NDArray[np.int8]
    wins: NDArray[np.bool_]
    exposes: NDArray[np.bool_]


def judged(games: RecordedGames, threads: int = 1) -> tuple[Replay, Positions]:
    """Replay recorded games, and return them with the distinct positions of their moves.

    Examples
    --------
    >>> from ttt_fast.play.recorded import read_games
    >>> replay, positions = judged(read_games(["0 4 8 2 6 none"]))
    >>> replay.legal.tolist(), int(replay.mover[0]), positions.value[positions.first[3] :].tolist()[:6]
    ([5], 2, [0, -1, 0, 0, -1, 0])
    """
    table = find_table(games.game)
    return _by_states(games, threads) if table is None else _by_table(games, table)


def known_values(game: Game, states: list[GameState], threads: int = 1) -> list[list[int] | None]:
    """Return the exact values of the legal actions of ongoing states in a game without a table.

    Returns
    -------
    list
        For each state, the value of each legal action for the player to move: 1, 0 or -1.  None if it is not known.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> known_values(game, [game.state_after("2252576253462244111563365343671351441")])
    [[-1, -1]]
    """
    if not Solver.supports(game):
        return _searched(game, states)
    children = [[api.play(state, action) for action in api.legal_actions(state)] for state in states]
    distinct = list(dict.fromkeys(chain.from_iterable(children)))

    def tell(done: int, _: int) -> None:
        check_interrupt()
        report_progress("positions solved", done, len(distinct), "positions")

    solved = solved_values(distinct, Solver(board_size(game), threads=threads), tell)
    value = dict(zip(distinct, solved, strict=True))
    return [[-value[child] for child in of] for of in children]


def _searched(game: Game, states: list[GameState]) -> list[list[int] | None]:
    """Return the values of late states, found by a search; later states first, whose values serve the earlier ones."""
    analysis, found = ExactAnalysis(game), list[list[int] | None]()
    for done, state in enumerate(reversed(states)):
        check_interrupt()
        report_progress("positions searched", done, len(states), "positions")
        sign = 1 if api.player(state) == api.X else -1
        found.append([sign * move.value_x for move in analysis.moves(state)] or None)
    return found[::-1]


def _by_table(games: RecordedGames, table: StateTable) -> tuple[Replay, Positions]:
    """Judge all distinct states of the games."""
    replay = replay_in(games, table)
    is_legal = replay.position >= 0
    seen, replay.position[is_legal] = np.unique(replay.position[is_legal], return_inverse=True)
    first, mover, action, child = _moves_of(table, seen)
    after, place = np.unique(child, return_inverse=True)
    starts, replier, _, ends = _moves_of(table, after)
    lost = np.bincount(np.repeat(np.arange(after.size), np.diff(starts)), table.status[ends] == replier, after.size)
    value, known = solution_of(table).value[child], np.ones(seen.size, np.bool_)
    value = np.where(mover == api.X, value, -value)
    exposes = (lost[place] > 0) & (table.player[child] == 3 - mover)
    return replay, Positions(first, table.player[seen], known, action, value, table.status[child] == mover, exposes)


def _moves_of(
    table: StateTable, states: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bounds of the moves of some states, and of each move the player, the action and the state after it."""
    edges, count = table.edges_of(states), np.diff(table.edge_start)[states]
    mover = np.repeat(table.player[states], count)
    return np.append(0, np.cumsum(count, dtype=np.int64)), mover, table.edge_action[edges], table.edge_child[edges]


def _by_states(games: RecordedGames, threads: int) -> tuple[Replay, Positions]:
    """Judge the positions of moves after the openings."""
    replay, states, legal = replay_by_rules(games)
    is_wanted = (replay.position >= 0) & (games.plies >= games.opening[games.of_moves])
    wanted = np.unique(replay.position[is_wanted]).tolist()
    moves = [(here, action) for here, of in enumerate(legal) for action in of]
    found = known_values(games.game, [states[one] for one in wanted], threads)
    values = {here: of for here, of in zip(wanted, found, strict=True) if of is not None}
    wins, exposes = np.zeros((2, len(moves)), np.bool_)
    for number, (here, action) in enumerate(moves):
        if here in values:
            mover, child = api.player(states[here]), api.play(states[here], action)
            wins[number] = api.status(child) == mover
            if api.status(child) == api.ONGOING and api.player(child) != mover:
                exposes[number] = api.winning_action(child) != api.NO_ACTION
    return replay, Positions(
        np.cumsum([0, *map(len, legal)]),
        np.array([api.player(state) for state in states], np.int8),
        np.array([here in values for here in range(len(states))], np.bool_),
        np.array([action for _, action in moves], np.uint8),
        np.array([one for here, of in enumerate(legal) for one in values.get(here, [0] * len(of))], np.int8),
        wins,
        exposes,
    )
