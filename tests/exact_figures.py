"""The exact figures of FINDINGS once more, in plain Python with fractions and nothing from the package.

`python tests/exact_figures.py` prints them.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product

from reference import (
    START,
    Board,
    Strategy,
    after,
    all_states,
    buggy2_with,
    buggy_with,
    is_over,
    legal_actions,
    match,
    minimax_with,
    mover,
    put,
    random_player,
    value,
    winner,
)  # fmt: skip

Result = tuple[Fraction, ...]
"""The chances of a player to win, draw and lose."""
LINES_OF_X = 9 * 7 * 5 * 3
"""Equally likely lines of a random X against an O that draws nothing: the unit of O's chances is one of them."""
LINES_OF_O = 8 * 6 * 4 * 2
"""The same of a random O, where X chooses its first move too."""
GOALS: dict[str, Callable[[Result], tuple[Fraction, ...]]] = {
    "most wins": lambda of: (of[0], -of[2]),
    "best score": lambda of: (of[0] - of[2], of[0]),
    "best score, fewest wins": lambda of: (of[0] - of[2], -of[0]),
    "never loses, most wins": lambda of: (of[0],),
    "fewest draws": lambda of: (-of[1], of[0]),
}
"""What a player makes as large as it can, the first number first."""


@cache
def children(board: Board) -> dict[int, Board]:
    """The boards after each legal move."""
    return {action: after(board, action) for action in legal_actions(board)}


def best(seat: int, opponent: Strategy, goal: str, is_drawn: bool = False, start: Board = START) -> Result:
    """The result of the player that does best by a goal; one that never loses keeps the value of the game."""
    sign, key, is_safe = 3 - 2 * seat, GOALS[goal], goal.startswith("never")

    @cache
    def result(board: Board) -> Result:
        if not (after_each := children(board)):
            won = winner(board)
            return Fraction(won == seat), Fraction(won == 0), Fraction(won == 3 - seat)
        if mover(board) == seat and not (is_drawn and board == START):
            return max((result(one) for one in after_each.values() if not is_safe or sign * value(one) >= 0), key=key)
        if mover(board) == seat or opponent is random_player:
            each = list(zip(*map(result, after_each.values()), strict=True))
            return tuple(sum(of) / len(after_each) for of in each)
        parts = [(chance, result(after_each[action])) for action, chance in opponent(board).items()]
        return tuple(sum(chance * of[place] for chance, of in parts) for place in range(3))

    return result(start)


def bounds() -> dict[tuple[str, str, str], Result]:
    """Results against random by seat, opening and goal."""
    kinds = (("X", "first move chosen"), ("X", "first move drawn"), ("O", "first move chosen"))
    return {
        (seat, opening, goal): best("XO".index(seat) + 1, random_player, goal, opening.endswith("drawn"))
        for (seat, opening), goal in product(kinds, GOALS)
    }


def opponents() -> dict[str, Result]:
    """X's wins by opponent: of minimax with drawn ties, of minimax with the first one, and the most there are."""
    of = {"random": random_player, "buggy": buggy_with("coded"), "buggy2": buggy2_with("coded")}
    return {
        name: (match(minimax_with(), o)[0], match(minimax_with("first"), o)[0], best(1, o, "most wins")[0])
        for name, o in of.items()
    }


def answers_to_buggy2() -> set[Fraction]:
    """The most wins against buggy2 by X's second move, after the top left corner and the centre."""
    boards = [put(put(put(START, 0, 1), 4, 2), cell, 1) for cell in (1, 2, 3, 5, 6, 7, 8)]
    return {best(1, buggy2_with("coded"), "most wins", start=board)[0] for board in boards}


def winner_v_frozen(choices: Mapping[str, int]) -> str:
    """Who wins where X is minimax with the first tie, and O plays the listed cell of each board (`X`, `O`, `.`)."""
    board, x = START, minimax_with("first")
    while not is_over(board):
        text = "".join(".XO"[mark] for mark in board)
        board = after(board, next(iter(x(board))) if mover(board) == 1 else choices[text])
    return " XO"[winner(board)].strip() or "nobody"


def positions_of_x(opponent: Strategy) -> int:
    """Boards with X to move that can come up against a player, whatever X does."""
    found, layer = {START}, [START]
    for board in layer:
        moves = opponent(board) if mover(board) == 2 else legal_actions(board)
        for child in (after(board, action) for action in moves):
            if child not in found:
                found.add(child)
                if not is_over(child):
                    layer.append(child)
    return sum(mover(board) == 1 and not is_over(board) for board in found)


def moves_by_value() -> dict[str, int]:
    """How many of all moves win, draw and lose for the player who moves, by the value after them."""
    worth = [
        value(after(board, action)) * (3 - 2 * mover(board))
        for board in all_states()
        for action in legal_actions(board)
    ]
    return {name: worth.count(sign) for name, sign in (("wins", 1), ("draws", 0), ("loses", -1))}


def rounding_to(printed: tuple[str, str, str], lines: int) -> list[tuple[int, int, int]]:
    """The counts of equally likely lines that are rounded to three printed shares."""
    each = [[count for count in range(lines + 1) if _is_rounded(Fraction(count, lines), text)] for text in printed]
    return [one for one in product(*each) if sum(one) == lines]


def _is_rounded(share: Fraction, text: str) -> bool:
    return abs(share - Fraction(text)) <= Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


if __name__ == "__main__":
    for name, found in (bounds() | opponents()).items():
        print(name, *found)
    print(positions_of_x(minimax_with()), positions_of_x(random_player), moves_by_value())
    print(rounding_to(("0.910", "0.090", "0.000"), LINES_OF_X), rounding_to(("0.995", "0.005", "0.000"), LINES_OF_O))
