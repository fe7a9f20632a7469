"""The opponents of a run: those that its configuration names, and those passed as objects.

They are converted to policies once, at the start of a run, which also stores their hash.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ttt_fast.agents.content import content_of
from ttt_fast.agents.convert import as_policy
from ttt_fast.agents.spec import parse_agent
from ttt_fast.algorithms.curricula import parse_opponents
from ttt_fast.core.errors import AgentError, UsageError
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.policies.policy import Policy
from ttt_fast.training.config import TrainingConfig


def opponents_of(config: TrainingConfig, known: Mapping[str, Policy] | None = None) -> tuple[Policy, ...]:
    """Return the policies of the stages of a configuration; empty in self-play, or without a state table.

    Parameters
    ----------
    config
        The configuration.
    known
        Policies that were made in Python, by signature.

    Raises
    ------
    AgentError
        If an opponent is not an agent string, or is a policy made in Python that is not in `known`.
    """
    opponents, known = list[Policy](), known or {}
    for agent in config.opponent.agents if config.has_table else []:
        if agent.is_signature and agent.text not in known:
            hint = " (--opponent as it was given before)" if parse_agent(agent.name).is_external else ""
            wanted = f"the policy {agent.text!r}, which was created in Python, as an argument of train{hint}"
            raise AgentError(f"expected {wanted}, got only the name")
        opponents.append(known[agent.text] if agent.text in known else as_policy(agent, config.game))
    return facing(config, opponents)


def facing(config: TrainingConfig, policies: Sequence[Policy]) -> tuple[Policy, ...]:
    """Return policies that oppose the learning seats; warn about a policy that has learned no state of its seat.

    Raises UsageError for a policy over another table.
    """
    for policy in policies:
        if policy.table is not config.table:
            wanted = f"an opponent that plays {config.game.spec}"
            raise UsageError(f"expected {wanted}, got {policy.name!r}, which plays {policy.table.game.spec}")
        for seat in config.seats:
            policy.for_seat(Seat(seat).other)
    return tuple(policies)


def with_signatures(settings: Mapping[str, Any], game: Game | str) -> tuple[dict[str, Any], dict[str, Policy]]:
    """Return settings in which signatures replace external agents and objects passed in Python.

    A configuration is stored in files, which must not run code; it therefore names the policies of such opponents.

    Parameters
    ----------
    settings
        Settings by name; the opponent may be any agent, or a curriculum of strings.
    game
        The game, with a table.

    Returns
    -------
    dict
        The settings, as a configuration accepts them.
    dict
        The policies of these opponents, by signature.

    Examples
    --------
    >>> settings, policies = with_signatures({"opponent": "random@0.5>minimax"}, "tic-tac-toe")
    >>> settings["opponent"].text, policies
    ('random@0.5>minimax', {})
    """
    if "opponent" not in settings:
        return dict(settings), {}
    opponent = settings["opponent"]
    if not isinstance(opponent, str):
        policy = as_policy(opponent, game)
        return {**settings, "opponent": policy.signature}, {policy.signature: policy}
    parsed = parse_opponents(opponent)
    policies = {agent.text: as_policy(agent, game) for agent in parsed.agents if agent.is_external}
    if not policies:
        return {**settings, "opponent": parsed}, {}
    stages = [
        (until, policies[agent.text].signature if agent.text in policies else agent.text)
        for until, agent in parsed.stages
    ]
    text = "".join(f"{agent}@{until!r}>" for until, agent in stages[:-1]) + stages[-1][1]
    return {**settings, "opponent": text}, {policy.signature: policy for policy in policies.values()}


def checked_opponents(config: TrainingConfig, given: object, own: Sequence[Policy]) -> tuple[Policy, ...]:
    """Return policies that a caller passed, one for each stage, if they match those of a configuration.

    Parameters
    ----------
    config
        The configuration.
    given
        The policy or the policies.
    own
        The policies that the configuration names, if they are known.

    Raises
    ------
    UsageError
        If their number, a name, or the content of a policy does not match the configuration.
    """
    many: Any = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    policies = [as_policy(one, config.game) for one in many]
    agents = config.opponent.agents if config.has_table else []
    if len(policies) != len(agents):
        wanted = f"{len(agents)} opponents for the configuration's {config.opponent.text!r}"
        raise UsageError(f"expected {wanted}, got {len(policies)}")
    for number, (agent, policy) in enumerate(zip(agents, policies, strict=True)):
        name = policy.signature if agent.is_signature else policy.name
        if name != agent.text:
            raise UsageError(f"expected the opponent {agent.text!r} of the configuration, got {name!r}")
        if own and not np.array_equal(policy.edge_probabilities, own[number].edge_probabilities):
            raise UsageError(
                f"expected the opponent {agent.text!r} of the configuration, got a different policy with this name"
            )
    return facing(config, policies)


def check_unchanged(kept: str, config: TrainingConfig, opponents: Sequence[Policy], run: str = "the run") -> str:
    """Return the hash of opponents and of an algorithm's source; raise UsageError if a run has stored another one."""
    found = opponents_sha256(opponents, config.record.content())
    if kept and kept != found and config.record.module:
        raise UsageError(f"expected the algorithm {config.algorithm} and the opponents with which {run} was started")
    if kept and kept != found:
        names = " and ".join(repr(opponent.name) for opponent in opponents)
        raise UsageError(f"expected the opponents with which {run} was started, but {names} has changed")
    return found


def opponents_sha256(opponents: Sequence[Policy], content: Mapping[str, str]) -> str:
    """Return the hash of the policies of all stages, and of the content of further names, if there are any."""
    digest = hashlib.sha256()
    for policy in opponents:
        digest.update(policy.edge_probabilities.tobytes())
    digest.update(json.dumps(content).encode() if content else b"")
    return digest.hexdigest()


def rivals_sha256(config: TrainingConfig, opponents: Sequence[Policy]) -> str:
    """Return a hash of what the names in a setting stand for: opponents, judges, the rules of a custom game, files."""
    judges, start = config.judges.specs, getattr(config.settings, "start_from", None)
    players = [] if config.has_table else [*config.opponent.agents, *judges]
    policies = [as_policy(spec, config.game) for spec in judges] if config.has_table else []
    content = content_of(config.game, players, [start]) | config.record.content()
    return opponents_sha256([*opponents, *policies], content)
