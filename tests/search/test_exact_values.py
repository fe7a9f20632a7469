"""Exact values by alpha-beta: beside tables, beside plain recursion in Ultimate, and when a search claims them."""

import math
import random
from functools import cache

import numpy as np
import pytest

import reference
from games_reference import GAMES, ONGOING
from small_evaluators import tuple_values
from ttt_fast import UsageError, parse_game, solution_of, table_of
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.evaluators import AlphaBeta, SearchOptions
from ttt_fast.games import api

winner = cache(reference.winner)
CLOSED, MOST_FREE = (3,) * 9, (17, 21)
ENOUGH = 10**9


class LateUltimate:
    """The values of late positions of Ultimate by recursion over boards, remembered: a win ends it, nothing else."""

    def __init__(self, plain):
        self.plain, self.known = plain, {}

    def values(self, moves):
        """The value of every action, for the player to move."""
        boards, winners = self.plain.boards(moves), self.plain.large(moves)
        boards = tuple(CLOSED if self._is_closed(*one) else one[0] for one in zip(boards, winners, strict=True))
        after = {a: self._value_after(boards, winners, a, 1 + len(moves) % 2) for a in self.plain.legal(moves)}
        return dict(sorted(after.items()))

    def _is_closed(self, board, winner):
        return 0 not in board or (winner != 0 and not self.plain.stay)

    def _wins(self, boards, winners, action, who):
        number, cell = divmod(action, 9)
        if winners[number] != 0 or winner(reference.put(winners, number, who)) != who:
            return False
        return winner(reference.put(boards[number], cell, who)) == who

    def _value_after(self, boards, winners, action, who):
        if self._wins(boards, winners, action, who):
            return 1
        number, cell = divmod(action, 9)
        board = reference.put(boards[number], cell, who)
        if winners[number] == 0 and winner(board) == who:
            winners = reference.put(winners, number, who)
        boards = (*boards[:number], CLOSED if self._is_closed(board, winners[number]) else board, *boards[number + 1 :])
        target = cell if boards[cell] is not CLOSED else 9
        key = boards, winners, target, who
        if key not in self.known:
            actions = [
                9 * b + c for b in ((target,) if target < 9 else range(9)) for c in range(9) if boards[b][c] == 0
            ]
            if any(self._wins(boards, winners, one, 3 - who) for one in actions):
                self.known[key] = -1
            elif actions:
                best = -1
                for one in actions:
                    best = max(best, self._value_after(boards, winners, one, 3 - who))
                    if best == 1:
                        break
                self.known[key] = -best
            else:
                lead = winners.count(who) - winners.count(3 - who)
                self.known[key] = (lead > 0) - (lead < 0) if self.plain.most_boards_win else 0
        return self.known[key]


def free_cells(plain, moves):
    boards, winners = plain.boards(moves), plain.large(moves)
    return sum(board.count(0) for board, won in zip(boards, winners, strict=True) if plain.stay or not won)


def late_positions(plain, count, first, seed):
    """Ongoing positions of random games, at a random ply from `first` on, with few enough free cells for recursion."""
    generator, found = random.Random(seed), []
    while len(found) < count:
        moves, plies = (), generator.randrange(first, 80)
        while len(moves) < plies and plain.status(moves) == ONGOING:
            moves = (*moves, generator.choice(plain.legal(moves)))
        if len(moves) == plies and plain.status(moves) == ONGOING and free_cells(plain, moves) <= MOST_FREE[plain.stay]:
            found.append(moves)
    return found


def state_after(spec, moves):
    game = parse_game(spec)
    return game.state_after(game.format_moves(moves))


def compare_with_recursion(spec, count, first, seed):
    """Compare the values of late positions; each of the three must occur."""
    plain, found = GAMES[spec], set()
    search = AlphaBeta(parse_game(spec).initial_state, SearchOptions(depth=81, tt=4))
    for moves in late_positions(plain, count, first, seed):
        values = LateUltimate(plain).values(moves)
        assert search.exact_values(state_after(spec, moves), ENOUGH) == values, moves
        found |= set(values.values())
    assert found == {-1, 0, 1}


