"""The strength of a policy: exploitability, the proof that it never loses, agreement with minimax, value lost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import Solution, StateTable, reachable_mask, solve, standard_solution, standard_table
from ttt_fast.tables.state_table import ROOT


class Agreement(NamedTuple):
    """The number of states in which the most probable action of a policy is one of minimax."""

    agreeing: int
    states: int

    @property
    def share(self) -> float:
        """Share of the states, nan where the policy holds none."""
        return self.agreeing / self.states if self.states else float("nan")


def nash_conv(policy: Policy, table: StateTable | None = None) -> float:
    """Return the gain of the two seats together from deviating from `policy`, as OpenSpiel defines it.

    The sum over the seats of (value of a best response against the policy - value of the policy); 0 for an
    equilibrium.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> round(nash_conv(parse_agent("random")), 12)
    1.919659391534
    """
    table = table or standard_table()
    # The values of the policy against itself cancel: the game is zero-sum.
    as_x = float(best_response(policy, rules.X, "score", table).value[ROOT])
    as_o = float(best_response(policy, rules.O, "score", table).value[ROOT])
    return as_x + as_o


def exploitability(policy: Policy, table: StateTable | None = None) -> float:
    """Return `nash_conv` divided by the number of players, as OpenSpiel defines it.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> round(exploitability(parse_agent("random")), 9), exploitability(parse_agent("minimax"))
    (0.959829696, 0.0)
    """
    return nash_conv(policy, table) / 2


def states_in_play(policy: Policy, seat: int, table: StateTable | None = None) -> NDArray[np.bool_]:
    """Return the states that can occur when the policy plays one seat, whatever the other does, (S,) bool."""
    table, seat = table or standard_table(), rules.check_seat(seat)
    policy.check_fits(table)
    played = np.where((table.player == seat)[:, None], policy.probabilities > 0, table.legal_action_mask)
    return reachable_mask(table, played)


def never_loses(policy: Policy, seat: int, table: StateTable | None = None) -> bool:
    """Return whether no opponent can ever beat the policy in a seat: a proof, not a sample.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> never_loses(parse_agent("minimax"), seat=2), never_loses(parse_agent("default"), seat=2)
    (True, False)
    """
    table = table or standard_table()
    lost = rules.O_WINS if seat == rules.X else rules.X_WINS
    return not bool((states_in_play(policy, seat, table) & (table.status == lost)).any())


def agreement(
    policy: Policy, seat: int | None = None, table: StateTable | None = None, solution: Solution | None = None
) -> Agreement:
    """Return the number of its states in which the policy's most probable action keeps the minimax value.

    Langan's definition, section 3.4: over the decision states that the policy holds, of one seat or
    of both; of equally probable actions the lowest one counts.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> agreement(parse_agent("minimax"))
    Agreement(agreeing=4520, states=4520)
    """
    table, solution = table or standard_table(), _solution(table, solution)
    counted = policy.held & table.decision_mask
    if seat is not None:
        counted &= table.player == seat
    states = np.flatnonzero(counted)
    agreeing = solution.optimal_action_mask[states, policy.greedy_actions()[states]]
    return Agreement(int(agreeing.sum()), int(states.size))


def value_lost(
    policy: Policy, table: StateTable | None = None, solution: Solution | None = None
) -> NDArray[np.float64]:
    """Return the minimax value that each state's row gives away on average, (S,) float64, 0 to 2.

    The minimax value of the state minus the mean minimax value after the policy's move, for the mover.

    Examples
    --------
    >>> from ttt_fast.agents.table_agents import parse_agent
    >>> float(value_lost(parse_agent("minimax")).max())
    0.0
    """
    table, solution = table or standard_table(), _solution(table, solution)
    after = np.where(table.legal_action_mask, solution.value[table.child], 0)
    sign = np.where(table.player == rules.X, 1, -1)
    kept = (policy.probabilities * after).sum(axis=1)
    lost: NDArray[np.float64] = np.where(table.decision_mask, sign * (solution.value - kept), 0.0)
    return np.where(np.abs(lost) < 1e-12, 0.0, lost)


def mean_value_lost(policy: Policy, opponent: Policy, seat: int, table: StateTable | None = None) -> float:
    """Return the minimax value that the policy gives away in one game against `opponent`, on average."""
    table = table or standard_table()
    pair = (policy, opponent) if seat == rules.X else (opponent, policy)
    reach = exact_outcome(*pair, table=table).reach
    return float((reach * value_lost(policy, table))[table.player == seat].sum())


def _solution(table: StateTable | None, solution: Solution | None) -> Solution:
    if solution is not None:
        return solution
    return standard_solution() if table is None or table is standard_table() else solve(table)
