"""A reader of pickles that runs nothing: it makes only plain values, and knows four names.

The opcodes (named in the standard library's `pickle`, explained in `pickletools`) are interpreted here:
Python's own unpickler can be kept from importing, but not from calling objects that it has built, nor from allocating
gigabytes for one large memo index.  Names are never looked up: each of the four allowed ones means an
action *here*.  A numpy number is decoded from its bytes, and an agent becomes the dictionary of its attributes.
"""

import pickle
import struct
from collections.abc import Callable
from typing import NamedTuple

from ttt_fast.core.errors import FileFormatError
from ttt_fast.policies.files._pickle_machine import Machine

MAX_STEPS = 2_000_000
"""A full table takes less than a third of these steps; a longer pickle is no table, and would only take time."""

_MIN_PROTOCOL, _MAX_PROTOCOL = 2, 5


class Global(NamedTuple):
    """A name that a pickle asks for."""

    module: str
    name: str


AGENT = Global("__main__", "QAgent")
"""Hensler's agent."""

_DTYPE = Global("numpy", "dtype")
_SCALARS = (Global("numpy.core.multiarray", "scalar"), Global("numpy._core.multiarray", "scalar"))
_FORMAT_OF_DTYPE = {"i4": "i", "i8": "q", "f4": "f", "f8": "d"}


class Agent:
    """An agent by Hensler: its attributes, nothing that could be called."""

    def __init__(self) -> None:
        self.attributes: dict[object, object] = {}


