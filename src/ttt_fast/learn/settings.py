"""What is said about a setting of a training run, the defaults that depend on the game, and curricula.

Nothing heavy is imported: `--help` reads it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from ttt_fast.agents.spec import AgentSpec, parse_agent, refuse_external
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import near_names, parse_count

if TYPE_CHECKING:
    from ttt_fast.games.game import Game

SELF_PLAY = "self"
"""The opponent of a learner that learns both seats."""

X, O, ALTERNATE = 1, 2, 3  # noqa: E741  (the name of the player)
"""The learner's seat; the last is X in even episodes and O in odd ones."""
SEATS = {"x": X, "o": O, "both": ALTERNATE}
SEAT_NAMES = {code: name for name, code in SEATS.items()}

AFTERSTATE = "afterstate"
DOUBLE_Q = "double-q"
MONTE_CARLO = "monte-carlo"
N_STEP = ("n-step-sarsa", "n-step-expected-sarsa", "n-step-tree-backup")
LAMBDA = ("sarsa-lambda", "q-lambda")
RETURNS = (MONTE_CARLO, *N_STEP, *LAMBDA)
"""Algorithms whose targets look more than a step ahead."""
DQN = "dqn"
"""Deep Q-learning: the values are a network's."""
TD = "td"
"""TD(lambda) on afterstates: the values are those of n-tuples, on Ultimate of its network."""
TABULAR = ("q", DOUBLE_Q, "sarsa", "expected-sarsa", AFTERSTATE, *RETURNS)
"""Algorithms that learn a value for each state or action from games."""
SAMPLING = (*TABULAR, DQN, TD)
"""Algorithms that learn from games."""
VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY = "value-iteration", "policy-iteration", "fictitious-play"
PLANNING = (VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY)
"""Algorithms that pass over the table of the game: an episode is a pass, and nothing is drawn."""
ALGORITHMS = (*SAMPLING, *PLANNING)
BY_VALUE = (*TABULAR, VALUE_ITERATION, POLICY_ITERATION)
"""Algorithms with a number of its own for each value."""
OF_VALUES = (*BY_VALUE, DQN)
"""Algorithms that learn values in units of the rewards; fictitious play counts actions, and td has results."""
TIES = ("first", "last", "random")
OWN_RESULT, SAI = "own", "sai"
CREDITS = (OWN_RESULT, SAI)
"""The credit at the end of a game: to each player its own result, or as the program of sai gives it."""

SCHEDULES = {"step_size": "geometric:0.5,0.001", "epsilon": "0.2"}
"""The usual schedules."""
SCHEDULES_OF_DQN = {"step_size": "linear:0.001,0.00001", "epsilon": "linear:1,0.1", "episodes": 60_000}
SELF_PLAY_OF_DQN = {**SCHEDULES_OF_DQN, "epsilon": "1", "episodes": 8_000}
"""Those of deep Q-learning, and its usual length where the game has a table."""
OF_TD = {
    "step_size": "0.5",
    "epsilon": "linear:0.1,0.02",
    "opponent": SELF_PLAY,
    "episodes": 2_000_000,
    "evaluations": 20,
}
"""Those of TD(lambda) over n-tuples."""
TD_OF_ULTIMATE = {
    **OF_TD,
    "step_size": "linear:0.001,0.00001",
    "epsilon": "0.05",
    "episodes": 400_000,
    "evaluations": 10,
}
"""Those of TD(lambda) over the network of Ultimate."""

CHEAP_STATES = 100_000
"""In larger tables networks are measured a few times only."""

USUAL: Any = type("Usual", (), {"__repr__": lambda self: "by the game"})()
"""The default of a setting that depends on the game: see `usual_settings`."""
LONG_ROW = 16
"""Where states have more actions than this, values by action take much more memory than values of boards."""

Passes = tuple[tuple[tuple[float, float], ...], ...]
"""For each result the updates at the end of a game, each by its rewards for X and O."""


