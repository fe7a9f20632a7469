"""Agents as text, parsed once into a tree: `minimax:tie=first`, `mix:1/2*minimax+1/2*q.npz`, `python:mine:choose`.

Parsing is a pure function of the text: it opens no file, imports nothing and builds no table.  `as_policy` and
`as_player` (`agents.convert`) check that the agent, file or module exists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Final, Literal

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, ExternalAgentError
from ttt_fast.core.specs import fraction, is_enclosed, split_options, split_outside_parentheses as split_outside

Origin = Literal["built in", "file", "external", "object"]
BEST_RESPONSE, MIX, PYTHON = "best-response", "mix", "python"
COMPOSITES: Final = {
    BEST_RESPONSE: (
        "best-response:AGENT[,objective=value|wins]",
        "the policy that exploits AGENT best, in either seat; needs a state table",
    ),
    MIX: ("mix:P*AGENT+P*AGENT+...", "at every move, each AGENT with probability P (0.9, 1/3); the P sum to 1"),
}
"""Composite agents: the spelling and a description of each."""
EXTERNAL: Final = {
    "python:MODULE:NAME": "user-supplied Python: a function of a state, an object with choose, a Policy or an array"
}
"""External agents, which run code that is not part of this package: the spelling and a description."""
MAX_DEPTH: Final = 16
"""The maximum nesting depth; a pair of parentheses counts as one level."""
_OPTION = re.compile(r"\s*[a-z_]+\s*=")
_FILE_NAME = re.compile(r"[./\\]")
_PATH = re.compile(r".*[/\\][^*]*\.\w+", re.DOTALL)
_FILE = re.compile(r"(.*\.(?:npz|dat|pkl|pickle|txt))(?::(.*))?", re.DOTALL)
"""A file, by its ending, with options after a further colon."""
_SIGNATURE = re.compile(r"(.*)#[0-9a-f]{64}", re.DOTALL)


@dataclass(frozen=True)
class AgentSpec:
    """The parsed text of an agent.

    Attributes
    ----------
    text
        The whole text, which names the agent in results.
    name
        The word before the colon, such as `minimax`, `mix` or `python`; the path of a file.
    origin
        The origin, which follows from the spelling alone: `built in`, `file`, `external` or `object`.  A file contains
        a saved policy or learned values.  External code is not part of this package.  An object is a policy, an array
        or a callable passed in Python.
    argument
        The text after the colon of an external agent.
    options
        Names and values of the options, in their order; None as the value of an option written without `=`.
    children
        The components of a composite agent.
    shares
        The probability of each child of a `mix`.
    value
        The object if the origin is `object`; None if only its signature is known.
    resolved
        What the agent is in each game in which it has been used (`agents.resolve`).

    Examples
    --------
    >>> spec = parse_agent("mix:1/4*minimax:tie=first+3/4*(python:mine:choose)")
    >>> [(child.name, child.origin, child.options) for child in spec.children]
    [('minimax', 'built in', (('tie', 'first'),)), ('python', 'external', ())]
    >>> spec.shares[0], spec.is_external, parse_agent("runs/q.npz:eps=0.1").name
    (Fraction(1, 4), True, 'runs/q.npz')
    """

    text: str
    name: str
    origin: Origin
    argument: str = ""
    options: tuple[tuple[str, str | None], ...] = ()
    children: tuple["AgentSpec", ...] = ()
    shares: tuple[Fraction, ...] = ()
    value: Any = field(default=None, compare=False)
    resolved: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        """Return the pickled form, without what the agent is in this process."""
        return AgentSpec, tuple(getattr(self, one.name) for one in fields(self) if one.init)

    @staticmethod
    def split(text: str) -> list[str]:
        """Return the agents of a comma-separated list, in which commas may also separate options.

        A part that looks like `option=value` belongs to the agent before it.

        Examples
        --------
        >>> AgentSpec.split("random,minimax:tie=first,prefer=fast,heuribot")
        ['random', 'minimax:tie=first,prefer=fast', 'heuribot']
        """
        agents: list[str] = []
        for part in split_outside(text, ","):
            if agents and _OPTION.match(part):
                agents[-1] += "," + part
            else:
                agents.append(part.strip())
        return agents

    def nodes(self) -> Iterator["AgentSpec"]:
        """Yield the agent and all agents inside it."""
        yield self
        for child in self.children:
            yield from child.nodes()

    @property
    def is_external(self) -> bool:
        """Whether the agent, or an agent inside it, is external or an object passed in Python."""
        return any(node.origin == "external" or node.value is not None for node in self.nodes())

    @property
    def is_signature(self) -> bool:
        """Whether the text is the signature of a policy made in Python (`Policy.signature`)."""
        return self.origin == "object" and self.value is None


def parse_agent(text: str) -> AgentSpec:
    """Parse the text of an agent, and return the tree of the agent and the agents inside it.

    Parameters
    ----------
    text
        `name`, `name:option=value,option=value`, `best-response:AGENT`, `mix:P*AGENT+P*AGENT`, the path of a file (a
        plain name that contains a dot or a slash), or an external agent, `python:MODULE:NAME`.
        Parentheses may enclose an agent inside another one, and a file whose name contains a separator: `(a>b.npz)`.

    Raises
    ------
    AgentError
        If the text is malformed.  The existence of the agent is not checked.

    Examples
    --------
    >>> parse_agent("minimax:tie=first").options
    (('tie', 'first'),)
    >>> parse_agent("best-response:(minimax:tie=first),objective=wins").children[0].name
    'minimax'
    """
    if not isinstance(text, str):
        raise AgentError(f"expected an agent string, got {shown(text)}")
    return _parse(text.strip(), 0)


def _parse(text: str, depth: int) -> AgentSpec:
    if depth > MAX_DEPTH:
        raise AgentError(f"expected at most {MAX_DEPTH} levels of nested agents, got more")
    if is_enclosed(text):
        return replace(_parse(text[1:-1].strip(), depth + 1), text=text)
    if (signature := _SIGNATURE.fullmatch(text)) is not None:
        return AgentSpec(text, signature[1], "object")
    name, colon, rest = text.partition(":")
    if colon and name == PYTHON:
        return AgentSpec(text, name, "external", rest)
    if colon and name == BEST_RESPONSE:
        agent, options = _best_response_parts(rest)
        return AgentSpec(text, name, "built in", options=options, children=(_parse(agent, depth + 1),))
    if colon and name == MIX:
        shares, agents = _mixture_parts(text, rest)
        children = tuple(_parse(agent, depth + 1) for agent in agents)
        return AgentSpec(text, name, "built in", children=children, shares=shares)
    is_named = is_path(name) and not _FILE.fullmatch(name)
    if colon and (is_named or not _OPTION.match(rest)) and (file := _FILE.fullmatch(text)) is not None:
        return AgentSpec(text, file[1], "file", options=split_options(file[2]) if file[2] else ())
    if is_path(name):
        return AgentSpec(text, name, "file", options=split_options(rest) if colon else ())
    if _PATH.fullmatch(rest) and not _OPTION.match(rest):  # with a colon before it
        return AgentSpec(text, text, "file")
    return AgentSpec(text, name, "built in", options=split_options(rest) if colon else ())


def is_path(text: str) -> bool:
    """Return whether a text without options is the path of a file, by its spelling.

    Examples
    --------
    >>> is_path("random"), is_path("./random"), is_path("q.npz")
    (False, True, True)
    """
    return _FILE_NAME.search(text) is not None


def _best_response_parts(rest: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the agent after `best-response:`, and the options."""
    *before, last = split_outside(rest, ",")
    name, equals, value = (part.strip() for part in last.partition("="))
    if before and equals and name == "objective":
        return ",".join(before).strip(), ((name, value),)
    return rest.strip(), ()


