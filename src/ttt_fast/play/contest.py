"""Contests between any two agents of any game: the exact result of two policies, then tabular or single games.

Games between two policies over the table of a game are tabular.  A kernel plays every move (`play`), or the numbers of
final states are drawn at once (`propagate`).  Only the results are counted, hence the name `counted` for this kind of
contest.  All other agents play one game after the other, in pairs with the seats swapped.  A seating is the
assignment of the two agents to the seats X and O.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

from ttt_fast.agents.convert import AgentLike, as_player, as_policy, as_specs, is_tabular
from ttt_fast.agents.simple_players import seated
from ttt_fast.agents.spec import AgentSpec, refuse_external
from ttt_fast.core.archive import read_bytes
from ttt_fast.core.locks import only_writer
from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.outcome import Outcome, exact_outcome, exact_outcome_from
from ttt_fast.evaluate.sprt import Decision, Sprt
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.play.contest_config import (
    OPTIONS,
    ContestConfig,
    Way,
    check_settings,
    seatings_of,
    seats_of,
    way_of,
    with_start,
)  # fmt: skip
from ttt_fast.play.game_file import GameFile, Kept, load_kept, parse_games
from ttt_fast.play.match import MatchResult, play_match
from ttt_fast.play.openings import Opening, after, make_openings, read_opening
from ttt_fast.play.pairs import ContestUnit, pack, play_packed, play_unit, unpack
from ttt_fast.play.results import SeatResult, Tally, counted_seat, played_seat, rival_row, summary_row
from ttt_fast.play.session import (
    ContestFile,
    Pairing,
    PathLike,
    contest_file,
    digest_of,
    empty_results,
    files_of,
    load_counts,
    save_counts,
)
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import Executor, ThreadExecutor, completed
from ttt_fast.running.interrupts import OnInterrupt, StopRequest, stop_between_chunks

Progress = Callable[[int, str], None]
PAIRS_A_UNIT = 2
SECONDS_BETWEEN_SAVES = 5.0


class Contest(NamedTuple):
    """The results of a contest, or of the completed part of it.

    Attributes
    ----------
    way
        How the games were played: `counted` (tabular games), or `one by one`.
    described
        All settings that determine the results.
    seats
        The result of each seating.
    summary
        Rows about the first agent over both seats, or about its rival; empty for a single seating.  In a round robin,
        there is a row for each agent.
    complete
        Whether all games have been played, or the test has reached its decision.
    tally
        The single games, if they were played one by one.

    Examples
    --------
    >>> contest("minimax", "random", 1000)
    <Contest of minimax v random in tic-tac-toe: 1,000 games, counted>
    """

    way: Way
    described: JsonObject
    seats: list[SeatResult]
    summary: list[JsonObject]
    complete: bool
    tally: Tally | None = None

    def __repr__(self) -> str:
        """Return a one-line description of the contest."""
        facts, games = self.described, sum(row["games"] for row in self.rows)
        return f"<Contest of {facts['first']} v {facts['second']} in {facts['game']}: {games:,} games, {self.way}>"

    @property
    def rows(self) -> list[JsonObject]:
        """A row for each seating."""
        return [seat.row() for seat in self.seats]

    @staticmethod
    def load_games(path: PathLike) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return the description of the contest in a file of games (`save_to`), and a row for each game, from 1."""
        described, games = parse_games(path, read_bytes(path))
        return described, [{"game": number, **one.row()} for number, (one, _) in enumerate(games, 1)]

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
    sprt: Sprt | str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    save_to: PathLike | None = None,
    resume_from: PathLike | None = None,
    overwrite: bool = False,
    on_progress: Progress | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Contest:
    """Hold a contest of two agents, as in `api.contests.contest`."""
    config = config if isinstance(config, ContestConfig) else ContestConfig(config)
    sprt = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    agents = as_specs([first, second, *([] if rival is None else [rival])])
    way = way_of(agents, config, sprt, executor)
    check_settings(way, config, rival is not None, sprt is not None)
    check_executor(agents, executor)
    with only_writer(resume_from if save_to is None else save_to):
        target = contest_file(save_to, resume_from, ".npz" if way == "counted" else ".jsonl", overwrite)
        if way == "counted":
            return _counted(agents, with_start(config), target, threads, on_progress, on_interrupt)
        with closing(ThreadExecutor(threads)) as pool:
            return play_one_by_one(
                agents[0], agents[1], config, executor or pool, sprt, target, on_progress, on_interrupt
            )


