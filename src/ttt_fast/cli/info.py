"""The command `info`: the details that a bug report should contain."""

from ttt_fast.cli.options import Target


def info(target: Target) -> None:
    """Print versions, machine, and the folder of compiled kernels."""
    from ttt_fast.files import environment
    from ttt_fast.report.console import rows_report

    found = environment(kernel_cache=True)
    listing = [{"what": key, "value": str(value)} for key, value in found.items()]
    target.write("info", [found], {}, lambda: rows_report(listing, "ttt-fast"))
