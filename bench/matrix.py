"""Which agent works in which game with which command: every case is tried, at a tiny size.

`python bench/matrix.py` writes results/MATRIX.md; a test walks the page and tries every case again.
"""

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.cli.main import main
from ttt_fast.games.registry import GAMES, LIBRARIES
from ttt_fast.values.proven_files import save_proven, weights_from

PAGE = Path(__file__).resolve().parent.parent / "results" / "MATRIX.md"
VARIANTS = (
    "tic-tac-toe:misere=yes",
    "tic-tac-toe:rows=2,columns=4",
    "connect4:columns=4,rows=4,length=3",
    "ultimate:closed=stay",
    "openspiel:nim(pile_sizes=2;3)",
    "openspiel:dots_and_boxes(num_rows=1,num_cols=2)",  # who closes a box moves again
)
SHORT = {"mcts": "mcts:sims=4", "mcts-best": "mcts-best:sims=4", "alphabeta": "alphabeta:depth=1"}
"""Agents that would think for long, and how they are tried."""
OWN = {"python:MODULE:NAME": "python:first_legal:choose"}
"""An agent of one's own, and the one that is tried."""
COMPOSITES = ("best-response:random", "mix:1/2*random+1/2*default")
LATE = "2252576253462244111563365343671351441"
"""A line of Connect 4 after which the solver answers at once."""
WON = "connect4:columns=4,rows=4,length=3"
WINNING_CELLS = [[8], [5], [17], [8]]
WINNING_WEIGHTS = [[0, -2, 2, 2], [-2, -3, -1, -2], [2, 0, 0, -1], [0, 3, -2, 2]]
"""A player that wins every game as X, without exceptions: weights of single cells."""
YES, NO = "yes", "-"


class Case(NamedTuple):
    """A command line: the game, the agent (nothing where the command asks for none), the command, and its words."""

    game: str
    agent: str
    command: str
    words: list[str]


class Tried(NamedTuple):
    """What a command line did: its exit code and what it said on standard error."""

    code: int
    said: str

    @property
    def cell(self) -> str:
        """Whether it worked; raises ValueError if it was not refused in one line either."""
        if self.code == 0:
            return YES
        if self.code == 2 and self.said.startswith("ttt-fast: ") and self.said.count("\n") == 1:
            return NO
        raise ValueError(f"exit code {self.code}: {self.said}")


def games() -> list[str]:
    """Return every game of the registry, and the variants that are tried."""
    return sorted([*GAMES, *VARIANTS], key=lambda spec: [*GAMES, *LIBRARIES].index(spec.partition(":")[0]))


def agents() -> list[str]:
    """Return every agent of the catalogue, one of each composite, and an agent of one's own."""
    return [*AGENTS, *COMPOSITES, *OWN]


def cases(folder: Path) -> Iterator[Case]:
    """Yield every case; what a command saves goes into the folder."""
    late = folder / "late.txt"
    late.write_text(f"{LATE}\n", encoding="utf-8")
    save_proven(folder / "won.npz", weights_from(WON, 1, np.array(WINNING_CELLS), np.array(WINNING_WEIGHTS)))
    for game in games():
        openings = ["--openings", str(late)] if game == "connect4" else []
        begun = ["--position", LATE] if game == "connect4" else []
        for agent in agents():
            spec = {**SHORT, **OWN}.get(agent, agent)
            other = "default" if agent == "random" else "random"
            lines = {
                "match": ["match", spec, other, "-n", "2", *openings],
                "compare": ["compare", spec, other, "-n", "2", *openings],
                "exact": ["exact", spec, other],
                "score": ["score", spec],
                "page AGENT": ["page", spec, "-o", str(folder / "report.html")],
                "page": ["page", "--agents", spec, "-o", str(folder / "page.html")],
                "show": ["show", LATE if begun else "", "--agents", spec],
                "best-response": ["best-response", spec],
                "play": ["play", spec, *begun],
                "watch": ["watch", spec, other, *begun],
                "train": ["train", "--opponent", spec, "-n", "20", "-o", str(folder / "q.npz")],
                "sweep": ["sweep", "--set", f"opponent={spec}", "--seeds", "1", "-n", "20", "-o", str(folder / "runs")],
            }
            for command, words in lines.items():
                yield Case(game, agent, command, [*words, "--game", game])
        alone = {"states": [], "perft": ["-d", "2"], "agents": [], "solve": [LATE], "prove": [str(folder / "won.npz")]}
        for command, words in alone.items():
            yield Case(game, "", command, [command, *words, "--game", game])


def tried(words: list[str]) -> Tried:
    """Run a command line in this process."""
    out, said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["ttt-fast", *words]),
        mock.patch.object(sys, "stdin", io.StringIO("")),
        mock.patch("ttt_fast.cli.main._CompilationLine._show"),
        redirect_stdout(out),
        redirect_stderr(said),
    ):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
    assert isinstance(code, int)
    return Tried(code, said.getvalue())


def page(cells: dict[tuple[str, str, str], str]) -> str:
    """Return the page of the cells, by game, agent and command."""
    lines = [
        "# Agents, games and commands",
        "",
        "Written by `python bench/matrix.py`, which tries every case. A case that does not work prints one line,",
        "with exit code 2. `train` and `sweep` take the agent as the opponent; `match`, `compare`, `exact` and `watch`",
        "play it against `random`. The last agent is an external one ([AGENTS](../docs/AGENTS.md)), which takes",
        "the first legal move here.",
        "",
    ]
    alone = list(dict.fromkeys(command for _, agent, command in cells if not agent))
    commands = list(dict.fromkeys(command for _, agent, command in cells if agent))
    for game in dict.fromkeys(game for game, _, _ in cells):
        says = ", ".join(f"`{command}` {cells[game, '', command]}" for command in alone)
        lines += [f"## {game}", "", f"Commands without an agent: {says}.", ""]
        lines += ["| agent | " + " | ".join(commands) + " |", "|" + " --- |" * (1 + len(commands))]
        for agent in agents():
            row = " | ".join(cells[game, agent, command] for command in commands)
            lines.append(f"| `{agent}` | {row} |")
        lines.append("")
    return "\n".join(lines)


def cells_of(text: str) -> dict[tuple[str, str, str], str]:
    """Return the cells of a page."""
    cells: dict[tuple[str, str, str], str] = {}
    game, commands = "", list[str]()
    for line in text.splitlines():
        if line.startswith("## "):
            game = line.removeprefix("## ")
        elif line.startswith("Commands without"):
            for one in line.partition(": ")[2].rstrip(".").split(", "):
                command, cell = one.split(" ")
                cells[game, "", command.strip("`")] = cell
        elif line.startswith("| agent"):
            commands = line.strip("| ").split(" | ")[1:]
        elif line.startswith("| `"):
            agent, *found = line.strip("| ").split(" | ")
            cells |= {(game, agent.strip("`"), command): cell for command, cell in zip(commands, found, strict=True)}
    return cells


def write() -> None:
    """Try every case and write the page."""
    cells = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            try:
                cells[case.game, case.agent, case.command] = tried(case.words).cell
            except ValueError as error:
                raise SystemExit(f"{' '.join(case.words)}: {error}") from None
    PAGE.write_text(page(cells), encoding="utf-8")


if __name__ == "__main__":
    write()
