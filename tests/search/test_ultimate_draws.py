"""Late positions of Ultimate in which a move that draws decides the value or the ties of Bichot's minimax.

The recursion here says the published rule once more, without the package and without `minimax_reference`: a move
begins at 0, takes the reward of its cell, then instead that of the board that it wins, then instead that of the game.
The end of a game without a winner changes nothing of this.  The values below are those of the program itself.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from ttt_fast.agents.convert import as_player
from ttt_fast.games.registry import parse_game
from ttt_fast.search.alphabeta.player import published_options
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
CELLS = (1.5, 1, 1.5, 1, 2, 1, 1.5, 1, 1.5)
GAME_REWARD, BOARD_REWARD = {"simple": 100, "complex": 400}, {"simple": 10, "complex": 20}
INFINITY = 1000


class Position(NamedTuple):
    """Marks of all cells (0, 1, 2), the last action and who is to move."""

    cells: tuple
    last: int
    who: int

    @classmethod
    def parse(cls, text):
        last = next(cell for cell, mark in enumerate(text) if mark in "XO")
        return cls(tuple(".xo".index(mark.lower()) for mark in text), last, 2 if text[last] == "X" else 1)

    def board(self, number):
        return self.cells[9 * number : 9 * number + 9]

    def large(self):
        return tuple(winner(self.board(number)) for number in range(9))

    def open_boards(self):
        return [number for number in range(9) if 0 in self.board(number) and not winner(self.board(number))]

    def is_over(self):
        return winner(self.large()) != 0 or not self.open_boards()

    def listed(self):
        """The actions; on a free move those of a board with k free cells k times."""
        boards = self.open_boards()
        if self.last % 9 in boards:
            boards = [self.last % 9]
        else:
            boards = [number for number in boards for _ in range(self.board(number).count(0))]
        return [9 * number + cell for number in boards for cell in range(9) if self.board(number)[cell] == 0]

    def after(self, action):
        return Position((*self.cells[:action], self.who, *self.cells[action + 1 :]), action, 3 - self.who)


@cache
def winner(grid):
    return next((grid[a] for a, b, c in LINES if grid[a] and grid[a] == grid[b] == grid[c]), 0)


@cache
def worth(grid):
    """For player 1: 5 for each of at most two cells that complete a line; marks that are in no such line."""
    gaps, in_pairs = {1: set(), 2: set()}, set()
    for line in LINES:
        for who in (1, 2):
            if sorted(grid[cell] for cell in line) == [0, who, who]:
                gaps[who].update(cell for cell in line if grid[cell] == 0)
                in_pairs.update(line)
    alone = [cell for cell in range(9) if grid[cell] and cell not in in_pairs]
    marks = sum(CELLS[cell] if grid[cell] == 1 else -CELLS[cell] for cell in alone)
    return 5 * min(2, len(gaps[1])) - 5 * min(2, len(gaps[2])) + marks


def earned(position, action, kind, draws_earn):
    number, large, after = action // 9, position.large(), position.after(action)
    if winner(after.large()):
        return GAME_REWARD[kind]
    if after.is_over() and not draws_earn:
        return 0
    won = (*large[:number], position.who, *large[number + 1 :])
    step = 1 if kind == "simple" else abs(worth(won) - worth(large))
    if after.large()[number]:
        return BOARD_REWARD[kind] * step
    return 0 if kind == "simple" else abs(worth(after.board(number)) - worth(position.board(number))) * step


def search(position, depth, kind, prune, draws_earn=True, window=(-INFINITY, INFINITY), so_far=0):
    """The sum of rewards for player 1 and the equal actions; with pruning a bound may equal the best value."""
    if depth == 0 or position.is_over():
        return so_far, []
    sign, (alpha, beta), listed = (1 if position.who == 1 else -1), window, position.listed()
    best, ties = -sign * INFINITY, []
    for action in listed:
        total = so_far + sign * earned(position, action, kind, draws_earn)
        next_depth = max(0, depth - 2) if len(listed) > 9 else depth - 1
        value, _ = search(position.after(action), next_depth, kind, prune, draws_earn, (alpha, beta), total)
        if sign * value > sign * best:
            best, ties = value, []
        ties += [action] * (value == best)
        alpha, beta = (max(alpha, value), beta) if sign == 1 else (alpha, min(beta, value))
        if prune and beta <= alpha:
            break
    return best, ties


class Late(NamedTuple):
    """A position, the program's values at depths 1, 3 and 5, and the searches that a drawing move decides."""

    text: str
    simple: tuple
    complex: tuple
    decided: str


