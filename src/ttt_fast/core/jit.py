"""The only module that calls `numba.njit`: decorators record kernels, and the first compiled call imports numba.

Importing numba takes longer than most computations on a small game.  A decorator therefore only records its function.
The first call of a kernel that needs compiled code imports numba and wraps that kernel alone.  If its code is in the
disk cache, it needs neither the other kernels nor numba's registries of types.  The first compilation loads both: every
record is replaced by a numba dispatcher.  From then on decorators return dispatchers directly, without any overhead.

A kernel marked `plain=True` also runs as Python, with bit-identical results.  Until the first compilation, calls with
at most `compiling.plain_elements` array elements do so.
"""

import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast, overload

from ttt_fast.core import cache, numba_parts
from ttt_fast.core.compilation import compiling
from ttt_fast.core.plain import READ_LISTS, num_elements, run_plain as run_plain

Function = TypeVar("Function", bound=Callable[..., Any])
Plain = bool | Callable[..., Any]

_lock = threading.RLock()
_records: list["Kernel"] = []
_when_loaded: list[Callable[[], object]] = []
_implementations: dict[type, set[tuple[str, str]]] = {}
_elsewhere: dict[type, dict[str, str]] = {}
_defaults: set[tuple[str, str]] = set()


class _Loaded:
    """The numba module and the state of the loading."""

    numba: Any = None
    folder: Path | None = None
    wraps: bool = False
    """Whether decorators return dispatchers: every record has been replaced, or is being replaced."""
    whole: bool = False
    """Whether every record has been replaced."""


class Kernel:
    """A recorded kernel; a call that needs compiled code loads numba.

    Parameters
    ----------
    function
        The Python function.
    make
        Returns the replacement of the record once numba is loaded.
    plain
        Whether a small input may be processed as Python: the kernel uses no random numbers and no uint64, and indexes
        arrays element by element.  Otherwise, a function that does the same in Python.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[], object], plain: Plain = False) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.make, self.plain = function, make, function if plain is True else plain
        self.compiled: Any = None
        _records.append(self)

    def __call__(self, *arguments: object) -> Any:
        """Call the compiled function, or run it as Python for a small input."""
        if self.plain and self.compiled is None:
            size = num_elements(arguments)
            if size <= compiling.plain_elements:
                return run_plain(self.plain, arguments) if size else self.plain(*arguments)
        if self.compiled is None:
            _wrap(self)
        return self.compiled(*arguments)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled function (`signatures`, `stats`, `targetoptions`)."""
        if name.startswith("__") or "compiled" not in self.__dict__:
            raise AttributeError(name)
        load()
        return getattr(self.compiled, name)


class Intrinsic(Kernel):
    """A recorded intrinsic: an operation that only numba can generate in kernels, with a Python equivalent."""

    def __call__(self, *arguments: object) -> Any:
        """Compute the result in Python."""
        return self.py_func(*arguments)


def load() -> None:
    """Import numba and replace all records by dispatchers; later calls do nothing.

    Other threads wait until all records have been replaced; calls made during the loading do not wait.
    """
    if _Loaded.whole:
        return
    with _lock:
        if _Loaded.wraps:
            return
        _import_numba()
        _Loaded.wraps = True
        for record in _records:
            if record.compiled is None:
                record.compiled = record.make()
        _put_in_place()
        numba_parts.listen(_Loaded.numba)
        for act in _when_loaded:
            act()
        _Loaded.whole = True


def _import_numba() -> None:
    """Import numba, and choose the folder of compiled kernels."""
    if _Loaded.numba is not None:
        return
    import numba
    import numba.core.caching
    import numba.core.codegen
    import numba.core.compiler
    import numba.core.event
    import numba.core.serialize
    import numba.extending

    numba_parts.avoid_slow_gathers(numba)
    _Loaded.folder = cache.choose_folder("kernels", _settings(numba))
    _Loaded.numba = numba
    READ_LISTS.clear()


def _wrap(record: Kernel) -> None:
    """Replace one record by a dispatcher, since wrapping all of them takes longer than most commands compute."""
    with _lock:
        _import_numba()
        if _Loaded.numba.config.DISABLE_JIT:
            load()
        elif record.compiled is None:
            record.compiled = record.make()
            _put_in_place()


def python_function(function: Function) -> Function:
    """Return the Python function of a kernel, for many calls in Python."""
    return getattr(function, "py_func", function)


def when_loaded(act: Callable[[], object]) -> None:
    """Call `act` when every kernel is loaded, or at once if they are loaded already."""
    with _lock:
        if not _Loaded.wraps:
            _when_loaded.append(act)
            return
    act()


