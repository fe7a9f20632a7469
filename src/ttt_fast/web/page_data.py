"""The data of the page (a game's table, its exact values, and the agents), packed as text for a browser."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import (
    AgentError,
    Game,
    Policy,
    StateTable,
    TableSizeError,
    UsageError,
    as_player,
    as_policy,
    induced_table,
    list_agents,
    parse_agent,
    solution_of,
    symmetry_of,
    table_of,
)
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.policies.heuribot import Rule

MAX_PAGE_STATES = 10_000
"""Maximum number of states of a game in a page; the indices fit 16 bits."""
FULL_CHANCE = 65_535
"""The 16-bit number of a probability of 1 in the page."""
_RULES = {
    "columns": ("column_game", "solver, learned, proven, random"),
    "boards": ("ultimate_game", "learned, random"),
}
"""By the kind of its board: the JavaScript module of a game without a table, and the agents that play in its page."""
_LARGEST_VALUE, _NO_VALUE = 32_767, -32_768


def page_data(game: str, agents: Sequence[str], fixed_seat: int | None = None) -> dict[str, Any]:
    """Return the content of the page of a game, ready to be written as JSON.

    Parameters
    ----------
    game
        A game with a table of at most 10,000 states.
    agents
        Agent strings, without duplicates.
    fixed_seat
        The seat of the first agent, 1 (X) or 2 (O), if the page holds only the states that can arise against
        this agent.  Values are then those against it.

    Returns
    -------
    dict[str, Any]
        Arrays over the S states and E edges of the table, as base64 of little-endian numbers: `counts` (S,) uint8,
        `actions` (E,) uint8, `children` (E,) uint16, `status`, `player`, `ply` (S,) uint8, `value` (S,) int8,
        `distance` (S,) uint8, `representative` (S,) uint16, `rules` (S,) int8 or None.  Further keys are `boards`, a
        text for each state, `moves`, a name for each action, and `agents`, as returned by `packed_agent`.

    Raises
    ------
    TableSizeError
        If the game has no table, or a larger one.
    AgentError
        If an agent is named twice, or does not exist in this game.

    Examples
    --------
    >>> data = page_data("tic-tac-toe", ["random"])
    >>> data["boards"][1], data["shape"], data["rule_names"][2], len(data["counts"])
    ('X........', {'kind': 'cells', 'rows': 3, 'columns': 3}, 'fork', 7304)
    """
    twice = next((name for place, name in enumerate(agents) if name in agents[:place]), None)
    if twice is not None or not agents:
        raise AgentError(f"expected one or more agents, each once, got {twice or ''!r}")
    induced = None if fixed_seat is None else induced_table(agents[0], fixed_seat, game, max_positions=MAX_PAGE_STATES)
    table = table_of(game, MAX_PAGE_STATES) if induced is None else _of_page_size(induced.table)
    fixed = None if induced is None else induced.policy
    solution, rules = solution_of(table), Rule.states(table)
    return {
        "game": table.game.spec,
        "shape": board_shape(table.game),
        "boards": [table.board(state) for state in range(table.num_states)],
        "moves": [table.game.format_moves([action]) for action in range(table.num_actions)],
        "counts": packed(np.diff(table.edge_start), "<u1"),
        "actions": packed(table.edge_action, "<u1"),
        "children": packed(table.edge_child, "<u2"),
        "status": packed(table.status, "<u1"),
        "player": packed(table.player, "<u1"),
        "ply": packed(table.ply, "<u1"),
        "value": packed(solution.value, "<i1"),
        "distance": packed(solution.distance, "<u1"),
        "representative": packed(_representatives(table), "<u2"),
        "rules": None if rules is None else packed(rules.rules, "<i1"),
        "rule_names": [] if rules is None else list(rules.names),
        "agents": [packed_agent(spec, table, name, fixed) for spec, name in labels(agents)],
    }


def _of_page_size(table: StateTable) -> StateTable:
    """Return a table, or raise TableSizeError if it has too many states for a page."""
    if table.num_states > MAX_PAGE_STATES:
        raise TableSizeError(f"expected at most {MAX_PAGE_STATES:,} states for a page, got {table.num_states:,}")
    return table


def _representatives(table: StateTable) -> NDArray[np.int32]:
    """Return the first state of each state's symmetry class, (S,) int32; the state itself in an induced table."""
    return symmetry_of(table).representative if table.fixed is None else np.arange(table.num_states, dtype=np.int32)


def board_shape(game: Game) -> dict[str, Any]:
    """Return the shape of a game's drawings: `kind`, and `rows` and `columns` of boards with cells.

    The kind is `cells` if an action is a cell, `columns` if it is a column, `boards` if it is a cell of one of nine
    boards, numbered board by board, and otherwise `text`.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> board_shape(parse_game("connect4"))
    {'kind': 'columns', 'rows': 6, 'columns': 7}
    """
    board = game.board(game.initial_state)
    return {"kind": board.kind, "rows": len(board.rows), "columns": len(board.rows[0]) if board.rows else 0}


def packed(array: NDArray[Any], kind: str) -> str:
    """Return the numbers of an array as base64, in a type that can represent all of them.

    Examples
    --------
    >>> packed(np.array([1, 256]), "<u2")
    'AQAAAQ=='
    """
    narrow = np.asarray(array).astype(kind)
    if not np.array_equal(narrow, array):
        raise ValueError(f"expected numbers that fit {kind}, got {array.min()} to {array.max()}")
    return b64encode(narrow.tobytes()).decode("ascii")


