"""A safe pickle reader: it executes nothing from the file, makes only plain values, and accepts four names.

It is the pure-Python unpickler of the standard library, restricted to the opcodes that a table needs.  (The C version
allocates gigabytes for a single large memo index.)  Names are never imported: each of the four allowed names has a
fixed meaning in this module.  A numpy number is decoded from its bytes, and an agent becomes the dictionary of its
attributes.
"""

import io
import pickle
import struct
from typing import Any

from ttt_fast.core.errors import FileFormatError

MAX_STEPS = 2_000_000
"""A limit on steps; a full table takes less than a third of it, and a longer pickle is not a table."""

_EXPECTED = "expected a table pickled with protocol 2 to 5"
_FORMAT_OF_DTYPE = {"i4": "i", "i8": "q", "f4": "f", "f8": "d"}


class PickledAgent:
    """An agent by Hensler: its attributes, without any methods."""

    attributes: object = None


class _Dtype:
    """The type of a numpy number; its byte order is set after its code."""

    byte_order = "<"

    def __init__(self, code: object, *_: object) -> None:
        if not isinstance(code, str):
            raise TypeError
        self.layout = _FORMAT_OF_DTYPE[code]


class _Table(dict[object, object]):
    """A dictionary keyed by text or the nine moves; other keys are refused, as nested tuples hash slowly."""

    __slots__ = ()

    def __setitem__(self, key: object, value: object) -> None:
        if not isinstance(key, str) and not _is_move(key):
            raise FileFormatError(
                f"expected text or moves (row, column) as keys, got {type(key).__name__}; the pickle is of another kind"
            )
        super().__setitem__(key, value)


def _is_move(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, int) and 0 <= part <= 2 for part in key)


def _number(dtype: _Dtype, content: bytes) -> object:
    """Return a numpy number as a Python number."""
    return struct.unpack(dtype.byte_order + dtype.layout, content)[0]


_NAMES = {
    ("__main__", "QAgent"): PickledAgent,
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "scalar"): _number,
    ("numpy._core.multiarray", "scalar"): _number,
}


class _Reader(pickle._Unpickler):
    """An unpickler with few opcodes and a limit on the number of steps."""

    def __init__(self, content: bytes) -> None:
        self.stream = io.BytesIO(content)
        super().__init__(self.stream)
        self.steps = 0
        self.stack: list[Any] = []
        self.metastack: list[Any] = []

    @property
    def dispatch(self) -> "_Reader":  # type: ignore[override]
        """The mapping in which the unpickler looks up the function of an opcode."""
        return self

    def __getitem__(self, opcode: int) -> object:
        """Return the function of an opcode."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise FileFormatError(f"expected a pickle of at most {MAX_STEPS} steps, got more")
        if opcode not in _FUNCTIONS:
            raise FileFormatError(
                f"{_EXPECTED}, got the opcode {bytes([opcode])!r} at byte {self.stream.tell() - 1}; it is damaged or"
                " of another kind, and nothing in it was run"
            )
        return _FUNCTIONS[opcode]

    def find_class(self, module: str, name: str) -> object:
        """Return the object for one of the four allowed names."""
        if (module, name) not in _NAMES:
            asked = f"{module[:80]}.{name[:80]}"
            raise FileFormatError(
                f"expected a table of values, but the pickle asks for {asked!r}; nothing in it was run"
            )
        return _NAMES[module, name]

    def load_build(self) -> None:
        """Set the attributes of an agent, or the byte order of a numpy type; no other object has a state."""
        state, target = self.stack.pop(), self.stack[-1]
        if isinstance(target, PickledAgent) and isinstance(state, dict):
            target.attributes = state
        elif isinstance(target, _Dtype) and state[1] in ("<", ">"):
            target.byte_order = state[1]
        else:
            raise FileFormatError("expected the attributes of an agent; the pickle is damaged or of another kind")


_OPCODES = (
    pickle.PROTO, pickle.STOP, pickle.MARK, pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE,
    pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1, pickle.BINFLOAT,
    pickle.SHORT_BINUNICODE, pickle.BINUNICODE, pickle.SHORT_BINBYTES, pickle.BINBYTES,
    pickle.EMPTY_TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3, pickle.TUPLE, pickle.SETITEM, pickle.SETITEMS,
    pickle.MEMOIZE, pickle.BINPUT, pickle.LONG_BINPUT, pickle.BINGET, pickle.LONG_BINGET,
    pickle.GLOBAL, pickle.STACK_GLOBAL, pickle.NEWOBJ, pickle.REDUCE,
)  # fmt: skip
_FUNCTIONS: dict[int, object] = {
    **{code[0]: pickle._Unpickler.dispatch[code[0]] for code in _OPCODES},
    pickle.FRAME[0]: lambda reader: reader.read(8),
    pickle.EMPTY_DICT[0]: lambda reader: reader.append(_Table()),
    pickle.BUILD[0]: _Reader.load_build,
}
"""The function of each opcode; any other opcode is refused."""


def read_pickle(content: bytes) -> object:
    """Return the dictionary or the `PickledAgent` that a pickle of protocol 2 to 5 describes.

    Raises
    ------
    FileFormatError
        If the pickle is damaged, or contains or refers to anything but a table of values.  The message does not include
        the file name.

    Examples
    --------
    >>> read_pickle(pickle.dumps({"000000000": {(1, 1): 0.5}}))
    {'000000000': {(1, 1): 0.5}}
    """
    reader = _Reader(content)
    try:
        found: object = reader.load()
    except FileFormatError:
        raise
    except Exception as error:  # damaged bytes may raise any exception
        raise FileFormatError(f"{_EXPECTED}; it is truncated, damaged or of another kind") from error
    if reader.stack or reader.metastack or reader.stream.tell() < len(content):
        raise FileFormatError("expected one value and nothing after it; the pickle is damaged")
    return found
