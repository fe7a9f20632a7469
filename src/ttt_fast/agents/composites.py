"""Agents made of agents, as text: how they are spelled, and the parts of such a text."""

from fractions import Fraction

from ttt_fast.core.errors import AgentError
from ttt_fast.core.specs import fraction, split_outside_parentheses as split
from ttt_fast.policies.best_response import OBJECTIVES, Objective

BEST_RESPONSE, MIX = "best-response", "mix"
COMPOSITES = {
    BEST_RESPONSE: (
        "best-response:AGENT[,objective=score|wins]",
        "the policy that exploits AGENT best, in either seat",
    ),
    MIX: ("mix:P*AGENT+P*AGENT+...", "at every move, each AGENT with probability P (0.9, 1/3); the P sum to 1"),
}
"""Agents made of agents: how they are spelled, and what they do."""
MAX_DEPTH = 16
"""The most agents inside each other."""


def best_response_parts(spec: str, rest: str) -> tuple[str, Objective]:
    """Return the agent and the objective in the text behind `best-response:`.

    Parameters
    ----------
    spec
        The whole string, for messages.
    rest
        The text behind the colon.

    Raises
    ------
    AgentError
        If there is no such objective.

    Examples
    --------
    >>> best_response_parts("best-response:random,objective=wins", "random,objective=wins")
    ('random', 'wins')
    """
    *before, last = split(rest, ",")
    if not before or not last.strip().startswith("objective="):
        return rest.strip(), "score"
    named = last.strip().removeprefix("objective=")
    for objective in OBJECTIVES:
        if named == objective:
            return ",".join(before).strip(), objective
    raise AgentError(f"expected objective= score or wins in {spec!r}, got {named!r}")


def mixture_parts(spec: str, rest: str) -> list[tuple[Fraction, str]]:
    """Return the shares and the agents in the text behind `mix:`; parameters as `best_response_parts`.

    Raises
    ------
    AgentError
        If a part is spelled otherwise, or the shares do not sum to 1.

    Examples
    --------
    >>> mixture_parts("mix:1/4*random+3/4*minimax", "1/4*random+3/4*minimax")
    [(Fraction(1, 4), 'random'), (Fraction(3, 4), 'minimax')]
    """
    parts = []
    for term in split(rest, "+"):
        share_text, star, agent = term.partition("*")
        share = fraction(share_text.strip())
        if not star or share is None or share < 0:
            raise AgentError(f"expected {COMPOSITES[MIX][0]}, got the part {term!r} in {spec!r}")
        parts.append((share, agent.strip()))
    total = sum(share for share, _ in parts)
    if total != 1:
        raise AgentError(f"expected shares that sum to 1 in {spec!r}, got {total}")
    return parts