def _put_in_place() -> None:
    """Replace the records by the compiled functions in every module that imported them."""
    modules = [vars(module) for name, module in list(sys.modules.items()) if name.partition(".")[0] == "ttt_fast"]
    others = {id(record.py_func.__globals__): record.py_func.__globals__ for record in _records}
    for names in (*modules, *others.values()):
        _replace(names)


def _replace(names: dict[str, object]) -> None:
    """Replace the records among the global names of a module by the compiled functions."""
    for name, value in list(names.items()):
        if isinstance(value, Kernel) and value.compiled is not None:
            names[name] = value.compiled


def _settings(numba: ModuleType) -> str:
    config = numba.core.config
    return repr((sys.implementation.cache_tag, numba.__version__, config.BOUNDSCHECK, config.OPT, config.DISABLE_JIT))


def cache_folder() -> Path:
    """Return the folder of compiled kernels.

    Examples
    --------
    >>> cache_folder().name.startswith("kernels-")
    True
    """
    load()
    assert _Loaded.folder is not None
    return _Loaded.folder


def _compiled(function: FunctionType, options: Mapping[str, bool | str]) -> object:
    """Return a dispatcher whose compiled code is cached on disk."""
    dispatcher = _Loaded.numba.njit(nogil=True, error_model="python", **options)(function)
    if not _Loaded.numba.config.DISABLE_JIT:
        dispatcher._cache = _disk_cache(function)
        _replace(function.__globals__)  # a module outside the package, whose records predate the loading of numba
    return dispatcher


def _disk_cache(function: FunctionType) -> object:
    """Return the disk cache of a function, whose entries are valid as long as all their sources are unchanged."""
    numba, path = _Loaded.numba, function.__code__.co_filename
    name = f"{function.__module__}.{function.__qualname__}"
    entries = cache.Entries(cast(Path, _Loaded.folder), name, numba.core.serialize.dumps)

    class SourcesCache(numba.core.caching.NullCache):  # type: ignore[misc, name-defined, unused-ignore]
        """Cache of a function: one file per signature, found by the hash of its sources and not by their path."""

        def _key(self, types: Any, codegen: Any) -> tuple[object, object] | None:
            files = [path, *_implementing_files(types, path)]
            if not all(Path(file).is_file() for file in files):  # typed at a prompt: its callees may change any time
                return None
            cells = numba.core.serialize.dumps([cell.cell_contents for cell in function.__closure__ or ()])
            code = (function.__code__.co_firstlineno, function.__code__.co_code, cells)
            texts = [numba_parts.described(one) for one in types]
            return [cache.sources_digest(file) for file in files], (texts, codegen.magic_tuple(), code)

        def load_overload(self, sig: Any, target_context: Any) -> object:
            key = self._key(sig, target_context.codegen())
            found = entries.load(key) if key else None
            if not found:  # it will be compiled, which needs every kernel, and numba's registries of types
                load()
                with numba_parts.scipy_left_out():
                    target_context.refresh()
                return None
            numba_parts.register_runtime(numba)
            return numba.core.compiler.CompileResult._rebuild(target_context, *found)

        def save_overload(self, sig: Any, data: Any) -> None:
            key = self._key(sig, data.codegen)
            if key and not data.lifted and not data.library.has_dynamic_globals:
                entries.save(key, data._reduce())

        def flush(self) -> None:
            entries.flush()

    return SourcesCache()


def note_implementation(
    declared: Callable[..., object], state_type: type | None, function: Callable[..., object]
) -> None:
    """Record that `function` implements a function of all games for a state type (None: for every type)."""
    module = declared.__module__.removeprefix("ttt_fast.")
    known = _defaults if state_type is None else _implementations.setdefault(state_type, set())
    known.add((module, function.__code__.co_filename))


def note_elsewhere(state_type: type, declared: str, module: str) -> None:
    """Record that `module` implements the functions of a module for a type, if no other import loads `module`.

    It is imported before a kernel that reaches these functions is looked up or compiled for such a type.  The result is
    then independent of other imports in the process.

    Parameters
    ----------
    state_type
        The type.
    declared
        The module that declares the functions.
    module
        The module that implements them.
    """
    _elsewhere.setdefault(state_type, {})[declared] = module


def import_implementations(types: Iterable[type], wanted: Callable[[str], bool]) -> None:
    """Import the modules recorded by `note_elsewhere` for some types, if `wanted` selects the declaring module."""
    for one in types:
        for declared, module in _elsewhere.get(one, {}).items():
            if wanted(declared):
                importlib.import_module(module)


