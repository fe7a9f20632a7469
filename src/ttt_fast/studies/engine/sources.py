"""The published numbers (`cells.csv`) and statements (`claims.csv`) of a source, stored as data beside the code."""

import csv
import tomllib
from importlib import resources
from math import sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

from ttt_fast import FileFormatError
from ttt_fast.evaluate.statistics import wilson_interval


class Cell(NamedTuple):
    """A published number: a line of `cells.csv`.

    Attributes
    ----------
    source, table, place
        The source, its table or section, and the row or column, in the words of the source.
    quantity
        The printed quantity: `x_wins`, `draws`, `o_wins`, `score`, `plies_N`, or a quantity of the study.
    printed
        The number as printed.
    games
        Number of games that it was counted over; 0 if it is not a share of games.
    against
        The readings of the source that it is compared with, separated by ` | `, the source's own description first.
        Each is a name in brackets, if there are several, then the kind of evidence and its arguments.
    note
        A remark on the number.
    """

    source: str
    table: str
    place: str
    quantity: str
    printed: str
    games: int
    against: str
    note: str = ""

    @property
    def is_share(self) -> bool:
        """Whether the number is a share or a count of games, and so has a sampling error."""
        return self.games > 0

    @property
    def value(self) -> float:
        """The number as a float; counts of games and percentages are converted to shares."""
        text = self.printed.removesuffix("%").strip().replace(",", "")
        number = float(text) / (100 if self.printed.endswith("%") else 1)
        return number / self.games if self.is_count else number

    @property
    def is_count(self) -> bool:
        """Whether the number is printed as a count of games."""
        return self.is_share and not self.printed.endswith("%") and "." not in self.printed

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit, the largest rounding error; 0 for a count."""
        digits = len(self.printed.removesuffix("%").strip().partition(".")[2])
        if self.is_count or (not digits and not self.printed.endswith("%")):
            return 0.0
        return 0.5 * 10.0 ** -(digits + 2 * self.printed.endswith("%"))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the printed share, or the number itself."""
        if not self.is_share:
            return self.value, self.value
        return wilson_interval(min(self.games, round(self.value * self.games)), self.games)

    def sampling_error(self, share: float) -> float:
        """Return the standard error of a share of these games; 0 if the number is not a share of games."""
        return sqrt(max(0.0, share * (1 - share)) / self.games) if self.is_share else 0.0


class Claim(NamedTuple):
    """A statement: a line of `claims.csv`.

    Attributes
    ----------
    source, where
        The source, and the section that contains the statement.
    quotation
        The words of the statement.
    judge
        The name of a function in the `judges.py` of the study, or the verdict itself if its reason is exact, or in
        words.
    found
        The reason: a template, whose numbers are quoted from tables.
    """

    source: str
    where: str
    quotation: str
    judge: str
    found: str


def package_of(study: str) -> str:
    """Return the package of a study.

    Examples
    --------
    >>> package_of("smirnov.dqn"), package_of("exact-connect4")
    ('ttt_fast.studies.smirnov.dqn', 'ttt_fast.studies.exact_connect4')
    """
    return f"ttt_fast.studies.{study.replace('-', '_')}"


def lines_of(package: str, name: str) -> list[dict[str, str]]:
    """Return the lines of a csv file beside the code of a study; the list is empty if the file does not exist."""
    path = resources.files(package).joinpath(name)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return list(csv.DictReader(lines, strict=True))


def lines_of_toml(package: str, name: str) -> dict[str, Any]:
    """Return a toml file beside the code of a study; the dict is empty if the file does not exist."""
    path = resources.files(package).joinpath(name)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def cells_of(package: str) -> list[Cell]:
    """Return the published numbers of a study, in the order of its `cells.csv`.

    Raises
    ------
    FileFormatError
        If a line does not describe a published number.
    """
    found = []
    for number, line in enumerate(lines_of(package, "cells.csv"), 2):
        try:
            cell = Cell(**{**line, "games": int(line["games"] or 0)})  # type: ignore[arg-type]
            float(cell.value)
        except (TypeError, ValueError, KeyError) as error:
            raise FileFormatError(
                f"{package}: expected a printed number in line {number} of cells.csv: {error}"
            ) from None
        found.append(cell)
    return found


def claims_of(package: str) -> list[Claim]:
    """Return the statements of a study, in the order of its `claims.csv`."""
    return [Claim(**line) for line in lines_of(package, "claims.csv")]


def plan_of(package: str, *, quick: bool = False) -> Any:
    """Return the plan of a study: the names in its `plan.toml`, with those of its table `quick` in the quick form.

    Examples
    --------
    >>> plan_of("ttt_fast.studies.smirnov.dqn").runs, plan_of("ttt_fast.studies.smirnov.dqn", quick=True).runs
    (20, 2)
    """
    plan = lines_of_toml(package, "plan.toml")
    changes = plan.pop("quick", {})
    return SimpleNamespace(**plan | (changes if quick else {}))


def template_of(package: str, name: str = "page.md") -> str:
    """Return the template of a page of a study."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")
