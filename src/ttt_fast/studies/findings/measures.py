"""The tables of the findings, from the csv files of the studies."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from ttt_fast.evaluate.distributions import binomial, two_sided
from ttt_fast.evaluate.homogeneity import homogeneity
from ttt_fast.studies.engine.sources import claims_of
from ttt_fast.studies.engine.study import package_of
from ttt_fast.studies.engine.tables import Row, Rows, Tables
from ttt_fast.studies.engine.texts import command_of
from ttt_fast.studies.engine.verdicts import NumberVerdict, StatementVerdict

SOURCES: Final = {
    "langan": "Langan", "sai": "Sai", "smirnov": "Smirnov", "smirnov/dqn": "Smirnov, DQN", "ultimate": "Bichot",
    "hensler": "Hensler",
}  # fmt: skip
"""The studies of a published project each, and its author."""
_KINDS: Final = ("confirmed as described", "confirmed of the program only", "wrong", "open")
_AGREED: Final = ("Q_minimax", "Q_random", "Q_buggy", "Q_buggy2", "Q_self-play 1")


class AllTables(Tables):
    """The csv files of all studies, named `STUDY/TABLE`, in a folder of results."""

    def __init__(self, results: Path) -> None:
        super().__init__(results, "ttt-fast reproduce all")

    def command_for(self, name: str) -> str:
        """Return the command that makes a file."""
        study, _, part = name.rpartition("/")[0].partition("/")
        return f"{command_of(study, quick=False, part=part)} --results {self.folder}"


def ties(tables: AllTables) -> Rows:
    """Return wins against random as X: the two players of the report, and minimax with its other tie rule."""
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
    }
    return [
        {"player": player, "wins": share, "not won": 1 - share, "low": 1 - high, "high": 1 - low}
        for player, (share, low, high) in wins.items()
    ]


def safety(tables: AllTables) -> Rows:
    """Return the games that O does not win against random, by its goal."""
    return [
        {"goal": f"{row['goal']}: {row['wins exactly']} won", "result": result, "share": row[result]}
        for row in tables["smirnov/bounds"]
        if row["seat"] == "O" and row["goal"] in ("most wins", "best score", "never loses, most wins")
        for result in ("draws", "losses")
    ]


def agreement(tables: AllTables) -> Rows:
    """Return the agreement of learned policies with minimax beside the games that they lose as X against random."""
    return [
        {"policy": f"{policy}, {row['variant']}", "agreement": row["agreement"], "losses": row["losses v random"]}
        for policy in _AGREED
        for row in tables["langan/strength"]
        if row["policy"] == policy and row["variant"] in ("as coded", "corrected")
    ]


def samples(tables: AllTables) -> Rows:
    """Return published comparisons with the chance of a difference at least as large where there is none."""
    rows = []
    for table, game in (("table 3", "tic-tac-toe"), ("table 6", "Connect 4")):
        cells = [tables.one("sai/cells", table=table, quantity=f"{player} wins", own_reading=True)
                 for player in ("learner", "default")]  # fmt: skip
        counts = [int(cell["printed"]) for cell in cells]
        rows.append(_decided("Sai", table, f"learner and default opponent, {game}", *counts))
    told = {"table": "Table I", "own_reading": True}
    constants = [tables.one("ultimate/cells", place=f"c = {c}", **told) for c in ("sqrt(2)", "0.5")]
    first, second = (round(100 * float(row["printed_value"])) for row in constants)
    test = homogeneity((first, 100 - first), (second, 100 - second))
    rows.append({"source": "Bichot", "table": "Table I", "compared": "the best two exploration constants",
                 "printed": f"{first} and {second} of a hundred", "p": test.p_value})  # fmt: skip
    note = str(tables.one("ultimate/cells", place="minimax-3 v minimax-5", reading="as coded")["note"])
    three, _, five = map(int, re.findall(r"\d+", note)[:3])
    rows.append(_decided("Bichot", "Fig. 5", "minimax of five steps and of three", five, three))
    return rows


def _decided(source: str, table: str, compared: str, one: int, other: int) -> Row:
    p = two_sided(binomial(one + other, 0.5), one)
    return {"source": source, "table": table, "compared": compared, "printed": f"{one} : {other}", "p": p}


def numbers(tables: AllTables) -> Rows:
    """Return, for each source, how many printed numbers are confirmed as described, by its program only, or not.

    Numbers that are printed again, and those that could be no other, are left out.
    """
    rows = []
    for study, author in SOURCES.items():
        if study == "hensler":
            continue  # it prints no measurement of strength
        found: dict[tuple[object, ...], list[str]] = {}
        for row in tables[f"{study}/cells"]:
            if row["counts"] == "once":
                verdicts = found.setdefault((row["table"], row["place"], row["quantity"]), [])
                verdicts.insert(0 if row["own_reading"] else len(verdicts), str(row["verdict"]))
        kinds = Counter(_kind(verdicts) for verdicts in found.values())
        rows.append({"source": author, "numbers": len(found)} | {kind: kinds[kind] for kind in _KINDS})
    return rows


def _kind(verdicts: Sequence[str]) -> str:
    """Return the kind of a number, whose reading as described comes first."""
    good = {NumberVerdict.EXACT, NumberVerdict.NOISE, NumberVerdict.REPRODUCED}
    described, program, wrong, unknown = _KINDS
    if verdicts[0] in good or good & set(verdicts):
        return described if verdicts[0] in good else program
    return wrong if NumberVerdict.WRONG in verdicts else unknown


def statements(tables: AllTables) -> Rows:
    """Return how many statements of each source have which verdict."""
    rows = []
    for study, author in SOURCES.items():
        counts = Counter(str(row["verdict"]) for row in tables[f"{study}/claims"])
        rows.append({"source": author, "statements": counts.total()}
                    | {one.value: counts[one.value] for one in StatementVerdict})  # fmt: skip
    return rows


def confirmed(tables: AllTables) -> Rows:
    """Return the statements that hold."""
    return [
        {"source": author, "where": row["where"], "statement": row["statement"], "found": row["found"]}
        for study, author in SOURCES.items()
        if claims_of(package_of(study.replace("/", ".")))
        for row in tables[f"{study}/claims"]
        if row["verdict"] == StatementVerdict.HOLDS.value
    ]


_ALL: Final = (ties, safety, agreement, samples, numbers, statements, confirmed)
MEASURES: Final[dict[str, Callable[[AllTables], Rows]]] = {one.__name__: one for one in _ALL}
