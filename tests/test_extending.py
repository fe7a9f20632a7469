"""The extension points: few names, each documented, with examples that run; clients import these and public names."""

import re
import subprocess
import sys
from importlib import import_module

import ttt_fast
from conftest import PATIENCE, REPOSITORY

PAGE = REPOSITORY / "docs" / "EXTENDING.md"
POINTS = ("games", "games.api", "kernels", "agents.api", "evaluators", "learners", "running.api", "files")
MOST = 70
"""Names of the extension points."""


def names_of(point):
    return set(import_module(f"ttt_fast.{point}").__all__)


def test_extension_points_have_few_names_and_none_that_is_public():
    names = [name for point in POINTS for name in names_of(point)]
    assert len(names) == len(set(names)) <= MOST
    assert not set(names) & set(ttt_fast.__all__)


def test_each_name_exists_and_stands_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    for point in POINTS:
        module = import_module(f"ttt_fast.{point}")
        assert all(hasattr(module, name) for name in names_of(point))
        part = next(one for one in re.split(r"(?m)^## ", text) if f"`ttt_fast.{point}`" in one.partition("\n")[0])
        words = set(re.findall(r"`@?(?:api\.)?(\w+)", part))
        assert names_of(point) <= words, names_of(point) - words


def test_the_examples_run(tmp_path):
    """In a process of their own: they register agents and games."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7
    (tmp_path / "extending.py").write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "extending.py"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stderr) == (0, "")
