"""The table of a custom game that is defined by plain Python functions."""

from collections.abc import Callable, Hashable, Iterable

from ttt_fast.core.checks import whole_number
from ttt_fast.games.custom import MAX_STATES, Move, Position, Rules, enumerate_game
from ttt_fast.games.registry import add_custom_game, check_name
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
    """Return the table of a custom game defined by plain Python functions, for all features including searches.

    Afterwards the game is known by its name in this process: `as_policy("random", "my-game")`,
    `TrainingConfig(game=...)`. A state of the table is a state of the functions together with its number of plies.
    Actions are numbered in sorted order, or in the order of discovery if they cannot be sorted.  Their text is that of
    `str`, without blanks.  The agent `default` sees wins but no threats, because the functions cannot evaluate a move
    by the opponent out of turn.

    Parameters
    ----------
    initial
        The initial state.  States and actions are any hashable objects; equal objects are the same state or action.
    legal_actions
        Returns the legal actions of an ongoing state.
    play
        Returns the state after an action; it must not modify its argument.
    result
        Returns None while the game is not over, then 1 (X has won), 0 (a draw) or -1 (O has won).
    player
        Returns the player to move in an ongoing state: 1 or 'x'; 2, -1 or 'o' (default: X and O alternate).
    name
        Name of the game; a second custom game with the same name replaces the first.
    text
        Returns the text of a state, for example a drawing (default: `str`).
    max_states
        Largest number of states.

    Raises
    ------
    UsageError
        If the game does not end within 127 plies or has more than 256 actions.  Also if a function raises an error, or
        returns an invalid or inconsistent value.
    TableSizeError
        If there are more than `max_states` states.

    Examples
    --------
    Taking the last of ten matches wins; one to three are taken at a time.

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
    game = enumerate_game(name, initial, rules, whole_number(max_states, "max_states"))
    return table_of(add_custom_game(name, game), game.num_states)
