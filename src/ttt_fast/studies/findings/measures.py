"""The tables of the findings, computed from the csv files of the studies."""

import re
from collections import ChainMap, Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from ttt_fast.report.rows import write_bytes
from ttt_fast.studies.engine.figures import draw_figures, figures_of
from ttt_fast.studies.engine.judging import CERTAIN, ONCE
from ttt_fast.studies.engine.pages import Progress, command_of, filled
from ttt_fast.studies.engine.sources import package_of, template_of
from ttt_fast.studies.engine.tables import Row, Rows, Tables
from ttt_fast.studies.engine.verdicts import LEVEL, NumberVerdict, StatementVerdict
from ttt_fast.studies.statistics.distributions import binomial, two_sided
from ttt_fast.studies.statistics.homogeneity import homogeneity

SOURCES: Final = {
    "langan": "Langan", "sai": "Sai", "smirnov": "Smirnov", "smirnov/dqn": "Smirnov, DQN", "ultimate": "Bichot",
    "hensler": "Hensler",
}  # fmt: skip
"""The study of each published project, and its author."""
_KINDS: Final = (
    "not contradicted as described", "only in another reading", "contradicted", "too wide to tell", "not compared",
)  # fmt: skip
_WIDE: Final = 0.3
"""A wider interval of a share is uninformative."""
_LINES_OF_O: Final = 384
"""Number of equally likely lines of a random O against a deterministic X."""
_AGREED: Final = ("Q_minimax", "Q_random", "Q_buggy", "Q_buggy2", "Q_self-play 1")


class AllTables(Tables):
    """The csv files of all studies in a folder of results, named `STUDY/TABLE`."""

    def __init__(self, results: Path) -> None:
        super().__init__(results, "ttt-fast reproduce all")

    def command_for(self, name: str) -> str:
        """Return the command that makes a file."""
        study = name.rpartition("/")[0].replace("/", ".")
        return f"{command_of(study, quick=False)} --results {self.folder}"


def ties(tables: AllTables) -> Rows:
    """Return wins against random as X in ascending order: two players of Langan's report, and reference players."""
    random = tables.one("langan/opponents", opponent="random")
    learned = tables.one("langan/strength", policy="Q_random", variant="as coded")
    printed = tables.one("langan/cells", table="table 5", place="Q_random v Random", quantity="x_wins",
                   reading="as coded")  # fmt: skip
    wins = {
        "Q_random, as printed": (printed["printed_value"],) * 3,
        "minimax, random ties": (random["minimax, random ties"],) * 3,
        "Q_random, mean of our runs": tuple(learned[f"wins v random{edge}"] for edge in ("", ", low", ", high")),
        "minimax, first of equals": (random["minimax, first tie"],) * 3,
        "the best possible": (random["best possible"],) * 3,
    } | {
        f"Q_random, the end of {row['ended here']} of {row['runs']} runs": (row["x_wins"],) * 3
        for row in tables.where("langan/ends", policy="Q_random", opponent="random")
    }
    return [
        {"player": player, "wins": share, "not won": 1 - share, "low": 1 - high, "high": 1 - low}
        for player, (share, low, high) in sorted(wins.items(), key=lambda one: one[1][0])
    ]


def ends(tables: AllTables) -> Rows:
    """Return the results at which runs of Q_random end against random, and how well the printed count fits each."""
    [printed] = tables.where("langan/cells", table="table 5", place="Q_random v Random", quantity="x_wins",
                             reading="as coded")  # fmt: skip
    rows: Rows = []
    for row in tables.where("langan/ends", policy="Q_random", opponent="random"):
        wins, losses = (Fraction(round(row[one] * _LINES_OF_O), _LINES_OF_O) for one in ("x_wins", "o_wins"))
        p = two_sided(binomial(printed["games"], float(wins)), int(printed["printed"]))
        rows.append({
            "place": len(rows) + 1, "wins exactly": str(wins), "losses exactly": str(losses),
            **{name: row[name] for name in ("ended here", "runs", "low", "high")}, "p printed": p,
        })  # fmt: skip
    return rows


def safety(tables: AllTables) -> Rows:
    """Return the draws and losses of O against random, by its goal."""
    return [
        {"goal": f"{row['goal']}: {row['wins exactly']} won", "result": result, "share": row[result]}
        for row in tables["smirnov/bounds"]
        if row["seat"] == "O" and row["goal"] in ("most wins", "best score", "never loses, most wins")
        for result in ("draws", "losses")
    ]


def agreement(tables: AllTables) -> Rows:
    """Return the agreement of learned policies with minimax, beside the games that they lose as X against random.

    Each policy appears as coded and as corrected; for Q_minimax only one defect (B3) is mended.
    """
    rows = []
    for policy in _AGREED:
        rows.append((policy, tables.one("langan/strength", policy=policy, variant="as coded"), "as coded"))
        if policy == "Q_minimax":
            rows.append((policy, tables.one("langan/maximum", mended="B3"), "B3 mended"))
        else:
            rows.append((policy, tables.one("langan/strength", policy=policy, variant="corrected"), "corrected"))
    return [
        {"policy": policy, "variant": variant, "agreement": row["agreement"], "losses": row["losses v random"]}
        for policy, row, variant in rows
    ]


