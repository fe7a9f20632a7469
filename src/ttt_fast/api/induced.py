"""Exact strength in games that are too large for a state table: the agent in one seat, against any opponent."""

from ttt_fast.agents.convert import DEFAULT_GAME, AgentLike
from ttt_fast.agents.sources import source_of
from ttt_fast.analysis.induced import InducedTable, induced_of, partial_text
from ttt_fast.analysis.levels import InducedSizeError
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.games.results import Seat


def induced_table(
    agent: AgentLike, seat: int | str, game: Game | str = DEFAULT_GAME, *, max_positions: float | None = None
) -> InducedTable:
    """Return the states that remain when an agent moves in one seat and the other seat is free.

    The results over these states are exact: against any opponent, including the best response.  The agent is queried
    once in each state of its seat, in batches, and again in a sample.

    Parameters
    ----------
    agent
        An agent whose move depends on the position alone: scripted rules, `alphabeta` to a depth, `solver`, files of
        learned values, functions of a state, programs.  Of a game with a state table, any agent with a policy.  An
        object with a method `action_values`, such as a network, receives the observations of many states at once, (B,
        planes, rows, columns) float32, and returns (B, A) numbers; the legal action with the highest number is played.
    seat
        The seat of the agent: `x` or `o`.
    game
        The game, or its name.
    max_positions
        Largest number of positions (default: as many as memory and disk have room for).

    Raises
    ------
    TableSizeError
        If there are more positions, or the forecast says so.
    AgentError
        If the agent does not always answer alike, or its moves do not depend on the position alone.

    Examples
    --------
    >>> induced = induced_table("centre-first", "o", game="connect4:columns=5,rows=4")
    >>> induced.positions, round(induced.outcome("random").o_wins, 6), induced.best_value
    (11574, 0.858838, 1.0)
    """
    game = parse_game(game) if isinstance(game, str) else game
    source = source_of(agent, game)
    try:
        return induced_of(source, agent, game, Seat.parse(seat), max_positions)
    except InducedSizeError as error:
        text = f"{error}; {partial_text(error)}"
        raise InducedSizeError(text, error.levels, error.forecast) from None
    finally:
        source.close()
