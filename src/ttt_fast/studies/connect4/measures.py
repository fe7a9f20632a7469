"""The measures of the Connect 4 study: the empty board of each size is solved."""

from math import prod
from typing import Any, Final

from ttt_fast import Solver
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Rows
from ttt_fast.studies.engine.work import Runner

SIZES: Final = [tuple(map(int, cell.against.removeprefix("value ").split("x"))) for cell in cells_of(__package__)[::2]]
"""Width and height of the boards with a published value; each takes at most half a minute to solve."""
QUICK_CELLS, TABLE_MB = 25, 64.0
WORDS: Final = {1: "first player wins", 0: "draw", -1: "second player wins"}


def solve(width: int, height: int) -> dict[str, Any]:
    """Solve an empty board with a separate table and one thread, so that every run visits the same nodes."""
    solver = Solver(f"connect4:columns={width},rows={height}", table_mb=TABLE_MB, book=False)
    solved = solver.action_scores((0, 0), best_only=True)
    best = [one for one in solved.actions if one.is_best]
    score = best[0].score
    assert score is not None
    first = " ".join(str(one.action + 1) for one in best)
    return {"score": score, "stones": solver.plies_to_end(score, 0), "first": first, "nodes": solved.nodes}


def boards(work: Runner) -> Rows:
    """Return the result, the score, the stones at the end, the best first moves and the nodes of each board."""
    sizes = [size for size in SIZES if not work.quick or size[0] * size[1] <= QUICK_CELLS]
    largest_first = sorted(sizes, key=prod, reverse=True)
    solved = work.pieces(solve, [{"width": width, "height": height} for width, height in largest_first])
    rows = []
    for (width, height), board in sorted(zip(largest_first, solved, strict=True), key=lambda one: one[0]):
        score = int(board["score"])
        rows.append({
            "width": width, "height": height, "under best play": WORDS[(score > 0) - (score < 0)], "score": score,
            "stones at the end": int(board["stones"]), "best first moves": str(board["first"]),
            "nodes": int(board["nodes"]),
        })  # fmt: skip
    return rows


def values(work: Runner) -> Rows:
    """Return the quantities published for each board: its value for the first player, and the stones at the end."""
    rows = []
    for row in boards(work):
        found = {"value": (row["score"] > 0) - (row["score"] < 0), "stones at the end": row["stones at the end"]}
        name = f"{row['width']}x{row['height']}"
        rows += [{"name": name, "quantity": quantity, "value": value} for quantity, value in found.items()]
    return rows


MEASURES: Final = {"boards": boards, "values": values}
