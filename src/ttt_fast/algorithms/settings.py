"""The description of a setting of training runs: its value, meaning, default and group; conditions and parsers.

The settings themselves are fields in `api` and in the `record` of each algorithm.  Options of the
command line, keys of TOML files, sweeps and checks derive from them.  Nothing heavy is imported, since `--help` reads
them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any

from ttt_fast.algorithms.curricula import Judges, Opponents, parse_judges, parse_opponents
from ttt_fast.algorithms.episodes import SEAT_NAMES, SEATS
from ttt_fast.core.checks import list_of, shown, whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.core.known_file import KnownFile
from ttt_fast.core.specs import Option, near_names, parse_count

if TYPE_CHECKING:
    from ttt_fast.algorithms.schedules import Schedule
    from ttt_fast.games.game import Game

MARKS, PLANES = "marks", "planes"
SAMPLED, EXPECTED = "sampled", "expected"
MASK, PENALTY = "mask", "penalty"
BEST, LAST = "best", "last"
OPENING_PLIES = "maximum number of random plies at the start of a game of self-play"
GAMES = "recorded games (see review), from which the first episodes learn instead of playing"
EPOCHS = "passes over the recorded games"
KEEP = "final network: that of the best exact value, an oracle that a real problem lacks, or the last one"

CHEAP_STATES = 100_000
"""Number of states above which networks are measured only a few times."""
MAX_ACTIONS_FOR_VALUES = 16
"""Number of actions above which action values take much more memory than board values.

A million games of Q-learning on Ultimate, with 81 values for each state, would take 70 GB; 20,000 take 2.1 GB.
"""
MAX_LAYERS, MAX_NODES = 8, 4096

Values = Mapping[str, Any]
"""The settings of a run that are known so far, and the `record` of its algorithm; a default may depend on them."""


@dataclass(frozen=True)
class When:
    """A condition on which defaults depend: its text in the help, and a function of the settings so far."""

    text: str
    holds: Callable[[Values], bool]


class Computed(str):
    """The text of a default that is computed from the settings so far."""

    value: Callable[[Values], object]

    def __new__(cls, text: str, value: Callable[[Values], object]) -> "Computed":
        """Return the text with its function."""
        made = super().__new__(cls, text)
        made.value = value
        return made


@lru_cache(maxsize=64)
def has_table(game: "Game", exact: bool = False) -> bool:
    """Return whether a game has a table of states; cached, since a large one is enumerated up to the limit.

    With `exact`, a table of more than a million states is built if it fits into memory.
    """
    from ttt_fast.tables import has_table as is_small, most_states, table_of

    return table_of(game, most_states()) is not None if exact else is_small(game)


def _is_known(run: Values) -> bool:
    return has_table(run["game"], run["exact"])


def _has_many_actions(run: Values) -> bool:
    is_wide = run["game"].num_actions > MAX_ACTIONS_FOR_VALUES
    return is_wide and not run["record"].by_board and not _is_known(run)


def _has_many_states(run: Values) -> bool:
    from ttt_fast.tables import table_of

    return _is_known(run) and table_of(run["game"]).num_states > CHEAP_STATES


def has_marks(game: "Game") -> bool:
    """Return whether a game has a plane for each player's marks."""
    from ttt_fast.games.api import observation_shape

    return int(observation_shape(game.initial_state)[0]) > 1


def check_input(game: "Game", given: str) -> None:
    """Raise UsageError if the input of a network should be marks, and a game has no planes of marks."""
    if given == MARKS and not has_marks(game):
        raise UsageError(f"expected input '{PLANES}' for {game.spec}, got {MARKS!r}")


NO_TABLE = When("without a state table", lambda run: not _is_known(run))
MANY_ACTIONS = When(f"if the game also has more than {MAX_ACTIONS_FOR_VALUES} actions", _has_many_actions)
LARGE_TABLE = When(f"with more than {CHEAP_STATES // 1000}k states", _has_many_states)
IN_SELF_PLAY = When("in self-play", lambda run: not run["opponent"].stages)
LARGE_SELF_PLAY = When(
    "in self-play without a state table", lambda run: not run["opponent"].stages and not _is_known(run)
)
ONE_PLANE = When("for observations of one plane", lambda run: not has_marks(run["game"]))
WITH_PENALTY = When("with --illegal penalty", lambda run: run["illegal"] == PENALTY)
WITH_GAMES = When("with --games", lambda run: run.get("games") is not None)
WITH_COPIES = When("with --target-every", lambda run: run["target_every"] is not None)

NONE = "none"
"""The text of a setting without a value."""
TRUTHS = "true|false"
"""The values of a switch."""
SCHEDULE = "SCHEDULE"
"""The values of a schedule."""