def samples(tables: AllTables) -> Rows:
    """Return published comparisons, with the probability of a difference at least as large between equal players."""
    rows = []
    for table, game in (("table 3", "tic-tac-toe"), ("table 6", "Connect 4")):
        cells = [tables.one("sai/cells", table=table, quantity=f"{player} wins", own_reading=True)
                 for player in ("learner", "default")]  # fmt: skip
        counts = [int(cell["printed"]) for cell in cells]
        rows.append(_decided("Sai", table, f"learner and default opponent, {game}", *counts))
    facts = {"table": "Table I", "own_reading": True}
    constants = [tables.one("ultimate/cells", place=f"c = {c}", **facts) for c in ("sqrt(2)", "0.5")]
    first, second = (round(100 * float(row["printed_value"])) for row in constants)
    test = homogeneity((first, 100 - first), (second, 100 - second))
    rows.append({"source": "Bichot", "table": "Table I", "compared": "the best two exploration constants",
                 "printed": f"{first} and {second} of a hundred", "p": test.p_value})  # fmt: skip
    note = str(tables.one("ultimate/cells", place="random v dqn", reading="untrained")["note"])
    random, _, learner = map(int, re.findall(r"\d+", note)[:3])
    rows.append(_decided("Bichot", "Fig. 5", "the deep learner and random play, which begins", learner, random))
    return rows


def _decided(source: str, table: str, compared: str, one: int, other: int) -> Row:
    p = two_sided(binomial(one + other, 0.5), one)
    return {"source": source, "table": table, "compared": compared, "printed": f"{one} : {other}", "p": p}


def seats(tables: AllTables) -> Rows:
    """Return, for two self-play recipes, the runs that never lose as X and as O, and the exact McNemar test of both."""
    learner = tables.one("sai/marks", player="learner, as coded")
    share = {row["measure"]: row["mean"] for row in tables["hensler/strength"]}
    hensler = tables.one("hensler/variants", learner="as published", episodes=100_000)
    rows: Rows = []
    for source, runs, x, o, both in (
        ("Sai", learner["runs"], learner["never loses as X"], learner["never loses as O"], learner["share"]),
        ("Hensler", hensler["runs"], *(share[name] for name in ("x never loses", "o never loses", "neither loses"))),
    ):
        only_x, only_o = round(runs * (x - both)), round(runs * (o - both))
        p = two_sided(binomial(only_x + only_o, 0.5), only_x)
        rows.append({"source": source, "runs": runs, "x": x, "o": o, "only x": only_x, "only o": only_o, "p": p})
    return rows


def numbers(tables: AllTables) -> Rows:
    """Return, for each source, the counts of published numbers and tables that its own description fits or contradicts.

    A number is judged by its reading as described.  It is left out if that reading is a repetition, or is certain and
    agrees with the published number.  If that reading is certain and contradicts the published number, the readings
    that count once are decisive.
    """
    rows = []
    for study, author in SOURCES.items():
        if study == "hensler":
            continue  # this source prints no measurement of strength
        found: dict[tuple[object, ...], Rows] = {}
        for row in tables[f"{study}/cells"]:
            found.setdefault((row["table"], row["place"], row["quantity"]), []).append(row)
        kinds = Counter(kind for readings in found.values() if (kind := _kind(readings)))
        own = [row for row in tables[f"{study}/tables"] if row["own_reading"]]
        facts = {"tables": len(own), "tables contradicted": sum(row["p_corrected"] < LEVEL for row in own)}
        rows.append({"source": author, "numbers": kinds.total(), **{kind: kinds[kind] for kind in _KINDS}, **facts})
    return rows


def _kind(readings: Sequence[Row]) -> str | None:
    """Return the kind of a number from its readings, as described first; None if the number is not a test."""
    own, *others = readings
    others = [row for row in others if row["counts"] == ONCE]
    is_wrong = own["verdict"] == NumberVerdict.WRONG
    if own["counts"] != ONCE and not (own["counts"] == CERTAIN and is_wrong and others):
        return None
    described, other, contradicted, wide, unknown = _KINDS
    if own["verdict"] == NumberVerdict.OPEN:
        return unknown
    if not is_wrong:
        return wide if _is_wide(own) else described
    good = [row for row in others if row["verdict"] not in (NumberVerdict.WRONG, NumberVerdict.OPEN)]
    return contradicted if not good else wide if all(map(_is_wide, good)) else other


def _is_wide(row: Row) -> bool:
    return bool(abs(row["printed_value"]) <= 1 and row["high"] - row["low"] > _WIDE)


def statements(tables: AllTables) -> Rows:
    """Return the number of statements with each verdict, by source."""
    rows = []
    for study, author in SOURCES.items():
        counts = Counter(str(row["verdict"]) for row in tables[f"{study}/claims"])
        rows.append({"source": author, "statements": counts.total()}
                    | {one.value: counts[one.value] for one in StatementVerdict})  # fmt: skip
    return rows


_ALL: Final = (ties, ends, safety, agreement, samples, seats, numbers, statements)
MEASURES: Final[dict[str, Callable[[AllTables], Rows]]] = {one.__name__: one for one in _ALL}


NAME: Final = "FINDINGS.md"
STUDY: Final = "findings"
COMMAND: Final = "ttt-fast reproduce findings"


def run(results: Path, on_progress: Progress | None = None) -> Rows:
    """Write the page, its tables and pictures into the folder of results, and return a row for each finding.

    Parameters
    ----------
    results
        The folder that contains the results of each study in a subfolder.
    on_progress
        Called with a message about the current work.

    Raises
    ------
    FileFormatError
        If a result is missing; the message names the command that makes it, and no file is written.
    """
    found = AllTables(results)
    made = {name: measure(found) for name, measure in MEASURES.items()}
    every = ChainMap(made, found)  # type: ignore[arg-type]  # it is only read
    page = filled(template_of(package_of(STUDY)), every)
    own = Tables(results / STUDY, COMMAND)
    for name, rows in made.items():
        own.write(name, rows)
    write_bytes(page.encode(), results / NAME)
    draw_figures(results / STUDY, figures_of(STUDY), on_progress)
    headings = re.findall(r"^### (\d+)\. (.+)$", page, re.MULTILINE)
    return [{"number": int(number), "finding": finding} for number, finding in headings]
