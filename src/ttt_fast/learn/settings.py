"""Descriptions of the settings of a training run, the defaults that depend on the game, and curricula.

Nothing heavy is imported, since `--help` imports this module.
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
"""The opponent in self-play, where both seats learn."""

X, O, ALTERNATE = 1, 2, 3  # noqa: E741  (the name of the player)
"""The learner's seat; ALTERNATE is X in even episodes and O in odd ones."""
SEATS = {"x": X, "o": O, "both": ALTERNATE}
SEAT_NAMES = {code: name for name, code in SEATS.items()}

AFTERSTATE = "afterstate"
DOUBLE_Q = "double-q"
MONTE_CARLO = "monte-carlo"
N_STEP = ("n-step-sarsa", "n-step-expected-sarsa", "n-step-tree-backup")
LAMBDA = ("sarsa-lambda", "q-lambda")
RETURNS = (MONTE_CARLO, *N_STEP, *LAMBDA)
"""Algorithms whose targets look more than one step ahead."""
DQN = "dqn"
"""Deep Q-learning: the values come from a network."""
TD = "td"
"""TD(lambda) on afterstates: the values come from n-tuples or, for Ultimate, from its network."""
TABULAR = ("q", DOUBLE_Q, "sarsa", "expected-sarsa", AFTERSTATE, *RETURNS)
"""Algorithms that learn a value for each state or action from games."""
SAMPLING = (*TABULAR, DQN, TD)
"""Algorithms that learn from games."""
VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY = "value-iteration", "policy-iteration", "fictitious-play"
PLANNING = (VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY)
"""Algorithms that pass over the table of the game: an episode is a pass, without random draws."""
ALGORITHMS = (*SAMPLING, *PLANNING)
BY_VALUE = (*TABULAR, VALUE_ITERATION, POLICY_ITERATION)
"""Algorithms that store a separate number for each value."""
OF_VALUES = (*BY_VALUE, DQN)
"""Algorithms whose values are in units of the rewards; fictitious play counts actions, and td learns results."""
TIES = ("first", "last", "random")
OWN_RESULT, SAI = "own", "sai"
CREDITS = (OWN_RESULT, SAI)
"""The credit at the end of a game: each player's own result, or the credit of the program of sai."""

SCHEDULES = {"step_size": "geometric:0.5,0.001", "epsilon": "0.2"}
"""The default schedules."""
SCHEDULES_OF_DQN = {"step_size": "linear:0.001,0.00001", "epsilon": "linear:1,0.1", "episodes": 60_000}
SELF_PLAY_OF_DQN = {**SCHEDULES_OF_DQN, "epsilon": "1", "episodes": 8_000}
"""Defaults of deep Q-learning in self-play: the schedules, and the length if the game has a table."""
OF_TD = {
    "step_size": "0.5",
    "epsilon": "linear:0.1,0.02",
    "opponent": SELF_PLAY,
    "episodes": 2_000_000,
    "evaluations": 20,
}
"""Defaults of TD(lambda) over n-tuples."""
TD_OF_ULTIMATE = {
    **OF_TD,
    "step_size": "linear:0.001,0.00001",
    "epsilon": "0.05",
    "episodes": 400_000,
    "evaluations": 10,
}
"""Defaults of TD(lambda) over the network of Ultimate."""

CHEAP_STATES = 100_000
"""Number of states above which networks are measured only a few times."""

USUAL: Any = type("Usual", (), {"__repr__": lambda self: "by the game"})()
"""The default of a setting that depends on the game: see `usual_settings`."""
LONG_ROW = 16
"""Number of actions above which action values take much more memory than board values."""

Passes = tuple[tuple[tuple[float, float], ...], ...]
"""For each result, the updates at the end of a game, each as its rewards for X and O."""