@dataclass(frozen=True)
class Setting(Option):
    """A setting of training runs: an option whose default may depend on the run.

    Attributes
    ----------
    cases
        Defaults under conditions; the last condition that holds decides.
    is_optional
        Whether only some algorithms use the setting, which every run has; others accept only its default.
    spellings
        Options of the command line, if they are not derived from the name of the setting.
    group
        Heading of the option in the help; empty for that of its family.
    """

    cases: Mapping[When, str]
    is_optional: bool
    spellings: tuple[str, ...]
    group: str

    @property
    def is_switch(self) -> bool:
        """Whether the setting is on or off."""
        return self.values == TRUTHS

    def default_in(self, run: Values) -> object:
        """Return the default of a run, of which the settings of earlier fields are known."""
        found = next((text for when, text in reversed([*self.cases.items()]) if when.holds(run)), self.default)
        return found.value(run) if isinstance(found, Computed) else found

    def default_text(self) -> str:
        """Return the defaults as in the help.

        Examples
        --------
        >>> Setting("5k", "N", int, "", {IN_SELF_PLAY: "32", NO_TABLE: "32"}, False, (), "").default_text()
        '5k; 32 in self-play or without a state table'
        """
        every = [(self.default, ""), *((text, when.text) for when, text in self.cases.items())]
        found = [(text, when) for text, when in every if text != NONE]
        groups = groupby(found, key=lambda one: (one[0], bool(one[1])))  # adjacent conditions with the same default
        shown = (f"{text or NONE} {' or '.join(when for _, when in same)}".strip() for (text, _), same in groups)
        return "; ".join(shown)

    def read(self, name: str, raw: object) -> Any:
        """Return the value of the setting from a text, or from a value in Python or TOML; raise UsageError."""
        try:
            return None if NONE in (self.default, *self.cases.values()) and raw == NONE else self.parse(raw)  # type: ignore[arg-type]
        except UsageError as error:  # whose text shows the value
            raise UsageError(f"{name}: {error}") if self.values == SCHEDULE else error from None
        except ValueError as error:
            expected, *near = error.args
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"expected {name} to be {expected}, got {shown(raw)}{hint}") from None


def setting(
    parse: Callable[[Any], Any],
    values: str,
    summary: str,
    default: str,
    cases: Mapping[When, str] | None = None,
    *,
    is_optional: bool = False,
    spellings: tuple[str, ...] = (),
    group: str = "",
) -> Any:
    """Return the field of a setting.

    Parameters
    ----------
    parse
        Converts a text or a value of Python; raises ValueError with the expected values, and with near ones, if any.
    values
        The allowed values, or a placeholder for them.
    summary
        One line for the help, to which the defaults are appended.
    default, cases
        The default as a text, and other ones under conditions.
    is_optional, spellings, group
        As in `Setting`.
    """
    about = Setting(default, values, parse, summary, cases or {}, is_optional, spellings, group)
    return field(metadata={"setting": about})


def whole(low: int, high: float, *about: Any, **more: Any) -> Any:
    """Return the field of a whole number (100M, 1e8, 250_000); other arguments as for `setting`, from `summary` on."""
    return setting(partial(read_whole, low, high), "N", *about, **more)


def number(low: float, high: float, *about: Any, **more: Any) -> Any:
    """Return the field of a number; other arguments as for `setting`, from `summary` on."""
    return setting(partial(_number, low, high), "NUMBER", *about, **more)


def words(values: str, *about: Any, **more: Any) -> Any:
    """Return the field of a few words, `a|b|c`; other arguments as for `setting`, from `summary` on."""
    return setting(partial(word, values.split("|")), values, *about, **more)


def switch(*about: Any, **more: Any) -> Any:
    """Return the field of a setting that is on or off; arguments as for `setting`, from `summary` on."""
    return setting(_truth, TRUTHS, *about, **more)


def schedule(summary: str, default: str, **more: Any) -> Any:
    """Return the field of a number that may change during a run; other arguments as for `setting`."""
    return setting(_schedule, SCHEDULE, f"{summary}: a number, or a schedule such as linear:START,END", default, **more)


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    Examples
    --------
    >>> listed(("sarsa-lambda", "q-lambda")), listed(["q"])
    ('sarsa-lambda or q-lambda', 'q')
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def read_whole(low: int, high: float, raw: object, digits_only: bool = False) -> int:
    """Return a whole number from a text or a number; raise ValueError.

    Examples
    --------
    >>> read_whole(0, 1e15, "1M"), read_whole(0, 10, 5.0)
    (1000000, 5)
    """
    is_text, sign = isinstance(raw, str), -1 if str(raw).startswith("-") else 1
    try:
        digits = str(raw).removeprefix("-")
        value = sign * parse_count(digits, maximum=2**63, digits_only=digits_only) if is_text else whole_number(raw, "")
    except UsageError:
        raise ValueError("a whole number") from None
    if not low <= value <= high:
        raise ValueError(f"a whole number {f'from {low} to {high:g}' if high < inf else f'of at least {low}'}")
    return value


