"""The exact values of the moves of a position, from the table of its game or from a solver, beside those of agents."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttt_fast.analysis.agents import AgentAnalysis, AgentMoves
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.policies.heuribot import Rule
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.connect_four.book import stored_plies
from ttt_fast.search.connect_four.positions import board_size, plies_to_end, words_of
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_table, solution_of

if TYPE_CHECKING:
    from ttt_fast.search.alphabeta.searcher import AlphaBeta

QUICK_PLY = 12
"""From this ply of Connect 4 on 7x6, the solver takes a tenth of a second for all moves of a random position."""
SEARCH_NODES = 1_000_000
"""Nodes of the search of a position in a game without a table and a solver, about a second."""
_SEARCH_TABLE_MB = 16


class ExactMove(NamedTuple):
    """The exact value of a legal action.

    Attributes
    ----------
    action
        The action.
    value_x
        Its value for X: 1, 0 or -1.
    distance
        The number of plies to the end under best play, with this action; None if it is not known.
    optimal
        Whether it keeps the value of the state.
    fastest
        Whether it is optimal, and no other optimal action wins sooner, or loses or draws later; None if the distances
        are not known.
    """

    action: int
    value_x: int
    distance: int | None
    optimal: bool
    fastest: bool | None


class MoveView(NamedTuple):
    """A position as seen by the exact analysis and by agents.

    Attributes
    ----------
    game, state
        The position.
    exact
        The exact value of each legal action; empty if the values are not known.
    agents
        The analyses of agents, by name or by seat.
    rule
        The heuribot's rule for the position; empty in most games.
    action
        The action that was played, if any.
    """

    game: Game
    state: GameState
    exact: Sequence[ExactMove]
    agents: Mapping[str, AgentMoves]
    rule: str = ""
    action: int | None = None

    @property
    def sign(self) -> int:
        """1 if X is to move, -1 if O is: the factor between values for X and values for the player to move."""
        return 1 if api.player(self.state) == api.X else -1

    @property
    def best(self) -> ExactMove:
        """An optimal action, the fastest if the distances are known; the exact values must be."""
        return next(move for move in self.exact if (move.optimal if move.fastest is None else move.fastest))


def exact_moves(table: StateTable, state: int) -> list[ExactMove]:
    """Return the exact values of the legal actions of a state of a table."""
    solution = solution_of(table)
    return [
        ExactMove(
            int(table.edge_action[edge]),
            int(solution.value[table.edge_child[edge]]),
            int(solution.distance[table.edge_child[edge]]) + 1,
            bool(solution.optimal[edge]),
            bool(solution.fastest[edge]),
        )
        for edge in range(int(table.edge_start[state]), int(table.edge_start[state + 1]))
    ]


class ExactAnalysis:
    """The exact values of the moves of a game.

    Games without a table and a solver, such as Ultimate, are searched by alpha-beta in the second half of their longest
    game, by at most `SEARCH_NODES` nodes a position.  The distances to the end are then not known.

    Parameters
    ----------
    game
        The game.
    early
        Whether the solver of a game without a table also solves early positions, which may take minutes.  By default it
        solves positions from ply 12 on, which take a tenth of a second on 7x6, and those of the book of the board.
    table
        An induced table of the game, whose values are those against the agent of its fixed seat (default: the table of
        the game).

    Attributes
    ----------
    table
        The table of the game; None if it has none.
    """

    def __init__(self, game: Game, *, early: bool = False, table: StateTable | None = None) -> None:
        self.game, self.table = game, find_table(game) if table is None else table
        self._solves_from = (0 if early else QUICK_PLY) if self.table is None and self.has_solver(game) else None
        self._solver: Solver | None = None
        self._search: AlphaBeta | None = None

    @staticmethod
    def has_solver(game: Game) -> bool:
        """Return whether a game without a table has a solver: Connect 4 with four in a row.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> [ExactAnalysis.has_solver(parse_game(name)) for name in ("connect4", "connect4:length=5")]
        [True, False]
        """
        return Solver.supports(game) and find_table(game) is None

    def check(self, state: GameState) -> None:
        """Raise BoardError if the game has a table and no sequence of legal moves reaches the state."""
        if self.table is not None:
            self.table.state_index(state)

    def knows(self, state: GameState) -> bool:
        """Return whether the exact values of an ongoing state's moves are available."""
        if api.status(state) != api.ONGOING:
            return False
        if self.table is not None or self._solves_from is None:
            return self.table is not None or bool(self._searched(state))
        is_stored = api.ply(state) < stored_plies(board_size(self.game))  # so are the positions after each move
        return is_stored or api.ply(state) >= self._solves_from

    def moves(self, state: GameState) -> list[ExactMove]:
        """Return the exact values of the legal actions of an ongoing state; an empty list if they are not known.

        A search may be interrupted between two chunks of nodes (`running/interrupts.py`).

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> moves = ExactAnalysis(game).moves(game.parse_position("XX.OO...."))
        >>> [move.action for move in moves if move.fastest]
        [2]
        """
        if self.table is None and self._solves_from is None:
            return self._searched(state)
        if not self.knows(state):
            return []
        if self.table is not None:
            return exact_moves(self.table, self.table.index_of(state))
        words, sign = words_of(state), 1 if api.player(state) == api.X else -1
        self._solver = self._solver or Solver(board_size(self.game))
        solved = self._solver.action_scores(words, on_progress=lambda _: check_interrupt())
        scores = {one.action: one.score or 0 for one in solved.actions}
        best, played = max(scores.values()), words[1].bit_count()
        return [
            ExactMove(
                action,
                sign * int(np.sign(score)),
                plies_to_end(score, played, self._solver.size),
                bool(np.sign(score) == np.sign(best)),
                score == best,
            )
            for action, score in scores.items()
        ]

    def _searched(self, state: GameState) -> list[ExactMove]:
        """Return the exact values of the legal actions as far as a search finds them, else an empty list."""
        plies = api.max_plies(state) - api.ply(state)
        if api.status(state) != api.ONGOING or plies > api.ply(state) or not api.alternates(state):
            return []
        if self._search is None:  # loaded here, since other games do without it
            from ttt_fast.search.alphabeta.searcher import MAX_DEPTH, AlphaBeta, SearchOptions

            self._search = AlphaBeta(state, SearchOptions(depth=MAX_DEPTH, tt=_SEARCH_TABLE_MB))
        values = self._search.exact_values(state, SEARCH_NODES) or {}
        sign, best = 1 if api.player(state) == api.X else -1, max(values.values(), default=0)
        return [ExactMove(action, sign * value, None, value == best, None) for action, value in values.items()]

    def view(self, state: GameState, players: Sequence[Player], seed: int = 0) -> MoveView:
        """Return a position as seen by the exact analysis and by players, which choose with a seed.

        Examples
        --------
        >>> from ttt_fast import as_player
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=4,length=3")
        >>> view = ExactAnalysis(game).view(game.state_after("1122"), [as_player("default", game)])
        >>> [move.value_x for move in view.exact], view.agents["default"].probabilities
        ([1, -1, 1, -1], {2: 1.0})
        """
        self.check(state)
        if api.status(state) != api.ONGOING:
            return MoveView(self.game, state, [], {})
        agents = {player.name: AgentAnalysis(player).moves(state, seed) for player in players}
        return MoveView(self.game, state, self.moves(state), agents, self.rule(state))

    def rule(self, state: GameState) -> str:
        """Return the heuribot's rule for an ongoing state in words; empty in all games except tic-tac-toe.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> ExactAnalysis(game).rule(game.parse_position("XX.OO...."))
        'win'
        """
        if self.table is None or (rules := Rule.states(self.table)) is None:
            return ""
        return Rule(rules[self.table.index_of(state)]).text
