"""Statistics over the seeds of curves: rows for each setting, with bootstrap intervals as in rliable.

A curve has the columns of a sweep, of a `Meter` with labels, or any others with `episodes` and `seed`.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import isfinite, isnan
from numbers import Real

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ttt_fast.algorithms.registry import SETTINGS
from ttt_fast.core.checks import list_of, shown
from ttt_fast.core.errors import UsageError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.over_runs import STATISTICS, Statistic, bootstrap_interval, median_time_interval, paired_test
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.evaluate.strength_row import ROUNDING

By = Sequence[str] | str | None
_LOWER_IS_BETTER = ("regret", "exploitability", "losses", "rms_error")
"""Endings of the measures whose targets are upper bounds; those of other measures are lower bounds."""
_SETTINGS = ("run_episodes", *(name for name in SETTINGS if name not in ("seed", "episodes")))
"""The columns of settings in a curve."""
_NUMBERS = ("low", "high", "difference", "p_value", "median_episodes")
_RESULTS = ("runs", *_NUMBERS, "runs_at_target", "threshold", "share", "end", "needed")
"""The names that no column of settings may have; the first three also are beside a measure."""


def score_columns(scores: ArrayLike, name: str, statistic: Statistic = "mean", before: str = "") -> JsonObject:
    """Return a statistic of some runs, and the ends of its 95 % interval, which a single run does not have."""
    ordered = np.sort(np.asarray(scores, np.float64))  # the order of the rows must not change a digit
    found = bootstrap_interval([ordered], STATISTICS[statistic])
    low, high = (found.low, found.high) if ordered.size > 1 else (None, None)
    return {name: found.estimate, f"{before}low": low, f"{before}high": high}


def time_columns(needed: pl.Series, ends: pl.Series, before: str = "") -> JsonObject:
    """Return the median of the episodes that runs need, and its 95 % interval; runs without a number are censored."""
    runs = pl.DataFrame({"at": needed.fill_null(ends), "reached": needed.is_not_null()}).sort("at", "reached")
    median, *interval = (one if isfinite(one) else None for one in median_time_interval(*runs))
    low, high = interval if len(needed) > 1 else (None, None)
    return {"median_episodes": median, f"{before}low": low, f"{before}high": high}


def _runs(curves: pl.DataFrame, measure: str, by: By, *places: str) -> tuple[list[str], pl.DataFrame, pl.DataFrame]:
    """Return the columns that distinguish settings, the curves with each run once, and their rows with finite numbers.

    Raises UsageError for a missing column, one with the name of a result, a bad measure, or runs that are mixed up.
    """
    if not isinstance(curves, pl.DataFrame):
        raise UsageError(f"expected curves as a DataFrame of polars, got {shown(curves)}")
    names = _varied(curves) if by is None else list_of([by] if isinstance(by, str) else by, "columns")
    used = [*names, measure, *places, *(["seed"] if "seed" in curves.columns and "seed" not in places else [])]
    for number, name in enumerate(used):
        if name not in curves.columns:
            raise UsageError(f"expected one of the columns {', '.join(curves.columns)}, got {shown(name)}")
        if name in used[:number] or name in (_RESULTS if number < len(names) else _RESULTS[:3]):
            raise UsageError(f"expected different columns, none with the name of a result, got {name!r}")
    kind = curves[measure].dtype
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise UsageError(f"expected numbers in the column {measure!r}, got {str(kind).lower()}")
    curves = single_runs(curves)
    rows = curves.with_columns(pl.col(measure).cast(pl.Float64)).filter(pl.col(measure).is_finite())
    if rows.is_empty():
        raise UsageError(f"expected curves with numbers in the column {measure!r}, got none")
    return names, curves, single_runs(rows, names, places[0])


def single_runs(curves: pl.DataFrame, by: Sequence[str] | None = None, x: str = "episodes") -> pl.DataFrame:
    """Return curves in which a run of a sweep occurs once, although several files contain it.

    With columns `by`, which distinguish settings, raise UsageError unless each setting has a single run of each seed.
    Runs differ if their names or settings do; two rows with equal positions `x` belong to two runs, too.

    Examples
    --------
    >>> run = pl.DataFrame({"unit": ["a", "a"], "seed": [0, 0], "episodes": [1, 2], "seconds": [0.1, 0.1]})
    >>> single_runs(pl.concat([run, run.with_columns(seconds=0.2)]), []).height
    2
    """
    if not {"seed", x} <= {*curves.columns}:
        return curves
    place, known = [*(by or ()), "seed"], [name for name in ("unit", *_SETTINGS) if name in curves.columns]
    curves = curves.rechunk()  # of many files, whose chunks make the following slow
    if "unit" in known:  # the name of a run of a sweep
        same = pl.struct(pl.exclude("file", "seconds"))
        curves = curves.filter(pl.col("unit").is_null() | same.is_first_distinct())
    is_mixed = (pl.struct(pl.lit(0), *known).n_unique() > 1).over(place) | pl.struct({*place, x}).is_duplicated()
    mixed = curves.filter(is_mixed) if by is not None else curves.clear()
    if mixed.height:
        found = {name: mixed[name][0] for name in place}
        one = mixed.filter(pl.all_horizontal(pl.col(name).eq_missing(value) for name, value in found.items()))
        texts = [name for name in one.columns if one[name].dtype == pl.String or name in _SETTINGS]
        names = [name for name in texts if name not in ("file", "sha256") and one[name].n_unique() > 1][:3]
        facts = ", ".join(f"{name} = {value}" for name, value in found.items()) + ", which differ in " * bool(names)
        raise UsageError(f"expected one run of each seed in each setting, got several with {facts}{', '.join(names)}")
    return curves


def _varied(curves: pl.DataFrame) -> list[str]:
    """Return the settings that differ between curves, without those that follow from others."""
    found: list[str] = []
    for name in _SETTINGS:
        if name in curves.columns and curves.select(*found, name).n_unique() > max(1, curves.select(found).n_unique()):
            found.append(name)
    return found


def _groups(frame: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[JsonObject, pl.DataFrame]]:
    """Yield the values of some columns and the rows that have them, in the order of their first rows."""
    for values, rows in frame.group_by(by, maintain_order=True) if by else [((), frame)]:
        yield dict(zip(by, values, strict=True)), rows


def _final(rows: pl.DataFrame, measure: str, by: Sequence[str]) -> pl.DataFrame:
    """Return the last number of each run."""
    return rows.group_by(*by, "seed", maintain_order=True).agg(pl.col(measure).sort_by("episodes").last())


def _reals(values: Sequence[float], name: str) -> list[float]:
    found = list_of(values, name)
    if not found or not all(isinstance(one, Real) and not isnan(one) for one in found):
        raise UsageError(f"expected numbers as {name}, got {', '.join(map(shown, found)) or 'none'}")
    return [*map(float, found)]


def _frame(rows: Sequence[JsonObject]) -> pl.DataFrame:
    numbers = {name: pl.Float64 for name in _NUMBERS if name in rows[0]}  # columns may have no number
    return pl.DataFrame(rows, schema_overrides=numbers, infer_schema_length=None)


def seed_intervals(
    curves: pl.DataFrame, measure: str = "regret", by: By = None, *, statistic: Statistic = "mean", x: str = "episodes"
) -> pl.DataFrame:
    """Return the mean or interquartile mean over the seeds at every evaluation, with a 95 % bootstrap interval.

    Parameters
    ----------
    curves
        A row for each evaluation of each run, as from `sweep`.
    measure
        A column of numbers.  Rows without a number are omitted.
    by
        Columns that distinguish settings (default: the settings that differ).
    statistic
        `mean`, or `iqm`: the mean without the lowest and the highest quarter.
    x
        The column of positions.

    Returns
    -------
    polars.DataFrame
        The columns of `by`, `x`, `runs`, the measure, and the ends `low` and `high`, which are null for a single run.

    Raises
    ------
    UsageError
        If a column is missing, has no numbers or the name of a result, a setting has several runs of one seed, or the
        statistic is unknown.

    Examples
    --------
    >>> import ttt_fast
    >>> curves = ttt_fast.sweep({"episodes": 2000, "evaluations": 2, "seat": ["x", "o"]}, seeds=3)
    >>> ttt_fast.seed_intervals(curves).select("seat", "episodes", "runs").rows()
    [('x', 1000, 3), ('x', 2000, 3), ('o', 1000, 3), ('o', 2000, 3)]
    """
    if statistic not in STATISTICS:
        raise UsageError(f"expected {' or '.join(STATISTICS)} as the statistic, got {shown(statistic)}")
    names, _, values = _runs(curves, measure, by, x)
    names = [*names, x]
    return _frame([
        {**place, "runs": rows.height, **score_columns(rows[measure], measure, statistic)}
        for place, rows in _groups(values, names)
    ])  # fmt: skip


def episodes_to_target(
    curves: pl.DataFrame, measure: str = "regret", target: float = 0.0, by: By = None
) -> pl.DataFrame:
    """Return the median of the episodes from which runs keep a target, with a 95 % bootstrap interval.

    The median is the estimate of Kaplan and Meier.  A run that does not end at the target is censored at its end.

    Parameters
    ----------
    curves, measure, by
        As for `seed_intervals`.
    target
        The largest `regret`, `exploitability`, `losses` or `rms_error`, or the smallest number of another measure.

    Returns
    -------
    polars.DataFrame
        The columns of `by`, `runs`, `runs_at_target`, and `median_episodes`, `low` and `high`, which are null if they
        are infinite.

    Raises
    ------
    UsageError
        As for `seed_intervals`, or if the target is not a number.

    Examples
    --------
    >>> import ttt_fast
    >>> curves = ttt_fast.sweep({"opponent": "minimax", "seat": "o", "episodes": 4000, "epsilon": [0, 0.5]}, seeds=6)
    >>> ttt_fast.episodes_to_target(curves).select("epsilon", "runs", "runs_at_target").rows()
    [('0', 6, 3), ('0.5', 6, 0)]
    """
    (bound,) = _reals([target], "the target")
    names, curves, _ = _runs(curves, measure, by, "episodes", "seed")
    at, value = pl.col("episodes"), pl.col(measure).cast(pl.Float64)
    is_lower = measure.endswith(_LOWER_IS_BETTER)
    within = value <= bound + ROUNDING if is_lower else (value >= bound - ROUNDING) & value.is_not_nan()
    before = at.filter(~within.fill_null(value=False)).max().fill_null(-1)
    runs = curves.group_by(*names, "seed", maintain_order=True).agg(end=at.max(), needed=at.filter(at > before).min())
    return _frame([
        {**place, "runs": rows.height, "runs_at_target": rows["needed"].count(), **time_columns(*rows["needed", "end"])}
        for place, rows in _groups(runs, names)
    ])  # fmt: skip


def performance_profile(
    curves: pl.DataFrame, measure: str = "regret", thresholds: Sequence[float] | None = None, by: By = None
) -> pl.DataFrame:
    """Return the share of runs that end at least as good as each threshold, with Wilson intervals of 95 %.

    Parameters
    ----------
    curves, measure, by
        As for `seed_intervals`; the last number of each run counts.
    thresholds
        The thresholds (default: the numbers that occur).  A run is as good as a threshold if it has at most this
        `regret`, `exploitability`, `losses` or `rms_error`, or at least this number of another measure.

    Returns
    -------
    polars.DataFrame
        The columns of `by`, `threshold`, `runs`, `share`, `low` and `high`.

    Raises
    ------
    UsageError
        As for `seed_intervals`, or if there is no threshold, or one that is not a number.

    Examples
    --------
    >>> import ttt_fast
    >>> curves = ttt_fast.sweep({"opponent": "minimax", "seat": "o", "episodes": 20_000}, seeds=5)
    >>> ttt_fast.performance_profile(curves, thresholds=[0]).rows()
    [(0.0, 5, 1.0, 0.565517..., 1.0)]
    """
    names, _, numbers = _runs(curves, measure, by, "episodes", "seed")
    final, sign, rows = _final(numbers, measure, names), 1 if measure.endswith(_LOWER_IS_BETTER) else -1, []
    wanted = sorted(set(final[measure])) if thresholds is None else _reals(thresholds, "thresholds")
    for (place, runs), threshold in product(_groups(final, names), wanted):
        good, number = int((sign * (runs[measure] - threshold) <= ROUNDING).sum()), runs.height
        low, high = wilson_interval(good, number)
        rows.append({**place, "threshold": threshold, "runs": number, "share": good / number, "low": low, "high": high})
    return _frame(rows)


def paired_tests(curves: pl.DataFrame, measure: str = "regret", by: By = None) -> pl.DataFrame:
    """Compare the ends of the runs of every two settings, paired by seed.

    If two settings are equivalent, the sign of each difference is a coin flip.  The p-value is the share of the sign
    patterns whose mean difference is at least as large; it is not corrected for the number of tests.

    Parameters
    ----------
    curves, measure, by
        As for `seed_intervals`; the last number of each run counts.

    Returns
    -------
    polars.DataFrame
        The columns `first`, `second` (the settings), `runs` (pairs of equal seeds), `difference` (the mean of `second`
        minus that of `first`), its 95 % bootstrap interval `low` and `high`, and `p_value`.

    Raises
    ------
    UsageError
        As for `seed_intervals`; also if there are fewer than two settings, or two settings with fewer than two
        common seeds.

    Examples
    --------
    >>> import ttt_fast
    >>> curves = ttt_fast.sweep({"opponent": "minimax", "seat": "o", "episodes": 4000, "epsilon": [0, 0.5]}, seeds=6)
    >>> ttt_fast.paired_tests(curves).select("first", "second", "runs", "p_value").rows()
    [('epsilon = 0', 'epsilon = 0.5', 6, 0.03125)]
    """
    names, _, numbers = _runs(curves, measure, by, "episodes", "seed")
    groups = {
        ", ".join(f"{name} = {value}" for name, value in place.items()): rows.select("seed", measure)
        for place, rows in _groups(_final(numbers, measure, names), names)
    }
    tests = []
    if len(groups) < 2:
        raise UsageError(f"expected two or more settings, got only {', '.join(groups) or 'one'}")
    for first, second in combinations(groups, 2):
        pairs = groups[first].join(groups[second], "seed").sort("seed")
        if pairs.height < 2:
            raise UsageError(f"expected two or more common seeds of {first!r} and {second!r}, got {pairs.height}")
        found = paired_test(pairs[measure], pairs[f"{measure}_right"])
        tests.append({"first": first, "second": second, "runs": pairs.height, **found._asdict()})
    return _frame(tests)
