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
from ttt_fast.analysis.induced import induced_table as induced_table
from ttt_fast.analysis.review import review as review
from ttt_fast.api.exact import (
    agreement as agreement,
    best_response as best_response,
    exact_fractions as exact_fractions,
    exact_outcome as exact_outcome,
    exploitability as exploitability,
    never_loses as never_loses,
    regret as regret,
    save_policy as save_policy,
    scorecard as scorecard,
)
from ttt_fast.api.frames import compare as compare, sweep as sweep
from ttt_fast.core.errors import (
    AgentError as AgentError,
    AnswerError as AnswerError,
    BoardError as BoardError,
    FileFormatError as FileFormatError,
    PolicyError as PolicyError,
    TableSizeError as TableSizeError,
    TttFastError as TttFastError,
    UnlearnedSeatWarning as UnlearnedSeatWarning,
    UsageError as UsageError,
)
from ttt_fast.external.environment import (
    Environment as Environment,
)
from ttt_fast.external.meter import (
    Meter as Meter,
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
from ttt_fast.play.contest import (
    contest as contest,
)
from ttt_fast.play.contest_config import (
    ContestConfig as ContestConfig,
)
from ttt_fast.play.one_game import (
    play_game as play_game,
)
from ttt_fast.policies.files import (
    load_policy as load_policy,
)
from ttt_fast.policies.policy import (
    Policy as Policy,
)
from ttt_fast.running.interrupts import (
    RunInterrupted as RunInterrupted,
)
from ttt_fast.search.connect_four.solver import (
    Solver as Solver,
)
from ttt_fast.search.perft import (
    perft as perft,
)
from ttt_fast.search.player import (
    Player as Player,
)
from ttt_fast.tables import (
    StateTable as StateTable,
    solution_of as solution_of,
    symmetry_of as symmetry_of,
    table_from_functions as table_from_functions,
    table_of as table_of,
)
from ttt_fast.training.config import (
    TrainingConfig as TrainingConfig,
)
from ttt_fast.training.loop import MemoryLimitError as MemoryLimitError, train as train
from ttt_fast.training.over_seeds import (
    episodes_to_target as episodes_to_target,
    paired_tests as paired_tests,
    performance_profile as performance_profile,
    seed_intervals as seed_intervals,
)
from ttt_fast.training.run import (
    TrainingRun as TrainingRun,
)

__all__: list[str]

__version__: str
