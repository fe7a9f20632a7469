"""Where agents that a user supplies become policies and players: the modules of one boundary, and no others."""

import ast
import functools

import ttt_fast
from test_architecture import CLIENTS, MODULES, code_lines, imports_of, trees
from ttt_fast.games.registry import GAMES

CONVERTING = (
    "agents.spec", "agents.making", "agents.sources", "agents.convert", "agents.external", "agents.tabulate",
    "policies.arrays",
)  # fmt: skip
"""Modules that know what a text, an array, a callable, or an object is."""
MOST_LINES = 734
"""Code lines of these modules."""
IMPORTING = {
    "cli.main": "the command that was typed",
    "core.external": "modules of users",
    "core.lazy": "the public names and those of the extension points, at their first use",
    "core.jit": "modules that implement a function for a type of state, before compiled code is looked up",
    "search.evaluator_files": "the evaluator of a form, in its own package",
}
"""Modules below the clients that import others by name, and what for."""


def calls_of(name):
    """The names that a module calls."""
    called = [node.func for node in ast.walk(trees()[name]) if isinstance(node, ast.Call)]
    return {
        one.id if isinstance(one, ast.Name) else one.attr for one in called if isinstance(one, ast.Name | ast.Attribute)
    }


def test_few_modules_convert_agents():
    assert set(CONVERTING) <= set(MODULES)
    assert sum(code_lines(name) for name in CONVERTING) <= MOST_LINES
    converters = {
        "from_object",
        "tabulate",
        "answers_in",
        "checked_answer",
        "load_policy",
        "load_player",
    }
    below = [name for name in MODULES if name.split(".")[0] not in CLIENTS and name not in CONVERTING]
    found = {name: calls_of(name) & converters for name in below}
    assert {name: calls for name, calls in found.items() if calls} == {}


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
    assert len(ttt_fast.__all__) <= 46
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


KNOWING = {
    "learn.temporal_difference",
    "learn.ultimate.self_play",
    "learn.ultimate.temporal_difference",
    "search.ntuple_evaluator",
    "search.rewards.api",
    "search.rewards.ultimate",
    "search.ultimate_evaluator",
    "search.ultimate_playout",
    "values.inputs",
    "values.ntuple_tables",
    "values.ntuples",
    "values.proven",
    "values.ultimate_network",
}
"""Modules outside the games' own that import a type of state, nearly all to implement something for it; it shrinks."""
ASKING = {
    "agents.catalogue": "an agent declares the games that it plays by their names",
    "learn.history": "solved positions, by which moves are judged, ship for one game",
    "tables.state_table": "published programs play tic-tac-toe on nine cells alone",
}
"""Modules outside the games' own with a branch on the type or the name of a game, and why; at most five."""
STATES = {"TicTacToeState", "MnkState", "ConnectFourState", "UltimateState", "StayState", "DuplicatesState"}
OWN = ("games", "studies", "search.connect_four")
"""Rules, the data of studies, and the solver of one game."""


def is_name_of_game(value):
    """Whether a value is the spelling of a game, or has one among its elements."""
    if isinstance(value, str):
        return value.partition(":")[0] in GAMES
    return isinstance(value, tuple | list | set | frozenset) and any(is_name_of_game(one) for one in value)


@functools.cache
def constants_with_games():
    """The names of constants of the package, in any module, whose values are names of games."""
    found = set()
    for tree in trees().values():
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                try:
                    named = is_name_of_game(ast.literal_eval(node.value))
                except (ValueError, TypeError):
                    continue
                found |= {one.id for one in targets if isinstance(one, ast.Name) and named}
    return found


def stands_for_a_game(node):
    """Whether a part of a comparison is a type of state, the name of a game, or a game that is spelled out."""
    for one in ast.walk(node):
        called = one.func if isinstance(one, ast.Call) else None
        if isinstance(one, ast.Name) and one.id in STATES | constants_with_games():
            return True
        if isinstance(one, ast.Attribute) and one.attr in STATES | constants_with_games():
            return True
        if isinstance(one, ast.Constant) and is_name_of_game(one.value):
            return True
        if (
            isinstance(one, ast.Attribute)
            and one.attr == "name"
            and ast.unparse(one.value).endswith(("game", "played"))
        ):
            return True
        if isinstance(called, ast.Attribute) and called.attr == "initial_state":
            return True
    return False


def questions_in(tree):
    """The expressions of a module that branch on the type or the name of a game.

    An implementation for a type of state, `@api.implements(reward, UltimateState)`, an annotation, a call of the type
    and a default, `game: str = "tic-tac-toe"`, are none.
    """
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            if stands_for_a_game(node.args[1]):
                yield ast.unparse(node)
        elif isinstance(node, ast.Compare):
            if any(stands_for_a_game(part) for part in (node.left, *node.comparators)):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("startswith", "fullmatch", "match") and any(map(stands_for_a_game, node.args)):
                yield ast.unparse(node)
        elif isinstance(node, ast.MatchClass | ast.MatchValue):
            if stands_for_a_game(node.cls if isinstance(node, ast.MatchClass) else node.value):
                yield ast.unparse(node)
        elif isinstance(node, ast.Dict):  # looked up by the type of a state
            if any(key is not None and ast.unparse(key).split(".")[-1] in STATES for key in node.keys):
                yield ast.unparse(node)


def test_questions_are_found_and_implementations_are_none():
    asked = """
isinstance(state, UltimateState)
isinstance(state, (TicTacToeState, mnk.MnkState))
type(state) is StayState
state_type == MnkState
type(state) in (TicTacToeState, ConnectFourState)
game.name == 'ultimate'
config.game != "connect4:columns=4"
self.game.name in names
config.game == POSITIONS_OF
game.initial_state == rules.initial_state()
{UltimateState: 1}[type(state)]
config.game.startswith('ultimate')
"""
    for line in asked.strip().splitlines():
        assert list(questions_in(ast.parse(line))), line
    other = """
@api.implements(reward, UltimateState)
def reward_of(state: UltimateState, game: str = "ultimate") -> ConnectFourState:
    if game.kind.board == BOARDS and game.alternates and isinstance(state, GameState):
        return ConnectFourState(*state)
    return parse_game("connect4")
"""
    assert list(questions_in(ast.parse(other))) == []


def test_few_modules_ask_for_the_type_or_the_name_of_a_game():
    """Others ask what a game can do: `Game.kind` declares it, or a function is implemented for its type of state."""
    found = {name: list(questions_in(trees()[name])) for name in MODULES if not name.startswith(OWN)}
    found = {name: questions for name, questions in found.items() if questions}
    assert set(found) == set(ASKING), {name: found.get(name) for name in set(found) ^ set(ASKING)}
    assert len(ASKING) <= 5


def test_few_modules_know_a_type_of_state():
    knowing = {
        name
        for name in MODULES
        if not name.startswith(OWN)
        for node in ast.walk(trees()[name])
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ttt_fast.games.")
        for alias in node.names
        if alias.name in STATES
    }
    assert knowing == KNOWING, knowing ^ KNOWING
    drawing = {name for name in knowing if name.split(".")[0] in ("web", "plot", "report", "cli", "analysis")}
    assert drawing == set()  # a game says how it is drawn: `Game.kind_of(state).board`
