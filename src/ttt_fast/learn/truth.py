"""The truth along the way: exact measures of a learner's greedy policy, cheap enough for a thousand checkpoints.

One kernel finds the greedy actions and, from them, everything that a learning curve shows.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import kernel
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import Solution, StateTable

SEAT_NAMES = {rules.X: "x", rules.O: "o"}


@kernel
def _greedy_edges(
    edge_start: NDArray[np.int32],
    player: NDArray[np.int8],
    learns: NDArray[np.bool_],
    q: NDArray[np.float64],
    last: bool,
    greedy: NDArray[np.int32],
) -> int:
    """Fill the greedy edge (of equal ones the first or last) of each learning state; return how many have changed."""
    changed = 0
    for state in range(player.size):
        if not learns[player[state]]:
            continue
        chosen = edge_start[state]
        for edge in range(edge_start[state] + 1, edge_start[state + 1]):
            if q[edge] > q[chosen] or (last and q[edge] == q[chosen]):
                chosen = edge
        changed += chosen != greedy[state]
        greedy[state] = chosen
    return changed


@kernel
def _result_against(
    edge_start: NDArray[np.int32],
    edge_action: NDArray[np.int8],
    edge_child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    seat: int,
    greedy: NDArray[np.int32],
    judge: NDArray[np.float64],
    reach: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill `out` (3,) with the chances of the greedy policy in `seat` to win, draw and lose; `reach` is scratch."""
    reach[:] = 0.0
    reach[0] = 1.0
    out[:] = 0.0
    for state in range(player.size):
        mass = reach[state]
        if mass == 0.0:
            continue
        if player[state] == 0:
            out[1 if status[state] == rules.DRAW else (0 if status[state] == seat else 2)] += mass
        elif player[state] == seat:
            reach[edge_child[greedy[state]]] += mass
        else:
            for edge in range(edge_start[state], edge_start[state + 1]):
                reach[edge_child[edge]] += mass * judge[state, edge_action[edge]]


@kernel
def _best_reply(
    edge_start: NDArray[np.int32],
    edge_child: NDArray[np.int16],
    status: NDArray[np.int8],
    player: NDArray[np.int8],
    seat: int,
    greedy: NDArray[np.int32],
    value: NDArray[np.int8],
) -> int:
    """Return the most that an opponent of the greedy policy in `seat` can get: 1, 0 or -1."""
    for state in range(player.size - 1, -1, -1):
        if player[state] == 0:
            value[state] = 0 if status[state] == rules.DRAW else (-1 if status[state] == seat else 1)
        elif player[state] == seat:
            value[state] = value[edge_child[greedy[state]]]
        else:
            best = -1
            for edge in range(edge_start[state], edge_start[state + 1]):
                best = max(best, value[edge_child[edge]])
            value[state] = best
    return int(value[0])


class Truth:
    """Measures the greedy policy of a table of action values.

    Parameters
    ----------
    table, solution
        The game.
    seats
        The seats that learn.
    judges
        Policies that it is measured against; the first is the opponent, where there is one.
    target : (E,) float64
        The exact action values of the training problem.
    counted : (S,) bool
        States over which agreement and distance are taken.
    last
        Whether the last of equally good actions is taken, instead of the first.
    """

    def __init__(
        self,
        table: StateTable,
        solution: Solution,
        seats: tuple[int, ...],
        judges: Sequence[Policy],
        target: NDArray[np.float64],
        counted: NDArray[np.bool_],
        last: bool = False,
    ) -> None:
        self.last = last
        self.table, self.seats, self.judges, self.target = table, seats, list(judges), target
        self.learns = np.array([False, rules.X in seats, rules.O in seats])
        self.greedy = table.edge_start[:-1].astype(np.int32)
        self.counted = np.flatnonzero(counted)
        self.edges = np.flatnonzero(counted[np.repeat(np.arange(table.num_states), np.diff(table.edge_start))])
        self.keeps_value = solution.optimal_action_mask[table.legal_action_mask]
        self.reach, self.value = np.zeros(table.num_states), np.zeros(table.num_states, np.int8)

    @property
    def columns(self) -> list[str]:
        """Names of the numbers that a call returns.

        For each judge and seat the chances to win, draw and lose (the first of them without a prefix), then
        `exploitability` (a seat that does not learn is played by minimax), `agreement`, `changed` (states whose
        greedy action has changed since the last call) and `rms_error` (of the values from the exact ones).
        """
        names = []
        for number, judge in enumerate(self.judges):
            for seat in self.seats:
                first = number == 0 and seat == self.seats[0]
                prefix = "" if first else f"{SEAT_NAMES[seat]}_v_{judge.name}_"
                names += [f"{prefix}wins", f"{prefix}draws", f"{prefix}losses"]
        return [*names, "exploitability", "agreement", "changed", "rms_error"]

    def __call__(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the measures of the values `q`, (E,) float64 over the edges of the state table."""
        t = self.table
        changed = _greedy_edges(t.edge_start, t.player, self.learns, q, self.last, self.greedy)
        out = np.empty(3 * len(self.judges) * len(self.seats) + 4)
        place = 0
        for judge in self.judges:
            for seat in self.seats:
                _result_against(
                    t.edge_start, t.edge_action, t.edge_child, t.status, t.player,
                    seat, self.greedy, judge.probabilities, self.reach, out[place : place + 3],
                )  # fmt: skip
                place += 3
        replies = [
            _best_reply(t.edge_start, t.edge_child, t.status, t.player, seat, self.greedy, self.value)
            for seat in self.seats
        ]
        errors = q[self.edges] - self.target[self.edges]
        out[place:] = (
            sum(replies) / 2,
            np.count_nonzero(self.keeps_value[self.greedy[self.counted]]) / max(self.counted.size, 1),
            changed,
            np.sqrt(np.mean(errors * errors)) if errors.size else 0.0,
        )
        return out
