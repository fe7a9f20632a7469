"""Extension point: training runs by their settings, and sweeps over them.

A `Sweep` is a grid of settings times seeds.  Each of its runs is a file in a folder; `pending_units` finds the runs
that are missing, and `run_units` makes them on an executor of `running.api`.
"""

from ttt_fast.learn.config import SETTINGS, setting_value
from ttt_fast.learn.sweep import Sweep, pending_units, run_units, summary
from ttt_fast.learn.training import start_training

__all__ = [
    "SETTINGS",
    "Sweep",
    "pending_units",
    "run_units",
    "setting_value",
    "start_training",
    "summary",
]
