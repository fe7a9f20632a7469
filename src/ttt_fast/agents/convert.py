"""Conversion of texts, policies, arrays, callables and objects to a `Policy` or a `Player`."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ttt_fast.agents.resolve import (
    AgentLike as AgentLike,
    as_spec as as_spec,
    game_of,
    named_spec,
    policy_on,
    resolve,
)
from ttt_fast.agents.simple_players import seated
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.agents.tabulate import answers_in
from ttt_fast.core.checks import list_of
from ttt_fast.core.errors import AgentError, AnswerError, PolicyError, TableSizeError
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.policies.arrays import policy_from_array
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_table

DEFAULT_GAME = "tic-tac-toe"


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


def over_table(specs: Sequence[AgentSpec], game: Game) -> list[AgentSpec]:
    """Return agents as policies over the table of a game: functions, networks and other objects are queried in it.

    They are returned unchanged if one of them searches, does not always answer alike, or fails in a state.

    Examples
    --------
    >>> [spec.text for spec in over_table(as_specs(["random", min]), parse_game("tic-tac-toe"))]
    ['random', 'python:given:min']
    """
    table, found = find_table(game), []
    objects = [spec for spec in specs if not is_tabular(spec, game)]
    if table is None or not objects or any(spec.origin not in ("object", "external") for spec in objects):
        return [*specs]
    for spec in specs:
        if spec in objects:
            try:
                policy = resolve(spec, game).whole
            except (AgentError, AnswerError):
                return [*specs]
            spec = replace(as_spec(policy), text=spec.text)
        found.append(spec)
    return found


def as_policy(agent: AgentLike, game: StateTable | Game | str | None = None, name: str | None = None) -> Policy:
    """Return the policy of an agent over the table of a game.

    Parameters
    ----------
    agent
        A policy, an agent string, a path, a spec, an array, a function of a state, or an object with `choose` or
        `action_values`.  A policy is returned unchanged.  An array has (S,) actions, or (S, A) or (E,) probabilities,
        and may omit the rows of finished games.  A function or `choose` must be deterministic, since it is queried
        twice in every state.
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
    if isinstance(agent, Policy) and game is not None and game_of(place) != agent.table.game:
        wanted, other = game_of(place).spec, agent.table.game.spec
        raise PolicyError(f"expected a policy for {wanted}, got {agent.name!r} for {other}")
    if isinstance(place, StateTable) and place.fixed is not None and getattr(agent, "table", None) is not place:
        policy = policy_on(agent, place)
    elif isinstance(agent, Policy):
        policy = agent
    else:
        try:
            policy = resolve(named_spec(agent, name), game_of(place)).over(place)
        except TableSizeError as error:
            if not api.has_exact_key(game_of(place).initial_state):
                raise
            hint = "--fixed-seat, or induced_table(agent, seat, game), needs only the positions against one agent"
            raise TableSizeError(f"{error}; {hint}") from None
    return policy if name is None else policy.renamed(name)


def _place(game: StateTable | Game | str) -> StateTable | Game:
    return game if isinstance(game, StateTable) else parse_game(game)


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
    >>> from ttt_fast import table_of
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
    if find_table(game) is None:
        return False
    spec = as_spec(agent)
    try:
        return resolve(spec, game).is_tabular
    except (AgentError, PolicyError):
        return spec.origin not in ("object", "external")


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
    game = parse_game(game)
    return seated(resolve(named_spec(agent), game).player(), *list_of(seats, "seats"))
