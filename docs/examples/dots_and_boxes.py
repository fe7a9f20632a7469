"""Dots and Boxes, a game by plain functions: the player that closes a box moves again."""

from ttt_fast import best_response, solution_of, table_from_functions

ROWS, COLUMNS = 2, 2
ACROSS = [[f"h{row}{column}" for column in range(COLUMNS)] for row in range(ROWS + 1)]
DOWN = [[f"v{row}{column}" for column in range(COLUMNS + 1)] for row in range(ROWS)]
LINES = [line for row in ACROSS + DOWN for line in row]
BOXES = [{ACROSS[r][c], ACROSS[r + 1][c], DOWN[r][c], DOWN[r][c + 1]} for r in range(ROWS) for c in range(COLUMNS)]


def legal_actions(state):
    """Return the lines that are not drawn."""
    return [line for line in LINES if line not in state[0]]


def play(state, line):
    """Return the state after a line."""
    drawn, lead, mover = state  # a set of lines, the boxes that X is ahead, 1 (X) or 2 (O)
    after = drawn | {line}
    closed = sum(line in box and box <= after for box in BOXES)
    return after, lead + (closed if mover == 1 else -closed), mover if closed else 3 - mover


def result(state):
    """Return the sign of the lead of X at the end, and None before."""
    drawn, lead, _ = state
    return None if len(drawn) < len(LINES) else (lead > 0) - (lead < 0)


def text(state):
    """Return a picture of a state."""
    rows = ["+" + "+".join("--" if line in state[0] else "  " for line in across) + "+" for across in ACROSS]
    between = ["  ".join("|" if line in state[0] else " " for line in down) for down in DOWN]
    picture = "\n".join(line for pair in zip(rows, [*between, ""], strict=True) for line in pair)
    return f"{picture}X {state[1]:+}, {'XO'[state[2] - 1]} to move"


table = table_from_functions(
    (frozenset(), 0, 1), legal_actions, play, result, player=lambda state: state[2], name="dots", text=text
)
value = int(solution_of(table).value[0])
best = best_response("random", game="dots")
