"""Extension point: custom agents under a name, and the protocol of players.

`add_agent(name, Agent(...))` registers an agent for Python and for every command of the process.  An agent has a policy
over the table of a game, a player that searches, or both.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.agents.catalogue import Agent as Agent, add_agent as add_agent
    from ttt_fast.agents.convert import AgentLike as AgentLike
    from ttt_fast.core.specs import Option as Option, integer as integer
    from ttt_fast.search.player import (
        DrawingPlayer as DrawingPlayer,
        SearchResult as SearchResult,
        WrappedPlayer as WrappedPlayer,
    )

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "agents.catalogue": "Agent add_agent",
        "agents.convert": "AgentLike",
        "core.specs": "Option integer",
        "search.player": "DrawingPlayer SearchResult WrappedPlayer",
    },
)
