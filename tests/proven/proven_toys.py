"""Players that are proven to win on small boards, made from the full table; and their rule, cell by cell.

The reference reads positions as lists of columns of 'O' (own) and 'X' (the other's) and knows nothing of bits, except
for the key.
"""

import functools
from pathlib import Path

import numpy as np

from games_reference import ConnectFour
from proven_exceptions import make_exceptions, with_exceptions
from proven_writing import weights_from
from ttt_fast import parse_game, solution_of, table_of
from ttt_fast.agents.learned import OneSeatPlayer
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.proven.certificate import table_of_player
from ttt_fast.proven.values import ProvenValues
from ttt_fast.proven.weights import ProvenWeights, choose_columns
from ttt_fast.values.api import Learned

WON_BY_X = "connect4:columns=4,rows=4,length=3"
LARGER = "connect4:columns=5,rows=4,length=3"


def random_weights(game, seat, tuples=6, cells=4, seed=0, largest=100):
    """Random tuples of a board with random weights."""
    random = np.random.default_rng(seed)
    state = parse_game(game).initial_state
    every = [cell for cell in range(64) if (state.bottom * ((1 << state.rows) - 1)) >> cell & 1]
    drawn = np.array([random.permutation(every)[:cells] for _ in range(tuples)]).reshape(tuples, cells)
    return weights_from(game, seat, drawn, random.integers(-largest, largest + 1, (tuples, 4**cells)))


FILE = Path(__file__).parents[1] / "data" / "proven_toys.npz"
STORED = {f"{game} {seed}": (game, seed) for game, seed in ((WON_BY_X, 0), (LARGER, 0), (WON_BY_X, 6))}
"""The toys in the file, by the beginnings of the names of their arrays; this module as a program makes it."""


@functools.cache
def toy(game=WON_BY_X, seed=0):
    """A player that wins every game as X: random n-tuples, and exceptions where they would not win."""
    name = f"{game} {seed}"
    if name not in STORED:
        return made_toy(game, seed)
    with np.load(FILE) as arrays:
        return ProvenWeights(*(frozen(arrays[f"{name} {field}"]) for field in ProvenWeights._fields))


def made_toy(game, seed):
    """A toy, made anew."""
    weights = random_weights(game, 1, seed=seed)
    keys, wanted = closed_set(weights)
    return with_exceptions(weights, make_exceptions(weights, keys, wanted))


def closed_set(weights):
    """The positions that a player meets who follows its n-tuples wherever they win, and the column in each."""
    table = table_of(weights.game)
    solution, sign = solution_of(table), 3 - 2 * weights.seat
    own = choose_columns(weights, table.key[table.player == weights.seat])
    chosen = np.full(table.num_states, 255)
    chosen[table.player == weights.seat] = own
    met, found = np.zeros(table.num_states, bool), {}
    met[0] = True
    assert solution.value[0] == sign, "the seat does not win"
    for state in range(table.num_states):
        if not met[state] or table.player[state] == 0:
            continue
        edges = range(table.edge_start[state], table.edge_start[state + 1])
        if table.player[state] == weights.seat:
            kept = [edge for edge in edges if solution.optimal[edge]]
            wanted = [edge for edge in kept if table.edge_action[edge] == chosen[state]] or kept
            edges = wanted[:1]
            # the player sees a position and its mirror image as one, so that the column of the first decides
            key, column = int(table.key[state]), int(table.edge_action[edges[0]])
            image = api.transform(table.state(state), 1)
            mirrored = int(api.state_key(image))
            column = found.get(key, column)
            if mirrored != key:
                found[mirrored] = int(weights.board[0]) - 1 - column
            found[key] = column
            edges = [edge for edge in kept if table.edge_action[edge] == column]
        for edge in edges:
            met[table.edge_child[edge]] = True
    keys = table.key[met & (table.player == weights.seat)]
    return keys, np.array([found[int(key)] for key in keys])


