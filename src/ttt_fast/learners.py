"""Extension point: training runs from settings, and sweeps over settings.

A `Sweep` is a grid of settings times seeds.  Each of its runs is a file in a folder.  `pending_units` finds the missing
runs, and `run_units` trains them on an executor of `running.api`.  `run_files` finds the files of the latest sweep in a
folder, and `single_runs` removes copies of runs from curves.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.learn.algorithms import (
        ALGORITHMS as ALGORITHMS,
        SETTINGS as SETTINGS,
        settings_of as settings_of,
    )
    from ttt_fast.learn.over_seeds import single_runs as single_runs
    from ttt_fast.learn.resolve import setting_value as setting_value
    from ttt_fast.learn.sweep import (
        Sweep as Sweep,
        pending_units as pending_units,
        run_files as run_files,
        run_units as run_units,
    )
    from ttt_fast.learn.training import start_training as start_training

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "learn.algorithms": "ALGORITHMS SETTINGS settings_of",
        "learn.over_seeds": "single_runs",
        "learn.resolve": "setting_value",
        "learn.sweep": "Sweep pending_units run_files run_units",
        "learn.training": "start_training",
    },
)
