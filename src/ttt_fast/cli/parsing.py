"""Words of the command line as values.  Imports nothing heavy: `--help` must start fast."""

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.evaluate.sprt import Sprt

_COUNT = re.compile(r"(\d[\d_]*(?:\.\d+)?(?:e\d{1,2})?)([kmgbtp]?)", re.ASCII)
_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9, "t": 10**12, "p": 10**15}
MAX_COUNT = 10**18
MAX_SEEDS, MAX_TABLE_MB = 10**6, 2**20
"""The most runs of a setting, and MiB of a table, that are asked for."""
_LONGEST_COUNT = 40  # characters


def shorten(text: str) -> str:
    """Return a text that fits into an error message."""
    return text if len(text) <= _LONGEST_COUNT else text[:_LONGEST_COUNT] + "..."


def parse_count(text: str, what: str = "a count", minimum: int = 0, maximum: int = MAX_COUNT, most: str = "") -> int:
    """Return the whole number that 100M, 1e8 or 100_000_000 spells.

    Examples
    --------
    >>> parse_count("100M") == parse_count("1e8") == parse_count("100_000_000") == 10**8
    True
    """
    match = _COUNT.fullmatch(text.strip().lower()) if len(text) <= _LONGEST_COUNT else None
    if match is not None:
        value = Fraction(match[1].replace("_", "")) * _FACTORS[match[2]]
        if value.denominator == 1 and minimum <= value <= maximum:
            return int(value)
    upper = "1e18, for instance 100M, 1e8 or 250_000" if maximum == MAX_COUNT else most or str(maximum)
    raise UsageError(f"expected {what} from {minimum} to {upper}, got {shorten(text)!r}")


def words_of(text: str) -> list[str]:
    """Return the words between commas.

    Examples
    --------
    >>> words_of("q, dqn,")
    ['q', 'dqn']
    """
    return [word.strip() for word in text.split(",") if word.strip()]


def parse_seat(text: str) -> int:
    """Return 1 for x and 2 for o."""
    from ttt_fast.games.results import Seat

    return int(Seat.parse(text))


def parse_port(text: str) -> int:
    """Return the number of a port; 0: any free one.

    Examples
    --------
    >>> parse_port("8000")
    8000
    """
    return _parse_integer(text, "a port", 0, 65535)


def parse_threads(text: str) -> int:
    """Return the number of threads.

    Examples
    --------
    >>> parse_threads("2")
    2
    """
    return _parse_integer(text, "a number of threads", 1, 1024)


def output_file(text: str) -> Path:
    """Return the path of a file that a command is to write, or raise an error if it must not or cannot."""
    from ttt_fast.running.kept_work import check_output

    check_output(text)
    return Path(text)


def parse_seed(text: str) -> int:
    """Return the seed.

    Examples
    --------
    >>> parse_seed("7")
    7
    """
    return _parse_integer(text, "a seed", 0, 2**63 - 1)


def _parse_integer(text: str, what: str, low: int, high: int) -> int:
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_COUNT and low <= int(digits) <= high:
        return int(digits)
    raise UsageError(f"expected {what} from {low} to {high}, got {shorten(text)!r}")


def one_of(what: str, *choices: str) -> Callable[[str], str]:
    """Return what parses a word of a few.

    Examples
    --------
    >>> one_of("a method", "play", "propagate")("play")
    'play'
    """

    def parse(text: str) -> str:
        if text in choices:
            return text
        raise UsageError(f"expected {what} of {', '.join(choices[:-1])} or {choices[-1]}, got {text!r}")

    return parse


def parse_rewards(text: str) -> dict[str, float]:
    """Return the three rewards that '1,0,-1' spells.

    Examples
    --------
    >>> parse_rewards("1,0,-1")
    {'win_reward': 1.0, 'draw_reward': 0.0, 'loss_reward': -1.0}
    """
    try:
        win, draw, loss = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"expected rewards as WIN,DRAW,LOSS, for instance 1,0,-1, got {text!r}") from None
    return {"win_reward": win, "draw_reward": draw, "loss_reward": loss}


def parse_sprt(text: str) -> "Sprt":
    """Return the test that '0,50' or '0,50,0.05,0.05' (elo0, elo1, alpha, beta) spells."""
    from ttt_fast.evaluate.sprt import Sprt

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise UsageError(f"expected a test as ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, got {shorten(text)!r}")
    return Sprt(*numbers)
