"""What decides the games of agents beyond their texts: rules, and the policies, functions and files behind names."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.registry import files_read
from ttt_fast.agents.spec import PYTHON, AgentSpec
from ttt_fast.core.cache import file_stamp
from ttt_fast.core.errors import FileFormatError
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
    found, files = {game.spec: rules} if rules else {}, {*paths}
    for agent in agents:
        files.update(files_read(agent))
        for node in () if only_files else agent.nodes():
            text = node.text
            if isinstance(node.value, Policy):
                found[text] = policy_sha256(node.value)
            elif node.value is not None:
                found[text] = source_sha256(node.value)
            elif node.origin == "external":
                found[text] = source_sha256(load_object(f"{PYTHON}:{node.argument}"), text)
            elif node.name in AGENTS and not (own := AGENTS[node.name]).is_built_in:
                found[text] = source_sha256((own.policy, own.player, own.fill))
    stamps = {path: file_stamp(path) for path in sorted(filter(None, files))}
    return found | {path: _file_sha256(path, stamp) for path, stamp in stamps.items() if stamp}


def policy_sha256(policy: Policy) -> str:
    """Return the hash of the probabilities of a policy."""
    return hashlib.sha256(policy.edge_probabilities.data).hexdigest()


def stamps_of(agent: AgentSpec) -> tuple[tuple[int, ...], ...]:
    """Return the stamps of the files that an agent reads, a part of the key of whatever is made from its text."""
    return tuple(map(file_stamp, files_read(agent)))


@lru_cache(maxsize=64)
def _file_sha256(path: str, stamp: tuple[int, ...]) -> str:
    try:
        with open(path, "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileFormatError(f"cannot read {path!r}: {str(error.strerror).lower()}") from error
