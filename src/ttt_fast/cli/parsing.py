"""Words of the command line as values.  Imports nothing heavy: `--help` must start fast."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import shorten

if TYPE_CHECKING:
    from ttt_fast.evaluate.sprt import Sprt

MAX_SEEDS, MAX_TABLE_MB = 10**6, 2**20
"""The most runs of a setting, and MiB of a table, that are asked for."""


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
    if digits.isascii() and digits.isdigit() and len(digits) <= 40 and low <= int(digits) <= high:
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
