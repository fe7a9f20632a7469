"""Everything below `agents` takes policies, players and tables, and imports nothing by name to call upwards."""

import ast

from test_architecture import CLIENTS, MODULES, imports_of, trees

IMPORTING = {
    "cli.main": "the command that was typed",
    "core.external": "modules of users",
    "core.lazy": "the public names and those of the extension points, at their first use",
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
