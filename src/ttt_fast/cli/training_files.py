"""Files of every kind of training run: the table, the curve, and the command to go on after Ctrl-C."""

import hashlib
import json
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from ttt_fast.learn.config import TrainingConfig

CURVE_FORMATS = {".parquet": "parquet", ".jsonl": "jsonl", ".csv": "csv"}


def check_curve(path: Path | None) -> None:
    """Raise UsageError unless a curve can be written to a file of this name."""
    if path is not None and path.suffix not in CURVE_FORMATS:
        raise UsageError(f"expected a .parquet, .jsonl or .csv file for the curve, got {str(path)!r}")


def check_resumed(path: Path, settings: Mapping[str, Any], config: "TrainingConfig") -> None:
    """Raise UsageError unless the settings that are given are those of the run that is resumed."""
    from ttt_fast.games.registry import parse_game

    for name, value in settings.items():
        kept = getattr(config, name)
        same = parse_game(value) == parse_game(kept) if name == "game" else value == kept
        if not same:
            raise UsageError(f"expected the settings of {str(path)!r} ({name} {kept!r}), got {value!r}")


def checked_table(path: Path) -> Path:
    """Return a path from which the table can be read again: a suffix makes an agent string a file."""
    if path.suffix != ".npz" and not path.is_char_device():
        raise UsageError(f"expected a .npz file for the table, got {str(path)!r}")
    return path


def usual_table(name: str, seed: int, config: Mapping[str, Any]) -> Path:
    """Return a file name made of the settings: equal settings give the same name, and the same bits."""
    return Path("runs") / f"{name}-seed{seed}-{digest_of(config)}.npz"


def digest_of(config: Mapping[str, Any]) -> str:
    """Return a short name of settings."""
    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:8]


def plain_name(text: str) -> str:
    """Return a text as a part of a file name.

    Examples
    --------
    >>> plain_name("connect4:columns=6,rows=7")
    'connect4-columns-6-rows-7'
    """
    return "".join(symbol if symbol.isalnum() else "-" for symbol in text)[:40]


def write_curve(curve: "pl.DataFrame", config: Mapping[str, Any], path: Path) -> None:
    """Write a learning curve in the format of the file's suffix."""
    from ttt_fast.report import rows

    rows.write_bytes(rows.encode(CURVE_FORMATS[path.suffix], "train", curve.to_dicts(), config), path)


def go_on_words(path: Path, curve: Path | None, *more: str) -> list[str]:
    """Return the words of the command that goes on with a run."""
    return ["ttt-fast", "train", "--resume", str(path), *([] if curve is None else ["--curve", str(curve)]), *more]


def with_memory(needed: int) -> tuple[str, str]:
    """Return the option for as many bytes as a run needs."""
    return "--memory-limit", f"{ceil(needed / 1e9)}G" if needed >= 1e9 else f"{ceil(needed / 1e6)}M"