DEPTHS, KINDS = (1, 3, 5), ("simple", "complex")
LATE = (  # at plies 52 to 62
    Late("oxoooxxx.xooxxo..o.x.xx..x.oooxx..o..oo..o..o.xx.x.x.oo.ox.ox..x..ox.oxxooxxO..ox",
         (10, 0, 0), (60, 30, 30), "simple 3, simple 5, complex 3, complex 5"),
    Late("o..xxxoxxxx..oo.oxx.ox..o..ooo..o.o.o.xxo.o.oxx..xoxo..oxxxx..ooo.xxoxxXo..xo.ox.",
         (10, 10, 10), (80, 66.75, 6.75), "simple 5"),
    Late("..o.xo.xo.xoxxxxooxx..x...xooxxx.Oxo.oo..o.xoo.o.x.xox.oo.o.xooooo.x....xx.oxxxxo",
         (10, 0, 100), (60, 3, 400), "simple 3, complex 3"),
    Late("o.oxox..oxxxoox...xxo.xxx.xxxo.o.o..x.o..xxxxoo..oxoo.xoo.oxxxo.ooxoo..oxoxoxxoXo",
         (0, 0, 0), (9, 9, 9), "complex 1, complex 3, complex 5"),
    Late("o.xx..xxx.x...xooooo.oo.xx..x.o.oxxxooxx..xxx...ooo..xx..ooo..xooxOxxo.ooxooxxxoo",
         (10, 10, 10), (30, 30, 30), "simple 1, simple 3, simple 5, complex 1, complex 3, complex 5"),
    Late("..xx.oxxo..oXoxxoxoxxox.xo...o.o.oox...xxxo.oo.o.oxo..xooxxooxoo.x..x.oxxoo.xxxxo",
         (10, 0, 0), (60, -50, -50), "simple 5, complex 5"),
    Late("...xxx...oo.xxoxOoo..xoo.xo.xooxoooxoxxxoo.oxxxx.o.x.oooo......xxxxxoooxooxo.xx.x",
         (10, 0, 0), (20, 12, 12), "simple 3, simple 5, complex 3, complex 5"),
    Late("xxx.o.oo.oXxxxoox..o.oo..ooxoxoxxoo.oo.o..o.xooxxxoxoox..x.xx.oo.x.xx.xxoxoxxoxox",
         (10, 10, 10), (90, 90, 90), "simple 1, simple 3, simple 5, complex 1, complex 3, complex 5"),
    Late(".ox.oo.oo.oxoxxxx.xooxoo.xox.x.xoo.oxoxO.xo..oxoooxxoxxxox.oo.o.oxo.xxoxx..x.xxxo",
         (10, 10, 10), (90, 81, 75), "complex 5"),
)  # fmt: skip
ULTIMATE = parse_game("ultimate")


def published(late, kind, depth, prune=True, draws_earn=True):
    """The value for the player to move and the actions that are drawn from: pruned, as often as they are listed."""
    position = Position.parse(late.text)
    value, ties = search(position, depth, kind, prune, draws_earn)
    return value if position.who == 1 else -value, sorted(ties if prune else set(ties))


def test_a_move_that_draws_decides_these_values_and_ties():
    for late in LATE:
        assert 52 <= sum(mark != "." for mark in late.text) <= 62
        for kind in KINDS:
            assert tuple(published(late, kind, depth)[0] for depth in DEPTHS) == getattr(late, kind)
        decided = [
            f"{kind} {depth}"
            for kind in KINDS
            for depth in DEPTHS
            if published(late, kind, depth) != published(late, kind, depth, draws_earn=False)
        ]
        assert ", ".join(decided) == late.decided


@pytest.mark.parametrize("prune", [True, False])
def test_searches_draw_from_the_same_actions(prune):
    for kind in KINDS:
        for depth in DEPTHS:
            options = published_options(depth, kind) if prune else SearchOptions(depth, kind, rule="published")
            searcher = AlphaBeta(ULTIMATE.initial_state, options)
            for late in LATE:
                state, (value, ties) = ULTIMATE.parse_position(late.text), published(late, kind, depth, prune)
                assert searcher.search(state).value == value, (late, kind, depth)
                assert searcher.best_actions(state) == ties, (late, kind, depth)


def test_players_use_these_rewards():
    for depth in DEPTHS:
        preset = as_player(f"minimax-{depth}", ULTIMATE)
        true_ties = as_player(f"alphabeta:depth={depth},eval=complex,rule=published", ULTIMATE)
        improved = as_player(f"improved:depth={depth},extra=0,start=0,version=coded", ULTIMATE)
        for late in LATE:
            state = ULTIMATE.parse_position(late.text)
            for player, prune in ((preset, True), (true_ties, False)):
                player.begin(np.uint64(1))
                result, (value, ties) = player.search(state), published(late, "complex", depth, prune)
                assert result.value == value and result.action in ties
            improved.begin(np.uint64(1))
            simple, ties = published(late, "simple", depth)
            value, ties = (simple, ties) if simple > 50 else published(late, "complex", depth)
            result = improved.search(state)
            assert result.value == value and result.action in ties


@pytest.mark.parametrize("kind", KINDS)
def test_with_the_rule_of_boards_only_equal_numbers_draw(kind):
    """A move that ends the game with more or fewer boards than the other player's wins or loses it."""
    game, seen = parse_game("ultimate:tie=boards"), set()
    searcher = AlphaBeta(game.initial_state, SearchOptions(1, kind))
    for late in LATE:
        position, expected = Position.parse(late.text), {}
        for action in sorted(set(position.listed())):
            after = position.after(action)
            lead = after.large().count(position.who) - after.large().count(3 - position.who)
            expected[action] = earned(position, action, kind, draws_earn=True)
            if after.is_over() and not winner(after.large()):
                seen.add(lead)
                if lead:
                    expected[action] = GAME_REWARD[kind] if lead > 0 else -GAME_REWARD[kind]
        assert searcher.action_values(game.parse_position(late.text)) == expected
    assert seen == {-2, 0, 1}
