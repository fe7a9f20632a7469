"""`ttt-fast reproduce base`: published figures that need no learning, beside the exact value."""

from pathlib import Path
from typing import Any

from ttt_fast.core.archive import make_folder
from ttt_fast.core.manifest import environment
from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.report.rows import encode, markdown_table, write_bytes
from ttt_fast.studies import langan, smirnov
from ttt_fast.studies.cells import NOISE_SIGMAS, Cell, Setting, ordinary_table
from ttt_fast.tables import count_paths, symmetry_of

COMMAND = "ttt-fast reproduce base"

_VARIANTS = [
    f"minimax:tie={tie},prefer={prefer}"
    for tie in ("uniform", "first", "last", "column-major")
    for prefer in ("none", "fast")
]

# What each source printed about minimax against random: seat of minimax, quantity, figure, first move drawn?
_PRINTED = {
    "langan": [("x", "x_wins", "193622", langan.GAMES, False)],
    "smirnov": [
        ("x", "x_wins", "0.995", smirnov.GAMES, False),
        ("o", "o_wins", "0.806", smirnov.GAMES, False),
        ("x", "plies_5", "0.370", smirnov.GAMES, True),
        ("o", "plies_6", "0.419", smirnov.GAMES, False),
        ("o", "plies_8", "0.387", smirnov.GAMES, False),
    ],
}


def judged_cells() -> list[dict[str, Any]]:
    """Return a row for every published cell: printed, exact, verdict, reason."""
    return [cell.judge() for cell in (*langan.BASE_CELLS, *smirnov.BASE_CELLS)]


def minimax_rows() -> list[dict[str, Any]]:
    """Return which minimax the published tables used: each variant's exact results, and which sources they fit."""
    rows = []
    for variant in _VARIANTS:
        row: dict[str, Any] = {"agent": variant}
        fits = {}
        for source, printed in _PRINTED.items():
            sigmas = 0.0
            for seat, quantity, figure, games, drawn in printed:
                pair = (variant, "random") if seat == "x" else ("random", variant)
                cell = Cell(source, variant, quantity, figure, games, Setting(*pair, random_opening=drawn))
                exact = cell.exact(cell.setting)
                sigmas = max(sigmas, cell.sigmas(exact))
                row[f"{quantity} as {seat.upper()}" + (" (drawn opening)" if drawn else "")] = exact
            fits[f"fits {source}"] = sigmas <= NOISE_SIGMAS
        rows.append(row | fits)
    return rows


def fact_rows() -> list[dict[str, Any]]:
    """Return the counts and the test in Langan's text, beside the truth."""
    table = ordinary_table()
    paths = count_paths(table)
    sample = langan.Z_TEST
    test = two_proportion_z_test(
        int(sample["wins"]), int(sample["games"]), int(sample["other_wins"]), int(sample["games"])
    )
    games = int(paths[~table.decision_mask].sum())
    return [
        {
            "claim": "distinct states (langan, section 1.1)",
            "published": f"{langan.PUBLISHED_STATES:,}",
            "computed": f"{table.num_states:,}",
            "verdict": "wrong",
            "note": f"reachable boards; {symmetry_of(table).num_classes} up to symmetry; all fillings: {3**9:,}",
        },
        {
            "claim": "possible move sequences (langan, section 1.1)",
            "published": "362,880",
            "computed": f"{games:,}",
            "verdict": "wrong",
            "note": "9! counts sequences that go on after a win",
        },
        {
            "claim": "z-test Q_random against minimax (langan, section 6.3.1)",
            "published": f"{sample['published_z']:.2f}",
            "computed": f"{test.z:.2f}",
            "verdict": "equal",
            "note": "two proportions, pooled variance",
        },
        {
            "claim": "valid board states (smirnov)",
            "published": "5,478",
            "computed": f"{table.num_states:,}",
            "verdict": "equal",
            "note": "",
        },
    ]


def minimax_table(rows: list[dict[str, Any]]) -> str:
    """Return the variants as a markdown table with six decimals."""
    return markdown_table(
        [{key: f"{value:.6f}" if isinstance(value, float) else value for key, value in row.items()} for row in rows]
    )


def verdict_counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return the number of rows by verdict."""
    return {name: sum(row["verdict"] == name for row in rows) for name in ("equal", "within noise", "wrong")}


def run(folder: Path) -> list[dict[str, Any]]:
    """Write the report to `folder` (README.md, cells.csv) and return its rows."""
    rows = judged_cells()
    make_folder(folder)
    write_bytes(_page(rows).encode(), folder / "README.md")
    write_bytes(encode("csv", "reproduce", rows, {}), folder / "cells.csv")
    return rows


def _listed(row: dict[str, Any], *last: str) -> dict[str, Any]:
    """Return the columns of a cell that a page shows, as text."""
    texts = {
        **row,
        "quantity": row["quantity"].replace("_", " "),
        "exact": f"{row['exact']:.6f}",
        "sigmas": f"{row['sigmas']:.2f}",
        "fits": f"{row['fits']}: {row['exact_of_fit']:.6f}" if row["fits"] else "",
    }
    return {key: texts[key] for key in ("source", "cell", "quantity", "published", "exact", *last)}


def _page(rows: list[dict[str, Any]]) -> str:
    counts = verdict_counts(rows)
    shown = [_listed(row, "sigmas", "verdict") for row in rows]
    wrong = [_listed(row, "why", "fits") for row in rows if row["verdict"] == "wrong"]
    machine = environment()
    return f"""# Published base tables, beside the exact values

Langan's figures and those of Smirnov's first two tables that need no learning (Smirnov's pair tables are in
[smirnov](../smirnov/README.md)): made by `{COMMAND}` (exact, no random numbers), version {machine["ttt_fast"]},
python {machine["python"]}, numpy {machine["numpy"]}, numba {machine["numba"]}, {machine["cpu"]}.

{counts["equal"]} cells are equal to the exact value as printed, {counts["within noise"]} are within the noise of
their sample (up to {NOISE_SIGMAS} standard errors), {counts["wrong"]} are wrong. `sigmas` is the distance from the
exact value in standard errors of the source's sample (Langan: 200,000 games a match, Smirnov: 100,000,000), beyond the
rounding of the printed figure.

## The wrong ones, and why

{markdown_table(wrong)}

## Which minimax did the tables use?

Against random, exactly: wins and draws depend on how ties are broken, and not at all on whether fast wins are
preferred (`prefer=fast` is the utility 10 - filled squares of Smirnov's page), so that tables of wins cannot tell the
two apart; game lengths can. Langan's wins fit uniform ties only. Smirnov's wins fit ties broken by the order of the
cells, and its game lengths fit `prefer=none`: the adjusted utility was not used in any table. First, last and
column-major order have the same results against random, being the same player up to a symmetry of the board there.
Langan prints no lengths, and that program has no preference for fast wins.

{minimax_table(minimax_rows())}

## Counts and tests in the text

{markdown_table(fact_rows())}

## All cells

{markdown_table(shown)}
"""
