"""Books: the one that ships, books of small boards, interrupted runs, damaged files, and who uses them."""

import itertools
import os
import re
import signal
import sys
import warnings

import connect_four_reference as reference
import numpy as np
import pytest

from cli_runner import assert_one_line, run, start, wait_for
from ttt_fast.agents.convert import as_player
from ttt_fast.core.archive import read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games.registry import parse_game
from ttt_fast.search.connect_four import book_making
from ttt_fast.search.connect_four.answers import read_words
from ttt_fast.search.connect_four.book import (
    SHIPPED,
    SHIPPED_PLIES,
    find_book,
    kept_path,
    keys_of,
    load_book,
    positions_of,
)
from ttt_fast.search.connect_four.book_making import BookRun, all_plies, next_ply
from ttt_fast.search.connect_four.geometry import STANDARD, BoardSize
from ttt_fast.search.connect_four.positions import children
from ttt_fast.search.connect_four.solver import Solver, solve_positions
from ttt_fast.tables import large

COLUMNS = "1234567"
FIRST_MOVES = [-2, -1, 0, 1, 0, -1, -2]
"""Scores of the seven first moves (Allis 1988, Tromp)."""
SMALL = "connect4:columns=5,rows=4"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own for kept books."""
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr(large, "folder", lambda: kept)
    monkeypatch.setenv(large.QUOTA_VARIABLE, "1")
    return kept


def words_after(line, game="connect4"):
    return read_words(parse_game(game), line)


def score_after(line):
    return load_book(SHIPPED).score(words_after(line))


def made(path, size=(5, 4), plies=5):
    """A book of a small board, made without an interruption."""
    book = BookRun(BoardSize(*size), plies, path, table_mb=1)
    assert book.run()
    return book.book


# --- The book that ships.


def test_the_first_moves_are_those_of_the_literature_and_take_no_node():
    solved = Solver(table_mb=1).action_scores((0, 0))
    assert [one.score for one in solved.actions] == FIRST_MOVES
    assert solved.nodes == 0


def test_the_shipped_book_has_all_positions_and_each_is_as_good_as_the_best_after_it():
    book = load_book(SHIPPED)
    plies = all_plies(STANDARD, SHIPPED_PLIES)
    assert np.array_equal(np.sort(np.concatenate(plies)), book.keys)
    for own, stones in positions_of(np.concatenate(plies[:-1])).tolist():
        after = [book.score(child) for _, child in children((own, stones))]
        assert book.score((own, stones)) == max(-one for one in after)


@pytest.mark.parametrize("line", [pytest.param("444444", marks=pytest.mark.slow), "123456"])
def test_the_solver_finds_the_same_scores(line):
    words = words_after(line)
    assert Solver(table_mb=64, threads=2, book=False).score(words).score == score_after(line)


def test_other_positions_and_boards_are_not_in_it():
    assert score_after("4444441") is None
    assert find_book(BoardSize(6, 5)) is None
    assert Solver(BoardSize(4, 4), table_mb=1).score((0, 0)).nodes > 0


def test_a_weak_score_is_a_sign():
    solver = Solver(table_mb=1)
    assert solver.score(words_after("1"), weak=True).score == 1
    assert solver.score(words_after("4"), weak=True).score == -1
    assert solver.score(words_after("1"), window=(-5, 0)).score == 0


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


# --- Positions and scores.

BOOKS = {(4, 4): 10, (5, 4): 7, (4, 5): 6, (3, 4): 11, (2, 6): 5, (1, 5): 4, (9, 2): 5}


def reached(size, plies):
    """Every position of up to some plies by its words, from the moves of the rules, none of them after a four."""
    level = {("",) * size[0]}
    found = set(level)
    for ply in range(plies):
        mark, following = "XO"[ply % 2], set()
        for columns, c in itertools.product(level, range(size[0])):
            after = (*columns[:c], columns[c] + mark, *columns[c + 1 :])
            if len(after[c]) <= size[1] and not reference.has_four(after, size[1], mark):
                following.add(after)
        level = following
        found |= level
    return found


@pytest.mark.parametrize("size", BOOKS)
def test_a_book_has_every_position_and_its_score(size, tmp_path):
    """Positions as by the rules, mirror images included; scores as by the solver without a book."""
    book = made(tmp_path / "book.npz", size, BOOKS[size])
    words = np.array([reference.words(columns, size[1]) for columns in reached(size, BOOKS[size])], np.uint64)
    places, scores = book.lookup(words)
    assert len(places) == len(words) and len(np.unique(keys_of(words, book.size))) == len(book.keys)
    assert np.array_equal(scores, Solver(book.size, table_mb=1, book=False).scores(words).scores)
    assert sum(row["positions"] for row in book.counts()) == len(book.keys)


def test_random_positions_have_the_scores_of_trying_everything(tmp_path):
    book, generator = made(tmp_path / "book.npz", (4, 4), 9), np.random.default_rng(3)
    for number in range(200):
        columns = reference.random_columns(generator, 4, 4, ply := 7 + number % 5)
        expected = reference.score(columns, 4) if ply <= 9 else None
        for seen in (columns, columns[::-1]):
            assert book.score(reference.words(seen, 4)) == expected


def test_keys_are_positions():
    words = np.array([reference.words(columns, 6) for columns in reached((7, 6), 3)], np.uint64)
    keys = words.sum(axis=1, dtype=np.uint64)
    assert len(np.unique(keys)) == len(words) and np.array_equal(positions_of(keys), words)


def test_the_numbers_of_positions_are_known():
    """J. Tromp's numbers of positions of 7x6, from which those of finished games and mirror images are missing."""
    plies = all_plies(STANDARD, 6)
    assert [len(keys) for keys in plies] == [1, 4, 25, 121, 568, 2144, 8231]
    assert len(next_ply(np.zeros(0, np.uint64), STANDARD)) == 0


