"""The data of the page (a game's table, its exact values, and the agents), packed as text for a browser."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import (
    AgentError,
    Game,
    Policy,
    StateTable,
    Status,
    TableSizeError,
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
        text for each state, `lines`, the cells of the winning line by state, `moves`, a name for each action, and
        `agents`, as returned by `packed_agent`.

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
    table, fixed = _table_of_page(game, agents[0], fixed_seat)
    solution, rules = solution_of(table), Rule.states(table)
    representatives = symmetry_of(table).representative if table.fixed is None else np.arange(table.num_states)
    return {
        "game": table.game.spec,
        "shape": board_shape(table.game),
        "boards": [table.board(state) for state in range(table.num_states)],
        "lines": _lines(table),
        "moves": [table.game.format_moves([action]) for action in range(table.num_actions)],
        "counts": packed(np.diff(table.edge_start), "<u1"),
        "actions": packed(table.edge_action, "<u1"),
        "children": packed(table.edge_child, "<u2"),
        "status": packed(table.status, "<u1"),
        "player": packed(table.player, "<u1"),
        "ply": packed(table.ply, "<u1"),
        "value": packed(solution.value, "<i1"),
        "distance": packed(solution.distance, "<u1"),
        "representative": packed(representatives, "<u2"),
        "rules": None if rules is None else packed(rules, "<i1"),
        "rule_names": [] if rules is None else [rule.text for rule in Rule],
        "agents": [packed_agent(spec, table, name, fixed) for spec, name in labels(agents)],
    }


def _table_of_page(game: str, agent: str, fixed_seat: int | None) -> tuple[StateTable, Policy | None]:
    """Return the table of a game, or of the states against the agent of a fixed seat, with the agent's policy."""
    try:
        if fixed_seat is None:
            return table_of(game, MAX_PAGE_STATES), None
        induced = induced_table(agent, fixed_seat, game, max_positions=MAX_PAGE_STATES)
        if induced.table.num_states > MAX_PAGE_STATES:
            raise TableSizeError(f"expected at most {MAX_PAGE_STATES:,} states, got {induced.table.num_states:,}")
        return induced.table, induced.policy
    except TableSizeError as error:
        raise TableSizeError(f"{error}; try ttt-fast play --browser --game {quote(game)}") from None


def _lines(table: StateTable) -> dict[int, list[int]]:
    """Return the cells of the lines that ended games, by state."""
    found = {}
    for state in np.flatnonzero((table.status == Status.X_WINS) | (table.status == Status.O_WINS)).tolist():
        board = table.game.board(table.state(state))
        found[state] = sorted(map(board.number_of, board.line))
    return found


def board_shape(game: Game) -> dict[str, Any]:
    """Return the shape of a game's drawings: `kind`, and `rows` and `columns` of boards with cells.

    The kind is `cells` if an action is a cell, `columns` if it is a column, `boards` if it is a cell of one of nine
    boards, numbered board by board, and otherwise `text`.

    Examples
    --------
    >>> from ttt_fast import parse_game
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


def usual_agents(game: Game) -> list[str]:
    """Return the agents of a page if none are named.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> usual_agents(parse_game("tic-tac-toe"))
    ['minimax', 'heuribot', 'default', 'random']
    """
    known = [row["agent"] for row in list_agents(game)]
    return [name for name in ("minimax", "heuribot", "default", "random") if name in known]
