"""The file of a contest's games: a line about the contest, then a JSON line for each game, written when it ends."""

import json
from collections.abc import Iterable, Sequence
from io import FileIO
from typing import NamedTuple

from ttt_fast.core.archive import read_bytes, write_atomically
from ttt_fast.core.errors import FileFormatError, FileWriteError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.play.openings import Opening
from ttt_fast.play.record import GameRecord, parse_record, replay
from ttt_fast.play.session import ContestFile, PathLike, check_same

SCHEMA = "ttt-fast/games/1"


class Kept(NamedTuple):
    """The reusable content of a file of games: its complete pairs, and its valid lines if others must be dropped."""

    pairs: dict[int, list[GameRecord]]
    rewritten: bytes | None


class GameFile:
    """A context manager that appends games to a file, if one is given.

    Parameters
    ----------
    target
        The file; None if games are not saved.
    described
        The contest, for the first line.
    kept
        The content of the file of a resumed contest.
    """

    def __init__(self, target: ContestFile | None, described: JsonObject, kept: Kept | None) -> None:
        self._target, self._described, self._kept = target, described, kept
        self._stream: FileIO | None = None

    def __enter__(self) -> "GameFile":
        """Open the file, and write its first line if it is new."""
        if self._target is None:
            return self
        path, kept = self._target.path, self._kept
        try:
            if kept is not None and kept.rewritten is not None:
                # Lines that will be written again are left out: a kill may have torn a line, or cut a pair in two.
                content = kept.rewritten
                write_atomically(path, lambda stream: stream.write(content))
            self._stream = open(path, "wb" if kept is None else "ab", buffering=0)
        except OSError as error:
            raise FileWriteError(f"cannot write {str(path)!r}: {str(error.strerror).lower()}") from error
        if kept is None:
            self._write(json.dumps({"schema": SCHEMA, "config": dict(self._described)}) + "\n")
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()

    def write(self, games: Iterable[GameRecord]) -> None:
        """Append games."""
        if self._stream is not None:
            self._write("".join(game.to_json() + "\n" for game in games))

    def _write(self, text: str) -> None:
        content = text.encode()
        assert self._stream is not None and self._target is not None
        try:
            while content:
                content = content[self._stream.write(content) :]
        except OSError as error:
            self._stream.close()
            path = str(self._target.path)
            raise FileWriteError(
                f"cannot write {path!r}: {str(error.strerror).lower()}; the games in the file are intact"
            ) from error


def load_kept(
    path: PathLike,
    described: JsonObject,
    played: Game,
    openings: Sequence[Opening],
    seatings: Sequence[int] = (0, 1),
) -> Kept:
    """Return the complete pairs of games from a saved file of a contest; without swapped seats a pair is one game.

    Raises
    ------
    UsageError
        If the file belongs to another contest.
    FileFormatError
        If the file is not a file of games, or the record of a game is inconsistent with its moves or its opening.
    """
    content = read_bytes(path)
    kept, games = parse_games(path, content)
    check_same(path, kept, described)
    halves: dict[int, dict[int, GameRecord]] = {}
    for number, (game, opening) in enumerate(games, start=2):
        if game.pair < len(openings) and opening != openings[game.pair]:
            raise FileFormatError(
                f"{str(path)!r}, line {number}: expected the opening {openings[game.pair].text(played)!r}"
                f" of pair {game.pair}, got {opening.text(played)!r}"
            )
        halves.setdefault(game.pair, {})[game.game] = game
    pairs = {pair: [both[one] for one in seatings] for pair, both in halves.items() if set(both) == set(seatings)}
    head, *lines = content.split(b"\n")[: len(games) + 1]
    whole = [line for line, (game, _) in zip(lines, games, strict=True) if game.pair in pairs]
    rewritten = b"".join(line + b"\n" for line in [head, *whole])
    counted = {pair: both for pair, both in pairs.items() if pair < len(openings)}
    return Kept(counted, None if rewritten == content else rewritten)


def parse_games(path: PathLike, content: bytes) -> tuple[JsonObject, list[tuple[GameRecord, Opening]]]:
    """Return the configuration and the games of a file, each with its opening.

    An incomplete last line, left by a kill, is ignored.

    Raises
    ------
    FileFormatError
        If the file is not a file of games, contains a game twice, or a record is inconsistent with its moves.
    """
    lines = content.decode("utf-8-sig", "replace").split("\n")
    try:
        head = json.loads(lines[0])
        config = head["config"]
        seats = {0: (config["first"], config["second"]), 1: (config["second"], config["first"])}
        if head["schema"] != SCHEMA:
            raise ValueError
        played = parse_game(config["game"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"expected the games of a contest ({SCHEMA}), got {lines[0][:60]!r}"
        raise FileFormatError(f"{str(path)!r}: {what}") from error
    games: list[tuple[GameRecord, Opening]] = []
    seen: dict[tuple[int, int], tuple[int, Opening]] = {}
    for number, line in enumerate(lines[1:-1], start=2):
        try:
            game = parse_record(line)
            if (game.x, game.o) != seats[game.game]:
                raise FileFormatError(f"expected a game of {' v '.join(map(str, seats[game.game]))}")
            opening = Opening(game.start, tuple(replay(game, played)[: game.opening]))
            if (game.pair, game.game) in seen:
                first = seen[game.pair, game.game][0]
                raise FileFormatError(
                    f"expected game {game.game} of pair {game.pair} only once, got a second one after line {first}"
                )
            _, other = seen.get((game.pair, 1 - game.game), (0, opening))
            if opening != other:
                texts = [one.text(played) for one in (other, opening)]
                raise FileFormatError(
                    f"expected the opening of the other game of its pair, {texts[0]!r}, got {texts[1]!r}"
                )
        except FileFormatError as error:
            raise FileFormatError(f"{str(path)!r}, line {number}: {error}") from error
        seen[game.pair, game.game] = (number, opening)
        games.append((game, opening))
    return config, games
