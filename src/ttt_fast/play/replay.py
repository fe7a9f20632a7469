"""Recorded games replayed by their rules, and those of them from which a learner can learn."""

import warnings
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import FileFormatError
from ttt_fast.core.known_file import KnownFile
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.play.recorded import RecordedGames, read_games
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.tables import StateTable, find_table

NO_POSITION = -1
"""The position of a move that was not played: an illegal one, and all that follow it or the end of the game."""


class Replay:
    """Recorded games move by move, before their first moves.

    Attributes
    ----------
    position, choice : (M,) int32
        The position before each legal move (`NO_POSITION` for others), and the place of the move in its legal actions.
    legal : (G,) int32
        The number of legal moves of each game.
    status, mover : (G,) int8
        The status code after them, and the player to move (0 if the game is over).
    """

    def __init__(self, games: RecordedGames) -> None:
        self.position = np.full(games.actions.size, NO_POSITION, np.int32)
        self.choice, self.legal = self.position.copy(), np.zeros(games.line.size, np.int32)
        self.status, self.mover = np.zeros((2, games.line.size), np.int8)


def replayed(games: RecordedGames) -> Replay:
    """Replay recorded games by their rules; over a table of states, positions are its states.

    Examples
    --------
    >>> from ttt_fast.play.recorded import read_games
    >>> replay = replayed(read_games(["0 4 0", "0 1 2"]))
    >>> replay.position.tolist(), replay.mover.tolist()
    ([0, 1, -1, 0, 1, 10], [1, 2])
    """
    table = find_table(games.game)
    return replay_by_rules(games)[0] if table is None else replay_in(games, table)


def replay_in(games: RecordedGames, table: StateTable) -> Replay:
    """Replay all games at once, ply by ply, by state indices."""
    replay, count = Replay(games), np.diff(games.first)
    state = np.array([table.state_index(start) for start in games.starts], np.int32)[games.start]
    left, ply = np.arange(state.size), 0
    while (left := left[(count[left] > ply) & (table.status[state[left]] == api.ONGOING)]).size:
        at = games.first[left] + ply
        edge = _edge_of(table, state[left], games.actions[at])
        left, at, edge = (one[edge >= 0] for one in (left, at, edge))
        replay.position[at], replay.choice[at] = state[left], edge - table.edge_start[state[left]]
        state[left] = table.edge_child[edge]
        ply += 1
        replay.legal[left] = ply
    replay.status, replay.mover = table.status[state], table.player[state]
    return replay


def _edge_of(table: StateTable, states: NDArray[np.int32], actions: NDArray[np.int16]) -> NDArray[np.int64]:
    """Return the edge of an action of each state, -1 if the action is illegal."""
    first, found = table.edge_start[states].astype(np.int64), np.full(states.size, -1)
    count = table.edge_start[states + 1] - first
    for place in range(int(count.max())):
        edge = np.minimum(first + place, table.num_edges - 1)
        found = np.where((place < count) & (table.edge_action[edge] == actions), edge, found)
    return found


def replay_by_rules(games: RecordedGames) -> tuple[Replay, list[GameState], list[list[int]]]:
    """Replay games move by move; return the distinct positions and the legal actions of each, too."""
    replay, known, legal = Replay(games), dict[GameState, int](), list[list[int]]()
    for at, first in enumerate(games.first[:-1].tolist()):
        state = games.starts[games.start[at]]
        for place, action in enumerate(games.actions[first : games.first[at + 1]].tolist()):
            if api.status(state) == api.ONGOING and known.setdefault(state, len(known)) == len(legal):
                legal.append(api.legal_actions(state))
            here = known.get(state, NO_POSITION)
            if here < 0 or action not in legal[here]:
                break
            replay.position[first + place], replay.choice[first + place] = here, legal[here].index(action)
            replay.legal[at] = place + 1
            state = api.play(state, action)
        replay.status[at] = api.status(state)
        replay.mover[at] = 0 if replay.status[at] else api.player(state)
        check_interrupt()
    return replay, list(known), legal


class Lessons(NamedTuple):
    """Recorded games from which a learner can learn.

    Attributes
    ----------
    games, replay
        All games of a file, move by move.
    chosen : (L,) int64
        The games that have a result and a legal move after the opening.
    results : (G,) int8
        The status code at the end of each game; that of the record if its moves do not end it; 0 without a result.
    """

    games: RecordedGames
    replay: Replay
    chosen: NDArray[np.int64]
    results: NDArray[np.int8]


@lru_cache(4)
def lessons_in(file: KnownFile, game: Game) -> Lessons:
    """Return the games of a file.  A warning counts those that are left out.

    Raises
    ------
    FileFormatError
        If it contains no game from which a learner can learn.
    """
    games = read_games(file.path, game)
    replay = replayed(games)
    results = np.where(replay.status == api.ONGOING, games.result, replay.status).astype(np.int8)
    chosen = np.flatnonzero((results != api.ONGOING) & (replay.legal > games.opening))
    if not chosen.size:
        raise FileFormatError(f"{file.path!r}: expected games with a result and moves after the opening, got none")
    left_out = results.size - chosen.size
    if left_out or games.malformed:
        text = f"{left_out:,} without a result or a move after the opening, {len(games.malformed):,} malformed lines"
        warnings.warn(f"{file.path!r}: {chosen.size:,} games to learn from; left out: {text}", stacklevel=2)
    return Lessons(games, replay, chosen, results)


def positions_after(file: KnownFile, game: Game) -> list[GameState]:
    """Return the distinct positions after the moves of the games of a file, without finished and illegal games.

    Raises
    ------
    FileFormatError
        If there is none.
    """
    games, found = read_games(file.path, game), dict[GameState, None]()
    for at, first in enumerate(games.first[:-1].tolist()):
        state = games.starts[games.start[at]]
        for action in games.actions[first : games.first[at + 1]].tolist():
            if api.status(state) != api.ONGOING or action not in api.legal_actions(state):
                break
            state = api.play(state, action)
        else:
            found |= {state: None} if api.status(state) == api.ONGOING else {}
        check_interrupt()
    if not found:
        raise FileFormatError(f"{file.path!r}: expected games that are not over, got none")
    return list(found)
