"""Reports of contests and round robins for a person."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Any

from rich.console import RenderableType

from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.play.contest import Contest
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.results import SeatResult
from ttt_fast.report.console import render, short_time, si_number
from ttt_fast.report.results import length_rows, outcome_rows
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row

_FAULTS = {
    "time": ": out of time",
    "crash": ": it ended",
    "protocol": ": an answer that is no move",
    "illegal": ": an illegal move",
    "any": "",
}
_SPARE = ("fraction", "share")
_ROUNDING = 1e-12
_SMALLEST_P = 1e-300
_ENDS = "X wins, draws, O wins; a row for each X, a column for each O"
_SEATS = ("x", "o", "games", "x_wins", "draws", "o_wins", "plies_per_game")


def contest_report(held: Contest, game: str, sprt: Sprt | None = None) -> str:
    """Return the report of `ttt-fast match`: what is exact beside what was played, the costs, and the summary."""
    items: list[RenderableType] = []
    for seat in held.seats:
        if seat.exact is not None:
            items.append(RowTable(outcome_rows(seat.exact, seat), f"{seat.x} v {seat.o}", spare=_SPARE))
            items.append(RowTable(length_rows(seat.exact, seat), "game length", spare=("share", "games")))
            items.append(_closing(seat))
    if any(seat.exact is None for seat in held.seats):
        rows = [{name: row[name] for name in _SEATS} for row in held.rows]
        items.append(RowTable(rows, f"{held.seats[0].x} v {held.seats[0].o}: {game}"))
    costs = [_cost(seat.costs, side, getattr(seat, side)) for seat in held.seats for side in "xo" if seat.costs]
    if costs:
        items.append(RowTable(costs, "what the moves cost"))
    if held.tally is not None:
        items += [forfeit_line(*fault, games) for fault, games in held.tally.forfeits().items()]
    for row in held.summary:
        items += _rival_lines(row) if "rival" in row else summary_lines(row, sprt)
    return render(items)


def _closing(seat: SeatResult) -> str:
    rate = f" in {seat.seconds:.2f} s, {si_number(seat.games_per_second)} games/s" if seat.seconds else ""
    partial = "" if seat.complete else " (interrupted)"
    boards = f"{seat.distinct_boards} of {seat.reachable_boards} possible final boards seen"
    return f"{seat.games:,} games{partial}{rate}; {boards}"


def _cost(costs: Any, side: str, agent: str) -> dict[str, Any]:
    return {
        "agent": agent,
        "seat": side.upper(),
        "time a move": short_time(costs[f"{side}_seconds_per_move"]),
        "slowest": short_time(costs[f"{side}_slowest_move"]),
        "nodes a move": costs[f"{side}_nodes_per_move"],
        "memory": _bytes(costs[f"{side}_memory_bytes"]),
    }


def _all_forfeits(seats: Sequence[SeatResult]) -> list[str]:
    """Return how many games each agent lost by faults, in words."""
    lost: Counter[str] = Counter()
    for seat in seats:
        for side in "xo" if seat.costs else "":
            lost[getattr(seat, side)] += (seat.costs or {})[f"{side}_forfeits"]
    return [forfeit_line(agent, "any", games) for agent, games in lost.items() if games]


def forfeit_line(agent: str, kind: str, games: int) -> str:
    """Return in words how many games an agent lost by a kind of fault.

    Examples
    --------
    >>> forfeit_line("engine:./bot", "time", 2)
    'engine:./bot lost 2 games by default: out of time'
    """
    number = f"{games:,} game{'' if games == 1 else 's'}"
    return f"{agent} lost {number} by default{_FAULTS[kind]}"


def _rival_lines(row: Row) -> list[str]:
    p = row["p_against_rival"]
    shown = f"p < {_SMALLEST_P:g}" if p < _SMALLEST_P else f"p = {p:.3g}"
    z = row["z_against_rival"]
    return [f"X's win rate against that of {row['rival']}: z = {z:.2f}, {shown} (two-proportion z-test)"]


def summary_lines(row: Row, sprt: Sprt | None = None) -> list[str]:
    """Return the first agent's strength over both seats, in words."""
    exact = "" if row["exact_score"] is None else f", exactly {row['exact_score']:.6f}"
    pairs = "" if row["pentanomial"] is None else f"; pairs 0 to 2 points: {row['pentanomial']}"
    lines = [
        f"{row['agent']}: {row['wins']:,} wins, {row['draws']:,} draws, {row['losses']:,} losses in {row['games']:,}"
        f" games; score {row['score']:.4f} [{row['score_low']:.4f}, {row['score_high']:.4f}]{exact}",
        f"Elo {_elo(row['elo'])} [{_elo(row['elo_low'])}, {_elo(row['elo_high'])}], normalised"
        f" {row['normalised_elo']:+.1f}; likelihood of superiority {row['superiority']:.4f}{pairs}",
    ]
    different = row["different_games"]
    if different is not None and 2 * different < row["games"]:
        lines.append(
            f"only {different} of these games differ, so that the intervals are too narrow;"
            " --openings random:PLIES varies them"
        )
    if sprt is not None:
        said = {"H1": f"{sprt.elo1:g} Elo accepted", "H0": f"{sprt.elo0:g} Elo accepted"}
        lines.append(
            f"test of {sprt.elo1:g} against {sprt.elo0:g} Elo: {said.get(row['sprt'], 'not decided yet')};"
            f" log likelihood ratio {row['llr']:.2f} of [{row['llr_low']:.2f}, {row['llr_high']:.2f}]"
        )
    return lines