def labels(agents: Sequence[str]) -> list[tuple[str, str]]:
    """Return agent strings with their display names: a file is named without its folder if this is unambiguous.

    Examples
    --------
    >>> labels(["random", "runs/a.npz", "runs/b.npz", "old/b.npz"])
    [('random', 'random'), ('runs/a.npz', 'a.npz'), ('runs/b.npz', 'runs/b.npz'), ('old/b.npz', 'old/b.npz')]
    """
    short = [Path(spec).name if parse_agent(spec).origin == "file" else spec for spec in agents]
    return [(spec, name if short.count(name) == 1 else spec) for spec, name in zip(agents, short, strict=True)]


def packed_agent(agent: str, table: StateTable, name: str, fixed: Policy | None = None) -> dict[str, Any]:
    """Return an agent's analysis of a table for the page, with its display name.

    The table may be induced by the agent of a fixed seat, whose policy is `fixed`.

    Returns
    -------
    dict[str, Any]
        `name`; `chances`, (E,) uint16 probabilities, 65,535 for 1, and at least 1 for any positive one; `values`, (E,)
        int16 in units of `unit`, -32,768 for a missing value, or None; `held`, (S,) uint8, or None for all states.

    Examples
    --------
    >>> agent = packed_agent("random", table_of("tic-tac-toe"), "random")
    >>> agent["name"], agent["values"], agent["held"]
    ('random', None, None)
    """
    known = agent if fixed is None else fixed if agent == fixed.name else as_policy(agent, table)
    view = AgentAnalysis(as_player(known, table.game)).over(table)
    chances = np.rint(view.probabilities * FULL_CHANCE)
    chances[(view.probabilities > 0) & (chances == 0)] = 1
    is_known = np.isfinite(view.values)
    unit = float(np.abs(view.values[is_known]).max(initial=0.0)) / _LARGEST_VALUE or 1.0
    values = np.where(is_known, np.rint(np.where(is_known, view.values, 0.0) / unit), _NO_VALUE)
    knows_all = bool(view.held[table.decision_mask].all())
    return {
        "name": name,
        "chances": packed(chances, "<u2"),
        "values": packed(values, "<i2") if is_known.any() else None,
        "unit": unit,
        "held": None if knows_all else packed(view.held, "<u1"),
    }


def needs_weights(game: Game) -> bool:
    """Return whether a game is too large for the page of its table, and there is a page of its rules."""
    if board_shape(game)["kind"] not in _RULES:
        return False
    try:
        table_of(game, MAX_PAGE_STATES)
    except TableSizeError:
        return True
    return False


def usual_agents(game: Game) -> list[str]:
    """Return the agents of a page if none are named.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> usual_agents(parse_game("tic-tac-toe")), usual_agents(parse_game("ultimate"))
    (['minimax', 'heuribot', 'default', 'random'], ['learned', 'random'])
    """
    if needs_weights(game):
        return _RULES[board_shape(game)["kind"]][1].split(", ")
    known = [row["agent"] for row in list_agents(game)]
    return [name for name in ("minimax", "heuribot", "default", "random") if name in known]


def rules_page_data(game: Game, agents: Sequence[str]) -> dict[str, Any]:
    """Return the content of the page of a game without a table, ready to be written as JSON.

    Parameters
    ----------
    game
        Connect 4 or Ultimate.
    agents
        Agent strings.

    Returns
    -------
    dict[str, Any]
        `module`, the JavaScript module of the rules, and what it reads.  `engine` has the openings and the evaluation
        of 7x6, from which the page finds exact values; on other boards it is None.

    Raises
    ------
    AgentError
        If an agent is named twice, plays another board, or does not play in a page.
    """
    if not agents or len(set(agents)) < len(agents):
        raise AgentError(f"expected one or more agents, each once, got {', '.join(agents)!r}")
    shape, state = board_shape(game), game.initial_state
    described = [_weights(spec, game) for spec in agents]
    engine = None
    if shape["kind"] == "boards":
        _weights("learned", game)  # the page has the rules of the games with this evaluation
    if shape["kind"] == "columns":
        try:
            parts = {**_weights("solver", game), **_weights("learned", game)}
            engine = {name: parts[name] for name in ("openings", "evaluation")}
        except (AgentError, UsageError):  # a board without openings or without an evaluation
            engine = None
        described = [{key: one[key] for key in one if key not in ("openings", "evaluation")} for one in described]
    return {
        "game": game.spec,
        "module": _RULES[shape["kind"]][0],
        "shape": shape,
        "length": int(getattr(state, "length", 0)),
        "tie": int(getattr(state, "tie", 0)),
        "moves": [game.format_moves([action]) for action in range(game.num_actions)],
        "agents": described,
        "engine": engine,
    }


def _weights(spec: str, game: Game) -> dict[str, Any]:
    """Return the content from which a page plays as an agent, or raise AgentError if it does not."""
    content = getattr(as_player(spec, game), "weights_as_json", None)
    if content is None:
        known = _RULES[board_shape(game)["kind"]][1]
        raise AgentError(f"expected agents that play in a page of {game.spec} ({known}), got {spec!r}")
    found: dict[str, Any] = content()
    return found