class PlainPlayer:
    """The rule, cell by cell."""

    def __init__(self, weights):
        self.columns, self.rows, self.length, _ = weights.board.tolist()
        self.weights, self.stride = weights, self.rows + 1
        self.game = ConnectFour(self.columns, self.rows, self.length)

    def key(self, columns):
        """The key of columns such as ["OX", ""]."""
        return sum(
            (2 ** len(one) + sum(2**row for row, stone in enumerate(one) if stone == "O")) << place * self.stride
            for place, one in enumerate(columns)
        )

    def wins(self, columns, place):
        """Whether an own stone in a column makes a line."""
        cells = {(c, r) for c, one in enumerate(columns) for r, stone in enumerate(one) if stone == "O"}
        cells.add((place, len(columns[place])))
        return any(
            all((c + i * dc, r + i * dr) in cells for i in range(self.length))
            for c, r in cells
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def digit(self, columns, cell):
        """The digit of a cell after an own stone."""
        column, row = divmod(cell, self.stride)
        one = columns[column]
        return (2 if one[row] == "O" else 3) if row < len(one) else int(row == len(one))

    def value(self, columns):
        """The value of a board after an own stone."""
        total = 0
        for cells, numbers in zip(self.weights.tuples.tolist(), self.weights.weights.tolist(), strict=True):
            for board in (columns, columns[::-1]):
                total += numbers[sum(self.digit(board, cell) * 4**i for i, cell in enumerate(cells))]
        return total

    def stored(self, planes, shape, key):
        """The value of a key in a static function."""
        k, segments, seed = shape
        base, second, third = (hashed(key, seed + i) for i in range(3))
        offsets = [second, second >> 16, third, third >> 16]
        value = 0
        for i, offset in enumerate(offsets):
            slot = ((base * (segments - 3) >> 32) + i) * 2**k + offset % 2**k
            for bit, plane in enumerate(planes):
                value ^= (int(plane[slot // 8]) >> slot % 8 & 1) << bit
        return value

    def exception(self, key):
        """The stored column, None if there is none."""
        filter_shape, shape = self.weights.shape.tolist()
        bits = len(self.weights.filter)
        if shape[1] == 0:
            return None
        if bits and self.stored(self.weights.filter, filter_shape, key) != hashed(key, 2**30) % 2**bits:
            return None
        return self.stored(self.weights.columns, shape, key)

    def choose(self, columns):
        """The column to play."""
        key, other = self.key(columns), self.key(columns[::-1])
        if other < key:
            return self.columns - 1 - self.choose(columns[::-1])
        order = sorted(range(self.columns), key=lambda place: (abs(place - self.columns // 2), place))
        free = [place for place in order if len(columns[place]) < self.rows]
        for place in free:
            if self.wins(columns, place):
                return place
        exception = self.exception(key)
        if exception in free:
            return exception
        after = {p: self.value([one + "O" * (c == p) for c, one in enumerate(columns)]) for p in free}
        return max(free, key=after.__getitem__)


def columns_of(state):
    """The columns of a state as text, own stones as 'O'."""
    stride, count = state.rows + 1, bin(state.bottom).count("1")
    cells = [[place * stride + row for row in range(state.rows)] for place in range(count)]
    stones = [["O" if state.own >> c & 1 else "X" for c in one if state.occupied >> c & 1] for one in cells]
    return ["".join(one) for one in stones]


def hashed(key, seed):
    """The 32-bit hash of a key."""

    def mixed(word):
        word = (word ^ word >> 16) * 0x85EBCA6B % 2**32
        word = (word ^ word >> 13) * 0xC2B2AE35 % 2**32
        return word ^ word >> 16

    return mixed(mixed(key % 2**32 ^ seed * 0x9E3779B1 % 2**32) ^ key >> 32)


def levels_of(weights):
    """The positions that the player meets, both seats, by ply, as sets of keys; and the lost ones (slow)."""
    player, start = PlainPlayer(weights), weights.start
    level, levels, lost = {int(api.state_key(start)): start}, [], 0
    while level:
        levels.append(set(level))
        after, bad = {}, set()
        for state in level.values():
            mine = len(levels) % 2 == weights.seat % 2
            for action in [player.choose(columns_of(state))] if mine else api.legal_actions(state):
                child = api.play(state, action)
                if api.status(child) == api.ONGOING:
                    after[int(api.state_key(child))] = child
                elif api.status(child) != (api.X_WINS if weights.seat == 1 else api.O_WINS):
                    bad.add(int(api.state_key(child)))
        level, lost = after, lost + len(bad)
    return levels, lost


def play_with_toys():
    """Call every kernel of proven players (`every_kernel`)."""
    for spec in (WON_BY_X, "connect4:columns=5,rows=3,length=3"):
        weights = toy(spec)
        table_of_player(weights)
        player = OneSeatPlayer("proven", Learned((weights.game,), "first", False, ProvenValues(weights)))
        player.search(weights.start), player.search(type(weights.start)(*map(np.int64, weights.start)))


def positions_of_toy():
    """The numbers of positions by ply (`small_cases`)."""
    return np.diff(table_of_player(toy()).ply_start).tolist()


if __name__ == "__main__":
    made = {name: made_toy(*of)._asdict() for name, of in STORED.items()}
    np.savez_compressed(FILE, **{f"{name} {field}": made[name][field] for name in made for field in made[name]})
