"""Agents that are handed over in Python, as policies, as players, and by a name while a contest lasts."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ttt_fast.agents.asked import asked_policy
from ttt_fast.agents.python_agents import FunctionPlayer, made_of
from ttt_fast.agents.registry import make_player, parse_agent
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.core.foreign import GIVEN, given_name
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.policies.given import AgentLike, check_agent
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player
from ttt_fast.tables import table_of

_naming = threading.Lock()


def read_policy(agent: AgentLike, game: Game | str) -> Policy:
    """Return the policy of an agent string, or of code of others, over the table of a game.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> def first(state):
    ...     return api.legal_actions(state)[0]
    >>> read_policy(first, "tic-tac-toe")
    <Policy first of tic-tac-toe: choice, holds 4,520 of 4,520 states>
    """
    if isinstance(agent, str):
        return parse_agent(agent, game)
    table = table_of(game)
    found = _made(agent, table.game)
    return found if isinstance(found, Policy) else asked_policy(table, found.name, found.answer, found.begin)


def player_of(agent: AgentLike, game: Game | str) -> Player:
    """Return a new player of an agent, for one thread.

    Examples
    --------
    >>> player_of("mcts:sims=100", "connect4").name, player_of(min, "connect4").name
    ('mcts:sims=100', 'min')
    """
    played = parse_game(game) if isinstance(game, str) else game
    if isinstance(check_agent(agent), str):
        return make_player(str(agent), played)
    found = _made(agent, played)
    return PolicyPlayer(found) if isinstance(found, Policy) else found


def _made(agent: Any, game: Game) -> Policy | FunctionPlayer:
    """Return a policy under its own name, or the player that asks."""
    return made_of(agent, agent.name if isinstance(agent, Policy) else given_name(agent), game)


@contextmanager
def named(*agents: AgentLike) -> Iterator[list[str]]:
    """Give agents that are no strings names, `python:given:NAME`, by which the threads of this process find them.

    Examples
    --------
    >>> with named("random", min) as names:
    ...     names, player_of(names[1], "connect4").name
    (['random', 'python:given:min'], 'python:given:min')
    """
    names, taken = [], []
    for agent in agents:
        if isinstance(check_agent(agent), str):
            names.append(str(agent))
            continue
        base = given_name(agent)
        with _naming:
            number = 1
            while (name := base if number == 1 else f"{base}_{number}") in GIVEN:
                number += 1
            GIVEN[name] = agent
        taken.append(name)
        names.append(f"python:given:{name}")
    try:
        yield names
    finally:
        for name in taken:
            del GIVEN[name]
