"""The values of tabular algorithms before the first episode: of the edges of a table, or in a hash table."""

import numpy as np

from ttt_fast.learn.algorithm import LearningTask
from ttt_fast.learn.tabular import TabularAlgorithm
from ttt_fast.tables import table_of
from ttt_fast.values.dense import EdgeValues
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable


def first_values(config: LearningTask) -> EdgeValues | HashTable:
    """Return the values before the first episode.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> first_values(TrainingConfig(algorithm="double-q")).tables.shape
    (2, 16167)
    >>> first_values(TrainingConfig(game="connect4")).num_values
    7
    """
    if not config.has_table:
        return empty_hash_table(config)
    table = table_of(config.game)
    own = np.isin(table.player, config.seats)[table.edge_state]
    values = np.where(own, config.settings.initial_q, 0.0)  # 0 for seats that do not learn
    return EdgeValues(table, np.array([values] * record_of(config).num_tables), np.zeros(own.size, np.int64))


def record_of(config: LearningTask) -> TabularAlgorithm:
    """Return the record of a tabular algorithm."""
    if not isinstance(config.record, TabularAlgorithm):
        raise TypeError(f"expected a tabular algorithm, got {config.algorithm!r}")
    return config.record


def empty_hash_table(config: LearningTask, capacity: int = MIN_CAPACITY) -> HashTable:
    """Return a hash table for a game with or without a table of states."""
    num_values = 1 if config.by_board else config.game.num_actions
    of_each = not config.by_board and config.settings.step_size.by_visits
    return HashTable(num_values, config.settings.initial_q, capacity, of_each, record_of(config).num_tables)
