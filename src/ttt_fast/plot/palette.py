"""Colours, dashes and font sizes, the same in every picture."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ttt_fast.plot.axes import position_domain
from ttt_fast.plot.figure import Figure

if TYPE_CHECKING:
    import polars as pl

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
"""Colours for colour-blind readers (Okabe and Ito 2008); a brown replaces the yellow, which is too faint for lines."""
_VIRIDIS = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
INK, QUIET, GRID = "#222222", "#5a5a5a", "#e6e6e6"
_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
CONFIG: dict[str, Any] = {
    "background": "white",
    "font": _FONT,
    "padding": 12,
    "view": {"stroke": None},
    "title": {
        "anchor": "start", "frame": "group", "offset": 16, "color": INK, "fontSize": 17, "fontWeight": "bold",
        "subtitleColor": QUIET, "subtitleFontSize": 13, "subtitlePadding": 5,
    },
    "axis": {
        "labelFontSize": 12, "labelColor": QUIET, "titleFontSize": 13, "titleColor": INK, "titleFontWeight": "normal",
        "gridColor": GRID, "tickColor": GRID, "domainColor": "#9a9a9a", "labelPadding": 5, "titlePadding": 10,
        "labelLimit": 260,
    },
    "legend": {
        "labelFontSize": 12.5, "titleFontSize": 12.5, "titleFontWeight": "normal", "titleColor": QUIET,
        "labelColor": INK, "labelLimit": 240, "rowPadding": 4, "offset": 14, "symbolSize": 120,
    },
}  # fmt: skip


class Look(NamedTuple):
    """Settings of all panels."""

    figure: Figure
    colours: dict[str, str]
    dashes: dict[str, list[int]]
    categories: list[str]  # of bars
    domain_x: tuple[float, float]  # of lines


def look_of(figure: Figure, frame: "pl.DataFrame", points: "pl.DataFrame") -> Look:
    """Return colours, dashes and ends of axes; numbers get shades, names get colours and, if too many, dashes."""
    names = points["series"].unique().sort().to_list()
    if figure.series and len(names) > 2 and frame[figure.series].dtype.is_numeric():
        colours, dashes = shades(len(names)), [[1, 0]] * len(names)
    else:
        colours = [OKABE_ITO[k % len(OKABE_ITO)] for k in range(len(names))]
        dashes = [DASHES[k // len(OKABE_ITO) % len(DASHES)] for k in range(len(names))]
    lines = figure.kind == "lines"
    return Look(
        figure,
        dict(zip(names, colours, strict=True)),
        dict(zip(names, dashes, strict=True)),
        [] if lines else points["x"].unique().sort().to_list(),
        position_domain(points["x"].to_list(), log=figure.log_x) if lines else (0.0, 0.0),
    )


def shades(count: int) -> list[str]:
    """Return colours from dark to light for series that are numbers: viridis without its faintest part.

    Examples
    --------
    >>> shades(3)
    ['#440154', '#2c728e', '#5ec962']
    """
    import numpy as np

    places = np.arange(count) / (count - 1) * (len(_VIRIDIS) - 1)
    columns = np.array([list(bytes.fromhex(colour[1:])) for colour in _VIRIDIS]).T
    channels = np.rint([np.interp(places, range(len(_VIRIDIS)), column) for column in columns])
    return [f"#{bytes(colour).hex()}" for colour in channels.astype(np.uint8).T]
