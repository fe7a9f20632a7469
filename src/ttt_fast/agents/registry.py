"""Agent strings: `random`, `minimax:tie=first`, `mcts:sims=1000`, `best-response:random`, `mix:…`, a file.

An agent makes a policy over the table of a game, a player that thinks about a state, or both.
"""

import os
from functools import cache
from typing import Any

import numpy as np

from ttt_fast.agents.agent import Agent
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.agents.composites import (
    BEST_RESPONSE,
    COMPOSITES,
    MAX_DEPTH,
    MIX,
    best_response_parts,
    mixture_parts,
)
from ttt_fast.agents.foreign import FOREIGN, foreign_player, foreign_policy, is_known_policy
from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.core.archive import read_meta
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, TableSizeError
from ttt_fast.core.specs import (
    Option,
    is_enclosed,
    near_names,
    parse_options,
    probability,
    split_outside_parentheses as split,
    suggestion,
)
from ttt_fast.games.registry import GAMES, LIBRARIES, Game, parse_game
from ttt_fast.policies.best_response import best_response_policy
from ttt_fast.policies.files import POLICY_SUFFIXES, load_policy
from ttt_fast.policies.files.npz import POLICY_KIND, Q_TABLE_KIND
from ttt_fast.policies.mixing import mixture
from ttt_fast.policies.policy import Policy
from ttt_fast.search.player import Player
from ttt_fast.tables import find_table, table_hint, table_of
from ttt_fast.values.files import is_policy

_LEARNED_SUFFIX = ".npz"
_LEARNED_OPTIONS = {"eps": Option("0", "0..1", probability, "chance that it plays any legal action instead")}


def parse_agent(spec: str, game: Game | str = "tic-tac-toe") -> Policy:
    """Return the policy that an agent string names, over the table of a game.

    Parameters
    ----------
    spec
        `name`, `name:option=value,option=value`, `best-response:AGENT`, `mix:P*AGENT+P*AGENT`, the path of a policy
        file, or code of others, which is run: `python:MODULE:NAME`, `engine:COMMAND`.  Parentheses may enclose an agent
        inside another one.
    game
        The game, small enough for a table.

    Raises
    ------
    AgentError
        If the string names no agent of this game that makes a policy, or an option is unknown or has an impossible
        value.
    FileFormatError
        If it names a file that cannot be read.
    TableSizeError
        If the game has no table.

    Examples
    --------
    >>> parse_agent("mix:3/4*minimax:tie=first+1/4*random").probabilities[0, :2]
    array([0.77777778, 0.02777778])
    >>> parse_agent("default", "connect4:columns=4,rows=4,length=3").probabilities[0]
    array([0.25, 0.25, 0.25, 0.25])
    """
    if not isinstance(spec, str):
        raise AgentError(f"expected an agent string, got {shown(spec)}")
    return _parse(spec.strip(), parse_game(game) if isinstance(game, str) else game, 0)


def _parse(spec: str, game: Game, depth: int) -> Policy:
    if depth > MAX_DEPTH:
        raise AgentError(f"expected at most {MAX_DEPTH} agents inside each other, got more")
    if is_enclosed(spec):
        return _parse(spec[1:-1].strip(), game, depth + 1).renamed(spec)
    name, colon, rest = spec.partition(":")
    if name == BEST_RESPONSE and colon:
        inner, objective = best_response_parts(spec, rest)
        return best_response_policy(_parse(inner, game, depth + 1), objective, spec)
    if name == MIX and colon:
        return _mixture(spec, rest, game, depth)
    if name in FOREIGN and colon:
        return foreign_policy(table_of(game), spec)
    if name in AGENTS:
        agent, values = agent_of(spec, game)
        make = agent.policy or agent.fill
        if make is None:
            wanted = f"an agent with a policy over the states of {game.spec}"
            raise AgentError(f"expected {wanted}, got {spec!r}, a search, which plays in `match`")
        return make(table_of(game), spec, **values)
    if _is_file(spec):
        return load_policy(spec, table_of(game)).renamed(spec)
    raise _unknown(spec, name, game)


