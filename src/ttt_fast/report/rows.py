"""Output of a list of rows as a table, JSON, JSON lines, CSV, parquet or markdown."""

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ttt_fast import TttFastError, UsageError
from ttt_fast.core.errors import printable
from ttt_fast.files import encode_frame, environment, frame_of, write_atomically
from ttt_fast.report import erase_live_lines

FORMATS = ("table", "json", "jsonl", "csv", "parquet", "markdown")
_FORMAT_OF_SUFFIX = {
    "": "table", ".txt": "table", ".md": "markdown", ".json": "json", ".jsonl": "jsonl", ".csv": "csv",
    ".parquet": "parquet",
}  # fmt: skip

Row = Mapping[str, Any]
_WIDE_COLUMNS, _FEW_ROWS = 12, 3


def document(
    command: str, rows: Sequence[Row], config: Mapping[str, Any], summary: Sequence[Row] | None = None
) -> dict[str, Any]:
    """Return the JSON object of a command: schema, manifest, rows, and the summary, if any.

    Examples
    --------
    >>> sorted(document("exact", [{"x_wins": 0.5}], {"x": "random"}))
    ['manifest', 'rows', 'schema']
    """
    found = {
        "schema": f"ttt-fast/{command}/1",
        "manifest": {"command": command, "config": dict(config), "environment": environment()},
        "rows": [dict(row) for row in rows],
    }
    return found if summary is None else found | {"summary": [dict(row) for row in summary]}


def chosen_format(requested: str | None, output: str | os.PathLike[str] | None) -> str:
    """Return the output format: as requested, else by the suffix of the file, else a table.

    Raises
    ------
    UsageError
        If the format or the suffix is unknown, or a binary format would be written to a terminal.
    """
    if requested is None:
        suffix = Path(output).suffix.lower() if output else ""
        if suffix not in _FORMAT_OF_SUFFIX:
            raise UsageError(
                f"expected a file ending in {', '.join(filter(None, _FORMAT_OF_SUFFIX))}, got {str(output)!r}"
            )
        requested = _FORMAT_OF_SUFFIX[suffix]
    if requested not in FORMATS:
        raise UsageError(f"expected one of {', '.join(FORMATS)} as --format, got {requested!r}")
    of_suffix = _FORMAT_OF_SUFFIX.get(Path(output).suffix.lower() if output else "", requested)
    if output and Path(output).suffix and of_suffix != requested:
        raise UsageError(f"expected a file name whose extension matches --format {requested}, got {str(output)!r}")
    if requested == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("expected a file for --format parquet, got a terminal: add -o FILE, or redirect the output")
    return requested


def encode(
    form: str, command: str, rows: Sequence[Row], config: Mapping[str, Any], summary: Sequence[Row] | None = None
) -> bytes:
    """Return the rows in a machine format (any except `table`); only a JSON document also contains the summary."""
    if form == "json":
        found = _finite(document(command, rows, config, summary))
        return (json.dumps(found, indent=2, allow_nan=False) + "\n").encode()
    if form == "jsonl":
        return "".join(json.dumps(_finite(dict(row)), allow_nan=False) + "\n" for row in rows).encode()
    if form == "markdown":
        return (markdown_table(_upright(rows)) + "\n").encode()
    return encode_frame(frame_of(rows), form)


def _upright(rows: Sequence[Row]) -> Sequence[Row]:
    """Transpose a wide table of few rows for readability; return other tables unchanged."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if len(columns) <= _WIDE_COLUMNS or len(rows) > _FEW_ROWS:
        return rows
    numbers = [str(number) for number in range(1, len(rows) + 1)] if len(rows) > 1 else ["value"]
    return [
        {"column": key, **{number: row.get(key) for number, row in zip(numbers, rows, strict=True)}} for key in columns
    ]


def markdown_table(rows: Sequence[Row]) -> str:
    """Return the rows as a markdown table.

    Examples
    --------
    >>> print(markdown_table([{"x": "random", "x_wins": 0.25}]))
    | x | x_wins |
    | --- | ---: |
    | random | 0.25 |
    """
    if not rows:
        return ""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    numeric = {key: all(_is_number(row.get(key)) for row in rows) for key in columns}
    lines = [
        "| " + " | ".join(columns) + " |",
        "| " + " | ".join("---:" if numeric[key] else "---" for key in columns) + " |",
    ]
    for row in rows:
        cells = (cell_text(row.get(key)).replace("|", "\\|") for key in columns)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell_text(value: Any) -> str:
    """Return a value as readable text, without control characters.

    Examples
    --------
    >>> cell_text(1234567), cell_text(0.99479166), cell_text(True), cell_text(None)
    ('1,234,567', '0.994792', 'yes', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e5 else f"{value:.6g}"
    return printable(str(value), kept="\n")


def write_bytes(content: bytes, output: str | os.PathLike[str] | None) -> None:
    """Write to a file, atomically, or to the standard output."""
    if output is not None:
        write_atomically(output, lambda stream: stream.write(content))
        return
    erase_live_lines()
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise TttFastError(f"cannot write the output: {(error.strerror or str(error)).lower()}") from error


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _finite(value: Any) -> Any:
    """Return the value with null for nan and infinities, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
