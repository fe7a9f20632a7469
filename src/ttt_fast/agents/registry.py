"""Lookup of agents by name: the agents of a game, the values and limits of their options, and lists for help."""

import os
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from ttt_fast.agents.catalogue import AGENTS, Agent
from ttt_fast.agents.spec import BEST_RESPONSE, COMPOSITES, EXTERNAL, AgentSpec, parse_agent, refuse_external
from ttt_fast.core.errors import AgentError, UsageError
from ttt_fast.core.specs import Option, option_values, probability, suggestion
from ttt_fast.games.game import Game
from ttt_fast.games.registry import GAMES, LIBRARIES, parse_game
from ttt_fast.policies.best_response import OBJECTIVES, Objective
from ttt_fast.policies.files import POLICY_SUFFIXES
from ttt_fast.tables import find_table

LEARNED_OPTIONS = {"eps": Option("0", "0..1", probability, "probability of a random legal action instead")}
"""The options of a file of learned values."""
MAX_LENGTH = 300
"""Maximum number of characters of an agent's text in a request."""
MOST = {"sims": 1_000_000, "ms": 4_000, "nodes": 1_000_000_000, "depth": 42, "memory": 256, "tt": 64}
"""Maximum values of the options that cost time (simulations, milliseconds, nodes, plies) or memory (megabytes)."""
_FILE = "FILE"  # among the values of an option that takes the path of one


def agent_of(spec: AgentSpec, game: Game) -> tuple[Agent, dict[str, Any]]:
    """Return the built-in agent that a spec names, and the values of its options as keyword arguments.

    `as`, a keyword of Python, becomes `source`.

    Raises
    ------
    AgentError
        If the agent does not exist or does not play the game, or its options are invalid.

    Examples
    --------
    >>> from ttt_fast.agents.spec import parse_agent
    >>> from ttt_fast import parse_game
    >>> agent_of(parse_agent("minimax:tie=first"), parse_game("tic-tac-toe"))[1]
    {'tie': 'first', 'prefer': 'none'}
    """
    if spec.name not in AGENTS:
        raise unknown_agent(spec, game)
    agent = AGENTS[spec.name]
    if not agent.fits(game):
        played = ", ".join(agent.games or (*GAMES, *LIBRARIES))
        raise AgentError(f"expected an agent that plays {game.spec}, got {spec.text!r}, which plays {played}")
    values = option_values(spec.text, spec.options, agent.options, AgentError)
    return agent, {"source" if key == "as" else key: value for key, value in values.items()}


def objective_of(spec: AgentSpec) -> Objective:
    """Return the objective of a `best-response`; raises AgentError if its name is unknown."""
    named = dict(spec.options).get("objective", "value")
    for objective in OBJECTIVES:
        if named == objective:
            return objective
    raise AgentError(f"expected value or wins as objective in {spec.text!r}, got {named!r}")


def epsilon_of(spec: AgentSpec) -> Fraction:
    """Return the exploration of a file of learned values, `eps=`."""
    epsilon: Fraction = option_values(spec.text, spec.options, LEARNED_OPTIONS, AgentError)["eps"]
    return epsilon


def unknown_agent(spec: AgentSpec, game: Game) -> AgentError:
    """Return the error for an agent that does not exist, with suggestions."""
    known = [one for one, agent in AGENTS.items() if agent.fits(game)] + list(COMPOSITES)
    if os.path.isdir(spec.text):
        return AgentError(f"expected an agent or a policy file, got {spec.text!r}, which is a folder")
    if spec.name in COMPOSITES:
        return AgentError(f"expected {COMPOSITES[spec.name][0]}, got {spec.text!r}")
    near = suggestion(spec.name, known)
    files = (
        ""
        if near.endswith("?")
        else f", or a policy file ({', '.join(POLICY_SUFFIXES)}; with , + or > in its name, in parentheses);"
    )
    return AgentError(f"unknown agent {spec.text!r} for {game.spec}; {near}{files} `ttt-fast agents` lists all agents")


def files_read(spec: AgentSpec) -> list[str]:
    """Return the paths of the files that an agent reads, by its text alone; the files of an external agent are unknown.

    Examples
    --------
    >>> from ttt_fast.agents.spec import parse_agent
    >>> files_read(parse_agent("mix:1/2*q.npz:eps=0.1+1/2*(mcts:leaf=net.npz)")), files_read(parse_agent("random"))
    (['q.npz', 'net.npz'], [])
    """
    found = []
    for node in spec.nodes():
        if node.origin == "file":
            found.append(node.name)
        elif node.origin == "built in" and node.name in AGENTS:
            options = AGENTS[node.name].options
            found += [
                value for key, value in node.options if value and key in options and _is_file(options[key], value)
            ]
    return found


def _is_file(option: Option, value: object) -> bool:
    """Return whether the value of an option is the path of a file."""
    words = option.values.split("|")
    return _FILE in words and value not in (None, option.default, *words)


