"""Extension point: algorithms of learning, training runs from settings, and sweeps over settings.

`add_algorithm` registers an `Algorithm`: a record of its settings, its first values and its `Learner`.

A `Sweep` is a grid of settings times seeds.  Each of its runs is a file in a folder.  `Sweep.pending` finds the missing
runs, and `Sweep.run` trains them on an executor of `running.api`.  `Sweep.files` finds the files of the latest sweep in
a folder, and `single_runs` removes copies of runs from curves.
"""

from typing import TYPE_CHECKING

from ttt_fast.algorithms import settings
from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.algorithms.api import (
        Algorithm as Algorithm,
        AlgorithmSettings as AlgorithmSettings,
        Case as Case,
        LearningTask as LearningTask,
    )
    from ttt_fast.algorithms.learner import (
        Learner as Learner,
        chunks_of as chunks_of,
        make_learner as make_learner,
    )
    from ttt_fast.algorithms.measures import Measures as Measures
    from ttt_fast.algorithms.registry import (
        ALGORITHMS as ALGORITHMS,
        SETTINGS as SETTINGS,
        add_algorithm as add_algorithm,
        setting_value as setting_value,
        settings_of as settings_of,
    )
    from ttt_fast.algorithms.tabular.learners import GeneralLearner as GeneralLearner
    from ttt_fast.core.wings import add_values as add_values
    from ttt_fast.training.curve import make_measures as make_measures
    from ttt_fast.training.loop import start_training as start_training
    from ttt_fast.training.over_seeds import single_runs as single_runs
    from ttt_fast.training.sweep import (
        Sweep as Sweep,
    )
    from ttt_fast.values.api import Learned as Learned, StoredValues as StoredValues
    from ttt_fast.values.dense import EdgeValues as EdgeValues

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "algorithms.registry": "ALGORITHMS SETTINGS add_algorithm setting_value settings_of",
        "algorithms.api": "Algorithm AlgorithmSettings Case LearningTask",
        "algorithms.measures": "Measures",
        "algorithms.tabular.learners": "GeneralLearner",
        "training.curve": "make_measures",
        "algorithms.learner": "Learner chunks_of make_learner",
        "training.over_seeds": "single_runs",
        "training.sweep": "Sweep",
        "training.loop": "start_training",
        "core.wings": "add_values",
        "values.api": "Learned StoredValues",
        "values.dense": "EdgeValues",
    },
)
__all__ += ["settings"]
