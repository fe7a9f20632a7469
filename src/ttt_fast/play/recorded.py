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
from functools import lru_cache
from itertools import chain, islice
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
from ttt_fast.games.registry import parse_game
from ttt_fast.play.session import PathLike
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.progress import report_progress
from ttt_fast.tables import find_table

UNREADABLE = -1
"""The action of a move that cannot be read."""
FORFEITS = ("illegal", "none", "timeout")
"""Words in place of a move that its player did not make."""
RESULTS = {"": 0, "*": 0, "x": 1, "1-0": 1, "o": 2, "0-1": 2, "draw": 3, "1/2-1/2": 3}
"""The status code of each word of a result; 0 if no result is stated."""
SUFFIXES = ("", ".txt", ".csv", ".jsonl", ".parquet")
"""The endings of files of games."""
_COMMENT, _PARAMETER = re.compile(r"(?:^|\s)#"), re.compile(r"(\w+)=([^,()]*)")
_NAMES = re.compile(r'\["([^"\\]*)", *"([^"\\]*)"\]')  # in the description of a trajectory
_USUAL = {"connect_four": {"columns": "7", "rows": "6", "x_in_row": "4"}}  # parameters that OpenSpiel's text may omit
_MAX_OPENING, _NAME, _WORDS, _LINES = 1000, 100, 10_000, 20_000
"""Most opening plies; characters of a name; words of moves that are remembered; lines between two reports."""
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
    x, o : (G,) int64
        The players, as places in `names`.
    result, opening : (G,) int64
        The status code that the record states (0 if it states none), and the number of opening plies.
    start : (G,) int64
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
    x: NDArray[np.int64]
    o: NDArray[np.int64]
    result: NDArray[np.int64]
    opening: NDArray[np.int64]
    start: NDArray[np.int64]
    starts: list[GameState]
    first: NDArray[np.int64]
    actions: NDArray[np.int16]
    malformed: list[tuple[int, str]]

    @property
    def of_moves(self) -> NDArray[np.int64]:
        """The game of each move, (M,)."""
        return np.repeat(np.arange(self.line.size), np.diff(self.first))

    @property
    def plies(self) -> NDArray[np.int64]:
        """The plies before each move in its game, (M,)."""
        return np.arange(self.actions.size) - self.first[self.of_moves]

    def legal_line(self, line: int) -> tuple[tuple[str, str], GameState, list[int]]:
        """Return the players, the first state and the legal moves of the game of a line.

        Raises
        ------
        UsageError
            If this line has no game.
        """
        found = np.flatnonzero(self.line == line)
        if not found.size:
            reason = "".join(f": {text}" for number, text in self.malformed if number == line)
            wanted = f"the line of a game, from {self.line[0]} to {self.line[-1]}"
            raise UsageError(f"expected {wanted}, got {line}{reason}")
        at, actions = int(found[0]), list[int]()
        state = start = self.starts[self.start[at]]
        for action in self.actions[self.first[at] : self.first[at + 1]].tolist():
            if action not in api.legal_actions(state):
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
        A file, a frame of polars, or lines and rows as texts and mappings.  A text is a line of moves in the notation
        of the game.  Two names may precede the moves and a result may follow them, separated by blanks or by tabs.
        Rows have `moves` and optionally `x`, `o`, `result`, `start` and `opening`.
    game
        The game (default: that of a saved contest, otherwise tic-tac-toe).
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
    >>> found = read_games(["# a comment", "04182", "ann bob 0 4 ? o", "ann"])
    >>> found.names, found.actions.tolist(), found.malformed[0][0]
    (['X', 'O', 'ann', 'bob'], [0, 4, 1, 8, 2, 0, 4, -1], 4)
    """
    if isinstance(source, str | os.PathLike):
        items, where = _items_of(source), f"{str(source)!r}: "
    else:
        rows = source.iter_rows(named=True) if hasattr(source, "iter_rows") else source
        items, where = iter(enumerate(rows, 1)), ""
    begun = list(islice(items, 1))
    head: Any = begun[0][1] if begun else ""
    if game is None:
        game = str(head["config"]["game"]) if isinstance(head, Mapping) and _is_header(head) else "tic-tac-toe"
    reader = _Reader(parse_game(game), first_action)
    for count, (number, item) in enumerate(chain(begun, items)):
        reader.read(number, item)
        if count % _LINES == 0:
            check_interrupt()
            report_progress("games read", count, None, "lines")
    found = reader.result()
    if not found.line.size:
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
        rows = csv.DictReader(io.StringIO(text, newline=""))
        while (row := _row_of(rows)) is not None:
            yield rows.line_num, row
        return
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        yield number, _object_of(line) if suffix == ".jsonl" and line.strip() else line


def _row_of(rows: "csv.DictReader[str]") -> Item | None:
    """Return the next row of comma-separated values; None if there is none."""
    try:
        return next(rows, None)
    except csv.Error as error:
        return FileFormatError(f"expected comma-separated values, got {error}")


def _object_of(line: str) -> Item:
    """Return the JSON object of a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else FileFormatError(f"expected a JSON object, got {line[:60]!r}")


