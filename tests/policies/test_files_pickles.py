"""Pickles by Hensler and Sai, and pickles that would do harm."""

import builtins
import copyreg
import os
import pickle
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

from conftest import PATIENCE
from ttt_fast import FileFormatError, load_policy, table_of
from ttt_fast.policies.files import _pickle_reader
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = boards_of(TABLE)


class QAgent:
    """The agent that Hensler pickles; for the pickle its class is in `__main__`."""

    def __init__(self, q_table):
        self.player_id = 1
        self.q_table = q_table
        self.epsilon = 0.05
        self.alpha = 0.3
        self.gamma = 0.9


QAgent.__module__ = "__main__"


@pytest.fixture
def as_main(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "QAgent", QAgent, raising=False)


ROWS = {
    "000000000": {(0, 0): 1.5, (1, 1): 1.5, (2, 2): -3.0},
    "100000000": {(0, 1): 0, (2, 1): -1},
    "100020000": {},
}


def with_numpy_numbers(rows):
    return {
        board: {(np.int64(row), np.int64(column)): np.float64(value) for (row, column), value in moves.items()}
        for board, moves in rows.items()
    }


def loaded(tmp_path, content):
    path = tmp_path / "brain.pkl"
    path.write_bytes(content)
    return load_policy(path, TABLE)


def refused(tmp_path, content):
    """The message with which a pickle is refused; the file is untouched and the line is short."""
    path = tmp_path / "brain.pkl"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        load_policy(path, TABLE)
    message = str(caught.value)
    assert message.startswith(repr(str(path)))
    assert "\n" not in message
    assert len(message) < 500
    assert path.read_bytes() == content
    return message


PLAIN = [(protocol, dict) for protocol in (2, 3, 4, 5)]
NUMPY = [(protocol, with_numpy_numbers) for protocol in (3, 4, 5)]  # protocol 2 has no bytes


@pytest.mark.parametrize(("protocol", "convert"), PLAIN + NUMPY)
@pytest.mark.parametrize("make", [QAgent, dict])
def test_an_agent_of_hensler_plays_its_best_moves_uniformly(tmp_path, as_main, protocol, convert, make):
    policy = loaded(tmp_path, pickle.dumps(make(convert(ROWS)), protocol))
    assert policy.weights[0].tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 0]
    assert policy.weights[TABLE.state_index("X........")].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    # An empty row and a board without a row: any legal move.
    assert policy.weights[TABLE.state_index("X...O....")].tolist() == [0, 1, 1, 1, 0, 1, 1, 1, 1]
    assert policy.weights[TABLE.state_index(".X.......")].tolist() == [1, 0, 1, 1, 1, 1, 1, 1, 1]
    assert np.flatnonzero(policy.held).tolist() == [0, TABLE.state_index("X........")]


AFTERSTATES = {
    "[1 0 0 0 0 0 0 0 0]": 0.25,
    "[0 0 0 0 1 0 0 0 0]": np.float64(0.25),
    "[0 0 0 0 0 0 0 0 1]": -1,
    "[1 0 0 0 2 0 0 0 1]": -0.5,
    "[1 1 1 2 2 0 0 0 0]": 0.9,
}


def test_a_table_of_sai_takes_the_best_afterstate_and_the_last_on_ties(tmp_path):
    policy = loaded(tmp_path, pickle.dumps(AFTERSTATES))
    actions = policy.greedy_actions()
    assert (policy.weights.sum(axis=1) == TABLE.decision_mask).all()
    assert actions[0] == 4  # 0.25 in cells 0 and 4, unknown cells count as 0
    assert actions[TABLE.state_index("X...O....")] == 7  # cell 8 leads to -0.5, the others to 0
    assert actions[TABLE.state_index("XX.OO....")] == 2
    assert actions[TABLE.state_index(".X.......")] == 8  # nothing known: the last free cell
    parents = {
        TABLE.state_index(board)
        for board in (".........", "X...O....", "....O...X", "XX.OO....", "X.XOO....", ".XXOO....")
    }
    assert set(np.flatnonzero(policy.held).tolist()) == parents


