"""Agents that a stranger may name: of the package itself, without files, and of a bounded cost."""

from collections.abc import Mapping

from ttt_fast.agents.agent import Agent
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.composites import BEST_RESPONSE, MAX_DEPTH, MIX, best_response_parts, mixture_parts
from ttt_fast.agents.registry import agent_of
from ttt_fast.core.errors import AgentError
from ttt_fast.core.foreign import refuse_foreign
from ttt_fast.core.specs import is_enclosed, near_names, suggestion
from ttt_fast.games.registry import Game

MAX_LENGTH = 300
"""Characters of the longest agent string."""
MOST = {"sims": 1_000_000, "ms": 4_000, "nodes": 1_000_000_000, "depth": 42, "memory": 256, "tt": 64}
"""The largest value of the options that cost time (simulations, milliseconds, nodes, plies) or memory (megabytes)."""
_FILE = "FILE"  # how an option says that it takes the path of one


def check_limited(spec: str, game: Game, most: Mapping[str, float] = MOST, place: str = "a request") -> None:
    """Raise an error unless a string names an agent of the package that reads no file and keeps to limits.

    The string itself is read, and nothing else: not even whether a file of such a name exists.

    Parameters
    ----------
    spec
        The agent string, as `parse_agent` takes it.
    game
        The game that it plays.
    most
        For names of options the largest value.
    place
        Where the string is from, for messages.

    Raises
    ------
    ForeignNameError
        If it names code of others.
    AgentError
        If it names no agent, a file, an unknown option or a value above its limit.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> check_limited("mix:1/2*minimax+1/2*(best-response:random)", parse_game("tic-tac-toe"))
    >>> check_limited("mcts:leaf=/secret.npz", parse_game("connect4"))
    Traceback (most recent call last):
    ttt_fast.core.errors.AgentError: expected no file in a request, got leaf= '/secret.npz'
    """
    if len(spec) > MAX_LENGTH:
        raise AgentError(f"expected an agent of at most {MAX_LENGTH} characters in {place}, got {len(spec)}")
    refuse_foreign(spec, place)
    _check(spec.strip(), game, most, place, 0)


def _check(spec: str, game: Game, most: Mapping[str, float], place: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise AgentError(f"expected at most {MAX_DEPTH} agents inside each other, got more")
    name, colon, rest = spec.partition(":")
    if is_enclosed(spec):
        inner = [spec[1:-1].strip()]
    elif name == BEST_RESPONSE and colon:
        inner = [best_response_parts(spec, rest)[0]]
    elif name == MIX and colon:
        inner = [agent for _, agent in mixture_parts(spec, rest)]
    elif name in AGENTS:
        _check_options(*agent_of(spec, game), most, place)
        return
    else:
        known = [one for one, agent in AGENTS.items() if agent.fits(game)]
        near = suggestion(near_names(name, known), len(known))
        hint = f"; {near}" if near.endswith("?") else ""
        raise AgentError(f"expected the name of an agent in {place}, and no file, got {spec!r}{hint}")
    for one in inner:
        _check(one, game, most, place, depth + 1)


def _check_options(agent: Agent, values: Mapping[str, object], most: Mapping[str, float], place: str) -> None:
    for key, option in agent.options.items():
        value, words = values.get(key), option.values.split("|")
        if _FILE in words and value not in (None, option.default, *words):
            raise AgentError(f"expected no file in {place}, got {key}= {value!r}")
        if key in most and isinstance(value, int | float) and value > most[key]:
            raise AgentError(f"expected {key}= at most {most[key]:,} in {place}, got {value!r}")
