"""No test gives up on a loaded machine: no wall-clock limit is shorter than `conftest.PATIENCE`."""

import ast
from pathlib import Path

import pytest

from conftest import PATIENCE

TESTS = Path(__file__).resolve().parent
WAITING = {"wait", "join", "result", "acquire", "communicate"}
"""Methods whose first argument, if it is a number, is a limit in seconds."""
CLOCKS = {"perf_counter", "monotonic", "time"}


def number(node, constants):
    """The number that a node is, if it says so: written out, or a constant of its module."""
    value = constants.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def asks_a_clock(node):
    return any(isinstance(one, ast.Attribute) and one.attr in CLOCKS for one in ast.walk(node))


def limits(tree):
    """Every wall-clock limit of a module whose number can be read: its line and its seconds."""
    constants = {
        node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        found = []
        if isinstance(node, ast.Call):
            found += [word.value for word in node.keywords if word.arg == "timeout"]
            found += node.args[:1] if isinstance(node.func, ast.Attribute) and node.func.attr in WAITING else []
        if isinstance(node, ast.Compare) and asks_a_clock(node):
            sides = [node.left, *node.comparators]
            for place, operator in enumerate(node.ops):
                if isinstance(operator, ast.Lt | ast.LtE):
                    found.append(sides[place + 1])
                elif isinstance(operator, ast.Gt | ast.GtE):
                    found.append(sides[place])
        seconds = [number(one, constants) for one in found]
        yield from ((node.lineno, one) for one in seconds if one is not None)


def test_no_limit_is_shorter_than_patience():
    impatient = [
        f"{path.relative_to(TESTS)}:{line}: {seconds} s"
        for path in sorted(TESTS.rglob("*.py"))
        for line, seconds in limits(ast.parse(path.read_text(encoding="utf-8")))
        if seconds < PATIENCE
    ]
    assert PATIENCE >= 900 and impatient == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run(words, timeout=120)", [120]),
        ("thread.join(5)", [5]),
        ("process.communicate(timeout=PATIENCE)", []),
        ("assert 0.05 <= time.perf_counter() - before < 2", [2]),
        ("assert perf() - time.monotonic() + begun < LIMIT", [20]),
        ("assert 3 > time.monotonic() - begun", [3]),
        ("', '.join(words)", []),
        ("assert len(rows) < 5", []),
    ],
)
def test_what_counts_as_a_limit(line, expected):
    assert [seconds for _, seconds in limits(ast.parse(f"LIMIT = 20\n{line}"))] == expected
