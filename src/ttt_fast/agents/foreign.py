"""The agents of others by the word before the colon: how they are spelled, and the policy or player that each makes."""

from ttt_fast.core.foreign import ENGINE, PYTHON
from ttt_fast.games.registry import Game
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_table

FOREIGN = {
    PYTHON: (
        "python:MODULE:NAME",
        "Python of your own: a function of a state, an object with choose, a Policy or an array",
    ),
    ENGINE: ("engine:[ms=N] COMMAND", "a program of your own, in lines on stdin and stdout (docs/ENGINES.md)"),
}
"""How they are spelled, and what they are."""


def foreign_policy(table: StateTable, spec: str) -> Policy:
    """Return the policy over a table of an agent of others, which is asked about every state."""
    from ttt_fast.agents import engine, python_agents  # which few commands need

    return engine.fill(table, spec) if spec.startswith(ENGINE) else python_agents.fill(table, spec)


def foreign_player(spec: str, game: Game) -> Player:
    """Return a player of an agent of others."""
    from ttt_fast.agents import engine, python_agents

    return engine.EnginePlayer(spec, game) if spec.startswith(ENGINE) else python_agents.build(spec, game)


def is_known_policy(spec: str, game: Game) -> bool:
    """Return whether the policy over the table of a game is known without asking about every state."""
    from ttt_fast.agents import python_agents

    return spec.startswith(PYTHON) and find_table(game) is not None and python_agents.is_policy(spec, game)
