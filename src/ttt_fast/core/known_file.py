"""Files that are known by their content."""

import hashlib
import re
from dataclasses import dataclass, field

from ttt_fast.core.errors import UsageError


@dataclass(frozen=True)
class KnownFile:
    """A file with the hash of its content, by which two such files are compared.

    Attributes
    ----------
    path, sha256
        Where it is, and the hash of its bytes.

    Examples
    --------
    >>> file = KnownFile.at(f"games.txt@{'0' * 64}")
    >>> file.path, KnownFile.at(file.text) == file == KnownFile("moved.txt", "0" * 64)
    ('games.txt', True)
    """

    path: str = field(compare=False)
    sha256: str

    @property
    def text(self) -> str:
        """The path and the hash."""
        return f"{self.path}@{self.sha256}"

    @classmethod
    def at(cls, text: str) -> "KnownFile":
        """Return the file of a path, whose content is read unless the text states its hash, too."""
        known = re.fullmatch(r"(.*)@([0-9a-f]{64})", text, re.DOTALL)
        if known:
            return cls(*known.groups())
        from ttt_fast.core.archive import read_bytes  # lazy: help reads no files

        return cls(text, hashlib.sha256(read_bytes(text)).hexdigest())

    def check(self, what: str) -> None:
        """Raise UsageError if the content has changed, and FileFormatError if the file cannot be read."""
        found = KnownFile.at(self.path).sha256
        if found != self.sha256:
            raise UsageError(f"expected {what} in {self.path!r}, of sha256 {self.sha256[:12]}..., got {found[:12]}...")
