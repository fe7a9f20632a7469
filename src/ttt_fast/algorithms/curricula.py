"""The opponents of a run (one agent, self-play, or a curriculum of agents), and its judges."""

from dataclasses import dataclass, field
from math import isfinite

from ttt_fast.agents.spec import AgentSpec, parse_agent
from ttt_fast.core.errors import UsageError
from ttt_fast.core.specs import split_outside_parentheses

SELF_PLAY = "self"
"""The opponent in self-play, where both seats learn."""


@dataclass(frozen=True)
class Opponents:
    """The opponents of a run.

    Attributes
    ----------
    text
        Their spelling.
    stages
        For each stage the fraction of the run at which it ends, and its agent; empty in self-play.
    """

    text: str = field(compare=False)
    stages: tuple[tuple[float, AgentSpec], ...]

    @property
    def agents(self) -> list[AgentSpec]:
        """The agents of the stages."""
        return [agent for _, agent in self.stages]


@dataclass(frozen=True)
class Judges:
    """The agents against which the greedy policy is measured during a run, without repetitions, and their spelling."""

    text: str = field(compare=False)
    specs: tuple[AgentSpec, ...]


def parse_judges(text: str) -> Judges:
    """Return the judges in a list.

    Examples
    --------
    >>> [spec.text for spec in parse_judges("random, default:skill=1, random").specs]
    ['random', 'default:skill=1']
    """
    return Judges(text, tuple(dict.fromkeys(parse_agent(one) for one in AgentSpec.split(text) if one)))


def parse_opponents(text: str) -> Opponents:
    """Return the opponents that a text spells; stage k of n ends at k/n if it has no fraction.

    Raises
    ------
    UsageError
        If a part is not an agent (the subclass AgentError), or the fractions do not increase up to 1.

    Examples
    --------
    >>> [(until, agent.text) for until, agent in parse_opponents("random@0.25>minimax").stages]
    [(0.25, 'random'), (1.0, 'minimax')]
    """
    if text == SELF_PLAY:
        return Opponents(text, ())
    parts = split_outside_parentheses(text, ">")
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
    return Opponents(text, tuple(stages))


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
