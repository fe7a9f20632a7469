"""The moves of a position: their exact values, and an agent's probabilities, values and visits of them."""

from math import isnan
from typing import NamedTuple

import numpy as np

from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.core.errors import UsageError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.core.text import JsonObject
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.connect_four.positions import board_size, plies_to_end, words_of
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.search.player import Analyst, MixedPlayer, Player, TreeAnalyst, checked
from ttt_fast.tables import StateTable, find_table, solution_of

QUICK_PLY = 12
"""The ply of Connect 4 on 7x6 from which the solver takes a tenth of a second for all moves of a random position."""


def has_solver(game: Game) -> bool:
    """Return whether a game without a table has a solver: Connect 4 with four in a row.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> has_solver(parse_game("connect4")), has_solver(parse_game("connect4:length=5"))
    (True, False)
    """
    try:
        board_size(game)
    except UsageError:
        return False
    return find_table(game) is None


def exact_moves(table: StateTable, state: int) -> list[JsonObject]:
    """Return a row for each legal action of a state of a table, as `ExactAnalysis.moves`."""
    solution = solution_of(table)
    edges = range(int(table.edge_start[state]), int(table.edge_start[state + 1]))
    rows = []
    for edge in edges:
        action, after = int(table.edge_action[edge]), int(table.edge_child[edge])
        rows.append(
            {
                "action": action,
                "move": table.game.format_moves([action]),
                "board": table.board(after),
                "value_x": int(solution.value[after]),
                "distance": int(solution.distance[after]) + 1,
                "optimal": bool(solution.optimal[edge]),
                "fastest": bool(solution.fastest[edge]),
            }
        )
    return rows


class ExactAnalysis:
    """The exact values of the moves of a game: by its table, or by a solver.

    Parameters
    ----------
    game
        The game.
    solves_from
        The number of plies from which positions of a game without a table are solved (0: all of them, which takes
        seconds early in the game); None: never.
    """

    def __init__(self, game: Game, solves_from: int | None = None) -> None:
        self.game, self._table = game, find_table(game)
        self._solves_from = solves_from if has_solver(game) else None
        self._solver: Solver | None = None

    def knows(self, state: GameState) -> bool:
        """Return whether the moves of an ongoing state have exact values here."""
        if api.status(state) != api.ONGOING:
            return False
        return self._table is not None or (self._solves_from is not None and api.ply(state) >= self._solves_from)

    def moves(self, state: GameState) -> list[JsonObject]:
        """Return a row for each legal action of an ongoing state; none if their values are not known.

        `action`, `move`, `board` after it, `value_x`: the value for X, `distance`: plies to the end under best play,
        `optimal`: whether it keeps the value, `fastest`: whether it is an optimal action that wins soonest, or loses or
        draws latest.  A search may be interrupted between two chunks of nodes (`running/interrupts.py`).

        Examples
        --------
        >>> from ttt_fast.games.registry import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> rows = ExactAnalysis(game).moves(game.parse_position("XX.OO...."))
        >>> [row["action"] for row in rows if row["fastest"]]
        [2]
        """
        if not self.knows(state):
            return []
        if self._table is not None:
            return exact_moves(self._table, self._table.index_of(state))
        words, seat, game = words_of(state), api.player(state), self.game
        self._solver = self._solver or Solver(board_size(game))
        solved = self._solver.action_scores(words, on_progress=lambda _: check_interrupt())
        scores = {one.action: one.score or 0 for one in solved.actions}
        best, rows = max(scores.values()), []
        for action, score in scores.items():
            sign = (score > 0) - (score < 0)
            rows.append(
                {
                    "action": action,
                    "move": game.format_moves([action]),
                    "board": game.format_position(api.play(state, action)),
                    "value_x": sign if seat == api.X else -sign,
                    "distance": plies_to_end(score, words[1].bit_count(), self._solver.size),
                    "optimal": sign == (best > 0) - (best < 0),
                    "fastest": score == best,
                }
            )
        return rows

    def move(self, state: GameState, action: int) -> JsonObject | None:
        """Return the row of one action, None if its value is not known."""
        return next((row for row in self.moves(state) if row["action"] == action), None)


class AgentAnalysis(NamedTuple):
    """An agent's view of the actions of an ongoing state.

    Attributes
    ----------
    probabilities
        The probability of each action that it may play.
    values
        Its value of each action that it values, for the player to move, in its own units.
    visits
        The visits to each action, of a search that grows a tree.
    known
        Whether there is a view: a policy has none of a seat that it has not learned.
    """

    probabilities: dict[int, float]
    values: dict[int, float]
    visits: dict[int, int]
    known: bool = True


def agent_moves(player: Player, state: GameState, seed: int = 0) -> AgentAnalysis:
    """Return a player's view of an ongoing state.

    If the player has no known probabilities, the action that it chose gets probability 1.

    Parameters
    ----------
    player, state
        A player of the game, and an ongoing state of it.
    seed
        Seed of the player's choices.  The same state and seed give the same view, except for players with a time limit
        and external agents.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_player
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> agent_moves(as_player("heuribot", game), game.parse_position("XX.OO...."))
    AgentAnalysis(probabilities={2: 1.0}, values={}, visits={}, known=True)
    """
    if isinstance(player, PolicyPlayer) and not player.knows(state):
        return AgentAnalysis({}, {}, {}, known=False)
    if isinstance(player, MixedPlayer):
        row = player.probabilities(state)
        return AgentAnalysis({int(action): float(row[action]) for action in np.flatnonzero(row)}, {}, {})
    values = agent_values(player, state, chunk_stream(seed))
    visits = player.visit_counts() if isinstance(player, TreeAnalyst) else {}
    player.begin(chunk_stream(seed))
    thought = checked(player.think(state), player, state)
    if not values and not isnan(thought.value):
        values = {thought.action: thought.value}
    return AgentAnalysis({thought.action: 1.0}, values, visits)


def agent_values(player: Player, state: GameState, stream: np.uint64) -> dict[int, float]:
    """Return a player's value of each action of an ongoing state; none if it values only its own move."""
    if not isinstance(player, Analyst):
        return {}
    player.begin(stream)
    return {int(action): float(value) for action, value in player.action_values(state).items()}
