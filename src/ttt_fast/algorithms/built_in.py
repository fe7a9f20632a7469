"""The algorithms of the package: their records are registered here, in the order of the help."""

from ttt_fast.algorithms.alphazero.record import ALPHAZERO
from ttt_fast.algorithms.api import (
    ALGORITHMS as ALGORITHMS,
    SETTINGS as SETTINGS,
    register,
    setting_value as setting_value,
    settings_in,
    settings_of as settings_of,
)
from ttt_fast.algorithms.dqn.record import DQN
from ttt_fast.algorithms.planning.record import FICTITIOUS_PLAY, POLICY_ITERATION, VALUE_ITERATION
from ttt_fast.algorithms.tabular.record import TABULAR, LambdaSettings, NStepSettings
from ttt_fast.algorithms.td.record import TD

_FAMILIES = (ALPHAZERO.settings, TD.settings, DQN.settings, NStepSettings, LambdaSettings)
SETTINGS.update(settings_in(*_FAMILIES))  # in the order of files; a later one explains a common name
for _record in (*TABULAR, DQN, TD, ALPHAZERO, VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY):
    register(_record)
