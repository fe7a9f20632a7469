"""Exponential, logarithm, and random numbers of the gamma distribution, from basic operations.

IEEE 754 defines addition, multiplication, division and square root to the last bit, but not the functions of a system's
mathematical library.  These functions therefore have the same bits on every system.  Exponential and logarithm use the
reductions and the polynomials of fdlibm (Sun Microsystems, 1993), with errors below one unit in the last place.
"""

import math
from typing import Final

import numpy as np

from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.rng import next_word

_LN2_HIGH: Final = 6.93147180369123816490e-01
_LN2_LOW: Final = 1.90821492927058770002e-10
_INVERSE_LN2: Final = 1.44269504088896338700
_SMALLEST, _LARGEST = -708.0, 709.0
"""Arguments of `exp` beyond which the result is 0 or infinite."""
_BIAS: Final = 1023
_11: Final = np.uint64(11)


@inlined_kernel
def exp(number: float) -> float:
    """Return the exponential of a number, 0 below -708.

    Examples
    --------
    >>> exp(0.0), abs(exp(1.0) - math.e) < 1e-15
    (1.0, True)
    """
    if number < _SMALLEST:
        return 0.0
    if number > _LARGEST:
        return math.inf
    power = math.floor(number * _INVERSE_LN2 + 0.5)
    high, low = number - power * _LN2_HIGH, power * _LN2_LOW
    rest = high - low
    square = rest * rest
    even = 4.13813679705723846039e-08
    for coefficient in (
        -1.65339022054652515390e-06,
        6.61375632143793436117e-05,
        -2.77777777770155933842e-03,
        1.66666666666666019037e-01,
    ):
        even = even * square + coefficient
    odd = rest - square * even
    found = 1.0 - ((low - (rest * odd) / (2.0 - odd)) - high)
    scale: float = np.int64((int(power) + _BIAS) << 52).view(np.float64)
    return found * scale


@inlined_kernel
def log(number: float) -> float:
    """Return the natural logarithm of a positive, normal number.

    Examples
    --------
    >>> log(1.0), abs(log(10.0) - math.log(10.0)) < 1e-15
    (0.0, True)
    """
    bits: int = np.float64(number).view(np.int64)  # type: ignore[assignment]
    power = (bits >> 52) - _BIAS
    mantissa: float = np.int64(bits - (power << 52)).view(np.float64)
    if mantissa > 1.4142135623730951:
        mantissa *= 0.5
        power += 1
    part = mantissa - 1.0
    ratio = part / (2.0 + part)
    square = ratio * ratio
    rest = 1.479819860511658591e-01
    for coefficient in (
        1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01, 2.857142874366239149e-01,
        3.999999999940941908e-01, 6.666666666666735130e-01,
    ):  # fmt: skip
        rest = rest * square + coefficient
    rest *= square
    half = 0.5 * part * part
    return power * _LN2_HIGH - ((half - (ratio * (half + rest) + power * _LN2_LOW)) - part)


@inlined_kernel
def share(word: np.uint64) -> float:
    """Return a number above 0 and below 1 for a random word: 52 bits, and a half."""
    return (float(word >> np.uint64(12)) + 0.5) * 2.0**-52


@kernel
def gamma(shape: float, stream: np.uint64) -> tuple[float, np.uint64]:
    """Return a random number of the gamma distribution with scale 1, and the stream after its draws.

    G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000), with normal numbers by the
    polar method (Marsaglia and Bray, 1964).

    Parameters
    ----------
    shape
        Shape of the distribution, above 0.
    stream
        The random stream.
    """
    factor = 1.0
    if shape < 1.0:
        stream, word = next_word(stream)
        factor = exp(log(share(word)) / shape)
        shape += 1.0
    start = shape - 1.0 / 3.0
    spread = 1.0 / math.sqrt(9.0 * start)
    while True:
        stream, word = next_word(stream)
        x = 2.0 * share(word) - 1.0
        stream, word = next_word(stream)
        y = 2.0 * share(word) - 1.0
        square = x * x + y * y
        if square >= 1.0:
            continue
        normal = x * math.sqrt(-2.0 * log(square) / square)
        cube = 1.0 + spread * normal
        if cube <= 0.0:
            continue
        cube = cube * cube * cube
        stream, word = next_word(stream)
        if log(share(word)) < 0.5 * normal * normal + start - start * cube + start * log(cube):
            return factor * start * cube, stream