def check_executor(agents: Sequence[AgentSpec], executor: Executor | None) -> None:
    """Raise ExternalAgentError if an external agent would play on other machines."""
    if executor is not None and not executor.shares_memory:
        for agent in agents:
            refuse_external(agent, "the work of another machine")


def _counted(
    agents: Sequence[AgentSpec],
    config: ContestConfig,
    target: ContestFile | None,
    threads: int | None,
    on_progress: Progress | None,
    on_interrupt: OnInterrupt,
) -> Contest:
    """Hold a contest of policies."""
    policies = [_policy(one, config.game) for one in agents]
    pairings = _pairings(policies, config)
    described = _described("counted", agents, config, policies)

    def held(seats: list[SeatResult]) -> Contest:
        summary = [summary_row(seats[0], seats[1])] if len(agents) == len(seats) == 2 else []
        if len(agents) > 2 and all(seat.games for seat in seats):
            summary = [rival_row(seats[0], seats[1])]
        return Contest("counted", described, seats, summary, all(seat.complete for seat in seats))

    return count_games(pairings, described, held, target, threads, on_progress, on_interrupt)


def _policy(agent: AgentSpec, game: str) -> Policy:
    """Return the policy of an agent; a policy passed as an object keeps its own name."""
    return agent.value if isinstance(agent.value, Policy) else as_policy(agent, game)


def _described(
    way: Way, agents: Sequence[AgentSpec], config: ContestConfig, policies: Sequence[Policy] = ()
) -> JsonObject:
    """Return all settings that determine the games of a contest, except their number, for JSON."""
    names = [one.name for one in policies] or [one.text for one in agents]
    settings = asdict(config) | {"openings": config.openings or "none"}
    described: JsonObject = {"game": config.game, "first": names[0], "second": names[1], "seed": config.seed}
    described["seats"] = seats_of(way, config)
    if way == "counted":
        described |= {name: settings[name] for name in OPTIONS} | {"rival": names[2] if len(names) > 2 else None}
        described["policies"] = {one.name: digest_of(one) for one in policies}
    else:
        described["openings"] = settings["openings"]
        described["position"] = config.position
    described["index"] = config.match_index
    return described | {"files": files_of(agents, settings["openings"])}


def _pairings(policies: Sequence[Policy], config: ContestConfig) -> list[Pairing]:
    """Return the pairings of a tabular contest: one seating, both seatings, or one seating and that of the rival."""
    first, second, *rival = policies
    seatings, half = seatings_of("counted", config), config.games // 2
    shares = [config.games - half, half] if len(seatings) > 1 else [config.games, config.games]
    pairs = {number: ((first, second), (second, first))[number] for number in seatings}
    pairs |= {number: (one, second) for number, one in enumerate(rival, 1)}
    return [
        Pairing(*pair, replace(config, games=shares[number], match_index=config.match_index + number))
        for number, pair in pairs.items()
    ]


