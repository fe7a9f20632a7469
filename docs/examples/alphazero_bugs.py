"""The usual bugs of AlphaZero, planted in alphazero.py one at a time, and the exact curve that each of them makes.

`python docs/examples/alphazero_bugs.py [FILE [SEEDS]]` writes them: by default results/alphazero/bugs.csv, of 5 seeds.
`ttt-fast plot results/alphazero/bugs.csv --y exploitability --by program --title "The usual bugs of AlphaZero"` with
`-o results/alphazero/bugs.svg` draws them.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from ttt_fast import Meter, PolicyError

PROGRAM = Path(__file__).with_name("alphazero.py")
FILE = PROGRAM.parents[2] / "results" / "alphazero" / "bugs.csv"
BUGS = {
    "sign at backup": [("            value = -value  # of the player before\n", "")],
    "player of the root": [("value = values[state]", "value = values[state] * (3 - 2 * table.player[root])")],
    "side at the end of a game": [("-1.0  # the player to move has lost", "1.0")],
    "side of the value target": [("else 1.0  # for the player", "else -1.0  # for the player")],
    "no legal mask": [("np.where(mask, outputs[:, :-1], -np.inf)", "outputs[:, :-1]")],
}
"""The replacements of text that plant each bug."""
RESCALED = ("table.of_edges(priors)", "table.of_edges(priors * mask / (priors * mask).sum(axis=1, keepdims=True))")
PROGRAMS = {"correct": [], **BUGS, "no legal mask, rescaled": [*BUGS["no legal mask"], RESCALED]}


class MeterOfBoth(Meter):
    """A meter that also judges greedy play."""

    def record(self, step, policy):
        """Record the probabilities, and whether the most probable actions are unbeatable."""
        row = super().record(step, policy)
        greedy = Meter("tic-tac-toe", opponent="self").record(step, policy, scores=True)
        self.rows[-1]["unbeatable"] = greedy["never_loses"]
        return row


def planted(name):
    """Return `learn` of alphazero.py with a bug."""
    text = PROGRAM.read_text(encoding="utf-8")
    for before, after in PROGRAMS[name]:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    names = {"__name__": "planted"}
    exec(text, names)
    names["Meter"] = MeterOfBoth
    return names["learn"]


def curve(name, seeds):
    """Return the rows of a program: mean, smallest and largest exploitability of the runs, share of unbeatable ones."""
    runs = [planted(name)(seed=seed).rows for seed in range(seeds)]
    rows = []
    for points in zip(*runs, strict=True):
        found = [point["exploitability"] for point in points]
        shown = {"exploitability": np.mean(found), "low": min(found), "high": max(found)}
        shown["unbeatable"] = np.mean([point["unbeatable"] for point in points])
        numbers = {column: f"{value:.6g}" for column, value in shown.items()}
        rows.append({"program": name, "episodes": points[0]["episodes"], "runs": seeds, **numbers})
    return rows


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    seeds, written = int(sys.argv[2]) if len(sys.argv) > 2 else 5, []
    for name in PROGRAMS:
        try:
            written += curve(name, seeds)
            print(f"{name}: exploitability {written[-1]['exploitability']} after {written[-1]['episodes']} games")
        except PolicyError as error:  # at the first row
            print(f"{name}: {error}")
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(written[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(written)
