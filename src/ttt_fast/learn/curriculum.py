"""Curricula: opponents that follow one another in a run, spelled `AGENT@0.3>AGENT@0.6>AGENT`."""

from functools import lru_cache
from math import isfinite

from ttt_fast.core.errors import UsageError
from ttt_fast.learn.settings import SELF_PLAY


@lru_cache(maxsize=256)
def parse_stages(text: str) -> tuple[tuple[float, str], ...]:
    """Return the opponents that a text names: (fraction of the run until which it is met, agent string).

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
