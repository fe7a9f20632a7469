"""Kernels that step many games against one opponent: over a small table by loads alone, otherwise by the rules.

Letters: B games, S states, A actions, N cells of an observation, F fields of a state, R slots of a sampler's table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import next_word
from ttt_fast.core.vectors import CHUNK, Bytes, copy_chunk, padded_rows, pointer, zeroed_rows
from ttt_fast.games import api
from ttt_fast.play.packed import compile_packed
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import ROOT

_AGAIN = 0x8000  # beside a state of 15 bits: the opponent is to move once more
_SHIFT_BITS = 6


class Games(NamedTuple):
    """The arrays that a step modifies: for each game its stream, the learner's seat, and the learner's data.

    `observation` (B, N) and `mask` (B, A) lie in `observation_bytes` and `mask_bytes`, which are 16 bytes longer.
    """

    stream: NDArray[np.uint64]
    seat: NDArray[np.int8]
    is_over: NDArray[np.bool_]
    reward: NDArray[np.float64]
    observation: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    observation_bytes: Bytes
    mask_bytes: Bytes


def games_of(seats: NDArray[np.int8], num_cells: int, num_actions: int) -> Games:
    """Return B games, all over, for learners in the given seats, (B,) int8: 1 X, 2 O."""
    count = seats.size
    cells, actions = zeroed_rows(count, num_cells), zeroed_rows(count, num_actions)
    return Games(
        np.zeros(count, np.uint64),
        seats,
        np.ones(count, np.bool_),
        np.zeros(count),
        cells[:-CHUNK].reshape(count, num_cells),
        actions[:-CHUNK].view(np.bool_).reshape(count, num_actions),
        cells,
        actions,
    )


class Replies(NamedTuple):
    """A table with an opponent, laid out for a step; states S and S + 1 are the start and the illegal action.

    Attributes
    ----------
    child : (S + 1, A + 1) uint16
        State after an action; for the start, the root.  The last column is for an action that does not exist.
    link : (2, S + 2) uint32
        The opponent's slots in a state, by the learner's seat (X first): first_slot << 6 | shift of 32 random bits.
    slot : (R + S + 2,) uint64
        threshold << 32 | second_state << 16 | first_state, with a bit set if the opponent moves again.  Then one slot
        for each state, which leads to itself if the opponent has no move.
    result : (2, S + 2) int8
        0 in an ongoing game, otherwise 2 plus the learner's reward, by its seat.
    observation : (S, N') uint8, mask : (S, A') uint8
        Observation and mask of a state, padded to chunks of 16 bytes; the mask is full if the game is over.
    """

    child: NDArray[np.uint16]
    link: NDArray[np.uint32]
    slot: NDArray[np.uint64]
    result: NDArray[np.int8]
    observation: Bytes
    mask: Bytes


@inlined_kernel
def _opponent_step(link: np.uint32, slots: NDArray[np.uint64], stream: np.uint64) -> tuple[np.int64, np.uint64]:
    """Return the state after the opponent's move, if it has one, with the bit that marks a further move; the stream."""
    stream, drawn = next_word(stream)
    word, draw = np.uint64(link), drawn >> np.uint64(32)
    slot = slots[np.int64((word >> np.uint64(_SHIFT_BITS)) + (draw >> (word & np.uint64(63))))]
    state = np.int64((slot >> np.uint64(16) if draw <= slot >> np.uint64(32) else slot) & np.uint64(0xFFFF))
    return state, stream


@inlined_kernel
def _copy_rows(output: Bytes, width: int, rows: Bytes, wide: int, states: NDArray[np.int32]) -> None:
    """Copy the row of each game's state to its output: `wide` bytes, of which `width` belong to it."""
    target, source = pointer(output), pointer(rows)
    for game in range(states.size):
        place = np.int64(states[game]) * wide
        copy_chunk(target, game * width, source, place)
        for chunk in range(CHUNK, wide, CHUNK):
            copy_chunk(target, game * width + chunk, source, place + chunk)


