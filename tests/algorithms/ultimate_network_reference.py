"""The plain network of Ultimate: boards as tuples, parameters as numpy float64 arrays, one position at a time."""

import functools
import itertools

import numpy as np

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
OWN, OTHER, FULL, FREE = "own", "other", "full", "free"


def board_name(cells):
    """What a small board, nine of 0 (empty), 1 (own) and 2 (the other's), is to the network."""
    for mark, name in ((1, OWN), (2, OTHER)):
        if any(all(cells[cell] == mark for cell in line) for line in LINES):
            return name
    return FULL if 0 not in cells else tuple(cells)


@functools.cache
def pattern_numbers():
    """The number of each name; open boards by the number that their cells are in base 3, the first cell last."""
    names = [OWN, OTHER, FULL, FREE]
    for turned in itertools.product(range(3), repeat=9):
        name = board_name(turned[::-1])
        if isinstance(name, tuple):
            names.append(name)
    return {name: number for number, name in enumerate(names)}


def boards_seen(state):
    """The nine boards of a state of the package, as the player to move sees them."""
    own, other = state.own_high << 63 | state.own_low, state.other_high << 63 | state.other_low
    marks = [(own >> cell & 1) + 2 * (other >> cell & 1) for cell in range(81)]
    return [tuple(marks[9 * board : 9 * board + 9]) for board in range(9)]


def slots(boards, target):
    """The ten names that the network sees."""
    names = [board_name(board) for board in boards]
    return [*names, FREE if target == 9 else names[target]]


class PlainNetwork:
    """The network of flat parameters, as float64 arrays: embeddings, then the layers of each ending."""

    def __init__(self, parameters, patterns, sizes):
        embedding, hidden, second = sizes
        flat = np.asarray(parameters, np.float64)
        self.embedding = flat[: patterns * embedding].reshape(patterns, embedding)
        layers = flat[patterns * embedding :].reshape(2, -1)
        shapes = [(10, embedding, hidden), (10, hidden), (hidden, second), (second,), (second,), ()]
        self.endings = []
        for row in layers:
            arrays, at = [], 0
            for shape in shapes:
                size = int(np.prod(shape, dtype=int))
                arrays.append(row[at : at + size].reshape(shape))
                at += size
            assert row.size - at < 16
            self.endings.append(arrays)

    def result(self, numbers, target, ending):
        first, targets, second, second_bias, third, third_bias = self.endings[ending]
        sums = targets[target].copy()
        for slot, number in enumerate(numbers):
            sums += self.embedding[number] @ first[slot]
        sums = np.clip(sums, 0, 1) @ second + second_bias
        return np.clip(sums, 0, 1) @ third + third_bias

    def value(self, numbers, target, ending):
        result = self.result(numbers, target, ending)
        return result / np.sqrt(1 + result * result)


def symmetry_images():
    """The places of nine cells after each symmetry of the square, the identity first, as the package orders them."""
    square = np.arange(9).reshape(3, 3)
    return [np.rot90(grid, turns).ravel() for grid in (square, square.T) for turns in range(4)]


def transformed(boards, target, places):
    """The boards and the target after a symmetry."""
    turned = [None] * 9
    for board, cells in enumerate(boards):
        image = [0] * 9
        for cell, mark in enumerate(cells):
            image[places[cell]] = mark
        turned[places[board]] = tuple(image)
    return turned, 9 if target == 9 else int(places[target])
