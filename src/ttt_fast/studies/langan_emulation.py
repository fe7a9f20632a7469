"""The learner of seed 000 as its program runs: its numbering of actions, its ties, and its three defects.

Q-learning with a constant step size and epsilon, no discount, and a table for each learner that starts at 0.  What the
program does and its report does not say, each of which can be mended apart from the others:

B1  successor: in self-play the successor of a move is the board right after it, where the *opponent* is to move.  The
    learner never acts there, so that row stays 0 and nothing is ever handed back.
B2  credit: in self-play only the player who made the last move is rewarded, who cannot have lost.  No table learns of
    a loss.
B3  maximum: the best value of a successor is taken over all nine actions.  Those that are illegal have 0 for ever, so
    that a lost position counts as a draw one move back.  This one is in every training, not only in self-play.

Draws.  A segment of episodes has one SplitMix64 stream and every decision of a learner takes one word `w`: it explores
where `(w & 0xFFFFFF) < round(epsilon * 2**24)`; then `x = w >> 24` is a 40-bit fraction, from which successive
multiplication (`x *= n`; take `x >> 40`; `x &= 2**40 - 1`) draws first the explored action, if any, and then the
opponent's reply, if the opponent is a fixed player.

Letters: S states, T tables (learners), E edges, which are the legal actions of all states in the program's order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import kernel
from ttt_fast._rng import GOLDEN_GAMMA, mix64
from ttt_fast.errors import PolicyError
from ttt_fast.games import tic_tac_toe as rules
from ttt_fast.policies.files.langan import CELL_OF_ACTION
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, standard_table

STEP_SIZE, EPSILON = 0.1, 0.2
"""Section 5.1; the discount is 1."""

_GAMMA = np.uint64(GOLDEN_GAMMA)
_MASK_24, _MASK_40 = np.uint64((1 << 24) - 1), np.uint64((1 << 40) - 1)
_24, _40 = np.uint64(24), np.uint64(40)


class Rows(NamedTuple):
    """The game with the actions of every state in the program's order.

    Attributes
    ----------
    start : (S + 1,) int64
        The actions of state s are the edges start[s] to start[s + 1].
    child : (E,) int64
        State after an edge.
    action : (E,) int64
        The edge's action in *our* numbering.
    status : (S,) int64
        As in the state table.
    """

    start: NDArray[np.int64]
    child: NDArray[np.int64]
    action: NDArray[np.int64]
    status: NDArray[np.int64]


class Mended(NamedTuple):
    """Which of the defects are mended."""

    successor: bool = False
    credit: bool = False
    maximum: bool = False

    def __str__(self) -> str:
        """Return the mended defects as text."""
        names = [name for name, mended in zip(("B1", "B2", "B3"), self, strict=True) if mended]
        return "+".join(names) or "as coded"


class Tables(NamedTuple):
    """What T learners know.

    Attributes
    ----------
    q : (T, E) float64
        Values of the edges.
    best : (T, S) float64, greedy : (T, S) int64
        The highest value of each row, and its first place in the row.
    seen : (T, S) bool
        The rows that the program's map would have: states in which the learner has chosen, or that it looked
        up as successors.
    """

    q: NDArray[np.float64]
    best: NDArray[np.float64]
    greedy: NDArray[np.int64]
    seen: NDArray[np.bool_]


def program_rows(table: StateTable | None = None) -> Rows:
    """Return the game in the program's order of actions: row by row from the *bottom* left.

    Examples
    --------
    >>> rows = program_rows()
    >>> rows.action[: rows.start[1]].tolist()
    [6, 7, 8, 3, 4, 5, 0, 1, 2]
    """
    table = table or standard_table()
    cells = np.array(CELL_OF_ACTION)
    state, place = np.nonzero(table.legal_action_mask[:, cells])
    action = cells[place]
    child = table.child[state, action].astype(np.int64)
    return Rows(table.edge_start.astype(np.int64), child, action, table.status.astype(np.int64))


def new_tables(rows: Rows, learners: int) -> Tables:
    """Return the empty tables of some learners."""
    states, edges = rows.status.size, rows.child.size
    return Tables(
        np.zeros((learners, edges)),
        np.zeros((learners, states)),
        np.zeros((learners, states), np.int64),
        np.zeros((learners, states), np.bool_),
    )


def greedy_actions(rows: Rows, tables: Tables, learner: int) -> NDArray[np.int64]:
    """Return the action that a learner plays in each state, (S,) int64 in our numbering; 0 in terminal states.

    A state that it has not seen counts as a row of zeros: the first free cell from the bottom left.
    """
    edge = np.minimum(rows.start[:-1] + tables.greedy[learner], rows.action.size - 1)
    return np.where(rows.status == rules.ONGOING, rows.action[edge], 0)


def uniform_replies(opponent: Policy, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a player that draws uniformly from some of its actions as lists of successors.

    Returns
    -------
    count : (S,) int64
        Number of actions that it draws from, 0 in terminal states.
    after : (S, A) int64
        The states after them, in the program's order, in the first columns.

    Raises
    ------
    PolicyError
        If its actions in some state are not equally likely.
    """
    after = np.zeros(opponent.probabilities.shape, np.int64)
    count = np.zeros(rows.status.size, np.int64)
    for state in np.flatnonzero(rows.status == rules.ONGOING):
        edges = np.arange(rows.start[state], rows.start[state + 1])
        chances = opponent.probabilities[state, rows.action[edges]]
        taken = edges[chances > 0]
        if np.ptp(chances[chances > 0]) > 0:
            raise PolicyError(f"policy {opponent.name!r}: expected equally likely actions, got {chances.tolist()!r}")
        count[state] = taken.size
        after[state, : taken.size] = rows.child[taken]
    return count, after


