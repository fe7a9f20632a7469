"""User-supplied Python objects: loaded by name, and their errors in one line."""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ttt_fast.core.errors import TttFastError, UsageError, cut

_SPELLED = re.compile(r"python:([\w.]+):([\w.]+)")


def load_object(name: str) -> Any:
    """Return the agent given by `python:MODULE:NAME`, where the module may be in the working directory.

    Parameters
    ----------
    name
        The text.

    Raises
    ------
    UsageError
        If the text is malformed, the module cannot be imported, or the name is not defined in it.

    Examples
    --------
    >>> load_object("python:fractions:Fraction")
    <class 'fractions.Fraction'>
    """
    found = _SPELLED.fullmatch(name)
    if found is None:
        raise UsageError(f"expected an agent as python:MODULE:NAME, got {name!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    module_name, attribute = found.groups()
    try:
        loaded: Any = import_module(module_name)
        for part in attribute.split("."):
            loaded = getattr(loaded, part)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an import may raise any exception, including SystemExit
        raise UsageError(f"cannot load an agent {name!r}: {error_line(error)}") from error
    return loaded


def object_name(value: object) -> str:
    """Return the name of an object, or else of its class.

    Examples
    --------
    >>> object_name(max), object_name(lambda state: 4), object_name(1.5)
    ('max', 'lambda', 'float')
    """
    named = getattr(value, "name", None) or getattr(value, "__name__", None) or type(value).__name__
    return re.sub(r"\W+", "_", str(named)).strip("_") or "agent"


def error_line(error: BaseException) -> str:
    """Return the text of any exception in one line.

    Examples
    --------
    >>> error_line(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    try:
        text = str(error)
    except Exception:  # `str` of a user's exception may fail too
        text = ""
    line = next((one for one in text.splitlines() if one), "")
    return line if isinstance(error, TttFastError) else f"{type(error).__name__}: {cut(line)}"