def check_limits(spec: AgentSpec, game: Game) -> None:
    """Raise an error unless an agent of a request is built in, reads no file and respects the limits (`MOST`).

    No file is accessed, so that a request cannot find out which files exist.

    Parameters
    ----------
    spec
        The agent.
    game
        The game that it plays.

    Raises
    ------
    ExternalAgentError
        If the agent is external, or contains an external agent.
    AgentError
        If the agent is a file, does not exist, reads a file, or has an unknown option or a value above its limit.

    Examples
    --------
    >>> from ttt_fast.agents.spec import parse_agent
    >>> from ttt_fast import parse_game
    >>> check_limits(parse_agent("mix:1/2*minimax+1/2*(best-response:random)"), parse_game("tic-tac-toe"))
    >>> check_limits(parse_agent("mcts:leaf=/secret.npz"), parse_game("connect4"))
    Traceback (most recent call last):
    ttt_fast.core.errors.AgentError: expected no file in a request, got leaf='/secret.npz'
    """
    if len(spec.text) > MAX_LENGTH:
        raise AgentError(f"expected an agent of at most {MAX_LENGTH} characters in a request, got {len(spec.text)}")
    refuse_external(spec, "a request")
    for node in spec.nodes():
        if node.children:
            if node.name == BEST_RESPONSE:
                objective_of(node)
            continue
        if node.origin != "built in" or node.name not in AGENTS:
            known = [one for one, agent in AGENTS.items() if agent.fits(game)]
            near = suggestion(node.name, known)
            hint = f"; {near}" if near.endswith("?") else ""
            raise AgentError(f"expected the name of an agent, and not a file, in a request, got {node.text!r}{hint}")
        _check_options(*agent_of(node, game))


def _check_options(agent: Agent, values: Mapping[str, object]) -> None:
    for key, option in agent.options.items():
        value = values.get(key)
        if _is_file(option, value):
            raise AgentError(f"expected no file in a request, got {key}={value!r}")
        if key in MOST and isinstance(value, int | float) and value > MOST[key]:
            raise AgentError(f"expected {key} to be at most {MOST[key]:,} in a request, got {value!r}")


def _groups(game: str | None) -> Iterator[list[dict[str, str]]]:
    """Yield the rows of each agent of a game, or of all games: its own, and one for each option."""
    for is_of_study in (False, True):  # agents that reproduce a published source are the last ones
        for name, agent in AGENTS.items():
            played = agent.games or (*GAMES, *LIBRARIES)
            if bool(agent.study) == is_of_study and (game is None or not agent.games or game in played):
                options = [
                    _row(option=key, values=one.values, default=one.default, meaning=one.summary)
                    for key, one in agent.options.items()
                ]
                yield [_row(agent=name, meaning=agent.summary, games=", ".join(played), study=agent.study), *options]
        if not is_of_study:
            files = {f"FILE ({', '.join(POLICY_SUFFIXES)})": "a saved policy, or learned values"}
            for spelled, meaning in {**dict(COMPOSITES.values()), **EXTERNAL, **files}.items():
                yield [_row(agent=spelled, meaning=meaning)]


def _row(**told: str) -> dict[str, str]:
    return {**dict.fromkeys(("agent", "option", "values", "default", "meaning", "games", "study"), ""), **told}


def _group_of(name: str, groups: Iterable[list[dict[str, str]]]) -> list[dict[str, str]]:
    """Return the rows of an agent, with the details of its description."""
    by_name, bare = {rows[0]["agent"].partition(":")[0]: rows for rows in groups}, name.partition(":")[0]
    if bare not in by_name:
        raise AgentError(f"unknown agent {name!r}; {suggestion(bare, by_name)}")
    rows = by_name[bare]
    if bare in AGENTS and (details := AGENTS[bare].details) is not None:
        rows[0]["meaning"] += f": {details()}"
    return rows


def list_agents(
    game: Game | str | None = None, name: str | None = None, *, by_option: bool = False, playable: bool = False
) -> list[dict[str, str]]:
    """Return the agents that play a game as rows: `agent` (its spelling), `meaning`, `options` with their defaults.

    Parameters
    ----------
    game
        The game, or its name; None for all games.
    name
        The name of an agent: return only its rows, as for `by_option`, with its longer description.
    by_option
        Whether each option has its own row after that of its agent.  The columns are then `agent`, `option`, `values`,
        `default`, `meaning`, `games` and `study`; agents that reproduce a published source are the last ones.
    playable
        Whether to list only the built-in agents that play this exact game with their default options.  Some agents
        require a smaller board, or a table of states.

    Raises
    ------
    AgentError
        If the game has no agent of this name.

    Examples
    --------
    >>> rows = list_agents("connect4")
    >>> rows[0]["agent"], rows[0]["meaning"]
    ('random', 'draws uniformly from the legal actions')
    >>> {row["agent"] for row in rows} >= {"minimax", "mcts", "alphabeta", "learned"}
    True
    >>> "minimax" in {row["agent"] for row in list_agents("connect4", playable=True)}
    False
    >>> [row["option"] for row in list_agents(name="minimax")]
    ['', 'tie', 'prefer']
    """
    played = None if game is None else game.partition(":")[0] if isinstance(game, str) else parse_game(game).name
    groups = _groups(played)
    if name is not None:
        return _group_of(name, groups)
    if by_option:
        return [row for rows in groups for row in rows]
    listed = []
    for row, *options in groups:
        defaults = ",".join(f"{one['option']}={one['default']}" for one in options)
        listed.append({"agent": row["agent"], "meaning": row["meaning"], "options": defaults})
    if playable and game is not None:
        exactly = parse_game(game)
        return [row for row in listed if row["agent"] in AGENTS and _plays(row["agent"], exactly)]
    if isinstance(game, Game):
        return [row for row in listed if row["agent"] not in AGENTS or AGENTS[row["agent"]].fits(game)]
    return listed


def _plays(name: str, game: Game) -> bool:
    """Return whether a built-in agent without options plays a game: its board, table or file may be unsuitable."""
    try:
        agent, values = agent_of(parse_agent(name), game)
        if agent.policy is None and agent.player is not None:
            agent.player(name, game, **values)
    except UsageError:
        return False
    needs_file = any(one.values == _FILE for one in agent.options.values())
    return agent.player is not None or (find_table(game) is not None and not needs_file)
