"""The csv files of a study by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ttt_fast import FileFormatError
from ttt_fast.studies.engine.row_files import Row as Row, Rows as Rows, read_texts, typed, write_rows


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
        self.asked: list[str] = []
        """The names of all accessed files, in order of access."""

    def __getitem__(self, name: str) -> Rows:
        """Return the rows of a file.

        Raises
        ------
        FileFormatError
            If the file is missing or damaged; the message names the command that makes it.
        """
        self.asked.append(name)
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
            told = f"expected one row with {wanted!r}, found {len(rows)}; run: {self.command_for(name)}"
            raise FileFormatError(f"{str(self.folder / f'{name}.csv')!r}: {told}")
        return rows[0]


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