@dataclass(frozen=True)
class Setting:
    """What is said about a setting.

    Attributes
    ----------
    meaning
        A line for the help.
    metavar
        A word for its values; empty where the choices are named in the line.
    spellings
        Options of the command line, if they are not made from the name of the field.
    choices
        The values, where there are few.
    low, high
        The range of a number.
    is_schedule
        Whether a number or a schedule is expected.
    minimum
        The least whole number that the command line takes.
    counted
        What a whole number counts, if the name of the field does not say it.
    in_help
        Whether the command line has an option for it.
    algorithms
        Those that it has a meaning for, all where it is empty; others take its default alone.
    kind, default
        Its type, and the default of the field (`USUAL`: the game and the algorithm decide).
    """

    meaning: str
    metavar: str = ""
    spellings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    low: float = -1e6
    high: float = 1e6
    is_schedule: bool = False
    minimum: int = 0
    counted: str = ""
    in_help: bool = True
    algorithms: tuple[str, ...] = ()
    kind: Any = str
    default: Any = None


def setting(default: Any, meaning: str, *spellings: str, **more: Any) -> Any:
    """Return a field of a dataclass that carries what is said about it."""
    return field(default=default, metadata={"setting": Setting(meaning, spellings=spellings, **more)})


def listed(names: tuple[str, ...]) -> str:
    """Return names as a sentence has them.

    Examples
    --------
    >>> listed(LAMBDA)
    'sarsa-lambda or q-lambda'
    """
    return f"{', '.join(names[:-1])} or {names[-1]}"


def usual_settings(game: str, algorithm: str = "q", exact: bool = False, opponent: str | None = None) -> dict[str, Any]:
    """Return the defaults that depend on the game, the algorithm and, of deep Q-learning, the opponent.

    Where it has a table a run is measured exactly, and cheaply.  Elsewhere both seats learn and measures are samples.
    Rows of many actions then take much memory: a million games of Q-learning on Ultimate, 81 values a state, would
    take 70 GB, and 20,000 games take 2.1.  Planning needs as many passes over the table as a game has plies, at most.

    Examples
    --------
    >>> usual_settings("connect4")["episodes"], usual_settings("ultimate")["episodes"]
    (1000000, 20000)
    """
    from ttt_fast.games.api import max_plies
    from ttt_fast.games.registry import parse_game

    played = parse_game(game)
    if algorithm == TD:
        judges = "" if has_table(played, exact) else "random,default"
        from ttt_fast.games.game import PATTERNS

        return {**(TD_OF_ULTIMATE if played.kind.features == PATTERNS else OF_TD), "judges": judges}
    if has_table(played, exact):
        usual = {"opponent": "random", "episodes": 100_000_000, "evaluations": 100, "judges": "", **SCHEDULES}
        if algorithm == DQN:
            usual |= SELF_PLAY_OF_DQN if opponent == SELF_PLAY else {**SCHEDULES_OF_DQN, "evaluations": 1000}
            usual["evaluations"] = usual["evaluations"] if is_cheap(played) else 20
        if algorithm == FICTITIOUS_PLAY:
            usual |= {"opponent": SELF_PLAY, "episodes": 1000}
        elif algorithm in PLANNING:
            usual["episodes"] = int(max_plies(played.initial_state))
        return usual
    is_long = algorithm != AFTERSTATE and played.num_actions > LONG_ROW
    episodes = 20_000 if is_long else 100_000 if algorithm == DQN else 1_000_000
    schedules = SCHEDULES_OF_DQN if algorithm == DQN else SCHEDULES
    usual = {"opponent": SELF_PLAY, "evaluations": 10, "judges": "random,default"}
    return {**schedules, **usual, "episodes": episodes}


def is_cheap(game: "Game") -> bool:
    """Return whether a network can be asked about all states of a game's table a thousand times in a run."""
    from ttt_fast.tables import table_of

    return table_of(game).num_states <= CHEAP_STATES


@lru_cache(maxsize=64)
def has_table(game: "Game", exact: bool = False) -> bool:
    """Return whether a game has a table of states; asked once for each, since a large one is tried to the limit.

    With `exact` one of more than a million states is made, as long as it fits into the memory.
    """
    from ttt_fast.tables import has_table as is_small, most_states, table_of

    return table_of(game, most_states()) is not None if exact else is_small(game)


def check_type(name: str, wanted: type, value: object, is_schedule: bool) -> None:
    """Raise UsageError unless a setting has its type; whether a number is whole is checked later."""
    if wanted is int or isinstance(value, wanted):
        return
    if isinstance(value, Real) and not isinstance(value, bool) and (wanted is float or is_schedule):
        return
    hint = "; its `signature` names a policy" if name == "opponent" else ""
    raise UsageError(f"expected {name} to be of type {wanted.__name__}, got {shown(value)}{hint}")


