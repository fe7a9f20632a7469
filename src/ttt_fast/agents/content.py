"""What decides the games of agents beyond their texts: rules, and the policies, functions and files behind names."""

import hashlib
import os
import sys
from collections.abc import Iterable

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.registry import files_read
from ttt_fast.agents.spec import PYTHON, AgentSpec
from ttt_fast.core.archive import read_bytes
from ttt_fast.core.cache import file_stamp
from ttt_fast.core.external import load_object, source_sha256
from ttt_fast.games.game import Game
from ttt_fast.games.registry import rules_sha256
from ttt_fast.policies.policy import Policy


def content_of(
    game: Game, agents: Iterable[AgentSpec], paths: Iterable[str | None] = (), *, only_files: bool = False
) -> dict[str, str]:
    """Return a hash of the content of each name: of a game that is not one of the package, of agents, and of files.

    The hash of a function is that of its module's file, `UNKNOWN` if there is none.

    Parameters
    ----------
    game, agents
        The game, and the agents.
    paths
        Further files.
    only_files
        Whether the functions and policies of agents are left out.

    Examples
    --------
    >>> from ttt_fast import parse_agent, parse_game
    >>> content_of(parse_game("tic-tac-toe"), [parse_agent("mix:1/2*minimax+1/2*random")])
    {}
    """
    rules = rules_sha256(game)
    found, files = {f"game {game.spec}": rules} if rules else {}, {*paths}
    for agent in agents:
        files.update(files_read(agent))
        for node in () if only_files else agent.nodes():
            if isinstance(node.value, Policy):
                found[node.text] = policy_sha256(node.value)
            elif node.value is not None:
                found[node.text] = source_sha256(node.value)
            elif node.origin == "external":
                found[node.text] = source_sha256(load_object(f"{PYTHON}:{node.argument}"), node.text)
            elif node.name in AGENTS and not (own := AGENTS[node.name]).is_built_in:
                found[node.text] = source_sha256((own.policy, own.player, own.fill))
    read = [path for path in sorted(filter(None, files)) if os.path.isfile(path)]
    return found | {path: hashlib.sha256(read_bytes(path, sys.maxsize)).hexdigest() for path in read}


def policy_sha256(policy: Policy) -> str:
    """Return the hash of the probabilities of a policy."""
    return hashlib.sha256(policy.edge_probabilities.data).hexdigest()


def stamps_of(agent: AgentSpec) -> tuple[tuple[int, ...], ...]:
    """Return the stamps of the files that an agent reads, a part of the key of whatever is made from its text."""
    return tuple(map(file_stamp, files_read(agent)))
