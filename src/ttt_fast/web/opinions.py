"""An agent's chances and values of all actions of a game with a small table, as the page shows them."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import as_player
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.analysis.moves import agent_moves
from ttt_fast.core.archive import read_meta
from ttt_fast.running.progress import tell
from ttt_fast.tables import StateTable
from ttt_fast.values.files import form_of, is_policy, load_learned

_TOLD_EACH = 64  # states between two words of progress


class AgentView(NamedTuple):
    """What an agent does and thinks in every state of a table (S states, E edges).

    Attributes
    ----------
    name
        Its agent string.
    chances : (E,) float64
        The probability of each action; those of a search are 1 for the action that it takes with seed 0.
    values : (E,) float64
        Its value of each action for the player to move, in its own units; nan where it has none.
    held : (S,) bool
        The states that it knows.
    """

    name: str
    chances: NDArray[np.float64]
    values: NDArray[np.float64]
    held: NDArray[np.bool_]


def view_of_agent(spec: str, table: StateTable) -> AgentView:
    """Return an agent's chances and values; a player that thinks is asked about each state, once.

    Raises
    ------
    AgentError
        If the string names no agent of this game, or an option is unknown or has an impossible value.
    FileFormatError
        If it names a file that cannot be read.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> view = view_of_agent("heuribot", table_of("tic-tac-toe"))
    >>> view.chances[:9].argmax(), bool(np.isnan(view.values).all())
    (np.int64(4), True)
    """
    player = as_player(spec, table.game)
    if isinstance(player, PolicyPlayer):
        policy = player.policy
        return AgentView(spec, policy.edge_probabilities, _learned_values(spec, table), policy.held)
    chances, values = np.zeros(table.num_edges), np.full(table.num_edges, np.nan)
    states = np.flatnonzero(table.decision_mask).tolist()
    for asked, index in enumerate(states):
        if asked % _TOLD_EACH == 0:
            tell(f"asking {spec}", asked, len(states), "states")
        view = agent_moves(player, table.state(index))
        for edge in range(int(table.edge_start[index]), int(table.edge_start[index + 1])):
            action = int(table.edge_action[edge])
            chances[edge] = view.probabilities.get(action, 0.0)
            values[edge] = view.values.get(action, np.nan)
    return AgentView(spec, chances, values, table.decision_mask)


def _learned_values(spec: str, table: StateTable) -> NDArray[np.float64]:
    """Return the values of the file that an agent string names, (E,) float64; nan where it names none."""
    nothing = np.full(table.num_edges, np.nan)
    if not Path(spec).is_file() or not form_of(spec) or not is_policy(read_meta(spec)):
        return nothing
    values = load_learned(spec).values
    known: NDArray[np.float64] = getattr(values, "q", nothing)
    held: NDArray[np.bool_] = getattr(values, "held", table.decision_mask)
    return np.where(held[table.edge_state], known, np.nan) if known.shape == nothing.shape else nothing
