"""Conversion of command-line words to values.  Imports nothing heavy: `--help` must start fast."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ttt_fast import UsageError
from ttt_fast.core.specs import parse_count

MAX_TABLE_MB = 2**20
"""Maximum size of a table in MiB."""


def words_of(text: str) -> list[str]:
    """Split a text at commas.

    Examples
    --------
    >>> words_of("q, dqn,")
    ['q', 'dqn']
    """
    return [word.strip() for word in text.split(",") if word.strip()]


def parse_seat(text: str) -> int:
    """Return 1 for x and 2 for o."""
    from ttt_fast import Seat

    return int(Seat.parse(text))


parse_labelled = partial(parse_count, what="a number of positions")
parse_threads = partial(parse_count, what="a number of threads", minimum=1, maximum=1024, digits_only=True)
parse_port = partial(parse_count, what="a port", maximum=65535, digits_only=True)
parse_seed = partial(parse_count, what="a seed", maximum=2**63 - 1, digits_only=True)


def parse_most(text: str) -> float:
    """Return a largest number of positions.

    Examples
    --------
    >>> parse_most("100M")
    100000000.0
    """
    return float(parse_count(text, "a number of positions", 1))


def output_file(text: str) -> Path:
    """Return the path of an output file; raise an error if the command must not or cannot write it."""
    from ttt_fast.files import check_output

    check_output(text)
    return Path(text)


def html_file(text: str) -> Path:
    """Return the path of a page; raise an error if it has another suffix, or cannot be written."""
    path = output_file(text)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"expected a file ending in .html or .htm, got {text!r}")
    return path


def one_of(what: str, *choices: str) -> Callable[[str], str]:
    """Return a parser that accepts only the words of `choices`.

    Examples
    --------
    >>> one_of("the method", "play", "propagate")("play")
    'play'
    """

    def parse(text: str) -> str:
        if text in choices:
            return text
        raise UsageError(f"expected {', '.join(choices[:-1])} or {choices[-1]} as {what}, got {text!r}")

    return parse


def parse_rewards(text: str) -> dict[str, float]:
    """Return the three rewards of a text such as '1,0,-1'.

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
