"""Checks of a program against the rules of docs/ENGINES.md: a row for each rule, and for each game that it plays."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ttt_fast.agents.engine import HELLO, Engine, EnginePlayer, parse_command
from ttt_fast.core.errors import AgentError, ForfeitError, UsageError
from ttt_fast.core.rng import Stream, StreamKey, chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.registry import GAMES, parse_game

_SECONDS_TO_LEAVE = 5.0


class Finding(NamedTuple):
    """The result of the check of one rule.

    Attributes
    ----------
    rule
        The rule, in a line.
    game
        The game of the check; empty if the rule does not concern a game.
    result
        `ok` or `failed`; `no` if an optional feature is missing.
    detail
        A description of the fault, or a number.
    """

    rule: str
    game: str
    result: str
    detail: str


def check_engine(spec: str, games: Sequence[str] = (), positions: int = 50, seed: int = 0) -> list[Finding]:
    """Check a program against the protocol.

    Parameters
    ----------
    spec
        `engine:COMMAND`.
    games
        The games to check (default: the games that the program lists, else every game by its name).
    positions
        Number of random positions of each game.
    seed
        Seed of the positions.

    Raises
    ------
    AgentError
        If the text contains no command or impossible options; UsageError if a game is unknown.
    """
    parse_command(spec)
    wanted = [parse_game(one) for one in games]
    greeting = f"it greets from {HELLO!r} to 'ready'"
    try:
        engine = Engine(spec)
    except AgentError as error:
        return [Finding(greeting, "", "failed", str(error))]
    engine.close()
    found = [Finding(greeting, "", "ok", engine.name)]
    if not wanted:
        found += _known_games(engine)
        wanted = [game for one in engine.plays or GAMES if (game := _game_of(one)) is not None]
    for game in wanted:
        found += _checks_of(spec, game, positions, seed)
    found.append(_tried("it ends at 'quit'", "", lambda: _leaves(spec, farewell=True)))
    found.append(_tried("it ends when its input ends", "", lambda: _leaves(spec, farewell=False)))
    return [one._replace(detail=one.detail.removeprefix(f"{spec!r}: ")) for one in found]


def _game_of(text: str) -> Game | None:
    try:
        return parse_game(text)
    except UsageError:
        return None


def _known_games(engine: Engine) -> Iterator[Finding]:
    """Check that the games which a program lists are games of this version."""
    for one in engine.plays or []:
        known = _game_of(one) is not None
        yield Finding("it plays games that are known", one, "ok" if known else "failed", "" if known else "unknown")


def _tried(rule: str, game: str, work: Callable[[], str]) -> Finding:
    """Run a check, a function that returns a detail, and return its finding."""
    try:
        return Finding(rule, game, "ok", work())
    except (ForfeitError, AgentError) as error:
        return Finding(rule, game, "failed", str(error))


def _checks_of(spec: str, game: Game, positions: int, seed: int) -> Iterator[Finding]:
    """Yield the findings on the rules that concern a game."""
    states = random_positions(game, positions, seed)
    answers: list[list[int]] = []

    def asked_anywhere() -> str:
        answers.append(_answers(spec, game, states, 0))
        return f"{len(states)} positions"

    def asked_again() -> str:
        answers.append(_answers(spec, game, states[::-1], 0, newgames=True)[::-1])
        return f"{len(states)} games"

    yield _tried("it answers any position with one legal move, in time", game.spec, asked_anywhere)
    yield _tried("it plays itself to the end of a game", game.spec, lambda: _plays_itself(spec, game))
    yield _tried("it begins again at any 'newgame'", game.spec, asked_again)
    if len(answers) == 2:
        other = sum(one != two for one, two in zip(*answers, strict=True))
        detail = f"another move in {other} of {len(states)} positions" if other else "its exact strength can be known"
        yield Finding("it is deterministic (optional)", game.spec, "no" if other else "ok", detail)


def _answers(spec: str, game: Game, states: Sequence[GameState], seed: int, newgames: bool = False) -> list[int]:
    """Return a program's actions in some states, in one game or in a new game for each state."""
    player = EnginePlayer(spec, game)
    try:
        player.begin(np.uint64(seed))
        actions = []
        for number, state in enumerate(states):
            if newgames:
                player.begin(np.uint64(2 * number))
            actions.append(player.search(state).action)
        player.finish()
        return actions
    finally:
        player.close()


def _plays_itself(spec: str, game: Game) -> str:
    """Play a game with a program in both seats, and return its moves."""
    player, state, actions = EnginePlayer(spec, game), game.initial_state, list[int]()
    try:
        player.begin(np.uint64(2))
        while api.status(state) == api.ONGOING:
            actions.append(player.search(state).action)
            state = api.play(state, actions[-1])
        return game.format_moves(actions)
    finally:
        player.close()


def _leaves(spec: str, *, farewell: bool) -> str:
    """Raise AgentError unless a program ends by itself; the detail is empty."""
    engine = Engine(spec)
    try:
        if not engine.leaves(farewell, _SECONDS_TO_LEAVE):
            raise AgentError(f"{spec!r}: the program is still running {_SECONDS_TO_LEAVE:g} s later")
        return ""
    finally:
        engine.close()


def random_positions(game: Game, count: int, seed: int) -> list[GameState]:
    """Return ongoing states of random games, each after a random number of its plies; the first is the initial one.

    Examples
    --------
    >>> len(set(random_positions(parse_game("ultimate"), 20, 0))) > 15
    True
    """
    found: list[GameState] = [game.initial_state]
    words = Stream(chunk_stream(seed, StreamKey.ENGINE_CHECK))
    while len(found) < count:
        state, met = game.initial_state, list[GameState]()
        while api.status(state) == api.ONGOING:
            met.append(state)
            state = api.play(state, int(api.random_action(state, words.word())))
        found.append(met[int(words.share() * len(met))])
    return found[:count]
