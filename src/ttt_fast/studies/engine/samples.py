"""What some runs gave for one quantity, as columns of a table."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.sample import Sample

_CUTS = {"min": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}


def spread(values: Sequence[float] | NDArray[np.float64], cuts: Sequence[str] = tuple(_CUTS)) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of the values of runs.

    Examples
    --------
    >>> spread([1.0, 2.0, 3.0], ["max"])
    {'mean': 2.0, 'sd': 1.0, 'max': 3.0}
    """
    sample = Sample(values)
    return {"mean": sample.mean, "sd": sample.sd, **{cut: float(np.quantile(values, _CUTS[cut])) for cut in cuts}}


def counted(name: str, is_so: Sequence[bool]) -> dict[str, float]:
    """Return the number of runs of which something is so, the share of all, and its 95 % interval.

    Examples
    --------
    >>> counted("won", [True, True])["won"], counted("won", [True, True])["share"]
    (2, 1.0)
    """
    count = sum(map(bool, is_so))
    low, high = wilson_interval(count, len(is_so))
    return {"runs": len(is_so), name: count, "share": count / len(is_so), "low": low, "high": high}