# --- Interrupted runs.


def test_an_interrupted_run_continues_and_ends_in_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(book_making, "_CHUNK_SECONDS", 0.02)
    made(tmp_path / "whole.npz", (6, 4), 6)
    path, solved = tmp_path / "parts.npz", [0]
    while True:
        book = BookRun(BoardSize(6, 4), 6, path, table_mb=1)
        enough = solved[-1] + 900
        if book.run(lambda done, enough=enough: done > enough and signal.raise_signal(signal.SIGTERM)):
            break
        solved.append(book.solved)
        assert read_meta(path)["kind"].endswith("unfinished")
    assert len(solved) > 3 and sorted(set(solved)) == solved and solved[-1] < book.total
    assert path.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert BookRun(BoardSize(6, 4), 6, path).run(lambda done: pytest.fail("it was finished"))


def test_threads_and_tables_do_not_change_a_byte(tmp_path):
    made(tmp_path / "one.npz")
    assert BookRun(BoardSize(5, 4), 5, tmp_path / "two.npz", table_mb=1, threads=2).run()
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


ONE_BY_ONE = """
from ttt_fast.search.connect_four import book_making
book_making._CHUNK_SECONDS = 0.01
from ttt_fast.cli.main import main
main()
"""
"""The program with short chunks, so that a small book takes several of them."""


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_command_continues(kind, tmp_path):
    words = ["solve", "--book", 8, "--game", "connect4:columns=6,rows=4", "--threads", "1", "--table-mb", 1, "-o"]
    path, whole = tmp_path / "book.npz", tmp_path / "whole.npz"
    process = start(*words, path, program=[sys.executable, "-c", ONE_BY_ONE])
    wait_for(path.exists, process)
    process.send_signal(kind)
    _, err = process.communicate()
    assert process.returncode == (-kind if kind == signal.SIGKILL else 130)
    if kind == signal.SIGINT:
        assert b"resume with\n  ttt-fast solve --book 8" in err and b"Traceback" not in err
    second = run(*words, path)
    left, total = re.search(r"([\d,]+) of ([\d,]+) positions of the last ply", second.err).groups()
    assert second.code == 0 and total == "30,447" != left
    assert "made before" in run(*words, path).err
    assert run(*words, whole).code == 0 and whole.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_a_book_of_6x5_has_the_scores_of_the_solver(tmp_path):
    """A sample is solved again, in another order and without a book."""
    path = tmp_path / "book.npz"
    assert run("solve", "--book", 8, "--game", "connect4:columns=6,rows=5", "-o", path).code == 0
    book = load_book(path, BoardSize(6, 5))
    assert len(book.keys) == 53_121
    sample = positions_of(np.random.default_rng(1).choice(book.keys, 1000, replace=False), book.size)
    assert np.array_equal(Solver(book.size, book=False).scores(sample).scores, book.lookup(sample)[1])


