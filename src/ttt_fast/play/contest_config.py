"""The settings of a contest, and the choice between tabular games (`counted`) and games played one by one."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

from ttt_fast.agents.convert import AgentLike, as_specs, is_tabular
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.core.checks import with_known_names
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.games.registry import parse_game
from ttt_fast.play.match import MatchConfig
from ttt_fast.running.executors import Executor
from ttt_fast.tables import table_of

Seats = Literal["ab", "ba", "both"]
"""Seatings: the first agent plays X, the second agent plays X, or each plays X in half of the games."""
Way = Literal["counted", "one by one"]
MAX_PAIRS = 10**7
OPTIONS = {
    "method": "--method", "random_opening": "--random-opening", "start": "start", "chunk_games": "--chunk",
}  # fmt: skip
"""Settings of tabular games, and their command-line options."""
_BOTH = (0, 1)
_SEATINGS = {"ab": (0,), "ba": (1,), "both": _BOTH}


@with_known_names
@dataclass(frozen=True)
class ContestConfig(MatchConfig):
    """All settings that determine the result of a contest bit for bit, apart from players with a time limit.

    The settings of `MatchConfig`, except games, seed and match_index, apply only to tabular games (`way_of`).

    Attributes
    ----------
    game
        The game, as a string.
    seats
        `ab`: the first agent plays X; `ba`: the second agent plays X; `both`: each plays X in half of the games.  The
        default is `ab` for tabular games, and `both` for games played one by one.
    position
        The first position of all games, as moves or as a board (default: the initial state).  In tabular games, `start`
        is its index.
    openings
        The openings of games played one by one: `none`, `random:PLIES`, or a file of positions.  If it is None, the
        games have no openings, and games between policies are tabular.

    Examples
    --------
    >>> ContestConfig(100, game="connect4").game
    'connect4'
    """

    game: str = "tic-tac-toe"
    position: str | None = None
    openings: str | None = None
    seats: Seats | None = None

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        if self.seats not in (None, *get_args(Seats)):
            raise UsageError(f"expected 'ab', 'ba' or 'both' as the seats, got {self.seats!r}")

    def with_usual_games(
        self,
        agents: Sequence[AgentLike],
        *,
        sprt: Sprt | str | None = None,
        executor: Executor | None = None,
        round_robin: bool = False,
    ) -> "ContestConfig":
        """Return the settings with the default number of games: a million if they are tabular, otherwise 1000.

        A round robin has no games if they are tabular, since its results are exact, and otherwise 100 for each pair.

        Parameters
        ----------
        agents
            The agents, with the rival if there is one.
        sprt, executor
            As for the contest.
        round_robin
            Whether each agent meets every other agent.

        Examples
        --------
        >>> ContestConfig(0).with_usual_games(["random", "minimax"]).games
        1000000
        >>> ContestConfig(0, game="connect4").with_usual_games(["random", "default"]).games
        1000
        """
        is_counted = way_of(as_specs(agents), self, sprt, executor) == "counted"
        usual = (0, 100) if round_robin else (1_000_000, 1000)
        return replace(self, games=usual[0] if is_counted else usual[1])


def way_of(
    agents: Sequence[AgentSpec], config: ContestConfig, sprt: Sprt | str | None = None, executor: Executor | None = None
) -> Way:
    """Return `counted` if the games of a contest are tabular, or `one by one`.

    Games are tabular if all agents are policies over the table of the game, and no setting requires single games
    (openings, a test, another machine).  A kernel then simulates them on the table, and counts the results.

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


def seats_of(way: Way, config: ContestConfig) -> Seats:
    """Return the seats of a contest, by default both if the games are played one by one."""
    return config.seats or ("both" if way == "one by one" else "ab")


def seatings_of(way: Way, config: ContestConfig) -> tuple[int, ...]:
    """Return the seatings of a contest: 0 if the first agent plays X, 1 if it plays O, or both.

    Examples
    --------
    >>> seatings_of("counted", ContestConfig(10)), seatings_of("one by one", ContestConfig(10))
    ((0,), (0, 1))
    >>> seatings_of("one by one", ContestConfig(10, seats="ba"))
    (1,)
    """
    return _SEATINGS[seats_of(way, config)]


def with_start(config: ContestConfig) -> ContestConfig:
    """Return the settings of tabular games with the index of their first position.

    Examples
    --------
    >>> with_start(ContestConfig(10, position="4")).start
    5
    """
    if config.position is None:
        return config
    if config.start:
        raise UsageError(f"expected either a position or the index of a state as the start, got both: {config.start}")
    game = parse_game(config.game)
    start = table_of(game).state_index(game.format_position(game.parse_ongoing(config.position)))
    return replace(config, start=start, position=None)


def check_settings(way: Way, config: ContestConfig, has_rival: bool = False, has_test: bool = False) -> None:
    """Raise UsageError if a setting does not apply to this kind of contest, or the number of games is impossible."""
    if way == "counted":
        if has_rival and seatings_of(way, config) != (0,):
            raise UsageError(f"expected either --rival or --seats {config.seats}, got both options")
        return
    if config.position is not None and config.openings not in (None, "none"):
        raise UsageError(f"expected either --position or --openings {config.openings}, got both")
    given = [OPTIONS[one.name] for one in fields(config) if one.name in OPTIONS
             and getattr(config, one.name) != one.default]  # fmt: skip
    for option in [*given, *(["--rival"] if has_rival else [])]:
        raise UsageError(
            f"expected {option} only for policies over a state table, got it for a match that is played game by game"
        )
    if seatings_of(way, config) != _BOTH:
        if has_test:
            raise UsageError(f"expected --seats both with --sprt, which tests pairs, got --seats {config.seats}")
        if not 1 <= config.games <= MAX_PAIRS:
            raise UsageError(f"expected 1 to {MAX_PAIRS:,} games in one seating, got {config.games!r}")
    elif config.games < 2 or config.games % 2 or config.games > 2 * MAX_PAIRS:
        raise UsageError(
            f"expected an even number of games from 2 to {2 * MAX_PAIRS:,}, since each opening is played twice with the"
            f" seats swapped, got {config.games!r}"
        )
