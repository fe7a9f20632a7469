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
    "api.exact": "exact_fractions exact_outcome",
    "api.files": "save_policy",
    "api.strength": "agreement best_response best_response_policy exploitability nash_conv never_loses score_against"
    " scorecard value_lost",
    "core.errors": "AgentError BoardError DivergedError FileFormatError FileWriteError PolicyError TableSizeError"
    " TttFastError UnlearnedSeatWarning UsageError",
    "evaluate.exact_fractions": "OutcomeFractions",
    "evaluate.outcome": "Outcome",
    "evaluate.scorecard": "ScoreRow",
    "evaluate.statistics": "two_proportion_z_test wilson_interval z_score",
    "evaluate.strength": "Agreement",
    "games.game": "Game",
    "games.registry": "parse_game",
    "games.results": "Seat Status",
    "learn.checkpoint": "Training load_training save_training",
    "learn.config": "TrainingConfig",
    "learn.environment": "Environment",
    "learn.meter": "Meter",
    "learn.training": "start_training train",
    "play.contest": "Contest contest",
    "play.contest_config": "ContestConfig",
    "play.one_game": "PlayedGame play_game",
    "play.match": "MatchConfig MatchResult play_match",
    "policies.best_response": "BestResponse",
    "policies.files": "load_policy",
    "policies.policy": "Policy",
    "policies.q_policy": "epsilon_soft_policy greedy_policy",
    "running.executors": "ThreadExecutor",
    "running.interrupts": "RunInterrupted",
    "search.connect_four.geometry": "BoardSize",
    "search.connect_four.solver": "Solver solve_positions",
    "search.mcts": "search_positions",
    "search.perft": "perft",
    "tables": "Solution StateTable Symmetry find_table solution_of symmetry_of table_of",
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
