"""ttt_fast: tic-tac-toe, Connect 4 and Ultimate tic-tac-toe, fast, with exact values beside the samples.

The names below are loaded when they are first used; importing the package compiles and imports nothing.

Examples
--------
>>> import ttt_fast
>>> result = ttt_fast.exact_outcome("heuribot", "random")
>>> round(result.x_wins * 96, 9)
95.0
"""

from importlib import import_module

_NAMES = {
    "agents.convert": "as_player as_policy",
    "agents.registry": "list_agents",
    "agents.spec": "AgentSpec parse_agent",
    "api.contests": "contest",
    "api.exact": "exact_fractions exact_outcome",
    "api.files": "save_policy",
    "api.learn": "train",
    "api.strength": "agreement best_response exploitability never_loses scorecard value_lost",
    "core.errors": "AgentError BoardError FileFormatError PolicyError TableSizeError TttFastError UnlearnedSeatWarning"
    " UsageError",
    "games.game": "Game",
    "games.registry": "parse_game",
    "games.results": "Seat Status",
    "learn.checkpoint": "TrainingRun",
    "learn.config": "TrainingConfig",
    "learn.environment": "Environment",
    "learn.meter": "Meter",
    "play.contest_config": "ContestConfig",
    "play.one_game": "play_game",
    "policies.files": "load_policy",
    "policies.policy": "Policy",
    "running.interrupts": "RunInterrupted",
    "search.connect_four.solver": "Solver",
    "search.perft": "perft",
    "search.player": "Player",
    "tables": "StateTable solution_of symmetry_of table_of",
    "tables.foreign": "table_from_functions",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562)."""
    if name == "__version__":
        from ttt_fast.core.manifest import package_version

        return package_version()
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
