"""What a source printed: its numbers (`cells.csv`) and its statements (`claims.csv`), as data beside the code."""

import csv
import tomllib
from importlib import resources
from math import sqrt
from types import SimpleNamespace
from typing import Any, NamedTuple

from ttt_fast import FileFormatError
from ttt_fast.evaluate.statistics import wilson_interval


class Cell(NamedTuple):
    """A printed number: a line of `cells.csv`.

    Attributes
    ----------
    source, table, place
        The source, its table or section, and the row or column there, in its words.
    quantity
        The quantity that is printed: `x_wins`, `draws`, `o_wins`, `score`, `plies_N`, or one of the study's own.
    printed
        The number as it stands there.
    games
        Games that it was counted over; 0 where it is no share of games.
    against
        What it is compared with: readings of the source, separated by ` | `, the one that it describes first.  Each is
        a name in brackets, if there are several, the kind of evidence, and what that asks for.
    note
        A remark that belongs to it.
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
        """Whether it is a share or a count of games, so that it has an error of sampling."""
        return self.games > 0

    @property
    def value(self) -> float:
        """The number, a count of games as a share of them, percentages as shares."""
        text = self.printed.removesuffix("%").strip().replace(",", "")
        number = float(text) / (100 if self.printed.endswith("%") else 1)
        return number / self.games if self.is_count else number

    @property
    def is_count(self) -> bool:
        """Whether it is printed as a count of games."""
        return self.is_share and not self.printed.endswith("%") and "." not in self.printed

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit, in which the number may have been rounded; 0 for a count."""
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
        """Return the standard error of a share of these games; 0 where it is no share of games."""
        return sqrt(max(0.0, share * (1 - share)) / self.games) if self.is_share else 0.0


class Claim(NamedTuple):
    """A statement: a line of `claims.csv`.

    Attributes
    ----------
    source, where
        The source, and the section that states it.
    quotation
        Its words.
    judge
        The conditions of its verdict (`engine/conditions.py`), the name of the function that judges it where that takes
        more, or the verdict itself where a reason in words is all that it needs.
    found
        The reason: a template, whose numbers are quoted from tables.
    """

    source: str
    where: str
    quotation: str
    judge: str
    found: str


def lines_of(package: str, name: str) -> list[dict[str, str]]:
    """Return the lines of a csv file beside the code of a study; none where there is no such file."""
    path = resources.files(package).joinpath(name)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return list(csv.DictReader(lines, strict=True))


def lines_of_toml(package: str, name: str) -> dict[str, Any]:
    """Return a toml file beside the code of a study; nothing where there is no such file."""
    path = resources.files(package).joinpath(name)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def cells_of(package: str) -> list[Cell]:
    """Return the printed numbers of a study, in the order of its `cells.csv`.

    Raises
    ------
    FileFormatError
        If a line is not one of a printed number.
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
    """Return the plan of a study's work: the names of its `plan.toml`, and those of its table `quick` for a quick form.

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