_EXPECTED: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_TRUTHS = {"true": True, "false": False}


def converted(name: str, kind: type, raw: object, has_choices: bool) -> Any:
    """Return the value of a setting from a text or from TOML, which may have a number where a text may be one.

    Parameters
    ----------
    name, kind
        The setting and its type.
    raw
        The value: numbers as `100M`, seats as `x`.
    has_choices
        Whether whole numbers stand for seats.

    Examples
    --------
    >>> converted("episodes", int, "1M", False), converted("seat", int, "o", True)
    (1000000, 2)
    """
    try:
        if kind is int and has_choices:
            if type(raw) is not int and str(raw).lower() not in SEATS:
                raise UsageError(f"expected a seat of x, o or both, got {raw!r}")
            return raw if type(raw) is int else SEATS[str(raw).lower()]
        if kind is bool:
            return _TRUTHS[str(raw).lower()]
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise ValueError
        if kind is int and isinstance(raw, str):
            return parse_count(raw)
        if kind is int and raw != int(raw):
            raise ValueError
        return kind(raw)
    except UsageError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UsageError(f"expected {_EXPECTED[kind]} for {name}, got {raw!r}") from None


def check_names(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise UsageError unless all names are known; the message lists the near ones."""
    every = list(known)
    for name in names:
        if name not in every:
            rewards = [one for one in every if one.endswith("_reward")] if name == "rewards" else []
            raise UsageError(f"unknown setting {name!r}; expected {', '.join(rewards or near_names(name, every))}")


@lru_cache(maxsize=256)
def parse_stages(text: str) -> tuple[tuple[float, AgentSpec], ...]:
    """Return the opponents of a curriculum: (fraction of the run until which it is met, agent).

    Raises
    ------
    UsageError
        If a part is no agent (AgentError), or the fractions do not grow to 1.

    Examples
    --------
    >>> [(until, agent.text) for until, agent in parse_stages("random@0.25>minimax")]
    [(0.25, 'random'), (1.0, 'minimax')]
    """
    parts = text.split(">")
    stages: list[tuple[float, AgentSpec]] = []
    for number, part in enumerate(parts):
        agent, at, fraction = part.rpartition("@")
        if not at or (len(parts) == 1 and not _is_number(fraction)):  # a file may have an @ in its name
            agent, fraction = part, str((number + 1) / len(parts))
        elif len(parts) == 1 or not _is_number(fraction):
            raise UsageError(f"expected AGENT@FRACTION>AGENT, got {text!r}")
        until = float(fraction)
        if not agent.strip():
            raise UsageError(f"expected an opponent, or opponents AGENT@FRACTION>AGENT, got {text!r}")
        if agent.strip() == SELF_PLAY:
            raise UsageError(f"expected {SELF_PLAY} alone, not in a curriculum, got {text!r}")
        is_last = number == len(parts) - 1
        if not (stages[-1][0] if stages else 0.0) < until <= 1.0 or (is_last and until < 1.0):
            raise UsageError(f"expected growing fractions up to 1 in a curriculum, got {text!r}")
        stages.append((until, parse_agent(agent)))
    return tuple(stages)


def external_agents(opponent: str) -> list[AgentSpec]:
    """Return the external agents among the opponents of a run.

    Examples
    --------
    >>> [agent.text for agent in external_agents("random@0.5>python:mine:choose")]
    ['python:mine:choose']
    """
    stages = () if opponent in ("", SELF_PLAY) else parse_stages(opponent)
    return [agent for _, agent in stages if agent.is_external]


def check_agents(stages: Iterable[tuple[float, AgentSpec]], judges: Sequence[AgentSpec]) -> None:
    """Raise ExternalAgentError if the settings of a run, which files may hold, name external agents."""
    for judge in judges:
        refuse_external(judge, "the judges of a run")
    for _, agent in stages:
        refuse_external(agent, "the settings of a run")


def check_checkpoint_every(seconds: float) -> None:
    """Raise UsageError unless checkpoints can be so many seconds apart."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_number and isfinite(seconds) and seconds > 0):
        raise UsageError(f"expected checkpoints every so many seconds, a number above 0, got {seconds!r}")


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
