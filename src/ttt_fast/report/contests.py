"""Readable reports of contests and round robins."""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from rich.console import RenderableType

from ttt_fast import ContestConfig
from ttt_fast.play.contest import Contest
from ttt_fast.report.console import counted, render, short_time, si_number
from ttt_fast.report.results import RESULT_NAMES, fraction_notes, length_rows, outcome_rows, result_sentence
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row

_SPARE = ("fraction", "share")
_ROUNDING = 1e-12
_ENDS = "X wins, draws, O wins; a row for each X, a column for each O"
_SEATS = ("x", "o", "games", "x_wins", "draws", "o_wins", "plies_per_game")


def contest_report(held: Contest, rows: Sequence[Row], game: str) -> str:
    """Return the report of `ttt-fast match`: exact results next to those of the games, costs, and the summary."""
    items: list[RenderableType] = []
    for seat, row in zip(held.seats, rows, strict=True):
        if seat.exact is not None:
            exact = seat.exact.row()
            items.append(RowTable(outcome_rows(exact, row), f"{seat.x} v {seat.o}", spare=_SPARE))
            items += fraction_notes(exact)
            items.append(RowTable(length_rows(exact, row), "game length", spare=("share", "games")))
            items.append(_closing(row))
    if any(seat.exact is None for seat in held.seats):
        shown = [{name: row[name] for name in _SEATS} for row in rows]
        items.append(RowTable(shown, f"{rows[0]['x']} v {rows[0]['o']}: {game}"))
    costs = [_cost(row, side) for row in rows for side in "xo" if row["x_seconds_per_move"] is not None]
    if costs:
        items.append(RowTable(costs, "what the moves cost"))
    elos = None
    if held.tally is not None:
        elos = None if held.tally.sprt is None else (held.tally.sprt.elo0, held.tally.sprt.elo1)
        items += _repetition(rows, f"a repeated {'pair' if len(rows) > 1 else 'game'} counts once in the intervals")
    for row in held.summary:
        items += summary_lines(row, elos)
    return render(items)


def contest_sentence(held: Contest, rows: Sequence[Row]) -> str:
    """Return the result of the games in one sentence, over both seatings if both were played."""
    row = (held.summary or rows)[0]
    if not row["games"]:
        return ""
    distinct = row["distinct_games"]
    games = f"{row['games']:,} games" + ("" if distinct in (None, row["games"]) else f" ({distinct:,} distinct)")
    if not held.summary:
        wins, draws, losses = (row[name] for name in RESULT_NAMES)
        return result_sentence(f"{row['x']} (X)", f"{row['o']} (O)", wins, draws, losses, games)
    return result_sentence(row["agent"], held.described["second"], row["wins"], row["draws"], row["losses"], games)


def ranking_sentence(found: Contest) -> str:
    """Return the best agents of a round robin in one sentence; empty without scores, or if the games are incomplete."""
    scores = {row["agent"]: row["score"] for row in found.summary if row["score"] is not None}
    best = max(scores.values(), default=0.0)
    names = [name for name, score in scores.items() if best - score < _ROUNDING]
    order = sorted(scores.items(), key=lambda one: -one[1])
    others = [f"{name} {score:.3f}" for name, score in order if name not in names]
    parts = [f"{' and '.join(names)} score{'s' * (len(names) == 1)} best, {best:.3f}", ", ".join(others)]
    return "; the others: ".join(filter(None, parts)) if names and found.complete else ""


def seat_notes(found: Contest) -> list[str]:
    """Return a line for each agent of a round robin that plays in one seat only."""
    return [
        f"{agent} has not learned {seat.text.upper()}: its results are those as {seat.other.text.upper()},"
        " and it is not ranked"
        for agent, seat in found.described["left_out"]
    ]


def _closing(row: Row) -> str:
    rate = f" in {row['seconds']:.2f} s, {si_number(row['games_per_second'])} games/s" if row["seconds"] else ""
    partial = "" if row["complete"] else " (interrupted)"
    boards = f"{row['distinct_boards']} of {row['reachable_boards']} possible final boards seen"
    return f"{row['games']:,} games{partial}{rate}; {boards}"


def _cost(row: Row, side: str) -> dict[str, Any]:
    return {
        "agent": row[side],
        "seat": side.upper(),
        "time a move": short_time(row[f"{side}_seconds_per_move"]),
        "slowest": short_time(row[f"{side}_slowest_move"]),
        "nodes a move": row[f"{side}_nodes_per_move"],
        "memory": _bytes(row[f"{side}_memory_bytes"]),
    }


