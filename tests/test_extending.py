"""The extension points: few names, each documented, with examples that run; clients import these and public names."""

import ast
import re
from importlib import import_module

import ttt_fast
from cli_runner import assert_one_line, run, run_python
from conftest import REPOSITORY
from test_architecture import CLIENTS, MODULES, trees
from ttt_fast.cli import main
from ttt_fast.cli.api import Target
from ttt_fast.core import wings

PAGE = REPOSITORY / "docs" / "EXTENDING.md"
POINTS = ("games", "games.api", "kernels", "agents.api", "evaluators", "learners", "running.api", "files", "cli.api")
OTHERS = {
    "agents.registry": "check_limits",
    "analysis.agents": "AgentAnalysis",
    "analysis.annotated": "annotated_game",
    "analysis.moves": "ExactAnalysis MoveView",
    "analysis.review": "Review",
    "api.speed": "measure_speed warm_kernels",
    "core.archive": "load_arrays read_meta",
    "core.checks": "whole_number",
    "core.compilation": "compiling",
    "core.errors": "printable",
    "core.frames": "read_frame",
    "core.locks": "only_writer",
    "core.specs": "parse_count suggestion",
    "evaluate.kept_moves": "judged_positions",
    "evaluate.over_runs": "bootstrap_interval median_time_interval",
    "evaluate.rating": "rate",
    "evaluate.statistics": "wilson_interval",
    "games.ultimate.duplicates": "DuplicatesState",
    "external.environment": "GameBatch",
    "play.contest": "Contest",
    "play.pairs": "play_game",
    "play.recorded": "read_games",
    "policies.heuribot": "Rule",
    "search.connect_four.answers": "Question",
    "search.perft": "perft_rows",
    "tables.store": "clear described tables_on_disk",
}
"""Further names that clients import, module by module.  Most are the whole of what one command does (`Question`), types
of results, or statistics of studies."""
OF_WINGS = {
    "agents.learned": "LearnedPlayer load_player",
    "agents.resolve": "Resolved",
    "analysis.fixed_seats": "Limits enumerated",
    "core": "wings",
    "core.bits": "as_int lowest_bit_index",
    "core.lazy": "object_at",
    "core.plain": "frozen",
    "core.rng": "Stream mix64",
    "core.specs": "name_or_file",
    "core.wings": "COMMANDS add_agent_at add_command add_values",
    "games.connect_four": "ConnectFourState MAX_BITS completing_cells initial_state next_cells",
    "games.connect_four_rule": "first_column",
    "tables.block": "Block",
    "tables.state_table": "FixedSeat",
    "values.api": "Learned StoredValues",
    "values.files": "load",
}
"""Names that wings import, and the command line to find what they add: bits of Connect 4, and enumeration."""


def names_of(point):
    return set(import_module(f"ttt_fast.{point}").__all__)


def test_extension_points_have_no_name_that_is_public():
    names = [name for point in POINTS for name in names_of(point)]
    assert len(names) == len(set(names))
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
    assert blocks
    (tmp_path / "extending.py").write_text("\n".join(blocks), encoding="utf-8")
    said = run_python("extending.py", cwd=tmp_path).err.splitlines()
    assert not [line for line in said if not line.startswith("compiling")]


def test_a_command_is_added_and_takes_no_name(monkeypatch):
    def greet(target: Target) -> None:
        """Print a greeting."""
        target.write("greet", [{"word": "hello"}], {}, "a greeting")

    monkeypatch.setitem(wings.COMMANDS, "greet", wings.WingCommand(greet, "Games", ("greet",)))
    assert run("greet", "-f", "csv").text == "word\nhello\n" and "Examples:" in run("greet", "--help").text
    assert run("--help").text.count("Print a greeting") == 1
    monkeypatch.setitem(wings.COMMANDS, "train", wings.WingCommand(greet, "Games", ()))
    assert_one_line(run("info"), 2, "no other command has, got 'train'")
    main.COMMANDS.pop("greet")
    main.app.registered_commands[:] = [one for one in main.app.registered_commands if one.name != "greet"]


def imports_of_clients():
    """The (module, name) pairs that clients import from the library, and the attributes of modules that they use."""
    imported, attributes = set(), set()
    for name, tree in trees().items():
        if name.split(".")[0] not in CLIENTS:
            continue
        modules = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ttt_fast":
                base = node.module.removeprefix("ttt_fast").removeprefix(".")
                for alias in node.names:
                    inner = f"{base}.{alias.name}".removeprefix(".")
                    if inner.split(".")[0] not in CLIENTS:
                        imported.add((base, alias.name))
                        modules |= {alias.asname or alias.name: inner} if inner in MODULES else {}
            assert not isinstance(node, ast.Import) or not any("ttt_fast." in one.name for one in node.names), name
        used = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
        attributes |= {(modules[node.value.id], node.attr) for node in used if node.value.id in modules}
    return imported, attributes


def test_clients_import_public_names_and_extension_points():
    imported, attributes = imports_of_clients()
    public = {("", name) for name in [*ttt_fast.__all__, "__version__"]}
    offered = {(point, name) for point in POINTS for name in names_of(point)}
    tables = [*OTHERS.items(), *OF_WINGS.items()]
    others = {(module, name) for module, names in tables for name in names.split()}
    assert imported - public - offered - {("games", "api")} <= others
    values = {("games.api", name) for kind in (ttt_fast.Seat, ttt_fast.Status) for name in kind.__members__}
    assert attributes <= offered | values | others, attributes - offered - values
