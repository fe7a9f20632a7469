"""The page for users of OpenSpiel, pgx and python-chess: its code runs, and its tables hold calls of that code."""

import re

import pytest

import ttt_fast
from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "COMING_FROM.md").read_text(encoding="utf-8")
LIBRARIES = {"openspiel": "pyspiel", "pgx": "pgx", "chess": "chess"}
TITLES = {"openspiel": "OpenSpiel", "pgx": "pgx", "chess": "python-chess"}
BLOCKS = {
    (library, side): code for library, side, code in re.findall(r"```python (\w+) (\w+)\n(.*?)```", PAGE, re.DOTALL)
}
NEED_A_PROGRAM = {
    'chess.engine.SimpleEngine.popen_uci("stockfish")',
    "engine.play(board, chess.engine.Limit(depth=8)).move",
    "engine.analyse(board, chess.engine.Limit(depth=8), multipv=3)",
    "chess.syzygy.open_tablebase(folder)",
}
"""Calls that the code names and cannot make."""


def rows_of(library):
    section = PAGE.partition(f"\n## {TITLES[library]}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| --- ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert rows[0] == ["task", TITLES[library], "ttt_fast", "remark"] and all(len(row) == 4 for row in rows)
    return rows[1:]


def test_each_library_has_a_table_and_two_blocks():
    assert set(BLOCKS) == {(library, side) for library in LIBRARIES for side in ("ours", "theirs")}
    assert all(len(rows_of(library)) >= 15 for library in LIBRARIES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_our_code_runs(library, capsys):
    exec(compile(BLOCKS[library, "ours"], f"{library}, ours", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out


@pytest.mark.parametrize("library", LIBRARIES)
def test_their_code_runs(library, capsys):
    pytest.importorskip(LIBRARIES[library])
    exec(compile(BLOCKS[library, "theirs"], f"{library}, theirs", "exec"), {"__name__": "page"})


@pytest.mark.parametrize("library", LIBRARIES)
def test_our_code_uses_public_names(library):
    code = BLOCKS[library, "ours"]
    assert set(re.findall(r"ttt_fast\.(\w+)", code)) <= set(ttt_fast.__all__)
    assert re.findall(r"^ *(?:import|from) .*$", code, re.MULTILINE) == ["import ttt_fast"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_calls_of_the_table_are_in_the_code(library):
    for task, theirs, ours, _ in rows_of(library):
        for side, cell in (("theirs", theirs), ("ours", ours)):
            for call in set(re.findall(r"`([^`]+)`", cell)) - NEED_A_PROGRAM:
                assert call in BLOCKS[library, side], (task, side, call)