def _repetition(rows: Sequence[Row], consequence: str) -> list[str]:
    """Return a text about the number of distinct games, if some of the games repeat others."""
    games, distinct = sum(row["games"] for row in rows), sum(row["distinct_games"] or row["games"] for row in rows)
    hint = "; --openings random:PLIES varies them" if 2 * distinct < games else ""
    return [f"distinct games: {distinct:,} of {games:,}; {consequence}{hint}"] if distinct < games else []


def summary_lines(row: Row, elos: tuple[float, float] | None = None) -> list[str]:
    """Return a text about the first agent's strength over both seats; `elos` are the two differences of a test."""
    exact = "" if row["exact_score"] is None else f", exactly {row['exact_score']:.6f}"
    pairs = "" if row["pentanomial"] is None else f"; pairs 0 to 2 points: {row['pentanomial']}"
    lines = [
        f"{row['agent']}: {counted(row['wins'], 'win', 'wins')}, {counted(row['draws'], 'draw', 'draws')},"
        f" {counted(row['losses'], 'loss', 'losses')} in {row['games']:,}"
        f" games; score {row['score']:.4f} [{row['score_low']:.4f}, {row['score_high']:.4f}]{exact}",
        f"Elo {_elo(row['elo'])} [{_elo(row['elo_low'])}, {_elo(row['elo_high'])}], normalised"
        f" {row['normalised_elo']:+.1f}; likelihood of superiority {row['superiority']:.4f}{pairs}",
    ]
    if elos is not None:
        low, high = elos
        said = {"H1": f"{high:g} Elo accepted", "H0": f"{low:g} Elo accepted"}
        lines.append(
            f"test of {high:g} against {low:g} Elo: {said.get(row['sprt'], 'not decided yet')};"
            f" log likelihood ratio {row['llr']:.2f} of [{row['llr_low']:.2f}, {row['llr_high']:.2f}]"
        )
        if row["sprt"] in said:
            lines.append("the games decided when the test stopped: score, Elo and their intervals are biased")
    return lines


def round_robin_report(found: Contest, config: ContestConfig) -> str:
    """Return the report of `ttt-fast compare`: the matrices of seatings, a row for each X, and the ratings."""
    items: list[RenderableType] = []
    rows, agents = found.rows, found.described["agents"]
    if found.way == "counted":
        opening = "X's first move drawn uniformly" if config.random_opening else "X chooses its first move"
        items.append(RowTable(_matrix(rows, agents, _exact_cell), f"exact: {_ENDS} ({opening})"))
    if any(row["games"] for row in rows):
        items += _repetition(rows, "a repeated pair counts once in the ratings")
        if found.way != "counted":
            items.append(RowTable(_matrix(rows, agents, _played_cell), f"played: {_ENDS}"))
        shown = [{**row, "rating": "" if row["rating"] is None else f"{row['rating']:+.0f}"} for row in found.summary]
        for row in shown:
            del row["points"]
        ratings = "Bradley-Terry ratings (mean 0, one drawn game added to each pair), and scores of row v column"
        items.append(RowTable(shown, f"{config.game.spec}: {ratings}"))
    elif found.summary:
        caption = f"{config.game.spec}: exact scores in both seats (a win 1, a draw 1/2), in all and against each agent"
        items.append(RowTable([{key: row[key] for key in row if key != "rating"} for row in found.summary], caption))
    return render([*items, *seat_notes(found)])


def _matrix(rows: Sequence[Row], agents: Sequence[str], cell: Callable[[Row], str]) -> list[dict[str, Any]]:
    cells = {(row["x"], row["o"]): cell(row) for row in rows}
    return [{"X \\ O": x, **{o: cells.get((x, o)) for o in agents}} for x in agents]


def _exact_cell(row: Row) -> str:
    return _cell([row[f"exact_{name}"] for name in RESULT_NAMES])


def _played_cell(row: Row) -> str:
    return _cell([row[name] / row["games"] for name in RESULT_NAMES]) if row["games"] else "-"


def _cell(shares: Sequence[float]) -> str:
    return " ".join(_share(share) for share in shares)


def _share(share: float) -> str:
    """Return a probability in four characters, as 0 or 1 only if it is exactly that."""
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
