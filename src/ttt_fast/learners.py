"""Extension point: algorithms of learning, training runs from settings, and sweeps over settings.

`add_algorithm` registers an `Algorithm`: a record of its settings, its first values and its `Learner`.

A `Sweep` is a grid of settings times seeds.  Each of its runs is a file in a folder.  `pending_units` finds the missing
runs, and `run_units` trains them on an executor of `running.api`.  `run_files` finds the files of the latest sweep in a
folder, and `single_runs` removes copies of runs from curves.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names
from ttt_fast.learn import settings as settings

if TYPE_CHECKING:
    from ttt_fast.learn.algorithm import (
        Algorithm as Algorithm,
        AlgorithmSettings as AlgorithmSettings,
        Case as Case,
        LearningTask as LearningTask,
        add_algorithm as add_algorithm,
    )
    from ttt_fast.learn.algorithms import (
        ALGORITHMS as ALGORITHMS,
        SETTINGS as SETTINGS,
        setting_value as setting_value,
        settings_of as settings_of,
    )
    from ttt_fast.learn.curve import Measures as Measures
    from ttt_fast.learn.general_learner import GeneralLearner as GeneralLearner
    from ttt_fast.learn.history import make_measures as make_measures
    from ttt_fast.learn.learner import (
        Learner as Learner,
        chunks_of as chunks_of,
        make_learner as make_learner,
    )
    from ttt_fast.learn.over_seeds import single_runs as single_runs
    from ttt_fast.learn.sweep import (
        Sweep as Sweep,
        pending_units as pending_units,
        run_files as run_files,
        run_units as run_units,
    )
    from ttt_fast.learn.training import start_training as start_training
    from ttt_fast.values.dense import EdgeValues as EdgeValues

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "learn.algorithms": "ALGORITHMS SETTINGS setting_value settings_of",
        "learn.algorithm": "Algorithm AlgorithmSettings Case LearningTask add_algorithm",
        "learn.curve": "Measures",
        "learn.general_learner": "GeneralLearner",
        "learn.history": "make_measures",
        "learn.learner": "Learner chunks_of make_learner",
        "learn.over_seeds": "single_runs",
        "learn.sweep": "Sweep pending_units run_files run_units",
        "learn.training": "start_training",
        "values.dense": "EdgeValues",
    },
)
__all__ += ["settings"]
