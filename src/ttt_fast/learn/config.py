"""The settings that determine the bits of a learned result, each defined once.

A field of `TrainingConfig` carries the full description of its setting.  Options of the command line, keys of TOML
files, checks and help are derived from it.  The module imports nothing heavy, since `--help` imports it.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import ceil, inf
from typing import TYPE_CHECKING, Any, get_args

from ttt_fast.agents.spec import AgentSpec, parse_agent, refuse_external
from ttt_fast.core.checks import set_whole_numbers, with_known_names
from ttt_fast.core.errors import UsageError
from ttt_fast.core.text import JsonObject
from ttt_fast.learn import network_settings, td_settings
from ttt_fast.learn.network_settings import NetworkSettings
from ttt_fast.learn.settings import (
    AFTERSTATE,
    ALGORITHMS,
    ALTERNATE,
    BY_VALUE,
    CREDITS,
    DQN,
    FICTITIOUS_PLAY,
    LAMBDA,
    N_STEP,
    OF_VALUES,
    OWN_RESULT,
    PLANNING,
    SAI,
    SAMPLING,
    SCHEDULES,
    SEATS,
    SELF_PLAY,
    TD,
    TIES,
    USUAL,
    O,
    Passes,
    Setting,
    X,
    check_agents,
    check_names,
    check_type,
    converted,
    external_agents,
    has_table,
    listed,
    parse_stages,
    setting,
    usual_settings,
)
from ttt_fast.learn.td_settings import TdSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ttt_fast.games.game import Game
    from ttt_fast.learn.schedules import Schedule


@with_known_names
@dataclass(frozen=True, repr=False)
class TrainingConfig(NetworkSettings, TdSettings):
    """All settings that determine the bits of a learned result, besides the opponents' policies.

    Attributes
    ----------
    opponent
        Agent string of the opponent; `self` for self-play; or a curriculum `AGENT@0.3>AGENT@0.6>AGENT`, where each
        opponent is met until that fraction of the run.  A policy made in Python is named by its `Policy.signature` and
        passed to `train`.
    seat
        The learner's seat: 1 or "x", 2 or "o", 3 or "both" (alternating); ignored in self-play.
    episodes
        Number of episodes, also as text ("1M").  An episode is a game or, in planning, a pass over the table.
    seed
        Seed of the streams, non-negative.
    algorithm
        `q`, `double-q`, `sarsa`, `expected-sarsa` or `afterstate`.  With targets that look further ahead (`returns`):
        `monte-carlo`, `n-step-sarsa`, `n-step-expected-sarsa`, `n-step-tree-backup`, `sarsa-lambda`, `q-lambda`.
        Planning: `value-iteration`, `policy-iteration` or `fictitious-play`.  `dqn` and `td` have further settings,
        those of `NetworkSettings` and `TdSettings`.
    step_size, epsilon
        Schedules (`ttt_fast.learn.schedules`); a number is a constant.
    discount
        Gamma, applied once for each pair of plies; with `afterstate` also at the end of the game.
    steps, trace_decay
        n of the n-step algorithms, and lambda of `sarsa-lambda`, `q-lambda` and `td`; None for all others.
    win_reward, draw_reward, loss_reward
        Rewards at the end of an episode, for every learner.
    initial_q
        Initial value of every action (with `afterstate`, of every board).
    tie
        Choice among equally good actions: the `first`, the `last` or a `random` one.
    credit
        `own`: each player is credited with its own result.  `sai`: only X is credited, with a win and then a loss for
        either winner.  A win of X adds two draws (the second `if` there should be an `elif`); O learns nothing.
    random_opening
        Whether the first move of each episode is drawn uniformly and excluded from learning.
    chunk_episodes
        Episodes in a chunk, which has its own random stream; the fast kernels keep schedules constant within a chunk. 0
        means a 250th of the run, within 1,000 to 100,000; for `dqn` a 1,000th, and in planning 1.
    evaluations
        Rows of the curve: exact measures, or samples if the game has no table.
    judges
        Agents, separated by commas, against which the greedy policy is measured during the run.
    game
        The game, as `parse_game` reads it.
    exact
        Whether to build the table of a game of more than a million states, so that values and measures are exact.

    The defaults of `opponent`, `episodes`, `evaluations`, `judges`, `step_size` and `epsilon` depend on the game and
    the algorithm: see `usual_settings`.

    Examples
    --------
    >>> config = TrainingConfig(opponent="minimax", seat="o", episodes="100k")
    >>> config.seat, config.episodes
    (2, 100000)
    """

    opponent: str = setting(
        USUAL,
        "the opponent: an agent, self, or A@0.5>B (default: random; self on a game without a table)",
        metavar="AGENT",
    )
    seat: int = setting(X, "the learner's seat: x, o or both in turn (default: x)", choices=tuple(SEATS))
    episodes: int = setting(
        USUAL,
        "default: 100M; without a table 1M, where rows are long 20k; of dqn 60k, in self-play 8k, without a table 100k;"
        " of td 2M, on ultimate 400k; of planning as many passes as the game has plies, of fictitious-play 1000",
        "--episodes",
        "-n",
        metavar="N",
        low=0,
        high=1e15,
    )
    seed: int = setting(0, "default: 0", metavar="N", low=0, high=inf)
    algorithm: str = setting(
        "q", f"{listed(ALGORITHMS)} (default: q)", "--algorithm", "--learner", metavar="NAME", choices=ALGORITHMS
    )
    step_size: str = setting(
        USUAL,
        "alpha: a number, or a schedule (default: geometric:0.5,0.001; of dqn linear:0.001,0.00001; of td 0.5,"
        " on ultimate linear:0.001,0.00001)",
        metavar="SCHEDULE", is_schedule=True, low=1e-12, high=1.0, algorithms=SAMPLING,
    )  # fmt: skip
    epsilon: str = setting(
        USUAL,
        "chance to explore: a number, or a schedule (default: 0.2; of dqn linear:1,0.1, in self-play 1;"
        " of td linear:0.1,0.02, on ultimate 0.05)",
        metavar="SCHEDULE", is_schedule=True, low=0.0, high=1.0, algorithms=SAMPLING,
    )  # fmt: skip
    discount: float = setting(1.0, "gamma (default: 1)", metavar="NUMBER", low=0.0, high=1.0, algorithms=OF_VALUES)
    steps: int | None = setting(
        None, f"n of {listed(N_STEP)} (default: 3)", metavar="N", low=1, minimum=1, algorithms=N_STEP
    )
    trace_decay: float | None = setting(
        None,
        f"lambda of {listed(LAMBDA)} (default: 0.9; of td 0.8, on ultimate 1)",
        metavar="NUMBER",
        low=0.0,
        high=1.0,
        algorithms=(*LAMBDA, TD),
    )
    win_reward: float = setting(1.0, "default: 1", in_help=False, algorithms=OF_VALUES)
    draw_reward: float = setting(0.0, "default: 0", in_help=False, algorithms=OF_VALUES)
    loss_reward: float = setting(-1.0, "default: -1", in_help=False, algorithms=OF_VALUES)
    initial_q: float = setting(
        0.0, "value of an untried action, or afterstate (default: 0)", metavar="NUMBER", algorithms=BY_VALUE
    )
    tie: str = setting(
        "first",
        "among equally good actions: first, last or random (default: first)",
        choices=TIES,
        algorithms=(*BY_VALUE, TD),
    )
    credit: str = setting(
        OWN_RESULT,
        "of afterstates: own result to each player, or sai, which credits X alone (default: own)",
        choices=CREDITS,
    )
    random_opening: bool = setting(False, "draw the first move of each episode", algorithms=OF_VALUES)
    chunk_episodes: int = setting(
        0,
        "episodes a chunk, part of the result (default: a 250th of the run, 1k to 100k; dqn: a 1000th; planning: 1);"
        " the kernels of q v a fixed seat and of self-play hold alpha and epsilon for a chunk, others for an episode",
        "--chunk",
        metavar="N",
        low=0,
        high=inf,
        minimum=1,
        counted="episodes a chunk",
    )
    evaluations: int = setting(
        USUAL,
        "exact evaluations on the way (default: 100; of dqn v an opponent 1000); without a table samples (default: 10)",
        metavar="N",
        low=0,
    )
    judges: str = setting(
        USUAL,
        "further agents that the curve is measured against (without a table all of them, default: random,default)",
        metavar="A,B",
    )
    game: str = setting("tic-tac-toe", "the game with its options (default: tic-tac-toe)", metavar="GAME")
    exact: bool = setting(False, "make the table of a game of more than a million states, and learn over it")

    def __post_init__(self) -> None:
        """Set the defaults that depend on the game, check every field, and set the chunk size."""
        for name, one in SETTINGS.items():
            if isinstance(value := getattr(self, name), str) and one.kind in (int, float):
                object.__setattr__(self, name, setting_value(name, value))
            elif value is not USUAL and value is not one.default:
                check_type(name, one.kind, value, one.is_schedule)
        object.__setattr__(self, "game", self.played.spec)
        names = [name for name, one in SETTINGS.items() if one.default is USUAL is getattr(self, name)]
        usual = usual_settings(self.game, self.algorithm, self.exact, self.opponent) if names else {}
        for name in names:
            object.__setattr__(self, name, usual[name])
        unused = {name for name, one in SETTINGS.items() if one.default is None is getattr(self, name)}
        set_whole_numbers(self, *(name for name, one in SETTINGS.items() if one.kind is int and name not in unused))
        if self.algorithm in _SETTLED:
            _SETTLED[self.algorithm](self)
        for name, default in (("steps", 3), ("trace_decay", 0.9)):
            if getattr(self, name) is None and self.algorithm in SETTINGS[name].algorithms:
                object.__setattr__(self, name, default)
        for name in ("step_size", "epsilon"):
            object.__setattr__(self, name, str(getattr(self, name)))
        if self.seat not in SEATS.values():
            raise UsageError(f"expected a seat of 1 (X), 2 (O) or 3 (alternating), got {self.seat!r}")
        for name, one in SETTINGS.items():
            self._check_setting(name, one)
        if self.epsilons.by_visits:
            raise UsageError(f"expected an epsilon by episode, got {self.epsilon!r}")
        if self.algorithm in _SETTLED and self.step_sizes.by_visits:
            raise UsageError(f"expected a step_size by episode with {self.algorithm}, got {self.step_size!r}")
        check_agents(self.stages(), self.judge_specs)
        if self.credit == SAI and (self.algorithm != AFTERSTATE or not self.is_self_play):
            raise UsageError(f"expected {AFTERSTATE} in self-play with the credit {SAI}, got {self.algorithm!r}")
        if self.is_planning and not self.has_table:
            raise UsageError(f"expected a game with a table of states for {self.algorithm}, got {self.game!r}")
        if self.algorithm == FICTITIOUS_PLAY and not self.is_self_play:
            raise UsageError(f"expected the opponent {SELF_PLAY} with {FICTITIOUS_PLAY}, got {self.opponent!r}")
        if self.by_board and not self.played.alternates:
            raise UsageError(f"expected a game in which X and O move in turn for {AFTERSTATE}, got {self.game!r}")
        if self.chunk_episodes == 0:
            chosen = 1 if self.is_planning else min(100_000, max(1_000, ceil(self.episodes / 250)))
            chosen = max(1, ceil(self.episodes / 1000)) if self.algorithm == DQN else chosen
            object.__setattr__(self, "chunk_episodes", chosen)

    def _check_setting(self, name: str, about: Setting) -> None:
        """Raise UsageError unless a setting applies to this run and its value is valid."""
        value, kind = getattr(self, name), about.kind
        if about.algorithms and self.algorithm not in about.algorithms:
            if value != SCHEDULES.get(name, about.default):
                raise UsageError(f"expected no {name} with the algorithm {self.algorithm}, got {value!r}")
        elif value is None:
            return
        elif kind is str and about.choices and value not in about.choices:
            raise UsageError(f"expected {name} to be one of {', '.join(about.choices)}, got {value!r}")
        elif about.is_schedule:
            from ttt_fast.learn.schedules import check_range, parse_schedule

            try:
                schedule = parse_schedule(value)
            except UsageError as error:
                raise UsageError(f"{name}: {error}") from None
            check_range(name, schedule, self.episodes, about.low, about.high)
        elif kind in (int, float) and not about.low <= value <= about.high:
            wanted = f"from {about.low:g} to {about.high:g}" if about.high < inf else f"of at least {about.low:g}"
            raise UsageError(f"expected {name} {wanted}, got {value!r}")

    @property
    def played(self) -> "Game":
        """The game."""
        from ttt_fast.games.registry import parse_game

        return parse_game(self.game)

    @property
    def has_table(self) -> bool:
        """Whether the game has a state table: values then belong to its actions, and measures are exact."""
        return has_table(self.played, self.exact)

    @property
    def step_sizes(self) -> "Schedule":
        """The schedule of alpha."""
        from ttt_fast.learn.schedules import parse_schedule

        return parse_schedule(self.step_size)

    @property
    def epsilons(self) -> "Schedule":
        """The schedule of epsilon."""
        from ttt_fast.learn.schedules import parse_schedule

        return parse_schedule(self.epsilon)

    @property
    def is_self_play(self) -> bool:
        """Whether both seats learn."""
        return self.opponent == SELF_PLAY

    @property
    def by_board(self) -> bool:
        """Whether values belong to boards instead of actions."""
        return self.algorithm == AFTERSTATE

    @property
    def is_planning(self) -> bool:
        """Whether an episode is a pass over the game's table, without play or random draws."""
        return self.algorithm in PLANNING

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that learn."""
        return (X, O) if self.is_self_play or self.seat == ALTERNATE else (self.seat,)

    def stages(self) -> list[tuple[float, AgentSpec]]:
        """Return the opponents of the curriculum: (fraction of the run until which an agent is met, agent)."""
        return [] if self.is_self_play else list(parse_stages(self.opponent))

    def stage_of(self, chunk: int) -> int:
        """Return the index of a chunk's opponent."""
        progress = chunk * self.chunk_episodes / max(self.episodes, 1)
        return next((number for number, (until, _) in enumerate(self.stages()) if progress < until), 0)

    @property
    def num_chunks(self) -> int:
        """Number of chunks."""
        return ceil(self.episodes / self.chunk_episodes)

    def episodes_after(self, chunks: int) -> int:
        """Return the number of episodes in the first `chunks` chunks."""
        return min(chunks * self.chunk_episodes, self.episodes)

    def is_evaluation_due(self, chunks: int) -> bool:
        """Return whether the run has just completed another evaluation interval, independently of interruptions."""
        before, after = self.episodes_after(chunks - 1), self.episodes_after(chunks)
        return before * self.evaluations // self.episodes < after * self.evaluations // self.episodes

    @property
    def rewards(self) -> "NDArray[np.float64]":
        """Rewards of a win, a draw and a loss, (3,) float64."""
        import numpy as np

        return np.array([self.win_reward, self.draw_reward, self.loss_reward])

    @property
    def passes(self) -> Passes:
        """The updates of boards at the end of a game: for a win of X, a draw and a win of O."""
        win, draw, loss = self.win_reward, self.draw_reward, self.loss_reward
        if self.credit == SAI:
            decided, drawn = ((win, 0.0), (loss, 0.0)), ((draw, 0.0), (draw, 0.0))
            return (*decided, *drawn), drawn, decided
        return ((win, loss),), ((draw, draw),), ((loss, win),)

    @property
    def judge_specs(self) -> list[AgentSpec]:
        """The judges, without repetitions."""
        return list(dict.fromkeys(parse_agent(text) for text in AgentSpec.split(self.judges) if text))

    def as_dict(self) -> JsonObject:
        """Return the fields as a JSON dictionary, without those that do not apply to this run."""
        return {name: value for name, value in asdict(self).items() if value is not None and (value or name != "exact")}


_SETTLED = {DQN: network_settings.settle, TD: td_settings.settle}  # algorithms with settings of their own
_OWN = (NetworkSettings, TdSettings)
_FIELDS = sorted(fields(TrainingConfig), key=lambda one: any(hasattr(own, one.name) for own in _OWN))  # those come last
SETTINGS: Mapping[str, Setting] = {
    one.name: replace(one.metadata["setting"], kind=next(iter(get_args(one.type)), one.type), default=one.default)
    for one in _FIELDS
}
"""The settings by name: type, default, meaning, and range of each."""


def setting_value(name: str, raw: Any, source: str = "") -> Any:
    """Return the value of a setting from text, as on the command line, or from TOML.

    An opponent from a `source`, the name of a file, must not be an external agent.
    """
    check_names([name], SETTINGS)
    about = SETTINGS[name]
    if source and name == "opponent":
        for agent in external_agents(str(raw)):
            refuse_external(agent, source)
    return converted(name, about.kind, raw, bool(about.choices))