def _implementing_files(types: Iterable[object], caller: str) -> list[str]:
    """Return the files that implement the functions in a caller's reach for the given state types."""
    reached = cache.modules_of(caller)[1]
    parts = list(types)
    for part in parts:  # the fields of tuples, and their fields
        parts += getattr(part, "types", ())
    classes = [getattr(part, "instance_class", None) for part in parts]
    bases = [base for one in classes for base in getattr(one, "__mro__", ())]  # implementations may be inherited
    import_implementations(bases, lambda declared: declared.removeprefix("ttt_fast.") in reached)
    known = [_implementations[one] | _defaults for one in bases if one in _implementations]
    return sorted({path for found in known for module, path in found if module in reached})


def implementing_files(state_type: type) -> list[str]:
    """Return the files that implement functions for a state type, without those that serve every type."""
    return sorted({path for base in state_type.__mro__ for _, path in _implementations.get(base, ())})


class _Decorator:
    """A decorator of kernels, with or without the argument `plain`.

    Parameters
    ----------
    options
        Returns the options of `numba.njit` beyond those of every kernel; called after numba is loaded.
    """

    def __init__(self, options: Callable[[], Mapping[str, bool | str]]) -> None:
        self._options = options

    @overload
    def __call__(self, function: Function) -> Function: ...
    @overload
    def __call__(self, *, plain: Plain) -> Callable[[Function], Function]: ...
    def __call__(self, function: Any = None, *, plain: Plain = False) -> Any:
        """Return a record of a flat function on arrays and scalars, or its dispatcher if numba is loaded.

        Parameters
        ----------
        function
            The function; if it is None, return a decorator.
        plain
            Whether a small input may be processed as Python over lists before numba is loaded.  Such a kernel draws no
            random numbers, has no uint64, indexes only one-dimensional arrays, and obtains lengths with `len`.
            Otherwise, a function that does the same in Python.
        """
        if function is None:
            return functools.partial(self, plain=plain)
        with _lock:
            if _Loaded.wraps:
                return _compiled(function, self._options())
            return Kernel(function, lambda: _compiled(function, self._options()), plain)


def intrinsic(plain: Function, make: Callable[[], object]) -> Function:
    """Return a function that is a numba intrinsic in kernels and `plain` in Python.

    Parameters
    ----------
    plain
        The Python implementation.
    make
        Returns a numba intrinsic, such as a result of `numba.extending.intrinsic`; called after numba is loaded.
    """
    with _lock:
        record = Intrinsic(plain, lambda: plain if _Loaded.numba.config.DISABLE_JIT else _callable(make(), plain))
        return cast(Function, record.make() if _Loaded.wraps else record)


def _callable(made: Any, plain: Callable[..., Any]) -> object:
    """Return a numba intrinsic that Python may call, too: a plain kernel may be running when numba is loaded."""
    kind = type(made)
    made.__class__ = type(kind.__name__, (kind,), {"__call__": lambda _, *arguments: plain(*arguments)})
    return made


def overloads(
    function: Callable[..., object], inline: str = "never", **options: bool
) -> Callable[[Function], Function]:
    """Return a decorator for the argument of `numba.extending.overload`, which selects kernel code by types.

    Parameters
    ----------
    function
        A Python function called by kernels.
    inline
        `always`: insert its statements at the call, before type inference.
    **options
        Options of `numba.njit` for the selected function.
    """

    def decorate(choose: Function) -> Function:
        when_loaded(lambda: _Loaded.numba.extending.overload(function, jit_options=options, inline=inline)(choose))
        return choose

    return decorate


kernel = _Decorator(lambda: {"_nrt": True})
"""Decorator for a kernel that is cached on disk and runs without the GIL."""
inlined_kernel = _Decorator(lambda: {"inline": "always"})
"""Decorator for a small helper whose call must be inlined (random numbers, rules of a move)."""
kernel_without_counts = _Decorator(lambda: {"_nrt": False})
"""Decorator for a kernel that allocates no arrays: it borrows its array arguments without counting references.

If arrays are fields of NamedTuples and the code has branches, counting may take longer than the work.  Called kernels
count references as usual; only inlined functions must not allocate arrays either.
"""
kernel_without_overlap = _Decorator(lambda: {"_nrt": False, **numba_parts.no_overlap_option(_Loaded.numba.njit)})
"""Decorator for a kernel without counts whose array arguments never overlap: its loops become gathers and wide stores.

A count is an atomic instruction that waits for all stores before it: a sixth of the time of a search of a large tree.
"""
