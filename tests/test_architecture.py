"""The rules of the architecture: layers, no cycles, one module that decorates, nothing heavy for help.

Everything below `agents` takes policies, players and tables, and imports nothing by name to call upwards.
"""

import ast
import functools
import json
import re
from pathlib import Path

import pytest

import ttt_fast
from cli_runner import run_python
from ttt_fast.learners import ALGORITHMS

PACKAGE = Path(ttt_fast.__file__).resolve().parent
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@functools.cache
def trees():
    """The syntax tree of each module."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


REPOSITORY = PACKAGE.parent.parent


def folders_in_order():
    """The list of folders in ARCHITECTURE.md, literally: a set for each line, top first."""
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = text.partition("```\nsrc/ttt_fast/\n")[2].partition("```")[0]
    return [
        set(re.findall(r"\w+(?=/|\.py)", re.match(r"  ((?:\w+(?:/|\.py) ?)+)", line).group(0)))
        for line in block.splitlines()
    ]


LAYERS = folders_in_order()
CLIENTS = {"cli", "web", "report", "terminal", "plot", "studies", "adapters", "proven"}
"""Packages that use the library as users do: by public names and extension points."""
DECORATORS = {
    "njit", "jit", "vectorize", "guvectorize", "generated_jit", "stencil", "cfunc", "jitclass", "prange", "objmode"
}  # fmt: skip
HEAVY = ("numba", "llvmlite", "numpy", "polars", "rich")


def layer_of(module):
    return next(number for number, names in enumerate(LAYERS) if module.split(".")[0] in names)


def imports_of(name):
    """The package's own modules that a module imports, anywhere in it; `TYPE_CHECKING` is no excuse."""
    found = set()
    for node in ast.walk(trees()[name]):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            if node.module == "ttt_fast" or (node.module or "").startswith("ttt_fast."):
                base = node.module.removeprefix("ttt_fast").removeprefix(".")
                for alias in node.names:
                    inner = f"{base}.{alias.name}".removeprefix(".")
                    found.add(inner if inner in MODULES else base)
        elif isinstance(node, ast.Import):
            found |= {a.name.removeprefix("ttt_fast.") for a in node.names if a.name.startswith("ttt_fast.")}
    return found


