"""Where agents that a user supplies become policies and players: the modules of one boundary, and no others."""

import ast

import ttt_fast
from test_architecture import CLIENTS, MODULES, imports_of, trees

CONVERTING = ("agents.spec", "agents.convert", "agents.external", "agents.tabulate", "policies.arrays", "agents.engine")
"""Modules that know what a text, an array, a callable, an object or a program is."""
MOST_LINES = 600
"""Code lines of these modules, without the protocol of programs (agents.engine)."""
IMPORTING = {
    "agents.convert": "agents.engine, which few commands need, is in its own package",
    "cli.main": "the command that was typed",
    "core.external": "modules of users",
    "core.lazy": "the public names and those of the extension points, at their first use",
    "core.jit": "modules that implement a function for a type of state, before compiled code is looked up",
    "search.leaf_files": "the leaf of a form, in its own package",
}
"""Modules below the clients that import others by name, and what for."""


def code_lines(name):
    """The number of lines of a module that are no docstring, comment or blank."""
    text, strings = MODULES[name].read_text(encoding="utf-8"), set()
    for node in ast.walk(trees()[name]):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            strings |= set(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        1 for number, line in lines if number not in strings and line.strip() and not line.strip().startswith("#")
    )


def calls_of(name):
    """The names that a module calls."""
    called = [node.func for node in ast.walk(trees()[name]) if isinstance(node, ast.Call)]
    return {
        one.id if isinstance(one, ast.Name) else one.attr for one in called if isinstance(one, ast.Name | ast.Attribute)
    }


def test_few_modules_convert_agents():
    assert set(CONVERTING) <= set(MODULES)
    assert sum(code_lines(name) for name in CONVERTING if name != "agents.engine") <= MOST_LINES
    converters = {
        "from_object",
        "tabulate",
        "answers_in",
        "checked_answer",
        "EnginePlayer",
        "load_policy",
        "load_player",
    }
    below = [name for name in MODULES if name.split(".")[0] not in CLIENTS and name not in CONVERTING]
    found = {name: calls_of(name) & converters for name in below}
    allowed = {"agents.engine_check": {"EnginePlayer"}}
    assert {name: calls for name, calls in found.items() if calls} == allowed


def test_packages_below_the_boundary_take_no_agents():
    """They know policies, players and tables: none asks whether something is callable, and none parses a text."""
    below = {"core", "running", "games", "tables", "policies", "values", "evaluate", "search"}
    names = [name for name in MODULES if name.split(".")[0] in below]
    assert len(names) > 100
    asking = {name: calls_of(name) & {"callable", "as_policy", "as_player", "parse_agent"} for name in names}
    assert {name: calls for name, calls in asking.items() if calls} == {}
    assert [name for name in names if any(other.split(".")[0] in ("agents", "api") for other in imports_of(name))] == []


def test_nothing_is_imported_by_name_to_call_upwards():
    named = [
        name for name in MODULES if name.split(".")[0] not in CLIENTS - {"cli"} and calls_of(name) & {"import_module"}
    ]
    assert set(named) <= set(IMPORTING)


def test_the_public_names_are_few_and_none_says_the_same_as_another():
    assert len(ttt_fast.__all__) <= 45
    pairs = (
        ("solve", "solution_of"),
        ("find_symmetry", "symmetry_of"),
        ("find_table", "table_of"),
        ("play_match", "contest"),
        ("start_training", "train"),
        ("best_response_policy", "best_response"),
        ("nash_conv", "exploitability"),
        ("make_player", "as_player"),
    )
    assert all(kept in ttt_fast.__all__ and gone not in ttt_fast.__all__ for gone, kept in pairs)


ASKING = {
    "learn.td_settings": "n-tuples are those of Connect 4",
    "search.alphabeta.player": "the complex reward is that of Ultimate",
    "search.alphabeta.searcher": "the complex reward is that of Ultimate",
    "search.rewards.api": "implements rewards of Ultimate",
    "search.rewards.ultimate": "implements rewards of Ultimate",
    "search.ultimate_leaf": "implements the leaf of Ultimate",
    "search.ultimate_playout": "implements rollouts of Ultimate",
    "search.ntuple_leaf": "implements the leaf of Connect 4",
    "values.inputs": "planes that are whole numbers",
    "values.ultimate_network": "implements the network of Ultimate",
    "values.learned_ultimate": "values of Ultimate",
    "values.ntuple_tables": "values of Connect 4",
    "values.ntuples": "values of Connect 4",
}
"""Modules outside the games' own that know a type of state; the list only shrinks."""
STATES = {"TicTacToeState", "MnkState", "ConnectFourState", "UltimateState", "StayState", "DuplicatesState"}


def test_few_modules_ask_for_the_type_of_a_game():
    own = ("games", "studies", "search.connect_four", "learn.ultimate", "learn.ntuple_games")
    found = {
        name
        for name in MODULES
        if not name.startswith(own)
        for node in ast.walk(trees()[name])
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ttt_fast.games.")
        for alias in node.names
        if alias.name in STATES
    }
    assert found <= set(ASKING), found - set(ASKING)
    drawing = {name for name in found if name.split(".")[0] in ("web", "plot", "report", "cli", "analysis")}
    assert drawing == set()  # a game says how it is drawn: `Game.kind_of(state).board`
