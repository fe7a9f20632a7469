"""The page docs/ALPHAZERO.md: its lines run, its command is the plain program, its table has the rows of its file."""

import csv
import re
import shlex
from statistics import mean

from test_examples import PLANTED, SAME

from cli_runner import run
from conftest import REPOSITORY
from ttt_fast import TrainingConfig

PAGE = (REPOSITORY / "docs" / "ALPHAZERO.md").read_text(encoding="utf-8")
BUGS = REPOSITORY / "results" / "alphazero" / "bugs.csv"


def test_the_five_lines_run():
    network, lines = re.findall(r"```python alphazero\n(.*?)```", PAGE, re.DOTALL)
    assert len(list(filter(None, lines.splitlines()))) == 5
    names = {"__name__": "page"}
    exec(network + lines, names)
    assert names["chances"].shape == (4520, 9) and 0.5 < names["smooth"] < 1 and not names["is_unbeatable"]


def test_the_command_has_the_settings_of_the_plain_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [words] = re.findall(r"^ttt-fast (train .*)$", PAGE, re.MULTILINE)
    done = run(*shlex.split(words), "-f", "json")
    assert done.json()["manifest"]["config"] == TrainingConfig(**SAME).as_dict() | {"seat": "both"}
    assert (tmp_path / "reference.csv").exists()


def exploitabilities():
    """Of each program and number of games, by seed."""
    points = {}
    with BUGS.open(encoding="utf-8") as stream:
        for point in csv.DictReader(stream):
            points.setdefault((point["program"], int(point["episodes"])), []).append(float(point["exploitability"]))
    return points


def test_the_table_of_bugs_has_the_numbers_of_its_file():
    points = exploitabilities()
    assert {len(found) for found in points.values()} == {PLANTED["SEEDS"]} == {30}
    stated = re.search(r"^\| program \| error \| (.*) games \|.*\n\|[-: |]*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    games = [int(cell) for cell in stated[1].split(" games | ")]
    names = set()
    for line in stated[2].splitlines():
        name, _, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        if (name, games[0]) in points:
            assert cells == [f"{mean(points[name, number]):.2f}" for number in games]
        names.add(name)
    assert names == set(PLANTED["PROGRAMS"]) > {name for name, _ in points}
    correct = points["correct", 800]
    found = f"800 games is {mean(correct):.2f}, and 30 seeds lie between {min(correct):.2f} and {max(correct):.2f}"
    assert found in " ".join(PAGE.split())


def test_the_bound_is_chosen_on_ten_seeds_and_holds_for_the_others():
    points = exploitabilities()
    correct, *faulty = (points[name, 800] for name in ("correct", *list(PLANTED["BUGS"])[:4]))
    bound = round((max(correct[:10]) + min(min(one[:10]) for one in faulty)) / 2, 3)
    right = sum(one < bound for one in correct[10:]) + sum(value > bound for one in faulty for value in one[10:])
    page = " ".join(PAGE.split())
    assert f"bound at 800 games is {bound}, midway" in page and f"{right} of 100 runs are on the right side" in page
    assert right == 99 and f"one correct run has {max(correct[10:]):.3f}" in page
    overlapping = [name for name in list(PLANTED["BUGS"])[:4] if min(points[name, 400]) < max(points["correct", 400])]
    assert overlapping == ["player of the root"]
    for hidden in ("draw as a loss", "no legal mask, rescaled"):
        assert mean(points[hidden, 800]) < bound