def _foreign(spec: str) -> str | None:
    """Return the agent of others that a string names, without parentheses around it; None if it names none."""
    spec = spec.strip()
    while is_enclosed(spec):
        spec = spec[1:-1].strip()
    name, colon, _ = spec.partition(":")
    return spec if name in FOREIGN and colon else None


def _is_file(spec: str) -> bool:
    return os.path.splitext(spec)[1].lower() in POLICY_SUFFIXES or os.path.isfile(spec)


def agent_of(spec: str, game: Game) -> tuple[Agent, dict[str, Any]]:
    """Return the agent of a name with its options, and the keyword arguments of its functions.

    `as`, a word of Python, becomes `source`.

    Raises
    ------
    AgentError
        If the agent does not play the game, or its options are wrong.

    Examples
    --------
    >>> agent_of("minimax:tie=first", parse_game("tic-tac-toe"))[1]
    {'tie': 'first', 'prefer': 'none'}
    """
    name, colon, rest = spec.partition(":")
    agent = AGENTS[name]
    if not agent.fits(game):
        played = ", ".join(agent.games or (*GAMES, *LIBRARIES))
        raise AgentError(f"expected an agent of {game.spec}, got {spec!r}, which plays {played}")
    values = parse_options(spec, rest if colon else None, agent.options, AgentError)
    return agent, {"source" if key == "as" else key: value for key, value in values.items()}


def _unknown(spec: str, name: str, game: Game) -> AgentError:
    known = [one for one, agent in AGENTS.items() if agent.fits(game)] + list(COMPOSITES)
    if os.path.isdir(spec):
        return AgentError(f"expected an agent or a policy file, got {spec!r}, a folder")
    if name in COMPOSITES:
        return AgentError(f"expected {COMPOSITES[name][0]}, got {spec!r}")
    near = suggestion(near_names(name, known), len(known))
    files = "" if near.endswith("?") else f", or a policy file ({', '.join(POLICY_SUFFIXES)});"
    return AgentError(f"unknown agent {spec!r} of {game.spec}; {near}{files} `ttt-fast agents` lists all")


def _mixture(spec: str, rest: str, game: Game, depth: int) -> Policy:
    parts = [(share, _parse(agent, game, depth + 1)) for share, agent in mixture_parts(spec, rest)]
    table, weights = parts[0][1].table, mixture(parts)
    held = np.logical_and.reduce([one.held for share, one in parts if share])
    if weights is not None:
        return Policy.from_weights(table, weights, spec, held=held)
    mixed = sum(float(share) * one.edge_probabilities for share, one in parts)
    return Policy.from_probabilities(table, mixed, spec, held=held)


def makes_policy(spec: str, game: Game) -> bool:
    """Return whether an agent string names a policy over the table of a game, and not a player that thinks.

    A string that names nothing counts as one: reading it tells what is wrong.

    Examples
    --------
    >>> game = parse_game("tic-tac-toe")
    >>> makes_policy("minimax:tie=first", game), makes_policy("mcts", game)
    (True, False)
    >>> makes_policy("random", parse_game("connect4"))  # which has no table
    False
    """
    if (named := _foreign(spec)) is not None:
        return is_known_policy(named, game)
    name = spec.strip().partition(":")[0]
    if name in AGENTS and AGENTS[name].policy is None:
        return False
    if name not in AGENTS and _learned_file(spec) is not None:
        return False
    return find_table(game) is not None


def _learned_file(spec: str) -> tuple[str, str | None] | None:
    """Return the path and the options of a file of learned values that is no policy over a table, else None."""
    path, suffix, options = spec.strip().rpartition(_LEARNED_SUFFIX)
    meta = read_meta(path + suffix) if suffix else {}
    if not suffix or meta.get("kind") == POLICY_KIND or (meta.get("kind") == Q_TABLE_KIND and is_policy(meta)):
        return None
    return path + suffix, options.removeprefix(":") or None


