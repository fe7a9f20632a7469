"""Conversion of texts, policies, arrays, callables, objects and programs to a `Policy` or a `Player`."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.external import FunctionPlayer, from_object
from ttt_fast.agents.registry import agent_of, epsilon_of, objective_of, unknown_agent
from ttt_fast.agents.simple_players import PolicyPlayer, seated
from ttt_fast.agents.spec import BEST_RESPONSE, ENGINE, PYTHON, AgentSpec, parse_agent
from ttt_fast.agents.tabulate import answers_in, tabulate
from ttt_fast.core.archive import read_meta
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, PolicyError, TableSizeError
from ttt_fast.core.external import load_object, object_name
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.files import POLICY_SUFFIXES, load_policy
from ttt_fast.policies.files.npz import POLICY_KIND, Q_TABLE_KIND
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import mixture
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_table, table_hint, table_of

DEFAULT_GAME = "tic-tac-toe"
_LEARNED_SUFFIX = ".npz"


class Chooser(Protocol):
    """An object that plays; an optional method `begin(seed)` is called before each game."""

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


def as_specs(agents: Iterable[AgentLike]) -> list[AgentSpec]:
    """Return the specs of agents; objects of the same name are numbered.

    Examples
    --------
    >>> [spec.text for spec in as_specs(["random", min, min])]
    ['random', 'python:given:min', 'python:given:min_2']
    """
    specs: list[AgentSpec] = []
    for agent in agents:
        spec, number = as_spec(agent), 1
        base = spec.text
        while spec.value is not None and any(other.text == spec.text for other in specs):
            number += 1
            spec = replace(spec, text=f"{base}_{number}")
        specs.append(spec)
    return specs


def as_policy(agent: AgentLike, game: StateTable | Game | str | None = None, name: str | None = None) -> Policy:
    """Return the policy of an agent over the table of a game.

    Parameters
    ----------
    agent
        A policy, an agent string, a spec, an array, a function of a state, or an object with `choose`.  A policy is
        returned unchanged.  An array has (S,) actions, or (S, A) or (E,) probabilities, and may omit the rows of
        finished games.  A function or object must be deterministic, since it is queried twice in every state.
    game
        The game, its table or its name (default: that of a policy, else tic-tac-toe).
    name
        The name of the policy (default: the text of the agent, or the name of the object).

    Raises
    ------
    AgentError
        If a text names no agent of this game that has a policy, or the agent is not deterministic.  Also if an option
        is unknown or has an impossible value.
    PolicyError
        If an array is not a policy, or a policy is of another game; AnswerError if a function fails or returns an
        illegal move.
    UsageError
        If `python:MODULE:NAME` cannot be loaded.
    FileFormatError
        If a file cannot be read.
    TableSizeError
        If the game has no table.

    Examples
    --------
    >>> as_policy("mix:3/4*minimax:tie=first+1/4*random").probabilities[0, :2]
    array([0.77777778, 0.02777778])
    >>> from ttt_fast.games import api
    >>> def last(state):
    ...     return api.legal_actions(state)[-1]
    >>> as_policy(last)["XO..X...."]
    {2: 0.0, 3: 0.0, 5: 0.0, 6: 0.0, 7: 0.0, 8: 1.0}
    """
    place = _place(DEFAULT_GAME if game is None else game)
    if isinstance(agent, Policy):
        _check_game(agent, game)
    if isinstance(place, StateTable) and place.fixed is not None and getattr(agent, "table", None) is not place:
        from ttt_fast.agents.sources import policy_on  # which calls this function for whole tables

        policy = policy_on(agent, place)
        return policy if name is None else policy.renamed(name)
    if isinstance(agent, Policy):
        return agent if name is None else agent.renamed(name)
    policy = _policy(_named(agent, name), place)
    return policy if name is None else policy.renamed(name)


def _named(agent: AgentLike, name: str | None = None) -> AgentSpec:
    """Return the spec of an agent; an object has its own name, or the given one."""
    spec = as_spec(agent)
    return spec if spec.value is None or isinstance(agent, AgentSpec) else replace(spec, text=name or spec.name)


def _place(game: StateTable | Game | str) -> StateTable | Game:
    return parse_game(game) if isinstance(game, str) else game


def _check_game(policy: Policy, game: StateTable | Game | str | None) -> None:
    """Raise PolicyError unless a policy belongs to a game."""
    if game is not None and (wanted := _game_of(_place(game))) != policy.table.game:
        raise PolicyError(f"expected a policy for {wanted.spec}, got {policy.name!r} for {policy.table.game.spec}")


def _game_of(place: StateTable | Game) -> Game:
    return place.game if isinstance(place, StateTable) else place


def _policy(spec: AgentSpec, place: StateTable | Game) -> Policy:
    """Return the policy of a spec over a table; the table of a game is built after the spec is checked."""
    game = _game_of(place)
    if spec.origin in ("object", "external"):
        return _external_policy(spec, table_of(place))
    if spec.name == BEST_RESPONSE and spec.children:
        return best_response_policy(_policy(spec.children[0], place), objective_of(spec), spec.text)
    if spec.children:
        return _mixture([_policy(child, place) for child in spec.children], spec)
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


def _external_policy(spec: AgentSpec, table: StateTable) -> Policy:
    """Return the policy of a program or an object, which is queried in every state unless it is a policy or array."""
    if spec.name == ENGINE and spec.origin == "external":
        from ttt_fast.agents import engine  # which few commands need

        return engine.tabulate_engine(table, spec)
    found = loaded_object(spec, table.game)
    return found if isinstance(found, Policy) else tabulate(table, found.name, found.answer, found.begin)


def loaded_object(spec: AgentSpec, game: Game) -> Policy | FunctionPlayer:
    """Return the policy or the player of an object; the object is loaded if the spec contains only its name."""
    if spec.is_signature:
        raise AgentError(f"expected the policy object {spec.text!r}, which was created in Python, got only the name")
    value = load_object(f"{PYTHON}:{spec.argument}", "an agent") if spec.value is None else spec.value
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


def as_policies(x: AgentLike, o: AgentLike, game: Game | str | None = None) -> tuple[Policy, Policy]:
    """Return the policies of two agents of one game (default: the game of the agent that is a policy).

    Raises
    ------
    PolicyError
        If an argument is not an agent.  The typed functions check that both policies belong to one game.

    Examples
    --------
    >>> [policy.name for policy in as_policies("random", "minimax")]
    ['random', 'minimax']
    """
    policies = [one for one in (x, o) if isinstance(one, Policy)]
    wanted: StateTable | Game | str | None = policies[0].table if game is None and policies else game
    first, second = (one if isinstance(one, Policy) else as_policy(one, wanted) for one in (x, o))
    return first, second


def as_learned_policy(
    given: AgentLike | ArrayLike,
    table: StateTable,
    states: NDArray[np.int32],
    name: str = "policy",
    *,
    scores: bool = False,
) -> Policy:
    """Return the policy of a learning program.

    A policy or a text is converted as by `as_policy`.  The policy of an array or a function is defined in `states`, and
    uniformly random elsewhere.

    Parameters
    ----------
    given
        A policy of this game; the text of an agent or the path of a file; an array as for `policy_from_array`; or a
        function of a state.  The function is queried once in each of `states`, and returns an action or A numbers.
    table, states, name, scores
        As for `policy_from_array`.

    Raises
    ------
    PolicyError
        If the object is not a policy of this game.

    Examples
    --------
    >>> table = table_of("tic-tac-toe")
    >>> as_learned_policy("minimax", table, np.arange(1, dtype=np.int32)).name
    'minimax'
    >>> asked = np.flatnonzero(table.player == 1).astype(np.int32)
    >>> as_learned_policy(lambda state: [1, 2, 3, 4, 9, 8, 7, 6, 5], table, asked, scores=True).greedy_actions()[0]
    np.uint8(4)
    """
    if isinstance(given, Policy | AgentSpec | str | os.PathLike):
        return as_policy(given, table)
    numbers: Any = answers_in(states, given, table, name) if callable(given) else given
    return policy_from_array(numbers, table, states, name, scores=scores)


def is_tabular(agent: AgentLike, game: Game) -> bool:
    """Return whether an agent is treated as a policy over the table of a game, and not as a player.

    Games between two such agents are simulated on the table; all other games are played one by one.  Agents inside a
    composite agent are not examined.  The result for an unknown name is True: its conversion reports the error.

    Raises
    ------
    UsageError
        If `python:MODULE:NAME` cannot be loaded.

    Examples
    --------
    >>> game = parse_game("tic-tac-toe")
    >>> is_tabular("minimax:tie=first", game), is_tabular("mcts", game)
    (True, False)
    >>> is_tabular("random", parse_game("connect4"))  # which has no table
    False
    """
    spec = as_spec(agent)
    if find_table(game) is None:
        return False
    if spec.origin in ("object", "external"):
        try:
            return spec.name != ENGINE and isinstance(loaded_object(spec, game), Policy)
        except (AgentError, PolicyError):
            return False
    if spec.name in AGENTS and AGENTS[spec.name].policy is None:
        return False
    return spec.origin != "file" or not is_learned_file(spec)


def is_learned_file(spec: AgentSpec) -> bool:
    """Return whether a file contains learned values that do not form a policy over a table."""
    if not spec.name.lower().endswith(_LEARNED_SUFFIX):
        return False
    meta = read_meta(spec.name)
    from ttt_fast.values.files import is_policy

    return meta.get("kind") != POLICY_KIND and not (meta.get("kind") == Q_TABLE_KIND and is_policy(meta))


def as_player(agent: AgentLike, game: Game | str = DEFAULT_GAME, *, seats: Iterable[int] = ()) -> Player:
    """Return a new player of an agent, for one thread.

    Parameters
    ----------
    agent
        As for `as_policy`; a function or an object need not be deterministic.
    game
        The game, or its name.
    seats
        The seats of the player.  A policy without learned states in one of them causes an `UnlearnedSeatWarning`.

    Raises
    ------
    AgentError
        If a text names no agent of this game, or an option is unknown or has an impossible value.
    PolicyError
        If an object is not an agent.

    Examples
    --------
    >>> as_player("default:skill=0.5", "connect4").name, as_player(min, "connect4").name
    ('default:skill=0.5', 'min')
    """
    game = parse_game(game) if isinstance(game, str) else game
    return seated(_player(_named(agent), game), *seats)


def _player(spec: AgentSpec, game: Game) -> Player:
    if spec.origin in ("object", "external"):
        return _external_player(spec, game)
    has_table = find_table(game) is not None
    if spec.name in AGENTS and not spec.children:
        family, values = agent_of(spec, game)
        if family.player is not None and (family.policy is None or not has_table):
            return family.player(spec.text, game, **values)
    elif spec.origin == "file" and is_learned_file(spec) and (not has_table or os.path.exists(spec.name)):
        from ttt_fast.agents.learned import load_player

        return load_player(spec.text, spec.name, game, epsilon_of(spec))
    try:
        return PolicyPlayer(as_policy(spec, game))
    except TableSizeError:
        if spec.name in AGENTS or spec.children or spec.origin == "file":
            wanted = f"an agent that plays {game.spec} without a state table"
            raise AgentError(f"expected {wanted}, got {spec.text!r}{table_hint(game)}") from None
        raise


def _external_player(spec: AgentSpec, game: Game) -> Player:
    if spec.name == ENGINE and spec.origin == "external":
        from ttt_fast.agents import engine

        player = engine.EnginePlayer(f"{ENGINE}:{spec.argument}", game)
        player.name = spec.text
        return player
    found = loaded_object(spec, game)
    return PolicyPlayer(found) if isinstance(found, Policy) else found
