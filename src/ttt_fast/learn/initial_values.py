"""The values of a run during learning: the arrays of the general kernels, and the content of a checkpoint."""

import numpy as np

from ttt_fast.games.game import PATTERNS
from ttt_fast.learn import alphazero
from ttt_fast.learn.algorithms import TdSettings
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.dqn.initial_state import init_network
from ttt_fast.learn.settings import ALPHAZERO, DOUBLE_Q, DQN, TD
from ttt_fast.tables import table_of
from ttt_fast.values.api import LearnedValues
from ttt_fast.values.dense import EdgeValues
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable
from ttt_fast.values.ntuples import NTupleValues


def init_values(config: TrainingConfig) -> LearnedValues:
    """Return the values before the first episode; the only function that chooses their kind.

    Examples
    --------
    >>> init_values(TrainingConfig(algorithm="double-q")).tables.shape
    (2, 16167)
    >>> init_values(TrainingConfig(game="connect4")).num_values
    7
    """
    if config.algorithm == DQN:
        return init_network(config)
    if config.algorithm == ALPHAZERO:
        return alphazero.init_network(config)
    if config.algorithm == TD and config.game.kind.features == PATTERNS:
        from ttt_fast.learn.ultimate.temporal_difference import random_values  # lazy: no other run needs searches

        return random_values(config)
    if config.algorithm == TD:
        settings = TdSettings.of(config)
        tuples, is_coherent = settings.n_tuples(), bool(settings.coherent)
        errors = np.zeros(2 * tuples.num_weights if is_coherent else 0, np.float32)
        return NTupleValues(tuples, config.game, None, is_coherent, errors, config.has_table)
    if not config.has_table:
        return empty_hash_table(config)
    table = table_of(config.game)
    own = np.isin(table.player, config.seats)[table.edge_state]
    values = np.where(own, config.settings.initial_q, 0.0)  # 0 for seats that do not learn
    return EdgeValues(table, np.array([values] * num_tables(config)), np.zeros(own.size, np.int64))


def starting_values(config: TrainingConfig) -> LearnedValues:
    """Return the initial values of a run: untrained, or those of the file from which it starts.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.
    AgentError
        If the file is for another game, or holds something other than the network of a run.
    """
    if not isinstance(config.settings, TdSettings) or config.settings.start_from is None:
        return init_values(config)
    from ttt_fast.learn.ultimate.temporal_difference import values_from_file

    return values_from_file(config)


def num_tables(config: TrainingConfig) -> int:
    """Return the number of tables of an algorithm, T."""
    return 2 if config.algorithm == DOUBLE_Q else 1


def empty_hash_table(config: TrainingConfig, capacity: int = MIN_CAPACITY) -> HashTable:
    """Return a hash table for a game with or without a table of states."""
    num_values = 1 if config.by_board else config.game.num_actions
    of_each = not config.by_board and config.settings.step_size.by_visits
    return HashTable(num_values, config.settings.initial_q, capacity, of_each, num_tables(config))
