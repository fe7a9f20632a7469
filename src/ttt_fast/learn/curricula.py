"""The opponents of a run: one agent, self-play, or a curriculum of agents."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import isfinite

from ttt_fast.agents.spec import AgentSpec, parse_agent, refuse_external
from ttt_fast.core.errors import UsageError

SELF_PLAY = "self"
"""The opponent in self-play, where both seats learn."""


@lru_cache(maxsize=256)
def parse_stages(text: str) -> tuple[tuple[float, AgentSpec], ...]:
    """Return the stages of a curriculum: pairs of the fraction of the run at which a stage ends, and its opponent.

    Stage k of n ends at k/n if it has no fraction.

    Raises
    ------
    UsageError
        If a part is not an agent (the subclass AgentError), or the fractions do not increase up to 1.

    Examples
    --------
    >>> [(until, agent.text) for until, agent in parse_stages("random@0.25>minimax")]
    [(0.25, 'random'), (1.0, 'minimax')]
    """
    parts = text.split(">")
    stages: list[tuple[float, AgentSpec]] = []
    for number, part in enumerate(parts):
        agent, at, fraction = part.rpartition("@")
        if not at or (len(parts) == 1 and not _is_number(fraction)):  # a file may have an @ in its name
            agent, fraction = part, str((number + 1) / len(parts))
        elif len(parts) == 1 or not _is_number(fraction):
            raise UsageError(f"expected opponents as AGENT@FRACTION>AGENT, got {text!r}")
        until = float(fraction)
        if not agent.strip():
            raise UsageError(f"expected an opponent, or opponents as AGENT@FRACTION>AGENT, got {text!r}")
        if agent.strip() == SELF_PLAY:
            raise UsageError(f"expected agents other than {SELF_PLAY!r} in a curriculum, got {text!r}")
        is_last = number == len(parts) - 1
        if not (stages[-1][0] if stages else 0.0) < until <= 1.0 or (is_last and until < 1.0):
            raise UsageError(f"expected increasing fractions up to 1 in a curriculum, got {text!r}")
        stages.append((until, parse_agent(agent)))
    return tuple(stages)


def external_agents(opponent: str) -> list[AgentSpec]:
    """Return the external agents among the opponents of a run.

    Examples
    --------
    >>> [agent.text for agent in external_agents("random@0.5>python:mine:choose")]
    ['python:mine:choose']
    """
    stages = () if opponent in ("", SELF_PLAY) else parse_stages(opponent)
    return [agent for _, agent in stages if agent.is_external]


def check_agents(stages: Iterable[tuple[float, AgentSpec]], judges: Sequence[AgentSpec]) -> None:
    """Raise ExternalAgentError if the settings of a run, which may come from a file, name external agents."""
    for judge in judges:
        refuse_external(judge, "the judges of a run")
    for _, agent in stages:
        refuse_external(agent, "the settings of a run")


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
