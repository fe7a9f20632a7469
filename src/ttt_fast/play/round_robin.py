"""Every agent against every agent, in both seats: the results of each seating, and a rating of each agent."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.agents.registry import parse_agent
from ttt_fast.core.errors import UsageError
from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.play.contest import (
    ContestConfig,
    Progress,
    Way,
    check_settings,
    count_games,
    play_one_by_one,
    way_of,
)
from ttt_fast.play.results import SeatResult
from ttt_fast.play.session import Pairing
from ttt_fast.running.executors import Executor, ThreadExecutor


class RoundRobin(NamedTuple):
    """The results of a round robin.

    Attributes
    ----------
    way
        How its games were played.
    agents
        The agents.
    seats
        The results of each seating; where games are counted, of each agent against itself, too.
    is_complete
        Whether all games have been played.
    """

    way: Way
    agents: list[str]
    seats: list[SeatResult]
    is_complete: bool

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each seating."""
        return [seat.row() for seat in self.seats]

    @property
    def summary(self) -> list[dict[str, Any]]:
        """A row for each agent, the strongest first: rating, games, points, and its score against each other."""
        size = len(self.agents)
        place = {agent: index for index, agent in enumerate(self.agents)}
        points, games = np.zeros((size, size)), np.zeros((size, size), np.int64)
        for seat in self.seats:
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
            row: dict[str, Any] = {"agent": self.agents[one], "rating": float(ratings[one])}
            row |= {"games": int(games[one].sum()), "points": float(points[one].sum())}
            for other in range(size):
                played = int(games[one, other])
                row[f"v {self.agents[other]}"] = float(points[one, other]) / played if played else None
            rows.append(row)
        return rows


def play_round_robin(
    agents: Sequence[str],
    config: ContestConfig,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    on_progress: Progress | None = None,
) -> RoundRobin:
    """Set every agent against every agent.

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
    if way == "counted":
        return _counted(way, list(agents), config, threads, on_progress)
    if len(agents) < 2:
        raise UsageError(f"expected two agents or more, got {len(agents)}")
    seats: list[SeatResult] = []
    done, complete = 0, True

    def told(games: int, text: str) -> None:
        if on_progress is not None:
            on_progress(done + games, text)

    with closing(ThreadExecutor(threads)) as pool:
        for index, (first, second) in enumerate(combinations(agents, 2)):
            settings = replace(config, match_index=index)
            held = play_one_by_one(first, second, settings, executor or pool, on_progress=told)
            seats += held.seats
            done, complete = done + config.games, held.is_complete
            if not complete:
                break
    return RoundRobin(way, list(agents), seats, complete)


def _counted(
    way: Way, agents: list[str], config: ContestConfig, threads: int | None, on_progress: Progress | None
) -> RoundRobin:
    """Return the round robin of policies: a seating for each ordered pair, each with streams of its own."""
    policies = [parse_agent(spec, config.game) for spec in agents]
    pairings = [
        Pairing(x, o, replace(config, match_index=index))
        for index, (x, o) in enumerate((x, o) for x in policies for o in policies)
    ]
    seats = count_games(pairings, {}, None, threads, on_progress)
    return RoundRobin(way, agents, seats, all(seat.complete for seat in seats))
