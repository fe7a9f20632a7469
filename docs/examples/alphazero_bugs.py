"""The usual bugs of AlphaZero, planted in alphazero.py one at a time, and the exact curve that each of them makes.

`python docs/examples/alphazero_bugs.py [FILE [SEEDS]]` writes a row for each run and 80 games: by default
results/alphazero/bugs.csv, of 30 seeds.  The search is compiled, which leaves its results as they are.
`ttt-fast plot results/alphazero/bugs.csv --y exploitability --by program --title "The usual bugs of AlphaZero"` with
`-o results/alphazero/bugs.svg` draws them.
"""

import csv
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numba

from ttt_fast import Meter, PolicyError

PROGRAM = Path(__file__).with_name("alphazero.py")
FILE = PROGRAM.parents[2] / "results" / "alphazero" / "bugs.csv"
BUGS = {
    "sign at backup": [("            value = -value  # of the player before\n", "")],
    "player of the root": [("value = values[state]", "value = values[state] * (3 - 2 * table.player[root])")],
    "side at the end of a game": [("-1.0  # the player to move has lost", "1.0")],
    "side of the value target": [("else 1.0  # for the player", "else -1.0  # for the player")],
    "draw as a loss": [
        ("0.0 if table.status[state] == 3 else -1.0", "-1.0"),
        ("result * (-1) ** plies)", "result * (-1) ** plies or -1.0)"),
    ],
    "no legal mask": [("np.where(mask, outputs[:, :-1], -np.inf)", "outputs[:, :-1]")],
}
"""The replacements of text that plant each bug."""
RESCALED = ("table.of_edges(priors)", "table.of_edges(priors * mask / (priors * mask).sum(axis=1, keepdims=True))")
PROGRAMS = {"correct": [], **BUGS, "no legal mask, rescaled": [*BUGS["no legal mask"], RESCALED]}
SEEDS, EVERY = 30, 80


class Arrays(NamedTuple):
    """The arrays of a table that a search reads."""

    child: Any
    status: Any
    player: Any
    legal_action_mask: Any
    num_actions: int


class MeterOfBoth(Meter):
    """A meter that also judges greedy play."""

    def record(self, step, policy):
        """Record the probabilities, and whether the most probable actions are unbeatable."""
        row = super().record(step, policy)
        greedy = Meter("tic-tac-toe", opponent="self").record(step, policy, scores=True)
        self.rows[-1]["unbeatable"] = greedy["never_loses"]
        return row


@lru_cache
def planted(name):
    """Return `learn` of alphazero.py with a bug."""
    text = PROGRAM.read_text(encoding="utf-8")
    for before, after in PROGRAMS[name]:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    names = {"__name__": "planted"}
    exec(text, names)
    compiled = numba.njit(names["search"])
    arrays = lru_cache(lambda table: Arrays(*(getattr(table, field) for field in Arrays._fields)))
    names |= {"Meter": MeterOfBoth, "search": lambda table, *rest: compiled(arrays(table), *rest)}
    return names["learn"]


def rows_of(name, seed):
    """Return the rows of a run of a program."""
    points = [point for point in planted(name)(seed=seed).rows if point["episodes"] % EVERY == 0]
    return [
        {"program": name, "seed": seed, "episodes": point["episodes"],
         "exploitability": f"{point['exploitability']:.6g}", "unbeatable": int(point["unbeatable"])}
        for point in points
    ]  # fmt: skip


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    seeds, written = int(sys.argv[2]) if len(sys.argv) > 2 else SEEDS, []
    for name in PROGRAMS:
        try:
            written += [row for seed in range(seeds) for row in rows_of(name, seed)]
            print(f"{name}: {seeds} runs", flush=True)
        except PolicyError as error:  # at the first row
            print(f"{name}: {error}")
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(written[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(written)