@kernel
def step_in_table(
    replies: Replies,
    actions: NDArray[np.int64],
    only_over: bool,
    states: NDArray[np.int32],
    after: NDArray[np.int32],
    games: Games,
) -> None:
    """Step each game, or restart it if it is over; `states` (B,) are indices into the table, `after` is scratch.

    With `only_over`, games that are not over do not change.

    No branch can be mispredicted: a state without a reply has a slot that leads to itself, and a finished game
    continues from a start whose actions all lead to the root.  Each loop uses few enough arrays for the registers.
    """
    size, num_actions = replies.link.size // 2, games.mask.shape[1]
    start, columns = size - 2, num_actions + 1
    child, links, slots = pointer(replies.child), pointer(replies.link), pointer(replies.slot)
    for game in range(states.size):
        if only_over and not games.is_over[game]:
            after[game] = states[game]
            continue
        state, seat = np.int64(states[game]), (np.int64(games.seat[game]) - 1) * size
        action = min(np.uint64(actions[game]), np.uint64(num_actions))  # a negative one is large
        state = np.int64(child[(start if games.is_over[game] else state) * columns + np.int64(action)])
        state, stream = _opponent_step(links[seat + state], slots, games.stream[game])
        while state & _AGAIN:
            state, stream = _opponent_step(links[seat + (state ^ _AGAIN)], slots, stream)
        games.stream[game] = stream
        after[game] = state
    results = pointer(replies.result)
    for game in range(states.size):
        state = np.int64(after[game])
        result = results[(np.int64(games.seat[game]) - 1) * size + state]
        games.is_over[game] = result != 0
        games.reward[game] = np.float64(result - 2) if result != 0 else 0.0
        if state <= start:  # after an illegal action the learner sees the same state
            states[game] = state
    wide_cells, wide_actions = replies.observation.size // start, replies.mask.size // start
    _copy_rows(games.observation_bytes, games.observation.shape[1], replies.observation, wide_cells, states)
    _copy_rows(games.mask_bytes, num_actions, replies.mask, wide_actions, states)


@kernel
def step_at_random(
    start: api.State, actions: NDArray[np.int64], only_over: bool, states: NDArray[np.int64], games: Games
) -> None:
    """Step each game, or restart it if it is over; `states` (B, F) are fields, and replies are random.

    With `only_over`, games that are not over do not change.
    """
    for game in range(actions.size):
        if only_over and not games.is_over[game]:
            continue
        state, seat, reward = api.load_state(start, states, game), games.seat[game], 0.0
        if games.is_over[game]:
            state, games.is_over[game] = start, False
        else:
            action = actions[game]
            if not (0 <= action < games.mask.shape[1] and games.mask[game, action]):
                games.is_over[game], games.reward[game] = True, -1.0
                continue
            state = api.play(state, action)
        stream, status = games.stream[game], api.status(state)
        while status == 0 and api.player(state) != seat:
            stream, word = next_word(stream)
            state = api.play_random(state, word)
            status = api.status(state)
        games.stream[game] = stream
        if status != 0:
            games.is_over[game] = True
            reward = (1.0 if status == seat else 0.0) - (1.0 if status == 3 - seat else 0.0)
        games.reward[game] = reward
        api.store_state(state, states, game)
        api.fill_observation(state, games.observation[game])
        api.fill_legal_action_mask(state, games.mask[game])
        games.mask[game] |= status != 0


def replies_of(policy: Policy) -> Replies:
    """Return the table of a policy's game, with the policy as the opponent.

    Raises
    ------
    UsageError
        If the game has too many states for a sampler.
    """
    table, sampler = policy.table, compile_packed(policy)
    if sampler is None:
        raise UsageError(f"expected a game of fewer states for {policy.name!r}, got {table.game.spec}")
    size, first_slot, slot_bits = table.num_states, sampler.layout.row, sampler.layout.slot_bits
    state_of_row = np.zeros(sampler.table.size, np.int64)
    state_of_row[first_slot] = np.arange(size)
    every = np.arange(size + 2)
    itself = every << 16 | every
    links = np.tile(sampler.table.size + every << _SHIFT_BITS | 32, (2, 1))
    owner = np.zeros(sampler.table.size, np.int64)
    for state in np.flatnonzero(table.decision_mask):
        owner[first_slot[state] : first_slot[state] + (1 << slot_bits[state])] = state
    results = np.zeros((2, size + 2), np.int8)
    for seat in (1, 2):
        own = np.flatnonzero(table.player == 3 - seat)
        links[seat - 1, own] = first_slot[own] << _SHIFT_BITS | 32 - slot_bits[own]
        reward = (table.status == seat).astype(np.int8) - (table.status == 3 - seat)
        results[seat - 1, :-2] = np.where(table.status == api.ONGOING, 0, 2 + reward)
    results[:, -1] = 1  # an illegal action loses
    rows = sampler.table.astype(np.int64)
    lower, upper = (state_of_row[rows >> shift & 0xFFFF] for shift in (0, 16))
    lower, upper = (after | _AGAIN * (table.player[after] == table.player[owner]) for after in (lower, upper))
    packed = (sampler.table >> np.uint64(32) << np.uint64(32)) | (upper << 16 | lower).astype(np.uint64)
    children = np.full((size + 1, table.num_actions + 1), size + 1, np.uint16)
    children[:-1, :-1] = np.where(table.child < 0, size + 1, table.child)
    children[-1] = ROOT  # from the start
    observation = table.observe(np.arange(size, dtype=np.int32)).reshape(size, -1)
    return Replies(
        frozen(children.ravel()),
        frozen(links.astype(np.uint32).ravel()),
        frozen(np.concatenate([packed, itself.astype(np.uint64)])),
        frozen(results.ravel()),
        frozen(padded_rows(observation.astype(np.uint8)).ravel()),
        frozen(padded_rows(table.legal_action_mask | ~table.decision_mask[:, None]).ravel()),
    )