def _is_header(item: Mapping[str, Any]) -> bool:
    """Return whether an object describes the contest of a file of saved games."""
    return isinstance(config := item.get("config"), dict) and "game" in config


def _is_peer(spec: str, game: Game) -> bool:
    """Return whether a text of OpenSpiel names the same game."""
    name, wanted = spec.partition("(")[0], "" if game.open_spiel is None else game.open_spiel.spec
    given = _USUAL.get(name, {}) | dict(_PARAMETER.findall(spec))
    return name == wanted.partition("(")[0] and dict(_PARAMETER.findall(wanted)).items() <= given.items()


class _Reader:
    """Collects the games of lines and rows.

    Parameters
    ----------
    game, first_action
        As for `read_games`.
    """

    def __init__(self, game: Game, first_action: int | None) -> None:
        text, numbers = game.kind.text, {str(one + (first_action or 0)): one for one in range(game.num_actions)}

        @lru_cache(_WORDS)
        def action_of(word: str) -> int:
            try:
                return int(text.parse_action(word, game.initial_state))
            except BoardError:
                return UNREADABLE

        blank = "," if any("," in game.format_moves([one]) for one in range(game.num_actions)) else " "
        self._split: Callable[[str], list[str]]
        if first_action is None:
            self._split, self._action_of = (lambda line: list(text.split_moves(line.replace(",", blank)))), action_of
        else:
            self._split = lambda line: line.replace(",", " ").split()
            self._action_of = lru_cache(_WORDS)(lambda word: numbers.get(word, UNREADABLE))
        self._reads = lru_cache(_WORDS)(
            lambda word: word.lower() in FORFEITS or all(self._action_of(move) >= 0 for move in self._split(word))
        )
        self._game, self._most = game, int(api.max_plies(game.initial_state)) + 1
        self._starts, self._first_states, self._names = {"": 0}, [game.initial_state], dict[str, int]()
        self._place_of = lru_cache(_WORDS)(
            lambda name: self._names.setdefault(printable(cut(name, _NAME)), len(self._names))
        )
        self._rows, self._moves, self._malformed = array("q"), array("h"), list[tuple[int, str]]()

    def read(self, number: int, item: Item) -> None:
        """Add the game of a line or a row; list the line if it contains none."""
        try:
            if isinstance(item, str):
                self._read_line(number, item)
            elif isinstance(item, FileFormatError):
                raise item
            elif "transitions" in item:
                self._read_trajectory(number, item)
            elif not _is_header(item):
                self._read_row(number, item)
            elif parse_game(str(item["config"]["game"])) != self._game:
                raise UsageError(f"expected games of {self._game.spec!r}, got those of {item['config']['game']!r}")
        except (FileFormatError, BoardError) as error:
            self._malformed.append((number, str(error)))
        except UsageError:
            raise  # all games are of another game
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            names = cut(", ".join(map(str, item if isinstance(item, Mapping) else ())), 60)
            self._malformed.append((number, f"expected a game, got an object with {names!r}"))

    def result(self) -> RecordedGames:
        """Return all games."""
        *columns, count = np.array(self._rows, np.int64).reshape(-1, 7).T
        line, x, o, result, opening, start = columns
        first, actions = np.concatenate([np.zeros(1, np.int64), np.cumsum(count)]), np.array(self._moves, np.int16)
        names, starts, malformed = list(self._names), self._first_states, self._malformed
        return RecordedGames(self._game, names, line, x, o, result, opening, start, starts, first, actions, malformed)

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
            x, o = fields[:2] if len(fields) > 2 else ("", "")
            moves, result = [*fields[2 * (len(fields) > 2) :], ""][:2]
        else:
            words, reads = text.split(), self._reads
            if len(words) > 1 and not (reads(words[0]) or reads(words[1]) or reads(words[0] + words[1])):
                x, o, *words = words
            if len(words) > 1 and words[-1].lower() in RESULTS and not reads(words[-1]):
                result = words.pop()
            moves = " ".join(words)
        actions = self._actions(moves)
        if not actions or (actions[0] < 0 and moves.split()[0].lower() not in FORFEITS):
            what = f"a move or {', '.join(FORFEITS)}, after two names or none"
            raise FileFormatError(f"expected {what}, got {cut(moves or text, 60)!r}")
        self._add(number, x, o, actions, result)

    def _actions(self, moves: str) -> list[int]:
        """Return the actions of a text; a word among mostly single moves is a single one, such as 12 in `4 0 12`."""
        words = moves.split()
        if len(set(map(len, words))) > 1:
            parts = list(map(self._split, words))
            if 2 * sum(len(part) == 1 for part in parts) > len(parts):
                return [self._action_of(part[0]) if len(part) == 1 else UNREADABLE for part in parts if part]
        return [self._action_of(move) for move in self._split(moves)]

    def _read_row(self, number: int, row: Mapping[str, Any]) -> None:
        moves, opening = row["moves"] or "", row.get("opening") or 0
        moves = " ".join(map(str, moves)) if isinstance(moves, list) else moves
        texts = [moves, *(row.get(name) or "" for name in ("x", "o", "result", "start"))]
        if None in row or not all(isinstance(text, str) for text in texts):
            raise FileFormatError(f"expected moves, names, a result and a start as texts, got {texts!r}")
        if not str(opening).isdecimal() or int(opening) > _MAX_OPENING:
            raise FileFormatError(f"expected 0 to {_MAX_OPENING} opening plies, got {opening!r}")
        actions = self._actions(moves)
        self._add(number, texts[1], texts[2], actions, texts[3], texts[4], int(opening))

    def _read_trajectory(self, number: int, item: Mapping[str, Any]) -> None:
        header, peer, state, board = item["header"], self._game.open_spiel, self._game.initial_state, NO_BOARD
        if peer is None or not _is_peer(header["game_string"], self._game):
            raise FileFormatError(f"expected a game of {self._game.spec!r}, got {header['game_string']!r}")
        actions = list[int]()
        for step in (int(one["action"]) for one in item["transitions"]):
            action = peer.action(state, board, step)
            if action == api.NO_ACTION:
                board = step
                continue
            actions.append(action)
            if action not in api.legal_actions(state):
                break  # the rest of the game has no meaning
            state, board = api.play(state, action), NO_BOARD
        named = _NAMES.fullmatch(header.get("meta_data", "").strip())
        is_over = header["terminal"] and header.get("returns")
        result = ("draw", "x", "o")[int(np.sign(header["returns"][0]))] if is_over else ""
        x, o = (named[1], named[2]) if named else ("", "")
        self._add(number, x, o, actions, result)

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
        players = self._place_of(x or "X"), self._place_of(o or "O")
        self._moves.extend(array("h", actions[: self._most]))  # all or none
        self._rows.extend((number, *players, stated, opening, self._starts[start], min(len(actions), self._most)))