def count_games(
    pairings: Sequence[Pairing],
    described: JsonObject,
    held: Callable[[list[SeatResult]], Contest],
    target: ContestFile | None = None,
    threads: int | None = None,
    on_progress: Progress | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Contest:
    """Play pairings one after the other, and return their results converted by `held`; as `contest`."""
    results = empty_results(pairings)
    if target is not None and target.resumed:
        results = load_counts(target.path, described, pairings)
    exact = [exact_outcome(x, o, start=config.start, random_opening=config.random_opening) for x, o, config in pairings]
    saved_at = time.monotonic()

    def save() -> None:
        nonlocal saved_at
        if target is not None:
            save_counts(target.path, described, pairings, results)
            saved_at = time.monotonic()

    def after_chunk(index: int, result: MatchResult) -> None:
        results[index] = result
        if on_progress is not None:
            on_progress(sum(one.games for one in results), "")
        if time.monotonic() - saved_at > SECONDS_BETWEEN_SAVES:
            save()

    with stop_between_chunks(on_interrupt) as stop:
        for index, (x, o, config) in enumerate(pairings):
            if not config.games:
                continue
            results[index] = play_match(
                x, o, config, threads=threads, resumed=results[index], on_chunk=partial(after_chunk, index),
                on_interrupt="return",
            )  # fmt: skip
            if stop.requested:
                break
        save()
        seats = map(counted_seat, results, exact, (pairing.config.games for pairing in pairings))
        stop.result = found = held(list(seats))
    return found


def play_one_by_one(
    first: AgentSpec,
    second: AgentSpec,
    config: ContestConfig,
    executor: Executor,
    sprt: Sprt | None = None,
    target: ContestFile | None = None,
    on_progress: Progress | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Contest:
    """Hold a contest whose games are played one by one, usually in pairs with the seats swapped."""
    game, seatings = parse_game(config.game), seatings_of("one by one", config)
    for one, spec in enumerate((first, second)):  # errors are reported before any game is played
        own = [api.X if seating == one else api.O for seating in seatings]
        because = ", since a match that is played game by game swaps the seats" if len(own) == 2 else ""
        seated(as_player(spec, game), *own, because=because)
    pairs = config.games // len(seatings)
    openings = make_openings(config.openings or "none", game, pairs, config.seed)
    if config.position is not None:
        game.parse_ongoing(config.position)
        openings = [read_opening(config.position, game)] * pairs
    described = _described("one by one", [first, second], config)
    kept = (
        load_kept(target.path, described, game, openings, seatings) if target is not None and target.resumed else None
    )
    exact = _exact_of_openings(first, second, game, openings)
    tally = Tally(first.text, second.text, sprt, len(openings), seatings)
    with stop_between_chunks(on_interrupt) as stop:
        with GameFile(target, described, kept) as file:
            _play_missing((first, second), tally, config, executor, openings, file, kept, on_progress, stop)
        seats = [played_seat(tally, number, game, exact[number]) for number in seatings]
        summary = [summary_row(seats[0], seats[1], tally)] if len(seats) == 2 else []
        stop.result = held = Contest("one by one", described, seats, summary, tally.complete, tally)
    return held


def _exact_of_openings(
    first: AgentSpec, second: AgentSpec, game: Game, openings: Sequence[Opening]
) -> list[Outcome | None]:
    """Return the exact results of both seatings from the states after the openings; None if either is a search."""
    if not all(is_tabular(spec, game) for spec in (first, second)):
        return [None, None]
    one, other = as_policy(first, game), as_policy(second, game)
    starts = [one.table.index_of(after(game, opening)) for opening in openings]
    return [exact_outcome_from(one, other, starts), exact_outcome_from(other, one, starts)]


def _play_missing(
    agents: tuple[AgentSpec, AgentSpec],
    tally: Tally,
    config: ContestConfig,
    executor: Executor,
    openings: Sequence[Opening],
    file: GameFile,
    kept: Kept | None,
    on_progress: Progress | None,
    stop: StopRequest,
) -> None:
    """Add the saved pairs to the tally, then the other pairs as they finish."""
    done = {} if kept is None else kept.pairs
    tally.add_all(done)
    missing = [pair for pair in range(len(openings)) if pair not in done]
    units = (
        ContestUnit(
            game=config.game,
            first=agents[0],
            second=agents[1],
            seed=config.seed,
            openings=[(pair, openings[pair]) for pair in missing[start : start + PAIRS_A_UNIT]],
            key=(config.match_index,),
            seatings=tally.seatings,
        )
        for start in range(0, len(missing), PAIRS_A_UNIT)
    )
    remote = not executor.shares_memory
    work: Callable[[Any], Any] = play_packed if remote else play_unit
    payloads = ((unit.openings[0][0], pack(unit) if remote else unit) for unit in units)
    for _, found in completed(executor, work, payloads, lambda: stop.requested or tally.is_decided):
        games = unpack(found) if remote else found
        file.write(games)
        size = len(tally.seatings)
        tally.add_all({games[at].pair: games[at : at + size] for at in range(0, len(games), size)})
        if on_progress is not None:
            on_progress(tally.games, tally.status())
        if tally.is_decided:
            break
