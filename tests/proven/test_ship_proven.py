"""The program that makes proven players, on a small board."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from proven_toys import STORED, made_toy, toy

import ship_proven
from cli_runner import run
from conftest import PATIENCE, REPOSITORY
from proven_set import ENTERED, compact, improve, make_set
from proven_writing import save_proven
from ttt_fast import parse_game
from ttt_fast.games import api
from ttt_fast.proven.values import load_weights
from ttt_fast.search.connect_four.geometry import BoardSize, geometry

BOARD = BoardSize(6, 4)


def recounted(closed, roots):
    """The uses of each key, from the roots and the choices alone."""
    _, totals = ship_proven.levels_of(closed, roots)
    return int((closed.uses > 0).sum()), sum(totals.quiet) + sum(totals.wins)


@pytest.mark.slow
def test_rounds_leave_a_smaller_set_whose_uses_fit_its_choices():
    closed, roots = make_set(BOARD, 20, 8), ship_proven.roots_of(BOARD, 2)
    ship_proven.fill(closed, roots)
    held, met = recounted(closed, roots)
    assert held == met
    counts = np.zeros(4, np.int64)
    for level in reversed(ship_proven.levels_of(closed, roots)[0]):
        improve(level, 0, closed, counts)
    smaller, met = recounted(closed, roots)
    assert smaller == met == held - counts[2] < held
    compact(closed)
    assert recounted(closed, roots) == (smaller, smaller)
    assert closed.counts[ENTERED] == smaller


@pytest.mark.slow
def test_a_file_is_made_and_a_damaged_one_is_found(tmp_path, monkeypatch):
    path, table = tmp_path / "small.npz", tmp_path / "rounds.csv"
    options = "--columns 6 --rows 4 --seat 2 --first 0 --slot-bits 20 --table-mb 8 --rounds 1 --turns 1 --epochs 2"
    words = [*options.split(), "--shapes", "block", "-o", str(path), "--csv", str(table)]
    monkeypatch.setattr(sys, "argv", ["ship_proven.py", *words])
    ship_proven.main()
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert int(rows[-1]["own_positions"]) == ship_proven.verify(path) > 10_000
    proved = run("prove", path, "--game", "connect4:columns=6,rows=4", "--seat", "o", "-f", "json").json()
    lines = [f"{row['ply']} {row['positions']} {row['hash']}" for row in proved["rows"][:-1]]
    checker = [sys.executable, REPOSITORY / "bench" / "proven" / "check_proven.py", path]
    said = subprocess.run(checker, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    assert said.splitlines() == [*lines, "proven: O wins every game"]
    weights = load_weights(path)
    save_proven(path, weights._replace(columns=np.zeros_like(weights.columns)))
    with pytest.raises(SystemExit, match="do not end in a win"):
        ship_proven.verify(path)


@pytest.mark.slow
def test_a_full_column_that_is_chosen_counts_as_a_lost_game():
    game = parse_game("connect4:columns=6,rows=4")
    level = np.array([api.state_key(game.parse_state("1111"))], np.uint64)
    board, out = geometry(BOARD), np.empty(6, np.uint64)
    found = [ship_proven.play_level(level, np.array([column], np.uint8), board, out) for column in (0, 1)]
    assert found == [(0, 1), (1, 0)]


@pytest.mark.slow
def test_a_seat_that_does_not_win_is_refused():
    closed, roots = make_set(BOARD, 16, 8), ship_proven.roots_of(BOARD, 1)
    with pytest.raises(SystemExit, match="does not win"):
        ship_proven.fill(closed, roots)


def test_tuples_are_one_of_each_pair_of_mirror_images():
    board = make_set(BoardSize(4, 4), 4, 1).work.board
    tuples = ship_proven.make_tuples(board, [[(0, 0), (1, 0)]])
    expected = [[row + 5 * column, row + 5 * column + 5] for column in (0, 1) for row in range(4)]
    assert sorted(tuples.cells.tolist()) == expected
    assert tuples.start.size == 2 * len(tuples.cells)


@pytest.mark.slow
@pytest.mark.parametrize("of", STORED.values())
def test_the_stored_toys_are_those_that_are_made(of):
    assert all((one == other).all() for one, other in zip(toy(*of), made_toy(*of), strict=True))
