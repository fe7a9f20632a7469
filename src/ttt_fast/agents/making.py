"""The policy or the player of a parsed agent, and the spec of an object."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.external import FunctionPlayer, from_object
from ttt_fast.agents.registry import agent_of, epsilon_of, objective_of, unknown_agent
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.agents.spec import BEST_RESPONSE, PYTHON, AgentSpec, parse_agent
from ttt_fast.agents.tabulate import tabulate
from ttt_fast.core.archive import read_meta
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import OTHER_PROGRAMS, AgentError, PolicyError, TableSizeError
from ttt_fast.core.external import load_object, object_name
from ttt_fast.games.game import Game
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.files import POLICY_SUFFIXES, load_policy
from ttt_fast.policies.files.npz import POLICY_KIND, Q_TABLE_KIND
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import mixture
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_table, table_hint, table_of

_LEARNED_SUFFIX = ".npz"


class Chooser(Protocol):
    """An object that plays; an optional method `begin(seed)` is called before each game.

    Threads call it one after another, unless it has an attribute `thread_safe = True`.
    """

    def choose(self, state: Any) -> Any:
        """Return an action, or a probability for each action, in an ongoing state."""


AgentLike = AgentSpec | Policy | str | os.PathLike[str] | Callable[[Any], Any] | Chooser | NDArray[Any]
"""An agent's text or spec, a policy, an array, a function of a state, or an object with `choose`."""


def as_spec(agent: AgentLike) -> AgentSpec:
    """Return the spec of an agent: parsed from its text, or holding the object.

    Raises
    ------
    AgentError
        If a text is malformed.
    PolicyError
        If the object is not an agent.

    Examples
    --------
    >>> as_spec("minimax").origin, as_spec(min).text
    ('built in', 'python:given:min')
    """
    if isinstance(agent, AgentSpec):
        return agent
    if isinstance(agent, str | os.PathLike):
        return parse_agent(os.fspath(agent))
    if not isinstance(agent, Policy | np.ndarray) and not callable(agent) and not _chooses(agent):
        wanted = "a policy, an agent string, a function of a state, or an object with a method choose"
        raise PolicyError(f"expected {wanted}, got {shown(agent)}")
    name = agent.name if isinstance(agent, Policy) else object_name(agent)
    return AgentSpec(f"{PYTHON}:given:{name}", name, "object", value=agent)


def _chooses(agent: object) -> bool:
    return callable(getattr(agent, "choose", None))


def named_spec(agent: AgentLike, name: str | None = None) -> AgentSpec:
    """Return the spec of an agent; an object has its own name, or the given one."""
    spec = as_spec(agent)
    return spec if spec.value is None or isinstance(agent, AgentSpec) else replace(spec, text=name or spec.name)


def game_of(place: StateTable | Game) -> Game:
    """Return the game of a table, or a game unchanged."""
    return place.game if isinstance(place, StateTable) else place


def policy_of(spec: AgentSpec, place: StateTable | Game) -> Policy:
    """Return the policy of a spec over a table; the table of a game is built after the spec is checked."""
    game = game_of(place)
    if spec.origin in ("object", "external"):
        table = table_of(place)
        found = loaded_object(spec, game)
        return found if isinstance(found, Policy) else tabulate(table, found.name, found.answer, found.begin)
    if spec.name == BEST_RESPONSE and spec.children:
        return best_response_policy(policy_of(spec.children[0], place), objective_of(spec), spec.text)
    if spec.children:
        return _mixture([policy_of(child, place) for child in spec.children], spec)
    if spec.origin == "file":
        if os.path.splitext(spec.text)[1].lower() not in POLICY_SUFFIXES and not os.path.isfile(spec.text):
            raise unknown_agent(spec, game)
        return load_policy(spec.text, table_of(place)).renamed(spec.text)
    agent, values = agent_of(spec, game)
    make = agent.policy or agent.fill
    if make is None:
        wanted = f"an agent with a policy over the states of {game.spec}"
        raise AgentError(f"expected {wanted}, got {spec.text!r}, a searching agent; use it in `match`")
    return make(table_of(place), spec.text, **values)


def loaded_object(spec: AgentSpec, game: Game) -> Policy | FunctionPlayer:
    """Return the policy or the player of an object; the object is loaded if the spec contains only its name."""
    if spec.is_signature:
        raise AgentError(f"expected the policy object {spec.text!r}, which was created in Python, got only the name")
    value = load_object(f"{PYTHON}:{spec.argument}") if spec.value is None else spec.value
    return from_object(value, spec.text, game)


def _mixture(policies: Sequence[Policy], spec: AgentSpec) -> Policy:
    parts = list(zip(spec.shares, policies, strict=True))
    table = policies[0].table
    weights = mixture(table, [(share, policy.edge_weights) for share, policy in parts])
    held = np.logical_and.reduce([policy.held for share, policy in parts if share])
    if weights is not None:
        return Policy.from_weights(table, weights, spec.text, held=held)
    mixed = sum(float(share) * policy.edge_probabilities for share, policy in parts)
    return Policy.from_probabilities(table, mixed, spec.text, held=held)


def is_learned_file(spec: AgentSpec) -> bool:
    """Return whether a file contains learned values that do not form a policy over a table."""
    if not spec.name.lower().endswith(_LEARNED_SUFFIX):
        return False
    meta = read_meta(spec.name)
    from ttt_fast.values.files import is_policy

    return meta.get("kind") != POLICY_KIND and not (meta.get("kind") == Q_TABLE_KIND and is_policy(meta))


def player_of(spec: AgentSpec, game: Game) -> Player:
    """Return a new player of a spec."""
    if spec.origin in ("object", "external"):
        found = loaded_object(spec, game)
        return PolicyPlayer(found) if isinstance(found, Policy) else found
    has_table = find_table(game) is not None
    if spec.name in AGENTS and not spec.children:
        family, values = agent_of(spec, game)
        if family.player is not None and (family.policy is None or not has_table):
            return family.player(spec.text, game, **values)
    elif spec.origin == "file" and is_learned_file(spec) and (not has_table or os.path.exists(spec.name)):
        from ttt_fast.agents.learned import load_player

        return load_player(spec.text, spec.name, game, epsilon_of(spec))
    try:
        return PolicyPlayer(policy_of(spec, game))
    except TableSizeError:
        if spec.name in AGENTS or spec.children or spec.origin == "file":
            others = [name for name in ("solver", "alphabeta", "mcts") if AGENTS[name].fits(game)]
            named = f", such as {', '.join(others)}," if others else ","
            wanted = f"an agent that plays {game.spec} without a state table{named}"
            is_foreign = spec.origin == "file" and not spec.name.lower().endswith(_LEARNED_SUFFIX)
            hint = OTHER_PROGRAMS if is_foreign else table_hint(game)
            raise AgentError(f"expected {wanted} got {spec.text!r}{hint}") from None
        raise
