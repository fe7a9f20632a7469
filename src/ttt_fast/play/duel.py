"""A duel: many games between two players, in pairs, in parallel, saved on the way, stopped by a test if wished."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast.agents.registry import make_player
from ttt_fast.core.archive import read_bytes, write_atomically
from ttt_fast.core.checks import set_whole_numbers
from ttt_fast.core.errors import FileFormatError, FileWriteError, UsageError
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.play.openings import make_openings
from ttt_fast.play.pairs import play_unit, unit
from ttt_fast.play.record import GameRecord, parse_record, replay
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
        set_whole_numbers(self, "pairs", "seed", "index")
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
        Whether `save_to` is there already, and its games are not to be played again.  Pairs of which it holds one
        game are played again and written anew.
    on_progress
        Called with the tally after each unit.

    Returns
    -------
    Tally
        Of all pairs, or of those until the test was decided, or until Ctrl-C (SIGINT, SIGTERM or SIGHUP): then its
        `is_complete` is false.

    Raises
    ------
    FileFormatError
        If `save_to` holds no such games, or games that their moves do not bear out.

    Examples
    --------
    >>> from ttt_fast.running.executors import ThreadExecutor
    >>> pool = ThreadExecutor(2)
    >>> tally = play_duel(DuelConfig("connect4", "default", "random", pairs=20), pool)
    >>> pool.close()
    >>> tally.games, tally.is_complete, tally.rating().score > 0.6
    (40, True, True)
    """
    game = parse_game(config.game)
    for spec in (config.first, config.second):
        make_player(spec, game)  # a mistake is said before anything is played
    openings = make_openings(config.openings, game, config.pairs, config.seed)
    kept = _load(save_to, config, game, openings) if resume and save_to is not None else None
    done = {} if kept is None else kept.pairs
    tally = Tally(config.first, config.second, sprt, config.pairs)
    tally.add_all(done)
    missing = [pair for pair in range(config.pairs) if pair not in done]
    with _Log(save_to, config, kept) as log, stop_between_chunks() as stop:
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


class _Kept(NamedTuple):
    """What a file of games is resumed with: its pairs that count, and its lines, if some are to be dropped."""

    pairs: dict[int, list[GameRecord]]
    rewritten: bytes | None

    def settle(self, path: str | os.PathLike[str]) -> None:
        """Leave out of the file what is to be written anew: a kill may have torn a line, or cut a pair in two."""
        content = self.rewritten
        if content is not None:
            write_atomically(path, lambda stream: stream.write(content))


class _Log:
    """The file of games, if one is wanted; a new one, unless some are kept."""

    def __init__(self, path: str | os.PathLike[str] | None, config: DuelConfig, kept: _Kept | None) -> None:
        self.path, self.config, self.kept = path, config, kept
        self.stream: FileIO | None = None

    def __enter__(self) -> "_Log":
        if self.path is None:
            return self
        try:
            if self.kept is not None:
                self.kept.settle(self.path)
            elif os.path.isfile(self.path) and os.path.getsize(self.path):
                raise UsageError(
                    f"expected a new file to save games to, got {str(self.path)!r}, which is there;"
                    " --resume goes on with it"
                )
            self.stream = open(self.path, "wb" if self.kept is None else "ab", buffering=0)
        except OSError as error:
            raise FileWriteError(f"cannot write {str(self.path)!r}: {error.strerror}") from error
        if self.kept is None:
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


def _settings(config: DuelConfig) -> dict[str, Any]:
    """Return the description of a duel from its file: the settings, and hashes of the files that they name."""
    words = {word for text in (config.first, config.second) for word in re.split("[:*+,=]", text)}
    named = sorted(word for word in {*words, config.first, config.second, config.openings} if Path(word).is_file())
    return asdict(config) | {"files": {name: hashlib.sha256(read_bytes(name)).hexdigest() for name in named}}