class _Dtype:
    """The type of a numpy number; its byte order comes later than its code."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.byte_order = "<"


def read_pickle(content: bytes) -> object:
    """Return the dictionary or the `Agent` that a pickle of protocol 2 to 5 describes.

    Raises
    ------
    FileFormatError
        If the pickle is damaged, or holds or asks for anything but a table of values.  The message does
        not name the file.

    Examples
    --------
    >>> read_pickle(pickle.dumps({"000000000": {(1, 1): 0.5}}))
    {'000000000': {(1, 1): 0.5}}
    """
    machine = Machine(content)
    for _ in range(MAX_STEPS):
        opcode = machine.take(1)
        if opcode == pickle.STOP:
            return machine.result()
        if opcode not in _STEPS:
            raise FileFormatError(
                f"expected a table pickled with protocol {_MIN_PROTOCOL} to {_MAX_PROTOCOL}, got the opcode"
                f" {opcode!r} at byte {machine.position - 1}; it is damaged or foreign, nothing in it was run"
            )
        _STEPS[opcode](machine)
    raise FileFormatError(f"expected a pickle of at most {MAX_STEPS} steps, got more")


def _protocol(machine: Machine) -> None:
    version = machine.take(1)[0]
    if not _MIN_PROTOCOL <= version <= _MAX_PROTOCOL:
        raise FileFormatError(f"expected a pickle of protocol {_MIN_PROTOCOL} to {_MAX_PROTOCOL}, got {version}")


def _long(machine: Machine) -> None:
    count = machine.take(1)[0]
    if count > 8:
        raise FileFormatError(f"expected integers of at most 8 bytes, got one of {count}")
    machine.push(int.from_bytes(machine.take(count), "little", signed=True))


def _set_items(machine: Machine, items: list[object]) -> None:
    """Put keys and values into the dictionary on top of the stack.

    Only text and the nine moves may be keys: the hash of a nested tuple can take for ever.
    """
    target = machine.peek()
    if not isinstance(target, dict) or len(items) % 2:
        raise FileFormatError("expected keys and values of a dictionary; the pickle is damaged or foreign")
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, str) and not _is_move(key):
            raise FileFormatError(
                f"expected text or moves (row, column) as keys, got {type(key).__name__}; the pickle is foreign"
            )
        target[key] = value


def _is_move(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, int) and 0 <= part <= 2 for part in key)


def _name(machine: Machine, module: object, name: object) -> None:
    """Put one of the four names on the stack."""
    if not isinstance(module, str) or not isinstance(name, str):
        raise FileFormatError("expected names that are text; the pickle is damaged")
    found = Global(module[:80], name[:80])
    if found not in (AGENT, _DTYPE, *_SCALARS):
        raise FileFormatError(
            f"expected a table of values, but the pickle asks for {'.'.join(found)!r}; nothing in it was run"
        )
    machine.push(found)


def _reduce(machine: Machine) -> None:
    """Make a numpy type of its code, or a number of its type and bytes."""
    arguments, function = machine.pop(), machine.pop()
    if isinstance(function, Global) and isinstance(arguments, tuple) and arguments:
        first, second = arguments[0], arguments[1] if len(arguments) == 2 else None
        if function == _DTYPE and isinstance(first, str) and first in _FORMAT_OF_DTYPE:
            machine.push(_Dtype(first))
            return
        if function in _SCALARS and isinstance(first, _Dtype) and isinstance(second, bytes):
            layout = first.byte_order + _FORMAT_OF_DTYPE[first.code]
            if len(second) == struct.calcsize(layout):
                machine.push(struct.unpack(layout, second)[0])
                return
    raise FileFormatError("expected numpy numbers of the types i4, i8, f4 or f8; the pickle is damaged or foreign")


def _new(machine: Machine) -> None:
    arguments, kind = machine.pop(), machine.pop()
    if not isinstance(kind, Global) or kind != AGENT or arguments != ():
        raise FileFormatError("expected an agent made without arguments; the pickle is damaged or foreign")
    machine.push(Agent())


def _build(machine: Machine) -> None:
    """Give an agent its attributes, or a numpy type its byte order."""
    state, target = machine.pop(), machine.peek()
    if isinstance(target, Agent) and isinstance(state, dict):
        target.attributes = state
    elif isinstance(target, _Dtype) and isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">"):
        target.byte_order = str(state[1])
    else:
        raise FileFormatError("expected the attributes of an agent; the pickle is damaged or foreign")


_STEPS: dict[bytes, Callable[[Machine], object]] = {
    pickle.PROTO: _protocol,
    pickle.FRAME: lambda machine: machine.take(8),
    pickle.MARK: lambda machine: machine.marks.append(len(machine.stack)),
    pickle.NONE: lambda machine: machine.push(None),
    pickle.NEWTRUE: lambda machine: machine.push(True),
    pickle.NEWFALSE: lambda machine: machine.push(False),
    pickle.BININT: lambda machine: machine.push(machine.integer("<i")),
    pickle.BININT1: lambda machine: machine.push(machine.integer("<B")),
    pickle.BININT2: lambda machine: machine.push(machine.integer("<H")),
    pickle.LONG1: _long,
    pickle.BINFLOAT: lambda machine: machine.push(struct.unpack(">d", machine.take(8))[0]),
    pickle.SHORT_BINUNICODE: lambda machine: machine.push(machine.text(machine.integer("<B"))),
    pickle.BINUNICODE: lambda machine: machine.push(machine.text(machine.integer("<I"))),
    pickle.SHORT_BINBYTES: lambda machine: machine.push(machine.take(machine.integer("<B"))),
    pickle.BINBYTES: lambda machine: machine.push(machine.take(machine.integer("<I"))),
    pickle.EMPTY_TUPLE: lambda machine: machine.push(()),
    pickle.TUPLE1: lambda machine: machine.push_tuple(1),
    pickle.TUPLE2: lambda machine: machine.push_tuple(2),
    pickle.TUPLE3: lambda machine: machine.push_tuple(3),
    pickle.TUPLE: lambda machine: machine.push(tuple(machine.pop_to_mark())),
    pickle.EMPTY_DICT: lambda machine: machine.push({}),
    pickle.SETITEM: lambda machine: _set_items(machine, [machine.pop(), machine.pop()][::-1]),
    pickle.SETITEMS: lambda machine: _set_items(machine, machine.pop_to_mark()),
    pickle.MEMOIZE: lambda machine: machine.remember(len(machine.memo)),
    pickle.BINPUT: lambda machine: machine.remember(machine.integer("<B")),
    pickle.LONG_BINPUT: lambda machine: machine.remember(machine.integer("<I")),
    pickle.BINGET: lambda machine: machine.recall(machine.integer("<B")),
    pickle.LONG_BINGET: lambda machine: machine.recall(machine.integer("<I")),
    pickle.GLOBAL: lambda machine: _name(machine, machine.line(), machine.line()),
    pickle.STACK_GLOBAL: lambda machine: _name(machine, *[machine.pop(), machine.pop()][::-1]),
    pickle.NEWOBJ: _new,
    pickle.REDUCE: _reduce,
    pickle.BUILD: _build,
}
"""The action of each opcode; any other opcode is refused."""
