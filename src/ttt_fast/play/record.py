"""The record of a game: players, moves, result and cost; one line of JSON each."""

import json
from typing import Any, NamedTuple

from ttt_fast.core.errors import FileFormatError
from ttt_fast.games import api

RESULTS = {api.X_WINS: "x", api.DRAW: "draw", api.O_WINS: "o"}


class Effort(NamedTuple):
    """The cost of one side's moves.

    Attributes
    ----------
    moves
        Moves that it chose; those of the opening are not counted.
    seconds, slowest
        Wall time of all of them, and of the slowest.
    nodes
        Positions looked at, or simulations made.
    memory_bytes
        Largest size of its tables and trees.
    """

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    nodes: int = 0
    memory_bytes: int = 0


class GameRecord(NamedTuple):
    """One game of a duel.

    Attributes
    ----------
    pair, game
        Number of the pair, and 0 or 1: in game 1 the seats are swapped.
    x, o
        Agent strings.
    opening
        Plies that were given.
    moves
        All moves, in the text form of the game.
    plies
        Number of moves.
    result
        `x`, `draw` or `o`.
    x_effort, o_effort
        The cost of each side's moves.
    """

    pair: int
    game: int
    x: str
    o: str
    opening: int
    moves: str
    plies: int
    result: str
    x_effort: Effort
    o_effort: Effort

    def score_of_first(self) -> float:
        """Return 1, 0.5 or 0 for the player named first: X in game 0, O in game 1."""
        score = {"x": 1.0, "draw": 0.5, "o": 0.0}[self.result]
        return score if self.game == 0 else 1.0 - score

    def effort_of(self, first: bool) -> Effort:
        """Return the effort of the player who was named first, or of the other."""
        return self.x_effort if first == (self.game == 0) else self.o_effort

    def to_json(self) -> str:
        """Return the game as a line of JSON."""
        row: dict[str, Any] = self._asdict()
        for side in ("x", "o"):
            effort: Effort = row.pop(f"{side}_effort")
            row |= {f"{side}_{name}": value for name, value in effort._asdict().items()}
        return json.dumps(row)


def parse_record(line: str) -> GameRecord:
    """Return the game that a line of JSON holds, the inverse of `GameRecord.to_json`.

    Raises
    ------
    FileFormatError
        If the line is damaged.

    Examples
    --------
    >>> game = GameRecord(0, 1, "random", "mcts", 0, "4455", 4, "draw", Effort(2, 0.5), Effort(2, 0.25))
    >>> parse_record(game.to_json()) == game
    True
    """
    try:
        row = json.loads(line)
        for side in ("x", "o"):
            costs = {name: kind(row.pop(f"{side}_{name}")) for name, kind in Effort.__annotations__.items()}
            row[f"{side}_effort"] = Effort(**costs)
        record = GameRecord(**row)
        kinds = [int, int, str, str, int, str, int, str]
        if [type(value) for value in record[:8]] != kinds or record.result not in RESULTS.values():
            raise ValueError("its fields have other types")
        if record.pair < 0 or record.game not in (0, 1):
            raise ValueError("there is no such game")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FileFormatError(f"expected a game as a line of JSON, got {line[:60]!r}") from error
    return record
