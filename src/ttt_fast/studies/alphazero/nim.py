"""Nim as a custom game: a move takes any number of matches from one heap; who takes the last match wins."""

from ttt_fast import StateTable, table_from_functions

State = tuple[int, tuple[int, ...]]
"""The player to move, 1 or 2, and the matches of each heap."""


def nim(*heaps: int, max_states: int = 1_000_000) -> StateTable:
    """Return the table of Nim with some heaps; a network sees each match as a 1.

    Examples
    --------
    >>> nim(1, 2, 3)
    <StateTable of nim-1-2-3: 50 states, 121 edges>
    """

    def legal_actions(state: State) -> list[tuple[int, int]]:
        return [(heap, taken) for heap, matches in enumerate(state[1]) for taken in range(1, matches + 1)]

    def play(state: State, action: tuple[int, int]) -> State:
        heap, taken = action
        left = list(state[1])
        left[heap] -= taken
        return 3 - state[0], tuple(left)

    def result(state: State) -> int | None:
        return None if any(state[1]) else 1 if state[0] == 2 else -1

    def observe(state: State) -> list[int]:
        return [int(match < left) for matches, left in zip(heaps, state[1], strict=True) for match in range(matches)]

    return table_from_functions(
        (1, heaps), legal_actions, play, result, player=lambda state: state[0], name=f"nim-{'-'.join(map(str, heaps))}",
        observe=observe, max_states=max_states,
    )  # fmt: skip
