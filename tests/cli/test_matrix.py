"""Every agent in every game with every command works or is refused in a line, as tests/data/matrix.json states.

`PYTHONPATH=tests python tests/cli/test_matrix.py` tries every case and writes that file: by game and agent, the
commands that work.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from cli_runner import run
from conftest import WITH_PROVEN
from ttt_fast import TrainingConfig, TrainingRun, UsageError, train
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.games.registry import GAMES, LIBRARIES

FILE = Path(__file__).parents[1] / "data" / "matrix.json"
WORKING = {
    game: {agent: working for agent, working in of.items() if WITH_PROVEN or agent != "proven"}
    for game, of in json.loads(FILE.read_text(encoding="utf-8")).items()
}
VARIANTS = (
    "tic-tac-toe:rows=2,columns=4",
    "connect4:columns=3,rows=4,length=3",
    "ultimate:closed=stay",
    "openspiel:dots_and_boxes(num_rows=1,num_cols=2)",  # who closes a box moves again
)
SHORT = {"mcts": "mcts:sims=4", "mcts-best": "mcts-best:sims=4", "alphabeta": "alphabeta:depth=1"}
"""Agents that would think for long, and how they are tried."""
OWN = {"python:MODULE:NAME": "python:first_legal:choose"}
"""An agent of one's own, and the one that is tried."""
COMPOSITES = ("best-response:random", "mix:1/2*random+1/2*default")
LATE = "2252576253462244111563365343671351441"
"""A line of Connect 4 after which the solver answers at once."""
ULTIMATE_LATE = (
    "96 62 29 91 16 69 97 72 28 85 57 78 89 93 31 12 24 42 26 64 47 77 79 98 88 86 67 74 48 87 71 19 94 46 66 61 11 13"
    " 37 73 38 82 21 17 76 68 81 14 41 15 55 58 83 36 65 56 63 34 45 52 27 75 53 35"
)
"""A line of Ultimate after which few plies are left, whether a player is free or stays."""


@cache
def network(game: str) -> TrainingRun | None:
    """Return a network for the agent `puct`; None for a game that AlphaZero does not learn."""
    try:
        return train(TrainingConfig(algorithm="alphazero", game=game, episodes=1, hidden="8", simulations=2))
    except UsageError:
        return None


class Case(NamedTuple):
    """A command line: the game, the agent (nothing where the command asks for none), the command, and its words."""

    game: str
    agent: str
    command: str
    words: list[str]


def games() -> list[str]:
    """Return every game of the registry, and the variants that are tried."""
    return sorted([*GAMES, *VARIANTS], key=lambda spec: [*GAMES, *LIBRARIES].index(spec.partition(":")[0]))


def agents() -> list[str]:
    """Return every agent of the catalogue, one of each composite, and an agent of one's own."""
    return [*AGENTS, *COMPOSITES, *OWN]


def cases(folder: Path, network_of: Callable[[str], TrainingRun | None] = network) -> Iterator[Case]:
    """Yield every case; what a command saves goes into the folder, and so do the networks of the games."""
    late = folder / "late.txt"
    late.write_text(f"{LATE}\n", encoding="utf-8")
    for game in games():
        openings = ["--openings", str(late)] if game == "connect4" else []
        line = LATE if game == "connect4" else ULTIMATE_LATE if game.startswith("ultimate") else ""
        begun = ["--position", line] if line else []
        judged = ["--judges", ""] if game.startswith("ultimate") else []  # whose games would take seconds
        tried, made = {**SHORT, **OWN}, network_of(game)
        if made is not None:
            made.save(net := folder / f"{games().index(game)}.npz")
            tried["puct"] = f"puct:net={net},sims=4"
        for agent in agents():
            spec = tried.get(agent, agent)
            other = "default" if agent == "random" else "random"
            lines = {
                "match": ["match", spec, other, "-n", "2", *openings],
                "compare": ["compare", spec, other, "-n", "2", *openings],
                "exact": ["exact", spec, other],
                "score": ["score", spec],
                "page AGENT": ["page", spec, "-o", str(folder / "report.html")],
                "page": ["page", "--agents", spec, "-o", str(folder / "page.html")],
                "show": ["show", LATE if game == "connect4" else "", "--agents", spec],
                "best-response": ["best-response", spec],
                "play": ["play", spec, *begun],
                "watch": ["watch", spec, other, *begun],
                "train": ["train", "--opponent", spec, "-n", "20", "-o", str(folder / "q.npz"), *judged],
                "sweep": ["sweep", "--set", f"opponent={spec}", "--seeds", "1", "-n", "20", "-o", str(folder / "runs")],
            }
            for command, words in lines.items():
                yield Case(game, agent, command, [*words, "--game", game])
        one = folder / f"{games().index(game)}.txt"
        one.write_text("11\n" if game.startswith("ultimate") else "1\n", encoding="utf-8")
        alone = {"states": [], "perft": ["-d", "2"], "agents": [], "solve": [LATE], "review": [str(one)]}
        for command, words in alone.items():
            yield Case(game, "", command, [command, *words, "--game", game])


def works(words: list[str]) -> bool:
    """Run a command line in this process; raise ValueError if it neither works nor is refused in one line."""
    ran = run(*words)
    if ran.code == 0 or (ran.code == 2 and ran.err.startswith("ttt-fast: ") and ran.err.count("\n") == 1):
        return ran.code == 0
    raise ValueError(f"exit code {ran.code}: {ran.err}")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "agent"), [(game, agent) for game in games() for agent in [*agents(), ""]])
def test_the_file_says_what_works(game, agent, tmp_path):
    def network_of(other: str) -> TrainingRun | None:
        return network(other) if (other, agent) == (game, "puct") else None

    of = [case for case in cases(tmp_path, network_of) if (case.game, case.agent) == (game, agent)]
    assert len(of) >= 4 and [case.command for case in of if works(case.words)] == WORKING[game][agent]


def test_the_file_has_every_case_and_no_other(tmp_path):
    commands = {}
    for case in cases(tmp_path, lambda game: None):
        commands.setdefault(case.game, {}).setdefault(case.agent, []).append(case.command)
    assert {game: set(of) for game, of in WORKING.items()} == {game: set(of) for game, of in commands.items()}
    assert all(set(of) <= set(commands[game][agent]) for game, row in WORKING.items() for agent, of in row.items())


if __name__ == "__main__":
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(Path(folder)):
            row = found.setdefault(case.game, {}).setdefault(case.agent, [])
            row += [case.command] * works(case.words)
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
