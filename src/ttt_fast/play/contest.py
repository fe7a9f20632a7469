"""Contests: the games of two agents, or of all pairs of a list, beside their exact result.

A contest is a list of seatings, that is, of two agents in the seats X and O.  Games between two policies over the table
of a game are tabular: a kernel plays every move, or the numbers of final states are drawn at once, and only the results
are counted (`counted`).  All other agents play one game after the other, in pairs with the seats swapped.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ttt_fast.agents.content import content_of, policy_sha256
from ttt_fast.agents.convert import AgentLike, as_policy, as_specs
from ttt_fast.agents.spec import AgentSpec, refuse_external
from ttt_fast.core.errors import UsageError
from ttt_fast.core.locks import only_writer
from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.sprt import Decision, Sprt
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.play.contest_config import OPTIONS, ContestConfig, Way, in_round_robin, seatings_of, settled, way_of
from ttt_fast.play.results import SeatResult, Tally, ratings_of, summary_row
from ttt_fast.play.session import PathLike, contest_file
from ttt_fast.play.single_games import SingleGames
from ttt_fast.play.tabular import Progress, TabularGames
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import Executor
from ttt_fast.running.interrupts import OnInterrupt, stop_between_chunks


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
        Rows about the first agent over both seats; empty for a single seating.  In a round robin, there is a row for
        each agent.
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
        facts, games = self.described, sum(seat.games for seat in self.seats)
        names = facts.get("agents") or [facts["first"], facts["second"]]
        return f"<Contest of {' v '.join(names)} in {facts['game']}: {games:,} games, {self.way}>"

    @property
    def rows(self) -> list[JsonObject]:
        """A row for each seating."""
        return [seat.row() for seat in self.seats]

    @property
    def decision(self) -> Decision:
        """Verdict of the test: `H1`, `H0` or `continue`."""
        return "continue" if self.tally is None else self.tally.decision


def contest(
    first: AgentLike | Sequence[AgentLike],
    second: AgentLike | None = None,
    config: ContestConfig | int = 1000,
    *,
    sprt: Sprt | str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    save_to: PathLike | None = None,
    resume_from: PathLike | None = None,
    overwrite: bool = False,
    on_progress: Progress | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Contest:
    """Hold a contest between two agents, or a round robin between the agents of a list.

    The contest is tabular if all agents are policies over the table of the game, and no setting requires single games.
    Its games are then simulated by kernels on the table, and only their results are counted.  Otherwise the games are
    played one by one by players.

    Parameters
    ----------
    first, second
        The agents: `first` plays X, and O in the games with swapped seats.  Policies must belong to `config.game`.
        Functions of a state and objects with `choose` are named `python:given:NAME` in the results.
        Alternatively, `first` is a list of two or more agents, in any form.  Each agent then meets every other agent in
        both seats, and also itself if the contest is tabular.  The summary has a row for each agent, with its rating.
    config
        The game, the number of games, and all other settings that determine the result.  An integer is a number of
        games of tic-tac-toe.  For a list of agents, the number of games applies to each seat of each pair if the
        contest is tabular, otherwise to each pair.
    sprt
        A test that ends the contest, or its text, `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.  It counts the pairs of games
        in the order of their numbers, so that the number of threads does not change the last pair.
    threads
        Threads that share the work (default: all cores); never changes a result.
    executor
        Runs the games of a contest that is not tabular, instead of threads.  The caller closes it.
    save_to
        A new file: `.npz` for a tabular contest, otherwise `.jsonl`.  It is updated during the contest.
    overwrite
        Whether `save_to` may replace an existing file.
    resume_from
        The file of an earlier contest with the same settings, except that the number of games may be larger.  Its games
        are not played again, and the new games are added to it.
    on_progress
        Called during the contest with the number of games played and a short text.
    on_interrupt
        The response to a signal (Ctrl-C, SIGTERM, SIGHUP), which stops the contest.  `raise`: raise `RunInterrupted`
        with the partial result; `return`: return the partial result, whose `complete` is False.

    Returns
    -------
    Contest
        The result of all games, or of the games until the decision of the test.  After a signal with
        `on_interrupt="return"`, the result of the games until then.

    Raises
    ------
    UsageError
        If a setting does not apply to a contest of these agents, or the file belongs to another contest.
    FileFormatError
        If the file cannot be read, or the record of a game is inconsistent with its moves.
    FileWriteError
        If the file cannot be written, or another run is writing it.
    RunInterrupted
        If a signal has stopped the contest (`on_interrupt`); the saved file is complete up to that point.

    Examples
    --------
    >>> contest("minimax", "random", 10_000).seats[0].ends[2]
    0
    >>> held = contest("default", "random", ContestConfig(40, game="connect4"))
    >>> held.summary[0]["games"], held.summary[0]["score"] > 0.6
    (40, True)
    >>> [row["agent"] for row in contest(["random", "minimax"]).summary]
    ['minimax', 'random']
    """
    config = config if isinstance(config, ContestConfig) else ContestConfig(config)
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    is_round_robin = isinstance(first, list | tuple) and second is None
    others = {"sprt": sprt, "save_to": save_to, "resume_from": resume_from}
    refused = [name for name, value in others.items() if value is not None]
    if is_round_robin and refused:
        raise UsageError(
            f"expected only a list of agents and settings in a round robin, got also {' and '.join(refused)}"
        )
    given: Any = first if is_round_robin else [first, second]
    agents = in_round_robin(as_specs(given), config, executor) if is_round_robin else as_specs(given)
    way = way_of(agents, config, test, executor)
    config = settled(way, config, test is not None)
    if executor is not None and not executor.shares_memory:
        for agent in agents:
            refuse_external(agent, "the work of another machine")
    with only_writer(resume_from if save_to is None else save_to):
        target = contest_file(save_to, resume_from, ".npz" if way == "counted" else ".jsonl", overwrite)
        policies = [_policy(agent, config.game) for agent in agents] if way == "counted" else []
        seatings = seatings_of(way, config, len(agents), round_robin=is_round_robin)
        names = [one.name for one in policies] or [one.text for one in agents]
        if is_round_robin:
            _check_different(names)
            left_out = [(one.name, seat) for seat in Seat for one in policies if not one.holds_seat(seat)]
            described: JsonObject = {"game": config.game.spec, "agents": names, "left_out": left_out}
            seatings = [one for one in seatings if not {(names[one.x], Seat.X), (names[one.o], Seat.O)} & {*left_out}]
        else:
            described, is_short = _described(way, names, config, policies), way == "counted" or target is None
            opened = config.openings and config.openings.path
            described["files"] = content_of(config.game, agents, [opened], only_files=is_short)
        games: TabularGames | SingleGames
        if way == "counted":
            games = TabularGames(policies, seatings, described, target, threads, on_progress)
        else:
            games = SingleGames(agents, seatings, described, test, target, threads, executor, on_progress)
        with stop_between_chunks(on_interrupt) as stop:
            games.play(stop)
            seats, summary = games.seats(), list[JsonObject]()
            if is_round_robin:
                summary = ratings_of(names, seats)
            elif len(seats) == 2:
                summary = [summary_row(seats[0], seats[1], games.tally)]
            stop.result = found = Contest(way, described, seats, summary, games.complete, games.tally)
    return found


def _check_different(names: Sequence[str]) -> None:
    """Raise UsageError unless a round robin has agents, of different names."""
    if len(names) < 2:
        raise UsageError(f"expected two agents or more, got {len(names)}")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"expected different agents, got {name[:40]!r} twice")


def _policy(agent: AgentSpec, game: Game) -> Policy:
    """Return the policy of an agent; a policy passed as an object keeps its own name."""
    return agent.value if isinstance(agent.value, Policy) else as_policy(agent, game)


def _described(way: Way, names: Sequence[str], config: ContestConfig, policies: Sequence[Policy]) -> JsonObject:
    """Return the settings that determine the games of a contest, except their number and what names stand for."""
    described: JsonObject = {"game": config.game.spec, "first": names[0], "second": names[1], "seed": config.seed}
    described["seats"] = config.seats
    if way == "counted":
        described |= {name: getattr(config, name) for name in OPTIONS}
        places = names if len(set(names)) == len(names) else "123"  # instead of a name that two of them have
        described["policies"] = dict(zip(places, map(policy_sha256, policies), strict=False))
    else:
        described |= {name: getattr(getattr(config, name), "text", None) for name in ("openings", "position")}
    return described | {"index": config.match_index}
