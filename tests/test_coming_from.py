"""The page for users of OpenSpiel, pgx and python-chess: its tables hold calls of scripts that run."""

import ast
import re

import pytest

import ttt_fast
from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "COMING_FROM.md").read_text(encoding="utf-8")
LIBRARIES = {"openspiel": "pyspiel", "pgx": "pgx", "chess": "chess"}
TITLES = {"openspiel": "OpenSpiel", "pgx": "pgx", "chess": "python-chess"}
SOURCES = {
    name: (REPOSITORY / f"docs/examples/coming_from_{name}.py").read_text(encoding="utf-8") for name in LIBRARIES
}
FUNCTIONS = {
    (library, node.name): ast.get_source_segment(source, node)
    for library, source in SOURCES.items()
    for node in ast.parse(source).body
    if isinstance(node, ast.FunctionDef)
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
    assert rows[0] == ["task", TITLES[library], "ttt_fast"] and all(len(row) == 3 for row in rows)
    return rows[1:]


def run(library, side):
    exec(compile(SOURCES[library], library, "exec"), names := {"__name__": "page"})
    names[side]()


def test_each_library_has_a_table_and_two_functions():
    assert set(FUNCTIONS) == {(library, side) for library in LIBRARIES for side in ("ours", "theirs")}
    assert all(len(rows_of(library)) >= 10 for library in LIBRARIES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_our_code_runs(library, capsys):
    run(library, "ours")
    assert capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_their_code_runs(library, capsys):
    pytest.importorskip(LIBRARIES[library])
    run(library, "theirs")


@pytest.mark.parametrize("library", LIBRARIES)
def test_our_code_uses_public_names(library):
    code = FUNCTIONS[library, "ours"]
    assert set(re.findall(r"ttt_fast\.(\w+)", code)) <= set(ttt_fast.__all__)
    assert re.findall(r"^ *(?:import|from) .*$", code, re.MULTILINE) == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_calls_of_the_table_are_in_the_code(library):
    for task, theirs, ours in rows_of(library):
        for side, cell in (("theirs", theirs), ("ours", ours)):
            for call in set(re.findall(r"`([^`]+)`", cell)) - NEED_A_PROGRAM:
                assert call in FUNCTIONS[library, side], (task, side, call)