def round_robin_report(found: Contest, config: ContestConfig) -> str:
    """Return the report of `ttt-fast compare`: the matrices of seatings, a row for each X, and the ratings."""
    items: list[RenderableType] = []
    if found.way == "counted":
        opening = "X's first move drawn uniformly" if config.random_opening else "X chooses its first move"
        items.append(RowTable(_matrix(found, _exact_cell), f"exact: {_ENDS} ({opening})"))
    if any(seat.games for seat in found.seats):
        items += _all_forfeits(found.seats)
        if found.way != "counted":
            items.append(RowTable(_matrix(found, _played_cell), f"played: {_ENDS}"))
        shown = [{**row, "rating": "" if row["rating"] is None else f"{row['rating']:+.0f}"} for row in found.summary]
        ratings = "Bradley-Terry ratings (mean 0, one drawn game added to each pair), and scores of row v column"
        items.append(RowTable(shown, f"{config.game}: {ratings}"))
    return render(items)


def _matrix(found: Contest, cell: Any) -> list[dict[str, Any]]:
    cells, agents = {(seat.x, seat.o): cell(seat) for seat in found.seats}, found.described["agents"]
    return [{"X \\ O": x, **{o: cells.get((x, o)) for o in agents}} for x in agents]


def _exact_cell(seat: SeatResult) -> str:
    assert seat.exact is not None
    outcome = seat.exact.outcome
    return _cell([outcome.x_wins, outcome.draws, outcome.o_wins])


def _played_cell(seat: SeatResult) -> str:
    return _cell([count / seat.games for count in seat.ends]) if seat.games else "-"


def _cell(shares: Sequence[float]) -> str:
    return " ".join(_share(share) for share in shares)


def _share(share: float) -> str:
    """Return a probability in four characters, 0 and 1 only where it is exactly that."""
    if min(abs(share), abs(share - 1)) < _ROUNDING:
        return f"{share:4.0f}"
    text = f"{share:.3f}"
    return "1.00" if text == "1.000" else text.removeprefix("0")


def _elo(value: float) -> str:
    return f"{value:+.1f}" if isfinite(value) else ("+inf" if value > 0 else "-inf")


def _bytes(number: int) -> str:
    for limit, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= limit:
            return f"{number / limit:.3g} {unit}"
    return f"{number} B"
