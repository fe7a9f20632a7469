"""Files of this package: policies, and the Q tables written by the learners, as `.npz` archives."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import MAX_FILE_BYTES, ArraySpec, OpenArchive, open_archive, save_archive
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import FileFormatError, PolicyError, UsageError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.policies.arrays import policy_of_values
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import MAX_STATES, StateTable, table_of

POLICY_KIND = "policy"
Q_TABLE_KIND = "q_table"
"""The kind of files of learned values; most forms are `values.files`."""
TABLE_FORM = "edges"
"""The form of learned values over the actions of a table, which is that of a file without a form."""
_BYTES_PER_EDGE = 128
"""An upper bound on the bytes that a file stores per legal action."""
_LONGEST_NAME = 200


def most_bytes(table: StateTable) -> int:
    """Return the maximum size of a file with numbers for each legal action of a game."""
    return max(MAX_FILE_BYTES, _BYTES_PER_EDGE * table.num_edges)


def policy_arrays(table: StateTable) -> dict[str, ArraySpec]:
    """Return the arrays of a policy file; `weights` is empty if the policy is known as floats only."""
    return {
        "probabilities": ArraySpec("float64", (table.num_edges,)),
        "held": ArraySpec("bool", (table.num_states,)),
        "weights": ArraySpec("int64", (-1,), table.num_edges),
    }


def q_table_arrays(table: StateTable) -> dict[str, ArraySpec]:
    """Return the arrays common to files of the kind `q_table`; learners add arrays that they need to resume."""
    return {"q_table": ArraySpec("float64", (table.num_edges,)), "held": ArraySpec("bool", (table.num_states,))}


def save_npz(path: str | os.PathLike[str], policy: Policy) -> None:
    """Write a policy to a `.npz` file, with its exact weights if it has them."""
    table, weights = policy.table, policy.edge_weights
    exact = np.zeros(0, np.int64) if weights is None else weights
    arrays = {"probabilities": policy.edge_probabilities, "held": policy.held, "weights": exact}
    save_archive(path, POLICY_KIND, arrays, {"name": policy.name, **table.file_meta})


def is_policy(meta: JsonObject) -> bool:
    """Return whether a file, by its description, contains a policy, or learned values of a table, which make one."""
    if meta.get("kind") != Q_TABLE_KIND:
        return meta.get("kind") == POLICY_KIND
    return "form" not in meta or meta["form"] == TABLE_FORM or "table" in meta


def states_in(archive: OpenArchive) -> int:
    """Return the number of states of the table for which a file was made, after verifying all of its checksums.

    Making a table takes time; the result limits it, so that no game with more states than the file is enumerated.

    Raises
    ------
    FileFormatError
        If the file is damaged or has no states.
    """
    held = archive.shapes().get("held", ())
    if len(held) != 1:
        raise FileFormatError(f"{archive.path!r}: expected an array 'held' of states, found none; the file is damaged")
    return held[0]


def table_in(archive: OpenArchive) -> StateTable:
    """Return the table of the game that a file names; tic-tac-toe's if the file names none.

    Raises
    ------
    FileFormatError
        If the file has fewer states than its game.  Also if its game requires a large table that is not available.
    """
    game, states = str(archive.meta.get("game", "tic-tac-toe")), states_in(archive)
    try:
        return table_of(game, states) if states < MAX_STATES else table_of(game)
    except UsageError as error:
        raise FileFormatError(f"{archive.path!r}: {error}; the file is damaged or of another kind") from error


def load_npz(path: str | os.PathLike[str], table: StateTable | None = None) -> Policy:
    """Return the policy of a `.npz` file: a stored policy, or the policy of a Q table.

    The file of a Q table specifies a rule for ties (`uniform` after learning with random ties), or marks the values
    as counts (of fictitious play).  Without a rule, the lowest of the best actions is played.

    Parameters
    ----------
    path
        The file.
    table
        The game (default: that of the file).

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind or another game, or written by a newer version.
    """
    with open_archive(path, (POLICY_KIND, Q_TABLE_KIND)) as archive:
        return read_policy(archive, table_in(archive) if table is None else table)


def read_policy(archive: OpenArchive, table: StateTable) -> Policy:
    """Return the policy of an open file over the table of its game; errors as for `load_npz`."""
    path = archive.path
    check_game(archive, table)
    specs = policy_arrays(table) if archive.kind == POLICY_KIND else q_table_arrays(table)
    arrays = archive.arrays(specs, most_bytes(table))
    check_fingerprint(archive, table)
    try:
        if archive.kind == POLICY_KIND:
            policy = _stored_policy(arrays, path, table)
        else:
            if not np.isfinite(arrays["q_table"]).all():
                raise PolicyError("expected finite values in 'q_table', got nan or infinity")
            tie = str(archive.meta.get("tie", "first"))
            policy = policy_of_values(table, arrays["q_table"], path, arrays["held"], tie)
            if table.num_states <= MAX_STATES:  # a page has far fewer
                policy = replace(policy, values=arrays["q_table"])
    except PolicyError as error:
        raise FileFormatError(f"{path!r}: {error}; the file is damaged") from error
    name = archive.meta.get("name")  # that of the file if there is none, or an unprintable one
    is_name = isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and name.isprintable()
    return policy.renamed(str(name) if is_name else Path(path).stem)


def check_fingerprint(archive: OpenArchive, table: StateTable) -> None:
    """Raise FileFormatError if the fingerprint in an archive is that of another table."""
    found = archive.meta.get("table", table.fingerprint)
    if found != table.fingerprint:
        raise FileFormatError(
            f"{archive.path!r}: expected a file for the game with fingerprint {table.fingerprint!r}, got {found!r}"
        )


def check_game(archive: OpenArchive, table: StateTable) -> None:
    """Raise FileFormatError if a file belongs to another game."""
    meta = archive.meta
    config = meta.get("config")
    game = meta.get("game", config.get("game") if isinstance(config, dict) else None)
    if game is not None and game != table.game.spec and meta.get("table") != table.fingerprint:
        raise FileFormatError(
            f"{archive.path!r}: expected a policy for {table.game.spec}, got a policy for {shown(game)}"
        )


def _stored_policy(arrays: Mapping[str, NDArray[Any]], name: str, table: StateTable) -> Policy:
    policy = Policy.from_probabilities(table, arrays["probabilities"], name, held=arrays["held"])
    if len(arrays["weights"]) == 0:
        return policy
    exact = Policy.from_weights(table, arrays["weights"], name, held=arrays["held"])
    if not np.array_equal(exact.edge_probabilities, policy.edge_probabilities):
        raise PolicyError("expected 'probabilities' that equal those of 'weights', got other numbers")
    return exact
