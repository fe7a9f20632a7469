"""ttt_fast: tic-tac-toe, Connect 4 and Ultimate tic-tac-toe, fast, with exact values beside the samples.

Public names are loaded when they are first used; importing the package compiles and imports nothing.

Examples
--------
>>> import ttt_fast
>>> result = ttt_fast.exact_outcome("heuribot", "random")
>>> round(result.x_wins * 96, 9)
95.0
"""

from importlib import import_module

from ttt_fast.core.lazy import lazy_names

for _wing in ("proven", "studies.ultimate"):
    try:
        import_module(f"ttt_fast.{_wing}.wing")
    except ModuleNotFoundError as missing:
        if not f"ttt_fast.{_wing}.wing".startswith(str(missing.name)):
            raise

_NAMES = {
    "agents.convert": "as_player as_policy",
    "agents.registry": "list_agents",
    "agents.spec": "AgentSpec parse_agent",
    "analysis.induced": "induced_table",
    "analysis.review": "review",
    "api.exact": "agreement best_response exact_fractions exact_outcome exploitability never_loses regret save_policy"
    " scorecard",
    "api.frames": "compare sweep",
    "core.errors": "AgentError AnswerError BoardError FileFormatError PolicyError TableSizeError TttFastError"
    " UnlearnedSeatWarning UsageError",
    "games.game": "Game",
    "games.registry": "parse_game",
    "games.results": "Seat Status",
    "training.run": "TrainingRun",
    "training.config": "TrainingConfig",
    "training.loop": "MemoryLimitError train",
    "external.environment": "Environment",
    "external.meter": "Meter",
    "training.over_seeds": "episodes_to_target paired_tests performance_profile seed_intervals",
    "play.contest": "contest",
    "play.contest_config": "ContestConfig",
    "play.one_game": "play_game",
    "policies.files": "load_policy",
    "policies.policy": "Policy",
    "running.interrupts": "RunInterrupted",
    "search.connect_four.solver": "Solver",
    "search.perft": "perft",
    "search.player": "Player",
    "tables": "StateTable solution_of symmetry_of table_from_functions table_of",
}
__all__, _public_name = lazy_names(__name__, _NAMES)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562)."""
    if name == "__version__":
        from ttt_fast.core.manifest import package_version

        return package_version()
    return _public_name(name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
