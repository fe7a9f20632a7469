"""The description of a setting of training runs, and the conversion of its values from text.

Nothing heavy is imported, since `--help` imports this module.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import near_names, parse_count

if TYPE_CHECKING:
    from ttt_fast.games.game import Game


@dataclass(frozen=True)
class Computed:
    """A default that is computed from the game and the number of episodes.

    Attributes
    ----------
    text
        The default in words, for the help.
    value
        Function of the game and the number of episodes.
    """

    text: str
    value: Callable[["Game", int], int]


@dataclass(frozen=True)
class TrainingSetting:
    """The description of a setting.

    Attributes
    ----------
    kind
        Its type.
    meaning
        One line for the help, to which the defaults are appended.
    metavar
        Placeholder for its values; empty if the help line names the choices.
    defaults
        The default by condition.  A condition is words joined by commas, for example `dqn, in self-play`; an empty one
        always holds.  The last condition that holds decides.
    algorithms
        Algorithms to which the setting applies, all if empty; the others accept only its default.
    is_common
        Whether every run has a value, the default if its algorithm does not use the setting.
    spellings
        Options of the command line, if they are not derived from the name of the setting.
    choices
        The allowed values, if they are few; those of an integer stand for 1, 2 and so on.
    low, high
        The range of a number.
    is_schedule
        Whether the value is a number or a schedule.
    counted
        The unit that an integer counts, if the name of the setting does not state it.
    in_help
        Whether the command line has an option for it.
    """

    kind: type
    meaning: str
    metavar: str
    defaults: Mapping[str, object]
    algorithms: tuple[str, ...] = ()
    is_common: bool = True
    spellings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    low: float = -1e6
    high: float = 1e6
    is_schedule: bool = False
    counted: str = ""
    in_help: bool = True

    @property
    def default(self) -> object:
        """The value in runs whose algorithm does not use the setting; None if such runs have none."""
        return self.defaults[""] if self.is_common else None

    def applies_to(self, algorithm: str) -> bool:
        """Return whether an algorithm uses the setting."""
        return not self.algorithms or algorithm in self.algorithms

    def default_where(self, conditions: Iterable[str]) -> object:
        """Return the default under conditions.

        Examples
        --------
        >>> some = TrainingSetting(int, "", "N", {"": 5, "dqn": 8, "dqn, in self-play": 32})
        >>> some.default_where(["in self-play"]), some.default_where(["dqn", "in self-play"])
        (5, 32)
        """
        known = {"", *conditions}
        return [value for key, value in self.defaults.items() if known.issuperset(key.split(", "))][-1]

    def default_text(self, algorithm: str = "") -> str:
        """Return the defaults of an algorithm as in the help; if it is empty, those of algorithms without their own.

        Examples
        --------
        >>> some = TrainingSetting(int, "", "N", {"": 5000, "dqn": 8, "dqn, in self-play": 32})
        >>> some.default_text(), some.default_text("dqn")
        ('5k', '8; 32 in self-play')
        """
        found: list[tuple[str, str]] = []
        for key, value in self.defaults.items():
            words = key.split(", ")
            owner = "" if " " in words[0] else words.pop(0)  # names of algorithms are single words
            if owner not in ("", algorithm):
                continue
            if owner and not words:
                found.clear()
            if value is not None:
                found.append((self._text_of(value), " ".join(words)))
        groups = groupby(found, key=lambda one: (one[0], bool(one[1])))  # adjacent conditions with the same default
        return "; ".join(f"{text} {' or '.join(when for _, when in same)}".strip() for (text, _), same in groups)

    def _text_of(self, value: object) -> str:
        """Return a value in its shortest form: `100M`, `yes`."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            factors = [(10**6, "M"), (1000, "k")]
            short = [f"{value // factor}{unit}" for factor, unit in factors if value and value % factor == 0]
            return self.choices[value - 1] if self.choices else [*short, str(value)][0]
        if isinstance(value, Computed):
            return value.text
        return f"{value:g}" if isinstance(value, float) else str(value) or "none"


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    Examples
    --------
    >>> listed(("sarsa-lambda", "q-lambda")), listed(["q"])
    ('sarsa-lambda or q-lambda', 'q')
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


_REWARDS = ("win_reward", "draw_reward", "loss_reward")
_EXPECTED: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_TRUTHS = {"true": True, "false": False}


def converted(name: str, kind: type, raw: object, choices: tuple[str, ...] = ()) -> Any:
    """Return the value of a setting from text or TOML, where a number may replace its text.

    Parameters
    ----------
    name, kind
        The setting and its type.
    raw
        The raw value: numbers such as `100M`, seats such as `x`.
    choices
        Names of seats, if integers denote them.

    Examples
    --------
    >>> converted("episodes", int, "1M"), converted("seat", int, "o", ("x", "o", "both"))
    (1000000, 2)
    """
    try:
        if kind is int and choices:
            if type(raw) is not int and str(raw).lower() not in choices:
                raise UsageError(f"expected {listed(choices)} as the seat, got {raw!r}")
            return raw if type(raw) is int else choices.index(str(raw).lower()) + 1
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
            near = _REWARDS if name == "rewards" else near_names(name, every)
            is_guess = len(near) < len(every) and near is not _REWARDS
            meant = f"did you mean {listed(near)}?" if is_guess else f"expected {', '.join(near)}"
            raise UsageError(f"unknown setting {name!r}; {meant}")
