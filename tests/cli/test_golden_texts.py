"""The texts of commands at 80 columns, kept in files, and their widths in terminals of every size.

`PYTHONPATH=tests:src python tests/cli/test_golden_texts.py` writes the files again: read them
before they are committed.
"""

import os
import re
from pathlib import Path

import pytest

from cli_runner import run
from conftest import REPOSITORY, WITH_PROVEN

FOLDER = Path(__file__).resolve().parent.parent / "data" / "texts"
COMMANDS = {
    "help": ["--help"],
    "help-match": ["match", "--help"],
    "exact": ["exact", "random", "minimax"],
    "exact-board": ["exact", "random", "random", "--position", "XO..X...."],
    "exact-wide": ["exact", "minimax", "random", "--game", "tic-tac-toe:rows=3,columns=4"],
    "best-response": ["best-response", "buggy2"],
    "best-response-wins": ["best-response", "random", "--seat", "o", "--objective", "wins"],
    "states": ["states"],
    "states-connect4": ["states", "--game", "connect4:columns=4,rows=4,length=3"],
    "agents": ["agents"],
    "agents-ultimate": ["agents", "--game", "ultimate"],
    "agents-minimax": ["agents", "minimax"],
    "score": ["score", "minimax"],
    "score-buggy2": ["score", "buggy2", "--against", "heuribot"],
    "compare": ["compare", "random", "minimax", "heuribot", "-n", "0"],
    "compare-long-names": [
        "compare", "mix:1/2*minimax+1/2*random", "minimax:tie=first,prefer=fast", "best-response:heuribot", "-n", "0",
    ],
    "show": ["show", "XO..X....", "--agents", "random,minimax"],
    "show-over": ["show", "XXXOO...."],
    "show-connect4": ["show", "445", "--game", "connect4", "--agents", "random,default"],
    "watch": ["watch", "minimax:tie=first,prefer=fast", "heuribot"],
    "review": ["review", str(REPOSITORY / "docs" / "examples" / "games.txt")],
    "solve": ["solve", "44444"],
    "perft": ["perft", "--depth", "3", "--by-move", "--game", "tic-tac-toe"],
}  # fmt: skip
"""Commands that print the same in every run."""
WIDTHS = (60, pytest.param(160, marks=pytest.mark.slow))
"""Those of `COMMANDS` at 80 columns are in the files."""
MEASURED = [
    ["match", "random", "minimax", "-n", "20k"],
    ["match", "random", "minimax", "-n", "1e15", "--method", "propagate"],
    ["match", "mcts:sims=8", "random", "-n", "4"],
    ["info"],
    ["info", "tables"],
    ["train", "-n", "2k", "-o", "/dev/null"],
    ["perft", "-d", "3"],
]
"""Commands whose numbers or paths differ from run to run."""


def text_at(width: int, arguments: list[str]) -> str:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(width)
    try:
        ran = run(*arguments)
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    assert ran.code == 0, ran.err
    return ran.text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_text_at_80_columns(name):
    if name in ("help", "agents") and not WITH_PROVEN:
        pytest.skip("the text names the agent and the command of a wing that is not there")
    text = text_at(80, COMMANDS[name])
    assert text == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 80 and "…" not in text


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("arguments", [*COMMANDS.values(), *MEASURED], ids=" ".join)
def test_no_line_is_longer_than_the_terminal_and_nothing_is_cut(arguments, width):
    text = text_at(width, arguments)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


@pytest.mark.parametrize("name", ["best-response", "compare-long-names", "exact-board", "show"])
def test_narrow_texts_have_every_number_and_agent_of_wide_ones(name):
    """Whatever a wide terminal shows, but for spare columns, a narrow one shows too."""
    wide, narrow = (text_at(width, COMMANDS[name]) for width in (160, 60))
    words = set(re.findall(r"[\w.*+/:=,-]+", narrow.replace("\n", " ")))
    numbers = {word for word in re.findall(r"[\w.*+/:=,-]+", wide) if re.fullmatch(r"-?\d\.\d{6}|mix:.*|best-.*", word)}
    assert numbers <= words | {"0.000000", "-1.000000"}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for chosen, line in COMMANDS.items():
        (FOLDER / f"{chosen}.txt").write_text(text_at(80, line), encoding="utf-8")