@kernel
def _update(
    start: NDArray[np.int64],
    q: NDArray[np.float64],
    best: NDArray[np.float64],
    greedy: NDArray[np.int64],
    learner: int,
    state: int,
    place: int,
    step: float,
    target: float,
) -> None:
    """Move one value towards its target, and keep `best` and `greedy` of its row right."""
    first = start[state]
    value = q[learner, first + place]
    value += step * (target - value)
    q[learner, first + place] = value
    top = best[learner, state]
    at = greedy[learner, state]
    if place != at:
        if value > top or (value == top and place < at):
            best[learner, state] = value
            greedy[learner, state] = place
    elif value >= top:
        best[learner, state] = value
    else:
        top = -np.inf
        for i in range(start[state + 1] - first):
            if q[learner, first + i] > top:
                top = q[learner, first + i]
                at = i
        best[learner, state] = top
        greedy[learner, state] = at


@kernel
def _value_of_row(
    start: NDArray[np.int64], best: NDArray[np.float64], learner: int, state: int, over_legal: bool
) -> float:
    """Return the maximum over a row of nine values, in which those of illegal actions are 0."""
    value = best[learner, state]
    if not over_legal and value < 0.0 and start[state + 1] - start[state] < rules.NUM_CELLS:
        return 0.0
    return value


