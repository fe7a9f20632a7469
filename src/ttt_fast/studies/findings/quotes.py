"""Measured figures, read from the csv files of the studies, each with its origin: none is typed into a page."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast.core.errors import FileFormatError
from ttt_fast.studies.page import p_text


class Quote(NamedTuple):
    """A figure as it stands in a text, and where it comes from.

    Attributes
    ----------
    text
        As it is printed.
    study, table, column
        The column of results/<study>/<table>.csv.
    where
        Columns and values that choose the row; the last such row counts.
    """

    text: str
    study: str
    table: str
    column: str
    where: Mapping[str, Any]


def shown(value: str, form: str) -> str:
    """Return a cell of a csv file as it is printed: as it is, by a format of numbers, or as a p-value (form `p`).

    Examples
    --------
    >>> shown("0.98966", ""), shown("0.994791", ".4f"), shown("0.655", ".1%"), shown("1000000", ",d")
    ('0.98966', '0.9948', '65.5%', '1,000,000')
    """
    if not form:
        return value
    if form == "p":
        return p_text(float(value))
    return format(int(value) if form.endswith("d") else float(value), form)


class Results:
    """The folder of results, whose figures are quoted.

    Parameters
    ----------
    folder
        Has a folder for each study.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.quotes: list[Quote] = []
        self._tables: dict[Path, list[dict[str, str]]] = {}

    def table(self, study: str, table: str) -> list[dict[str, str]]:
        """Return the rows of a csv file.

        Raises
        ------
        FileFormatError
            If the file is missing or no table, in one line that names the command that makes it.
        """
        path = self.folder / study / f"{table}.csv"
        if path not in self._tables:
            try:
                with path.open(newline="", encoding="utf-8") as stream:
                    self._tables[path] = list(csv.DictReader(stream))
            except (OSError, UnicodeDecodeError, csv.Error):
                raise self._missing(study, f"expected {str(path)!r}") from None
        return self._tables[path]

    def quote(self, study: str, table: str, column: str, form: str = "", /, **where: Any) -> str:
        """Return a figure as text, and remember its origin; the last of the rows that fit counts.

        Parameters
        ----------
        study, table, column
            The column of results/<study>/<table>.csv.
        form
            A format of numbers (default: the text of the file).
        where
            Values of other columns, `_` in their names for a blank.
        """
        chosen = {name.replace("_", " ") if name not in _UNDERSCORED else name: str(v) for name, v in where.items()}
        rows = [row for row in self.table(study, table) if all(row.get(key) == v for key, v in chosen.items())]
        if not rows or not rows[-1].get(column):
            path = self.folder / study / f"{table}.csv"
            raise self._missing(study, f"expected {column!r} for {chosen!r} in {str(path)!r}")
        text = shown(rows[-1][column], form)
        self.quotes.append(Quote(text, study, table, column, chosen))
        return text

    def _missing(self, study: str, what: str) -> FileFormatError:
        return FileFormatError(f"{what}; run: ttt-fast reproduce {study} --results {self.folder}")


_UNDERSCORED = {"default_skill"}