def _mixture_parts(text: str, rest: str) -> tuple[tuple[Fraction, ...], list[str]]:
    """Return the shares and the agents after `mix:`; `text` is the whole text, for messages."""
    shares: list[Fraction] = []
    agents = []
    for term in split_outside(rest, "+"):
        share_text, star, agent = term.partition("*")
        share = fraction(share_text.strip())
        if not star or share is None or share < 0:
            raise AgentError(f"expected {COMPOSITES[MIX][0]}, got the part {term!r} in {text!r}")
        shares.append(share)
        agents.append(agent.strip())
    if sum(shares) != 1:
        raise AgentError(f"expected shares that sum to 1 in {text!r}, got {sum(shares)}")
    return tuple(shares), agents


def refuse_external(spec: AgentSpec, place: str) -> None:
    """Raise ExternalAgentError if an agent is external, or contains an external agent.

    A file or a request must not be able to run code through an agent's text.

    Parameters
    ----------
    spec
        The agent.
    place
        The source of the text, for the message: a file name, or `a request`.
    """
    if spec.is_external:
        wanted = f"agents {PYTHON}: only on the command line or as an argument in Python"
        raise ExternalAgentError(
            f"expected {wanted}, got {spec.text!r} in {place}; such agents run code from outside this package"
        )
