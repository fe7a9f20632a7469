"""Write `src/ttt_fast/__init__.pyi`, from which editors and type checkers learn the public names.

Run with `python bench/stub.py` after a change of the names in `src/ttt_fast/__init__.py`.
"""

from pathlib import Path

import ttt_fast

STUB = Path(ttt_fast.__file__).with_suffix(".pyi")


def stub() -> str:
    """Return the text of the stub: an import for each module, each name under its own."""
    lines = []
    for module, names in sorted(ttt_fast._NAMES.items()):
        listed = [f"    {name} as {name}," for name in sorted(names.split())]
        lines += [f"from ttt_fast.{module} import (", *listed, ")"]
    return "\n".join([*lines, "", "__all__: list[str]", ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
