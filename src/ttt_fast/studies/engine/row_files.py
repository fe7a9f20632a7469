"""Files of rows: csv files with numbers of nine digits, read with inferred types, and descriptions in json."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ttt_fast import FileFormatError
from ttt_fast.files import make_folder
from ttt_fast.report.rows import encode, write_bytes

Row = dict[str, Any]
Rows = list[Row]

_DIGITS = 9
_NOISE = 1e-12


def rounded(row: Mapping[str, Any]) -> Row:
    """Return a row with numbers rounded to nine digits, so that files do not depend on the CPU's vector unit.

    Examples
    --------
    >>> rounded({"share": 1 / 3, "sd": 1e-17, "runs": 3})
    {'share': 0.333333333, 'sd': 0.0, 'runs': 3}
    """
    return {key: _rounded(value) if isinstance(value, float) else value for key, value in row.items()}


def _rounded(value: float) -> float:
    return 0.0 if abs(value) < _NOISE else float(f"{value:.{_DIGITS}g}")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as a csv file."""
    make_folder(path.parent)
    write_bytes(encode("csv", "reproduce", [rounded(row) for row in rows], {}), path)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a description as a json file."""
    make_folder(path.parent)
    write_bytes((json.dumps(content, indent=2) + "\n").encode(), path)


def typed(text: str) -> Any:
    """Return the value of a csv cell: None, a bool, an integer, a float, or the text itself.

    Examples
    --------
    >>> [typed(one) for one in ("", "12", "0.5", "true", "1/3")]
    [None, 12, 0.5, True, '1/3']
    """
    if text in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_texts(path: Path) -> Rows:
    """Return the rows of a csv file as texts.

    Raises
    ------
    FileFormatError
        If the file is missing or is not a csv file.
    """
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(f"expected a csv file {str(path)!r}, found none: {error}") from None
