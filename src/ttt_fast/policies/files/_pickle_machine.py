"""The stack machine of the pickle format: bytes to read, a stack with marks, and a memo."""

import struct

from ttt_fast.core.errors import FileFormatError


class Machine:
    """The stack machine of the pickle format."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0
        self.stack: list[object] = []
        self.marks: list[int] = []
        self.memo: dict[int, object] = {}

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        data = self.content[self.position : self.position + count]
        if len(data) != count:
            raise FileFormatError("expected more bytes; the pickle is truncated or damaged")
        self.position += count
        return data

    def integer(self, layout: str) -> int:
        """Return the next integer, which has the given `struct` layout."""
        value: int = struct.unpack(layout, self.take(struct.calcsize(layout)))[0]
        return value

    def text(self, count: int) -> str:
        """Return the next `count` bytes as text."""
        return _decoded(self.take(count))

    def line(self) -> str:
        """Return the bytes up to the next end of line, as text."""
        end = self.content.find(b"\n", self.position)
        if end < 0:
            raise FileFormatError("expected a name; the pickle is truncated or damaged")
        return _decoded(self.take(end + 1 - self.position)[:-1])

    def push(self, value: object) -> None:
        """Put a value on the stack."""
        self.stack.append(value)

    def pop(self) -> object:
        """Remove and return the top of the stack."""
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise FileFormatError("expected a value on the stack; the pickle is damaged")
        return self.stack.pop()

    def peek(self) -> object:
        """Return the top of the stack."""
        value = self.pop()
        self.stack.append(value)
        return value

    def pop_to_mark(self) -> list[object]:
        """Remove and return the values pushed since the last mark."""
        if not self.marks:
            raise FileFormatError("expected a mark on the stack; the pickle is damaged")
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def push_tuple(self, count: int) -> None:
        """Replace the last `count` values by a tuple of them."""
        self.push(tuple([self.pop() for _ in range(count)][::-1]))

    def remember(self, index: int) -> None:
        """Keep the top of the stack under a number."""
        self.memo[index] = self.peek()

    def recall(self, index: int) -> None:
        """Put the value kept under a number on the stack."""
        if index not in self.memo:
            raise FileFormatError(f"expected a memo entry {index}, found none; the pickle is damaged")
        self.push(self.memo[index])

    def result(self) -> object:
        """Return the only value on the stack after the last byte."""
        if len(self.stack) != 1 or self.marks or self.position != len(self.content):
            raise FileFormatError("expected one value and nothing after it; the pickle is damaged")
        return self.pop()


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError("expected text in UTF-8; the pickle is damaged") from error
