"""Connect 4 positions solved: batches, the plain solver's node counts, the empty board, PyPI's bitbully beside ours."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.connect_four import solve_plain
from groups.timing import Effort, Group, Rows, compile_row, one_core, seconds_row, take_turns, value_row
from ttt_fast.games.registry import parse_game
from ttt_fast.running.timing import Candidate
from ttt_fast.search.connect_four.answers import Question
from ttt_fast.search.connect_four.geometry import STANDARD
from ttt_fast.search.connect_four.positions import have_four
from ttt_fast.search.connect_four.solver import Solver, solve_positions

ROOT = Path(__file__).resolve().parent.parent.parent
TEST_SETS = {"Test_L3_R1": "51.3", "Test_L2_R1": "449.1"}
"""P. Pons' test sets and the mean number of nodes of his solver, as printed."""
TABLE_MB = 64
EMPTY_BOARD_TURNS = 5
PEER_PLIES, PEER_POSITIONS, PEER_TURNS = range(12, 17), 40, 7
"""Plies, positions of a turn, and turns of the comparison with bitbully."""
_PART = "connect4_scores.txt"


def position_files() -> dict[str, Path]:
    """Return the test sets where they lie in `shared` beside the repository, else the part in `tests/data`."""
    whole = {name: ROOT.parent / "shared" / "data" / "connect4" / name for name in TEST_SETS}
    if all(path.is_file() for path in whole.values()):
        return whole
    return {_PART: ROOT / "tests" / "data" / _PART}


def solving(effort: Effort) -> Rows:
    """Measure batches and long searches; every score is compared with the published one on the way."""
    with one_core():
        rows = batches(effort)
        rows += beside_bitbully() if "bitbully" in effort.peers else []
    empty = empty_board()
    kernels = "from ttt_fast.search.connect_four.solver import load_kernels; load_kernels()"
    return [*rows, *empty, compile_row(kernels)]


def batches(effort: Effort) -> Rows:
    """Measure the solver with one thread and an empty table for each batch; count the nodes of the plain one."""
    game, rows, counts = parse_game("connect4"), [], []
    for name, path in position_files().items():
        lines = Question(game).read_file(path)
        positions = np.array([line.words for line in lines], np.uint64)
        expected = np.array([line.expected for line in lines])

        def ours(positions: NDArray[np.uint64] = positions) -> NDArray[np.int64]:
            return solve_positions(positions).scores

        timed = take_turns([Candidate(f"ttt_fast: {name}", "positions", len(lines), ours)], effort)
        rows += timed
        fast, slow = solve_positions(positions), solve_plain(positions)
        assert (fast.scores == expected).all() and (slow.scores == expected).all()
        printed = f"; {TEST_SETS[name]} are published" if name in TEST_SETS else ""
        each = f"{len(lines):,} positions, every score as in the file"
        counts += [
            value_row(f"{name}: µs a position", 1e6 / timed[0]["per_second"], f"ttt_fast, {each}"),
            value_row(f"{name}: mean nodes", float(fast.nodes.mean()), "ttt_fast"),
            value_row(f"{name}: mean nodes of the plain solver", float(slow.nodes.mean()), f"P. Pons' rules{printed}"),
        ]
    return [*rows, *counts]


def empty_board() -> Rows:
    """Measure the whole game with one thread and with two, in turns, each with an empty table."""
    spent: dict[int, list[float]] = {1: [], 2: []}
    nodes: dict[int, list[int]] = {1: [], 2: []}
    for _ in range(EMPTY_BOARD_TURNS):
        for threads in spent:
            solved = Solver(table_mb=TABLE_MB, threads=threads, book=False).score((0, 0))
            assert solved.score == 1
            spent[threads].append(solved.seconds)
            nodes[threads].append(solved.nodes)
    rows = [
        seconds_row(
            f"empty board, {threads} thread{'s' * (threads > 1)}",
            median(spent[threads]),
            f"median of {EMPTY_BOARD_TURNS} runs, table of {TABLE_MB} MiB, {median(nodes[threads]):,} nodes, score +1",
        )
        for threads in spent
    ]
    ratios = [one / two for one, two in zip(spent[1], spent[2], strict=True)]
    note = f"median of the ratios of {EMPTY_BOARD_TURNS} turns; from {min(ratios):.2f} to {max(ratios):.2f}"
    return [*rows, value_row("two threads are so many times as fast as one", median(ratios), note)]


