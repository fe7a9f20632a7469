"""The rules of the house as checks: layers, decorators, sizes, imports, signatures, docstrings."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ttt_fast

PACKAGE = Path(ttt_fast.__file__).resolve().parent
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}

REPOSITORY = PACKAGE.parent.parent


def folders_in_order():
    """The list of folders in ARCHITECTURE.md, literally: a set for each line, top first."""
    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = text.partition("```\nsrc/ttt_fast/\n")[2].partition("```")[0]
    return [set(re.findall(r"(\w+)/", re.match(r"  ((?:\w+/ ?)+)", line).group(1))) for line in block.splitlines()]


LAYERS = folders_in_order()
# Imports that go up today, each to go with the rebuild of its room.
KNOWN_UPWARD = {
    "evaluate.scorecard": {"agents"},
}
DECORATORS = {
    "njit", "jit", "vectorize", "guvectorize", "generated_jit", "stencil", "cfunc", "jitclass", "prange", "objmode"
}  # fmt: skip
KERNEL_DECORATORS = {"kernel", "kernel_without_overlap", "inlined_kernel"}
HEAVY = ("numba", "llvmlite", "numpy", "polars", "rich")


def layer_of(module):
    return next(number for number, names in enumerate(LAYERS) if module.split(".")[0] in names)


def imports_of(name):
    """The package's own modules that a module imports, anywhere in it; `TYPE_CHECKING` is no excuse."""
    found = set()
    for node in ast.walk(TREES[name]):
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


