"""The benchmark's report as markdown, and its block in README.md: some rows of each group; all are in bench.json."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ttt_fast.report.console import si_number
from ttt_fast.report.rows import markdown_table, write_bytes

BEGINNING, END = "<!-- bench: python bench/run.py --readme -->", "<!-- /bench -->"
Groups = Mapping[str, Mapping[str, Any]]
Names = Mapping[str, Sequence[str]]

README: Final[Names] = {
    "random-games": ("straightforward kernel: random v random", "pgx (JAX), best batch on the CPU"),
    "training": ("straightforward kernel: Q row scanned at every step", "OpenSpiel Python QLearner"),
    "exact": ("OpenSpiel C++ TabularBestResponse",),
    "games": ("OpenSpiel C++ MCTSBot: Ultimate after 0 plies, N = 2,000",),
}
"""The rows of README.md, by group."""
PAGE: Final[Names] = {
    "random-games": (*README["random-games"], "OpenSpiel C++ rollouts"),
    "training": README["training"],
    "self-play": ("straightforward kernel, epsilon 0.1",),
    "hashed": ("1,000,000 rounds, afterstates, 7 columns of 6",),
    "networks": (
        "straightforward kernel: a loop for each sum: 9-32-32-9, B = 2",
        "JAX, jitted lax.scan: 9-32-32-9, B = 2",
        "JAX, vmap over 16 runs, each update counted: 9-32-32-9, B = 2",
        "PyTorch, eager, fused Adam: 9-32-32-9, B = 2",
        "JAX, jitted lax.scan: 99-512-512-81, B = 64",
        "PyTorch, eager, fused Adam: 99-512-512-81, B = 64",
    ),
    "alphazero": (
        "mctx with pgx, jitted, batch of 100 games",
        "a run of the study: alphazero, tic-tac-toe",
        "a run of the study: alphazero, connect4:columns=4,rows=4",
    ),
    "exact": ("OpenSpiel C++ expected_returns", *README["exact"], "OpenSpiel MinimaxSolver"),
    "scale": (
        "table of connect4:columns=6,rows=4",
        "plain loop: 4x4, uniform v uniform",
        "plain loop: 4x4, full solution",
    ),
    "induced": ("7x6, the rule as X: table and outcome",),
    "multinomial": ("propagate 10^15 games",),
    "games": (
        "OpenSpiel C++ rollouts: Connect 4, random games",
        "OpenSpiel C++ rollouts: Ultimate, random games",
        *README["games"],
        "OpenSpiel C++ MCTSBot: Connect 4 after 0 plies, N = 2,000",
    ),
    "equal-simulations": ("score in 400 games, percent",),
    "solving": (
        "ttt_fast is so many times as fast as bitbully, kept tables",
        "ttt_fast is so many times as fast as bitbully, fresh tables",
        "empty board, 1 thread",
    ),
    "start": ("ttt-fast exact heuribot random",),
}
"""The rows of the report, by group; those of README.md are among them."""
SHOWN: Final = {
    "straightforward kernel: random v random": "straightforward kernel: games of random v random",
    "straightforward kernel: Q row scanned at every step": "straightforward kernel: Q-learning v random",
    "OpenSpiel C++ expected_returns": "OpenSpiel C++ expected_returns: the exact result of a match",
    "OpenSpiel C++ TabularBestResponse": "OpenSpiel C++ TabularBestResponse: a best response",
    "propagate 10^15 games": "10^15 games of random v random, all counts drawn along the tree",
    "7x6, the rule as X: table and outcome": "`centre-first` as X on 7x6: table and exact result v random",
    "mctx with pgx, jitted, batch of 100 games": "mctx with pgx on the CPU, one thread, jitted, batch of 100 games;"
    " it evaluates a network for each simulation, ttt_fast all states once an iteration",
    "score in 400 games, percent": "OpenSpiel C++ MCTSBot, 400 games of Ultimate: score of ttt_fast",
}
"""The text of a row that its name does not explain."""
RATIO: Final = "ttt_fast is so many times as fast as "
"""How the name of a row begins that is a ratio; the name of the other program follows."""


def page(groups: Groups, command: str, second: Groups | None = None) -> str:
    """Return the report: a table of some rows, and the machines and versions that measured them."""
    return "\n".join([
        "# Throughput\n",
        f"Made by `{command}`. All rows are in [bench.json](bench.json) and, of a second processor, in"
        " [second/bench.json](second/bench.json). Programs take turns, warm, so that a slow minute of the machine meets"
        " them all. Figures of other programs are medians, *times as fast* is the median ratio of the turns, and the"
        " figure of ttt_fast follows from both. A *straightforward kernel* or *plain loop* is a plain numba version of"
        " the same task. N is the number of simulations for each move, B the size of a minibatch. Rows with one figure"
        " are those of ttt_fast alone. In `equal-simulations` this figure is a score of a match: both programs"
        " search with as many simulations, and a draw is half a win. `hashed` learns Connect 4 in a hash table, and"
        " `scale` makes a table of 95 million states (`4x4`: tic-tac-toe with four in a row). `induced` computes the"
        " exact result of a fixed player of Connect 4, `solving` the scores of positions.\n",
        markdown_table(_rows(groups, PAGE, second, with_group=True)) + "\n",
        "OpenSpiel walks histories, not boards (294,778 for 4,520 states); its QLearner is Python.\n",
        "Machines:\n",
        *_machine_lines(groups),
        *([f"- the second processor: {_machines(second, PAGE)}"] if second else []),
        f"\nVersions: {_versions(groups)}.\n",
    ])  # fmt: skip


def update_readme(groups: Groups, path: Path, second: Groups | None = None) -> None:
    """Replace the block of figures in README.md by some rows of each group, with the ratios of a second machine."""
    said = f"Processor: {_machines(groups, README)}."
    if second is not None:
        said += f" The second one: {_machines(second, README)}."
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGINNING)
    _, after = rest.split(END)
    block = f"\n{markdown_table(_rows(groups, README, second))}\n\n{said}\n"
    write_bytes(f"{before}{BEGINNING}\n{block}\n{END}{after}".encode(), path)


def _rows(groups: Groups, names: Names, second: Groups | None, with_group: bool = False) -> list[dict[str, str]]:
    """Return the named rows as cells of a table; the name of a group stands in its first row."""
    others = {(name, row["what"]): row for name, group in (second or {}).items() for row in group["rows"]}
    rows, before = [], ""
    for name, row in _named(groups, names):
        is_compared = row.get("ttt_fast_is") is not None and not row["what"].startswith(("ttt_fast", "ttt-fast"))
        other = others.get((name, row["what"])) if is_compared else None
        cells = {"group": "" if name == before else f"`{name}`"} if with_group else {}
        cells |= {
            "compared with": SHOWN.get(row["what"], row["what"]),
            "its rate or time": _figure(row, 1.0) if is_compared else "",
            "ttt_fast": _figure(row, row["ttt_fast_is"] if is_compared else 1.0),
            "times as fast": _rounded(row["ttt_fast_is"]) if is_compared else "",
        }
        if second is not None:
            cells["times as fast, second processor"] = _rounded(other["ttt_fast_is"]) if other else ""
        rows.append(cells)
        before = name
    return rows


def _named(groups: Groups, names: Names) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, group in groups.items():
        wanted = set(names.get(name, ()))
        rows = group["rows"]
        yield from ((name, _compared(row, rows)) for row in rows if row["what"] in wanted)


def _compared(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return a row; instead of one that is a ratio, that of the other program, with the ratio."""
    if not row["what"].startswith(RATIO):
        return row
    program = row["what"].removeprefix(RATIO)
    micros = next(one["value"] for one in rows if one["what"] == f"{program}: µs a position")
    return {"what": program, "unit": "positions", "per_second": 1e6 / micros, "ttt_fast_is": row["value"]}


