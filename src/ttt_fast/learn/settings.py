"""What is said about a setting of a training run, the defaults that depend on the game, and curricula.

Nothing heavy is imported: `--help` reads it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import near_names

if TYPE_CHECKING:
    from ttt_fast.games.registry import Game

GAMES_TEXT = (
    "tic-tac-toe[:rows=3,columns=3,length=3,misere=no|yes], connect4[:columns=7,rows=6,length=4] or"
    " ultimate[:tie=draw|boards,closed=free|stay]"
)
"""The games with their options, for the help."""

SELF_PLAY = "self"
"""The opponent of a learner that learns both seats."""

X, O, ALTERNATE = 1, 2, 3  # noqa: E741  (the name of the player)
"""The learner's seat; the last is X in even episodes and O in odd ones."""
SEATS = {"x": X, "o": O, "both": ALTERNATE}
SEAT_NAMES = {code: name for name, code in SEATS.items()}

AFTERSTATE = "afterstate"
DOUBLE_Q = "double-q"
ALGORITHMS = ("q", DOUBLE_Q, "sarsa", "expected-sarsa", AFTERSTATE)
TIES = ("first", "last", "random")
OWN_RESULT, SAI = "own", "sai"
CREDITS = (OWN_RESULT, SAI)
"""The credit at the end of a game: to each player its own result, or as the program of sai gives it."""

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


def setting(default: Any, meaning: str, *spellings: str, **more: Any) -> Any:
    """Return a field of a dataclass that carries what is said about it."""
    return field(default=default, metadata={"setting": Setting(meaning, spellings=spellings, **more)})


def usual_settings(game: str, algorithm: str = "q", exact: bool = False) -> dict[str, Any]:
    """Return the defaults that depend on the game.

    Where it has a table a run is measured exactly, and cheaply.  Elsewhere both seats learn and measures are samples.
    Rows of many actions then take much memory: a million games of Q-learning on Ultimate, 81 values a state, would
    take 70 GB, and 20,000 games take 2.1.

    Examples
    --------
    >>> usual_settings("connect4")["episodes"], usual_settings("ultimate")["episodes"]
    (1000000, 20000)
    """
    from ttt_fast.games.registry import parse_game

    played = parse_game(game)
    if has_table(played, exact):
        return {"opponent": "random", "episodes": 100_000_000, "evaluations": 100, "judges": ""}
    is_long = algorithm != AFTERSTATE and played.num_actions > LONG_ROW
    episodes = 20_000 if is_long else 1_000_000
    return {"opponent": SELF_PLAY, "episodes": episodes, "evaluations": 10, "judges": "random,default"}


@lru_cache(maxsize=64)
def has_table(game: "Game", exact: bool = False) -> bool:
    """Return whether a game has a table of states; asked once for each, since a large one is tried to the limit.

    With `exact` one of more than a million states is made, as long as it fits into the memory.
    """
    from ttt_fast.tables import has_table as is_small, most_states, table_of

    return table_of(game, most_states()) is not None if exact else is_small(game)


def check_names(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise UsageError unless all names are known; the message lists the near ones."""
    every = list(known)
    for name in names:
        if name not in every:
            rewards = [one for one in every if one.endswith("_reward")] if name == "rewards" else []
            raise UsageError(f"unknown setting {name!r}; expected {', '.join(rewards or near_names(name, every))}")


@lru_cache(maxsize=256)
def parse_stages(text: str) -> tuple[tuple[float, str], ...]:
    """Return the opponents of a curriculum: (fraction of the run until which it is met, agent string).

    Raises
    ------
    UsageError
        If a part is no agent, or the fractions do not grow to 1.

    Examples
    --------
    >>> parse_stages("random@0.25>minimax")
    ((0.25, 'random'), (1.0, 'minimax'))
    """
    parts = text.split(">")
    stages: list[tuple[float, str]] = []
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
        stages.append((until, agent.strip()))
    return tuple(stages)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