def test_late_positions_of_ultimate():
    compare_with_recursion("ultimate", 40, 60, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("spec", [spec for spec in GAMES if spec.startswith("ultimate")])
def test_more_late_positions_of_ultimate(spec):
    compare_with_recursion(spec, 25, 48, seed=2)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=4,rows=4"])
@pytest.mark.parametrize("options", [{}, {"tt": 1}, {"prune": False, "tt": 1}, {"order": False, "prefer": "fast"}])
def test_the_values_are_those_of_the_table(spec, options):
    table, solution = table_of(spec), solution_of(spec)
    search = AlphaBeta(table.state(0), SearchOptions(depth=16, **options))
    for index in np.flatnonzero(table.decision_mask)[:: max(1, table.num_states // 40)].tolist():
        state, sign = table.state(index), 1 if table.player[index] == 1 else -1
        if spec.startswith("connect4") and api.ply(state) < 8:
            continue
        children = {a: sign * solution.value[child] for a, child in enumerate(table.child[index]) if child >= 0}
        assert search.exact_values(state, ENOUGH) == children
        assert search.search(state).value == max(children.values())  # by other entries of the same table


def test_a_budget_of_nodes_and_the_table():
    """Too few nodes give nothing; what they found helps later, and what a position has shown the next one."""
    game = parse_game("connect4")
    search = AlphaBeta(game.initial_state, SearchOptions(depth=42, tt=1))
    state = game.state_after("4444443332222221175551553")
    assert search.exact_values(state, 1) is None
    values = search.exact_values(state, ENOUGH)
    assert values is not None and search.exact_values(state, ENOUGH) == values
    best = max(values, key=values.__getitem__)
    alone = AlphaBeta(game.initial_state, search.options)
    for one in (search, alone):
        one.following = one.exact_values(api.play(state, best), ENOUGH)
    assert search.following == alone.following and max(search.following.values()) == -values[best]
    assert search._nodes < alone._nodes
    with pytest.raises(UsageError, match="expected at least 1 node and a depth of at least 17"):
        search.exact_values(state, 0)
    with pytest.raises(UsageError, match="a depth of at least 42 for exact values, got 9 and 5"):
        AlphaBeta(game.initial_state, SearchOptions(depth=5)).exact_values(game.initial_state, 9)
    for options, evaluator in (({"full": "loss"}, None), ({}, tuple_values("connect4").evaluator())):
        with pytest.raises(UsageError, match="expected eval 'none' and full 'draw'"):
            AlphaBeta(state, SearchOptions(depth=42, **options), evaluator).exact_values(state, 9)


def test_a_search_says_that_its_value_is_exact():
    game = parse_game("tic-tac-toe")
    state, won = game.parse_position("XO......."), game.parse_position("XX.OO....")

    def is_exact(position, **options):
        return AlphaBeta(position, SearchOptions(**options)).search(position).is_exact

    for tie in ("first", "last", "uniform"):
        for options in ({"depth": 9}, {"depth": 7}, {"depth": 9, "prefer": "fast"}, {"nodes": ENOUGH, "depth": 9}):
            assert is_exact(state, tie=tie, **options)
    drawn = game.parse_position("X........")
    assert [is_exact(drawn, depth=depth) for depth in (7, 8, 9)] == [False, True, True]
    assert is_exact(drawn, depth=9, rule="published") is False  # its first moves cost two plies
    assert is_exact(won, depth=1)  # a forced win
    assert not is_exact(drawn, nodes=10, depth=9)
    assert not is_exact(state, depth=9, tie="published", order=False)
    assert not is_exact(state, depth=9, full="loss")
    values = tuple_values("connect4:columns=4,rows=4,length=3")
    start = parse_game("connect4:columns=4,rows=4,length=3").initial_state
    assert not AlphaBeta(start, SearchOptions(depth=12), values.evaluator()).search(start).is_exact


def test_the_rewards_of_ultimate_are_not_exact():
    state = state_after("ultimate", late_positions(GAMES["ultimate"], 1, 60, seed=3)[0])
    plies = api.max_plies(state) - api.ply(state)
    for kind in ("none", "complex"):
        found = AlphaBeta(state, SearchOptions(depth=plies, eval=kind)).search(state)
        assert found.is_exact == (kind == "none") and math.isfinite(found.value)


def test_the_check_of_a_position_tells_empty_boards_from_drawn_ones():
    """Marks in closed boards do not matter, but whether a board is closed does."""
    drawn, rest = "xoxxoxoxo", "." * 62 + "O"
    states = [parse_game("ultimate").parse_position(text + rest) for text in (drawn + "." * 9, "." * 9 + drawn)]
    assert api.state_check(states[0]) != api.state_check(states[1])


def test_exact_analysis_of_late_positions_of_ultimate():
    """Values without distances, for X; none early in the game."""
    game = parse_game("ultimate")
    analysis = ExactAnalysis(game)
    assert not analysis.knows(game.initial_state) and analysis.moves(game.initial_state) == []
    for moves in late_positions(GAMES["ultimate"], 4, 62, seed=4):
        state = state_after("ultimate", moves)
        values, sign = LateUltimate(GAMES["ultimate"]).values(moves), -1 if len(moves) % 2 else 1
        rows, best = analysis.moves(state), max(values.values())
        assert [row[:] for row in rows] == [(a, sign * v, None, v == best, None) for a, v in values.items()]
        assert analysis.knows(state) and values[analysis.view(state, ()).best.action] == best
