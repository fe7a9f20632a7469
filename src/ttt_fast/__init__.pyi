from ttt_fast.agents.registry import (
    make_player as make_player,
)
from ttt_fast.agents.registry import (
    makes_policy as makes_policy,
)
from ttt_fast.agents.registry import (
    parse_agent as parse_agent,
)
from ttt_fast.core.errors import (
    AgentError as AgentError,
)
from ttt_fast.core.errors import (
    BoardError as BoardError,
)
from ttt_fast.core.errors import (
    FileFormatError as FileFormatError,
)
from ttt_fast.core.errors import (
    FileWriteError as FileWriteError,
)
from ttt_fast.core.errors import (
    PolicyError as PolicyError,
)
from ttt_fast.core.errors import (
    TableSizeError as TableSizeError,
)
from ttt_fast.core.errors import (
    TttFastError as TttFastError,
)
from ttt_fast.core.errors import (
    UsageError as UsageError,
)
from ttt_fast.evaluate.outcome import (
    ExactOutcome as ExactOutcome,
)
from ttt_fast.evaluate.outcome import (
    Outcome as Outcome,
)
from ttt_fast.evaluate.outcome import (
    exact_fractions as exact_fractions,
)
from ttt_fast.evaluate.outcome import (
    exact_outcome as exact_outcome,
)
from ttt_fast.evaluate.scorecard import (
    ScoreRow as ScoreRow,
)
from ttt_fast.evaluate.scorecard import (
    score_against as score_against,
)
from ttt_fast.evaluate.scorecard import (
    scorecard as scorecard,
)
from ttt_fast.evaluate.statistics import (
    two_proportion_z_test as two_proportion_z_test,
)
from ttt_fast.evaluate.statistics import (
    wilson_interval as wilson_interval,
)
from ttt_fast.evaluate.statistics import (
    z_score as z_score,
)
from ttt_fast.evaluate.strength import (
    Agreement as Agreement,
)
from ttt_fast.evaluate.strength import (
    agreement as agreement,
)
from ttt_fast.evaluate.strength import (
    exploitability as exploitability,
)
from ttt_fast.evaluate.strength import (
    nash_conv as nash_conv,
)
from ttt_fast.evaluate.strength import (
    never_loses as never_loses,
)
from ttt_fast.evaluate.strength import (
    value_lost as value_lost,
)
from ttt_fast.games.registry import (
    Game as Game,
)
from ttt_fast.games.registry import (
    parse_game as parse_game,
)
from ttt_fast.games.results import (
    Seat as Seat,
)
from ttt_fast.games.results import (
    Status as Status,
)
from ttt_fast.learn.checkpoint import (
    Training as Training,
)
from ttt_fast.learn.checkpoint import (
    load_training as load_training,
)
from ttt_fast.learn.checkpoint import (
    save_training as save_training,
)
from ttt_fast.learn.config import (
    TrainingConfig as TrainingConfig,
)
from ttt_fast.learn.training import (
    start_training as start_training,
)
from ttt_fast.learn.training import (
    train as train,
)
from ttt_fast.play.contest import (
    Contest as Contest,
)
from ttt_fast.play.contest import (
    ContestConfig as ContestConfig,
)
from ttt_fast.play.contest import (
    contest as contest,
)
from ttt_fast.play.match import (
    MatchConfig as MatchConfig,
)
from ttt_fast.play.match import (
    MatchResult as MatchResult,
)
from ttt_fast.play.match import (
    play_match as play_match,
)
from ttt_fast.policies.best_response import (
    BestResponse as BestResponse,
)
from ttt_fast.policies.best_response import (
    best_response as best_response,
)
from ttt_fast.policies.best_response import (
    best_response_policy as best_response_policy,
)
from ttt_fast.policies.files import (
    load_policy as load_policy,
)
from ttt_fast.policies.files import (
    save_policy as save_policy,
)
from ttt_fast.policies.policy import (
    Policy as Policy,
)
from ttt_fast.policies.q_policy import (
    epsilon_soft_policy as epsilon_soft_policy,
)
from ttt_fast.policies.q_policy import (
    greedy_policy as greedy_policy,
)
from ttt_fast.running.executors import (
    ThreadExecutor as ThreadExecutor,
)
from ttt_fast.search.connect_four.geometry import (
    BoardSize as BoardSize,
)
from ttt_fast.search.connect_four.solver import (
    Solver as Solver,
)
from ttt_fast.search.connect_four.solver import (
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
)
from ttt_fast.tables import (
    StateTable as StateTable,
)
from ttt_fast.tables import (
    Symmetry as Symmetry,
)
from ttt_fast.tables import (
    find_symmetry as find_symmetry,
)
from ttt_fast.tables import (
    find_table as find_table,
)
from ttt_fast.tables import (
    solution_of as solution_of,
)
from ttt_fast.tables import (
    solve as solve,
)
from ttt_fast.tables import (
    symmetry_of as symmetry_of,
)
from ttt_fast.tables import (
    table_of as table_of,
)

__all__: list[str]