def test_numpy_numbers_of_four_types_are_decoded_from_their_bytes():
    types = {"i4": np.int32(-7), "i8": np.int64(-(2**40)), "f4": np.float32(0.5), "f8": np.float64(0.1)}
    assert _pickle_reader.read_pickle(pickle.dumps(types)) == {name: value.item() for name, value in types.items()}
    assert _pickle_reader.read_pickle(pickle.dumps({"x": np.dtype(">f8").type(2.5)})) == {"x": 2.5}
    big_endian = (
        pickle.dumps({"x": np.float64(2.5)}).replace(b"<", b">").replace(struct.pack("<d", 2.5), struct.pack(">d", 2.5))
    )
    assert _pickle_reader.read_pickle(big_endian) == {"x": 2.5}
    old_numpy = pickle.dumps({"x": np.float64(2.5)}, 3).replace(b"numpy._core", b"numpy.core")
    assert _pickle_reader.read_pickle(old_numpy) == {"x": 2.5}


class Calls:
    """Pickles itself as a call."""

    def __init__(self, function, *arguments, state=None):
        self.call = (function, arguments) if state is None else (function, arguments, state)

    def __reduce__(self):
        return self.call


def flag(folder):
    return os.path.join(folder, "it-ran")


def harmful(folder):
    touch = f"touch {flag(folder)}"
    code = f"open({flag(folder)!r}, 'w').close()"
    return {
        "os.system": Calls(os.system, touch),
        "subprocess.Popen": Calls(subprocess.Popen, touch, True),
        "eval": Calls(builtins.eval, code),
        "exec": Calls(builtins.exec, code),
        "open": Calls(open, flag(folder), "w"),
        "getattr": Calls(getattr, "", "join"),
        "copyreg": Calls(copyreg._reconstructor, QAgent, object, None),
        "nested": {"000000000": {(0, 0): Calls(builtins.eval, code)}},
        "key": {"000000000": {Calls(builtins.eval, code): 1.0}},
        "attribute": QAgent(Calls(builtins.eval, code)),
        "state": Calls(QAgent, {}, state={"q_table": Calls(os.system, touch)}),
        "deep": {"000000000": {(0, 0): ({"x": ((Calls(os.system, touch),),)},)}},
        "numpy": {"000000000": {(0, 0): Calls(np.frombuffer, b"x")}},
        "array": np.zeros((3, 3)),
        "object array": np.array([Calls(os.system, touch)], object),
        "type": {"000000000": {(0, 0): np.complex128(1)}},
    }


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", list(harmful(".")))
def test_nothing_in_a_pickle_is_ever_run(tmp_path, as_main, name, protocol):
    content = pickle.dumps(harmful(tmp_path)[name], protocol)
    before = set(sys.modules)
    refused(tmp_path, content)
    assert not os.path.exists(flag(tmp_path))
    assert set(sys.modules) == before


BOMB = b"\x80\x04)\x94" + b"".join(b"h" + bytes([i]) + b"h" + bytes([i]) + b"\x86\x94" for i in range(200))
"""Memo entry 200 is a tuple of 2**200 leaves."""


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04}" + b"r\xff\xff\xff\x7f" + b".",  # a huge memo index: gigabytes in the C unpickler
        BOMB + b"}" + b"h\xc8K\x01s.",  # as a key: its hash takes for ever
        BOMB + b".",
        BOMB + b"c__main__\nQAgent\nh\xc8\x81.",
        BOMB + b"cnumpy\ndtype\n\x8c\x02f8\x85Rh\xc8b.",
        b"\x80\x04c__main__\nQAgent\nN}\x8c\x0c__setitem__Ns\x86b.",  # the state of a class
        b"\x80\x04cnumpy\ndtype\n)\x81.",
        b"\x80\x04}\x8c\x09000000000}s(}.",  # a mark that nothing took
        b"\x80\x04" + b"(" * 100_000,
        b"\x80\x04)" + b"\x85" * 100_000 + b".",
        b"\x80\x04}\x94" + b"\x8c\x01ah\x00s.",  # a dictionary that holds itself
        b"\x80\x04\x8d" + b"\xff" * 8 + b".",
        b"\x80\x04\x8e" + b"\xff" * 7 + b"\x7f.",
        b"\x80\x04B\xff\xff\xff\x7f.",
        b"\x80\x04\x8a\xff" + b"\x7f" * 255 + b".",
        b"\x80\xff.",
        b"\x80\x04}(K\x01K\x01u.",
        b"\x80\x04K\x01(\x8c\x01aK\x01u.",
        b"\x80\x04h\x00.",
        b"\x80\x04\x93.",
        b"\x80\x04c" + b"a" * 1000 + b"\n" + b"b" * 1000 + b"\n.",
        b"\x80\x04c__main__\nQAgent\n)\x81K\x01b.",
        b"\x80\x04c__main__\nQAgent\n)\x81}b.",
        b"\x80\x04c__main__\nQAgent\n)R.",
        b"\x80\x04c__main__\nQAgent\nK\x01\x85\x81.",
        b"\x80\x04\x8c\x08__main__\x8c\x06QAgent\x86)\x81.",  # a tuple that looks like the name
        b"\x80\x04cnumpy\ndtype\n\x8c\x02O8\x85R.",
        b"\x80\x04cnumpy\ndtype\n\x8c\x02f8\x85RK\x01b.",
        b"\x80\x04cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\n\x8c\x02f8\x85RC\x07aaaaaaa\x86R.",
        b"\x80\x04\x8c\x02\xff\xfe.",
        b"\x80\x04P1\n.",  # a persistent id
        b"\x80\x04\x82\x01.",  # an extension code
        b"\x80\x04S'\\x'\n.",
        b"I" + b"9" * 10_000 + b"\n.",
    ],
    ids=lambda content: repr(content[:24]),
)
def test_bombs_and_nonsense_end_in_one_line_and_in_time(tmp_path, content):
    start = time.perf_counter()
    refused(tmp_path, content)
    assert time.perf_counter() - start < PATIENCE


