"""Smirnov's files (`.txt`): the chosen cell of every board, as text.

The file contains 3**9 = 19,683 integers separated by white space, then a full stop.  The position of a board in the
list is sum(mark * 3**cell), with the mark 1 for X and 2 for O.  The integer at that position is the cell that the
player to move takes, or -1 for no move.
"""

from codecs import BOM_UTF8

import numpy as np

from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import POWERS_OF_3, boards_of

NUM_CODES = 3**9
NO_MOVE = -1

_PER_LINE = 3**4
MAX_BYTES = 1 << 20
_CELL_OF_TOKEN = {str(cell).encode("ascii"): cell for cell in range(NO_MOVE, 9)}


def format_base3(policy: Policy) -> str:
    r"""Return the moves of a deterministic policy as text, 81 integers a line; other boards have the entry -1.

    Raises
    ------
    UsageError
        If the policy is not deterministic.

    Examples
    --------
    >>> from ttt_fast import table_of
    >>> table = table_of("tic-tac-toe")
    >>> first_legal = Policy.from_actions(table, table.legal_action_mask.argmax(axis=1))
    >>> text = format_base3(first_legal)
    >>> text[:20], text[-6:], len(text.split())
    ('0 1 -1 0 -1 2 -1 2 -', ' -1\n.\n', 19684)
    """
    table = policy.table
    drawn = np.flatnonzero(table.decision_mask & (table.row_sums(policy.edge_probabilities > 0) != 1))
    if drawn.size:
        raise UsageError(
            f"expected a deterministic policy for a .txt table, but {policy.name!r} draws its move at"
            f" {table.board(int(drawn[0]))!r}; a .npz file holds any policy"
        )
    moves = np.full(NUM_CODES, NO_MOVE)
    codes = boards_of(table) @ POWERS_OF_3
    moves[codes[table.decision_mask]] = policy.greedy_actions()[table.decision_mask]
    lines = [" ".join(map(str, line)) for line in moves.reshape(-1, _PER_LINE).tolist()]
    return "\n".join([*lines, ".\n"])


def recognises(content: bytes) -> bool:
    """Return whether a file begins with an integer and ends with a full stop."""
    return content.removeprefix(BOM_UTF8)[:64].split()[:1] in (
        [token] for token in _CELL_OF_TOKEN
    ) and content.rstrip().endswith(b".")


def parse(content: bytes, name: str, table: StateTable) -> Policy:
    """Return the deterministic policy of a text table by Smirnov.

    Its domain is the states for which the file has a move; in other states it plays the first legal action.

    Raises
    ------
    FileFormatError
        If the file does not consist of 19,683 integers and a full stop, or contains an illegal move.  The integers of
        boards that legal play does not reach are ignored.
    """
    stripped = content.removeprefix(BOM_UTF8).rstrip()
    if not stripped.endswith(b"."):
        raise FileFormatError(
            f"expected {NUM_CODES} moves and '.' in a policy as text (others: .npz, .dat, .pkl), got no '.'; the file"
            " is truncated, damaged or of another kind"
        )
    tokens = stripped[:-1].split()
    if len(tokens) != NUM_CODES:
        raise FileFormatError(f"expected {NUM_CODES} moves, got {len(tokens)}; the file is damaged or of another kind")
    unknown = next((token for token in tokens if token not in _CELL_OF_TOKEN), None)
    if unknown is not None:
        raise FileFormatError(f"expected moves from -1 to 8, got {unknown[:40].decode('latin-1')!r}")
    moves = np.array([_CELL_OF_TOKEN[token] for token in tokens])[boards_of(table) @ POWERS_OF_3]
    held = moves != NO_MOVE
    illegal = np.flatnonzero(held & ~table.legal_action_mask[np.arange(table.num_states), moves])
    if illegal.size:
        state = int(illegal[0])
        raise FileFormatError(f"expected a legal move at {table.board(state)!r}, got {moves[state]}")
    actions = np.where(held, moves, table.legal_action_mask.argmax(axis=1))
    return Policy.from_actions(table, actions, name, held=held)
