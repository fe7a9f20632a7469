"""A contest: any two agents in any game, exact first where both are policies, then counted or played one by one.

Games between two policies over the table of a game are counted: a kernel plays every move (`play`), or sends all games
down the table at once (`propagate`).  Whoever thinks plays one game after the other, in pairs with the seats swapped.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from ttt_fast.agents.given import named
from ttt_fast.agents.registry import make_player, makes_policy, parse_agent
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.exact_result import ExactResult, exact_result, exact_result_from
from ttt_fast.evaluate.sprt import Decision, Sprt
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.foreign_players import check_place, warn_of_forfeits
from ttt_fast.play.game_file import GameFile, Kept, load_kept
from ttt_fast.play.match import MatchResult, play_match
from ttt_fast.play.openings import after, make_openings
from ttt_fast.play.pairs import Unit, pack, play_packed, play_unit, unpack
from ttt_fast.play.results import SeatResult, Tally, counted_seat, played_seat, rival_row, summary_row
from ttt_fast.play.session import (
    Pairing,
    PathLike,
    Place,
    digest_of,
    empty_results,
    files_of,
    load_counts,
    place_of,
    save_counts,
)
from ttt_fast.policies.given import AgentLike
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import Executor, ThreadExecutor, completed
from ttt_fast.running.interrupts import stop_between_chunks

Way = Literal["counted", "one by one"]
Progress = Callable[[int, str], None]
MAX_PAIRS = 10**7
PAIRS_A_UNIT = 2
SECONDS_BETWEEN_SAVES = 5.0
_OPTIONS = {
    "method": "--method", "random_opening": "--random-opening", "start": "--board", "chunk_games": "--chunk",
    "swap": "--swap",
}  # fmt: skip
"""Settings of games that are counted, and the options that they are called by."""


def way_of(
    agents: Sequence[str | Policy], config: ContestConfig, sprt: Sprt | None = None, executor: Executor | None = None
) -> Way:
    """Return how a contest is held.

    Games are counted where all agents are policies over the table of the game, and nothing is asked for that wants
    single games: openings, a test, another machine.

    Examples
    --------
    >>> way_of(["random", "minimax"], ContestConfig(10)), way_of(["random", "mcts"], ContestConfig(10))
    ('counted', 'one by one')
    """
    remote = executor is not None and not executor.shares_memory
    if config.openings is not None or sprt is not None or remote:
        return "one by one"
    game = parse_game(config.game)
    return "counted" if all(isinstance(one, Policy) or makes_policy(one, game) for one in agents) else "one by one"


def check_settings(way: Way, config: ContestConfig, has_rival: bool = False) -> None:
    """Raise UsageError if a setting means nothing in this way, or the number of games is impossible."""
    if way == "counted":
        if config.swap and has_rival:
            raise UsageError("expected --rival or --swap, got both")
        return
    given = [_OPTIONS[one.name] for one in fields(config) if one.name in _OPTIONS
             and getattr(config, one.name) != one.default]  # fmt: skip
    for option in [*given, *(["--rival"] if has_rival else [])]:
        raise UsageError(
            f"expected {option} where policies' games are counted, got it where games are played one by one"
        )
    if config.games < 2 or config.games % 2 or config.games > 2 * MAX_PAIRS:
        raise UsageError(
            f"expected an even number of games from 2 to {2 * MAX_PAIRS:,}, since they come in pairs with seats"
            f" swapped, got {config.games}"
        )


def usual_games(config: ContestConfig, way: Way, pairs: bool = False) -> ContestConfig:
    """Return the settings with the usual number of games: of a contest, or of each of many `pairs`."""
    return replace(config, games=1_000_000 if way == "counted" else 100 if pairs else 1000)


class Contest(NamedTuple):
    """The results of a contest, or of the part of it that was held.

    Attributes
    ----------
    way
        How its games were played.
    described
        What decides the results.
    seats
        The result of each seating.
    summary
        Rows about the first agent over both seats, or about its rival; empty for a single seating.  Of a round robin:
        about each agent.
    tally
        The single games, where they were played one by one.

    Examples
    --------
    >>> contest("minimax", "random", 1000)
    <Contest of minimax v random in tic-tac-toe: 1,000 games, counted>
    """

    way: Way
    described: dict[str, Any]
    seats: list[SeatResult]
    summary: list[dict[str, Any]]
    tally: Tally | None = None

    def __repr__(self) -> str:
        """Return the contest in a line."""
        told, games = self.described, sum(row["games"] for row in self.rows)
        return f"<Contest of {told['first']} v {told['second']} in {told['game']}: {games:,} games, {self.way}>"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each seating."""
        return [seat.row() for seat in self.seats]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing: all games have been played, or the test has come to its end."""
        return all(seat.complete for seat in self.seats)

    @property
    def decision(self) -> Decision:
        """Verdict of the test: `H1`, `H0` or `continue`."""
        return "continue" if self.tally is None else self.tally.decision


def contest(
    first: AgentLike,
    second: AgentLike,
    config: ContestConfig | int = 1000,
    *,
    rival: AgentLike | None = None,
    sprt: Sprt | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    save_to: PathLike | None = None,
    resume_from: PathLike | None = None,
    on_progress: Progress | None = None,
) -> Contest:
    """Hold a contest.

    Parameters
    ----------
    first, second
        The agents: first plays X, and in the games with swapped seats O.  Policies are those of `config.game`;
        functions of a state and objects with `choose` are called `python:given:NAME` in the results.
    config
        The game, the number of games, and all that decides their bits; or the number of games of tic-tac-toe alone.
    rival
        An agent that plays as many games as X against the same opponent (counted games only).
    sprt
        A test that ends the contest: pairs count in their order, so that threads do not change where it ends.
    threads
        Threads that share the work (default: all cores); never changes a result.
    executor
        The place where single games run, instead of threads; it stays open.
    save_to
        A new file, rewritten or appended on the way: `.npz` where games are counted, else `.jsonl`.
    resume_from
        Such a file of the same contest: what it holds is not played again, and it is written on.  The number of games
        may have grown.
    on_progress
        Called on the way with the number of games played and a short text.

    Returns
    -------
    Contest
        Of all games, or of those until the test was decided or until Ctrl-C (SIGINT, SIGTERM or SIGHUP).

    Raises
    ------
    UsageError
        If a setting means nothing in a contest of these agents, or the file was made by another one.
    FileFormatError
        If the file cannot be read, or holds games that their moves do not bear out.

    Examples
    --------
    >>> contest("minimax", "random", 10_000).seats[0].ends[2]
    0
    >>> held = contest("default", "random", ContestConfig(40, game="connect4"))
    >>> held.summary[0]["games"], held.summary[0]["score"] > 0.6
    (40, True)
    """
    config = config if isinstance(config, ContestConfig) else ContestConfig(config)
    given = [first, second, *([] if rival is None else [rival])]
    with ExitStack() as names:
        agents: list[str | Policy] = [
            one if isinstance(one, Policy) else names.enter_context(named(one))[0] for one in given
        ]
        way = way_of(agents, config, sprt, executor)
        check_settings(way, config, rival is not None)
        check_place(agents, executor)
        if way == "counted":
            place = place_of(save_to, resume_from, ".npz")
            return _counted(agents, config, place, threads, on_progress)
        place = place_of(save_to, resume_from, ".jsonl")
        one, other = (names.enter_context(named(agent))[0] for agent in agents[:2])
        pool = names.enter_context(closing(ThreadExecutor(threads)))
        return play_one_by_one(one, other, config, executor or pool, sprt, place, on_progress)


def _counted(
    agents: Sequence[str | Policy],
    config: ContestConfig,
    place: Place | None,
    threads: int | None,
    on_progress: Progress | None,
) -> Contest:
    """Hold a contest of policies."""
    pairings = _pairings([_policy(one, config.game) for one in agents], config)
    described = _described("counted", agents, config)
    seats = count_games(pairings, described, place, threads, on_progress)
    summary = [summary_row(seats[0], seats[1])] if config.swap else []
    if len(agents) > 2 and all(seat.games for seat in seats):
        summary = [rival_row(seats[0], seats[1])]
    return Contest("counted", described, seats, summary)


def _policy(agent: str | Policy, game: str) -> Policy:
    return agent if isinstance(agent, Policy) else parse_agent(agent, game)


def _described(way: Way, agents: Sequence[str | Policy], config: ContestConfig) -> dict[str, Any]:
    """Return what decides the games of a contest, but for their number, for JSON."""
    names = [one if isinstance(one, str) else one.name for one in agents]
    settings = asdict(config) | {"openings": config.openings or "none"}
    described: dict[str, Any] = {"game": config.game, "first": names[0], "second": names[1], "seed": config.seed}
    if way == "counted":
        described |= {name: settings[name] for name in _OPTIONS} | {"rival": names[2] if len(names) > 2 else None}
        policies = [_policy(one, config.game) for one in agents]
        described["policies"] = {one.name: digest_of(one) for one in policies}
    else:
        described["openings"] = settings["openings"]
    described["index"] = config.match_index
    return described | {"files": files_of([*names, settings["openings"]])}


def _pairings(policies: Sequence[Policy], config: ContestConfig) -> list[Pairing]:
    """Return the seatings whose games are counted: one, both, or one and the rival's."""
    first, second, *rival = policies
    pairs = [(first, second), *((one, second) for one in rival)]
    shares = [config.games] * len(pairs)
    if config.swap:
        pairs.append((second, first))
        shares = [config.games - config.games // 2, config.games // 2]
    return [
        Pairing(*pair, replace(config, games=share, match_index=config.match_index + index))
        for index, (pair, share) in enumerate(zip(pairs, shares, strict=True))
    ]


def count_games(
    pairings: Sequence[Pairing],
    described: dict[str, Any],
    place: Place | None = None,
    threads: int | None = None,
    on_progress: Progress | None = None,
) -> list[SeatResult]:
    """Return the result of each pairing, played one after the other; after Ctrl-C, of the games played until then."""
    results = empty_results(pairings)
    if place is not None and place.resumed:
        results = load_counts(place.path, described, pairings)
    exact = [exact_result(x, o, start=config.start, random_opening=config.random_opening) for x, o, config in pairings]
    saved_at = time.monotonic()

    def save() -> None:
        nonlocal saved_at
        if place is not None:
            save_counts(place.path, described, pairings, results)
            saved_at = time.monotonic()

    def after_chunk(index: int, result: MatchResult) -> None:
        results[index] = result
        if on_progress is not None:
            on_progress(sum(one.games for one in results), "")
        if time.monotonic() - saved_at > SECONDS_BETWEEN_SAVES:
            save()

    with stop_between_chunks() as stop:
        for index, (x, o, config) in enumerate(pairings):
            if not config.games:
                continue
            on_chunk = partial(after_chunk, index)
            results[index] = play_match(x, o, config, threads=threads, resumed=results[index], on_chunk=on_chunk)
            if stop.requested:
                break
        save()
    return [
        counted_seat(result, truth, pairing.config.games)
        for result, truth, pairing in zip(results, exact, pairings, strict=True)
    ]


def play_one_by_one(
    first: str,
    second: str,
    config: ContestConfig,
    executor: Executor,
    sprt: Sprt | None = None,
    place: Place | None = None,
    on_progress: Progress | None = None,
) -> Contest:
    """Hold a contest whose games are played one by one, in pairs with the seats swapped."""
    game = parse_game(config.game)
    for spec in (first, second):
        make_player(spec, game)  # a mistake is said before anything is played
    openings = make_openings(config.openings or "none", game, config.games // 2, config.seed)
    described = _described("one by one", [first, second], config)
    kept = load_kept(place.path, described, game, openings) if place is not None and place.resumed else None
    exact = _exact_of_openings(first, second, game, openings)
    tally = Tally(first, second, sprt, len(openings))
    with GameFile(place, described, kept) as file:
        _play_missing(tally, config, executor, openings, file, kept, on_progress)
    seats = [played_seat(tally, number, game, truth) for number, truth in enumerate(exact)]
    return Contest("one by one", described, seats, [summary_row(seats[0], seats[1], tally)], tally)


def _exact_of_openings(first: str, second: str, game: Game, openings: Sequence[list[int]]) -> list[ExactResult | None]:
    """Return the exact results of both seatings from the states after the openings, None if somebody thinks."""
    if not all(makes_policy(spec, game) for spec in (first, second)):
        return [None, None]
    one, other = parse_agent(first, game), parse_agent(second, game)
    starts = [one.table.index_of(after(game, opening)) for opening in openings]
    return [exact_result_from(one, other, starts), exact_result_from(other, one, starts)]


def _play_missing(
    tally: Tally,
    config: ContestConfig,
    executor: Executor,
    openings: Sequence[list[int]],
    file: GameFile,
    kept: Kept | None,
    on_progress: Progress | None,
) -> None:
    """Add the pairs that were kept to the tally, then the others, as they come."""
    done = {} if kept is None else kept.pairs
    tally.add_all(done)
    missing = [pair for pair in range(len(openings)) if pair not in done]
    units = (
        Unit(config.game, tally.first, tally.second, config.seed,
             [(pair, openings[pair]) for pair in missing[start : start + PAIRS_A_UNIT]], (config.match_index,))
        for start in range(0, len(missing), PAIRS_A_UNIT)
    )  # fmt: skip
    remote = not executor.shares_memory
    work: Callable[[Any], Any] = play_packed if remote else play_unit
    payloads = ((unit.openings[0][0], pack(unit) if remote else unit) for unit in units)
    warned: set[tuple[str, str]] = set()
    with stop_between_chunks() as stop:
        for _, found in completed(executor, work, payloads, lambda: stop.requested or tally.is_decided):
            games = unpack(found) if remote else found
            file.write(games)
            warn_of_forfeits(games, warned)
            tally.add_all({games[place].pair: games[place : place + 2] for place in range(0, len(games), 2)})
            if on_progress is not None:
                on_progress(tally.games, f"score {tally.rating().score:.3f}")
            if tally.is_decided:
                break
