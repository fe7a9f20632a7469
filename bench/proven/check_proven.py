"""Checks that the player of a file (src/ttt_fast/proven/weights.py) wins every game: `python check_proven.py FILE`.

All replies of the other side are enumerated on the full board, without symmetry; a draw is a failure.  The result is
about the rule of the file, not about a program that plays it.
"""

import sys

import numpy as np

MOST, BLOCK, U32, U64 = 100_000_000, 1 << 14, np.uint32, np.uint64
TYPES = dict(board="i4", shape="i4", tuples="u1", weights="i1 i2", filter="u1", columns="u1")
MURMUR = (16, 13, 16), (0x85EBCA6B, 0xC2B2AE35)
SPLITMIX = (30, 27, 31), (0xBF58476D1CE4E5B9, 0x94D049BB133111EB), U64


def mixed(words, shifts, factors, word=U32):
    """Return the finaliser of MurmurHash3, of 32 bits, or that of SplitMix64."""
    for shift, factor in zip(shifts, factors, strict=False):
        words = (words ^ words >> word(shift)) * word(factor)
    return words ^ words >> word(shifts[-1])


def hashes(keys, seed):
    """Return the 32-bit hashes of keys."""
    first = mixed(keys.astype(U32) ^ U32(seed * 0x9E3779B1 % 2**32), *MURMUR)
    return mixed(first ^ (keys >> U64(32)).astype(U32), *MURMUR)


def stored(planes, shape, keys):
    """Return the values of keys in a static function of bit planes."""
    k, segments, seed = (int(number) for number in shape)
    first, second, third = (hashes(keys, seed + i).astype(np.int64) for i in range(3))
    values = np.zeros(keys.size, np.int64)
    for i, offset in enumerate((second, second >> 16, third, third >> 16)):
        slots = ((first * (segments - 3) >> 32) + i) * 2**k + (offset & 2**k - 1)
        for bit, plane in enumerate(planes):
            values ^= (plane[slots >> 3].astype(np.int64) >> (slots & 7) & 1) << bit
    return values


