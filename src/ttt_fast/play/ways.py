"""The ways in which a contest is held: its games are counted, or played one by one; what each way can do."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Literal

from ttt_fast.agents.convert import is_tabular
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.games.registry import parse_game
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.running.executors import Executor

Way = Literal["counted", "one by one"]
MAX_PAIRS = 10**7
OPTIONS = {
    "method": "--method", "random_opening": "--random-opening", "start": "--board", "chunk_games": "--chunk",
    "swap": "--swap",
}  # fmt: skip
"""Settings of games that are counted, and the options that they are called by."""
_BOTH = (0, 1)
_SEATINGS = {"ab": (0,), "ba": (1,), "both": _BOTH}


def way_of(
    agents: Sequence[AgentSpec], config: ContestConfig, sprt: Sprt | None = None, executor: Executor | None = None
) -> Way:
    """Return how a contest is held.

    Games are counted where all agents are policies over the table of the game, and nothing is asked for that wants
    single games: openings, a test, another machine.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_specs
    >>> [way_of(as_specs(["random", other]), ContestConfig(10)) for other in ("minimax", "mcts")]
    ['counted', 'one by one']
    """
    remote = executor is not None and not executor.shares_memory
    if config.openings is not None or sprt is not None or remote:
        return "one by one"
    game = parse_game(config.game)
    return "counted" if all(is_tabular(one, game) for one in agents) else "one by one"


def seatings_of(way: Way, config: ContestConfig) -> tuple[int, ...]:
    """Return the seatings that a contest plays: 0, in which the first agent plays X, and 1, in which it plays O.

    Examples
    --------
    >>> seatings_of("counted", ContestConfig(10)), seatings_of("one by one", ContestConfig(10))
    ((0,), (0, 1))
    >>> seatings_of("one by one", ContestConfig(10, seats="ba"))
    (1,)
    """
    if config.seats is not None:
        return _SEATINGS[config.seats]
    return _BOTH if config.swap or way == "one by one" else (0,)


def check_settings(way: Way, config: ContestConfig, has_rival: bool = False, has_test: bool = False) -> None:
    """Raise UsageError if a setting means nothing in this way, or the number of games is impossible."""
    swapped = "--swap" if config.swap else f"--seats {config.seats}"
    if way == "counted":
        if has_rival and seatings_of(way, config) != (0,):
            raise UsageError(f"expected --rival or {swapped}, got both")
        return
    given = [OPTIONS[one.name] for one in fields(config) if one.name in OPTIONS
             and getattr(config, one.name) != one.default]  # fmt: skip
    for option in [*given, *(["--rival"] if has_rival else [])]:
        raise UsageError(
            f"expected {option} where policies' games are counted, got it where games are played one by one"
        )
    if seatings_of(way, config) != _BOTH:
        if has_test:
            raise UsageError(f"expected --sprt, which tests pairs of games, with --seats both, got {swapped}")
        if not 1 <= config.games <= MAX_PAIRS:
            raise UsageError(f"expected 1 to {MAX_PAIRS:,} games of one seating, got {config.games}")
    elif config.games < 2 or config.games % 2 or config.games > 2 * MAX_PAIRS:
        raise UsageError(
            f"expected an even number of games from 2 to {2 * MAX_PAIRS:,}, since they come in pairs with seats"
            f" swapped, got {config.games}"
        )


def usual_games(config: ContestConfig, way: Way, pairs: bool = False) -> ContestConfig:
    """Return the settings with the usual number of games: of a contest, or of each of many `pairs`."""
    return replace(config, games=1_000_000 if way == "counted" else 100 if pairs else 1000)
