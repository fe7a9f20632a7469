"""Reports of duels for a person, and the ratings of a round robin."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from rich.console import RenderableType

from ttt_fast.evaluate.bradley_terry import bradley_terry
from ttt_fast.play.tally import Tally
from ttt_fast.report.console import rich_table
from ttt_fast.report.tables import render


def duel_rows(tally: Tally) -> list[dict[str, Any]]:
    """Return the rows of a duel: one for each way to be seated, then the first player over both seats."""
    return [*tally.seat_rows(), {**tally.summary_row(), "complete": tally.is_complete}]


def duel_report(tally: Tally, game: str) -> str:
    """Return the report of a duel."""
    items: list[RenderableType] = []
    seats, costs = [], []
    for row in tally.seat_rows():
        seats.append({name: row[name] for name in ("x", "o", "games", "x_wins", "draws", "o_wins", "plies_per_game")})
        for side in ("x", "o"):
            costs.append(
                {
                    "agent": row[side],
                    "seat": side.upper(),
                    "time a move": _time(row[f"{side}_seconds_per_move"]),
                    "slowest": _time(row[f"{side}_slowest_move"]),
                    "nodes a move": row[f"{side}_nodes_per_move"],
                    "memory": _bytes(row[f"{side}_memory_bytes"]),
                }
            )
    items.append(rich_table(seats, f"{tally.first} v {tally.second}: {game}"))
    items.append(rich_table(costs, "what the moves cost"))
    items += summary_lines(tally)
    return render(items)


def summary_lines(tally: Tally) -> list[str]:
    """Return the first player's strength by the games, in words."""
    row, rating = tally.summary_row(), tally.rating()
    lines = [
        f"{tally.first}: {row['wins']} wins, {row['draws']} draws, {row['losses']} losses in {row['games']} games;"
        f" score {rating.score:.4f} [{rating.score_low:.4f}, {rating.score_high:.4f}]",
        f"Elo {_elo(rating.elo)} [{_elo(rating.elo_low)}, {_elo(rating.elo_high)}], normalised"
        f" {rating.normalised_elo:+.1f}; likelihood of superiority {rating.superiority:.4f};"
        f" pairs 0 to 2 points: {row['pentanomial']}",
    ]
    different = tally.different_games
    if 2 * different < tally.games:
        lines.append(
            f"only {different} of these games differ, so that the intervals are too narrow;"
            " --openings random:PLIES varies them"
        )
    if tally.sprt is not None:
        test = tally.sprt
        said = {"H1": "accepted", "H0": "refused", "continue": "not decided yet"}[tally.decision]
        lines.append(
            f"test of {test.elo1:g} against {test.elo0:g} Elo: {said}; log likelihood ratio {row['llr']:.2f}"
            f" of [{row['llr_low']:.2f}, {row['llr_high']:.2f}]"
        )
    return lines


def round_robin_rows(agents: Sequence[str], tallies: Sequence[tuple[int, int, Tally]]) -> list[dict[str, Any]]:
    """Return a row for each player of a round robin: games, points, rating, and its score against each other.

    Parameters
    ----------
    agents
        The players.
    tallies
        The duels, with the indices of both players.
    """
    size = len(agents)
    points, games = np.zeros((size, size)), np.zeros((size, size), np.int64)
    for first, second, tally in tallies:
        score = tally.rating().score * tally.games
        points[first, second], points[second, first] = score, tally.games - score
        games[first, second] = games[second, first] = tally.games
    ratings = bradley_terry(points, games)
    rows = []
    for place in np.argsort(-ratings, kind="stable").tolist():
        row: dict[str, Any] = {"agent": agents[place], "rating": float(ratings[place])}
        row |= {"games": int(games[place].sum()), "points": float(points[place].sum())}
        for other in range(size):
            played = int(games[place, other])
            row[f"v {agents[other]}"] = float(points[place, other]) / played if played else None
        rows.append(row)
    return rows


def round_robin_report(rows: Sequence[dict[str, Any]], game: str) -> str:
    """Return the report of a round robin."""
    title = f"{game}: Bradley-Terry ratings (mean 0, one drawn game added to each pair), and scores of row v column"
    shown = [{**row, "rating": f"{row['rating']:+.0f}"} for row in rows]
    return render([rich_table(shown, title)])


def _elo(value: float) -> str:
    return f"{value:+.1f}" if isfinite(value) else ("+inf" if value > 0 else "-inf")


def _time(seconds: float) -> str:
    for limit, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= limit:
            return f"{seconds / limit:.3g} {unit}"
    return "0" if seconds == 0 else f"{seconds / 1e-9:.3g} ns"


def _bytes(number: int) -> str:
    for limit, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= limit:
            return f"{number / limit:.3g} {unit}"
    return f"{number} B"
