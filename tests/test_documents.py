"""The examples of the README, the tutorial and the notebook run; every public name has an example that runs."""

import ast
import doctest
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

import ttt_fast
from conftest import PATIENCE, REPOSITORY

DOCS = REPOSITORY / "docs"
WITHOUT_EXAMPLE: set[str] = set()
"""Public names without an example: none, and none is added."""


def test_the_tutorial_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "TUTORIAL.md").read_text(encoding="utf-8"), re.DOTALL)
    names = {"__name__": "tutorial"}
    for block in blocks:
        exec(compile(block, "TUTORIAL.md", "exec"), names)
    assert len(blocks) >= 8 and "<PlayedGame of tic-tac-toe, random v heuribot" in capsys.readouterr().out
    assert names["again"] == names["learned"]
    assert list(tmp_path.iterdir()) == []


def test_the_network_of_the_readme_runs(capsys):
    pytest.importorskip("torch", reason="needs the extra oracle")
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```python torch\n(.*?)```", text, re.DOTALL).group(1)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert 0 < float(capsys.readouterr().out) <= 1


def test_the_notebook_runs(capsys):
    book = json.loads((DOCS / "teacher.ipynb").read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    names = {"__name__": "notebook"}
    for number, cell in enumerate(cells):
        exec(compile(cell, f"cell {number}", "exec"), names)
    text = "".join("".join(cell["source"]) for cell in book["cells"])
    asked = re.findall(r"\*\*Exercise (\d+)\.", text)
    assert asked == re.findall(r"# Solution (\d+)", text) == [str(one) for one in range(1, len(asked) + 1)]
    assert len(asked) >= 6 and all(cell["outputs"] == [] for cell in book["cells"] if cell["cell_type"] == "code")


def test_links_lead_to_files():
    pages = [REPOSITORY / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")] + sorted(
        DOCS.glob("*.md")
    )
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
        assert [one for one in links if not (page.parent / one).exists()] == [], page


def test_every_public_name_has_an_example():
    def has_example(name):
        return bool(doctest.DocTestParser().get_examples(getattr(ttt_fast, name).__doc__ or ""))

    assert {name for name in ttt_fast.__all__ if not has_example(name)} == WITHOUT_EXAMPLE


def test_the_stub_is_that_of_the_names():
    text = (REPOSITORY / "src" / "ttt_fast" / "__init__.pyi").read_text(encoding="utf-8")
    names = {alias.asname for node in ast.parse(text).body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert names == set(ttt_fast.__all__)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pdoc") is None, reason="needs the extra [docs]")
def test_the_pages_of_the_api_are_built_without_a_warning(tmp_path):
    command = [sys.executable, "-W", "error::UserWarning", str(DOCS / "build_api.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "ttt_fast.html").read_text(encoding="utf-8")
    assert [name for name in ttt_fast.__all__ if f'id="{name}"' not in page] == []


def test_the_pages_of_the_api_name_their_extra(tmp_path):
    (tmp_path / "pdoc.py").write_text("raise ImportError", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{REPOSITORY / 'src'}"}
    command = [sys.executable, str(DOCS / "build_api.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "pip install -e '.[docs]'" in done.stderr