def _figure(row: Mapping[str, Any], factor: float) -> str:
    """Return a rate multiplied by a factor, the time of a call, or another figure."""
    if row["unit"] == "seconds":
        return f"{row['seconds']:.2f} s"
    if row["unit"] == "value":
        return f"{row['value']:,.1f} %"
    rate = row["per_second"] * factor
    return f"{_rounded(1e6 / rate, 0)} µs a call" if row["unit"] == "calls" else f"{si_number(rate)} {row['unit']}/s"


def _rounded(value: float, decimals: int = 1) -> str:
    """Return a number with at most three digits other than final zeros, and at most some decimals."""
    return f"{value:,.{decimals}f}" if value < 99.95 else f"{float(f'{value:.3g}'):,.0f}"


def _machines(groups: Groups, names: Names) -> str:
    """Return the processors, cores and dates of the groups with rows in a table."""
    made = sorted({_machine(groups[name]) for name in names if name in groups})
    return "; ".join(", ".join([one, *(date for other, date in made if other == one)]) for one in dict(made))


def _machine(group: Mapping[str, Any]) -> tuple[str, str]:
    """Return the processor and its cores, and the date."""
    made = group["manifest"]
    return f"{made['environment']['cpu']}, {made['environment']['cores']} cores", made["date"]


def _machine_lines(groups: Groups) -> list[str]:
    """Return the groups of each machine and date with rows in the report, and the programs that were left out."""
    by_machine: dict[str, list[str]] = {}
    for name, group in ((name, group) for name, group in groups.items() if name in PAGE):
        without = group["manifest"].get("without", [])
        left_out = f" (without {', '.join(without)})" if without else ""
        by_machine.setdefault(", ".join(_machine(group)), []).append(f"{name}{left_out}")
    return [f"- {machine}: {', '.join(names)}" for machine, names in by_machine.items()]


def _versions(groups: Groups) -> str:
    found: dict[str, str] = {}
    for group in groups.values():
        found |= group["manifest"]["environment"]
    return ", ".join(f"{key} {value}" for key, value in found.items() if key not in ("system", "cpu", "cores"))
