"""Agent strings: `random`, `minimax:tie=first`, `best-response:random`, `mix:0.9*minimax+0.1*random`, a file."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ttt_fast.core.errors import AgentError
from ttt_fast.core.specs import (
    Option,
    choice,
    fraction,
    is_enclosed,
    near_names,
    parse_options,
    probability,
    split_outside_parentheses,
)
from ttt_fast.policies import heuribot, scripted
from ttt_fast.policies.best_response import OBJECTIVES, best_response_policy
from ttt_fast.policies.files import POLICY_SUFFIXES, load_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.scripted import Weights
from ttt_fast.tables import Solution, StateTable, standard_solution, standard_table

_MAX_DEPTH = 16  # of agents inside agents


@dataclass(frozen=True)
class Agent:
    """A named family of players: a summary, its options, and the function that makes its weights."""

    summary: str
    options: Mapping[str, Option]
    build: Callable[..., Weights]


def _seed(text: str) -> int | None:
    if text == "none":
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError("a non-negative integer")
    return int(text)


def _random(table: StateTable, solution: Solution, frozen: int | None) -> Weights:
    return scripted.uniform_random(table) if frozen is None else scripted.frozen_random(table, frozen)


def _minimax(table: StateTable, solution: Solution, tie: str, prefer: str) -> Weights:
    return scripted.minimax(table, solution, tie, prefer)


def _default(table: StateTable, solution: Solution, skill: Fraction) -> Weights:
    return scripted.default_opponent(table, skill)


def _buggy(table: StateTable, solution: Solution, source: str) -> Weights:
    return scripted.buggy(table, solution, as_coded=source == "coded")


def _buggy2(table: StateTable, solution: Solution, source: str) -> Weights:
    return scripted.buggy2(table, solution, as_coded=source == "coded")


def _heuribot(table: StateTable, solution: Solution, source: str) -> Weights:
    variant: Any = source
    return heuribot.heuribot_weights(table, variant)


_AS = Option("written", "written|coded", choice("written", "coded"), "as the document says, or as its code does")

AGENTS: dict[str, Agent] = {
    "random": Agent(
        "draws uniformly from the legal actions",
        {"frozen": Option("none", "SEED", _seed, "draw one move for each state, once, and always play it (Langan)")},
        _random,
    ),
    "minimax": Agent(
        "keeps the minimax value",
        {
            "tie": Option(
                "uniform",
                "uniform|first|last|column-major",
                choice("uniform", *scripted.TIE_ORDERS),
                "which of equally good moves: any, or the first in an order of cells",
            ),
            "prefer": Option(
                "none",
                "none|fast",
                choice("none", "fast"),
                "fast: wins sooner and loses later (utility 10 - filled squares, Smirnov)",
            ),
        },
        _minimax,
    ),
    "default": Agent(
        "wins if it can, else blocks, else moves at random (Sai)",
        {
            "skill": Option(
                "1", "0..1", probability, "chance that it notices: 1 as described, 0.01 as published code does"
            )
        },
        _default,
    ),
    "buggy": Agent("minimax with a hole in the right column (Langan, figure 5)", {"as": _AS}, _buggy),
    "buggy2": Agent("minimax that sometimes moves at random (Langan, figure 6)", {"as": _AS}, _buggy2),
    "heuribot": Agent(
        "follows the first rule that fits, of a list of nine (Smirnov)",
        {
            "as": Option(
                "written",
                "|".join(heuribot.VARIANTS),
                choice(*heuribot.VARIANTS),
                "as the page says, as its code does, or as fits its first table",
            )
        },
        _heuribot,
    ),
}
"""The scripted players.  Composite agents (`best-response`, `mix`) and files are parsed by `parse_agent`."""

COMPOSITES = {
    "best-response": "best-response:AGENT[,objective=score|wins]",
    "mix": "mix:P*AGENT+P*AGENT+...",
}


def parse_agent(spec: str, table: StateTable | None = None) -> Policy:
    """Return the policy that an agent string names.

    Parameters
    ----------
    spec
        `name`, `name:option=value,option=value`, `best-response:AGENT`, `mix:P*AGENT+P*AGENT`, or the path of
        a policy file.  Parentheses may enclose an agent inside another one.
    table
        The game (default: ordinary tic-tac-toe).

    Raises
    ------
    AgentError
        If the string names no agent, or an option is unknown or has an impossible value.
    FileFormatError
        If it names a file that cannot be read.

    Examples
    --------
    >>> parse_agent("mix:3/4*minimax:tie=first+1/4*random").probabilities[0, :2]
    array([0.77777778, 0.02777778])
    """
    return _parse(spec.strip(), table or standard_table(), 0)


def _parse(spec: str, table: StateTable, depth: int) -> Policy:
    if depth > _MAX_DEPTH:
        raise AgentError(f"expected at most {_MAX_DEPTH} agents inside each other, got more")
    if is_enclosed(spec):
        return _parse(spec[1:-1].strip(), table, depth + 1).renamed(spec)
    name, colon, rest = spec.partition(":")
    if name == "best-response" and colon:
        return _parse_best_response(spec, rest, table, depth)
    if name == "mix" and colon:
        return _parse_mixture(spec, rest, table, depth)
    if name in AGENTS:
        options = _parse_options(spec, name, rest) if colon else _parse_options(spec, name, None)
        weights = AGENTS[name].build(table, _solution_of(table), **options)
        return Policy.from_weights(weights, spec, table=table)
    if os.path.splitext(spec)[1].lower() in POLICY_SUFFIXES or os.path.isfile(spec):
        return load_policy(spec, table).renamed(spec)
    raise AgentError(_unknown(spec, name))


def _unknown(spec: str, name: str) -> str:
    known = [*AGENTS, *COMPOSITES]
    near = near_names(name, known)
    return (
        f"unknown agent {spec!r}; expected {', '.join(near)}, or a policy file"
        f" ({', '.join(POLICY_SUFFIXES)}); `ttt-fast agents` lists all"
    )


def _solution_of(table: StateTable) -> Solution:
    from ttt_fast.tables import solve

    return standard_solution() if table is standard_table() else solve(table)


def _parse_options(spec: str, name: str, rest: str | None) -> dict[str, Any]:
    """Return the keyword arguments of an agent's build function; `as` becomes `source`."""
    values = parse_options(spec, rest, AGENTS[name].options, AgentError)
    return {"source" if key == "as" else key: value for key, value in values.items()}


