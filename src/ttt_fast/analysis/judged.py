"""Recorded games replayed, and the exact values of all moves of each distinct position in them.

Letters: G games, M moves, U distinct positions, K legal actions of all these positions.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.analysis.mistakes import solved_values
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.play.recorded import RecordedGames
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.search.connect_four.positions import board_size
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.tables import StateTable, find_table, solution_of

NO_POSITION = -1
"""The position of a move that was not played: an illegal one, and all that follow it or the end of the game."""


class Replay(NamedTuple):
    """Recorded games move by move.

    Attributes
    ----------
    position, choice : (M,) int32
        The position before each legal move (`NO_POSITION` for others), and the place of the move in its legal actions.
    legal : (G,) int32
        The number of legal moves of each game.
    status, mover : (G,) int8
        The status code after them, and the player to move (0 if the game is over).
    """

    position: NDArray[np.int32]
    choice: NDArray[np.int32]
    legal: NDArray[np.int32]
    status: NDArray[np.int8]
    mover: NDArray[np.int8]

    @classmethod
    def of_no_moves(cls, games: RecordedGames) -> "Replay":
        """Return the replay before the first moves."""
        moves, count = games.actions.size, games.line.size
        position = np.full(moves, NO_POSITION, np.int32)
        numbers = np.zeros(count, np.int32)
        return cls(position, position.copy(), numbers, numbers.astype(np.int8), numbers.astype(np.int8))


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
    action : (K,) int16
        Each legal action.
    value : (K,) int8
        Its exact value for the player to move: 1, 0 or -1.
    wins, exposes : (K,) bool
        Whether it ends the game won, and whether the opponent may then end the game won by the next move.
    """

    first: NDArray[np.int64]
    player: NDArray[np.int8]
    known: NDArray[np.bool_]
    action: NDArray[np.int16]
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
    ([5], 2, [-1, 0, -1, 0, -1, 0])
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
        return [None] * len(states)
    children = [[api.play(state, action) for action in api.legal_actions(state)] for state in states]
    distinct = list(dict.fromkeys(chain.from_iterable(children)))

    def tell(done: int, _: int) -> None:
        check_interrupt()
        report_progress("positions solved", done, len(distinct), "positions")

    solver = Solver(board_size(game), threads=threads)
    value = dict(zip(distinct, solved_values(distinct, solver, tell), strict=True))
    return [[-value[child] for child in of] for of in children]


def _by_table(games: RecordedGames, table: StateTable) -> tuple[Replay, Positions]:
    """Replay all games at once, ply by ply, by state indices."""
    replay, count = Replay.of_no_moves(games), np.diff(games.first)
    state = np.array([table.index_of(start) for start in games.starts], np.int32)[games.start]
    before = np.full(games.actions.size, NO_POSITION, np.int32)
    left, ply = np.arange(state.size), 0
    while (left := left[(count[left] > ply) & (table.status[state[left]] == api.ONGOING)]).size:
        at = games.first[left] + ply
        edge = _edge_of(table, state[left], games.actions[at])
        left, at, edge = (one[edge >= 0] for one in (left, at, edge))
        before[at], replay.choice[at] = state[left], edge - table.edge_start[state[left]]
        state[left] = table.edge_child[edge]
        ply += 1
        replay.legal[left] = ply
    replay.status[:], replay.mover[:] = table.status[state], table.player[state]
    is_legal = before >= 0
    seen, replay.position[is_legal] = np.unique(before[is_legal], return_inverse=True)
    return replay, _positions_of(table, seen)


def _edge_of(table: StateTable, states: NDArray[np.int32], actions: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the edge of an action of each state, -1 if the action is illegal."""
    first, found = table.edge_start[states].astype(np.int64), np.full(states.size, -1)
    count = table.edge_start[states + 1] - first
    for place in range(int(count.max(initial=0))):
        edge = np.minimum(first + place, table.num_edges - 1)
        found = np.where((place < count) & (table.edge_action[edge] == actions), edge, found)
    return found


def _positions_of(table: StateTable, states: NDArray[np.int32]) -> Positions:
    """Return the values of the moves of ongoing states of a table."""
    edges, player = table.edges_of(states), table.player[states]
    count = np.diff(table.edge_start)[states]
    mover, child = np.repeat(player, count), table.edge_child[edges]
    after, place = np.unique(child, return_inverse=True)
    replies = table.edges_of(after)
    number = np.diff(table.edge_start)[after]
    wins = table.status[table.edge_child[replies]] == np.repeat(table.player[after], number)
    is_lost = np.bincount(np.repeat(np.arange(after.size), number), wins, after.size) > 0
    value = solution_of(table).value[child]
    return Positions(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(count, dtype=np.int64)]),
        player,
        np.ones(states.size, np.bool_),
        table.edge_action[edges].astype(np.int16),
        np.where(mover == api.X, value, -value).astype(np.int8),
        table.status[child] == mover,
        is_lost[place] & (table.player[child] == 3 - mover),
    )


def _by_states(games: RecordedGames, threads: int) -> tuple[Replay, Positions]:
    """Replay games by their rules, and judge the positions of moves after the openings."""
    replay, known = Replay.of_no_moves(games), dict[GameState, int]()
    legal, wanted = list[list[int]](), set[int]()
    for at, (first, end) in enumerate(zip(games.first[:-1].tolist(), games.first[1:].tolist(), strict=True)):
        state = games.starts[games.start[at]]
        for place, action in enumerate(games.actions[first:end].tolist()):
            if api.status(state) != api.ONGOING:
                break
            here = known.setdefault(state, len(known))
            if here == len(legal):
                legal.append(api.legal_actions(state))
            if action not in legal[here]:
                break
            replay.position[first + place], replay.choice[first + place] = here, legal[here].index(action)
            replay.legal[at] = place + 1
            if place >= games.opening[at]:
                wanted.add(here)
            state = api.play(state, action)
        replay.status[at] = api.status(state)
        replay.mover[at] = 0 if replay.status[at] else api.player(state)
        check_interrupt()
    states, judged = list(known), sorted(wanted)
    values = dict(zip(judged, known_values(games.game, [states[one] for one in judged], threads), strict=True))
    moves = [(here, place, action) for here, of in enumerate(legal) for place, action in enumerate(of)]
    value = [0 if (of := values.get(here)) is None else of[place] for here, place, _ in moves]
    wins, exposes = np.zeros((2, len(moves)), np.bool_)
    for number, (here, _, action) in enumerate(moves):
        if values.get(here) is not None:
            mover, child = api.player(states[here]), api.play(states[here], action)
            wins[number] = api.status(child) == mover
            if api.status(child) == api.ONGOING and api.player(child) != mover:
                exposes[number] = api.winning_action(child) != api.NO_ACTION
    return replay, Positions(
        np.concatenate([np.zeros(1, np.int64), np.cumsum([len(of) for of in legal], dtype=np.int64)]),
        np.array([api.player(state) for state in states], np.int8),
        np.array([values.get(here) is not None for here in range(len(states))], np.bool_),
        np.array([action for *_, action in moves], np.int16),
        np.array(value, np.int8),
        wins,
        exposes,
    )
