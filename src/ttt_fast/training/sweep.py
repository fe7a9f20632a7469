"""Sweeps: a grid of settings times seeds, each pair one idempotent unit of work and one parquet file.

A unit is named by a hash of everything that determines its bits.  A restarted sweep therefore runs only the missing
units, and a sweep with more seeds or values reuses the existing ones.
"""

import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import product
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ttt_fast.agents.spec import AgentSpec
from ttt_fast.algorithms.episodes import SEAT_NAMES
from ttt_fast.algorithms.registry import SETTINGS, read_setting, setting_value
from ttt_fast.algorithms.settings import written
from ttt_fast.core.archive import make_folder, read_bytes, write_atomically
from ttt_fast.core.checks import check_keywords, list_of, whole_number
from ttt_fast.core.errors import FileFormatError, TttFastError, UsageError
from ttt_fast.core.frames import is_whole, seal
from ttt_fast.core.locks import only_writer
from ttt_fast.core.manifest import JsonObject, environment, package_version
from ttt_fast.core.specs import parse_count, shorten, split_outside_parentheses
from ttt_fast.evaluate.over_runs import paired_test
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import Executor
from ttt_fast.running.interrupts import OnInterrupt
from ttt_fast.running.jobs import Job, JobStore
from ttt_fast.training.config import UNIT_FORMAT, TrainingConfig, unit_name
from ttt_fast.training.loop import new_run, train
from ttt_fast.training.opponents import opponents_of, rivals_sha256
from ttt_fast.training.over_seeds import score_columns, time_columns
from ttt_fast.training.run import TrainingRun

MANIFEST_SCHEMA = "ttt-fast/sweep-manifest/1"
_MANIFEST = "manifest.json"
MAX_UNITS = 10**7


MAX_SEEDS = 10**6
"""The largest number of seeds that a sweep accepts as a count."""
_LISTS = ("judges", "hidden")
"""Settings whose values contain commas."""
_NUMBER = re.compile(r"\s*[-+.\d][-+.\de]*\s*", re.ASCII)
_OPTION = re.compile(r"\s*\w+=[^:]*")


def _check_setting(name: str) -> None:
    """Raise UsageError unless a sweep can set a field of this name; the message suggests similar names."""
    if name == "seed":
        raise UsageError("unknown setting 'seed'; expected the seeds of a sweep as --seeds, or `seeds` in a file")
    check_keywords([name], list(SETTINGS), "training runs")