def late_imports_of(name):
    """The modules that a module may import by their names: those in its strings, and in the places of `lazy_names`.

    An f-string in `import_module` stands for all modules that fit.  A package named in a string is a folder of data.
    An implementation for a type of state (`implemented_elsewhere`) is looked up by the compiler and is no import.
    """
    named, fitting = set(), []
    for node in ast.walk(trees()[name]):
        called = ast.unparse(node.func).split(".")[-1] if isinstance(node, ast.Call) else ""
        if called == "lazy_names":
            dicts = [one for one in ast.walk(node) if isinstance(one, ast.Dict)]
            named |= {f"ttt_fast.{key.value}" for one in dicts for key in one.keys}
        elif called in ("import_module", "__import__") and isinstance(node.args[0], ast.JoinedStr):
            parts = node.args[0].values
            fitting.append("".join(re.escape(one.value) if isinstance(one, ast.Constant) else ".*" for one in parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named.add(node.value)
    if name == "core.lazy":  # its callers state the places
        return set()
    found = {f"ttt_fast.{one}": one for one, path in MODULES.items() if path.name != "__init__.py"}
    return {one for full, one in found.items() if full in named or any(re.fullmatch(text, full) for text in fitting)}


def inner_modules():
    return [name for name in MODULES if name not in ("__init__", "__main__")]


def test_every_module_has_a_layer():
    assert {name for name in inner_modules() if not any(name.split(".")[0] in layer for layer in LAYERS)} == set()


def test_imports_go_down_the_list_of_layers():
    upward = [
        f"{name} imports {other}"
        for name in inner_modules()
        for other in imports_of(name)
        if (name.split(".")[0] not in CLIENTS if other in ("", "__init__") else layer_of(other) > layer_of(name))
    ]
    assert upward == []


def test_no_two_modules_import_each_other():
    """Search for a cycle, also behind late imports; `package` and `package.module` are different modules."""
    finished, path = set(), []

    def visit(name):
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name in finished or name not in MODULES:
            return
        path.append(name)
        for other in sorted(imports_of(name) | late_imports_of(name) - {name}):
            visit(other)
        finished.add(path.pop())

    for name in inner_modules():
        visit(name)
    assert len(finished) == len(inner_modules())


def test_late_imports_are_seen():
    """By an f-string, and by the places of lazy names."""
    assert {"cli.match", "cli.play"} <= late_imports_of("cli.main")
    assert "studies.sai.measures" in late_imports_of("studies.engine.study")
    assert "search.player" in late_imports_of("agents.api")
    assert "studies.hensler" not in late_imports_of("studies.hensler.measures")


def test_numba_decorators_are_called_in_one_module():
    used = {}
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
                used.setdefault(name, set()).update({a.name for a in node.names} & DECORATORS)
            if isinstance(node, ast.Attribute) and node.attr in DECORATORS:
                used.setdefault(name, set()).add(node.attr)
    assert {name: names for name, names in used.items() if names} == {"core.jit": {"njit"}}


def test_no_path_of_a_machine_in_the_source():
    texts = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}
    own = re.compile(r"""(?:["'\s(=]|^)/(?:home|root|work|Users|tmp|opt|mnt)/\S*""")
    assert {name: own.findall(text) for name, text in texts.items() if own.findall(text) or "C:\\" in text} == {}


def in_a_new_process(code, *arguments):
    """Run code that prints one JSON value on its last line, and return that value."""
    return json.loads(run_python("-c", code, *arguments).text.splitlines()[-1])


REPORT_HEAVY = f"import sys, json; print(); print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"


@pytest.mark.parametrize("imported", ["ttt_fast", "ttt_fast.cli.main", "ttt_fast.core.errors"])
def test_importing_imports_nothing_heavy(imported):
    assert in_a_new_process(f"import {imported}\n{REPORT_HEAVY}") == []


HELP = """
import sys
from ttt_fast.cli.main import COMMANDS as commands, main
assert len(commands) > 10
for arguments in [["--help"], ["--version"], *([command, "--help"] for command in commands)]:
    sys.argv = ["ttt-fast", *arguments]
    try:
        main()
    except SystemExit as exit:
        assert exit.code in (0, None), exit.code
"""


def test_the_help_of_every_command_imports_nothing_heavy():
    assert in_a_new_process(HELP + REPORT_HEAVY) == []


def test_every_public_name_can_be_imported_and_stands_in_the_stub():
    assert len(ttt_fast.__all__) == len(set(ttt_fast.__all__)) > 5
    for name in ttt_fast.__all__:
        assert getattr(ttt_fast, name) is not None
    assert set(ttt_fast.__all__) <= set(dir(ttt_fast))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ttt_fast.no_such_name
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    imported = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert {alias.name: node.module for node in imported for alias in node.names} == {
        name: f"ttt_fast.{module}" for module, names in ttt_fast._NAMES.items() for name in names.split()
    }


IMPORTING = {
    "__init__": "the modules in which wings say what they add",
    "cli.main": "the command that was typed",
    "core.external": "modules of users",
    "core.lazy": "public names, those of extension points, and what is at a place `module:name`, at their first use",
    "training.sweep": "the module of a user's algorithm, in a worker",
    "core.jit": "modules that implement a function for a type of state, before compiled code is looked up",
}
"""Modules below the clients that import others by name, and what for."""


def calls_of(name):
    """The names that a module calls."""
    called = [node.func for node in ast.walk(trees()[name]) if isinstance(node, ast.Call)]
    return {
        one.id if isinstance(one, ast.Name) else one.attr for one in called if isinstance(one, ast.Name | ast.Attribute)
    }


def test_packages_below_the_boundary_take_no_agents():
    """They know policies, players and tables: none asks whether something is callable, and none parses a text."""
    below = {"core", "running", "games", "tables", "policies", "values", "evaluate", "search"}
    names = [name for name in MODULES if name.split(".")[0] in below]
    asking = {name: calls_of(name) & {"callable", "as_policy", "as_player", "parse_agent"} for name in names}
    assert {name: calls for name, calls in asking.items() if calls} == {}
    assert [name for name in names if any(other.split(".")[0] in ("agents", "api") for other in imports_of(name))] == []


def test_nothing_is_imported_by_name_to_call_upwards():
    named = [
        name for name in MODULES if name.split(".")[0] not in CLIENTS - {"cli"} and calls_of(name) & {"import_module"}
    ]
    assert set(named) <= set(IMPORTING)


ALGORITHM_MODULES = re.compile(r"(algorithms|studies)\..*")
"""Records, kernels and learners; and the studies, whose parts compare algorithms."""
FORMS = {"EdgeValues", "HashTable", "NetworkValues", "NTupleValues", "UltimateValues"}


def asks_for_an_algorithm(node):
    """Whether a node compares or looks up the name of an algorithm, or asks for a class of its settings or values."""

    def is_name(value):
        constant = isinstance(value, ast.Constant) and value.value in set(ALGORITHMS) - {"q"}
        return constant or (isinstance(value, ast.Attribute) and value.attr == "algorithm")

    if isinstance(node, ast.Compare):
        return any(map(is_name, [node.left, *node.comparators]))
    if isinstance(node, ast.Subscript):
        return is_name(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        names = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
        return bool(names & FORMS) or any(name.endswith("Settings") for name in names)
    return False


def test_only_records_and_learners_know_which_algorithm_runs():
    found = {
        (name, node.lineno)
        for name, tree in trees().items()
        if not ALGORITHM_MODULES.fullmatch(name)
        for node in ast.walk(tree)
        if asks_for_an_algorithm(node)
    }
    assert not found
    sources = "x = a.algorithm == 'q'", "isinstance(v, EdgeValues)", "KINDS[config.algorithm]", "'dqn' in names"
    assert all(any(map(asks_for_an_algorithm, ast.walk(ast.parse(text)))) for text in sources)


PLACES_OF = {
    "proven": {"proven"},
    "UltimateState": {f"{package}.ultimate" for package in ("games", "values", "search", "algorithms.td", "studies")},
}
"""Words that only some folders, and the list of wings in the package itself, may say."""


def words_of(tree):
    """The names that a module imports, uses and defines, and its texts other than docstrings, in parts."""
    texts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            texts.add(id(node.body[0].value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            yield from re.findall(r"\w+", node.value)
        for field in ("id", "attr", "name", "asname", "module", "arg"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield from value.split(".")


@pytest.mark.parametrize("word", PLACES_OF)
def test_a_speciality_is_named_in_its_folders_alone(word):
    def is_its_own(name):
        return name == "ttt_fast" or any(name == one or name.startswith(f"{one}.") for one in PLACES_OF[word])

    naming = {name for name, tree in trees().items() if word in words_of(tree)}
    assert naming and {name for name in naming if not is_its_own(name) and name != "__init__"} == set()
