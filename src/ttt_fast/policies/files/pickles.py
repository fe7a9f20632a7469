"""Pickles by Hensler (Q tables of an agent) and Sai (values of afterstates), read without executing them.

Hensler: an instance of `__main__.QAgent` whose `q_table` is `{'000000000': {(row, column): value}}`; the bare
dictionary is also accepted.  Sai: `{'[1 0 0 0 2 0 0 0 0]': value}`, the value of a board for the player of the last
move.
"""

import re
import sys

import numpy as np

from ttt_fast.core.errors import FileFormatError
from ttt_fast.policies.files._pickle_reader import PickledAgent, read_pickle
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.weights import greedy_weights
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import NO_STATE, index_of_code

MAX_BYTES = 64 * 1024 * 1024

_BOARD_HENSLER = re.compile("[012]{9}")
_BOARD_SAI = re.compile(r"\[[012](?: [012]){8}\]")


def parse(content: bytes, name: str, table: StateTable) -> Policy:
    """Return the policy of a pickle by Hensler or Sai, as played by its program without exploration.

    Hensler: greedy over the actions in the row of a state, ties uniformly; without a row, any legal action.  Its domain
    is the states with a row.  Sai: the move to the afterstate of the highest value, 0 if unknown, ties to the last
    move.  Its domain is the states with a known afterstate.

    Raises
    ------
    FileFormatError
        If the file is damaged or is not such a table.  Nothing in the file is ever called or imported.
    """
    found = read_pickle(content)
    attributes = found.attributes if isinstance(found, PickledAgent) else {"q_table": found}
    rows = attributes.get("q_table") if isinstance(attributes, dict) else None
    if not isinstance(rows, dict):
        raise FileFormatError(f"expected a dictionary of boards, got {type(rows).__name__}")
    if isinstance(found, PickledAgent) or any(isinstance(row, dict) for row in rows.values()):
        return _policy_of_rows(rows, name, table)
    return _policy_of_afterstates(rows, name, table)


def recognises(content: bytes) -> bool:
    """Return whether a file begins like a pickle of protocol 2 to 5."""
    return content[:1] == b"\x80" and content[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")


def _policy_of_rows(rows: dict[object, object], name: str, table: StateTable) -> Policy:
    """Return the policy of `{board: {(row, column): value}}`."""
    q_table = np.zeros(table.child.shape)
    stored = np.zeros(table.child.shape, np.bool_)
    for board, row in rows.items():
        state = _state_of(board, _BOARD_HENSLER, table)
        if not isinstance(row, dict):
            raise FileFormatError(f"expected values by move for the board {board!r}, got {type(row).__name__}")
        for move, value in row.items():
            cell = 3 * int(move[0]) + int(move[1]) if isinstance(move, tuple) else NO_STATE
            if cell == NO_STATE or not table.legal_action_mask[state, cell]:
                raise FileFormatError(f"expected a legal move for the board {board!r}, got {_short(move)}")
            q_table[state, cell] = _number(value, board)
            stored[state, cell] = True
    held = np.asarray(stored.any(axis=1))
    choices = table.of_edges(stored) | ~held[table.edge_state]
    return Policy.from_weights(
        table, greedy_weights(table, table.of_edges(q_table), choices, "uniform"), name, held=held
    )


def _policy_of_afterstates(values: dict[object, object], name: str, table: StateTable) -> Policy:
    """Return the policy of `{board after the move: value}`."""
    if not values:
        raise FileFormatError("expected a dictionary of boards, got an empty dictionary")
    value_of_state = np.zeros(table.num_states)
    known = np.zeros(table.num_states, np.bool_)
    for board, value in values.items():
        state = _state_of(board, _BOARD_SAI, table)
        value_of_state[state] = _number(value, board)
        known[state] = True
    held = table.row_sums(known[table.edge_child]) > 0
    return Policy.from_values(table, value_of_state[table.edge_child], name, held=held, tie="last")


def _state_of(board: object, pattern: re.Pattern[str], table: StateTable) -> int:
    """Return the state of a board in the spelling of `pattern`."""
    if not isinstance(board, str) or not pattern.fullmatch(board):
        spelling = "'000000000'" if pattern is _BOARD_HENSLER else "'[0 0 0 0 0 0 0 0 0]'"
        raise FileFormatError(f"expected boards such as {spelling}, got {_short(board)}")
    code = sum(int(mark) * 3**cell for cell, mark in enumerate(re.findall("[012]", board)))
    state = int(index_of_code(table)[code])
    if state == NO_STATE:
        raise FileFormatError(f"expected boards that legal play reaches, got {board!r}")
    return state


def _number(value: object, board: object) -> float:
    if not isinstance(value, float | int) or not abs(value) <= sys.float_info.max:
        raise FileFormatError(f"expected a finite value for the board {board!r}, got {_short(value)}")
    return float(value)


def _short(value: object) -> str:
    """Return the text of a value for a message: its beginning if it is text or a number, otherwise its type."""
    if isinstance(value, str):
        return repr(value[:40])
    return repr(value)[:40] if isinstance(value, float | int) else type(value).__name__