def marks_of(own: int, stones: int) -> list[list[int]]:
    """Return the columns of a position, each from the bottom: 1 for the player who began, 2 for the other, 0 empty."""
    first = own if stones.bit_count() % 2 == 0 else own ^ stones
    bits = [[column * STANDARD.stride + row for row in range(STANDARD.height)] for column in range(STANDARD.width)]
    return [[(stones >> bit & 1) * (2 - (first >> bit & 1)) for bit in column] for column in bits]


def random_position(generator: np.random.Generator, plies: int) -> tuple[int, int]:
    """Return a position of 7x6 after random moves, none of which wins: the stones of the player to move, and all."""
    while True:
        own, stones, heights = 0, 0, [0] * STANDARD.width
        for _ in range(plies):
            column = int(generator.choice([one for one, height in enumerate(heights) if height < STANDARD.height]))
            cell = 1 << (column * STANDARD.stride + heights[column])
            heights[column] += 1
            own, stones = own ^ stones, stones | cell
        if not have_four(np.array([own, own ^ stones], np.uint64), STANDARD).any():
            return own, stones


def beside_bitbully() -> Rows:
    """Solve the same positions with both solvers in turns: tables kept from turn to turn, and fresh for each position.

    Each turn has its own positions.  No book is used, only the calls are timed, and all scores are compared.
    """
    import bitbully

    generator = np.random.default_rng(0)
    kept, others = Solver(table_mb=TABLE_MB, book=False), [bitbully.BitBully(opening_book=None) for _ in range(2)]

    def fresh() -> Solver:
        return Solver(table_mb=TABLE_MB, book=False)

    def timed(call: Callable[[], Any]) -> tuple[float, int]:
        started = time.perf_counter()
        score = call()
        return time.perf_counter() - started, int(score)

    spent: dict[tuple[str, str], list[float]] = {}
    for turn in range(PEER_TURNS + 1):
        plies = [PEER_PLIES[number % len(PEER_PLIES)] for number in range(PEER_POSITIONS)]
        positions = [random_position(generator, one) for one in plies]
        boards = [bitbully.Board(marks_of(*one)) for one in positions]
        for tables, other in zip(("kept", "fresh"), others, strict=True):
            ours, theirs = [], []
            for position in positions:
                solver = kept if tables == "kept" else fresh()
                ours.append(timed(lambda solver=solver, position=position: solver.score(position).score))
            for board in boards:
                if tables == "fresh":
                    other.reset_transposition_table()
                theirs.append(timed(lambda other=other, board=board: other.mtdf(board)))
            assert [score for _, score in ours] == [score for _, score in theirs]
            if turn:  # the first one is for warming up
                for name, found in (("ttt_fast", ours), ("bitbully", theirs)):
                    spent.setdefault((tables, name), []).append(sum(seconds for seconds, _ in found))
    note = f"7x6, {PEER_PLIES[0]} to {PEER_PLIES[-1]} plies, {PEER_POSITIONS} positions a turn, {PEER_TURNS} turns"
    rows = []
    for tables in ("kept", "fresh"):
        ours, theirs = spent[tables, "ttt_fast"], spent[tables, "bitbully"]
        for name in ("ttt_fast", "bitbully"):
            each = 1e6 * median(spent[tables, name]) / PEER_POSITIONS
            rows.append(value_row(f"{name}, {tables} tables: µs a position", each, f"median; {note}"))
        ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
        between = f"median of the ratios of the turns; from {min(ratios):.2f} to {max(ratios):.2f}"
        rows.append(
            value_row(f"ttt_fast is so many times as fast as bitbully, {tables} tables", median(ratios), between)
        )
    return rows


SOLVING = Group("solving", "Connect 4 positions solved", solving, peers=("bitbully",))
