"""The csv files of a study by name: numbers have nine digits, and are read with inferred types."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import FileFormatError
from ttt_fast.files import make_folder, read_text
from ttt_fast.report.rows import encode, write_bytes
from ttt_fast.studies.statistics.samples import Mean

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
        return list(csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True))
    except (FileFormatError, csv.Error) as error:
        raise FileFormatError(f"expected a csv file {str(path)!r}, found none: {error}") from None


class Tables(Mapping[str, Rows]):
    """The csv files of a folder by name; each is read at the first access.

    Parameters
    ----------
    folder
        The results of a study.
    command
        The command that makes the files; an error about a missing file names it.
    """

    def __init__(self, folder: Path, command: str) -> None:
        self.folder, self._command = folder, command
        self._read: dict[str, Rows] = {}

    def __getitem__(self, name: str) -> Rows:
        """Return the rows of a file.

        Raises
        ------
        FileFormatError
            If the file is missing or damaged; the message names the command that makes it.
        """
        if name not in self._read:
            try:
                rows = read_texts(self.folder / f"{name}.csv")
            except FileFormatError as error:
                raise FileFormatError(f"{error}; run: {self.command_for(name)}") from None
            for row in rows:  # printed numbers keep their trailing zeros
                row |= {key: typed(value) for key, value in row.items() if key != "printed"}
            self._read[name] = rows
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the existing files."""
        return iter(sorted(path.stem for path in self.folder.glob("*.csv")))

    def __len__(self) -> int:
        """Return the number of files."""
        return len(list(iter(self)))

    def command_for(self, name: str) -> str:
        """Return the command that makes a file."""
        return self._command

    def write(self, name: str, rows: Sequence[Mapping[str, Any]]) -> Rows:
        """Write a file, and return its rows as read back from it."""
        write_rows(self.folder / f"{name}.csv", rows)
        self._read.pop(name, None)
        return self[name]

    def where(self, name: str, /, **wanted: Any) -> Rows:
        """Return the rows of a file that have these values; `_` in a column name also matches a blank."""
        return select(self[name], wanted)

    def one(self, name: str, /, **wanted: Any) -> Row:
        """Return the only row of a file that has these values.

        Raises
        ------
        FileFormatError
            If no row or more than one row has these values.
        """
        rows = self.where(name, **wanted)
        if len(rows) != 1:
            raise self._missing(name, wanted, rows)
        return rows[0]

    def value(self, name: str, column: str, /, **wanted: Any) -> Any:
        """Return a column of the only row of a file that has these values."""
        return self.one(name, **wanted)[column]

    def array(self, name: str, column: str, /, **wanted: Any) -> NDArray[Any]:
        """Return a column of all rows of a file that have these values; a missing number is NaN.

        Raises
        ------
        FileFormatError
            If no row has these values.
        """
        rows = self.where(name, **wanted)
        if not rows:
            raise self._missing(name, wanted, rows)
        return np.array([nan if row[column] is None else row[column] for row in rows])

    def mean(self, name: str, column: str, /, **wanted: Any) -> Mean:
        """Return the mean in a column of the only row of a file that has these values."""
        return _mean(self.one(name, **wanted), column)

    def means(self, name: str, column: str, /, **wanted: Any) -> NDArray[np.object_]:
        """Return the means in a column of the rows that have these values, without missing ones."""
        return np.array([_mean(row, column) for row in self.where(name, **wanted) if row[column] is not None], object)

    def _missing(self, name: str, wanted: Mapping[str, Any], rows: Rows) -> FileFormatError:
        problem = f"expected one row with {wanted!r}, found {len(rows)}; run: {self.command_for(name)}"
        return FileFormatError(f"{str(self.folder / f'{name}.csv')!r}: {problem}")


def _mean(row: Row, column: str) -> Mean:
    return Mean(row[column], row[f"{column} low"], row[f"{column} high"])


def select(rows: Iterable[Row], wanted: Mapping[str, Any]) -> Rows:
    """Return the rows that have these values; `_` in a column name also matches a blank.

    Examples
    --------
    >>> select([{"of runs": 1}, {"of runs": 2}], {"of_runs": 2})
    [{'of runs': 2}]
    """

    def fits(row: Row) -> bool:
        return all(row.get(key, row.get(key.replace("_", " "))) == value for key, value in wanted.items())

    return [row for row in rows if fits(row)]
