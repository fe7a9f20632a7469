"""The distinct rows of a policy: each state refers to its row by a code, which often takes a single byte."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.policies.policy import Policy
from ttt_fast.tables.levels import ALL, Rows


class RowBook:
    """Distinct rows of one or several policies, by their codes.

    Parameters
    ----------
    num_actions
        Number of actions, A.  The codes below A are the single actions.
    rows : (R, A) int64 or float64
        The first rows (default: the single actions).

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> from ttt_fast.tables import table_of
    >>> book, table = RowBook(9), table_of("tic-tac-toe")
    >>> weights = np.ones(table.num_edges, np.int64)
    >>> weights[:2] = 2, 3
    >>> book.codes(Policy.from_weights(table, weights))[:3].tolist(), book.rows[9].tolist()
    ([9, -1, -1], [2, 3, 1, 1, 1, 1, 1, 1, 1])
    """

    def __init__(self, num_actions: int, rows: Rows | None = None) -> None:
        self.rows: Rows = np.eye(num_actions, dtype=np.int64) if rows is None else rows
        self._known = {row.tobytes(): code for code, row in enumerate(self.rows)}

    @property
    def is_exact(self) -> bool:
        """Whether all rows are integer weights."""
        return self.rows.dtype.kind != "f"

    def codes(self, policy: Policy) -> NDArray[np.int32]:
        """Return the code of each state of a policy's table, (S,) int32, and add new rows to the book.

        The code is ALL where every legal action is equally likely.
        """
        table = policy.table
        if policy.stored is None:
            return np.full(table.num_states, ALL, np.int32)
        if policy.form == "choice":
            return policy.stored.astype(np.int32)
        if policy.form == "probabilities" and self.is_exact:
            self._become_float()
        edges = policy.stored if self.is_exact else policy.edge_probabilities
        used, states = edges > 0, np.flatnonzero(np.diff(table.edge_start))
        starts = table.edge_start[states]  # segments end at the next state with an edge, or with the last edge
        support = np.add.reduceat(used.astype(np.int32), starts)
        codes = table.edge_action[table.first_best_edges(used)].astype(np.int32)
        even = (np.minimum.reduceat(edges, starts) == np.maximum.reduceat(edges, starts)) & (support > 1)
        codes[states[even]] = ALL
        rest = states[(support > 1) & ~even]
        if rest.size:
            codes[rest] = self._codes_of(self._reduced(table.dense(edges)[rest]))
        return codes

    def _reduced(self, rows: Rows) -> Rows:
        """Return rows of weights without common factors; rows of probabilities are returned unchanged."""
        return rows.astype(np.int64) // np.gcd.reduce(rows.astype(np.int64), axis=1)[:, None] if self.is_exact else rows

    def _codes_of(self, rows: Rows) -> NDArray[np.int32]:
        """Return the codes of rows, (N, A), which are added if they are new."""
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        codes, new = np.empty(len(distinct), np.int32), []
        for place, row in enumerate(distinct):
            key = row.tobytes()
            if key not in self._known:
                self._known[key] = len(self._known)
                new.append(row)
            codes[place] = self._known[key]
        if new:
            self.rows = np.concatenate([self.rows, np.array(new, self.rows.dtype)])
        return codes[which.reshape(-1)]

    def _become_float(self) -> None:
        """Change the rows from weights to probabilities; their codes remain."""
        self.rows = self.rows / self.rows.sum(axis=1)[:, None]
        self._known = {row.tobytes(): code for code, row in enumerate(self.rows)}
