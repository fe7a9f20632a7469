"""The Connect 4 solver against the plainest one, the plain one, published scores, and itself cut to pieces."""

from pathlib import Path

import numpy as np
import pytest

import induced_reference as reference
from baselines.connect_four import solve_plain
from conftest import SHARED
from ttt_fast import BoardError, Solver, UsageError, parse_game
from ttt_fast.search.connect_four import workers
from ttt_fast.search.connect_four.geometry import BoardSize, geometry
from ttt_fast.search.connect_four.positions import children, words_of
from ttt_fast.search.connect_four.solver import solve_positions
from ttt_fast.search.connect_four.static import lines_and_key
from ttt_fast.search.connect_four.table import make_table

FACTS = Path(__file__).resolve().parent.parent / "data" / "connect4_scores.txt"
PUBLISHED_SETS = {"Test_L3_R1": 51.3, "Test_L2_R1": 449.1}
"""The published test sets, and the mean number of nodes of P. Pons' solver."""
SIZES = [(6, 7), (5, 5), (5, 6), (6, 5), (4, 8), (8, 4), (9, 4), (7, 7), (8, 7), (3, 9), (12, 3), (4, 11)]


def read_facts(path: Path) -> tuple[np.ndarray, np.ndarray]:
    game = parse_game("connect4")
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return (
        np.array([words_of(game.parse_ongoing(moves)) for moves, _ in lines], np.uint64),
        np.array([int(score) for _, score in lines]),
    )


def late_plies(width: int, height: int) -> range:
    """Plies from which even the plain solver is quick."""
    return range(max(0, width * height - 17), width * height - 1, 3)


# --- The plain solver is right, and so are the bits.


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 3), (4, 5), (5, 4)])
@pytest.mark.parametrize("free", [7, 9])
def test_the_plain_solver_agrees_with_trying_everything(width, height, free):
    generator = np.random.default_rng(width * height)
    for plies in range(width * height - free, width * height):
        positions = [reference.random_columns(generator, width, height, plies) for _ in range(8)]
        expected = [reference.score(columns, height) for columns in positions]
        words = np.array([reference.words(columns, height) for columns in positions], np.uint64)
        assert solve_plain(words, BoardSize(width, height), slots=10007).scores.tolist() == expected


# --- The fast solver agrees with trying everything, and with the plain one, whose kernels are compiled in slow tests.


def test_late_positions_have_the_scores_of_trying_everything():
    generator, (width, height) = np.random.default_rng(3), (5, 4)
    positions = [reference.random_columns(generator, width, height, plies) for plies in range(13, 20) for _ in range(8)]
    expected = [reference.score(columns, height) for columns in positions]
    words = np.array([reference.words(columns, height) for columns in positions], np.uint64)
    for table_mb in (0.0005, 4):
        assert solve_positions(words, BoardSize(width, height), table_mb=table_mb).scores.tolist() == expected
    assert min(expected) < 0 < max(expected) and 0 in expected


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(7, 6), *SIZES])
def test_random_positions_of_many_boards(width, height):
    size = BoardSize(width, height)
    solver = Solver(size, table_mb=64)
    for plies in late_plies(width, height):
        positions = reference.random_positions(plies, width, height, plies, 30)
        expected = solve_plain(positions, size, slots=1_000_003).scores
        assert solver.scores(positions).scores.tolist() == expected.tolist()
        assert solver.scores(positions, weak=True).scores.tolist() == np.sign(expected).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("height", [4, 5])
def test_all_positions_of_a_small_board_with_a_tiny_table(height):
    """A table of a few buckets is overwritten all the time; nothing but the number of nodes may change."""
    size = BoardSize(4, height)
    positions = np.concatenate([reference.random_positions(7, 4, height, plies, 150) for plies in range(4, 4 * height)])
    expected = solve_plain(positions, size, slots=1_000_003).scores
    tiny, large = (solve_positions(positions, size, table_mb=mb) for mb in (0.0005, 4))
    assert tiny.scores.tolist() == large.scores.tolist() == expected.tolist()
    assert tiny.nodes.sum() > large.nodes.sum() > 0


def test_facts():
    positions, scores = read_facts(FACTS)
    assert len(scores) == 200
    for threads in (1, 2):
        assert solve_positions(positions, threads=threads).scores.tolist() == scores.tolist()


@pytest.mark.slow
def test_facts_by_the_plain_solver():
    positions, scores = read_facts(FACTS)
    assert solve_plain(positions).scores.tolist() == scores.tolist()


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "data" / "connect4").is_dir(), reason="needs the published files")
@pytest.mark.parametrize("name", PUBLISHED_SETS)
def test_published_sets(name):
    positions, scores = read_facts(SHARED / "data" / "connect4" / name)
    assert solve_positions(positions).scores.tolist() == scores.tolist()
    plain = solve_plain(positions)
    assert plain.scores.tolist() == scores.tolist()
    assert abs(plain.nodes.mean() - PUBLISHED_SETS[name]) <= 0.0501  # as printed


