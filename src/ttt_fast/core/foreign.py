"""Code of others, by name: `python:MODULE:NAME` in this process, `engine:COMMAND` in another one.

Whoever writes such a name has code run.  It is therefore taken from the command line and from Python alone: names that
come out of files go through `refuse_foreign`.
"""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ttt_fast.core.errors import ForeignNameError, TttFastError, UsageError
from ttt_fast.core.text import cut

PYTHON, ENGINE = "python", "engine"
GIVEN: dict[str, Any] = {}
"""Objects that a call has been given, while it lasts: `python:given:NAME`."""
_GIVEN_MODULE = "given"
_MENTIONED = re.compile(rf"(?<![\w./-])({PYTHON}|{ENGINE}):")
_SPELLED = re.compile(rf"{PYTHON}:([\w.]+):([\w.]+)")


def names_foreign(spec: str) -> bool:
    """Return whether an agent string names code of others, itself or inside of another agent.

    Examples
    --------
    >>> names_foreign("mix:1/2*(engine:./bot --fast)+1/2*random"), names_foreign("best-response:runs/python.npz")
    (True, False)
    """
    return _MENTIONED.search(spec) is not None


def refuse_foreign(spec: str, place: str) -> None:
    """Raise ForeignNameError if an agent string names code of others, in a place whose words run none."""
    if names_foreign(spec):
        wanted = f"{PYTHON}: and {ENGINE}: on the command line or in a call alone"
        raise ForeignNameError(f"expected {wanted}, since they run code of others, got {spec!r} in {place}")


def load_named(spec: str, noun: str) -> Any:
    """Return the object that `python:MODULE:NAME` names; modules of the present folder are found, too.

    Parameters
    ----------
    spec
        The text.
    noun
        What is asked for, for messages: `a learner`.

    Raises
    ------
    UsageError
        If it is spelled otherwise, the module cannot be imported, or there is no such name in it.

    Examples
    --------
    >>> load_named("python:fractions:Fraction", "an agent")
    <class 'fractions.Fraction'>
    """
    found = _SPELLED.fullmatch(spec)
    if found is None:
        raise UsageError(f"expected {noun} as {PYTHON}:MODULE:NAME, got {spec!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    module_name, name = found.groups()
    if module_name == _GIVEN_MODULE and name in GIVEN:
        return GIVEN[name]
    try:
        thing: Any = import_module(module_name)
        for part in name.split("."):
            thing = getattr(thing, part)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever the module does when it is imported, `sys.exit` too
        raise UsageError(f"cannot load {noun} {spec!r}: {reason_of(error)}") from error
    return thing


def source_of(spec: str) -> str | None:
    """Return the path of the module of a loaded `python:MODULE:NAME`, None if it has none."""
    path: str | None = getattr(sys.modules[spec.split(":")[1]], "__file__", None)
    return path


def given_name(thing: Any) -> str:
    """Return a name for an object: its own, or that of its class.

    Examples
    --------
    >>> given_name(max), given_name(lambda state: 4), given_name(1.5)
    ('max', 'lambda', 'float')
    """
    named = getattr(thing, "name", None) or getattr(thing, "__name__", None) or type(thing).__name__
    return re.sub(r"\W+", "_", str(named)).strip("_") or "agent"


def given_object(spec: str) -> Any:
    """Return the object that a call has been given under the name of a spec; None for every other spec."""
    module, _, name = spec.partition(":")[2].partition(":")
    return GIVEN.get(name) if module == _GIVEN_MODULE else None


def reason_of(error: BaseException) -> str:
    """Return what an exception of others says, in one line.

    Examples
    --------
    >>> reason_of(ZeroDivisionError("division by zero"))
    'ZeroDivisionError: division by zero'
    """
    try:
        said = str(error)
    except Exception:  # a class of others may fail at this, too
        said = ""
    line = next((one for one in said.splitlines() if one), "")
    return line if isinstance(error, TttFastError) else f"{type(error).__name__}: {cut(line)}"
