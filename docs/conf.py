"""The site: `python -m sphinx -W -c docs . _site` (needs the extra [docs]) builds it from the pages of the repository.

The source folder is the root of the repository, so that the links of a page lead to the same files here and on GitHub.
"""

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from runpy import run_path
from textwrap import indent

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.typing import stringify_annotation

import ttt_fast
from ttt_fast.agents.api import AgentLike

API = Path(__file__).parent / "api"
"""The folder of the pages of the interface, one a name; it is written at every build and not committed."""

project = "ttt_fast"
author = copyright = "The ttt_fast authors"
version = release = ttt_fast.__version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "results/**.md"]
exclude_patterns = ["docs/examples"]

myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
numpydoc_show_class_members = False

default_role = "code"  # names in docstrings have single backticks

html_theme = "furo"
html_title = f"ttt_fast {version}"
html_copy_source = False
html_favicon = "landing/favicon.svg"
html_extra_path = ["landing"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("copy.js", {"defer": "defer"})]

WIDTH = 88
"""The characters of code in a line of the site at its full width."""
COMMENT = re.compile(r"^( *(?:(?:>>>|\.\.\.) )?)( *)(\S.*?) {2,}(# .*)$")
"""A line of code, maybe after a prompt, with a comment at its end."""


def is_code(value: object) -> bool:
    """Return whether a value is a class or a function, maybe a wrapped one such as a kernel."""
    return inspect.isclass(value) or inspect.isroutine(inspect.unwrap(value))


def doc_of(module: str, name: str) -> str:
    """Return the docstring of a name; that of data stands below their assignment, in a module of the package."""
    value = getattr(import_module(module), name)
    if is_code(value) or inspect.ismodule(value):
        return inspect.getdoc(value)
    loaded = [ModuleAnalyzer.for_module(one) for one in sorted(sys.modules) if one.startswith("ttt_fast.")]
    return "\n".join(next(one.attr_docs["", name] for one in loaded if ("", name) in one.find_attr_docs()))


def directive(module: str, name: str) -> str:
    """Return the directive that documents a name."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        return f".. auto{'exception' if issubclass(value, BaseException) else 'class'}:: {name}\n   :members:"
    if is_code(value):
        return f".. autofunction:: {name}"
    functions = f"\n\n.. automodule:: {value.__name__}\n   :members:\n   :no-index:" if inspect.ismodule(value) else ""
    return f".. py:data:: {name}\n\n" + indent(doc_of(module, name), "   ") + functions


def api_pages() -> dict[str, str]:
    """Return the pages of the interface: one for each module of docs/API.md, and one for each name of the module."""
    pages = {}
    for module in re.findall(r"^api/(\S+)$", API.with_name("API.md").read_text(encoding="utf-8"), re.MULTILINE):
        names = import_module(module).__all__
        firsts = {name: doc_of(module, name).partition("\n\n")[0].replace("\n", " ") for name in names}
        listed = "".join(f"* :py:obj:`{name}`: {first}\n" for name, first in firsts.items())
        tree = "\n   ".join([".. toctree::\n   :hidden:\n", *(f"{module}.{name}" for name in names)])
        bodies = {name: directive(module, name) for name in names}
        bodies[module] = f".. automodule:: {module}\n\n{listed}\n{tree}"
        for title, body in bodies.items():
            page = title if title == module else f"{module}.{title}"
            pages[page] = f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: {module}\n\n{body}\n"
    return pages


def write_api(app: Sphinx, config: object) -> None:
    """Write the pages of the interface and of the commands that have changed, and remove those of former names."""
    pages = {API / f"{page}.rst": text for page, text in api_pages().items()}
    reference = run_path(str(API.with_name("reference.py")))["command_reference"]()
    pages[API / "reference.md"] = reference.replace("](COMMANDS.md)", "](../COMMANDS.md)")
    API.mkdir(exist_ok=True)
    for path in set(API.glob("*.rst")) - set(pages):
        path.unlink()
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def short_type(text: str) -> str:
    """Return types without their modules; those of arrays, and unions with a name, as the source writes them."""
    text = re.sub(r"~[\w.]*\.", "", text)
    return re.sub(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[([^\[\]]+)\]\]", r"NDArray[\1]", text)


def short_types(
    app: Sphinx, what: str, name: str, value: object, options: object, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Return a readable signature."""
    arguments, result = (text and short_type(text) for text in (arguments, result))
    either = AgentLike | ArrayLike
    for alias, short in ((either, "AgentLike | ArrayLike"), (ArrayLike, "ArrayLike"), (AgentLike, "AgentLike")):
        long = short_type(stringify_annotation(alias, "smart"))
        arguments, result = (text and text.replace(long, short) for text in (arguments, result))
    return arguments, result


def skip_fields(app: Sphinx, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Leave out the fields of a NamedTuple, which its docstring lists."""
    return True if type(value).__name__ == "_tuplegetter" else None


def with_comment_above(line: str) -> str:
    """Return a line of code with its comment above it."""
    return COMMENT.sub(r"\1\2\4\n\1\2\3", line)


def is_cut(line: str) -> bool:
    """Return whether a line of code is too long for the site because of its comment."""
    return len(line) > WIDTH and COMMENT.match(line) is not None


def comments_of_page(app: Sphinx, page: object, *source: list[str]) -> None:
    """Move the comments of long lines in the blocks of a page, or of an included file; of commands all or none."""

    def moved(found: re.Match[str]) -> str:
        lines = found[3].splitlines()
        are_all = found[2] == "bash" and any(map(is_cut, lines))
        lines = [with_comment_above(line) if are_all or is_cut(line) else line for line in lines]
        return "\n".join([found[1], *lines, ""])

    blocks = re.compile(r"^(```(bash|python|toml)[^\n]*)\n(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
    source[-1][0] = blocks.sub(moved, source[-1][0])


def comments_of_docstring(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Move the comments of long lines in the examples of a docstring."""
    lines[:] = "\n".join(with_comment_above(line) if is_cut(line) else line for line in lines).split("\n")


def glossary_of_terms(app: Sphinx, page: str, source: list[str]) -> None:
    """Make terms of the rows of the glossary, which is a table on GitHub."""
    if page == "docs/GLOSSARY":
        rows = re.compile(r"^\| \*(.+?)\* \| (.+) \|\n", re.MULTILINE)
        table = re.search(r"\| term \| meaning \|\n\| --- \| --- \|\n((?:\|.*\n)+)", source[0])
        terms = rows.sub(r"\1\n  \2\n\n", table[1])
        source[0] = source[0].replace(table[0], f"```{{glossary}}\n{terms}```\n")


def reachable_by_keys(app: Sphinx, page: str, template: str, context: dict[str, str], tree: object) -> None:
    """Let keys scroll wide code and tables, keep options whole, and state the level of the navigation's headings."""
    body = context.get("body", "").replace("<pre>", '<pre tabindex="0">')
    body = re.sub('<span class="pre">(?=-|ttt-fast<)', '<span class="pre option">', body)
    context["body"] = body.replace('class="table-wrapper', 'tabindex="0" class="table-wrapper')
    navigation = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = navigation.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    app.connect("config-inited", write_api)
    app.connect("autodoc-process-signature", short_types)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("autodoc-process-docstring", comments_of_docstring)
    app.connect("source-read", glossary_of_terms)
    app.connect("source-read", comments_of_page)
    app.connect("include-read", comments_of_page)
    app.connect("html-page-context", reachable_by_keys, priority=900)  # after the theme
