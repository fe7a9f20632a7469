"""Figures as pictures in PNG, SVG, self-contained HTML and Vega-Lite, with reproducible bytes.

Needs the extra `plot` (altair and vl-convert), which is imported only when something is drawn.
"""

import json
import os
import zlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast import UsageError
from ttt_fast.plot.figure import MAX_POINTS, Figure, Reference, extra
from ttt_fast.plot.vega_lite import vega_lite
from ttt_fast.report.rows import write_bytes

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["MAX_BYTES", "SUFFIXES", "Figure", "Reference", "draw", "save"]

SUFFIXES = (".png", ".svg", ".html", ".json")
MAX_BYTES = 200_000
"""Maximum size of a picture in results/; a self-contained HTML page is larger, since it contains the renderer."""

_ATTEMPTS = tuple((MAX_POINTS // part, scale) for part, scale in ((1, 2.0), (2, 1.5), (4, 1.5), (8, 1.0), (16, 1.0)))
"""Numbers of points and pixels per unit, tried in order until the file is small enough."""

_LESS = "_less_than_in_a_text_"


def draw(figure: Figure, frame: "pl.DataFrame") -> "alt.TopLevelMixin":
    """Return a figure as an altair chart, for a notebook.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"episodes": [1, 2], "wins": [0.5, 0.75]})
    >>> draw(Figure(name="f", title="Learning", x="episodes", y="wins"), frame).to_dict()["title"]["text"]
    ['Learning']
    """
    chart: alt.TopLevelMixin = extra("altair").Chart.from_dict(vega_lite(figure, frame, hover=True))
    return chart


def save(figure: Figure, frame: "pl.DataFrame", path: str | os.PathLike[str]) -> None:
    """Write a figure as .png, .svg, .html (self-contained, with tooltips) or .json (Vega-Lite), atomically.

    Thinning the lines and then reducing the resolution keeps pictures below 200 kB.  Only dozens of overlapping noisy
    bands can be larger.

    Raises
    ------
    UsageError
        If the suffix is unknown, the extra is not installed, or there is nothing to draw.
    FileWriteError
        If the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"expected a file of {', '.join(SUFFIXES)}, got {str(path)!r}")
    for points, scale in _ATTEMPTS:
        content = _encode(suffix, vega_lite(figure, frame, points, hover=suffix == ".html"), scale)
        if len(content) <= MAX_BYTES or suffix == ".html":
            break
    write_bytes(content, path)


def _encode(suffix: str, specification: dict[str, Any], scale: float) -> bytes:
    if suffix == ".json":
        return (json.dumps(specification, separators=(",", ":"), allow_nan=False) + "\n").encode()
    convert = extra("vl_convert")
    if suffix == ".png":
        return _compressed(convert.vegalite_to_png(specification, scale=scale))
    if suffix == ".svg":
        svg: str = convert.vegalite_to_svg(specification)
        return svg.encode()
    # The renderer writes the specification unchanged into a script: a title must not be able to end that script.
    page: str = convert.vegalite_to_html(json.dumps(specification).replace("<", _LESS), bundle=True)
    title = escape(specification["description"])
    return page.replace("<title>Chart</title>", f"<title>{title}</title>", 1).replace(_LESS, "\\u003c").encode()


def _compressed(png: bytes) -> bytes:
    """Recompress a picture at the highest level of zlib: the files of the renderer are three times as large."""
    pieces, packed, place = [png[:8]], b"", 8
    while place < len(png):
        length = int.from_bytes(png[place : place + 4])
        kind, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += 12 + length
        if kind == b"IDAT":
            packed += body
            continue
        if kind == b"IEND":
            pieces.append(_chunk(b"IDAT", zlib.compress(zlib.decompress(packed), 9)))
        pieces.append(_chunk(kind, body))
    return b"".join(pieces)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)
