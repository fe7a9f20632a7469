"""The measures of the study of Connect 4: the empty board of each size, solved."""

from typing import Any, Final

from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import plies_to_end
from ttt_fast.search.connect_four.solver import Solver, load_kernels
from ttt_fast.studies.engine.tables import Rows
from ttt_fast.studies.engine.work import Work

SIZES: Final = (
    *((4, height) for height in range(4, 11)),
    *((5, height) for height in range(4, 9)),
    *((6, height) for height in range(4, 8)),
    *((7, height) for height in range(4, 7)),
    (8, 4),
)
"""Width and height of the boards: those that take at most half a minute each."""
QUICK_CELLS, TABLE_MB = 25, 64.0
WORDS: Final = {1: "first player wins", 0: "draw", -1: "second player wins"}


def solve(width: int, height: int) -> dict[str, Any]:
    """Solve an empty board with a table of its own and one thread, so that the nodes are the same in every run."""
    size = BoardSize(width, height)
    load_kernels()
    solved = Solver(size, table_mb=TABLE_MB, shipped=False).action_scores((0, 0), best_only=True)
    best = [one for one in solved.actions if one.is_best]
    score = best[0].score
    assert score is not None
    first = " ".join(str(one.action + 1) for one in best)
    return {"score": score, "stones": plies_to_end(score, 0, size), "first": first, "nodes": solved.nodes}


def boards(work: Work) -> Rows:
    """Return for each board who wins, the score, the stones at the end, the best first moves, and the work."""
    sizes = sorted(
        (size for size in SIZES if not work.quick or size[0] * size[1] <= QUICK_CELLS), key=lambda one: -one[0] * one[1]
    )
    solved = work.pieces(solve, [{"width": width, "height": height} for width, height in sizes])
    rows = []
    for (width, height), board in sorted(zip(sizes, solved, strict=True), key=lambda one: one[0]):
        score = int(board["score"])
        rows.append({
            "width": width, "height": height, "under best play": WORDS[(score > 0) - (score < 0)], "score": score,
            "stones at the end": int(board["stones"]), "best first moves": str(board["first"]),
            "nodes": int(board["nodes"]),
        })  # fmt: skip
    return rows


def values(work: Work) -> Rows:
    """Return what others have published of each board: its value for the first player, and its last stone."""
    rows = []
    for row in boards(work):
        name, score = f"{row['width']}x{row['height']}", row["score"]
        rows += [{"name": name, "quantity": "value", "value": (score > 0) - (score < 0)},
                 {"name": name, "quantity": "stones at the end", "value": row["stones at the end"]}]  # fmt: skip
    return rows


MEASURES: Final = {"boards": boards, "values": values}
