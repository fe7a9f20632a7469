"""The settings of a contest, its seatings, and the choice between tabular games (`counted`) and single games."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Literal, NamedTuple, get_args

from ttt_fast.agents.convert import AgentLike, as_specs, is_tabular, over_table
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.core.checks import count_of, whole_number, with_known_names
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.play.openings import Openings, after, parse_openings, parse_start
from ttt_fast.running.executors import Executor
from ttt_fast.tables import ROOT, table_of

Method = Literal["play", "propagate"]
Seats = Literal["ab", "ba", "both"]
"""Seatings: the first agent plays X, the second agent plays X, or each plays X in half of the games."""
Way = Literal["counted", "one by one"]
MAX_GAMES = 10**18
"""Maximum number of tabular games: counts are int64."""
MAX_PAIRS = 10**7
DEFAULT_CHUNK_GAMES = 2_000_000
"""About 10 ms of play: short enough for a quick Ctrl-C, long enough to hide the cost of a chunk."""
OPTIONS = {
    "method": "--method", "random_opening": "--random-opening", "start": "start", "chunk_games": "--chunk",
}  # fmt: skip
"""Settings of tabular games, and their command-line options."""
_NUMBERS = {"ab": (0,), "ba": (1,), "both": (0, 1)}


@with_known_names
@dataclass(frozen=True)
class ContestConfig:
    """All settings that determine the result of a contest bit for bit, apart from players with a time limit.

    Texts are parsed when a configuration is created, but a file of openings is read when the contest begins.

    Attributes
    ----------
    games
        Number of games, also as text ("1M").
    seed
        Seed of the streams, non-negative.
    method
        Of tabular games: `play` plays every move; `propagate` draws the counts of the final states from their exact
        distribution.
    random_opening
        Whether the first move of tabular games is drawn uniformly instead of by the policy to move.
    start
        State index of the first board of tabular games.
    chunk_games
        Tabular games per chunk (`play`); each chunk has its own stream.
    match_index
        Index of the contest among those that share a seed; each has its own streams.
    game
        The game, also by name.
    position
        The first position of all games, parsed from moves or from a board (default: the initial state).  In tabular
        games, `start` is its index.
    openings
        The openings of games played one by one, parsed from `none`, `random:PLIES`, or the path of a file of positions.
        If it is None, the games have no openings, and games between policies are tabular.
    seats
        `ab`: the first agent plays X; `ba`: the second agent plays X; `both`: each plays X in half of the games.  The
        default is `ab` for tabular games, and `both` for games played one by one.

    Examples
    --------
    >>> ContestConfig(1e6, game="connect4").games, ContestConfig(10**7).num_chunks
    (1000000, 5)
    """

    games: int
    seed: int
    method: Method
    random_opening: bool
    start: int
    chunk_games: int
    match_index: int
    game: Game
    position: Openings | None
    openings: Openings | None
    seats: Seats | None

    def __init__(
        self, games: float | str, seed: int = 0, method: Method = "play", random_opening: bool = False,
        start: float | str = ROOT, chunk_games: float | str = DEFAULT_CHUNK_GAMES, match_index: float | str = 0,
        game: Game | str = "tic-tac-toe", position: Openings | str | None = None,
        openings: Openings | str | None = None, seats: Seats | None = None,
    ) -> None:  # fmt: skip
        counts = {"games": games, "start": start, "chunk_games": chunk_games, "match_index": match_index}
        vars(self).update({name: count_of(value, name) for name, value in counts.items()})
        vars(self).update(seed=whole_number(seed, "seed"), method=method, random_opening=random_opening, seats=seats)
        vars(self)["game"] = parse_game(game)
        vars(self)["openings"] = None if openings is None else parse_openings(openings or "none")
        vars(self)["position"] = None if position is None else parse_start(position, self.game)
        if not 0 <= self.games <= MAX_GAMES:
            raise UsageError(f"expected 0 to {MAX_GAMES:.0e} games, got {self.games!r}")
        if self.seed < 0:
            raise UsageError(f"expected a seed of at least 0, got {self.seed!r}")
        if self.chunk_games < 1:
            raise UsageError(f"expected at least one game per chunk, got {self.chunk_games!r}")
        if self.method not in get_args(Method):
            raise UsageError(f"expected 'play' or 'propagate' as the method, got {self.method!r}")
        if self.seats not in (None, *get_args(Seats)):
            raise UsageError(f"expected 'ab', 'ba' or 'both' as the seats, got {self.seats!r}")

    @property
    def num_chunks(self) -> int:
        """Number of chunks; `propagate` has a single one."""
        return min(self.games, 1) if self.method == "propagate" else -(-self.games // self.chunk_games)

    def games_after(self, chunks: int) -> int:
        """Return the number of games in the first `chunks` chunks; the last chunk is shorter."""
        return min(chunks * (self.games if self.method == "propagate" else self.chunk_games), self.games)

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
            The agents.
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
        usual = {"counted": (1_000_000, 0), "one by one": (1000, 100)}
        specs = in_round_robin(as_specs(agents), self, executor) if round_robin else as_specs(agents)
        return replace(self, games=usual[way_of(specs, self, sprt, executor)][round_robin])


class Seating(NamedTuple):
    """Two agents of a contest in the seats X and O, by their numbers.

    Attributes
    ----------
    x, o
        Numbers of the agents.
    config
        The settings of the games of this seating, with their number.
    number
        0; 1 if the agent named first plays O.
    """

    x: int
    o: int
    config: ContestConfig
    number: int = 0


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
    return "counted" if all(is_tabular(one, config.game) for one in agents) else "one by one"


def in_round_robin(
    agents: Sequence[AgentSpec], config: ContestConfig, executor: Executor | None = None
) -> Sequence[AgentSpec]:
    """Return the agents of a round robin: as policies over the table of the game, if its results can then be exact."""
    exact = way_of([], config, None, executor) == "counted"
    return over_table(agents, config.game) if exact else agents


def seatings_of(way: Way, config: ContestConfig, num_agents: int = 2, *, round_robin: bool = False) -> list[Seating]:
    """Return the seatings of a contest with the settings `settled`.

    The streams of tabular games depend on the index of their seating.  Of single games, the two seatings of a pair have
    one index, and each game of a pair has its own streams.

    Examples
    --------
    >>> [(one.x, one.o, one.config.games) for one in seatings_of("counted", ContestConfig(11, seats="both"))]
    [(0, 1, 6), (1, 0, 5)]
    >>> [(one.x, one.o) for one in seatings_of("one by one", ContestConfig(4), 3, round_robin=True)]
    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    """
    numbers, games, first = _NUMBERS[config.seats or "both"], config.games, config.match_index

    def seating(x: int, o: int, games: int, index: int, number: int = 0) -> Seating:
        return Seating(x, o, replace(config, games=games, match_index=index), number)

    if way == "one by one":
        pairs = enumerate(combinations(range(num_agents), 2)) if round_robin else [(first, (0, 1))]
        return [
            seating(*(pair if number == 0 else pair[::-1]), games // len(numbers), index, number)
            for index, pair in pairs
            for number in numbers
        ]
    if round_robin:
        return [seating(x, o, games, index) for index, (x, o) in enumerate(product(range(num_agents), repeat=2))]
    shares = [games - games // 2, games // 2] if len(numbers) > 1 else [games, games]
    return [seating(number, 1 - number, shares[number], first + number, number) for number in numbers]


def settled(way: Way, config: ContestConfig, has_test: bool = False) -> ContestConfig:
    """Return the settings with the seats, first state and openings of this kind of contest.

    Raises
    ------
    UsageError
        If a setting does not apply to this kind of contest, or the number of games is impossible.

    Examples
    --------
    >>> settled("counted", ContestConfig(10, position="40")).start, settled("one by one", ContestConfig(10)).seats
    (42, 'both')
    """
    if way == "counted":
        start = config.start
        if config.position is not None:
            if start:
                raise UsageError(f"expected either a position or the index of a state as the start, got both: {start}")
            start = table_of(config.game).state_index(after(config.game, config.position.first))
        return replace(config, seats=config.seats or "ab", start=start, position=None)
    usual, openings = ContestConfig(config.games), config.openings or parse_openings("none")
    config = replace(config, seats=config.seats or "both", openings=openings)
    if config.position is not None and openings.text != "none":
        raise UsageError(f"expected either --position or --openings {openings.text}, got both")
    for option in [word for name, word in OPTIONS.items() if getattr(config, name) != getattr(usual, name)]:
        raise UsageError(
            f"expected {option} only for policies over a state table, got it for a match that is played game by game"
        )
    if config.seats != "both":
        if has_test:
            raise UsageError(f"expected --seats both with --sprt, which tests pairs, got --seats {config.seats}")
        if not 1 <= config.games <= MAX_PAIRS:
            raise UsageError(f"expected 1 to {MAX_PAIRS:,} games in one seating, got {config.games!r}")
    elif config.games < 2 or config.games % 2 or config.games > 2 * MAX_PAIRS:
        raise UsageError(
            f"expected an even number of games from 2 to {2 * MAX_PAIRS:,}, since each opening is played twice with the"
            f" seats swapped, got {config.games!r}"
        )
    return config
