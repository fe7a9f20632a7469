"""The command `bench`: the speed of this machine in playing, learning, evaluating and searching.

The folder bench/ compares such measurements with straightforward kernels and with other programs.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from ttt_fast import UsageError
from ttt_fast.cli.options import Target
from ttt_fast.cli.parsing import parse_threads
from ttt_fast.cli.signatures import argument, of_run, option


def bench(
    target: Target,
    action: Annotated[str, argument("ACTION", "run the measurements, or compare two files")] = "run",
    files: Annotated[list[Path] | None, argument("FILES", "with compare: two files written by bench -o")] = None,
    quick: Annotated[bool, option("--quick", "shorter and fewer repetitions, less than a minute in total")] = False,
    threads: Annotated[
        int | None,
        of_run("--threads K", "number of threads; affects the measured speed (default: all cores)", parse_threads),
    ] = None,
    seconds: Annotated[
        float | None, option("--seconds S", "length of a repetition (default: 0.5; 0.2 with --quick)")
    ] = None,
    repeats: Annotated[
        int | None,
        option("--repeats N", "number of repetitions, of which the median is printed (default: 7; 5 with --quick)"),
    ] = None,
) -> None:
    """Measure how fast this machine plays, learns, evaluates and searches; or compare two machines.

    In the source repository, the script bench/run.py also measures other programs and simple baselines.
    """
    if action == "compare":
        _compare(target, files or [])
        return
    if action != "run" or files:
        raise UsageError(
            f"expected 'run', or 'compare' and two files, got {' '.join([action, *map(str, files or [])])!r}"
        )
    length, count = seconds or (0.2 if quick else 0.5), repeats or (5 if quick else 7)
    if seconds is not None and not 0.05 <= seconds <= 60:
        raise UsageError(f"expected --seconds from 0.05 to 60, got {seconds!r}")
    if repeats is not None and not 1 <= repeats <= 1000:
        raise UsageError(f"expected --repeats from 1 to 1000, got {repeats!r}")
    _measure(target, threads, length, count)


def _measure(target: Target, threads: int | None, seconds: float, repeats: int) -> None:
    from ttt_fast.api.speed import measure_speed
    from ttt_fast.report.rows import write_bytes

    records, warnings = measure_speed(threads, seconds, repeats)
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)
    config = {"seconds": seconds, "repeats": repeats, "warnings": warnings}
    if target.output is not None:
        write_bytes(_report(records).encode(), None)
    target.write("bench", records, config, lambda: _report(records))


def _report(records: list[dict[str, Any]]) -> str:
    """Return the rates, and the time of one call in readable units."""
    from ttt_fast.report.console import render, short_time
    from ttt_fast.report.row_table import RowTable

    shown = [
        {"what": row["what"], "rate": f"{row['per_second']:,.0f} {row['unit']}/s",
         "each": short_time(row["seconds_each"]), "slowest": f"{row['slowest']:,.0f}",
         "fastest": f"{row['fastest']:,.0f}", "first call": short_time(row["first_call_seconds"])}
        for row in records
    ]  # fmt: skip
    return render([RowTable(shown, "throughput of this machine", spare=("slowest", "fastest", "first call"))])


def _compare(target: Target, files: list[Path]) -> None:
    from ttt_fast.report.bench_compare import compare_rates

    if len(files) != 2:
        raise UsageError(f"expected two files to compare, got {len(files)}")
    rows: list[dict[str, Any]] = compare_rates(*files)
    target.write("bench", rows, {"files": [str(one) for one in files]}, f"{files[1].name} beside {files[0].name}")
