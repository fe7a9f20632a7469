"""The benchmark's report as markdown, and its block in README.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groups.timing import Rows
from ttt_fast.report.console import si_number
from ttt_fast.report.rows import markdown_table, write_bytes

BEGINNING, END = "<!-- bench: python bench/run.py --readme -->", "<!-- /bench -->"


def page(groups: Mapping[str, Mapping[str, Any]], command: str) -> str:
    """Return the report: a section for each group, with the manifest of the run that measured it."""
    parts = [
        "# Throughput\n",
        f"Made by `{command}` (`--only GROUP,GROUP` measures some groups again). Candidates take turns, warm; figures"
        " are medians. `ratio` is against the straightforward kernel, the peer, or the first row of the group;"
        " `ttt_fast is` so many times as fast as the row; both turn by turn.\n",
    ]
    for name, group in groups.items():
        parts += [f"\n## {group['title']}\n", *_tables(group["rows"])]
        parts.append(f"\n{_said(name, group['manifest'])}\n")
    parts.append(
        "\nThe first call contains loading a kernel from the cache, or compiling it. OpenSpiel walks histories, not"
        " boards (294,778 decision histories for 4,520 decision states); its QLearner is Python.\n"
    )
    return "\n".join(parts)


def _said(name: str, manifest: Mapping[str, Any]) -> str:
    """Return with what a group was measured, in a line."""
    made = ", ".join(f"{key} {value}" for key, value in manifest["environment"].items() if key not in ("system", "cpu"))
    return (
        f"`{name}`, {manifest['date']}: {manifest['repeats']} repeats of at least {manifest['seconds']} s;"
        f" {manifest['environment']['cpu']}, {manifest['environment']['system']}, {made}{_left_out(manifest)}."
    )


def _left_out(manifest: Mapping[str, Any]) -> str:
    """Return which programs have no rows; manifests made before this was kept say nothing."""
    without = manifest.get("without", [])
    return f"; without {', '.join(without)}: no rows of theirs" if without else ""


def _tables(rows: Rows) -> list[str]:
    """Return the table of the rates, and one of the other figures."""
    rates = [row for row in rows if row["unit"] not in ("seconds", "value")]
    shown = [
        {
            "what": row["what"],
            "rate": f"{si_number(row['per_second'])} {row['unit']}/s",
            "each": f"{1e6 / row['per_second']:,.1f} µs" if row["unit"] == "calls" else "",
            "ratio": "" if row["ratio"] is None else f"{row['ratio']:,.2f}",
            "ttt_fast is": "" if row["ttt_fast_is"] is None else f"{row['ttt_fast_is']:,.1f} times",
            "first call": f"{row['first_call_seconds']:.2f} s",
        }
        for row in rates
    ]
    for column in ("each", "ratio", "ttt_fast is"):
        if all(not row[column] for row in shown):
            shown = [{key: value for key, value in row.items() if key != column} for row in shown]
    others = [
        {
            "what": row["what"],
            "figure": f"{row['seconds']:.3f} s" if row["unit"] == "seconds" else _value(row["value"]),
            "note": row["note"],
        }
        for row in rows
        if row["unit"] in ("seconds", "value")
    ]
    return [markdown_table(table) + "\n" for table in (shown, others) if table]


def _value(value: float) -> str:
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"


Groups = Mapping[str, Mapping[str, Any]]


def update_readme(groups: Groups, shown: Mapping[str, Sequence[str]], path: Path, second: Groups | None = None) -> None:
    """Replace the block of figures in README.md by some rows of each group, with the ratios of a second machine."""
    others = {(name, row["what"]): row for name in second or {} for row in (second or {})[name]["rows"]}
    wanted = [
        (name, row) for name in shown if name in groups for row in groups[name]["rows"] if row["what"] in shown[name]
    ]
    rows = [
        {
            "compared with": row["what"],
            "its rate or time": _rate(row, 1.0),
            "ttt_fast": _rate(row, row["ttt_fast_is"]),
            "times as fast": f"{row['ttt_fast_is']:,.1f}",
            "on the second processor": f"{others[name, row['what']]['ttt_fast_is']:,.1f}"
            if (name, row["what"]) in others
            else "",
        }
        for name, row in wanted
    ]
    if second is None:
        rows = [{column: text for column, text in row.items() if "second" not in column} for row in rows]
    said = f"Processor: {_machines(groups, shown)}."
    if second is not None:
        said += f" The second one: {_machines(second, shown)}."
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGINNING)
    _, after = rest.split(END)
    block = f"\n{markdown_table(rows)}\n\n{said}\n"
    write_bytes(f"{before}{BEGINNING}\n{block}\n{END}{after}".encode(), path)


def _rate(row: Mapping[str, Any], factor: float) -> str:
    """Return a rate, or the time of a call, multiplied by a factor."""
    rate = row["per_second"] * factor
    return f"{1e6 / rate:,.0f} µs a call" if row["unit"] == "calls" else f"{si_number(rate)} {row['unit']}/s"


def _machines(groups: Groups, shown: Mapping[str, Sequence[str]]) -> str:
    """Return the processors, cores and dates of the groups with rows in README.md."""
    made = [groups[name]["manifest"] for name in shown if shown[name] and name in groups]
    return ", ".join(
        sorted({f"{one['environment']['cpu']}, {one['environment']['cores']} cores, {one['date']}" for one in made})
    )
