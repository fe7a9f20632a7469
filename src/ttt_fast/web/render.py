"""Single-file pages: templates, style and scripts combined, with a content security policy that blocks all others."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast import UsageError, __version__
from ttt_fast.web.page_data import page_data

MAX_PAGE_BYTES = 2_000_000
"""Maximum size of a page."""
_FOLDER = Path(__file__).parent
_SHARED = ("game", "session", "address", "draw", "values", "play")
"""Modules of both pages on which a game is played."""


def check_extra(*names: str) -> None:
    """Raise UsageError unless libraries of the extra `web` are installed.

    Examples
    --------
    >>> check_extra("jinja2")
    """
    for name in names:
        try:
            import_module(name)
        except ImportError:
            raise UsageError(f"pages need {name}: install 'ttt-fast[web]'") from None


class Page(NamedTuple):
    """A page and its content security policy, which the page also contains."""

    content: bytes
    policy: str


def rendered(
    template: str, content: Mapping[str, Any], data: object = None, scripts: Sequence[str] = (), *, asks: bool = False
) -> Page:
    """Return a page: a template with its content, the style, and scripts of `static`.

    The last script starts the page and reads `data`; the others are modules that are imported as `page/NAME`.  The
    policy of the page lists each script in it and the style by its hash.  It forbids all requests, except, with `asks`,
    requests to the page's own server.

    Examples
    --------
    >>> page = rendered("report.html.j2", {"name": "<q>", "game": "g", "facts": {}, "card": [], "notes": [],
    ...     "command": "", "charts": [], "openings": [], "mistakes": [], "labelled": False}).content
    >>> b"&lt;q&gt;" in page, b"default-src 'none'" in page
    (True, True)
    """
    import jinja2
    from markupsafe import Markup

    inline = {"style": _text("style.css")}
    policy = f"default-src 'none'; style-src {_hash_source(inline['style'])}; img-src data:; base-uri 'none'"
    policy += "; form-action 'none'"
    if scripts:
        *modules, start = scripts
        places = {
            f"page/{name}": f"data:text/javascript;base64,{b64encode(_text(f'{name}.js').encode()).decode()}"
            for name in modules
        }
        inline |= {"import_map": json.dumps({"imports": places}), "start": _text(f"{start}.js")}
        policy += f"; script-src {_hash_source(inline['import_map'])} {_hash_source(inline['start'])} data:"
    if asks:
        policy += "; connect-src 'self'"
    safe = {name: Markup(text) for name, text in {**inline, "data": script_json(data), "policy": policy}.items()}
    renderer = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER / "templates"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return Page(renderer.get_template(template).render({**content, "version": __version__, **safe}).encode(), policy)


def page_html(game: str, agents: "list[str]", fixed_seat: int | None = None) -> bytes:
    """Return the page for playing a game against agents, with the atlas of its positions.

    Parameters
    ----------
    game
        A game with a table of at most 10,000 states.
    agents
        Agent strings, without duplicates.
    fixed_seat
        As for `page_data`.

    Raises
    ------
    UsageError
        If the game is too large, an agent does not exist, the extra `web` is missing, or the page would exceed 2 MB.

    Examples
    --------
    >>> page = page_html("tic-tac-toe", ["minimax", "heuribot"])
    >>> len(page) < 500_000, page.startswith(b"<!doctype html>")
    (True, True)
    """
    check_extra("jinja2")  # before the work
    data = page_data(game, agents, fixed_seat)
    page = rendered("page.html.j2", {"game": data["game"]}, data, (*_SHARED, "atlas", "main")).content
    if len(page) > MAX_PAGE_BYTES:
        raise UsageError(
            f"expected a page of at most {MAX_PAGE_BYTES:,} bytes, got {len(page):,}:"
            f" use fewer than {len(agents)} agents"
        )
    return page


def live_page(games: "list[str]") -> Page:
    """Return the page of the server, which requests all data about a game from the server.

    Parameters
    ----------
    games
        Games to choose from, the first one first.

    Examples
    --------
    >>> b"connect-src" in live_page(["connect4"]).content
    True
    """
    return rendered("live.html.j2", {}, {"games": games}, (*_SHARED, "live_game", "live_play", "live"), asks=True)


def script_json(content: Any) -> str:
    r"""Return JSON that is safe inside a script element: no text in it can end the script.

    Examples
    --------
    >>> print(script_json({"name": "</script>"}))
    {"name":"\u003c/script>"}
    """
    return json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


@cache
def _text(name: str) -> str:
    """Return a file of the folder `static`."""
    return (_FOLDER / "static" / name).read_text(encoding="utf-8")


def _hash_source(text: str) -> str:
    """Return the source expression of a script or style in a page for its content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
