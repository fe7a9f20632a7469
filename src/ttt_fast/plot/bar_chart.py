"""Bars of blocks in the terminal, side by side or stacked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    import polars as pl

STYLES = ("cyan", "yellow", "magenta", "green", "red", "blue")
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FILLS = "█▓▒░▚▞"
_LONGEST_NAME = 40
_EVEN = 1e-6


def shortened(text: str, width: int) -> str:
    """Return a text cut to a width, with dots in the place of the missing part.

    Examples
    --------
    >>> shortened("expected SARSA", 9), shortened("SARSA", 9)
    ('expected…', 'SARSA')
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def bar_chart(
    points: "pl.DataFrame", series: Sequence[str], width: int, *, stacked: bool = False, band: bool = False
) -> Text:
    """Return points (see `figure.summarise`) as lying bars with their values, a line each.

    Parameters
    ----------
    points
        Columns `x`, `series`, `y`, `low`, `high`.
    series
        All series of the figure, in order: their place decides colour and pattern.
    width
        Columns of text.
    stacked
        One bar a category, with a legend below, instead of one for each of its series.
    band
        Write the standard deviation behind the value, or the ends of the band where it is not symmetric.
    """
    return _stacked(points, series, width) if stacked else _grouped(points, series, width, band)


def _grouped(points: "pl.DataFrame", series: Sequence[str], width: int, band: bool) -> Text:
    lines = []
    for x, name, y, low, high in points.sort("x", "series").select("x", "series", "y", "low", "high").iter_rows():
        value = f"{y:.4g}" + (_spread_text(y, low, high) if band else "")
        lines.append((f"{x} {name}".strip(), y, value, STYLES[series.index(name) % len(STYLES)]))
    names = min(_LONGEST_NAME, width // 2, max(len(line[0]) for line in lines))
    values = max(len(line[2]) for line in lines)
    room = max(1, width - names - values - 2)
    top = max(max(line[1] for line in lines), 0.0) or 1.0
    text = Text()
    for name, y, value, style in lines:
        eighths = round(max(y, 0.0) / top * room * 8)
        bar = _EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
        text.append(f"{shortened(name, names):<{names}} ").append(f"{bar:<{room}}", style).append(
            f" {value:>{values}}\n"
        )
    text.rstrip()
    return text


def _spread_text(y: float, low: float, high: float) -> str:
    """Return a standard deviation, or the ends of a whisker that is not symmetric; empty without either."""
    if high - low < _EVEN:
        return ""
    return f" ± {y - low:.2g}" if abs(high + low - 2 * y) < _EVEN * (high - low) else f" ({low:.3g} to {high:.3g})"


def _stacked(points: "pl.DataFrame", series: Sequence[str], width: int) -> Text:
    categories = list(dict.fromkeys(points.sort("x")["x"].to_list()))
    names = min(_LONGEST_NAME, width // 2, max(map(len, categories)))
    totals = dict.fromkeys(categories, 0.0)
    parts: dict[str, list[tuple[str, float]]] = {name: [] for name in categories}
    for x, name, y in points.sort("x", "series").select("x", "series", "y").iter_rows():
        totals[x] += y
        parts[x].append((name, y))
    room, top = max(1, width - names - 1), max(totals.values()) or 1.0
    text = Text()
    for x in categories:
        text.append(f"{shortened(x, names):<{names}} ")
        done, total = 0, 0.0
        for name, y in parts[x]:
            total += y
            cells = round(total / top * room) - done
            text.append(_fill(series, name) * cells, STYLES[series.index(name) % len(STYLES)])
            done += cells
        text.append("\n")
    text.append(" " * (names + 1))
    for name in series:
        text.append(f"{_fill(series, name)} ", STYLES[series.index(name) % len(STYLES)]).append(f"{name}  ")
    text.rstrip()
    return text


def _fill(series: Sequence[str], name: str) -> str:
    return _FILLS[series.index(name) % len(_FILLS)]
