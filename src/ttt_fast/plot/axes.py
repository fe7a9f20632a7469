"""Axes: the range of the values, round values for marks, and their text."""

from collections.abc import Sequence
from math import ceil, floor, log10

LARGEST = 1e150
"""Largest value shown, and the inverse of the smallest on a logarithmic axis: sums of larger values overflow."""
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_MARGIN = 0.05  # share of the span left free above and below
_FEWEST_LOG_MARKS = 3


def padded_domain(values: Sequence[float], *, log: bool = False, above: float = _MARGIN) -> tuple[float, float]:
    """Return the ends of an axis for these values, with a margin; a low end near zero becomes zero.

    Parameters
    ----------
    values
        Finite numbers, at least one; positive ones if `log`.
    log
        Whether the axis is logarithmic.
    above
        Free part above the values, as a share of their span.

    Examples
    --------
    >>> padded_domain([0.2, 1.0])
    (0.0, 1.04)
    >>> padded_domain([3.0, 3.0])
    (2.85, 3.15)
    """
    low, high = min(values), max(values)
    if log:
        low, high = log10(low), log10(high)
        span = high - low or 10 * _MARGIN
        return float(10 ** (low - _MARGIN * span)), float(10 ** (high + above * span))
    room = (high - low) * _MARGIN or abs(high) * _MARGIN or 1.0
    starts_at_zero = low >= 0 and low - 0.35 * (high - low) <= 0
    return 0.0 if starts_at_zero and high > low else low - room, high + room * above / _MARGIN


def position_domain(values: Sequence[float], *, log: bool = False) -> tuple[float, float]:
    """Return the ends of an axis of positions: the range of the values, extended to zero if it begins near zero.

    Examples
    --------
    >>> position_domain([100, 100_000]), position_domain([100, 100_000], log=True), position_domain([7])
    ((0.0, 100000.0), (100.0, 100000.0), (6.0, 8.0))
    """
    low, high = float(min(values)), float(max(values))
    if low == high:
        return (low / 2, high * 2) if log else (low - max(1.0, abs(low) / 8), high + max(1.0, abs(low) / 8))
    return 0.0 if not log and 0 < low <= _MARGIN * high else low, high


def linear_ticks(low: float, high: float, count: int) -> list[float]:
    """Return about `count` round values in an interval: multiples of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> linear_ticks(0.0, 1.04, 5)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    if span < 1 / LARGEST:
        return [low]
    raw = span / max(count, 1)
    unit = 10.0 ** floor(log10(raw))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= raw * 0.8)
    places = max(0, 1 - floor(log10(step)))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(k * step, places) + 0.0 for k in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int = 9) -> list[float]:
    """Return round values on a logarithmic axis: powers of ten, thinned or with 2 and 5 times them.

    Examples
    --------
    >>> log_ticks(90, 1e6)
    [100.0, 1000.0, 10000.0, 100000.0, 1000000.0]
    >>> log_ticks(1, 60)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    """
    edge = 1e-9
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)

    def inside(value: float) -> bool:
        return low * (1 - edge) <= value <= high * (1 + edge)

    tens = [float(f"1e{k}") for k in powers if inside(float(f"1e{k}"))]
    if len(tens) < _FEWEST_LOG_MARKS:
        fine = [float(f"{m}e{k}") for k in powers for m in (1, 2, 5) if inside(float(f"{m}e{k}"))]
        return fine if len(fine) >= _FEWEST_LOG_MARKS else linear_ticks(low, high, 5)
    return tens[:: ceil(len(tens) / most)]


def tick_text(value: float) -> str:
    """Return the text of a mark on an axis.

    Examples
    --------
    >>> [tick_text(value) for value in (0.0, 0.25, 500, 20_000, 1e8, 1e-5)]
    ['0', '0.25', '500', '20k', '100M', '1e-5']
    """
    if value == 0:
        return "0"
    for limit, prefix in _PREFIXES:
        if abs(value) >= limit * (10 if prefix == "k" else 1):
            return f"{value / limit:.6g}{prefix}"
    return f"{value:.6g}".replace("e-0", "e-")
