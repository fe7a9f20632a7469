"""User-supplied Python objects: loaded by name, and their errors in one line."""

import hashlib
import io
import os
import pickle
import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from ttt_fast.core.errors import TttFastError, UsageError, cut

_SPELLED = re.compile(r"python:([\w.]+):([\w.]+)")
UNKNOWN = f"unknown {os.urandom(8).hex()}"
"""In place of the hash of code without a source file; another text in each process, so that nothing matches it."""


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


class _Referring(pickle.Pickler):
    """A pickler that notes the modules of the functions and classes to which an object refers."""

    modules: set[str]

    def reducer_override(self, value: object) -> Any:
        if isinstance(value, type | FunctionType):
            self.modules.add(value.__module__)
        return NotImplemented


def source_sha256(value: object, name: str = "") -> str:
    """Return a hash of an object: of its pickle, and of the files of the modules that define its functions and classes.

    Helpers of these modules and data files are not seen.  The result is `UNKNOWN` for an object without a pickle, such
    as a lambda, and for code without a file; `name` (`python:MODULE:NAME`) gives a module to what has no pickle.

    Examples
    --------
    >>> source_sha256(Path) == source_sha256(Path), source_sha256(lambda state: 4) == UNKNOWN
    (True, True)
    """
    pickler = _Referring(stream := io.BytesIO())
    pickler.modules = set()
    try:
        pickler.dump(value)
    except Exception:  # of any kind, since objects may define how they are pickled
        if not name:
            return UNKNOWN
    digest = hashlib.sha256(stream.getvalue())
    try:
        for module in sorted({*pickler.modules, *name.split(":")[1:2]}.difference(sys.builtin_module_names)):
            digest.update(Path(str(sys.modules[module].__file__)).read_bytes())
    except (KeyError, AttributeError, OSError):
        return UNKNOWN
    return digest.hexdigest()


def sources_sha256(modules: Iterable[str]) -> str:
    """Return a hash of the files of some modules, whatever their names; `UNKNOWN` if one has no file.

    Examples
    --------
    >>> sources_sha256(["fractions", "decimal"]) == sources_sha256(["decimal", "fractions"])
    True
    """
    try:
        files = sorted(Path(str(import_module(name).__file__)).read_bytes() for name in set(modules))
    except (ImportError, AttributeError, OSError):
        return UNKNOWN
    return hashlib.sha256(b"".join(files)).hexdigest()


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
