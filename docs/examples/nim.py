"""Nim as a custom game: a move takes any number of matches from one heap; who takes the last match wins."""

from ttt_fast import table_from_functions


def nim(*heaps, max_states=1_000_000):
    """Return the table of Nim with some heaps; a network sees each match as a 1."""

    def legal_actions(state):
        return [(heap, taken) for heap, matches in enumerate(state[1]) for taken in range(1, matches + 1)]

    def play(state, action):
        heap, taken = action
        left = list(state[1])
        left[heap] -= taken
        return 3 - state[0], tuple(left)

    def result(state):
        return None if any(state[1]) else 1 if state[0] == 2 else -1

    def observe(state):
        return [int(match < left) for matches, left in zip(heaps, state[1], strict=True) for match in range(matches)]

    return table_from_functions(
        (1, heaps), legal_actions, play, result, player=lambda state: state[0], name=f"nim-{'-'.join(map(str, heaps))}",
        observe=observe, max_states=max_states,
    )  # fmt: skip


if __name__ == "__main__":
    print(nim(1, 3, 5, 7))