def _parse_best_response(spec: str, rest: str, table: StateTable, depth: int) -> Policy:
    objective: Any = "score"
    *before, last = split_outside_parentheses(rest, ",")
    if before and last.strip().startswith("objective="):
        objective = last.strip().removeprefix("objective=")
        if objective not in OBJECTIVES:
            raise AgentError(f"expected objective= score or wins in {spec!r}, got {objective!r}")
        rest = ",".join(before)
    opponent = _parse(rest.strip(), table, depth + 1)
    return best_response_policy(opponent, objective, spec, table)


def _parse_mixture(spec: str, rest: str, table: StateTable, depth: int) -> Policy:
    parts: list[tuple[Fraction, Policy]] = []
    for term in split_outside_parentheses(rest, "+"):
        share_text, star, agent = term.partition("*")
        share = fraction(share_text.strip())
        if not star or share is None or share < 0:
            raise AgentError(f"expected {COMPOSITES['mix']}, got the part {term!r} in {spec!r}")
        parts.append((share, _parse(agent.strip(), table, depth + 1)))
    total = sum(share for share, _ in parts)
    if total != 1:
        raise AgentError(f"expected shares that sum to 1 in {spec!r}, got {total}")
    if all(policy.weights is not None for _, policy in parts):
        weights = scripted.mixture([(share, policy.weights) for share, policy in parts if policy.weights is not None])
        if weights is not None:
            return Policy.from_weights(weights, spec, table=table)
    probabilities = np.sum([float(share) * policy.probabilities for share, policy in parts], axis=0)
    return Policy.from_probabilities(probabilities, spec, table=table)


def split_agents(text: str, more_options: Collection[str] = ()) -> list[str]:
    """Return the agents of a comma-separated list, where a comma may also separate options.

    A part that looks like `option=value` belongs to the agent before it, if an agent has such an option
    or it is one of `more_options`.

    Examples
    --------
    >>> split_agents("random,minimax:tie=first,prefer=fast,heuribot")
    ['random', 'minimax:tie=first,prefer=fast', 'heuribot']
    """
    agents: list[str] = []
    for part in split_outside_parentheses(text, ","):
        key = part.partition("=")[0].strip()
        if agents and "=" in part and (key in _OPTION_NAMES or key in more_options):
            agents[-1] += "," + part
        else:
            agents.append(part.strip())
    return agents


_OPTION_NAMES = {key for agent in AGENTS.values() for key in agent.options} | {"objective"}


def agent_rows() -> list[dict[str, str]]:
    """Return the agents and their options as rows: agent, option, values, default, meaning."""
    rows = []
    for name, agent in AGENTS.items():
        rows.append({"agent": name, "option": "", "values": "", "default": "", "meaning": agent.summary})
        rows += [
            {"agent": "", "option": key, "values": one.values, "default": one.default, "meaning": one.summary}
            for key, one in agent.options.items()
        ]
    meanings = {
        "best-response": "the policy that exploits AGENT best, in either seat",
        "mix": "at every move, each AGENT with probability P (0.9, 1/3); the P sum to 1",
    }
    rows += [
        {"agent": usage, "option": "", "values": "", "default": "", "meaning": meanings[name]}
        for name, usage in COMPOSITES.items()
    ]
    files = ", ".join(POLICY_SUFFIXES)
    rows.append({"agent": f"FILE ({files})", "option": "", "values": "", "default": "", "meaning": "a saved policy"})
    return rows
