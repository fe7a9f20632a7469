"""The moves of a player that keep the exact value of a position; positions are solved from ten stones on."""

from collections.abc import Iterator, Sequence
from typing import Any

from ttt_fast import Game, Solver, parse_game
from ttt_fast.games import api

FIRST_PLY = 10
"""Number of stones from which positions are solved, in some milliseconds each."""
TABLE_MB = 64.0


def decisions_of(game: Game, line: str) -> Iterator[tuple[Any, int]]:
    """Yield the positions and moves of a game of Connect 4, in the format of `PlayedGames`, from FIRST_PLY stones."""
    state: Any = game.initial_state
    for action in game.parse_moves(line[1:]):
        if api.ply(state) >= FIRST_PLY:
            yield state, action
        state = api.play(state, action)


def judged(game: Game, decisions: Sequence[tuple[Any, int]]) -> dict[str, float]:
    """Count the moves that keep the exact value (win, draw, loss) of their positions.

    In an open decision, some moves keep the value and some do not.  `by chance` is the expected number of open
    decisions in which a random move would keep it.

    Examples
    --------
    >>> game = parse_game("connect4")
    >>> state = game.state_after("112233")  # the fourth in the row wins
    >>> judged(game, [(state, 3), (state, 0)])
    {'decisions': 2, 'open': 2, 'kept': 1, 'by chance': 0.2857...}
    """
    solver = Solver(game, table_mb=TABLE_MB, threads=1)
    found: dict[str, float] = {"decisions": len(decisions), "open": 0, "kept": 0, "by chance": 0.0}
    for state, chosen in decisions:
        actions = solver.action_scores((int(state.own), int(state.occupied)), weak=True).actions
        keeping = [one.action for one in actions if one.is_best]
        if len(keeping) < len(actions):
            found["open"] += 1
            found["kept"] += chosen in keeping
            found["by chance"] += len(keeping) / len(actions)
    return found


def kept_moves(board: str, lines: Sequence[str], limit: int) -> dict[str, float]:
    """Return the counts of `judged` for the first decisions of the player named second: a piece of work."""
    game = parse_game(board)
    of_second = [
        one for line in lines for one in decisions_of(game, line) if api.player(one[0]) == "-+".index(line[0]) + 1
    ]
    return judged(game, of_second[:limit])


def values_along(board: str, line: str) -> dict[str, list[int]]:
    """Return the exact value for X of every position of a game from FIRST_PLY on, by its stones: a piece of work.

    Examples
    --------
    >>> values_along("connect4", "+444444333333")  # O has three in the fourth column, with X to move
    {'stones': [10, 11], 'values': [1, 1]}
    """
    game = parse_game(board)
    solver = Solver(game, table_mb=TABLE_MB, threads=1)
    values = {}
    for state, _ in decisions_of(game, line):
        score = solver.score((int(state.own), int(state.occupied)), weak=True).score
        values[int(api.ply(state))] = score if api.player(state) == api.X else -score
    return {"stones": [*values], "values": [*values.values()]}
