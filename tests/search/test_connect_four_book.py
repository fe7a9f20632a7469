"""The opening book that ships: its positions and scores, and who uses it."""

import itertools

import numpy as np
import pytest

import induced_reference as reference
from cli_runner import run
from ttt_fast import Solver, as_player, parse_game
from ttt_fast.kernels import chunk_stream
from ttt_fast.search.connect_four.book import SHIPPED_PLIES, keys_of, shipped_book
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import children, words_of
from ttt_fast.search.connect_four.solver import solve_positions

COLUMNS = "1234567"
FIRST_MOVES = [-2, -1, 0, 1, 0, -1, -2]
"""Scores of the seven first moves (Allis 1988, Tromp)."""


def words_after(line):
    return words_of(parse_game("connect4").parse_ongoing(line))


def score_after(line):
    return shipped_book().score(words_after(line))


def reached(plies):
    """Every position of up to some plies by its words, from the moves of the rules, none of them after a four."""
    level = found = {((),) * 7}
    for ply in range(plies):
        moves = [(one, column) for one in level for column in range(7) if len(one[column]) < 6]
        level = {
            reference.dropped(one, column, 1 + ply % 2)
            for one, column in moves
            if not reference.wins_at(one, column, 1 + ply % 2)
        }
        found = found | level
    return np.array([reference.words(columns, 6) for columns in found], np.uint64)


def test_the_shipped_book_has_all_positions_and_each_is_as_good_as_the_best_after_it():
    words, book = reached(SHIPPED_PLIES), shipped_book()
    assert np.array_equal(np.unique(keys_of(words)), book.keys)
    early = words[np.bitwise_count(words[:, 1]) < SHIPPED_PLIES].tolist()
    after = [[child for _, child in children((own, stones))] for own, stones in early]
    scores = -book.lookup(np.array(list(itertools.chain(*after)), np.uint64))[1]
    firsts = np.cumsum([0, *map(len, after[:-1])])
    assert np.array_equal(book.lookup(np.array(early, np.uint64))[1], np.maximum.reduceat(scores, firsts))


@pytest.mark.parametrize("line", [pytest.param("444444", marks=pytest.mark.slow), "123456"])
def test_the_solver_finds_the_same_scores(line):
    words = words_after(line)
    assert Solver(table_mb=64, threads=2, book=False).score(words).score == score_after(line)


def test_other_positions_and_boards_are_not_in_it():
    assert score_after("4444441") is None
    assert Solver(BoardSize(4, 4), table_mb=1).score((0, 0)).nodes > 0
    assert Solver(table_mb=1).score(words_after("1"), window=(-5, 0)).score == 0


@pytest.mark.parametrize("weak", [False, True])
def test_a_batch_takes_them_without_a_node_and_searches_the_rest(weak, tmp_path):
    rng, late = np.random.default_rng(5), "2252576253462244111563365343671351441"
    lines = ["".join(rng.choice(list(COLUMNS), 1 + number % SHIPPED_PLIES)) for number in range(150)]
    words = [words_after(line) for line in [*lines, late]]
    scores, heard = [score_after(one) for one in lines], []
    solved = solve_positions(np.array(words), weak=weak, on_progress=lambda done, _: heard.append(done))
    assert solved.scores.tolist() == [(one > 0) - (one < 0) if weak else one for one in [*scores, -1]]
    assert not solved.nodes[:-1].any() and heard[-1] == 151
    assert solved.nodes[-1:].tolist() == solve_positions(np.array(words[-1:]), weak=weak).nodes.tolist()
    (tmp_path / "lines.txt").write_text("\n".join(lines))
    ran = run("solve", "--file", tmp_path / "lines.txt", *["--weak"] * weak, "-f", "json")
    assert [row["nodes"] for row in ran.json()["rows"]] == [0] * 150 and "known without a search" in ran.err


def test_the_player_answers_the_first_moves_at_once():
    game = parse_game("connect4")
    player = as_player("solver:tt=1", game)
    player.begin(chunk_stream(0))
    for line in ("", "1", "44", "4444"):
        result = player.search(game.state_after(line))
        assert (result.action + 1, result.nodes) == ({"1": 2}.get(line, 4), 0)


def test_solve_says_that_nothing_was_searched():
    ran = run("solve", "", "-f", "json")
    assert [row["score"] for row in ran.json()["rows"]] == FIRST_MOVES
    assert "known without a search" in ran.err