def test_a_pickle_of_too_many_steps_is_not_read_to_its_end(tmp_path):
    message = refused(tmp_path, b"\x80\x04" + b"N" * 2_000_001)
    assert "expected a pickle of at most 2000000 steps, got more" in message


def test_a_file_of_more_than_64_megabytes_is_not_parsed(tmp_path):
    path = tmp_path / "brain.pkl"
    with open(path, "wb") as stream:
        stream.truncate(64 * 1024 * 1024 + 1)
    with pytest.raises(FileFormatError, match="expected at most 67108864 bytes, got more"):
        load_policy(path, TABLE)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "expected a dictionary of boards, got an empty dictionary"),
        (5, "expected a dictionary of boards, got int"),
        ({"00000000": {}}, "expected boards such as '000000000', got '00000000'"),
        ({"\u0660" * 9: {}}, "expected boards such as '000000000'"),
        ({(0, 0): {}}, "expected boards such as '000000000', got tuple"),
        ({"200000000": {}}, "expected boards that legal play reaches, got '200000000'"),
        ({"000000000": {}, "100000000": 0.5}, "expected values by move for the board '100000000', got float"),
        ({"100000000": {(0, 0): 1.0}}, "expected a legal move for the board '100000000', got tuple"),
        ({"000000000": {"a\nb": 1.0}}, "expected a legal move for the board '000000000', got 'a"),
        ({"000000000": {(0, 3): 1.0}}, "expected text or moves"),
        ({"000000000": {(0, 0): float("nan")}}, "expected a finite value for the board '000000000', got nan"),
        ({"000000000": {(0, 0): "1"}}, "expected a finite value for the board '000000000', got '1'"),
        ({"000000000": {(0, 0): 10**400}}, "expected a finite value for the board '000000000', got 1000|the opcode"),
        ({"[0 0 0 0 0 0 0 0]": 1.0}, "expected boards such as '[0 0 0 0 0 0 0 0 0]'"),
        ({"[" + " ".join("0" * 42) + "]": 1.0}, "expected boards such as '[0 0 0 0 0 0 0 0 0]'"),
        (
            {"[0 0 0 0 0 0 0 0 1]": None},
            "expected a finite value for the board '[0 0 0 0 0 0 0 0 1]', got NoneType",
        ),
    ],
)
def test_tables_of_something_else_are_refused(tmp_path, value, message):
    found = refused(tmp_path, pickle.dumps(value))
    assert any(part in found for part in message.split("|"))


@pytest.mark.parametrize("attributes", [{}, {"q_table": 5}, {"q_table": {"000000000": 1.0}}])
def test_an_agent_without_a_table_is_refused(tmp_path, as_main, attributes):
    agent = QAgent({})
    vars(agent).clear()
    vars(agent).update(attributes)
    assert "expected" in refused(tmp_path, pickle.dumps(agent))
    assert isinstance(_pickle_reader.read_pickle(pickle.dumps(QAgent({}))), _pickle_reader.PickledAgent)
