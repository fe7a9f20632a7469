"""Round robins, in which all pairs of agents meet in both seats: the result of each seating, and ratings."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import combinations

import numpy as np

from ttt_fast.agents.convert import as_policy
from ttt_fast.agents.spec import AgentSpec, parse_agent
from ttt_fast.core.errors import UsageError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.games.results import Seat
from ttt_fast.play.contest import Contest, Progress, check_executor, count_games, play_one_by_one
from ttt_fast.play.contest_config import ContestConfig, check_settings, way_of, with_start
from ttt_fast.play.results import SeatResult
from ttt_fast.play.session import Pairing
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import Executor, ThreadExecutor
from ttt_fast.running.interrupts import OnInterrupt, stop_between_chunks

Held = Callable[[list[SeatResult], bool], Contest]
"""Creates the result from those of the seatings and a flag whether all of them are complete."""


def play_round_robin(
    agents: Sequence[str],
    config: ContestConfig,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    on_progress: Progress | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> Contest:
    """Play a round robin, and summarise the results in a row for each agent.

    Seats that a policy has not learned are omitted, and listed in `described["left_out"]`.

    Parameters
    ----------
    agents
        Two or more different agents, or a single policy that plays against itself on the table of the game.
    config
        The settings.  `games` is the number for each seating if the games are tabular (0: only exact results),
        otherwise for each pair.
    threads, executor, on_progress, on_interrupt
        As for `contest`.

    Examples
    --------
    >>> found = play_round_robin(["random", "minimax"], ContestConfig(1000))
    >>> len(found.seats), found.summary[0]["agent"]
    (4, 'minimax')
    """
    for agent in agents:
        if agents.count(agent) > 1:
            raise UsageError(f"expected different agents, got {agent[:40]!r} twice")
    specs = [parse_agent(agent) for agent in agents]
    way = way_of(specs, config, executor=executor)
    left_out: list[tuple[str, Seat]] = []
    check_settings(way, config)
    check_executor(specs, executor)

    def held(seats: list[SeatResult], complete: bool) -> Contest:
        described = {"agents": list(agents), "left_out": left_out}
        return Contest(way, described, seats, ratings_of(agents, seats), complete)

    if way == "counted":
        config = with_start(config)
        policies = [as_policy(spec, config.game) for spec in specs]
        left_out += [(one.name, seat) for seat in Seat for one in policies if not one.holds_seat(seat)]
        return _counted(policies, config, held, threads, on_progress, on_interrupt)
    if len(agents) < 2:
        raise UsageError(f"expected two agents or more, got {len(agents)}")
    with closing(ThreadExecutor(threads)) as pool:
        return _one_by_one(specs, config, held, executor or pool, on_progress, on_interrupt)


def _counted(
    policies: Sequence[Policy],
    config: ContestConfig,
    held: Held,
    threads: int | None,
    on_progress: Progress | None,
    on_interrupt: OnInterrupt,
) -> Contest:
    """Play a seating for each ordered pair of policies, including equal ones, each with its own streams.

    A policy is omitted from a seat without states in its domain.
    """
    pairings = [
        Pairing(x, o, replace(config, match_index=index))
        for index, (x, o) in enumerate((x, o) for x in policies for o in policies)
        if x.holds_seat(Seat.X) and o.holds_seat(Seat.O)
    ]

    def all_held(seats: list[SeatResult]) -> Contest:
        return held(seats, all(seat.complete for seat in seats))

    return count_games(pairings, {}, all_held, None, threads, on_progress, on_interrupt)


def _one_by_one(
    agents: Sequence[AgentSpec],
    config: ContestConfig,
    held: Held,
    executor: Executor,
    on_progress: Progress | None,
    on_interrupt: OnInterrupt,
) -> Contest:
    """Play both seatings of each pair of agents, or, after a signal, of the first pairs."""
    seats: list[SeatResult] = []
    pairs = list(combinations(agents, 2))
    with stop_between_chunks(on_interrupt) as stop:
        for index, pair in enumerate(pairs):

            def report(games: int, text: str, before: int = index * config.games) -> None:
                if on_progress is not None:
                    on_progress(before + games, text)

            part = play_one_by_one(
                *pair, replace(config, match_index=index), executor, on_progress=report, on_interrupt="return"
            )
            seats += part.seats
            if stop.requested:
                break
        stop.result = found = held(seats, part.complete and len(seats) == len(part.seats) * len(pairs))
    return found


def ratings_of(agents: Sequence[str], seats: Sequence[SeatResult]) -> list[JsonObject]:
    """Return a row for each agent, the strongest first: rating, games, points, score, and the score against each agent.

    An agent that plays in only one seat has neither rating nor score, and its row is among the last.  The ratings and
    scores of the others are those against one another.  Without games, the scores are the exact ones, and there are no
    ratings.
    """
    is_exact = not any(seat.games for seat in seats) and all(seat.exact for seat in seats)
    size = len(agents)
    place = {agent: index for index, agent in enumerate(agents)}
    points, games = np.zeros((size, size)), np.zeros((size, size), np.int64)
    evidence = np.zeros((2, size, size))  # points and games without copies
    for seat in seats:
        x, o = place[seat.x], place[seat.o]
        if x != o:
            exact = seat.exact if is_exact else None
            count = 1 if exact else seat.games
            won = exact.x_wins + exact.draws / 2 if exact else seat.ends[0] + seat.ends[1] / 2
            points[x, o] += won
            points[o, x] += count - won
            games[x, o] += count
            games[o, x] += count
            share = seat.distinct_pairs / seat.games if seat.distinct_pairs else 1.0
            evidence[:, x, o] += share * won, share * count
            evidence[:, o, x] += share * (count - won), share * count
    if not games.any():
        return []
    is_ranked = np.isin(agents, [*({seat.x for seat in seats} & {seat.o for seat in seats})])
    ranked = np.flatnonzero(is_ranked & (games[:, is_ranked].sum(axis=1) > 0))
    among = np.ix_(ranked, ranked)
    ratings, scores = np.full(size, np.nan), np.full(size, np.nan)
    scores[ranked] = points[among].sum(axis=1) / games[among].sum(axis=1)
    if not is_exact and ranked.size:
        ratings[ranked] = bradley_terry(evidence[0][among], evidence[1][among])
    rows = []
    for one in np.argsort(-(scores if is_exact else ratings), kind="stable").tolist():  # nan last
        others = ranked if one in ranked else np.arange(size)
        row: JsonObject = {"agent": agents[one], "rating": None if np.isnan(ratings[one]) else float(ratings[one])}
        if not is_exact:
            row |= {"games": int(games[one, others].sum()), "points": float(points[one, others].sum())}
        row["score"] = None if np.isnan(scores[one]) else float(scores[one])
        for other in range(size):
            played = int(games[one, other])
            row[f"v {agents[other]}"] = float(points[one, other]) / played if played else None
        rows.append(row)
    return rows
