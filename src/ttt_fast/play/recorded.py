"""Recorded games: one lenient reader of lines, of columns, of the games of `match --save`, and of trajectories.

A line that cannot be understood is listed with its number and stops no other line.  A move that cannot be read is kept
as `UNREADABLE`: it is the forfeit of its player and not damage of the file.
"""

import csv
import io
import json
import os
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import read_bytes
from ttt_fast.core.errors import BoardError, FileFormatError, UsageError, cut, printable
from ttt_fast.core.frames import read_frame
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.peers import NO_BOARD
from ttt_fast.games.registry import GAMES, parse_game
from ttt_fast.play.session import PathLike
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.tables import find_table

UNREADABLE = -1
"""The action of a move that cannot be read."""
FORFEITS = ("illegal", "none", "timeout")
"""Words in place of a move that its player did not make."""
RESULTS = {
    "": api.ONGOING, "*": api.ONGOING, "x": api.X_WINS, "1-0": api.X_WINS, "o": api.O_WINS, "0-1": api.O_WINS,
    "draw": api.DRAW, "1/2-1/2": api.DRAW,
}  # fmt: skip
"""The words of a result; with those of ONGOING it is not stated."""
SUFFIXES = ("", ".txt", ".csv", ".jsonl", ".parquet")
"""The endings of files of games."""
MAX_OPENING = 1000
_COMMENT = re.compile(r"(?:^|\s)#")
_PARAMETER = re.compile(r"(\w+)=([^,()]*)")
_USUAL = {"connect_four": {"columns": "7", "rows": "6", "x_in_row": "4"}}  # parameters that OpenSpiel's text may omit
_WORDS = 10_000
"""Different words of moves that are remembered."""
_A_REPORT = 20_000  # lines
Item = str | Mapping[str, Any] | FileFormatError
"""A line of moves, a row or a JSON object, or why there is neither."""


class RecordedGames(NamedTuple):
    """Recorded games (G) with all their moves (M) in arrays, and the lines that contain no game.

    Attributes
    ----------
    game
        The game that they are games of.
    names
        The names of the players.
    line : (G,) int64
        The number of each game: the line of its file or the row of its table, from 1.
    x, o : (G,) int32
        The players, as places in `names`.
    result, opening : (G,) int16
        The status code that the record states (0 if it states none), and the number of opening plies.
    start : (G,) int32
        The first state, as a place in `starts`.
    starts
        First states; that of the game comes first.
    first : (G + 1,) int64
        The moves of game g are `actions[first[g]:first[g + 1]]`.
    actions : (M,) int16
        Actions, also illegal ones, and `UNREADABLE`; at most one more than the longest game has.
    malformed
        Number and error of each line that was left out.
    """

    game: Game
    names: list[str]
    line: NDArray[np.int64]
    x: NDArray[np.int32]
    o: NDArray[np.int32]
    result: NDArray[np.int16]
    opening: NDArray[np.int16]
    start: NDArray[np.int32]
    starts: list[GameState]
    first: NDArray[np.int64]
    actions: NDArray[np.int16]
    malformed: list[tuple[int, str]]

    def legal_line(self, line: int) -> tuple[tuple[str, str], GameState, list[int]]:
        """Return the players, the first state and the legal moves of the game of a line.

        Raises
        ------
        UsageError
            If this line has no game.
        """
        found = np.flatnonzero(self.line == line)
        if not found.size:
            reason = dict(self.malformed).get(line)
            wanted = f"the line of a game, from {self.line[0]} to {self.line[-1]}"
            raise UsageError(f"expected {wanted}, got {line}" + (f": {reason}" if reason else ""))
        at, actions = int(found[0]), list[int]()
        state = start = self.starts[self.start[at]]
        for action in self.actions[self.first[at] : self.first[at + 1]].tolist():
            if api.status(state) != api.ONGOING or action not in api.legal_actions(state):
                break
            actions.append(action)
            state = api.play(state, action)
        return (self.names[self.x[at]], self.names[self.o[at]]), start, actions