@dataclass(frozen=True)
class Setting:
    """The description of a setting.

    Attributes
    ----------
    meaning
        One line for the help.
    metavar
        Placeholder for its values; empty if the help line names the choices.
    spellings
        Options of the command line, if they are not derived from the name of the field.
    choices
        The allowed values, if they are few.
    low, high
        The range of a number.
    is_schedule
        Whether the value is a number or a schedule.
    minimum
        The smallest integer that the command line accepts.
    counted
        The unit that an integer counts, if the name of the field does not state it.
    in_help
        Whether the command line has an option for it.
    algorithms
        Algorithms to which the setting applies, all if empty; the others accept only its default.
    kind, default
        Its type, and the default of the field (`USUAL`: depends on the game and the algorithm).
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
    """Return a dataclass field that carries the description of a setting."""
    return field(default=default, metadata={"setting": Setting(meaning, spellings=spellings, **more)})


def listed(names: tuple[str, ...]) -> str:
    """Join names as in a sentence.

    Examples
    --------
    >>> listed(LAMBDA)
    'sarsa-lambda or q-lambda'
    """
    return f"{', '.join(names[:-1])} or {names[-1]}"


def usual_settings(game: str, algorithm: str = "q", exact: bool = False, opponent: str | None = None) -> dict[str, Any]:
    """Return the defaults that depend on the game, the algorithm and, for deep Q-learning, the opponent.

    A game with a state table is measured exactly, and cheaply.  Otherwise both seats learn, and measures are samples.
    Rows of many actions then take much memory: a million games of Q-learning on Ultimate, with 81 values for each
    state, would take 70 GB, and 20,000 games take 2.1 GB.  Planning needs at most as many passes over the table as a
    game has plies.

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
    """Return whether a network can be evaluated in all states of a game's table a thousand times in a run."""
    from ttt_fast.tables import table_of

    return table_of(game).num_states <= CHEAP_STATES


@lru_cache(maxsize=64)
def has_table(game: "Game", exact: bool = False) -> bool:
    """Return whether a game has a table of states; cached, since a large one is enumerated up to the limit.

    With `exact`, a table of more than a million states is built if it fits into memory.
    """
    from ttt_fast.tables import has_table as is_small, most_states, table_of

    return table_of(game, most_states()) is not None if exact else is_small(game)


def check_type(name: str, wanted: type, value: object, is_schedule: bool) -> None:
    """Raise UsageError unless a value has the type of its setting; whether a number is whole is checked later."""
    if wanted is int or isinstance(value, wanted):
        return
    if isinstance(value, Real) and not isinstance(value, bool) and (wanted is float or is_schedule):
        return
    hint = "; its `signature` names a policy" if name == "opponent" else ""
    raise UsageError(f"expected {name} to be of type {wanted.__name__}, got {shown(value)}{hint}")


_EXPECTED: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_TRUTHS = {"true": True, "false": False}


def converted(name: str, kind: type, raw: object, has_choices: bool) -> Any:
    """Return the value of a setting from text or TOML, where a number may replace its text.

    Parameters
    ----------
    name, kind
        The setting and its type.
    raw
        The raw value: numbers such as `100M`, seats such as `x`.
    has_choices
        Whether integers denote seats.

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
    """Raise UsageError unless all names are known; the message suggests similar names."""
    every = list(known)
    for name in names:
        if name not in every:
            rewards = [one for one in every if one.endswith("_reward")] if name == "rewards" else []
            raise UsageError(f"unknown setting {name!r}; expected {', '.join(rewards or near_names(name, every))}")


@lru_cache(maxsize=256)
def parse_stages(text: str) -> tuple[tuple[float, AgentSpec], ...]:
    """Return the opponents of a curriculum: (fraction of the run until which an agent is met, agent).

    Raises
    ------
    UsageError
        If a part is not an agent (AgentError), or the fractions do not increase to 1.

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
    """Raise ExternalAgentError if the settings of a run, which may come from a file, name external agents."""
    for judge in judges:
        refuse_external(judge, "the judges of a run")
    for _, agent in stages:
        refuse_external(agent, "the settings of a run")


def check_checkpoint_every(seconds: float) -> None:
    """Raise UsageError unless a number of seconds between checkpoints is valid."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not (is_number and isfinite(seconds) and seconds > 0):
        raise UsageError(f"expected checkpoints every so many seconds, a number above 0, got {seconds!r}")


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
