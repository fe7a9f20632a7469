"""Records of games (players, moves, result and cost), each one line of JSON."""

import json
import math
from typing import NamedTuple, TypeVar

from ttt_fast.core.errors import BoardError, FileFormatError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games import api
from ttt_fast.games.game import Game

_Number = TypeVar("_Number", int, float)
RESULTS = {api.X_WINS: "x", api.DRAW: "draw", api.O_WINS: "o"}


class Effort(NamedTuple):
    """The cost of one side's moves.

    Attributes
    ----------
    moves
        Moves chosen by the player, without those of the opening.
    seconds, slowest
        Wall time of all these moves, and of the slowest one.
    nodes
        Positions searched or simulations made; 0 if the player does not count them.
    memory_bytes
        Maximum size of the player's tables and trees.
    """

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    nodes: int = 0
    memory_bytes: int = 0


class GameRecord(NamedTuple):
    """One game of a contest.

    Attributes
    ----------
    pair, game
        Number of the pair, and 0 or 1: in game 1 the seats are swapped.
    x, o
        Agent strings.
    opening
        Number of opening plies.
    moves
        All moves, in the notation of the game, from `start` on.
    plies
        Number of moves.
    result
        `x`, `draw` or `o`.
    x_effort, o_effort
        The cost of each side's moves.
    start
        The first state, as text; empty for the initial state.
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
    start: str = ""

    def score_of_first(self) -> float:
        """Return 1, 0.5 or 0 for the player named first: X in game 0, O in game 1."""
        score = {"x": 1.0, "draw": 0.5, "o": 0.0}[self.result]
        return score if self.game == 0 else 1.0 - score

    def to_json(self) -> str:
        """Return the game as a line of JSON."""
        row: JsonObject = self._asdict()
        for side in ("x", "o"):
            effort: Effort = row.pop(f"{side}_effort")
            row |= {f"{side}_{name}": value for name, value in effort._asdict().items()}
        return json.dumps({name: value for name, value in row.items() if value != "" or name != "start"})


def parse_record(line: str) -> GameRecord:
    """Parse a game from a line of JSON, the inverse of `GameRecord.to_json`.

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
            row[f"{side}_effort"] = Effort(
                **{name: _cost(row.pop(f"{side}_{name}"), kind) for name, kind in Effort.__annotations__.items()}
            )
        record = GameRecord(**row)
        if type(record.start) is not str:
            raise ValueError("the first state has an unexpected type")
        kinds = [int, int, str, str, int, str, int, str]
        if [type(value) for value in record[:8]] != kinds or record.result not in RESULTS.values():
            raise ValueError("a field has an unexpected type, or the result is unknown")
        if record.pair < 0 or record.game not in (0, 1):
            raise ValueError("the number of the pair or of the game is invalid")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise FileFormatError(f"expected a game as a line of JSON, got {line[:60]!r}") from error
    return record


def _cost(value: float, kind: type[_Number]) -> _Number:
    """Return a count or a number of seconds, read from a file; raise ValueError if it is invalid."""
    if type(value) not in (int, kind) or not 0 <= value < math.inf:
        raise ValueError("the number is negative, infinite or of the wrong type")
    return kind(value)


def replay(record: GameRecord, game: Game) -> list[int]:
    """Return the actions of a game after checking the record against its moves.

    Raises
    ------
    FileFormatError
        If a move is illegal, or the result, the number of plies or the opening is inconsistent with the moves.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> won = GameRecord(0, 0, "minimax", "random", 0, "01428", 5, "x", Effort(3), Effort(2))
    >>> replay(won, parse_game("tic-tac-toe"))
    [0, 1, 4, 2, 8]
    """
    try:
        actions, state = game.follow(record.moves, game.parse_position(record.start) if record.start else None)
    except BoardError as error:
        raise FileFormatError(str(error)[:200]) from error
    text, plies, result = game.format_moves(actions), len(actions), RESULTS.get(api.status(state))
    chosen = record.x_effort.moves + record.o_effort.moves
    flaws = {
        f"expected the moves {text!r}, got them as {record.moves!r}": text != record.moves,
        f"expected a game that is over, got {text!r}": result is None,
        f"expected the result of its moves, {result!r}, got {record.result!r}": result != record.result,
        f"expected as many plies as moves, {plies}, got {record.plies}": plies != record.plies,
        f"expected an opening of 0 to {plies - 1} plies, got {record.opening}": not 0 <= record.opening < plies,
        f"expected {plies - record.opening} moves of the players, got {chosen}": plies - record.opening != chosen,
    }
    for flaw, is_there in flaws.items():
        if is_there:
            raise FileFormatError(flaw)
    return actions