def read_games(
    source: PathLike | Iterable[Item], game: Game | str | None = None, *, first_action: int | None = None
) -> RecordedGames:
    """Read recorded games.

    Parameters
    ----------
    source
        A file, or its lines and rows as texts and mappings.  A text is a line of moves in the notation of the game.
        Two names may precede the moves and a result may follow them, separated by blanks or by tabs.  Rows have
        `moves` and optionally `x`, `o`, `result`, `start` and `opening`.
    game
        The game (default: that of the file, otherwise tic-tac-toe).
    first_action
        Moves are numbers of actions, and this is the number of action 0 (default: the notation of the game).

    Raises
    ------
    UsageError
        If the games are of another game, or the ending of the file is not one of `SUFFIXES`.
    FileFormatError
        If the file cannot be read, or contains no game.

    Examples
    --------
    >>> found = read_games(["# a comment", "04182", "ann bob 0 4 illegal o", "ann"])
    >>> found.names, found.actions.tolist(), found.malformed[0][0]
    (['X', 'O', 'ann', 'bob'], [0, 4, 1, 8, 2, 0, 4, -1], 4)
    """
    items = _items_of(source) if isinstance(source, str | os.PathLike) else enumerate(source, 1)
    begun = next(iter(items := iter(items)), None)
    played = parse_game(_game_of(begun) if game is None else game)
    reader = _Reader(played, first_action)
    for count, (number, item) in enumerate(chain([] if begun is None else [begun], items), 1):
        reader.read(number, item)
        if count % _A_REPORT == 0:
            check_interrupt()
            report_progress("games read", count, None, "lines")
    found = reader.result()
    if not found.line.size:
        where = f"{str(source)!r}: " if isinstance(source, str | os.PathLike) else ""
        why = "".join(f"; line {number}: {text}" for number, text in found.malformed[:1])
        raise FileFormatError(f"{where}expected at least one game, got none{why}")
    return found


def _items_of(path: PathLike) -> Iterator[tuple[int, Item]]:
    """Yield the numbered lines or rows of a file."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"expected a file of games that ends in {', '.join(SUFFIXES[1:])}, got {str(path)!r}")
    if suffix == ".parquet":
        yield from enumerate(read_frame(path).iter_rows(named=True), 1)
        return
    content = read_bytes(path)
    if b"\0" in content:
        raise FileFormatError(f"{str(path)!r}: expected UTF-8 text, got other bytes")
    text = content.decode("utf-8-sig", "surrogateescape")
    if suffix == ".csv":
        yield from _rows_of(path, text)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if suffix != ".jsonl":
            yield number, line
        elif line.strip():
            yield number, _object_of(line)


def _rows_of(path: PathLike, text: str) -> Iterator[tuple[int, Item]]:
    """Yield the rows of comma-separated values with the number of the line on which they end."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    try:
        columns = list(rows.fieldnames or [])
    except csv.Error:
        columns = []
    if "moves" not in columns:
        raise FileFormatError(f"{str(path)!r}: expected a column 'moves', got {cut(', '.join(columns))!r}")
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield rows.line_num, FileFormatError(f"expected comma-separated values, got {error}")
        else:
            wrong = FileFormatError(f"expected {len(columns)} values, got more") if None in row else None
            yield rows.line_num, wrong or row


