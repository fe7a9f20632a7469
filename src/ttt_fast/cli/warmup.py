"""The command `warmup`: compilation of every kernel that a command may need."""

import time

import typer


def warmup() -> None:
    """Compile every kernel now, so that the first command is fast."""
    from ttt_fast.api.speed import warm_kernels

    typer.echo("compiling the kernels (once for this version) ...", err=True)
    started = time.perf_counter()
    folder = warm_kernels()
    typer.echo(f"ready after {time.perf_counter() - started:.1f} s; kept in {folder}", err=True)
