"""Figures as pictures in PNG, SVG, PDF, self-contained HTML and Vega-Lite; the bytes are reproducible except in PDF.

Needs the extra `plot` (altair and vl-convert), which is imported only when something is drawn.
"""

import json
import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast import UsageError
from ttt_fast.plot.figure import MAX_POINTS, Figure, Reference, extra
from ttt_fast.report.rows import write_bytes

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["MAX_BYTES", "SUFFIXES", "Figure", "Reference", "draw", "save"]

SUFFIXES = (".png", ".svg", ".pdf", ".html", ".json")
MAX_BYTES = 200_000
"""Maximum size of a picture in results/, which is SVG."""
_POINTS = tuple(MAX_POINTS // part for part in (1, 2, 4, 8, 16))
"""Numbers of points, tried in order until the file is small enough."""
_PNG_SCALE = 2.0  # pixels per unit

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="UTF-8"><title>{title}</title></head>
<body><div id="figure"></div><script>{renderer}</script><script>vegaEmbed("#figure", {chart});</script></body>
</html>
"""


def draw(figure: Figure, frame: "pl.DataFrame") -> "alt.TopLevelMixin":
    """Return a figure as an altair chart, for a notebook.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"episodes": [1, 2], "wins": [0.5, 0.75]})
    >>> draw(Figure(name="f", title="Learning", x="episodes", y="wins"), frame).to_dict()["title"]["text"]
    ['Learning']
    """
    return _chart(figure, frame, hover=True)


def save(figure: Figure, frame: "pl.DataFrame", path: str | os.PathLike[str]) -> None:
    """Write a figure as .png, .svg, .pdf, .html (self-contained, with tooltips) or .json (Vega-Lite), atomically.

    Lines are thinned to keep .svg and .json files below 200 kB.  Only dozens of overlapping noisy bands can be larger.

    Raises
    ------
    UsageError
        If the suffix is unknown, the extra is not installed, or there is nothing to draw.
    FileWriteError
        If the file cannot be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"expected a file that ends in {', '.join(SUFFIXES)}, got {str(path)!r}")
    for points in _POINTS:
        content = _encode(suffix, _chart(figure, frame, points, hover=suffix == ".html").to_dict(validate=False))
        if len(content) <= MAX_BYTES or suffix in (".png", ".pdf", ".html"):
            break
    write_bytes(content, path)


def _chart(figure: Figure, frame: "pl.DataFrame", points: int = MAX_POINTS, *, hover: bool) -> "alt.TopLevelMixin":
    extra("altair")
    from ttt_fast.plot.layers import chart_of

    return chart_of(figure, frame, points, hover=hover)


def _encode(suffix: str, specification: dict[str, Any]) -> bytes:
    text = json.dumps(specification, separators=(",", ":"), allow_nan=False)
    if suffix == ".json":
        return f"{text}\n".encode()
    convert = extra("vl_convert")
    if suffix == ".png":
        return bytes(convert.vegalite_to_png(specification, scale=_PNG_SCALE))
    if suffix == ".pdf":
        return bytes(convert.vegalite_to_pdf(specification))
    if suffix == ".svg":
        return str(convert.vegalite_to_svg(specification)).encode()
    safe = text.replace("<", "\\u003c")  # no text of a figure can end the script
    title = escape(specification["description"])
    return _PAGE.format(title=title, renderer=convert.javascript_bundle(), chart=safe).encode()
