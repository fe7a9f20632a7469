"""Pairs of games played move by move: the unit of work of a contest, run in a thread or on another machine."""

import json
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

from ttt_fast.agents.content import content_of, stamps_of
from ttt_fast.agents.convert import as_player
from ttt_fast.agents.spec import AgentSpec, parse_agent, refuse_external
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.manifest import package_version
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.play.openings import NO_OPENING, Opening, after
from ttt_fast.play.record import RESULTS, Effort, GameRecord, parse_record
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.running.jobs import Job
from ttt_fast.search.player import Player

_own = threading.local()  # the players of each thread, which keep their memory from unit to unit
_BRIEF, _BRIEF_ALONE = 0.00012, 0.00008
"""Processor time of a move, in seconds, below which games are played one after another, whatever the number of threads.

Threads that pass the interpreter on after every search of 40 microseconds took 1.5 times as long as a single thread,
and twice the processor time: hence two limits, for games that ran beside others and for those that did not.
"""
_one_at_a_time = threading.Lock()


class ContestUnit(NamedTuple):
    """A unit of work.

    Attributes
    ----------
    game
        The game.
    first, second
        The two players.
    seed
        Seed of all choices.
    openings
        Number of each pair, and the opening of its games.
    key
        Distinguishes the streams of this contest from those of other contests with the same seed.
    seatings
        The games of each pair: 0 if the first player plays X, 1 if it plays O, or both.
    """

    game: Game
    first: AgentSpec
    second: AgentSpec
    seed: int
    openings: Sequence[tuple[int, Opening]]
    key: Sequence[int] = ()
    seatings: Sequence[int] = (0, 1)


def play_unit(unit: ContestUnit) -> list[GameRecord]:
    """Play the pairs of a unit."""
    records: list[GameRecord] = []
    game, start = unit.game, after(unit.game, unit.openings[0][1])
    players = (_player(unit.first, game, 0, start), _player(unit.second, game, 1, start))
    is_external = unit.first.is_external or unit.second.is_external  # whose time is that of other processes
    for pair, number, opening in ((pair, number, one) for pair, one in unit.openings for number in unit.seatings):
        for side, player in enumerate(players):
            player.begin(chunk_stream(unit.seed, *unit.key, pair, number, side))
        x, o = players if number == 0 else players[::-1]
        is_brief, started = not is_external and getattr(_own, "is_brief", False), time.thread_time()
        with _one_at_a_time if is_brief else nullcontext():
            record = play_game(game, x, o, opening, pair, number)
        spent = (time.thread_time() - started) / max(record.plies, 1)
        _own.is_brief = spent < (_BRIEF_ALONE if is_brief else _BRIEF) and not is_external
        records.append(record)
    return records


def pack(unit: ContestUnit) -> bytes:
    """Return a unit for another machine, which `play_packed` plays."""
    texts = {"game": unit.game.spec, "first": unit.first.text, "second": unit.second.text}
    content = content_of(unit.game, (unit.first, unit.second))
    return json.dumps({**unit._asdict(), **texts, "content": content, "package": package_version()}).encode()


def play_packed(content: bytes) -> bytes:
    """Play a unit from another machine, and return its games as lines of JSON."""
    described = json.loads(content)
    Job.check_package(described.pop("package"))
    game, *texts = (described.pop(name) for name in ("game", "first", "second"))
    game, first, second = parse_game(game), *map(parse_agent, texts)
    openings = [(pair, Opening(start, tuple(actions))) for pair, (start, actions) in described.pop("openings")]
    for spec in (first, second):
        refuse_external(spec, "the work of another machine")
    if described.pop("content") != content_of(game, (first, second)):
        raise TttFastError("expected the rules and files with which the contest was planned, got others on a worker")
    unit = ContestUnit(game, first, second, openings=openings, **described)
    return "".join(record.to_json() + "\n" for record in play_unit(unit)).encode()


def unpack(content: bytes) -> list[GameRecord]:
    """Return the games from another machine."""
    return [parse_record(line) for line in content.decode().splitlines()]


def play_game(
    game: Game, x: Player, o: Player, opening: Opening = NO_OPENING, pair: int = 0, number: int = 0
) -> GameRecord:
    """Play one game between players whose `begin` has been called.

    Parameters
    ----------
    game, x, o
        The game and its two players.
    opening
        The beginning of the game.
    pair, number
        Number of the pair and of the game in a contest, for the record.
    """
    state: GameState = after(game, opening)
    actions, efforts = list(opening.actions), [Effort(), Effort()]
    result = api.status(state)
    while result == api.ONGOING:
        check_interrupt()
        side = 0 if api.player(state) == api.X else 1
        player = (x, o)[side]
        started = time.perf_counter()
        found = player.search(state)
        spent = time.perf_counter() - started
        moves, seconds, slowest, nodes, memory = efforts[side]
        efforts[side] = Effort(
            moves + 1, seconds + spent, max(slowest, spent), nodes + found.nodes, max(memory, player.memory_bytes)
        )
        actions.append(found.checked(player, state).action)
        state = api.play(state, found.action)
        result = api.status(state)
    return GameRecord(
        pair=pair,
        game=number,
        x=x.name,
        o=o.name,
        opening=len(opening.actions),
        moves=game.format_moves(actions),
        plies=len(actions),
        result=RESULTS[result],
        x_effort=efforts[0],
        o_effort=efforts[1],
        start=opening.start,
    )


def _player(spec: AgentSpec, game: Game, side: int, state: GameState) -> Player:
    """Return this thread's player; a spec on both sides makes two players, since each keeps its own tree.

    A new player first searches `state`, its first position in the game: a solver would take long for the initial state.
    """
    kept: dict[tuple[object, ...], Player] = _own.__dict__.setdefault("players", {})
    key = (spec, id(spec.value), game, side, stamps_of(spec))  # the player keeps the object alive
    if key not in kept:
        while len(kept) >= 4:  # their tables may be large
            del kept[next(iter(kept))]
        player = kept[key] = as_player(spec, game)
        player.begin(chunk_stream(0))
        if not spec.is_external:
            player.search(state)  # loads or compiles its kernels, which is no part of a move's time
    return kept[key]