def _object_of(line: str) -> Item:
    """Return the JSON object of a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else FileFormatError(f"expected a JSON object, got {line[:60]!r}")


def _game_of(begun: tuple[int, Item] | None) -> str:
    """Return the game that the first line of a file states; tic-tac-toe if it states none."""
    item = None if begun is None else begun[1]
    if isinstance(item, Mapping):
        try:
            if "schema" in item:
                return str(item["config"]["game"])
            if "header" in item:
                named = item["header"]["game_string"]
                return next(name for name in GAMES if _is_peer(named, parse_game(name)))
        except StopIteration:
            raise UsageError(f"expected --game with games of OpenSpiel's {named!r}, got none") from None
        except (KeyError, TypeError):
            pass  # the reader reports the line
    return next(iter(GAMES))


def _is_peer(spec: str, game: Game) -> bool:
    """Return whether a text of OpenSpiel names the same game."""
    peer = game.open_spiel
    name, wanted = spec.partition("(")[0], "" if peer is None else peer.spec
    given = _USUAL.get(name, {}) | dict(_PARAMETER.findall(spec))
    return name == wanted.partition("(")[0] and dict(_PARAMETER.findall(wanted)).items() <= given.items()


class _Actions(dict[str, int]):
    """The action of each word of a move, `UNREADABLE` for others; the words are parsed once."""

    def __init__(self, parse: Callable[[str], int]) -> None:
        super().__init__()
        self._parse = parse

    def __missing__(self, word: str) -> int:
        try:
            action = self._parse(word)
        except BoardError:
            action = UNREADABLE
        if len(self) < _WORDS:
            self[word] = action
        return action


class _Reader:
    """Collects the games of lines and rows.

    Parameters
    ----------
    game, first_action
        As for `read_games`.
    """

    def __init__(self, game: Game, first_action: int | None) -> None:
        self._game, text = game, game.kind.text
        if first_action is None:
            self._split: Callable[[str], list[str]] = text.split_moves
            self._known = _Actions(lambda word: int(text.parse_action(word, game.initial_state)))
        else:
            numbers = {str(action + first_action): action for action in range(game.num_actions)}
            self._split = lambda line: line.replace(",", " ").split()
            self._known = _Actions(lambda word: numbers.get(word, UNREADABLE))
        self._most = int(api.max_plies(game.initial_state)) + 1
        self._names: dict[str, int] = {}
        self._readable: dict[str, bool] = {}
        self._starts: dict[str, int] = {"": 0}
        self._first_states = [game.initial_state]
        self._rows: list[tuple[int, ...]] = []
        self._moves, self._malformed = array("h"), list[tuple[int, str]]()

    def read(self, number: int, item: Item) -> None:
        """Add the game of a line or a row; list the line if it contains none."""
        try:
            if isinstance(item, str):
                self._read_line(number, item)
            elif isinstance(item, FileFormatError):
                raise item
            elif "schema" in item:
                self._check_header(item)
            elif "transitions" in item:
                self._read_trajectory(number, item)
            else:
                self._read_row(number, item)
        except (FileFormatError, BoardError) as error:
            self._malformed.append((number, str(error)))
        except UsageError:
            raise  # all games are of another game
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            names = cut(", ".join(map(str, item if isinstance(item, Mapping) else ())), 60)
            self._malformed.append((number, f"expected a game, got an object with {names!r}"))

    def result(self) -> RecordedGames:
        """Return all games."""
        line, x, o, result, start, opening, count = np.array(self._rows, np.int64).reshape(-1, 7).T
        return RecordedGames(
            game=self._game,
            names=list(self._names),
            line=line,
            x=x.astype(np.int32),
            o=o.astype(np.int32),
            result=result.astype(np.int16),
            opening=opening.astype(np.int16),
            start=start.astype(np.int32),
            starts=self._first_states,
            first=np.concatenate([np.zeros(1, np.int64), np.cumsum(count)]),
            actions=np.array(self._moves, np.int16),
            malformed=self._malformed,
        )

    def _reads(self, word: str) -> bool:
        """Return whether a word consists of moves, or stands for a move that was not made."""
        found = self._readable.get(word)
        if found is None:
            found = word.lower() in FORFEITS or all(self._known[move] >= 0 for move in self._split(word))
            if len(self._readable) < _WORDS:
                self._readable[word] = found
        return found

    def _read_line(self, number: int, line: str) -> None:
        text = (_COMMENT.split(line, maxsplit=1)[0] if "#" in line else line).strip()
        if not text:
            return
        if not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text):
            raise FileFormatError("expected UTF-8 text, got other bytes")
        x = o = result = ""
        if "\t" in text:
            fields = [field.strip() for field in text.split("\t")]
            if len(fields) > 4:
                raise FileFormatError(f"expected two names, the moves and a result, got {len(fields)} fields")
            if len(fields) > 2:
                x, o, *fields = fields
            moves, result = [*fields, ""][:2]
        else:
            words = text.split()
            if len(words) > 1 and not self._reads(words[0]) and not self._reads(words[1]):
                if not self._reads(words[0] + words[1]):  # a board and a cell in two words
                    x, o, *words = words
            if len(words) > 1 and words[-1].lower() in RESULTS and not self._reads(words[-1]):
                result = words.pop()
            moves = " ".join(words)
        actions = [self._known[move] for move in self._split(moves)]
        if not actions or (actions[0] < 0 and moves.split()[0].lower() not in FORFEITS):
            what = f"a move or {', '.join(FORFEITS)}, after two names or none"
            raise FileFormatError(f"expected {what}, got {cut(moves or text, 60)!r}")
        self._add(number, x, o, actions, result)

    def _read_row(self, number: int, row: Mapping[str, Any]) -> None:
        moves, opening = row["moves"], row.get("opening") or 0
        if isinstance(moves, list):
            moves = " ".join(map(str, moves))
        if not isinstance(moves, str | None):
            raise FileFormatError(f"expected moves as a text, got {moves!r}")
        if not str(opening).isdecimal() or not 0 <= int(opening) <= MAX_OPENING:
            raise FileFormatError(f"expected 0 to {MAX_OPENING} opening plies, got {opening!r}")
        actions = [self._known[move] for move in self._split(moves or "")]
        texts = [row.get(name) or "" for name in ("x", "o", "result", "start")]
        if not all(isinstance(text, str) for text in texts):
            raise FileFormatError(f"expected names, a result and a start as texts, got {texts!r}")
        x, o, result, start = texts
        self._add(number, x, o, actions, result, start, int(opening))

    def _read_trajectory(self, number: int, item: Mapping[str, Any]) -> None:
        header, peer, state, board = item["header"], self._game.open_spiel, self._game.initial_state, NO_BOARD
        if peer is None or not _is_peer(header["game_string"], self._game):
            raise FileFormatError(f"expected a game of {self._game.spec!r}, got {header['game_string']!r}")
        actions = list[int]()
        for step in (one["action"] for one in item["transitions"]):
            if type(step) is not int:
                raise FileFormatError(f"expected numbers of actions, got {step!r}")
            try:
                action = peer.action(state, board, step)
            except ValueError:  # not a number of an action
                action = UNREADABLE
            else:
                if action == api.NO_ACTION:
                    board = step
                    continue
            actions.append(action if 0 <= action < self._game.num_actions else UNREADABLE)
            if api.status(state) != api.ONGOING or actions[-1] not in api.legal_actions(state):
                break  # the rest of the game has no meaning
            state, board = api.play(state, action), NO_BOARD
        result = ""
        if header.get("terminal") and header.get("returns"):
            result = {1: "x", 0: "draw", -1: "o"}[int(np.sign(header["returns"][0]))]
        self._add(number, *_names_in(header.get("meta_data")), actions, result)

    def _check_header(self, item: Mapping[str, Any]) -> None:
        """Raise UsageError if the header of saved games states another game."""
        stated = parse_game(str(item["config"]["game"]))
        if stated != self._game:
            raise UsageError(f"expected games of {self._game.spec!r}, got those of {stated.spec!r}")

    def _add(
        self, number: int, x: str, o: str, actions: list[int], result: str, start: str = "", opening: int = 0
    ) -> None:
        stated = RESULTS.get(result.strip().lower())
        if stated is None:
            raise FileFormatError(f"expected x, o or draw as the result, got {result!r}")
        if start not in self._starts:
            state, table = self._game.parse_ongoing(start), find_table(self._game)
            if table is not None:
                table.state_index(state)  # which raises the error
            self._first_states.append(state)
            self._starts[start] = len(self._first_states) - 1
        names = self._names
        x, o = (
            name if name.isprintable() and len(name) < 100 else printable(cut(name)) for name in (x or "X", o or "O")
        )
        seats = names.setdefault(x, len(names)), names.setdefault(o, len(names))
        if len(actions) > self._most:
            del actions[self._most :]
        self._moves.extend(actions)
        self._rows.append((number, *seats, stated, self._starts[start], opening, len(actions)))


def _names_in(meta_data: Any) -> tuple[str, str]:
    """Return the names of a trajectory: its `meta_data` is a JSON list of two, or an object with `players`."""
    try:
        found = json.loads(meta_data)
    except (ValueError, TypeError, RecursionError):
        return "", ""
    found = found.get("players") if isinstance(found, dict) else found
    if isinstance(found, list) and len(found) == 2 and all(isinstance(name, str) for name in found):
        return found[0], found[1]
    return "", ""
