"""How many moves of a player keep the exact value of a position: games are solved from their tenth stone on."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.games.results import result_of
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import Solver

FIRST_PLY = 10
"""Stones on the board from which on positions are solved: some milliseconds each."""
TABLE_MB = 64.0


def solver_of(game: Game) -> Solver:
    """Return a solver for the board of a game."""
    state = game.initial_state
    assert isinstance(state, ConnectFourState)
    return Solver(BoardSize(game.num_actions, state.rows), table_mb=TABLE_MB, threads=1)


def decisions_of(game: Game, lines: Sequence[str], *, first: bool) -> Iterator[tuple[Any, int]]:
    """Yield the positions and moves of the player named first, or of the other, from FIRST_PLY stones on.

    Parameters
    ----------
    game, lines
        Games of Connect 4 as `Match` has them.
    first
        Whether of the player named first.
    """
    for line in lines:
        state: Any = game.initial_state
        for action in game.parse_moves(line[1:]):
            if api.ply(state) >= FIRST_PLY and (api.player(state) == api.X) == (first == (line[0] == "+")):
                yield state, action
            state = api.play(state, action)


def judged(game: Game, decisions: Sequence[tuple[Any, int]]) -> dict[str, float]:
    """Solve every position after every move of some decisions, and count the moves that keep the value.

    Open decisions are those in which some moves keep the value (win, draw, loss) and some do not; `by chance` is the
    number of those in which a random choice would keep it.

    Examples
    --------
    >>> game = parse_game("connect4")
    >>> state = game.state_after("112233")  # the fourth in the row wins
    >>> judged(game, [(state, 3), (state, 0)])
    {'decisions': 2, 'open': 2, 'kept': 1, 'by chance': 0.2857...}
    """
    tasks: list[tuple[int, int]] = []
    values: list[dict[int, int]] = []
    for state, _ in decisions:
        known: dict[int, int] = {}
        for action in api.legal_actions(state):
            child: Any = api.play(state, action)
            status = api.status(child)
            known[action] = 0
            if status == api.ONGOING:
                tasks.append((child.own, child.occupied))
            else:
                known[action] = 1 - result_of(status, api.player(state))
        values.append(known)
    scores = iter(solver_of(game).scores(np.array(tasks, np.uint64).reshape(-1, 2), weak=True).scores.tolist())
    found: dict[str, float] = {"decisions": len(decisions), "open": 0, "kept": 0, "by chance": 0.0}
    for (state, chosen), known in zip(decisions, values, strict=True):
        for action in known:
            if api.status(api.play(state, action)) == api.ONGOING:
                known[action] = -next(scores)
        keeping = [action for action, value in known.items() if value == max(known.values())]
        if len(keeping) < len(known):
            found["open"] += 1
            found["kept"] += chosen in keeping
            found["by chance"] += len(keeping) / len(known)
    return found


def kept_moves(board: str, lines: Sequence[str], limit: int) -> dict[str, float]:
    """Return what the first decisions of the player named second are worth: a piece of work."""
    game = parse_game(board)
    return judged(game, list(decisions_of(game, lines, first=False))[:limit])


def values_along(board: str, line: str) -> dict[str, list[int]]:
    """Return the exact value for X of every position of a game from FIRST_PLY on, by its stones: a piece of work.

    Examples
    --------
    >>> values_along("connect4", "+444444333333")  # O has three in the fourth column, with X to move
    {'stones': [10, 11], 'values': [1, 1]}
    """
    game = parse_game(board)
    state: Any = game.initial_state
    plies, words = [], []
    for action in game.parse_moves(line[1:]):
        if api.ply(state) >= FIRST_PLY:
            plies.append(api.ply(state))
            words.append((state.own, state.occupied))
        state = api.play(state, action)
    scores = solver_of(game).scores(np.array(words, np.uint64).reshape(-1, 2), weak=True).scores.tolist()
    return {"stones": plies, "values": [one if ply % 2 == 0 else -one for ply, one in zip(plies, scores, strict=True)]}