# --- Kept books.


def test_a_kept_book_is_found_by_the_solver_the_player_and_solve(folder):
    asked = ["solve", "12", "--game", SMALL, "-f", "json"]
    before = run(*asked)
    assert "nodes in" in before.err
    made_rows = run("solve", "--book", 4, "--game", SMALL, "-f", "json").json()["rows"]
    assert [row["ply"] for row in made_rows] == [0, 1, 2, 3, 4] and made_rows[0]["positions"] == 1
    assert all(row["wins"] + row["draws"] + row["losses"] == row["positions"] for row in made_rows)
    after = run(*asked)
    assert after.json()["rows"] == before.json()["rows"] and "known without a search" in after.err
    player, game = as_player("solver:tt=1", parse_game(SMALL)), parse_game(SMALL)
    player.begin(chunk_stream(0))
    assert player.search(game.state_after("12")).nodes == 0 < player.search(game.state_after("1234")).nodes
    assert Solver(SMALL, table_mb=1, book=False).score(words_after("12", SMALL)).nodes > 0
    run("solve", "--book", 6, "--game", SMALL)
    assert find_book(BoardSize(5, 4)).plies == 6
    rows = run("info", "tables", "-f", "json").json()["rows"]
    assert [(row["game"], row["kind"]) for row in rows] == [(SMALL, "book of 4 plies"), (SMALL, "book of 6 plies")]
    assert "removed 0 tables and 2 books" in run("info", "tables", "clear", "--game", SMALL).err
    assert list(folder.iterdir()) == []


def test_the_largest_book_of_the_standard_board_may_be_the_shipped_one(folder):
    made(kept_path(STANDARD, 2).with_name("other.npz"), (5, 4), 3)
    save_archive(kept_path(STANDARD, 2), "connect4-book", {}, {})
    assert find_book(STANDARD).plies == SHIPPED_PLIES


def test_a_damaged_kept_book_is_ignored_with_one_line_and_made_again(folder):
    made(kept_path(BoardSize(5, 4), 3), (5, 4), 3)
    path = kept_path(BoardSize(5, 4), 5)
    content = bytearray(made(path) and path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"a kept book is ignored: .*-5\.book\.npz.* damaged"):
        assert find_book(BoardSize(5, 4)).plies == 3
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        shown = run("solve", "1234", "--game", SMALL)
        again = run("solve", "--book", 5, "--game", SMALL)
    assert shown.code == 0 and shown.err.count("a kept book is ignored") == 1
    assert again.code == 0 and again.err.count("the kept book is made again") == 1
    assert find_book(BoardSize(5, 4)).plies == 5


def test_books_count_towards_the_quota_and_stay(folder, monkeypatch):
    monkeypatch.setenv(large.QUOTA_VARIABLE, "0.0001")
    assert run("solve", "--book", 5, "--game", SMALL).code == 0
    assert not large.make_room(100_000) and kept_path(BoardSize(5, 4), 5).exists()
    assert_one_line(run("solve", "--book", 9, "--game", SMALL), 2, "among the kept tables", large.QUOTA_VARIABLE, "-o")


# --- A file, and mistakes.