@kernel
def _self_play(
    start: NDArray[np.int64],
    child: NDArray[np.int64],
    status: NDArray[np.int64],
    q: NDArray[np.float64],
    best: NDArray[np.float64],
    greedy: NDArray[np.int64],
    seen: NDArray[np.bool_],
    mend_successor: bool,
    mend_credit: bool,
    mend_maximum: bool,
    episodes: int,
    stream: np.uint64,
) -> None:
    """Two learners play `episodes` games against each other; learner 0 is X."""
    explore_below = np.uint64(round(EPSILON * 2.0**24))
    for _ in range(episodes):
        state, mover = 0, 0
        my_state, my_place, their_state, their_place = -1, 0, -1, 0  # each player's last decision
        while True:
            seen[mover, state] = True
            if mend_successor and my_state >= 0:
                target = _value_of_row(start, best, mover, state, mend_maximum)
                _update(start, q, best, greedy, mover, my_state, my_place, STEP_SIZE, target)
            stream += _GAMMA
            word = mix64(stream)
            place = greedy[mover, state]
            if (word & _MASK_24) < explore_below:
                place = np.int64(((word >> _24) * np.uint64(start[state + 1] - start[state])) >> _40)
            after = child[start[state] + place]
            if status[after] != rules.ONGOING:
                won = status[after] != rules.DRAW
                _update(start, q, best, greedy, mover, state, place, STEP_SIZE, 1.0 if won else 0.0)
                if mend_credit and their_state >= 0:
                    lost = -1.0 if won else 0.0
                    _update(start, q, best, greedy, 1 - mover, their_state, their_place, STEP_SIZE, lost)
                break
            if not mend_successor:
                seen[mover, after] = True
                target = _value_of_row(start, best, mover, after, mend_maximum)
                _update(start, q, best, greedy, mover, state, place, STEP_SIZE, target)
            my_state, my_place, their_state, their_place = their_state, their_place, state, place
            state, mover = after, 1 - mover


@kernel
def _against(
    start: NDArray[np.int64],
    child: NDArray[np.int64],
    status: NDArray[np.int64],
    reply_count: NDArray[np.int64],
    reply_after: NDArray[np.int64],
    q: NDArray[np.float64],
    best: NDArray[np.float64],
    greedy: NDArray[np.int64],
    seen: NDArray[np.bool_],
    rewards: NDArray[np.float64],
    last_step: float,
    mend_maximum: bool,
    episodes: int,
    stream: np.uint64,
) -> None:
    """Learner 0 plays `episodes` games as X against a fixed player, whose move is part of the transition.

    `rewards` are those of a win, a draw and a loss; `last_step` is the step size of an update at the end of a game.
    """
    explore_below = np.uint64(round(EPSILON * 2.0**24))
    for _ in range(episodes):
        state = 0
        while True:
            seen[0, state] = True
            stream += _GAMMA
            word = mix64(stream)
            x = word >> _24
            place = greedy[0, state]
            if (word & _MASK_24) < explore_below:
                x *= np.uint64(start[state + 1] - start[state])
                place = np.int64(x >> _40)
                x &= _MASK_40
            after = child[start[state] + place]
            if status[after] == rules.ONGOING:
                after = reply_after[after, np.int64((x * np.uint64(reply_count[after])) >> _40)]
            if status[after] != rules.ONGOING:
                reward = rewards[0]
                if status[after] != rules.X_WINS:
                    reward = rewards[1] if status[after] == rules.DRAW else rewards[2]
                _update(start, q, best, greedy, 0, state, place, last_step, reward)
                break
            target = _value_of_row(start, best, 0, after, mend_maximum)
            _update(start, q, best, greedy, 0, state, place, STEP_SIZE, target)
            state = after


def self_play(rows: Rows, tables: Tables, mended: Mended, episodes: int, stream: np.uint64) -> None:
    """Let two learners play a segment of episodes against each other; changes `tables` in place."""
    _self_play(rows.start, rows.child, rows.status, *tables, *map(bool, mended), episodes, stream)


def learn_against(
    rows: Rows,
    tables: Tables,
    replies: tuple[NDArray[np.int64], NDArray[np.int64]],
    rewards: NDArray[np.float64],
    last_step: float,
    mend_maximum: bool,
    episodes: int,
    stream: np.uint64,
) -> None:
    """Let a learner play a segment of episodes as X against a fixed player; changes `tables` in place."""
    _against(
        rows.start, rows.child, rows.status, *replies, *tables,
        rewards, float(last_step), bool(mend_maximum), episodes, stream,
    )  # fmt: skip
