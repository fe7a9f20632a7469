"""Policies in files: the `.npz` format of this package, and the formats of the five published projects."""

import os
from pathlib import Path
from types import ModuleType

from ttt_fast.core.archive import read_bytes, write_atomically
from ttt_fast.core.errors import OTHER_PROGRAMS, FileFormatError, UsageError
from ttt_fast.games.game import Game
from ttt_fast.policies.files import base3_text, langan, npz, pickles
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, table_of
from ttt_fast.tables.state_table import is_ordinary

AnyPath = str | os.PathLike[str]
DEFAULT_GAME = "tic-tac-toe"

_FOREIGN: dict[str, ModuleType] = {".dat": langan, ".pkl": pickles, ".pickle": pickles, ".txt": base3_text}
"""Modules with `MAX_BYTES`, `parse` and `recognises`."""
POLICY_SUFFIXES = (".npz", *_FOREIGN)
"""The file name suffixes that determine the format of a policy."""


def load_policy(path: AnyPath, table: StateTable | Game | str | None = None) -> Policy:
    """Return the policy in a file, named as it was saved, or else after the file without its suffix.

    Parameters
    ----------
    path
        `.npz`: a policy or a Q table of this package.  `.dat`: a Q table by Langan.  `.pkl` or `.pickle`: an agent by
        Hensler or a table by Sai, read without executing anything in the file.  `.txt`: a table by Smirnov.  For any
        other suffix the content determines the format.
    table
        The game (default: the game named in the file).  The formats of other projects are for tic-tac-toe.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.  Also if it contains a
        policy of another game.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_policy(f"{folder}/kept.npz", Policy.uniform("tic-tac-toe"))
    ...     load_policy(f"{folder}/kept.npz")
    <Policy random of tic-tac-toe: weights, holds 4,520 of 4,520 states>
    """
    suffix = os.path.splitext(path)[1].lower()
    suffix = suffix if suffix in POLICY_SUFFIXES else _sniff(path)
    if suffix == ".npz":
        return npz.load_npz(path, None if table is None else table_of(table))
    table = table_of(DEFAULT_GAME if table is None else table)
    if not is_ordinary(table.game):
        raise FileFormatError(f"{str(path)!r}: expected a .npz file for {table.game.spec}, got a file for tic-tac-toe")
    content = read_bytes(path, _FOREIGN[suffix].MAX_BYTES)
    try:
        policy: Policy = _FOREIGN[suffix].parse(content, str(path), table)
    except FileFormatError as error:
        raise FileFormatError(f"{str(path)!r}: {error}{OTHER_PROGRAMS}") from error
    return policy.renamed(Path(path).stem)


def save_policy(path: AnyPath, policy: Policy) -> None:
    """Write a policy to a file atomically."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in (".npz", ".txt", ".dat"):
        raise UsageError(f"expected a policy file that ends in .npz, .txt or .dat, got {str(path)!r}")
    table = policy.table
    if suffix == ".npz":
        return npz.save_npz(path, policy)
    if not is_ordinary(table.game):
        raise UsageError(f"expected a .npz file for a policy of {table.game.spec}, got {str(path)!r}")
    content = langan.format_policy(policy) if suffix == ".dat" else base3_text.format_base3(policy).encode("ascii")
    write_atomically(path, lambda stream: stream.write(content))


def _sniff(path: AnyPath) -> str:
    """Return the suffix that matches the content of a file."""
    content = read_bytes(path)
    if content.startswith(b"PK"):
        return ".npz"
    for suffix in (".pkl", ".dat", ".txt"):
        if _FOREIGN[suffix].recognises(content):
            return suffix
    raise FileFormatError(
        f"{str(path)!r}: expected the content of a policy file ({', '.join(POLICY_SUFFIXES)}), got another format"
        f"{OTHER_PROGRAMS}"
    )
