"""Schedules of step sizes and exploration: numbers that change during a run, spelled as strings."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """A family of schedules: the names of its numbers, and its values.

    Attributes
    ----------
    numbers
        Names of the numbers, in order; trailing ones may be omitted if they are in `defaults`.
    values
        Function of episode indices (E,) float64, the length of the run and the numbers; returns (E,) float64.
    defaults
        Values of the numbers that may be omitted.
    """

    numbers: tuple[str, ...]
    values: Callable[..., Floats]
    defaults: tuple[float, ...] = ()


def _power_in_python(base: float, exponents: Sequence[float], out: list[float]) -> None:
    for i, exponent in enumerate(exponents):
        try:
            out[i] = base**exponent
        except OverflowError:  # where the C library returns infinity
            out[i] = inf


@kernel(plain=_power_in_python)
def _power(base: float, exponents: Floats, out: Floats) -> None:
    """Fill `out` with base ** exponent by the C library's pow, element by element.

    The last bit of numpy's own pow depends on the vector unit of the processor, and a schedule affects the bits of a
    learned table.
    """
    for i in range(exponents.size):
        out[i] = base ** exponents[i]


def _powers(base: float, exponents: Floats) -> Floats:
    out = np.empty(exponents.size)
    _power(float(base), np.ascontiguousarray(exponents, np.float64), out)
    return out


def _constant(i: Floats, total: int, value: float) -> Floats:
    """Return the same value throughout."""
    return np.full(i.size, value)


def _geometric(i: Floats, total: int, start: float, end: float) -> Floats:
    """Return values that change by the same factor each episode, from start to end of the run."""
    return start * _powers(end / start, i / total)


def _linear(i: Floats, total: int, start: float, end: float, fraction: float) -> Floats:
    """Return values on a straight line over a fraction of the run, then constant."""
    return start + (end - start) * np.minimum(i / (fraction * total), 1.0)


def _exponential(i: Floats, total: int, start: float, factor: float, floor: float) -> Floats:
    """Return values that are multiplied by the factor each episode, not below the floor (Hensler)."""
    return np.maximum(start * _powers(factor, i), floor)


def _cumulative(i: Floats, total: int, start: float, rate: float, floor: float) -> Floats:
    """Return values that fall by rate * i before episode i, not below the floor (Sai)."""
    return np.maximum(start - rate * i * (i + 1) / 2, floor)


def _steps(i: Floats, total: int, start: float, factor: float, count: float) -> Floats:
    """Return values that are multiplied by the factor at every count-th of the run (Smirnov)."""
    return start * _powers(factor, np.floor(i * count / total))


def _stairs(i: Floats, total: int, start: float, end: float, count: float, fraction: float) -> Floats:
    """Return values in count equal steps over a fraction of the run, then constant (Smirnov)."""
    taken = np.minimum(np.floor(i * count / (fraction * total)), count)
    return start + (end - start) * taken / count


SHAPES: Mapping[str, Shape] = {
    "constant": Shape(("value",), _constant),
    "geometric": Shape(("start", "end"), _geometric),
    "linear": Shape(("start", "end", "fraction"), _linear, (1.0,)),
    "exponential": Shape(("start", "factor", "floor"), _exponential),
    "cumulative": Shape(("start", "rate", "floor"), _cumulative),
    "steps": Shape(("start", "factor", "count"), _steps),
    "stairs": Shape(("start", "end", "count", "fraction"), _stairs),
}
VISITS = "visits"
"""Step sizes only: 1 / n(s, a) ** power, by the number of updates of the action."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Schedule:
    """A parsed schedule.

    Attributes
    ----------
    text
        Its spelling.
    shape
        A name in SHAPES, or `visits`.
    numbers
        Its numbers.
    """

    text: str = field(compare=False)
    shape: str
    numbers: tuple[float, ...]

    @property
    def by_length(self) -> bool:
        """Whether the value depends on the number of episodes of the run."""
        return self.shape in ("geometric", "linear", "steps", "stairs")

    @property
    def by_visits(self) -> bool:
        """Whether the value depends on visit counts instead of the episode."""
        return self.shape == VISITS

    def values(self, first: int, count: int, total: int) -> Floats:
        """Return the values in episodes `first` to `first + count - 1` of a run of `total`, (count,) float64."""
        return self.at(np.arange(first, first + count, dtype=np.float64), total)

    def at(self, episodes: Floats, total: int) -> Floats:
        """Return the values in some episodes (E,) of a run of `total`, (E,) float64."""
        with np.errstate(over="ignore", invalid="ignore"):  # `check_range` rejects values that are not finite
            return np.ascontiguousarray(SHAPES[self.shape].values(episodes, max(total, 1), *self.numbers))

    def value(self, episode: int, total: int) -> float:
        """Return the value in one episode.

        Examples
        --------
        >>> parse_schedule("geometric:1,0.01").value(50, 100)
        0.1
        """
        return float(self.values(episode, 1, total)[0])


