"""Commands about the program itself: `bench`, `warmup`, `info`."""

from typing import Annotated

import typer

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_threads


def bench(
    threads: options.Threads = None,
    seconds: Annotated[float, typer.Option("--seconds", help="length of one repeat, at least 0.05")] = 0.2,
    repeats: Annotated[int, typer.Option("--repeats", help="repeats, of which the median counts")] = 5,
    form: options.Format = None,
    output: options.Output = None,
) -> None:
    """Measure how fast this machine plays, learns and evaluates (peers and baselines: see bench/)."""
    from ttt_fast.core.errors import UsageError
    from ttt_fast.report import rows, tables
    from ttt_fast.report.throughput import measure_all

    chosen = rows.chosen_format(form, output)
    threads_used = parse_threads(threads)
    if not 0.05 <= seconds <= 60:
        raise UsageError(f"expected 0.05 to 60 seconds, got {seconds}")
    if not 1 <= repeats <= 1000:
        raise UsageError(f"expected 1 to 1000 repeats, got {repeats}")
    records = measure_all(seconds, repeats, threads_used)
    rows.write_rows(
        chosen,
        output,
        "bench",
        records,
        {"seconds": seconds, "repeats": repeats},
        lambda: tables.rows_report(records, "throughput of this machine"),
    )


def warmup() -> None:
    """Compile every kernel now, so that the first command is fast."""
    import time

    from ttt_fast.core.jit import cache_folder
    from ttt_fast.report.throughput import run_every_kernel

    started = time.perf_counter()
    typer.echo("compiling the kernels (once for this version) ...", err=True)
    run_every_kernel()
    typer.echo(f"ready after {time.perf_counter() - started:.1f} s; kept in {cache_folder()}", err=True)


def info(form: options.Format = None, output: options.Output = None) -> None:
    """Print versions, machine, and the folder of compiled kernels."""
    from ttt_fast.core.jit import cache_folder
    from ttt_fast.core.manifest import environment
    from ttt_fast.report import rows, tables

    chosen = rows.chosen_format(form, output)
    found = {**environment(), "kernel_cache": str(cache_folder())}
    listing = [{"what": key, "value": str(value)} for key, value in found.items()]
    rows.write_rows(chosen, output, "info", [found], {}, lambda: tables.rows_report(listing, "ttt-fast"))
