"""The table of a game of others, from plain Python functions."""

from collections.abc import Callable, Hashable, Iterable

from ttt_fast.core.checks import whole_number
from ttt_fast.games.foreign import MAX_STATES, Move, Position, Rules, walk
from ttt_fast.games.registry import add_foreign_game, check_name
from ttt_fast.tables import table_of
from ttt_fast.tables.state_table import StateTable


def table_from_functions(
    initial: Position,
    legal_actions: Callable[[Position], Iterable[Move]],
    play: Callable[[Position, Move], Position],
    result: Callable[[Position], Hashable],
    *,
    player: Callable[[Position], int | str] | None = None,
    name: str = "my-game",
    text: Callable[[Position], str] = str,
    max_states: int = MAX_STATES,
) -> StateTable:
    """Return the table of a game that plain Python functions play; everything works on it, searches included.

    The game has its name from then on in this process: `as_policy("random", "my-game")`, `TrainingConfig(game=...)`.
    A state of the table is one of the functions after a number of plies.  Actions are numbered in their order, or as
    they are met where they cannot be sorted, and are written as `str` writes them, without blanks.  The agent `default`
    sees wins, but no threats: functions do not tell what the other player could do, were it his turn.

    Parameters
    ----------
    initial
        The initial state.  A state is any hashable object, as is an action; equal ones are the same.
    legal_actions
        Returns the legal actions of an ongoing state.
    play
        Returns the state after an action, and leaves the one before as it is.
    result
        Returns None while the game goes on, then 1 (X has won), 0 (a draw) or -1 (O has won).
    player
        Returns the player to move in an ongoing state: 1 or 'x'; 2, -1 or 'o' (default: X and O alternate).
    name
        Name of the game; a second game from functions may take the name of the first.
    text
        Returns the text of a state, a drawing for instance (default: `str`).
    max_states
        Largest number of states.

    Raises
    ------
    UsageError
        If the game does not end within 127 plies, has more than 256 actions, or a function fails, changes its answer,
        or gives one that means nothing.
    TableSizeError
        If there are more states.

    Examples
    --------
    Who takes the last of ten matches wins; one to three are taken at a time.

    >>> table = table_from_functions(
    ...     (10, 1),
    ...     legal_actions=lambda state: range(1, min(3, state[0]) + 1),
    ...     play=lambda state, taken: (state[0] - taken, -state[1]),
    ...     result=lambda state: None if state[0] else -state[1],
    ...     name="matches",
    ... )
    >>> table
    <StateTable of matches: 44 states, 91 edges>
    >>> from ttt_fast.tables import solution_of
    >>> int(solution_of(table).value[0]), int(solution_of(table).distance[0])
    (1, 5)
    """
    check_name(name)
    rules = Rules(legal_actions, play, result, player, text)
    game = walk(name, initial, rules, whole_number(max_states, "max_states"))
    return table_of(add_foreign_game(name, game), game.num_states)