def _load(path: str | os.PathLike[str], config: DuelConfig, played: Game, openings: Sequence[list[int]]) -> _Kept:
    """Return the whole pairs of a file of the same duel."""
    content = read_bytes(path)
    kept, games = _parsed(path, content)
    for name, value in _settings(config).items():
        if name != "pairs" and kept.get(name) != value:
            if name == "files":
                raise UsageError(f"{str(path)!r}: the files of this duel have changed since: {_changed(kept, value)}")
            raise UsageError(f"{str(path)!r}: expected the games of {name} {value!r}, got those of {kept.get(name)!r}")
    halves: dict[int, dict[int, GameRecord]] = {}
    for number, (game, opening) in enumerate(games, start=2):
        if game.pair < config.pairs and opening != openings[game.pair]:
            raise FileFormatError(
                f"{str(path)!r}, line {number}: expected the opening {played.format_moves(openings[game.pair])!r}"
                f" of pair {game.pair}, got {played.format_moves(opening)!r}"
            )
        halves.setdefault(game.pair, {})[game.game] = game
    pairs = {pair: [both[0], both[1]] for pair, both in halves.items() if len(both) == 2}
    head, *lines = content.split(b"\n")[: len(games) + 1]
    whole = [line for line, (game, _) in zip(lines, games, strict=True) if game.pair in pairs]
    rewritten = b"".join(line + b"\n" for line in [head, *whole])
    counted = {pair: both for pair, both in pairs.items() if pair < config.pairs}
    return _Kept(counted, None if rewritten == content else rewritten)


def _changed(kept: Mapping[str, Any], files: Mapping[str, str]) -> str:
    before = kept.get("files")
    before = before if isinstance(before, dict) else {}
    return ", ".join(sorted(name for name in {*before, *files} if before.get(name) != files.get(name)))


def load_games(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[GameRecord]]:
    """Return the configuration and the games of a `.jsonl` file; a line that a kill has torn at its end is left out.

    Raises
    ------
    FileFormatError
        If the file cannot be read, is no such file, holds a game twice, or one that its moves do not bear out.
    """
    config, games = _parsed(path, read_bytes(path))
    return config, [game for game, _ in games]


def _parsed(path: str | os.PathLike[str], content: bytes) -> tuple[dict[str, Any], list[tuple[GameRecord, list[int]]]]:
    """Return the configuration and the games of a file, each with the actions of its opening."""
    lines = content.decode(errors="replace").split("\n")
    try:
        head = json.loads(lines[0])
        config = head["config"]
        seats = {0: (config["first"], config["second"]), 1: (config["second"], config["first"])}
        if head["schema"] != SCHEMA:
            raise ValueError
        played = parse_game(config["game"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = f"expected the games of a duel ({SCHEMA}), got {lines[0][:60]!r}"
        raise FileFormatError(f"{str(path)!r}: {what}") from error
    games: list[tuple[GameRecord, list[int]]] = []
    seen: dict[tuple[int, int], tuple[int, list[int]]] = {}
    for number, line in enumerate(lines[1:-1], start=2):
        try:
            game = parse_record(line)
            if (game.x, game.o) != seats[game.game]:
                raise FileFormatError(f"expected a game of {' v '.join(map(str, seats[game.game]))}")
            opening = replay(game, played)[: game.opening]
            if (game.pair, game.game) in seen:
                first = seen[game.pair, game.game][0]
                raise FileFormatError(f"expected game {game.game} of pair {game.pair} once, got it in line {first} too")
            _, other = seen.get((game.pair, 1 - game.game), (0, opening))
            if opening != other:
                texts = [played.format_moves(actions) for actions in (other, opening)]
                raise FileFormatError(
                    f"expected the opening of the other game of its pair, {texts[0]!r}, got {texts[1]!r}"
                )
        except FileFormatError as error:
            raise FileFormatError(f"{str(path)!r}, line {number}: {error}") from error
        seen[game.pair, game.game] = (number, opening)
        games.append((game, opening))
    return config, games
