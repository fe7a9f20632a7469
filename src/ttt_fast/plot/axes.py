"""Round values for the axes of charts that no library draws well, and their text."""

from bisect import bisect_left, bisect_right
from math import ceil, floor, log10

LARGEST = 1e150
"""Largest value shown, and the inverse of the smallest on a logarithmic axis: sums of larger values overflow."""
_PREFIXES = ((1e12, 1e12, "T"), (1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))  # from, in units of
_MARGIN = 0.05  # of an axis that shows a single value
_ROUNDING = 1e-9


def round_values(low: float, high: float, count: int, *, log: bool = False) -> list[float]:
    """Return about `count` round values from at most `low` to at least `high`, which are marks of an axis.

    The values are multiples of 1, 2 or 5 times a power of ten.  On a logarithmic axis of more than three decades they
    are powers of ten, of which too many are thinned.

    Examples
    --------
    >>> round_values(0.2, 0.97, 5), round_values(3, 3, 2)
    ([0.2, 0.4, 0.6, 0.8, 1.0], [2.8, 3.0, 3.2])
    >>> round_values(90, 1e6, 5, log=True), round_values(1, 60, 9, log=True)
    ([10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0], [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0])
    """
    if log:
        return _log_values(low, high, count)
    if high - low < max(_ROUNDING * max(abs(low), abs(high)), 1 / LARGEST):
        room = abs(high) * _MARGIN if abs(high) > 1 / LARGEST else 1.0
        low, high = low - room, high + room
    least = 0.8 * (high - low) / count
    unit = 10.0 ** floor(log10(least))
    step = next(factor * unit for factor in (1, 2, 5, 10, 20) if factor * unit >= least)
    places = max(0, 1 - floor(log10(step)))
    first, last = floor(low / step + _ROUNDING), ceil(high / step - _ROUNDING)
    return [round(number * step, places) + 0.0 for number in range(first, last + 1)]


def _log_values(low: float, high: float, count: int) -> list[float]:
    if low == high:
        low, high = low / 2, high * 2
    factors = (1, 2, 5) if high < 1000 * low else (1,)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    values = [float(f"{factor}e{power}") for power in powers for factor in factors]
    values = values[max(0, bisect_right(values, low) - 1) : bisect_left(values, high) + 1]
    return values[:: ceil(len(values) / (2 * count))]


def tick_text(value: float) -> str:
    """Return the text of a mark on an axis.

    Examples
    --------
    >>> [tick_text(value) for value in (0.0, 0.25, 500, 20_000, 1e8, 1e-5)]
    ['0', '0.25', '500', '20k', '100M', '1e-5']
    """
    for least, unit, prefix in _PREFIXES:
        if abs(value) >= least:
            return f"{value / unit:.6g}{prefix}"
    return f"{value:.6g}".replace("e-0", "e-")
