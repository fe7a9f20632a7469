"""Ctrl-C while the program is still being imported: exit code 130 and one line, whichever way it was started."""

import os
import sys

import pytest

from cli_runner import SCRIPT, Ran, assert_one_line, run_process
from conftest import REPOSITORY

PRESSES = """
import os, sys

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_IMPORT"]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
"""
PROGRAMS = {"ttt-fast": SCRIPT, "cli.py": [sys.executable, str(REPOSITORY / "cli.py")]}


@pytest.fixture
def interrupted(tmp_path):
    """Start a program and press Ctrl-C when it looks for a module."""
    (tmp_path / "sitecustomize.py").write_text(PRESSES, encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])

    def start(program: str, module: str, *words: str) -> Ran:
        environment = {"PYTHONPATH": paths, "INTERRUPTED_IMPORT": module}
        return run_process("agents", *words, program=PROGRAMS[program], env=environment)

    return start


MODULES = {
    "ttt-fast": ("typing", "typer", "ttt_fast.cli.agents", "ttt_fast.cli.options", "rich.console"),
    "cli.py": ("typing", "rich.console"),  # once it is imported, it is the other program
}
STARTS = [(program, module) for program, modules in MODULES.items() for module in modules]


@pytest.mark.parametrize(("program", "module"), STARTS)
def test_ctrl_c_while_importing_is_one_line(interrupted, program, module):
    assert_one_line(interrupted(program, module), 130, "interrupted")


@pytest.mark.parametrize("program", PROGRAMS)
def test_debug_shows_where(interrupted, program):
    ran = interrupted(program, "typer", "--debug")
    assert ran.code != 0 and "Traceback" in ran.err and "KeyboardInterrupt" in ran.err