def test_a_named_book_is_used(tmp_path, folder):
    path = tmp_path / "book.npz"
    made(path)
    asked = ["solve", "123", "--game", SMALL, "-f", "json"]
    named = run(*asked, "--book", path)
    assert named.json()["rows"] == run(*asked).json()["rows"] and "known without a search" in named.err
    assert Solver(SMALL, table_mb=1, book=path).score(words_after("12345", SMALL)).nodes == 0
    (tmp_path / "lines.txt").write_text("1\n123\n")
    rows = run("solve", "--file", tmp_path / "lines.txt", "--game", SMALL, "--book", path, "-f", "json").json()["rows"]
    assert [row["nodes"] for row in rows] == [0, 0]
    assert_one_line(run("solve", "4", "--book", path), 1, "expected a book of connect4", SMALL)


def test_a_damaged_file_is_one_line(tmp_path):
    path = tmp_path / "book.npz"
    made(path)
    whole = path.read_bytes()
    for content in (whole[:-200], b"", b"PK\x03\x04", whole[:300] + whole[301:]):
        path.write_bytes(content)
        for words in (["12"], []):
            wanted = [
                "solve",
                *words,
                "--game",
                SMALL,
                "--book",
                path if words else 5,
                *([] if words else ["-o", path]),
            ]
            ran = run(*wanted)
            assert_one_line(ran, ran.code, "book.npz")
            assert ran.code == 1 or (not words and ran.code == 2), ran
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": 99},
        {"columns": 6},
        {"plies": "five"},
        {"scores": np.full(3, 90, np.int8)},
        {"keys": np.zeros(3, np.uint64)},
    ],
    ids=["version", "board", "text", "scores", "order"],
)
def test_a_book_with_other_content_is_refused(tmp_path, changes):
    arrays = {"keys": np.array([0, 1, 8], np.uint64), "scores": np.zeros(3, np.int8)}
    meta = {name: value for name, value in read_meta(SHIPPED).items() if name not in ("format", "version", "kind")}
    for name, value in changes.items():
        (arrays if name in arrays else meta)[name] = value
    save_archive(tmp_path / "book.npz", "connect4-book", arrays, meta)
    with pytest.raises(FileFormatError, match=r"^'.*book\.npz': expected "):
        load_book(tmp_path / "book.npz", STANDARD)


def test_an_unfinished_book_is_no_book(tmp_path):
    book = BookRun(BoardSize(5, 4), 5, tmp_path / "book.npz")
    assert not book.run(lambda done: signal.raise_signal(signal.SIGINT))
    assert_one_line(
        run("solve", "12", "--game", SMALL, "--book", book.path), 1, "expected a finished book", "solve --book"
    )
    for size, plies in (((5, 4), 6), ((4, 5), 5)):
        with pytest.raises(UsageError, match="expected a new file, or one of this book"):
            BookRun(BoardSize(*size), plies, book.path)


REFUSED = {
    "a position": (["4", "--book", "3"], "--book 3 without a position"),
    "a file": (["--file", "x", "--book", "3"], "without --file"),
    "weak": (["--weak", "--book", "3"], "without --weak"),
    "no plies": (["--book", "0"], "'0'"),
    "too many plies": (["--book", "16", "--game", "connect4:columns=4,rows=4"], "a book of 1 to 15 plies", "got 16"),
    "a word": (["--book", "all"], "'all'"),
    "length": (["--book", "3", "--game", "connect4:length=3"], "length=3"),
    "game": (["--book", "3", "--game", "ultimate"], "'ultimate'"),
    "a book alone": (["--book", "x.npz"], "neither"),
    "another file": (["--book", "3", "-o", "x.doc"], "'x.doc'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_one_line(name, folder):
    arguments, *words = REFUSED[name]
    assert_one_line(run("solve", *arguments), 2, *words)
    assert os.listdir(folder) == []


def test_a_book_that_does_not_fit_is_refused_at_once(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(book_making, "available_memory", lambda: 10**6)
    assert_one_line(run("solve", "--book", 12), 2, "fits into memory", "GB")
    monkeypatch.setattr(book_making, "MAX_BOOK_BYTES", 100)
    assert_one_line(run("solve", "--book", 4, "-o", tmp_path / "x.npz"), 2, "bytes for the book")
    assert_one_line(run("solve", "--book", 4, "-o", tmp_path / "no" / "x.npz"), 1, "x.npz")