def make_player(spec: str, game: Game | str = "tic-tac-toe") -> Player:
    """Return a new player, for one thread.

    Parameters
    ----------
    spec
        An agent string (`parse_agent`).
    game
        The game to be played, or its name.

    Raises
    ------
    AgentError
        If the string names no agent of this game, or an option is unknown or has an impossible value.

    Examples
    --------
    >>> make_player("default:skill=0.5", "connect4").name
    'default:skill=0.5'
    """
    if not isinstance(spec, str):
        raise AgentError(f"expected an agent string, got {shown(spec)}")
    spec, game = spec.strip(), parse_game(game) if isinstance(game, str) else game
    if (named := _foreign(spec)) is not None:
        player = foreign_player(named, game)
        player.name = spec
        return player
    name = spec.partition(":")[0]
    if name in AGENTS:
        agent, values = agent_of(spec, game)
        if agent.player is not None and (agent.policy is None or find_table(game) is None):
            return agent.player(spec, game, **values)
    elif (learned := _learned_file(spec)) is not None and (find_table(game) is None or os.path.exists(learned[0])):
        from ttt_fast.agents.learned import load_player

        values = parse_options(spec, learned[1], _LEARNED_OPTIONS, AgentError)
        return load_player(spec, learned[0], game, values["eps"])
    try:
        return PolicyPlayer(parse_agent(spec, game))
    except TableSizeError:
        if name in AGENTS or name in COMPOSITES or _is_file(spec):
            wanted = f"an agent that plays {game.spec} without a table"
            raise AgentError(f"expected {wanted}, got {spec!r}{table_hint(game)}") from None
        raise


def split_agents(text: str) -> list[str]:
    """Return the agents of a comma-separated list, where a comma may also stand between options.

    A part that looks like `option=value` belongs to the agent before it, if some agent has such an option.

    Examples
    --------
    >>> split_agents("random,minimax:tie=first,prefer=fast,heuribot")
    ['random', 'minimax:tie=first,prefer=fast', 'heuribot']
    """
    agents: list[str] = []
    for part in split(text, ","):
        if agents and "=" in part and part.partition("=")[0].strip() in _option_names():
            agents[-1] += "," + part
        else:
            agents.append(part.strip())
    return agents


@cache
def _option_names() -> frozenset[str]:
    """Return the names of the options of all agents."""
    named = {key for agent in AGENTS.values() for key in agent.options}
    return frozenset(named | {"objective", *_LEARNED_OPTIONS})


def agent_rows(game: str | None = None) -> list[dict[str, str]]:
    """Return the agents and their options as rows: agent, option, values, default, meaning, games.

    Parameters
    ----------
    game
        Name of the game whose agents are listed; None for all games.

    Examples
    --------
    >>> [row["agent"] or row["option"] for row in agent_rows("connect4")][:3]
    ['random', 'frozen', 'minimax']
    """
    rows: list[tuple[str, ...]] = []
    for name, agent in AGENTS.items():
        played = agent.games or (*GAMES, *LIBRARIES)
        if game is None or not agent.games or game in played:
            rows.append((name, "", "", "", agent.summary, ", ".join(played)))
            rows += [("", key, one.values, one.default, one.summary, "") for key, one in agent.options.items()]
    others = {
        **dict(COMPOSITES.values()),
        **dict(FOREIGN.values()),
        f"FILE ({', '.join(POLICY_SUFFIXES)})": "a saved policy, or learned values",
    }
    rows += [(spelled, "", "", "", meaning, "") for spelled, meaning in others.items()]
    columns = ("agent", "option", "values", "default", "meaning", "games")
    return [dict(zip(columns, row, strict=True)) for row in rows]


def options_of(name: str, game: str | None = None) -> list[dict[str, str]]:
    """Return the rows of `agent_rows` about one agent: the agent, then each of its options.

    Raises
    ------
    AgentError
        If no agent has this name, in this game.

    Examples
    --------
    >>> [row["option"] for row in options_of("minimax")]
    ['', 'tie', 'prefer']
    """
    rows = agent_rows(game)
    heads = [index for index, row in enumerate(rows) if row["agent"]]
    names = [rows[index]["agent"].partition(":")[0] for index in heads]
    bare = name.partition(":")[0]
    if bare not in names:
        raise AgentError(f"unknown agent {name!r}; {suggestion(near_names(bare, names), len(names))}")
    place = names.index(bare)
    head, *options = rows[heads[place] : [*heads, len(rows)][place + 1]]
    if bare in AGENTS and (details := AGENTS[bare].details) is not None:
        head["meaning"] += f": {details()}"
    return [head, *options]
