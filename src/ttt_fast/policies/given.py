"""Agents as people hand them over in Python: policies, agent strings, functions of a state, objects that choose."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import PolicyError
from ttt_fast.core.late import late
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.policies.policy import Policy

USUAL_GAME = "tic-tac-toe"


class Chooser(Protocol):
    """An object of somebody else that plays; it may have `begin(seed)`, which is called before each game."""

    def choose(self, state: Any) -> Any:
        """Return an action, or a probability for each action, in an ongoing state."""


AgentLike = Policy | str | Callable[[Any], Any] | Chooser
"""A policy, an agent string, a function of a state, or an object with `choose`."""


def is_own(agent: object) -> bool:
    """Return whether something is code of others that plays: a function of a state, or an object with `choose`.

    Examples
    --------
    >>> is_own(max), is_own("random"), is_own(np.zeros(9))
    (True, False, False)
    """
    if isinstance(agent, Policy | str | np.ndarray):
        return False
    return callable(agent) or callable(getattr(agent, "choose", None))


def check_agent(agent: Any) -> AgentLike:
    """Return an agent, or raise PolicyError if it is another thing."""
    if isinstance(agent, Policy | str) or is_own(agent):
        given: AgentLike = agent
        return given
    wanted = "a policy, an agent string, a function of a state or an object with choose"
    raise PolicyError(f"expected {wanted}, got {shown(agent)}")


def policy_of(agent: AgentLike, game: Game | str | None = None) -> Policy:
    """Return the policy of an agent: itself, that which a string names, or the answers of somebody's code.

    Parameters
    ----------
    agent
        The agent.  Code of others is asked about every state, twice, and must answer alike.
    game
        The game of an agent that is no policy (default: tic-tac-toe).

    Raises
    ------
    PolicyError
        If it is no agent, or answers with something else than legal moves.
    AgentError
        If a string names no agent with a policy.

    Examples
    --------
    >>> policy_of("random", "connect4:columns=4,rows=4")
    <Policy random of connect4:columns=4,rows=4: uniform, holds 134,289 of 134,289 states>
    """
    if isinstance(agent, Policy):
        return agent
    policy: Policy = late("read_policy")(check_agent(agent), game or USUAL_GAME)
    return policy


def pair_of(x: AgentLike, o: AgentLike, game: Game | str | None = None) -> tuple[Policy, Policy]:
    """Return the policies of X and O, agents of one game: by default that of the one that is a policy.

    A policy that holds no state of its seat is an `UnlearnedSeatWarning`.

    Raises
    ------
    PolicyError
        If they are no agents, or play different games.

    Examples
    --------
    >>> [one.name for one in pair_of("random", "minimax")]
    ['random', 'minimax']
    """
    for one in (x, o):
        if game is None and isinstance(one, Policy):
            game = one.table.game
    first, second = policy_of(x, game), policy_of(o, game)
    if first.table is not second.table:
        raise PolicyError(
            f"expected two policies of one game, got {first.name!r} of {first.table.game.spec!r} and"
            f" {second.name!r} of {second.table.game.spec!r}"
        )
    return first.for_seat(api.X), second.for_seat(api.O)
