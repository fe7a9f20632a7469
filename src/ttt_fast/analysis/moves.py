"""The exact values of the moves of a position, from the table of its game or from a solver."""

from ttt_fast.core.manifest import JsonObject
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.policies.heuribot import Rule
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.connect_four.book import stored_plies
from ttt_fast.search.connect_four.positions import board_size, plies_to_end, words_of
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.tables import StateTable, find_table, solution_of

QUICK_PLY = 12
"""From this ply of Connect 4 on 7x6, the solver takes a tenth of a second for all moves of a random position."""


def exact_moves(table: StateTable, state: int) -> list[JsonObject]:
    """Return a row for each legal action of a state of a table, as in `ExactAnalysis.moves`."""
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
    """The exact values of the moves of a game.

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

    @staticmethod
    def has_solver(game: Game) -> bool:
        """Return whether a game without a table has a solver: Connect 4 with four in a row.

        Examples
        --------
        >>> from ttt_fast.games.registry import parse_game
        >>> [ExactAnalysis.has_solver(parse_game(name)) for name in ("connect4", "connect4:length=5")]
        [True, False]
        """
        return Solver.supports(game) and find_table(game) is None

    def check(self, state: GameState) -> None:
        """Raise BoardError if the game has a table and no sequence of legal moves reaches the state."""
        if self.table is not None:
            self.table.state_index(self.game.format_position(state))

    def knows(self, state: GameState) -> bool:
        """Return whether the exact values of an ongoing state's moves are available."""
        if api.status(state) != api.ONGOING:
            return False
        if self.table is not None or self._solves_from is None:
            return self.table is not None
        is_stored = api.ply(state) < stored_plies(board_size(self.game))  # so are the positions after each move
        return is_stored or api.ply(state) >= self._solves_from

    def moves(self, state: GameState) -> list[JsonObject]:
        """Return a row for each legal action of an ongoing state; an empty list if the values are not known.

        The keys are `action`, `move` (its text), `board` (after the move), `value_x`, `distance`, `optimal` and
        `fastest`.  `value_x` is the value for X, and `distance` the number of plies to the end under best play.  An
        action is optimal if it keeps the value of the state.  It is fastest if no other optimal action wins sooner, or
        loses or draws later.  A search may be interrupted between two chunks of nodes (`running/interrupts.py`).

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
        if self.table is not None:
            return exact_moves(self.table, self.table.index_of(state))
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
        """Return the row of one action, None if it is illegal or its value is not known."""
        return next((row for row in self.moves(state) if row["action"] == action), None)

    def rule(self, state: GameState) -> str:
        """Return the heuribot's rule for an ongoing state in words; empty in all games except tic-tac-toe.

        Examples
        --------
        >>> from ttt_fast.games.registry import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> ExactAnalysis(game).rule(game.parse_position("XX.OO...."))
        'win'
        """
        if self.table is None or (rules := Rule.states(self.table)) is None:
            return ""
        return rules.name(self.table.index_of(state))
