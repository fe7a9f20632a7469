"""Every agent against every agent, in both seats: the results of each seating, and a rating of each agent."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ttt_fast.agents.registry import parse_agent
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.play.contest import (
    Contest,
    Progress,
    check_settings,
    count_games,
    play_one_by_one,
    way_of,
)
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.foreign_players import check_place
from ttt_fast.play.results import SeatResult
from ttt_fast.play.session import Pairing
from ttt_fast.running.executors import Executor, ThreadExecutor


def play_round_robin(
    agents: Sequence[str],
    config: ContestConfig,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    on_progress: Progress | None = None,
) -> Contest:
    """Set every agent against every agent, and sum up in a row for each.

    Parameters
    ----------
    agents
        Two or more different agents; one alone plays against itself, where games are counted.
    config
        The settings; `games` are those of a seating where they are counted (0: exact results alone), else of a pair.
    threads, executor, on_progress
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
    way = way_of(agents, config, executor=executor)
    check_settings(way, config)
    check_place(agents, executor)
    if way == "counted":
        seats = _counted(agents, config, threads, on_progress)
    elif len(agents) < 2:
        raise UsageError(f"expected two agents or more, got {len(agents)}")
    else:
        with closing(ThreadExecutor(threads)) as pool:
            seats = _one_by_one(agents, config, executor or pool, on_progress)
    return Contest(way, {"agents": list(agents)}, seats, ratings_of(agents, seats))


def _counted(
    agents: Sequence[str], config: ContestConfig, threads: int | None, on_progress: Progress | None
) -> list[SeatResult]:
    """Return a seating for each ordered pair of policies, itself included, each with streams of its own."""
    policies = [parse_agent(spec, config.game) for spec in agents]
    pairings = [
        Pairing(x, o, replace(config, match_index=index))
        for index, (x, o) in enumerate((x, o) for x in policies for o in policies)
    ]
    return count_games(pairings, {}, None, threads, on_progress)


def _one_by_one(
    agents: Sequence[str], config: ContestConfig, executor: Executor, on_progress: Progress | None
) -> list[SeatResult]:
    """Return both seatings of each pair of agents, or, after Ctrl-C, of the first pairs."""
    seats: list[SeatResult] = []
    for index, (first, second) in enumerate(combinations(agents, 2)):

        def told(games: int, text: str, before: int = index * config.games) -> None:
            if on_progress is not None:
                on_progress(before + games, text)

        held = play_one_by_one(first, second, replace(config, match_index=index), executor, on_progress=told)
        seats += held.seats
        if not held.is_complete:
            break
    return seats


def ratings_of(agents: Sequence[str], seats: Sequence[SeatResult]) -> list[dict[str, Any]]:
    """Return a row for each agent, the strongest first: rating, games, points, and its score against each other."""
    size = len(agents)
    place = {agent: index for index, agent in enumerate(agents)}
    points, games = np.zeros((size, size)), np.zeros((size, size), np.int64)
    for seat in seats:
        x, o = place[seat.x], place[seat.o]
        if x != o:
            won = seat.ends[0] + seat.ends[1] / 2
            points[x, o] += won
            points[o, x] += seat.games - won
            games[x, o] += seat.games
            games[o, x] += seat.games
    if not games.any():
        return []
    ratings = bradley_terry(points, games)
    rows = []
    for one in np.argsort(-ratings, kind="stable").tolist():
        row: dict[str, Any] = {"agent": agents[one], "rating": float(ratings[one])}
        row |= {"games": int(games[one].sum()), "points": float(points[one].sum())}
        for other in range(size):
            played = int(games[one, other])
            row[f"v {agents[other]}"] = float(points[one, other]) / played if played else None
        rows.append(row)
    return rows
