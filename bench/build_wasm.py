"""Compile the engine of the Connect 4 page to WebAssembly.

    apt-get install clang lld
    python bench/build_wasm.py

The output is committed beside its source, so that `ttt-fast page` needs no compiler.  The same version of clang makes
the same bytes.
"""

import subprocess
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "ttt_fast" / "web" / "static" / "connect_four.c"
FLAGS = (
    "--target=wasm32", "-O3", "-nostdlib", "-ffreestanding", "-fno-builtin", "-Wall", "-Wextra", "-Werror",
    "-Wl,--no-entry", "-Wl,--strip-debug", "-Wl,-z,stack-size=65536",
)  # fmt: skip


def build(output: Path) -> None:
    """Write the compiled engine."""
    subprocess.run(["clang", *FLAGS, "-o", str(output), SOURCE.name], cwd=SOURCE.parent, check=True)


if __name__ == "__main__":
    build(SOURCE.with_suffix(".wasm"))
