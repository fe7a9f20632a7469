"""The player `solver`: a perfect move of Connect 4, and the exact score of every move."""

from ttt_fast.core.specs import Option, integer
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.connect_four.positions import board_size, words_of
from ttt_fast.search.connect_four.solver import DEFAULT_TABLE_MB, SolvedActions, Solver
from ttt_fast.search.player import DrawingPlayer, SearchResult

_MAX_TABLE_MB = 4096
OPTIONS = {
    "tie": Option.one_of("first|random", "which of equally good moves; first: leftmost"),
    "aim": Option.one_of("score|result", "result: any move that keeps win, draw or loss"),
    "tt": Option(
        f"{DEFAULT_TABLE_MB:.0f}", f"1..{_MAX_TABLE_MB}", integer(1, _MAX_TABLE_MB), "MiB of the transposition table"
    ),
}
"""The options of `solver`."""


class SolverPlayer(DrawingPlayer):
    """Plays perfectly.  Its table is kept between games, which affects node counts but not moves.

    Parameters
    ----------
    name
        Its agent string.
    game
        Connect 4 with four in a row, on a board of any size.
    tie
        `first` or `random`: the choice among the best moves.
    aim
        `score`: wins as soon and loses as late as possible; `result`: only preserves a win, draw or loss.
    tt
        MiB of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4:columns=5,rows=4")
    >>> player = SolverPlayer("solver:tt=1", game, tie="first", aim="score", tt=1)
    >>> player.begin(np.uint64(1))
    >>> player.search(game.state_after("3232")).action, player.action_values(game.state_after("3232"))
    (2, {0: -1.0, 1: -1.0, 2: 1.0, 3: -1.0, 4: -1.0})
    """

    def __init__(self, name: str, game: Game, *, tie: str, aim: str, tt: int) -> None:
        super().__init__(name)
        self._tie, self._weak = tie, aim == "result"
        self._solver = Solver(board_size(game), table_mb=tt)

    def search(self, state: GameState) -> SearchResult:
        """Return one of the best moves, with the score of the position in the units of `Solver.score`."""
        solved = self._solve(state, best_only=True)
        best = [one for one in solved.actions if one.is_best]
        chosen = best[int(self._words.word()) % len(best) if self._tie == "random" else 0]
        assert chosen.score is not None
        return SearchResult(chosen.action, float(chosen.score), solved.nodes)

    def action_values(self, state: GameState) -> dict[int, float]:
        """Return the exact score of each legal action."""
        solved = self._solve(state, best_only=False)
        return {one.action: float(one.score) for one in solved.actions if one.score is not None}

    def _solve(self, state: GameState, *, best_only: bool) -> SolvedActions:
        """Return the solved actions of a state; the search may be interrupted between two chunks of nodes."""
        return self._solver.action_scores(
            words_of(state), weak=self._weak, best_only=best_only, on_progress=lambda _: check_interrupt()
        )

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table."""
        return self._solver.memory_bytes
