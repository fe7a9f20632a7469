"""Single-file pages: templates, style and scripts combined, with a content security policy that blocks all others."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ttt_fast import UsageError, __version__, parse_game
from ttt_fast.web.page_data import needs_weights, page_data, rules_page_data

if TYPE_CHECKING:
    import jinja2

MAX_PAGE_BYTES = 2_000_000
"""Maximum size of a page."""
_FOLDER = Path(__file__).parent
_SHARED = ("game", "session", "address", "draw", "values", "play")
_MODULES, _START = (*_SHARED, "judge", "atlas"), "main"
_LIVE_MODULES, _LIVE_START = (*_SHARED, "live_game", "live_play"), "live"
_RULES_MODULES, _RULES_START = (
    {
        "column_game": (*_SHARED, "rules_game", "proven", "engine", "engine_worker", "column_game"),
        "ultimate_game": (*_SHARED, "rules_game", "ultimate_search", "ultimate_game"),
    },
    "file_start",
)
"""The modules imported as `page/NAME` and the start script that imports them, for a file, for the server, and for a
file of a game without a table."""


def environment() -> "jinja2.Environment":
    """Return the environment of the templates, which escapes every value that is not marked as markup.

    Raises
    ------
    UsageError
        If the extra `web` is not installed.
    """
    try:
        jinja: Any = import_module("jinja2")
    except ImportError:
        raise UsageError("pages need jinja2: install 'ttt-fast[web]'") from None
    loader = jinja.FileSystemLoader(_FOLDER / "templates")
    made: jinja2.Environment = jinja.Environment(
        loader=loader, autoescape=True, undefined=jinja.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return made


class Page(NamedTuple):
    """A page and its content security policy, which the page also contains."""

    content: bytes
    policy: str


def rendered(
    template: str,
    content: Mapping[str, Any],
    scripts: Mapping[str, str] | None = None,
    asks: bool = False,
    works: bool = False,
) -> Page:
    """Return a page: a template with its content, the style, and scripts by their names in the template.

    The policy of the page lists each script and the style by its hash.  It forbids all requests, except, with `asks`,
    requests to the page's own server.  With `works`, a worker of the page may compile WebAssembly.

    Examples
    --------
    >>> page = rendered("report.html.j2", {"name": "<q>", "game": "g", "facts": {}, "card": [], "notes": [],
    ...     "chart": None, "openings": [], "mistakes": [], "labelled": False}).content
    >>> b"&lt;q&gt;" in page, b"default-src 'none'" in page
    (True, True)
    """
    renderer = environment()
    markup: Any = import_module("markupsafe").Markup
    style, scripts = _text("style.css"), scripts or {}
    hashes = " ".join(map(_hash_source, scripts.values()))
    policy = f"default-src 'none'; style-src {_hash_source(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    if scripts:
        policy += f"; script-src {hashes} data:"
    if works:
        policy += " 'wasm-unsafe-eval'; worker-src data:"
    if asks:
        policy += "; connect-src 'self'"
    safe = {name: markup(text) for name, text in {**scripts, "style": style}.items()}
    shown = {**content, "policy": markup(policy), "version": __version__, **safe}
    return Page(renderer.get_template(template).render(shown).encode(), policy)


def page_html(game: str, agents: "list[str]", fixed_seat: int | None = None) -> bytes:
    """Return the page for playing a game against agents, with the atlas of its positions.

    Parameters
    ----------
    game
        A game with a table of at most 10,000 states; or Connect 4 or Ultimate.  The page of these contains the weights
        of the agents and no atlas; on 7x6 it finds the exact values of the first plies and of those from 14 on.
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
    environment()  # before the work
    played = parse_game(game)
    if fixed_seat is None and needs_weights(played):
        content = rules_page_data(played, agents)
        template, scripts = "rules.html.j2", (_RULES_START, _RULES_MODULES[content["module"]])
    else:
        content = page_data(game, agents, fixed_seat)
        template, scripts = "page.html.j2", (_START, _MODULES)
    works = content.get("engine") is not None
    if works:
        content["engine"]["wasm"] = _base64((_FOLDER / "static" / "connect_four.wasm").read_bytes())
    markup: Any = import_module("markupsafe").Markup
    shown = {"game": content["game"], "data": markup(script_json(content))}
    page = rendered(template, shown, _scripts(*scripts), works=works).content
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
    environment()
    markup: Any = import_module("markupsafe").Markup
    shown = {"game": games[0], "data": markup(script_json({"games": games}))}
    return rendered("live.html.j2", shown, _scripts(_LIVE_START, _LIVE_MODULES), asks=True)


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


def _scripts(start: str, modules: Iterable[str]) -> dict[str, str]:
    """Return the scripts of a page: its start script, and the import map of the modules inside the page."""
    found = {f"page/{name}": f"data:text/javascript;base64,{_base64(_text(f'{name}.js').encode())}" for name in modules}
    return {"import_map": json.dumps({"imports": found}), "start": _text(f"{start}.js")}


def _base64(content: bytes) -> str:
    return b64encode(content).decode("ascii")


def _hash_source(text: str) -> str:
    """Return the source expression of a script or style in a page for its content security policy."""
    return f"'sha256-{_base64(sha256(text.encode()).digest())}'"