def functions_of(name):
    return [node for node in ast.walk(TREES[name]) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def decorators_of(function):
    return {ast.unparse(decorator).split("(")[0].split(".")[-1] for decorator in function.decorator_list}


def inner_modules():
    return [name for name in MODULES if name not in ("__init__", "__main__")]


def test_every_module_has_a_layer():
    assert {name for name in inner_modules() if not any(name.split(".")[0] in layer for layer in LAYERS)} == set()


def test_imports_go_down_the_list_of_layers():
    upward = [
        f"{name} imports {other}"
        for name in inner_modules()
        for other in imports_of(name)
        if other.split(".")[0] not in KNOWN_UPWARD.get(name, ())
        and (other in ("", "__init__") or layer_of(other) > layer_of(name))
    ]
    assert upward == []


def test_the_core_never_imports_a_study():
    core = [name for name in inner_modules() if layer_of(name) < layer_of("studies")]
    assert [name for name in core if any(other.startswith("studies") for other in imports_of(name))] == []


def test_no_two_modules_import_each_other():
    """Depth-first search for a cycle; `package` and `package.module` are different modules."""
    finished, path = set(), []

    def visit(name):
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name in finished or name not in MODULES:
            return
        path.append(name)
        for other in sorted(imports_of(name)):
            visit(other)
        finished.add(path.pop())

    for name in inner_modules():
        visit(name)
    assert len(finished) == len(inner_modules())


def test_numba_decorators_are_called_in_one_module():
    used = {}
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
                used.setdefault(name, set()).update({a.name for a in node.names} & DECORATORS)
            if isinstance(node, ast.Attribute) and node.attr in DECORATORS:
                used.setdefault(name, set()).add(node.attr)
    assert {name: names for name, names in used.items() if names} == {"core.jit": {"njit"}}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_at_most_400_lines_and_a_docstring(name):
    assert len(MODULES[name].read_text(encoding="utf-8").splitlines()) <= 400
    assert ast.get_docstring(TREES[name]) or name == "__main__"


def test_functions_have_at_most_60_lines_and_kernels_100_without_docstrings():
    too_long = []
    for name in MODULES:
        for function in functions_of(name):
            lines = function.end_lineno - function.lineno + 1
            if ast.get_docstring(function):
                lines -= function.body[0].end_lineno - function.body[0].lineno + 1
            limit = 100 if decorators_of(function) & KERNEL_DECORATORS else 60
            if lines > limit:
                too_long.append(f"{name}.{function.name}: {lines}")
    assert too_long == []


def test_every_public_function_class_and_method_has_a_docstring():
    def undocumented(body, prefix):
        for node in body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if node.name.startswith("_") or (isinstance(node, ast.FunctionDef) and "overload" in decorators_of(node)):
                continue
            if not ast.get_docstring(node):
                yield f"{prefix}.{node.name}"
            if isinstance(node, ast.ClassDef):
                yield from undocumented(node.body, f"{prefix}.{node.name}")

    assert [one for name, tree in TREES.items() for one in undocumented(tree.body, name)] == []


@pytest.mark.parametrize("name", MODULES)
def test_no_path_of_a_machine_in_the_source(name):
    text = MODULES[name].read_text(encoding="utf-8")
    assert re.findall(r"""(?:["'\s(=]|^)/(?:home|root|work|Users|tmp|opt|mnt)/\S*""", text) == []
    assert "C:\\" not in text


def in_a_new_process(code, *arguments):
    """Run code that prints one JSON value on its last line, and return that value."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


REPORT_HEAVY = f"import sys, json; print(); print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"


@pytest.mark.parametrize("imported", ["ttt_fast", "ttt_fast.cli.main", "ttt_fast.core.errors"])
def test_importing_imports_nothing_heavy(imported):
    assert in_a_new_process(f"import {imported}\n{REPORT_HEAVY}") == []


HELP = """
import sys
from ttt_fast.cli.main import app, main
commands = [command.name for command in app.registered_commands]
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


def test_every_public_name_can_be_imported_and_is_listed():
    assert len(ttt_fast.__all__) == len(set(ttt_fast.__all__)) > 5
    for name in ttt_fast.__all__:
        assert getattr(ttt_fast, name) is not None
    assert set(ttt_fast.__all__) <= set(dir(ttt_fast))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ttt_fast.no_such_name


# Everything that the wrappers can be asked for, with the kinds of arguments that a user may pass.
USE_EVERY_KERNEL = """
import importlib, json, pkgutil, sys
from collections import Counter
import numpy as np
import ttt_fast
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import exploitability, never_loses
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.checkpoint import load_training
from ttt_fast.learn.samples import player_of
from ttt_fast.learn.training import start_training, train
from ttt_fast.play.match import MatchConfig, play_match
from ttt_fast.agents.registry import parse_agent
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.search.perft import perft
from ttt_fast.search.random_play import play_random_games
from ttt_fast.agents.registry import make_player
from ttt_fast.tables import enumerate_states, solve, standard_table

lines = np.array([0o111, 0o222, 0o444], np.int32)
other = enumerate_states(lines)
enumerate_states(lines.astype(np.int64))
solve(other)
table = standard_table()
solve(table)
rows = np.asfortranarray(parse_agent("random").probabilities)
policies = [
    parse_agent("random"),
    parse_agent("best-response:buggy"),
    Policy.from_probabilities(rows, "mine"),
    Policy.from_probabilities(rows.astype(np.float32) * 0 + rows, "mine again"),
]
for policy in policies:
    for start in (0, np.int64(3), np.int16(5)):
        for random_opening in (False, True):
            exact_outcome(policy, policies[0], start=start, random_opening=random_opening)
    for seat in (1, np.int8(2)):
        best_response(policy, seat, "wins")
        never_loses(policy, seat)
    exploitability(policy)
    for method in ("play", "propagate"):
        for random_opening in (False, True):
            config = MatchConfig(games=1000, method=method, random_opening=random_opening, chunk_games=300)
            play_match(policy, policies[0], config, threads=2)
    for seat in (1, 2):
        known = policy.name if policy.name in ("random", "best-response:buggy") else policy.signature
        config = TrainingConfig(opponent=known, seat=seat, episodes=300)
        train(start_training(config), policy)
for algorithm in ("q", "double-q"):
    for tie in ("first", "random"):
        for discount in (1, 0.5):
            config = TrainingConfig("self", episodes=300, algorithm=algorithm, tie=tie, discount=discount)
            train(train(start_training(config)))

actions = np.zeros(81, np.uint8)
for spec in ("tic-tac-toe", "connect4", "connect4:columns=5,length=3", "ultimate", "ultimate:tie=boards"):
    game = parse_game(spec)
    perft(game.initial_state, 4)
    perft(type(game.initial_state)(*map(np.int64, game.initial_state)), 4)
    play_random_games(game.initial_state, 10)
    for options in ("depth=2", "nodes=100,tt=1", "depth=2,ms=10,tie=published", "depth=2,prefer=fast,prune=no"):
        player = make_player(f"alphabeta:{options}", game)
        for state in (game.initial_state, type(game.initial_state)(*map(np.int64, game.initial_state))):
            player.begin(np.uint64(1)), player.think(state), player.action_values(state)
    for spec in ("mcts:sims=9,formula=log-ratio,c=1", "mcts-best:sims=300", "mcts:ms=1,rollout=win-or-block"):
        player, state = make_player(spec, game), game.initial_state
        player.begin(np.uint64(1))
        for _ in range(3):
            state = api.play(state, player.think(state).action)
        player.action_values(type(state)(*map(np.int64, state)))
    states = np.zeros((2, len(game.initial_state)), np.int64)
    for integer in (int, np.uint8, np.int64):
        state = api.play(game.initial_state, integer(0))
        api.is_legal(state, integer(1))
        api.store_state(state, states, integer(1))
        state = api.load_state(state, states, integer(1))
        api.random_action(state, np.uint64(7)), api.random_action(state, 7)
        for ask in (api.status, api.player, api.ply, api.winning_action, api.threat_action, api.state_key):
            ask(state), ask(game.state_after(""))
        api.fill_legal_actions(state, actions)

for game in ("tic-tac-toe", "connect4:columns=4,rows=4", "connect4", "ultimate"):
    for algorithm in ("afterstate", "q", "double-q", "sarsa"):
        for opponent, step_size in (("self", "0.1"), ("default>random", "visits")):
            config = TrainingConfig(
                opponent, 3, 60, algorithm=algorithm, step_size=step_size, judges="default", tie="last", game=game
            )
            path = f"{sys.argv[1]}/run.npz"
            train(start_training(config), checkpoint=path)
            run, start = load_training(path), config.played.initial_state
            if not config.has_table:
                player = player_of(config, run.values)
                for state in (start, type(start)(*map(np.int64, start))):
                    player.begin(np.uint64(1)), player.think(state), player.action_values(state)

for size in (BoardSize(), BoardSize(5, 4)):
    words = np.zeros((2, 2), np.int64)
    solver = Solver(size, table_mb=4, threads=2)
    solver.score((0, 0) if size.width == 5 else (1 << 35, 1 << 35 | 1 << 21), window=(np.int64(12), 13))
    solver.scores(words[:, ::-1] if size.width == 5 else words[:0])

def most_signatures(kernel):
    "Of any one type of state: a kernel over all games is compiled once for each of them."
    types = [tuple(getattr(one, "instance_class", None) for one in args) for args in kernel.signatures]
    return max(Counter(types).values(), default=0)

kernels = {}
for found in pkgutil.walk_packages(ttt_fast.__path__, "ttt_fast."):
    module = importlib.import_module(found.name)
    for name, value in vars(module).items():
        if hasattr(value, "nopython_signatures") and value.__module__ == module.__name__:
            inlined = value.targetoptions.get("inline") == "always"
            kernels[f"{module.__name__}.{name}"] = [inlined, most_signatures(value)]
print(json.dumps(kernels))
"""


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    return in_a_new_process(USE_EVERY_KERNEL, str(tmp_path_factory.mktemp("files")))


def test_every_kernel_has_one_signature(signatures):
    assert {name: n for name, (inlined, n) in signatures.items() if n > 1 and not inlined} == {}


def test_the_kernels_of_every_part_were_used(signatures):
    used = {name.split(".")[1] for name, (inlined, n) in signatures.items() if n and not inlined}
    assert used >= {"games", "tables", "policies", "play", "evaluate", "learn", "search"}