class Checker:
    """The board and the player of a file."""

    def __init__(self, path):
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in TYPES}
        types = all(arrays[name].dtype.str[1:] in wanted for name, wanted in TYPES.items())
        self.columns, self.rows, self.length, self.seat = (int(number) for number in arrays["board"])
        self.stride, self.shape = self.rows + 1, arrays["shape"]
        self.filter, self.exceptions, tuples = arrays["filter"], arrays["columns"], arrays["tuples"].astype(int)
        self.shifts = [U64(column * self.stride) for column in range(self.columns)]
        self.bottom, self.column = U64(sum(1 << int(shift) for shift in self.shifts)), U64(2**self.rows - 1)
        self.order = sorted(range(self.columns), key=lambda column: (abs(column - self.columns // 2), column))
        mirrored = (self.columns - 1) * self.stride - tuples // self.stride * self.stride + tuples % self.stride
        images, size = np.concatenate([tuples, mirrored]), 4 ** tuples.shape[1]
        self.powers = np.zeros((self.columns * self.stride, len(images)), np.float32)
        for i in range(tuples.shape[1]):
            self.powers[images[:, i], np.arange(len(images))] += 4.0**i
        self.weights = arrays["weights"].astype(np.int32).ravel()
        self.offsets = np.tile(np.arange(len(tuples), dtype=np.int32) * size, 2)
        fits = types and arrays["weights"].shape == (len(tuples), size) and self.columns <= 8 and self.seat in (1, 2)
        if not fits or sum(array.nbytes for array in arrays.values()) > 1_000_000:
            raise ValueError("arrays that do not fit, or of more than 1,000,000 bytes")

    def has_line(self, stones):
        """Return whether stones form a line."""
        steps = (1, self.rows, self.rows + 1, self.rows + 2)
        lines = [np.bitwise_and.reduce([stones >> U64(step * i) for i in range(self.length)]) for step in steps]
        return np.bitwise_or.reduce(lines) != 0

    def next_stones(self, both, column):
        """Return the cell of the next stone of a column, 0 if it is full."""
        return (both + (U64(1) << self.shifts[column])) & ~both & self.column << self.shifts[column]

    def mirrored(self, stones):
        """Return stones with the columns in reverse order."""
        columns = zip(self.shifts, self.shifts[::-1], strict=True)
        return sum((stones >> shift & self.column) << other for shift, other in columns)

    def boards(self, keys):
        """Return the stones of the player to move and of both: the highest bit of a column marks its height."""
        own, both = np.zeros_like(keys), np.zeros_like(keys)
        for shift in self.shifts:
            part = keys >> shift & U64(2**self.stride - 1)
            top = U64(1) << (np.frexp(part.astype(float))[1] - 1).astype(U64)
            own, both = own | (part ^ top) << shift, both | (top - U64(1)) << shift
        return own, both

    def values(self, own, other):
        """Return the values of boards in the view of `own`, who has just moved."""
        free = sum(self.next_stones(own | other, column) for column in range(self.columns))
        cells = np.arange(len(self.powers), dtype=U64)[:, None]
        digits = (free >> cells & U64(1)) + U64(2) * (own >> cells & U64(1)) + U64(3) * (other >> cells & U64(1))
        return self.weights[(digits.astype(np.float32).T @ self.powers).astype(np.int32) + self.offsets].sum(axis=1)

    def choices(self, keys):
        """Return the column that the player chooses in each position."""
        images = sum(self.mirrored(stones) for stones in self.boards(keys)) + self.bottom
        flipped, keys = images < keys, np.minimum(keys, images)
        own, both = self.boards(keys)
        cells = np.stack([self.next_stones(both, column) for column in range(self.columns)])
        chosen = np.full(keys.size, -1)
        for column in reversed(self.order):
            chosen[(cells[column] != 0) & self.has_line(own | cells[column])] = column
        if self.shape[1, 1]:
            asked = np.flatnonzero(chosen < 0)
            if len(self.filter):
                prints = hashes(keys[asked], 1 << 30) & U32(2 ** len(self.filter) - 1)
                asked = asked[stored(self.filter, self.shape[0], keys[asked]) == prints]
            found = stored(self.exceptions, self.shape[1], keys[asked])
            legal = (found < self.columns) & (cells[np.minimum(found, self.columns - 1), asked] != 0)
            chosen[asked[legal]] = found[legal]
        rest, best = np.flatnonzero(chosen < 0), np.full(keys.size, np.iinfo(np.int64).min)
        for column in self.order:
            open_ = rest[cells[column, rest] != 0]
            found = self.values(own[open_] | cells[column, open_], own[open_] ^ both[open_])
            better = found > best[open_]
            best[open_[better]], chosen[open_[better]] = found[better], column
        return np.where(flipped, self.columns - 1 - chosen, chosen)

    def check(self):
        """Print a line for each ply; raise ValueError unless every game is won."""
        level, ply, failures, positions = np.array([self.bottom], U64), 0, 0, 0
        while level.size:
            print(ply, level.size, f"{int(mixed(level, *SPLITMIX).sum(dtype=U64)):016x}")
            going, lost, moves = [], [], ply % 2 == self.seat - 1
            for keys in np.array_split(level, -(-level.size // BLOCK)):
                (own, both), only, legal = self.boards(keys), self.choices(keys) if moves else None, 0
                for column in range(self.columns):
                    cell = self.next_stones(both, column)
                    played, wins = (cell != 0) & (only == column if moves else True), self.has_line(own | cell)
                    ends = wins | ((both | cell) == self.bottom * self.column)
                    after = (own ^ both) + (both | cell) + self.bottom
                    going.append(after[played & ~ends])
                    lost.append(after[played & ends & ~(wins & moves)])
                    legal += played.sum()
                if moves and legal != keys.size:
                    raise ValueError("the rule chose a full column")
            level, ply = np.unique(np.concatenate(going)), ply + 1
            failures += np.unique(np.concatenate(lost)).size
            positions += level.size
            if positions > MOST:
                raise ValueError(f"more than {MOST:,} positions")
        if failures:
            raise ValueError(f"{failures} terminal positions that are not wins")
        print(f"proven: {'XO'[self.seat - 1]} wins every game")


if __name__ == "__main__":
    try:
        Checker(sys.argv[1]).check()
    except Exception as error:
        raise SystemExit(print(f"failed: {error}") or 1) from None