@dataclass(frozen=True)
class Sweep:
    """A grid of settings times seeds.

    Attributes
    ----------
    settings
        Fields of `TrainingConfig` that are the same in all units.
    grid
        Fields with a list of values each; the units cover all combinations.
    seeds
        Seeds, each combined with each setting.

    Examples
    --------
    >>> sweep = Sweep({"episodes": 1000}, {"epsilon": [0.1, 0.2], "opponent": ["random", "minimax"]}, range(3))
    >>> sweep.num_units, sweep.episodes_of([0, 1])
    (12, 2000)
    >>> len({*sweep.names})
    12
    """

    settings: Mapping[str, object]
    grid: Mapping[str, Sequence[Any]]
    seeds: Sequence[int]

    def __post_init__(self) -> None:
        """Parse all settings, check each combination, and resolve the opponents."""
        for name in [*self.settings, *self.grid]:
            _check_setting(name)
        parsed = {name: read_setting(name, value) for name, value in self.settings.items()}
        grid = {name: [read_setting(name, value) for value in values] for name, values in self.grid.items()}
        for name, values in [*grid.items(), ("seeds", self.seeds)]:  # 0.1 and 0.10 are equal
            if not values or len(set(values)) < len(values):
                raise UsageError(f"expected one or more different values of {name}, got {[*map(written, values[:10])]}")
        twice = sorted(set(parsed) & set(grid))
        if twice:
            raise UsageError(f"expected {twice[0]} either in the settings or in the grid, got it in both")
        object.__setattr__(self, "settings", parsed)
        object.__setattr__(self, "grid", grid)
        if self.num_units > MAX_UNITS:
            raise UsageError(f"expected a sweep of at most {MAX_UNITS:,} runs, got {self.num_units:,}")
        for config in self.configs:
            if config.episodes < 1 or config.evaluations < 1:
                given = self.as_dict()
                got = f"{given['settings']!r}, {given['grid']!r}"
                raise UsageError(f"expected at least 1 episode and 1 evaluation, got {got}")
            if not config.has_table and not config.judges.specs:
                raise UsageError(
                    f"expected judges, the agents against which learners of {config.game.spec} are evaluated, got none"
                )
        _ = self._digests  # reads the opponents

    @cached_property
    def configs(self) -> list[TrainingConfig]:
        """The settings of each combination, with the first seed."""
        chosen = (dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values()))
        return [TrainingConfig(**{**self.settings, **values, "seed": self.seeds[0]}) for values in chosen]

    @cached_property
    def _digests(self) -> dict[tuple[object, ...], str]:
        """Hash of what names stand for (`rivals_sha256`), as it is when the sweep is planned, by these names."""
        configs = {_names_of(config): config for config in self.configs}
        return {key: rivals_sha256(config, opponents_of(config)) for key, config in configs.items()}

    @property
    def num_units(self) -> int:
        """Number of combinations times seeds."""
        return math.prod(map(len, self.grid.values())) * len(self.seeds)

    def episodes_of(self, indices: Sequence[int]) -> int:
        """Return the episodes of some units."""
        return sum(self.configs[index // len(self.seeds)].episodes for index in indices)

    @property
    def varied(self) -> list[str]:
        """Names of the settings that have more than one value."""
        return [name for name, values in self.grid.items() if len(values) > 1]

    def config(self, index: int) -> TrainingConfig:
        """Return the settings of a unit; the units of a combination are consecutive, one for each seed."""
        combination, seed = divmod(index, len(self.seeds))
        return self.configs[combination].with_seed(read_setting("seed", self.seeds[seed]))

    @cached_property
    def names(self) -> list[str]:
        """Names of the units."""
        configs = map(self.config, range(self.num_units))
        return [unit_name(config, self._digests[_names_of(config)]) for config in configs]

    def job(self, index: int) -> Job:
        """Return the job that trains a unit."""
        config, name = self.config(index), self.names[index]
        described = {"unit": name, "config": config.as_dict(), "rivals_sha256": self._digests[_names_of(config)]}
        described |= {"module": module} if (module := config.record.module) else {}
        return Job(name, json.dumps({**described, "package": package_version()}).encode(), config.episodes)

    def as_dict(self) -> JsonObject:
        """Return settings, grid and seeds as JSON data; seeds 0 to N - 1 as their number."""
        settings = {name: written(value) for name, value in self.settings.items()}
        grid = {name: [*map(written, values)] for name, values in self.grid.items()}
        seeds = len(self.seeds) if self.seeds == range(len(self.seeds)) else list(self.seeds)
        return {"settings": settings, "grid": grid, "seeds": seeds}

    def merged(self, folder: Path) -> pl.LazyFrame:
        """Return the files of all units as one lazy frame; other files in the folder are ignored.

        Raises
        ------
        FileFormatError
            If the file of a unit is missing or damaged.
        """
        paths, number = [folder / f"{name}.parquet" for name in self.names], len(self.seeds)
        for path in paths:
            _whole_bytes(path)
        files = [paths[first : first + number] for first in range(0, self.num_units, number)]
        # The settings decide the columns of a curve (judges, seats), hence a scan for each.
        return pl.concat([pl.scan_parquet(seeds, glob=False) for seeds in files], how="diagonal")

    def check_folder(self, folder: Path) -> None:
        """Raise an error if a folder cannot be used for the sweep.

        Raises
        ------
        UsageError
            If the latest sweep there is partly finished, and its missing units are not among those of this sweep.
        FileFormatError
            If its manifest is from another program.
        """
        manifest = _manifest_of(folder)
        try:
            described = manifest["config"]
            before = Sweep(described["settings"], described["grid"], self.parse_seeds(described["seeds"]))
            is_old = (manifest["unit_format"], manifest["environment"]["ttt_fast"]) != (UNIT_FORMAT, package_version())
        except (TttFastError, KeyError, TypeError, AttributeError):  # none, or one that this version cannot continue
            return
        if is_old or described == self.as_dict():
            return
        missing = {name for name in before.names if not (folder / f"{name}.parquet").exists()}
        done = before.num_units - len(missing)
        if not done:  # stopped or refused before its first result: nothing to continue
            return
        if missing and not missing <= {*self.names}:
            raise UsageError(
                f"expected another folder, or --force, got {str(folder)!r}, which contains {done:,} of"
                f" {before.num_units:,} runs of another sweep; the command of that sweep continues it"
            )

    @staticmethod
    def parse_setting(text: str) -> tuple[str, list[Any]]:
        """Return the name and the values of a setting from `NAME=VALUE,VALUE`.

        Semicolons separate the values if there are any, otherwise commas.  A comma does not separate values inside
        parentheses, between the options of an agent, or between the numbers of a schedule (`linear:1,0.1`).  Each
        value is converted to the type of the setting; a schedule is a text.

        Examples
        --------
        >>> Sweep.parse_setting("epsilon=0.1,linear:1,0.1"), Sweep.parse_setting("seat=x,o")
        (('epsilon', ['0.1', 'linear:1,0.1']), ('seat', [1, 2]))
        """
        name, equals, values = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"expected --set NAME=VALUE,VALUE, got {shorten(text)!r}")
        return name, [setting_value(name, value) for value in _split(name, values)]

    @staticmethod
    def parse_seeds(raw: Any) -> Sequence[int]:
        """Return the seeds: 0 to N - 1 for a number N, or those of a list."""
        if isinstance(raw, str | Real):
            expected = "a number of seeds, N for 0 to N - 1 (a list is for Python and TOML),"
            return range(parse_count(str(raw), expected, 1, MAX_SEEDS))
        seeds = raw if isinstance(raw, range) else [whole_number(seed, "seeds") for seed in list_of(raw, "seeds")]
        if not all(0 <= seed < 2**63 for seed in seeds):
            raise UsageError(f"expected seeds from 0 to 2**63 - 1, got {shorten(repr(raw))}")
        return seeds

    def pending(self, folder: Path, on_damaged: Callable[[FileFormatError], None] = lambda damage: None) -> list[int]:
        """Return the numbers of the units whose file in a folder is missing or damaged.

        Parameters
        ----------
        folder
            Where the files of the units are.
        on_damaged
            Called with the error of each file that exists but cannot be used.
        """
        store = _store(folder)
        return [index for index, name in enumerate(self.names) if not store.has(name, on_damaged)]

    def run(
        self,
        indices: Sequence[int],
        folder: Path,
        executor: Executor,
        on_progress: Callable[[int, int], None] = lambda units, episodes: None,
        on_interrupt: OnInterrupt = "raise",
    ) -> int:
        """Run units, write each result into the folder when it is done, and return the number of units written.

        Parameters
        ----------
        indices
            The numbers of the units to run, from `pending`.
        folder
            The folder of the files; made if it is missing.
        executor
            The executor of the work; it stays open.
        on_progress
            Called ten times a second with the number of units written and the episodes done.
        on_interrupt
            `raise`: a signal (Ctrl-C, SIGTERM, SIGHUP) stops the sweep and raises `RunInterrupted`; `return`: the
            number of units written so far is returned.

        Raises
        ------
        RunInterrupted
            If a signal has stopped the sweep; its `result` is the number of units written.
        """
        if not executor.shares_memory and any(config.record.module == "__main__" for config in self.configs):
            raise UsageError("expected an algorithm of a module that workers can import, got one of the program itself")
        make_folder(folder)
        with only_writer(folder):
            _write_manifest(self, folder)
            jobs = (self.job(index) for index in indices)
            return _store(folder).run(run_unit, jobs, executor, on_progress, on_interrupt)

    @staticmethod
    def files(folder: Path) -> list[Path]:
        """Return the files of the latest sweep in a folder, as its manifest names them; empty if it names none.

        Examples
        --------
        >>> Sweep.files(Path("no such folder"))
        []
        """
        try:
            names = _manifest_of(folder).get("names", [])
            return [path for path in sorted(folder.glob("*.parquet")) if path.stem in set(names)]
        except (FileFormatError, TypeError):  # another program's
            return []

    def save_curves(self, folder: Path, path: Path) -> None:
        """Write the curves of all units to one parquet file, streamed."""
        write_atomically(path, lambda stream: self.merged(folder).sink_parquet(stream))

    def summary(self, folder: Path) -> list[dict[str, Any]]:
        """Return a row for each setting: the exact final values of its seeds, and the episodes to reach the optimum.

        Means and interquartile means (`iqm_value`) have 95 % bootstrap intervals over the seeds (`_low`, `_high`).
        `p_value` is that of a test against the first setting, paired by seed (`ttt_fast.paired_tests`).

        Values are the learner's wins minus losses in greedy play against the opponent of the last stage.  They are the
        mean of both seats if it learns both; in self-play, minus the exploitability.  Without a table of states they
        come from samples against the first agent of `judges`, and the best value is unknown.  A seed reaches the
        optimum if its last value is the best possible one, at the episode from which its values stay there.  The median
        is the estimate of Kaplan and Meier; other seeds are censored at their end.  It is None if it is infinite.
        """
        position, best = pl.col("episodes"), pl.col("best_value")
        regret = pl.col("regret").fill_null(math.inf)
        before = position.filter(regret > 0).max().fill_null(0)
        columns = ["run_episodes" if name == "episodes" else name for name in self.varied]
        runs = self.merged(folder).group_by("unit")
        ends = runs.agg(
            pl.col("best_value", "seconds", "seed", *columns).first(),
            end=position.max().cast(pl.Float64),
            value=pl.when(regret.is_finite()).then(best - regret).otherwise(pl.col("value")).sort_by(position).last(),
            needed=position.filter(position > before).min().cast(pl.Float64),
        )
        ordered = ends.collect(engine="streaming")
        groups: dict[tuple[Any, ...], pl.DataFrame] = dict(ordered.group_by(columns)) if columns else {(): ordered}
        values = [[SEAT_NAMES[v] if name == "seat" else written(v) for v in self.grid[name]] for name in self.varied]
        parts = {key: groups[key].sort("seed") for key in product(*values)}  # the same order, hence bits, every time
        first = next(iter(parts.values()))
        return [dict(zip(self.varied, key, strict=True)) | _summary_row(part, first) for key, part in parts.items()]


def _names_of(config: TrainingConfig) -> tuple[object, ...]:
    return config.game, config.opponent, config.judges, getattr(config.settings, "start_from", None)


def _split(name: str, text: str) -> list[str]:
    """Return the texts of the values in a list."""
    _check_setting(name)
    if ";" in text or name in _LISTS:
        return [part.strip() for part in text.split(";")]
    if name.startswith("opponent"):
        return AgentSpec.split(text)
    values: list[str] = []
    for part in split_outside_parentheses(text, ","):
        is_option = name == "game" and _OPTION.fullmatch(part)
        if values and ":" in values[-1] and (is_option or _NUMBER.fullmatch(part)):
            values[-1] += "," + part
        else:
            values.append(part.strip())
    return values


def _store(folder: Path) -> JobStore[pl.DataFrame]:
    return JobStore(folder, ".parquet", read_unit)


def _write_manifest(sweep: Sweep, folder: Path) -> None:
    """Write the manifest of the latest sweep into the folder; the units of other sweeps remain."""
    _manifest_of(folder)
    manifest = {"schema": MANIFEST_SCHEMA, "config": sweep.as_dict(), "units": sweep.num_units, "names": sweep.names}
    text = json.dumps({**manifest, "unit_format": UNIT_FORMAT, "environment": environment()}, indent=2) + "\n"
    write_atomically(folder / _MANIFEST, lambda stream: stream.write(text.encode()))


def _manifest_of(folder: Path) -> JsonObject:
    """Return the manifest of a folder, empty if missing; raise FileFormatError for one of another program."""
    path = folder / _MANIFEST
    try:
        found: JsonObject = json.loads(read_bytes(path)) if path.exists() else {"schema": MANIFEST_SCHEMA}
        if found["schema"] != MANIFEST_SCHEMA:
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FileFormatError(
            f"{str(path)!r}: expected the manifest of a sweep, got another file; choose another folder"
        ) from error
    return found


def _summary_row(runs: pl.DataFrame, first: pl.DataFrame) -> dict[str, Any]:
    """Return the columns of a setting from a row for each of its runs, and those of the first setting, by seed."""
    value, best = runs["value"], runs["best_value"][0]
    times = time_columns(runs["needed"], runs["end"], "median_episodes_")
    is_paired = runs is not first and runs.height > 1
    return {
        "seeds": runs.height,
        **score_columns(value, "mean_value", "mean", "mean_value_"),
        **score_columns(value, "iqm_value", "iqm", "iqm_value_"),
        **{"sd_value": value.std(), "min_value": value.min(), "max_value": value.max(), "best_value": best},
        "optimal_seeds": None if best is None else runs["needed"].count(),
        **{name: None if time is None else int(time + 0.5) for name, time in times.items()},
        "p_value": paired_test(first["value"], value).p_value if is_paired else None,
        "mean_seconds": runs["seconds"].mean(),
    }


def run_unit(payload: bytes, watch: Callable[[int], None] | None = None) -> bytes:
    """Train one unit and return its parquet file; runs in any thread of any machine with this package.

    Parameters
    ----------
    payload
        That of the job of a unit.
    watch
        Called after each chunk with the episodes so far; may raise to cancel the unit.
    """
    described = json.loads(payload)
    Job.check_package(described["package"])
    if described.get("module", "__main__") != "__main__":
        import_module(described["module"])  # which adds the algorithm
    config = TrainingConfig(**described["config"])
    opponents = _planned_opponents(config.with_seed(0), described["rivals_sha256"])
    on_chunk = None if watch is None else lambda episodes, _: watch(episodes)
    training = train(new_run(config, opponents), on_chunk=on_chunk, episodes_at_once=config.episodes)
    stream = io.BytesIO()
    _unit_frame(described["unit"], training, opponents).write_parquet(stream, statistics=False)
    return seal(stream.getvalue())


def _unit_frame(name: str, training: TrainingRun, opponents: Sequence[Policy]) -> pl.DataFrame:
    """Return the file of a unit: constant columns, and its curve from `episodes` on.

    Built column by column, since polars expressions take the interpreter longer than a hundred thousand episodes.
    """
    config, length, measures = training.config, len(training.history), training.measures()
    best = measures.pop("best_value", None)
    usual = f"_v_{opponents[-1].name}_" if opponents else "_v__"
    curve = [pl.Series("episodes", measures.pop("episodes").astype(np.int64))]
    curve += [pl.Series(column.replace(usual, "_v_opponent_"), rows) for column, rows in measures.items()]
    unknown = [name for name in ("value", "regret") if name not in measures]
    curve += [pl.Series(name, [None], pl.Float64).new_from_index(0, length) for name in unknown]
    constant = {"unit": name, **config.as_dict()}
    constant |= {"seat": SEAT_NAMES[config.seat], "run_episodes": constant.pop("episodes")}
    constant |= zip(("training_wins", "training_draws", "training_losses"), training.counts.tolist(), strict=True)
    constant |= {"sha256": training.sha256(), "seconds": training.seconds, "package": package_version()}
    constant["best_value"] = None if best is None else float(best[0])
    dtypes = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64, type(None): pl.Float64}
    repeated = [
        pl.Series(key, [value], dtypes.get(type(value), pl.String)).new_from_index(0, length)
        for key, value in constant.items()
    ]
    return pl.DataFrame([*repeated, *curve])


@lru_cache(maxsize=64)
def _planned_opponents(config: TrainingConfig, sha256: str) -> tuple[Policy, ...]:
    """Return the opponents with which the sweep was planned, parsed once in each process."""
    opponents = opponents_of(config)
    if rivals_sha256(config, opponents) != sha256:
        raise TttFastError(
            f"expected {config.opponent.text!r}, rules and files as when the sweep was started, but one has changed"
        )
    return opponents


def read_unit(path: Path, name: str) -> pl.DataFrame:
    """Return the file of a unit by its name.

    Raises FileFormatError if it is missing, damaged, unfinished or from another unit.
    """
    frame = pl.read_parquet(io.BytesIO(_whole_bytes(path)))
    if frame.columns[:1] != ["unit"] or frame["unit"].unique().to_list() != [name]:
        raise _damaged(path)
    return frame


def _whole_bytes(path: Path) -> bytes:
    """Return the content of an intact unit, of any settings; raise FileFormatError for another file."""
    content = read_bytes(path)
    if not is_whole(content):
        raise _damaged(path)
    return content


def _damaged(path: Path) -> FileFormatError:
    return FileFormatError(f"{str(path)!r}: expected a run of a sweep, but the file is damaged or of another kind")
