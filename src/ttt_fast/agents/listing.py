"""The agents of a game, a row each."""

from ttt_fast.agents.registry import agent_rows
from ttt_fast.games.registry import Game


def list_agents(game: Game | str | None = None) -> list[dict[str, str]]:
    """Return the agents that play a game: `agent`, how it is spelled; `meaning`; `options`, with their defaults.

    Parameters
    ----------
    game
        The game, or its name; None: of all games.

    Examples
    --------
    >>> rows = list_agents("connect4")
    >>> rows[0]["agent"], rows[0]["meaning"]
    ('random', 'draws uniformly from the legal actions')
    >>> {row["agent"] for row in rows} >= {"minimax", "mcts", "alphabeta", "learned"}
    True
    """
    name = game.name if isinstance(game, Game) else game
    listed: list[dict[str, str]] = []
    for row in agent_rows(None if name is None else name.partition(":")[0]):
        if row["agent"]:
            listed.append({"agent": row["agent"], "meaning": row["meaning"], "options": ""})
            continue
        told = f"{row['option']}={row['default']}"
        listed[-1]["options"] += f",{told}" if listed[-1]["options"] else told
    return listed
