"""The data of a page of Connect 4 without a table: the board, and the weights of agents that do not search."""

from collections.abc import Sequence

from ttt_fast import AgentError, Game, TableSizeError, as_player, table_of
from ttt_fast.web.page_data import MAX_PAGE_STATES, board_shape


def needs_weights(game: Game) -> bool:
    """Return whether a game is too large for the page of its table, and its moves are columns."""
    if board_shape(game)["kind"] != "columns":
        return False
    try:
        table_of(game, MAX_PAGE_STATES)
    except TableSizeError:
        return True
    return False


def column_page_data(game: Game, agents: Sequence[str]) -> dict[str, object] | None:
    """Return the content of a page of proven players, ready to be written as JSON; None if another agent is named.

    Parameters
    ----------
    game
        Connect 4, on any board.
    agents
        Agent strings.

    Raises
    ------
    AgentError
        If an agent is named twice, or plays another board.
    """
    if not agents or len(set(agents)) < len(agents):
        raise AgentError(f"expected one or more agents, each once, got {', '.join(agents)!r}")
    players = [as_player(spec, game) for spec in agents]
    described = [getattr(player, "weights_as_json", None) for player in players]
    agents_data = [describe() for describe in described if describe is not None]
    if len(agents_data) < len(players):
        return None
    state = game.initial_state
    return {
        "game": game.spec,
        "shape": board_shape(game),
        "length": int(getattr(state, "length", 0)),
        "moves": [game.format_moves([action]) for action in range(game.num_actions)],
        "agents": agents_data,
    }
