"""A duel: many games between two players, in pairs, in parallel, saved on the way, stopped by a test if wished."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from ttt_fast.agents.registry import make_player
from ttt_fast.core.archive import read_bytes
from ttt_fast.core.errors import FileFormatError, FileWriteError, UsageError
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.games.registry import parse_game
from ttt_fast.play.openings import make_openings
from ttt_fast.play.pairs import play_unit, unit
from ttt_fast.play.record import GameRecord, parse_record
from ttt_fast.play.tally import Tally
from ttt_fast.running.executors import Executor, completed
from ttt_fast.running.interrupts import stop_between_chunks

SCHEMA = "ttt-fast/games/1"
MAX_PAIRS = 10**7
PAIRS_A_UNIT = 2


@dataclass(frozen=True)
class DuelConfig:
    """Everything that decides the moves of a duel, apart from players with a time limit.

    Attributes
    ----------
    game, first, second
        The game and its two players, as strings.
    pairs
        Pairs of games; in the second game of each the seats are swapped.
    seed
        Seed of all choices.
    openings
        `none`, `random:PLIES`, or a file of lines of play.
    index
        Number of the duel among those that share a seed.
    """

    game: str
    first: str
    second: str
    pairs: int
    seed: int = 0
    openings: str = "none"
    index: int = 0

    def __post_init__(self) -> None:
        """Check the number and the seed."""
        if not 1 <= self.pairs <= MAX_PAIRS:
            raise UsageError(f"expected 1 to {MAX_PAIRS:,} pairs of games, got {self.pairs}")
        if self.seed < 0:
            raise UsageError(f"expected a non-negative seed, got {self.seed}")


def play_duel(
    config: DuelConfig,
    executor: Executor,
    *,
    sprt: Sprt | None = None,
    save_to: str | os.PathLike[str] | None = None,
    resume: bool = False,
    on_progress: Callable[[Tally], None] | None = None,
) -> Tally:
    """Play a duel.

    Parameters
    ----------
    config
        The settings of the duel.
    executor
        The place where games run; the result does not depend on it (players with a time limit apart).
    sprt
        A test that ends the duel: pairs count in their order, so that threads do not change where it ends.
    save_to
        A `.jsonl` file: a line about the duel, then a line for each game, written as they end.  Games that are
        there already are not written over.
    resume
        Whether `save_to` is there already, and its games are not to be played again.
    on_progress
        Called with the tally after each unit.

    Returns
    -------
    Tally
        Of all pairs, or of those until the test was decided, or until Ctrl-C.

    Examples
    --------
    >>> from ttt_fast.running.executors import ThreadExecutor
    >>> pool = ThreadExecutor(2)
    >>> tally = play_duel(DuelConfig("connect4", "default", "random", pairs=20), pool)
    >>> pool.close()
    >>> tally.games, tally.rating().score > 0.6
    (40, True)
    """
    game = parse_game(config.game)
    for spec in (config.first, config.second):
        make_player(spec, game)  # a mistake is said before anything is played
    openings = make_openings(config.openings, game, config.pairs, config.seed)
    done = dict(_load(save_to, config)) if resume and save_to is not None else {}
    tally = Tally(config.first, config.second, sprt)
    tally.add_all(done)
    missing = [pair for pair in range(config.pairs) if pair not in done]
    with _Log(save_to, config, append=resume) as log, stop_between_chunks() as stop:
        for games in _played(config, executor, openings, missing, lambda: stop.requested or tally.is_decided):
            log.write(games)
            tally.add_all({pair: games[place : place + 2] for place, pair in _pairs_of(games)})
            if on_progress is not None:
                on_progress(tally)
            if tally.is_decided:
                break
    return tally


def _played(
    config: DuelConfig,
    executor: Executor,
    openings: Sequence[list[int]],
    missing: Sequence[int],
    should_stop: Callable[[], bool],
) -> Iterator[list[GameRecord]]:
    """Yield the games of units as they come."""

    def payloads() -> Iterator[tuple[int, bytes]]:
        for start in range(0, len(missing), PAIRS_A_UNIT):
            pairs = [(pair, openings[pair]) for pair in missing[start : start + PAIRS_A_UNIT]]
            key = (config.index,)
            yield start, unit(config.game, config.first, config.second, config.seed, pairs, key)

    abandoned = False

    def watch() -> None:
        if abandoned:
            raise _AbandonedError

    def watched(payload: bytes) -> bytes:
        return play_unit(payload, watch)

    try:
        for _, lines in completed(executor, watched if executor.shares_memory else play_unit, payloads(), should_stop):
            yield [parse_record(line) for line in lines.decode().splitlines()]
    finally:
        abandoned = True  # nobody waits for what threads still play: it ends soon


class _AbandonedError(Exception):
    """Ends a unit whose result is no longer needed."""


def _pairs_of(games: Sequence[GameRecord]) -> list[tuple[int, int]]:
    return [(place, games[place].pair) for place in range(0, len(games), 2)]


class _Log:
    """The file of games, if one is wanted."""

    def __init__(self, path: str | os.PathLike[str] | None, config: DuelConfig, *, append: bool) -> None:
        self.path, self.config, self.append = path, config, append
        self.stream: FileIO | None = None

    def __enter__(self) -> "_Log":
        if self.path is None:
            return self
        try:
            if self.append:
                _drop_torn_line(Path(self.path))
            elif os.path.isfile(self.path) and os.path.getsize(self.path):
                raise UsageError(
                    f"expected a new file to save games to, got {str(self.path)!r}, which is there;"
                    " --resume goes on with it"
                )
            self.stream = open(self.path, "ab" if self.append else "wb", buffering=0)
        except OSError as error:
            raise FileWriteError(f"cannot write {str(self.path)!r}: {error.strerror}") from error
        if not self.append:
            self._write(json.dumps({"schema": SCHEMA, "config": _settings(self.config)}) + "\n")
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream is not None:
            self.stream.close()

    def write(self, games: Iterable[GameRecord]) -> None:
        """Append games."""
        if self.stream is not None:
            self._write("".join(game.to_json() + "\n" for game in games))

    def _write(self, text: str) -> None:
        content = text.encode()
        assert self.stream is not None
        try:
            while content:
                content = content[self.stream.write(content) :]
        except OSError as error:
            self.stream.close()
            raise FileWriteError(f"cannot write {str(self.path)!r}: {error.strerror}; what it holds is kept") from error


def _drop_torn_line(path: Path) -> None:
    """Cut off everything behind the last end of a line: a kill may have torn the last line."""
    content = read_bytes(path)
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with open(path, "r+b") as stream:
            stream.truncate(whole)


def _settings(config: DuelConfig) -> dict[str, Any]:
    """Return the description of a duel from its file: the settings, and hashes of the files that they name."""
    words = {word for text in (config.first, config.second) for word in re.split("[:*+,=]", text)}
    named = sorted(word for word in {*words, config.first, config.second, config.openings} if Path(word).is_file())
    return asdict(config) | {"files": {name: hashlib.sha256(read_bytes(name)).hexdigest() for name in named}}


def _load(path: str | os.PathLike[str], config: DuelConfig) -> Iterator[tuple[int, list[GameRecord]]]:
    """Yield the whole pairs of a file of the same duel."""
    kept, games = load_games(path)
    for name, value in _settings(config).items():
        if name != "pairs" and kept.get(name) != value:
            if name == "files":
                raise UsageError(f"{str(path)!r}: the files of this duel have changed since: {_changed(kept, value)}")
            raise UsageError(f"{str(path)!r}: expected the games of {name} {value!r}, got those of {kept.get(name)!r}")
    halves: dict[int, dict[int, GameRecord]] = {}
    for number, game in enumerate(games, start=2):
        seated = (config.first, config.second) if game.game == 0 else (config.second, config.first)
        if (game.x, game.o) != seated:
            raise FileFormatError(f"{str(path)!r}, line {number}: expected a game of {' v '.join(seated)}")
        halves.setdefault(game.pair, {})[game.game] = game
    for pair, both in halves.items():
        if len(both) == 2 and 0 <= pair < config.pairs:
            yield pair, [both[0], both[1]]


def _changed(kept: Mapping[str, Any], files: Mapping[str, str]) -> str:
    before = kept.get("files")
    before = before if isinstance(before, dict) else {}
    return ", ".join(sorted(name for name in {*before, *files} if before.get(name) != files.get(name)))


def load_games(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[GameRecord]]:
    """Return the configuration and the games of a `.jsonl` file; a line that a kill has torn at its end is left out.

    Raises
    ------
    FileFormatError
        If the file cannot be read or is no such file.
    """
    lines = read_bytes(path).decode(errors="replace").split("\n")
    try:
        head = json.loads(lines[0])
        if head["schema"] != SCHEMA or not isinstance(head["config"], dict):
            raise ValueError
    except (ValueError, KeyError, TypeError) as error:
        what = f"expected the games of a duel ({SCHEMA}), got {lines[0][:60]!r}"
        raise FileFormatError(f"{str(path)!r}: {what}") from error
    games = []
    for number, line in enumerate(lines[1:-1], start=2):
        try:
            games.append(parse_record(line))
        except FileFormatError as error:
            raise FileFormatError(f"{str(path)!r}, line {number}: {error}") from error
    return head["config"], games