def _number(low: float, high: float, raw: object) -> float:
    try:
        value = float(raw) if isinstance(raw, str | Real) and not isinstance(raw, bool) else inf
    except (ValueError, OverflowError):
        value = inf
    if not low <= value <= high:
        raise ValueError(f"a number from {low:g} to {high:g}")
    return value


def word(known: Sequence[str], raw: object) -> str:
    """Return one of some words; raise ValueError with them, and with near ones."""
    if not isinstance(raw, str) or raw not in known:
        near = near_names(str(raw), known)
        raise ValueError(listed(known), *(near if len(near) < len(known) else ()))
    return raw


def _truth(raw: object) -> bool:
    return word(TRUTHS.split("|"), str(raw).lower()) == "true"


def text(raw: object) -> str:
    """Return a text."""
    if not isinstance(raw, str):
        raise ValueError("a text")
    return raw


def seat(raw: object) -> int:
    """Return the code of the learner's seat: x, o or both; or 1, 2 or 3."""
    found = SEATS.get(raw.lower()) if isinstance(raw, str) else raw
    if isinstance(found, bool) or found not in list(SEAT_NAMES):
        raise ValueError(listed(tuple(SEATS)))
    return int(found)


def seed(raw: object) -> int:
    """Return a seed, of which a text has digits only."""
    return read_whole(0, inf, raw, digits_only=True)


def _schedule(raw: object) -> "Schedule":
    from ttt_fast.algorithms.schedules import Schedule, parse_schedule, schedule_usage

    if isinstance(raw, Schedule):
        return raw
    if isinstance(raw, bool) or not isinstance(raw, str | Real):
        raise ValueError(f"a schedule {schedule_usage()}")
    return parse_schedule(str(raw))


def layers(raw: object) -> tuple[int, ...]:
    """Return the nodes of each hidden layer.

    Examples
    --------
    >>> layers("64, 32"), layers((64, 32))
    ((64, 32), (64, 32))
    """
    words = [part.strip() for part in (raw.split(",") if isinstance(raw, str) else map(str, list_of(raw, "layers")))]
    are_sizes = all(one.isdecimal() and one.isascii() and 1 <= int(one) <= MAX_NODES for one in words)
    if not are_sizes or not 1 <= len(words) <= MAX_LAYERS:
        raise ValueError(f"at most {MAX_LAYERS} hidden layers of 1 to {MAX_NODES} nodes, for instance 32,32")
    return tuple(map(int, words))


def game(raw: object) -> "Game":
    """Return a game."""
    from ttt_fast.games.registry import parse_game

    return parse_game(raw)  # type: ignore[arg-type]


def games_file(raw: object) -> KnownFile:
    """Return a file of recorded games; its text may state the hash of its content."""
    return raw if isinstance(raw, KnownFile) else KnownFile.at(text(raw))


def _recorded_episodes(run: Values) -> int:
    from ttt_fast.play.replay import lessons_in

    return int((run.get("epochs") or 1) * lessons_in(run["games"], run["game"]).chosen.size)


RECORDED_EPISODES = Computed("epochs times the games of the file", _recorded_episodes)


def check_games(own: Any, is_self_play: bool) -> None:
    """Raise UsageError unless the settings of recorded games fit together."""
    if (own.games is None) != (own.epochs is None):
        raise UsageError(f"expected epochs with games, and only then, got {own.epochs!r}")
    if own.games is not None and not is_self_play:
        raise UsageError(f"expected the opponent self with games, got games {own.games.text!r}")


def opponents(raw: object) -> Opponents:
    """Return the opponents of a run."""
    if isinstance(raw, Opponents):
        return raw
    if not isinstance(raw, str):
        raise ValueError("the text of an agent, such as the `signature` of a policy")
    return parse_opponents(raw)


def judges(raw: object) -> Judges:
    """Return the judges of a run."""
    return raw if isinstance(raw, Judges) else parse_judges(text(raw))


def written(value: Any) -> Any:
    """Return the value of a setting as in files: a text, a number or a Boolean.

    Examples
    --------
    >>> written((64, 32)), written(parse_opponents("random@0.5>minimax")), written(0.5)
    ('64,32', 'random@0.5>minimax', 0.5)
    """
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return getattr(value, "spec", getattr(value, "text", value))
