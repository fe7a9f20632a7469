"""ttt_fast: tic-tac-toe, Connect 4 and Ultimate tic-tac-toe, fast, with exact values beside the samples.

The names below are loaded when they are first used; importing the package compiles and imports nothing.

Examples
--------
>>> import ttt_fast
>>> result = ttt_fast.exact_outcome(ttt_fast.parse_agent("heuribot"), ttt_fast.parse_agent("random"))
>>> round(result.x_wins * 96, 9)
95.0
"""

from importlib import import_module

TYPE_CHECKING = False  # `typing` would cost 10 ms, in which nobody can catch Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from ttt_fast.agents.registry import make_player, parse_agent
    from ttt_fast.core.errors import (
        AgentError,
        BoardError,
        FileFormatError,
        FileWriteError,
        PolicyError,
        TttFastError,
        UsageError,
    )
    from ttt_fast.evaluate.outcome import ExactOutcome, Outcome, exact_fractions, exact_outcome
    from ttt_fast.evaluate.scorecard import ScoreRow, score_against, scorecard
    from ttt_fast.evaluate.statistics import two_proportion_z_test, wilson_interval, z_score
    from ttt_fast.evaluate.strength import Agreement, agreement, exploitability, nash_conv, never_loses, value_lost
    from ttt_fast.games.registry import Game, parse_game
    from ttt_fast.learn.checkpoint import Training, load_training, save_training
    from ttt_fast.learn.config import TrainingConfig
    from ttt_fast.learn.training import start_training, train
    from ttt_fast.play.duel import DuelConfig, play_duel
    from ttt_fast.play.match import MatchConfig, MatchResult, play_match
    from ttt_fast.policies.best_response import BestResponse, best_response, best_response_policy
    from ttt_fast.policies.files import load_policy, save_policy
    from ttt_fast.policies.policy import Policy
    from ttt_fast.policies.q_policy import epsilon_soft_policy, greedy_policy
    from ttt_fast.running.executors import ThreadExecutor
    from ttt_fast.search.connect_four.geometry import BoardSize
    from ttt_fast.search.connect_four.solver import Solver, solve_positions
    from ttt_fast.search.mcts import search_positions
    from ttt_fast.search.perft import perft
    from ttt_fast.tables import (
        Solution,
        StateTable,
        Symmetry,
        find_symmetry,
        find_table,
        solution_of,
        solve,
        symmetry_of,
        table_of,
    )

_MODULE_OF = {
    name: module
    for module, names in {
        "core.errors": "AgentError BoardError FileFormatError FileWriteError PolicyError TttFastError UsageError",
        "evaluate.outcome": "ExactOutcome Outcome exact_fractions exact_outcome",
        "evaluate.scorecard": "ScoreRow score_against scorecard",
        "evaluate.statistics": "two_proportion_z_test wilson_interval z_score",
        "evaluate.strength": "Agreement agreement exploitability nash_conv never_loses value_lost",
        "games.registry": "Game parse_game",
        "running.executors": "ThreadExecutor",
        "play.duel": "DuelConfig play_duel",
        "search.connect_four.geometry": "BoardSize",
        "search.connect_four.solver": "Solver solve_positions",
        "search.mcts": "search_positions",
        "search.perft": "perft",
        "agents.registry": "make_player",
        "learn.checkpoint": "Training load_training save_training",
        "learn.config": "TrainingConfig",
        "learn.training": "start_training train",
        "play.match": "MatchConfig MatchResult play_match",
        "agents.table_agents": "parse_agent",
        "policies.best_response": "BestResponse best_response best_response_policy",
        "policies.files": "load_policy save_policy",
        "policies.policy": "Policy",
        "policies.q_policy": "epsilon_soft_policy greedy_policy",
        "tables": "Solution StateTable Symmetry find_symmetry find_table solution_of solve symmetry_of table_of",
    }.items()
    for name in names.split()
}

__all__ = [
    "AgentError",
    "Agreement",
    "BestResponse",
    "BoardError",
    "BoardSize",
    "DuelConfig",
    "ExactOutcome",
    "FileFormatError",
    "FileWriteError",
    "Game",
    "MatchConfig",
    "MatchResult",
    "Outcome",
    "Policy",
    "PolicyError",
    "ScoreRow",
    "Solution",
    "Solver",
    "StateTable",
    "Symmetry",
    "ThreadExecutor",
    "Training",
    "TrainingConfig",
    "TttFastError",
    "UsageError",
    "agreement",
    "best_response",
    "best_response_policy",
    "epsilon_soft_policy",
    "exact_fractions",
    "exact_outcome",
    "exploitability",
    "find_symmetry",
    "find_table",
    "greedy_policy",
    "load_policy",
    "load_training",
    "make_player",
    "nash_conv",
    "never_loses",
    "parse_agent",
    "parse_game",
    "perft",
    "play_duel",
    "play_match",
    "save_policy",
    "save_training",
    "score_against",
    "scorecard",
    "search_positions",
    "solution_of",
    "solve",
    "solve_positions",
    "start_training",
    "symmetry_of",
    "table_of",
    "train",
    "two_proportion_z_test",
    "value_lost",
    "wilson_interval",
    "z_score",
]


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used (PEP 562)."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
