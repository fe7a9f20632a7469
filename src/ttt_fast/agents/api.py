"""Extension point: agents of your own under a name, and the protocol of players.

`add_agent(name, Agent(...))` makes an agent known to Python and to every command of the process.  An agent has a policy
over the table of a game, a player that searches, or both.
"""

from ttt_fast.agents.agent import Agent
from ttt_fast.agents.catalogue import add_agent
from ttt_fast.agents.convert import AgentLike
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.search.player import DrawingPlayer, MixedPlayer, Thought, WrappedPlayer

__all__ = [
    "Agent",
    "AgentLike",
    "DrawingPlayer",
    "MixedPlayer",
    "PolicyPlayer",
    "Thought",
    "WrappedPlayer",
    "add_agent",
]