# --- What is known without a search is true.


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height", "plies"), [(7, 6, 27), (7, 6, 30), (6, 6, 24), (5, 5, 14), (8, 4, 20)])
def test_positions_with_the_same_canonical_key_have_the_same_score(width, height, plies):
    """Mirror images, and positions in which a stone has changed its colour, where that keeps the key."""
    size = BoardSize(width, height)
    _, board = make_table(size, 64)
    first, second = [], []
    for me, stones in reference.random_positions(11, width, height, plies, 60).tolist():
        key = lines_and_key(np.uint64(me), np.uint64(stones), board)[2]
        others = [(me ^ 1 << bit, stones) for bit in range(64) if stones >> bit & 1]
        others = [other for other in others if lines_and_key(*map(np.uint64, other), board)[2] == key]
        mirrored = tuple(mirror_image(word, width, size.stride) for word in (me, stones))
        assert lines_and_key(*map(np.uint64, mirrored), board)[2] == key
        for other in [mirrored, *others]:
            first.append((me, stones))
            second.append(other)
    assert len(first) > 65  # more than the mirror images
    scores = [solve_plain(np.array(words, np.uint64), size, slots=1_000_003).scores for words in (first, second)]
    assert scores[0].tolist() == scores[1].tolist()


def mirror_image(word: int, width: int, stride: int) -> int:
    columns = [word >> c * stride & (1 << stride) - 1 for c in range(width)]
    return sum(column << c * stride for c, column in enumerate(reversed(columns)))


# --- Every way of asking gives the same answer.


GOLDEN_NODES = 12_630
"""Nodes of one search: they change with the order of moves, which no score depends on."""


@pytest.fixture(scope="module")
def middle():
    return tuple(map(int, reference.random_positions(23, 7, 6, 12, 1)[0]))


def test_nodes_of_one_thread_are_the_same_in_every_run_and_in_chunks(middle, monkeypatch):
    whole = Solver(table_mb=4).score(middle)
    assert whole.nodes == GOLDEN_NODES
    assert Solver(table_mb=4).score(middle)[:2] == whole[:2]
    heard = []
    monkeypatch.setattr(workers, "CHUNK_NODES", 7)
    chunked = Solver(table_mb=4).score(middle, on_progress=heard.append)
    assert chunked[:2] == whole[:2]
    assert [one.nodes for one in heard] == sorted({one.nodes for one in heard}) and len(heard) > 10
    assert all(one.lower <= whole.score <= one.upper for one in heard)


def test_a_batch_in_chunks(monkeypatch):
    positions, scores = read_facts(FACTS)
    whole = solve_positions(positions)
    monkeypatch.setattr(workers, "CHUNK_NODES", 3)
    heard = []
    chunked = solve_positions(positions, on_progress=lambda done, nodes: heard.append(done))
    assert chunked.scores.tolist() == scores.tolist()
    assert chunked.nodes.tolist() == whole.nodes.tolist()
    assert heard == sorted(heard) and heard[-1] == len(positions)


def test_threads_windows_and_weak_ask_for_the_same_score(middle, monkeypatch):
    monkeypatch.setattr(workers, "SHARED_CHUNK_NODES", 256)
    solver = Solver(table_mb=8)
    score = solver.score(middle).score
    assert [Solver(table_mb=1, threads=threads).score(middle).score for threads in (2, 3)] == [score, score]
    assert solver.score(middle, weak=True).score == np.sign(score)
    for low in range(-19, 19):
        assert solver.score(middle, window=(low, low + 1)).score == (low if score <= low else low + 1)


@pytest.mark.parametrize("seed", range(6))
def test_actions(seed):
    """The score of a position is that of its best action; all of them are those of the children."""
    position = tuple(map(int, reference.random_positions(seed, 7, 6, 22 + seed % 2, 1)[0]))
    solver = Solver(table_mb=8)
    score = solver.score(position).score
    found = solver.action_scores(position).actions
    assert [one.action for one in found] == sorted(action for action, _ in children(position))
    assert max(one.score for one in found) == score
    assert [one.is_best for one in found] == [one.score == score for one in found]
    quick = solver.action_scores(position, best_only=True).actions
    assert quick == [one if one.is_best else one._replace(score=None) for one in found]
    weak = solver.action_scores(position, weak=True).actions
    assert [one.score for one in weak] == [np.sign(one.score) for one in found]


KNOWN = {(4, 4): 0, (5, 4): 0, (6, 4): -1, (7, 4): 0, (4, 5): 0, (5, 5): 0, (6, 5): 0, (4, 6): 0, (5, 6): 0}


@pytest.mark.parametrize("size", KNOWN)
def test_empty_boards(size):
    """As J. Tromp and C. Steininger have published: who wins."""
    assert np.sign(Solver(BoardSize(*size), table_mb=16).score((0, 0)).score) == KNOWN[size]


@pytest.mark.slow
def test_the_empty_board():
    solver = Solver(table_mb=64, threads=2, book=False)
    assert solver.score((0, 0)).score == 1
    best = [one.action for one in solver.action_scores((0, 0), best_only=True).actions if one.is_best]
    assert best == [3]


# --- Mistakes.


def test_words_that_are_no_position():
    others_alone, in_the_air, above, beside = (0, 0b11), (0, 0b10), (0, 1 << 6), (0, 1 << 49)
    for words in (others_alone, in_the_air, above, beside, (1, 0), (0b111 << 7, 0b1111 | 0b111 << 7)):
        with pytest.raises(BoardError, match=r"^expected a .* on a board of 7x6, got \("):
            Solver(table_mb=1).score(words)


def test_sizes_and_tables_that_do_not_fit():
    with pytest.raises(UsageError, match="columns of height"):
        geometry(BoardSize(8, 8))
    with pytest.raises(UsageError, match="a transposition table of 1 to 65536 MiB, got 0"):
        Solver(table_mb=0)
    with pytest.raises(UsageError, match="a transposition table of 64 to"):
        Solver(BoardSize(8, 7), table_mb=1)
    with pytest.raises(UsageError, match="expected threads to be at least 1, got 0"):
        Solver(threads=0)
