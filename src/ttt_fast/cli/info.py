"""The command `info`: what a report of a fault should name."""

from ttt_fast.cli import options


def info(form: options.Format = None, output: options.Output = None) -> None:
    """Print versions, machine, and the folder of compiled kernels."""
    from ttt_fast.core.jit import cache_folder
    from ttt_fast.core.manifest import environment
    from ttt_fast.report import rows, tables

    chosen = rows.chosen_format(form, output)
    found = {**environment(), "kernel_cache": str(cache_folder())}
    listing = [{"what": key, "value": str(value)} for key, value in found.items()]
    rows.write_rows(chosen, output, "info", [found], {}, lambda: tables.rows_report(listing, "ttt-fast"))
