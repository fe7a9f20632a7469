"""The opponents of a run: those that its configuration names, parsed or handed over, and nobody else."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.registry import make_player, parse_agent
from ttt_fast.core.errors import AgentError, UsageError
from ttt_fast.core.foreign import names_foreign
from ttt_fast.core.specs import parse_options
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.games.results import Seat
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import DQN, SELF_PLAY, is_signature, parse_stages
from ttt_fast.learn.worlds import DEFAULT, NOBODY, RANDOM, WALKED, RulesWorld
from ttt_fast.policies.given import policy_of
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import table_hint, table_of


def opponents_of(config: TrainingConfig, known: Mapping[str, Policy] | None = None) -> list[Policy]:
    """Return the policies of the stages of a configuration; none in self-play, or without a table of states.

    Parameters
    ----------
    config
        The configuration.
    known
        Policies by signature, of those that were made in Python.

    Raises
    ------
    AgentError
        If an opponent is no agent string, or a policy made in Python.
    """
    opponents: list[Policy] = []
    for _, agent in config.stages() if config.has_table else []:
        if known is not None and agent in known:
            opponents.append(known[agent])
            continue
        if is_signature(agent):
            hint = " (--opponent as it was given before)" if names_foreign(agent) else ""
            wanted = f"the policy {agent!r}, which was made in Python, to be given to train{hint}"
            raise AgentError(f"expected {wanted}, got its name alone")
        opponents.append(parse_agent(agent, config.game))
    return facing(config, opponents)


def facing(config: TrainingConfig, policies: list[Policy]) -> list[Policy]:
    """Return policies that play against the seats that learn; one that has learned none of its seat is a warning."""
    for policy in policies:
        for seat in config.seats:
            policy.for_seat(Seat(seat).other)
    return policies


def with_signatures(opponent: str, game: str) -> tuple[str, dict[str, Policy]]:
    """Return an opponent, or the stages of a curriculum, in which signatures stand for agents of others.

    A configuration is kept in files, whose words run no code; so it names the policies of such agents, as those that
    were made in Python.

    Parameters
    ----------
    opponent
        The opponent of a configuration.
    game
        The game, with a table.

    Returns
    -------
    str
        The opponent, as a configuration takes it.
    dict
        The policies of the agents of others, by signature.

    Examples
    --------
    >>> with_signatures("random@0.5>minimax", "tic-tac-toe")
    ('random@0.5>minimax', {})
    """
    if opponent == SELF_PLAY or not names_foreign(opponent):
        return opponent, {}
    policies, stages = {}, []
    for until, agent in parse_stages(opponent):
        if names_foreign(agent) and not is_signature(agent):
            policy = parse_agent(agent, game)
            agent = policy.signature
            policies[agent] = policy
        stages.append((until, agent))
    last = stages.pop()[1]
    return "".join(f"{agent}@{until!r}>" for until, agent in stages) + last, policies


def check_strings(config: TrainingConfig) -> None:
    """Raise AgentError unless each opponent of a configuration is an agent string or a policy's signature."""
    agents = [agent for _, agent in config.stages()]
    if not config.has_table:
        rules_worlds(config.played, agents, any_player=config.algorithm == DQN)
    for agent in agents if config.has_table else []:
        if not is_signature(agent):
            _check_string(agent, config.game)


@lru_cache(maxsize=256)
def _check_string(agent: str, game: str) -> None:
    """Parse an agent string, once: a sweep starts many runs against each opponent."""
    parse_agent(agent, game)


def checked_opponents(config: TrainingConfig, given: object) -> list[Policy]:
    """Return policies that were handed over, one for each stage, if they are those that a configuration names.

    Raises
    ------
    UsageError
        If their number, a name, or what a policy does is not what the configuration says.
    """
    many: Any = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    policies = [policy_of(one, config.game) for one in many]
    stages = config.stages() if config.has_table else []
    if len(policies) != len(stages):
        raise UsageError(
            f"expected {len(stages)} opponents for the configuration's {config.opponent!r}, got {len(policies)}"
        )
    for (_, agent), policy in zip(stages, policies, strict=True):
        name = policy.signature if is_signature(agent) else policy.name
        if policy.table is not table_of(config.game):
            raise UsageError(f"expected an opponent of {config.game}, got {name!r} of {policy.table.game.spec}")
        if name != agent:
            raise UsageError(f"expected the opponent {agent!r} of the configuration, got {name!r}")
        if name == policy.name and not _is_its_name(policy, agent):
            raise UsageError(f"expected the opponent {agent!r} of the configuration, got another policy of this name")
    return facing(config, policies)


@lru_cache(maxsize=32)
def _is_its_name(policy: Policy, agent: str) -> bool:
    """Return whether a policy does what an agent string says, once for each: a sweep hands them over to many runs."""
    return np.array_equal(policy.edge_probabilities, parse_agent(agent, policy.table.game).edge_probabilities)


def check_unchanged(kept: str, opponents: Sequence[Policy], run: str = "the run") -> str:
    """Return the hash of opponents; raise UsageError unless it is the one that a run has kept, if it has one."""
    found = opponents_sha256(opponents)
    if kept and kept != found:
        names = " and ".join(repr(opponent.name) for opponent in opponents)
        raise UsageError(f"expected the opponents that {run} was begun with, but {names} has changed")
    return found


def opponents_sha256(opponents: Sequence[Policy]) -> str:
    """Return the hash of what the opponents of all stages do."""
    digest = hashlib.sha256()
    for policy in opponents:
        digest.update(policy.edge_probabilities.tobytes())
    return digest.hexdigest()


def rules_worlds(game: Game, opponents: Sequence[str], any_player: bool = False) -> list[RulesWorld]:
    """Return the world of each opponent; a single one, in which nobody answers, in self-play.

    Parameters
    ----------
    game, opponents
        The game, and agent strings.
    any_player
        Whether opponents may be players that no kernel can play, WALKED.

    Raises
    ------
    AgentError
        If an opponent is none that a kernel can play without a table, or no player.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> [world.opponent for world in rules_worlds(parse_game("connect4"), ["random", "default"])]
    [1, 2]
    """
    actions, plies = game.num_actions, int(api.max_plies(game.initial_state))
    codes = [_code_of(spec, game, any_player) for spec in opponents] or [NOBODY]
    return [RulesWorld(actions, plies, game.initial_state, code, np.zeros(actions, np.uint8)) for code in codes]


def _code_of(spec: str, game: Game, any_player: bool) -> int:
    """Return the code of an opponent."""
    name, colon, rest = spec.strip().partition(":")
    if name in ("random", "default"):
        options = parse_options(spec, rest if colon else None, AGENTS[name].options, AgentError)
        if options == ({"frozen": None} if name == "random" else {"skill": 1}):
            return RANDOM if name == "random" else DEFAULT
    if any_player:
        make_player(spec, game)  # raises AgentError
        return WALKED
    raise AgentError(
        f"expected self, random or default as the opponent on {game.spec}, got {spec!r}: without a table of states"
        f" the learner's kernel plays no other{table_hint(game)}"
    )