@lru_cache(maxsize=256)
def parse_schedule(text: str) -> Schedule:
    """Return the schedule that a string spells.

    Parameters
    ----------
    text
        A number, or `shape:number,number,...` with a shape of SHAPES, or `visits[:power]`.

    Raises
    ------
    UsageError
        If the shape is unknown, or a number is missing or invalid.

    Examples
    --------
    >>> parse_schedule("0.1").numbers, parse_schedule("linear:1,0.1").numbers
    ((0.1,), (1.0, 0.1, 1.0))
    """
    name, colon, rest = text.strip().partition(":")
    if not colon and _NUMBER.fullmatch(name):
        name, rest = "constant", name
    parts = [part.strip() for part in rest.split(",")] if rest else []
    if any(_NUMBER.fullmatch(part) is None for part in parts) or (name not in SHAPES and name != VISITS):
        raise UsageError(f"expected a schedule {schedule_usage()}, got {text!r}")
    numbers = tuple(float(part) for part in parts)
    if name == VISITS:
        power = numbers or (1.0,)
        if len(power) != 1 or not 0 < power[0] <= 1:
            raise UsageError(f"expected visits or visits:POWER with a power up to 1, got {text!r}")
        return Schedule(text, VISITS, power)
    shape = SHAPES[name]
    missing = len(shape.numbers) - len(numbers)
    if not 0 <= missing <= len(shape.defaults):
        raise UsageError(f"expected a schedule as {_usage(name)}, got {text!r}")
    if not all(isfinite(number) for number in numbers):
        raise UsageError(f"expected a schedule of finite numbers, got {text!r}")
    numbers += shape.defaults[len(shape.defaults) - missing :] if missing else ()
    named = dict(zip(shape.numbers, numbers, strict=True))
    if min(named.get("count", 1.0), named.get("fraction", 1.0)) <= 0 or named.get("factor", 0.5) < 0:
        raise UsageError(f"expected a positive count or fraction and a factor of at least 0, got {text!r}")
    if name == "geometric" and min(numbers) <= 0:
        raise UsageError(f"expected a geometric schedule between positive numbers, got {text!r}")
    return Schedule(text, name, numbers)


def schedule_usage() -> str:
    """Return the spellings of a schedule in one line."""
    shapes = (_usage(name) for name in SHAPES if name != "constant")
    return f"as a number or {', '.join(shapes)}, or (step sizes) {VISITS}[:power]"


def _usage(name: str) -> str:
    """Return the spelling of a shape; optional numbers are in brackets."""
    shape = SHAPES[name]
    needed = len(shape.numbers) - len(shape.defaults)
    return f"{name}:{','.join(shape.numbers[:needed])}{''.join(f'[,{one}]' for one in shape.numbers[needed:])}"


def check_range(name: str, schedule: Schedule, total: int, low: float, high: float) -> None:
    """Raise UsageError unless the schedule stays between `low` and `high` during a run."""
    if schedule.by_visits:
        return
    ends = [schedule.value(0, total), schedule.value(max(total - 1, 0), total)]
    if not all(isfinite(value) and low <= value <= high for value in ends):
        raise UsageError(f"expected {name} from {low:g} to {high:g}, got {schedule.text!r}")
