"""The examples of the README, the tutorial and the notebook run; every public name has an example that runs."""

import doctest
import json
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

import ttt_fast
from cli_runner import run
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


def test_the_network_of_the_readme_runs_alone():
    """In a process of its own, in which no test has imported or registered anything."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```python network\n(.*?)```", text, re.DOTALL).group(1)
    ran = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, timeout=PATIENCE)
    said = re.findall(r"^print\(.*  # ([\d.]+): ", block, re.MULTILINE)
    assert (ran.stderr, ran.stdout.split()) == ("", said) and said == ["1.0", "0.0"]


@pytest.mark.parametrize("size", ["rows=3,columns=3", pytest.param("rows=4,columns=4", marks=pytest.mark.slow)])
def test_the_guide_runs(capsys, monkeypatch, tmp_path, size):
    """Its module, its lines of Python and its commands, each kind of agent once; the quick form has a smaller board."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = (DOCS / "GUIDE.md").read_text(encoding="utf-8")
    assert text.count("rows=4,columns=4") == 2
    text = text.replace("rows=4,columns=4", size)
    blocks = dict(re.findall(r"```(\w+(?: mine)?)\n(.*?)```", text, re.DOTALL))
    (tmp_path / "mine.py").write_text(blocks["python mine"])
    exec(compile(blocks["python"], "GUIDE.md", "exec"), {"__name__": "guide"})
    lines = blocks["bash mine"].splitlines()
    assert len(capsys.readouterr().out.split()) == 6 and len(lines) == 4
    assert [line for line in lines if run(*shlex.split(line)[1:]).code] == []
    sys.modules.pop("mine")


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


def command_lines():
    """The command lines of the pages, without their comments."""
    for page in [REPOSITORY / "README.md", *sorted(DOCS.glob("*.md"))]:
        for block in re.findall(r"^```bash.*?\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            yield from (shlex.split(line, comments=True) for line in block.splitlines())


def test_no_two_runs_of_the_pages_write_one_file():
    runs = {}
    for words in command_lines():
        if words[:2] == ["ttt-fast", "train"] and "-o" in words:
            runs.setdefault(words[words.index("-o") + 1], set()).add(" ".join(words))
    assert {name: lines for name, lines in runs.items() if len(lines) > 1} == {} != runs


def test_the_settings_of_the_page_are_read(tmp_path):
    text = (DOCS / "COMMANDS.md").read_text(encoding="utf-8")
    (tmp_path / "settings.toml").write_text(re.search(r"```toml settings\n(.*?)```", text, re.DOTALL).group(1))
    done = run("train", "--config", tmp_path / "settings.toml", "-n", "1k", "-o", tmp_path / "q.npz", "-f", "json")
    config = done.json()["manifest"]["config"]
    assert [config[name] for name in ("opponent", "episodes", "epsilon")] == ["minimax", 1000, "linear:1,0.1"]


PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
INCLUDED = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


def test_the_source_distribution_has_all_that_its_pages_and_tests_name():
    pages = [page for name in INCLUDED for page in [REPOSITORY / name, *(REPOSITORY / name).rglob("*.md")]]
    missing = {
        f"{page.relative_to(REPOSITORY)}: {link}"
        for page in pages
        if page.suffix == ".md"
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if (page.parent / link).resolve().relative_to(REPOSITORY).parts[0] not in INCLUDED
    }
    assert missing == set()
    assert {path.partition("/")[0] for path in PROJECT["tool"]["pytest"]["ini_options"]["testpaths"]} <= set(INCLUDED)


def test_the_version_and_the_authors_are_the_same_everywhere():
    [author] = PROJECT["project"]["authors"]
    texts = {
        name: (REPOSITORY / name).read_text(encoding="utf-8") for name in ("LICENSE", "CITATION.cff", "CHANGELOG.md")
    }
    assert f"Copyright (c) 2026 {author['name']}\n" in texts["LICENSE"]
    assert f"  - name: {author['name']}\nversion: {PROJECT['project']['version']}\n" in texts["CITATION.cff"]
    assert PROJECT["project"]["version"] == ttt_fast.__version__
    [title] = re.findall(r'^title: "(.*)"$', texts["CITATION.cff"], re.MULTILINE)
    [entry] = re.findall(r"```bibtex\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    cited = dict(re.findall(r"(\w+) = {(.*?)}(?=,|}$)", " ".join(entry.split())))
    version = PROJECT["project"]["version"]
    assert cited == {"author": f"{{{author['name']}}}", "year": "2026", "version": version, "title": title}
    assert re.search(rf"^## {re.escape(ttt_fast.__version__)}\b", texts["CHANGELOG.md"], re.MULTILINE)
