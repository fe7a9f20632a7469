"""How many moves of a player keep the exact value of a position: the games are solved from their tenth stone on."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.registry import Game
from ttt_fast.games.results import result_of
from ttt_fast.play.record import GameRecord
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import Solver

FIRST_PLY = 10
"""Stones on the board from which on positions are solved: some milliseconds each."""
TABLE_MB = 64.0


class Decision(NamedTuple):
    """A move that a player chose, and the position in which it did."""

    state: Any
    action: int


class Kept(NamedTuple):
    """What a player's decisions are worth.

    Attributes
    ----------
    decisions
        Positions in which it moved.
    open
        Those in which some moves keep the value (win, draw, loss) and some do not.
    kept
        Open ones in which its move keeps it.
    by_chance
        How many a random player would keep of the open ones.
    """

    decisions: int
    open: int
    kept: int
    by_chance: float

    def row(self) -> dict[str, Any]:
        """Return the columns of a table."""
        low, high = wilson_interval(self.kept, self.open)
        return {
            "decisions": self.decisions,
            "open decisions": self.open,
            "kept": self.kept / self.open if self.open else None,
            "kept_low": low,
            "kept_high": high,
            "kept by chance": self.by_chance / self.open if self.open else None,
        }


def solver_of(game: Game, threads: int) -> Solver:
    """Return a solver for the board of a game."""
    state = game.initial_state
    assert isinstance(state, ConnectFourState)
    return Solver(BoardSize(game.num_actions, state.rows), table_mb=TABLE_MB, threads=threads)


def decisions_of(game: Game, records: Iterable[GameRecord], first: bool, limit: int) -> list[Decision]:
    """Return the first decisions of a player with at least FIRST_PLY stones on the board.

    Parameters
    ----------
    game, records
        Games of Connect 4.
    first
        Whether of the player who was named first.
    limit
        How many at most.
    """
    found: list[Decision] = []
    for record in records:
        state: Any = game.initial_state
        x_is_first = record.game == 0
        for action in game.parse_moves(record.moves):
            if api.ply(state) >= FIRST_PLY and (api.player(state) == api.X) == (first == x_is_first):
                found.append(Decision(state, action))
            state = api.play(state, action)
        if len(found) >= limit:
            break
    return found[:limit]


def judge(solver: Solver, decisions: Sequence[Decision]) -> Kept:
    """Solve every position after every move of some decisions, and count the moves that keep the value.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> state = game.state_after("112233")  # the fourth in the row wins
    >>> judge(solver_of(game, 1), [Decision(state, 3), Decision(state, 0)])
    Kept(decisions=2, open=2, kept=1, by_chance=0.2857...)
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
    scores = iter(solver.scores(np.array(tasks, np.uint64).reshape(-1, 2), weak=True).scores.tolist())
    contested = kept = 0
    by_chance = 0.0
    for (state, chosen), known in zip(decisions, values, strict=True):
        for action in known:
            if api.status(api.play(state, action)) == api.ONGOING:
                known[action] = -next(scores)
        best = max(known.values())
        keeping = [action for action, value in known.items() if value == best]
        if len(keeping) < len(known):
            contested += 1
            kept += chosen in keeping
            by_chance += len(keeping) / len(known)
    return Kept(len(decisions), contested, kept, by_chance)


def values_along(solver: Solver, game: Game, record: GameRecord) -> list[tuple[int, int]]:
    """Return the exact value for X of every position of a game, by its number of stones, from FIRST_PLY on.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> from ttt_fast.studies.sai.connect_four.match import play_pairs, player_of
    >>> game = parse_game("connect4")
    >>> players = [player_of("alphabeta:depth=5,tie=first", game) for _ in range(2)]
    >>> record = play_pairs(game, *players, pairs=1, seed=0).records[0]
    >>> values_along(solver_of(game, 1), game, record)[-1][1]  # before the last move
    -1
    """
    state: Any = game.initial_state
    plies, words = [], []
    for action in game.parse_moves(record.moves):
        if api.ply(state) >= FIRST_PLY:
            plies.append(api.ply(state))
            words.append((state.own, state.occupied))
        state = api.play(state, action)
    scores = solver.scores(np.array(words, np.uint64).reshape(-1, 2), weak=True).scores.tolist()
    return [(ply, score if ply % 2 == 0 else -score) for ply, score in zip(plies, scores, strict=True)]
