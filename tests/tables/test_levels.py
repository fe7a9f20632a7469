"""Levels of an induced table: the positions of the plain enumeration, whatever the sizes of chunks and tables."""

import numpy as np
import pytest
from ttt_fast.tables.fragment import fragment_of
from ttt_fast.tables.levels import ALL, below_of, next_keys, seats_of, slot_of

import induced_reference as plain
from ttt_fast import induced_table
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.tables import levels as module

COUNTS = {(4, 4, 1): 998, (5, 4, 1): 5_804, (5, 4, 2): 11_574, (5, 5, 1): 29_824, (6, 4, 1): 28_829}


def spec_of(columns, rows):
    return f"connect4:columns={columns},rows={rows}"


def enumerated(agent, seat, spec):
    """The table of an agent, which is enumerated again: an agent object is not remembered."""
    from ttt_fast.analysis.levels import Limits, make_levels

    from ttt_fast.agents.sources import source_of

    game = parse_game(spec)
    return make_levels(source_of(agent, game), game, seat, Limits(1e7, 1e11))


def boards_of(levels):
    """The positions of each ply as the plain version has them."""
    game = levels.game
    rows, found = game.initial_state.rows, []
    for level in levels.levels:
        texts = fragment_of(game, level.keys)
        boards = set()
        for index in range(level.keys.size):
            lines = game.format_position(texts.state(index)).split("/")[::-1]
            assert len(lines) == rows
            columns = zip(*lines, strict=True)
            boards.add(tuple(tuple(" XO".index(mark) for mark in one if mark != ".") for one in columns))
        assert len(boards) == level.keys.size
        found.append(boards)
    return found


@pytest.mark.parametrize(("columns", "rows", "seat"), COUNTS)
def test_the_positions_are_those_of_the_plain_enumeration(columns, rows, seat):
    expected = plain.levels(plain.connect_four(columns, rows), seat, plain.rule_rows(rows))
    levels = enumerated("centre-first", seat, spec_of(columns, rows))
    assert levels.positions == sum(map(len, expected)) == COUNTS[columns, rows, seat]
    if levels.positions < 20_000:
        assert boards_of(levels) == expected


def test_random_play_leaves_all_positions():
    game = plain.connect_four(3, 4)
    assert boards_of(enumerated("random", 1, spec_of(3, 4))) == plain.levels(game, 1, plain.random_rows(game))


@pytest.mark.parametrize(("chunk", "block", "spare"), [(1, 1, 1), (7, 3, 5), (100, 64, 4096)])
def test_sizes_of_chunks_change_nothing(monkeypatch, chunk, block, spare):
    """Small chunks and hash tables, which have to grow again and again; BLOCK is compiled into the kernels."""
    expected = enumerated("centre-first", 1, spec_of(5, 4))
    for name, size in (("CHUNK", chunk), ("_SPARE", spare), ("_MIN_SLOTS", block)):
        monkeypatch.setattr(module, name, size)
    found = enumerated("centre-first", 1, spec_of(5, 4))
    for one, other in zip(found.levels, expected.levels, strict=True):
        np.testing.assert_array_equal(one.keys, other.keys)
        np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(found.ends, expected.ends)


def test_moves_to_the_end_are_counted():
    plain_game, levels = plain.connect_four(4, 4), enumerated("centre-first", 1, spec_of(4, 4))
    rows, counts = plain.rule_rows(4), np.zeros((len(levels.levels), 4), int)
    for ply, level in enumerate(plain.levels(plain_game, 1, rows)):
        for state in level:
            own = plain_game.player(state) == 1
            for action in rows(state) if own else plain_game.legal_actions(state):
                end = plain_game.result(plain_game.play(state, action))
                counts[ply, {None: api.ONGOING, 1: api.X_WINS, 0: api.DRAW, -1: api.O_WINS}[end]] += 1
    np.testing.assert_array_equal(levels.ends, counts)


def test_keys_are_found_in_a_level():
    keys = np.unique(np.random.default_rng(1).integers(2**62, size=1000).astype(np.uint64))
    below = below_of(keys)
    for index, key in enumerate(keys):
        slot = slot_of(key, module.place_of(key, below.shift), below)
        assert below.slots[slot] == index + 1
    missing = np.uint64(2**63)
    assert below.slots[slot_of(missing, module.place_of(missing, below.shift), below)] == 0


def test_seats_and_chunks(monkeypatch):
    levels = enumerated("centre-first", 1, spec_of(4, 4))
    for ply, level in enumerate(levels.levels):
        assert set(seats_of(levels.game, level.keys).tolist()) == {1 + ply % 2}
    monkeypatch.setattr(module, "CHUNK", 10)
    level = levels.levels[6]
    parts = list(level.chunks())
    assert sum(keys.size for _, keys, _ in parts) == level.keys.size and len(parts) == 4
    assert all(not keys.flags.writeable and not codes.flags.writeable for _, keys, codes in parts)
    assert {codes.dtype for *_, codes in parts} == {np.dtype(np.int32)}
    assert all((codes == ALL).all() for *_, codes in levels.levels[5].chunks())


def test_an_empty_level_has_no_children():
    levels = enumerated("centre-first", 1, spec_of(4, 4))
    empty = module.Level(np.empty(0, np.uint64), np.empty(0, np.uint8))
    ends = np.zeros(4, np.int64)
    assert next_keys(levels.game, empty, levels.support, ends).size == 0 and not ends.any()


@pytest.mark.slow
@pytest.mark.parametrize(("seat", "count"), [(1, 7_202_835), (2, 20_006_599)])
def test_the_rule_on_the_full_board(seat, count, monkeypatch):
    from ttt_fast.analysis import induced

    monkeypatch.setattr(induced, "KEPT_POSITIONS", 10**9)
    found = induced_table("centre-first", seat, "connect4")
    induced._known.clear()
    assert found.positions == count
    assert sum(found.outcome().fractions) == 1
