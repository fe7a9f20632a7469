from ttt_fast.agents.convert import (
    as_player as as_player,
    as_policy as as_policy,
)
from ttt_fast.agents.registry import (
    list_agents as list_agents,
)
from ttt_fast.agents.spec import (
    AgentSpec as AgentSpec,
    parse_agent as parse_agent,
)
from ttt_fast.api.exact import (
    exact_fractions as exact_fractions,
    exact_outcome as exact_outcome,
)
from ttt_fast.api.files import (
    save_policy as save_policy,
)
from ttt_fast.api.strength import (
    agreement as agreement,
    best_response as best_response,
    best_response_policy as best_response_policy,
    exploitability as exploitability,
    nash_conv as nash_conv,
    never_loses as never_loses,
    score_against as score_against,
    scorecard as scorecard,
    value_lost as value_lost,
)
from ttt_fast.core.errors import (
    AgentError as AgentError,
    BoardError as BoardError,
    DivergedError as DivergedError,
    FileFormatError as FileFormatError,
    FileWriteError as FileWriteError,
    PolicyError as PolicyError,
    TableSizeError as TableSizeError,
    TttFastError as TttFastError,
    UnlearnedSeatWarning as UnlearnedSeatWarning,
    UsageError as UsageError,
)
from ttt_fast.evaluate.exact_fractions import (
    OutcomeFractions as OutcomeFractions,
)
from ttt_fast.evaluate.outcome import (
    Outcome as Outcome,
)
from ttt_fast.evaluate.scorecard import (
    ScoreRow as ScoreRow,
)
from ttt_fast.evaluate.statistics import (
    two_proportion_z_test as two_proportion_z_test,
    wilson_interval as wilson_interval,
    z_score as z_score,
)
from ttt_fast.evaluate.strength import (
    Agreement as Agreement,
)
from ttt_fast.games.game import (
    Game as Game,
)
from ttt_fast.games.registry import (
    parse_game as parse_game,
)
from ttt_fast.games.results import (
    Seat as Seat,
    Status as Status,
)
from ttt_fast.learn.checkpoint import (
    Training as Training,
    load_training as load_training,
    save_training as save_training,
)
from ttt_fast.learn.config import (
    TrainingConfig as TrainingConfig,
)
from ttt_fast.learn.environment import (
    Environment as Environment,
)
from ttt_fast.learn.meter import (
    Meter as Meter,
)
from ttt_fast.learn.training import (
    start_training as start_training,
    train as train,
)
from ttt_fast.play.contest import (
    Contest as Contest,
    contest as contest,
)
from ttt_fast.play.contest_config import (
    ContestConfig as ContestConfig,
)
from ttt_fast.play.match import (
    MatchConfig as MatchConfig,
    MatchResult as MatchResult,
    play_match as play_match,
)
from ttt_fast.play.one_game import (
    PlayedGame as PlayedGame,
    play_game as play_game,
)
from ttt_fast.policies.best_response import (
    BestResponse as BestResponse,
)
from ttt_fast.policies.files import (
    load_policy as load_policy,
)
from ttt_fast.policies.policy import (
    Policy as Policy,
)
from ttt_fast.policies.q_policy import (
    epsilon_soft_policy as epsilon_soft_policy,
    greedy_policy as greedy_policy,
)
from ttt_fast.running.executors import (
    ThreadExecutor as ThreadExecutor,
)
from ttt_fast.running.interrupts import (
    RunInterrupted as RunInterrupted,
)
from ttt_fast.search.connect_four.geometry import (
    BoardSize as BoardSize,
)
from ttt_fast.search.connect_four.solver import (
    Solver as Solver,
    solve_positions as solve_positions,
)
from ttt_fast.search.mcts import (
    search_positions as search_positions,
)
from ttt_fast.search.perft import (
    perft as perft,
)
from ttt_fast.tables import (
    Solution as Solution,
    StateTable as StateTable,
    Symmetry as Symmetry,
    find_table as find_table,
    solution_of as solution_of,
    symmetry_of as symmetry_of,
    table_of as table_of,
)
from ttt_fast.tables.foreign import (
    table_from_functions as table_from_functions,
)

__all__: list[str]
