"""The learner of AlphaZero: iterations of games and updates, the network that it keeps, and its exact measures."""

from collections.abc import Sequence
from dataclasses import replace
from threading import current_thread, main_thread

import numpy as np
from numpy.typing import NDArray

from ttt_fast.algorithms.alphazero.record import AlphaZeroSettings
from ttt_fast.algorithms.alphazero.self_play import (
    Positions,
    Replay,
    SelfPlay,
    TrainingInputs,
    play_games,
    train_network,
)
from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.episodes import O, X
from ttt_fast.algorithms.measures import Measures
from ttt_fast.algorithms.networks.backprop import ILLEGAL_TARGET
from ttt_fast.algorithms.networks.learner import NetworkLearner, common_shapes, random_values
from ttt_fast.algorithms.networks.optimizers import optimizer
from ttt_fast.algorithms.recorded import RecordedEpisodes
from ttt_fast.algorithms.settings import BEST, MARKS
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import StreamKey, after_words, chunk_stream, chunk_streams
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import exploitability, states_in_play
from ttt_fast.games.results import DRAW, outcome_of
from ttt_fast.policies.policy import Policy
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.interrupts import blocks
from ttt_fast.search.puct import SIMULATIONS_AT_ONCE, Evaluated, make_statistics, search_policy, values_at_the_end
from ttt_fast.tables import solution_of, symmetry_of, table_of
from ttt_fast.values.learned_network import PRODUCTS_AT_ONCE, NetworkValues, Shapes, TableForward

FURTHER = (
    "policy_exploitability",
    "policy_value",
    "search_exploitability",
    "search_value",
    "reached_regret",
    "unbeaten_since",
)
"""Measures of AlphaZero beside those of every learner."""
PLAYED, MEASURED, UNBEATEN = 0, 1, 2
"""Indices of `progress`: simulations of self-play, those of measures, the episodes since which play is unbeaten."""
SHARE_OF_MEASURES = 0.3
"""Largest share of simulations that measures of the search may add: self-play takes a third of the time of a run."""


def init_network(config: LearningTask) -> NetworkValues:
    """Return the initial network of a run, drawn by its seed.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> init_network(TrainingConfig(algorithm="alphazero")).network.sizes
    (18, 64, 64, 10)
    """
    settings = AlphaZeroSettings.of(config)
    values = random_values(config, settings.input == MARKS, (*settings.hidden, config.game.num_actions + 1))
    return replace(values, shapes=run_shapes(config, values.network.weights.size))


def run_shapes(config: LearningTask, num_weights: int) -> Shapes:
    """Return type and shape of a run's arrays: those of every network, and the replay buffer."""
    settings, table = AlphaZeroSettings.of(config), table_of(config.game)
    kept, positions = settings.replay, config.chunk_episodes * table.num_plies
    return {
        **common_shapes(num_weights),
        "states": ("int32", (kept, positions)),
        "policies": ("float32", (kept, positions, table.num_actions)),
        "values": ("float32", (kept, positions)),
        "counts": ("int64", (kept,)),
    }


class AlphaZeroMeasures(Measures):
    """Exact measures of the greedy policy, of the network's probabilities, and of the search.

    `policy_exploitability` and `policy_value` are those of the probabilities; the value is that against the first
    judge, the mean of both seats.  `search_exploitability` and `search_value` are those of the moves with the most
    visits in a search from every state.  They are nan where such searches would take more than about a tenth of the
    run.
    `reached_regret` is the value that the greedy action loses, the mean over the states that greedy play can reach.
    `unbeaten_since` is the number of episodes since which greedy play could not be beaten at any row; nan if it can be.
    """

    @property
    def columns(self) -> list[str]:
        """Names of the measures: those of `Measures`, with others in place of `rms_error`."""
        return [*super().columns[:-1], *FURTHER]

    def strength(self, policy: Policy) -> tuple[float, float]:
        """Return the exploitability of a policy, and its value against the first judge, the mean of both seats."""
        judge = self.judges[0]
        value = exact_outcome(policy, judge).value_of(X) + exact_outcome(judge, policy).value_of(O)
        return exploitability(policy), value / 2

    def reached_regret(self, greedy: NDArray[np.int32]) -> float:
        """Return the mean value that the greedy edges (S,) lose in the states that they can reach."""
        table, values = self.table, solution_of(self.table).value.astype(np.int64)
        played = Policy.from_actions(table, table.edge_action[np.where(table.player > 0, greedy, 0)])
        reached = np.logical_or.reduce([states_in_play(played, seat) & (table.player == seat) for seat in self.seats])
        lost = np.abs(values[reached] - values[table.edge_child[greedy[reached]]])
        return float(lost.mean())


class AlphaZeroLearner(NetworkLearner):
    """AlphaZero over a table of states.

    Parameters
    ----------
    config, opponents
        The settings of the run, and no policies.
    before, counts
        As in `NetworkLearner`.
    """

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: NetworkValues, counts: NDArray[np.int64]
    ) -> None:
        settings = self.settings = AlphaZeroSettings.of(config)
        shapes = run_shapes(config, before.network.weights.size)
        super().__init__(config, before, counts, shapes, settings.minibatch, trains_all=True)
        if not before.state:
            self.state["progress"][UNBEATEN] = -1
        table = self.table = table_of(config.game)
        self._forward, self._ends = TableForward(table, before.as_marks, config.seats), values_at_the_end(table)
        # one of several runs in threads has one core
        self._threads = available_cores() if current_thread() is main_thread() else 1
        games = -(-config.chunk_episodes // self._threads)
        self._statistics = [make_statistics(table) for _ in range(self._threads)]
        self._positions = [self._empty(games * table.num_plies) for _ in range(self._threads)]
        symmetry = symmetry_of(table)
        some = slice(None if settings.symmetries else 1)
        self._inputs = TrainingInputs(self._forward.inputs, symmetry.state_map[some], symmetry.action_map[some])
        self._optimizer = optimizer("adam", weight_decay=settings.weight_decay)
        self._replay = Replay(*(self.state[name] for name in Replay._fields))
        self._rule = SelfPlay(
            settings.simulations, settings.c_puct, settings.noise, settings.noise_shape, settings.temperature_plies,
            settings.search_share, settings.opening_plies,
        )  # fmt: skip
        self._recorded = RecordedEpisodes(config)
        self.evaluate()

    def _empty(self, count: int) -> Positions:
        policies = np.zeros((count, self.table.num_actions), np.float32)
        return Positions(np.zeros(count, np.int32), policies, np.zeros(count, np.float32))

    def evaluate(self) -> None:
        """Evaluate the network for all states, in one pass."""
        self._priors, values = self._forward.heads(self.online, self._threads)
        table, priors = self.table, frozen(self._priors[:])  # measures have one signature, of a writable array
        self._game = Evaluated(table.edge_start, table.edge_child, priors, frozen(self._ends + values))

    def run_chunks(self, first: int, end: int) -> None:
        """Play the `chunk_episodes` games of each iteration, a chunk, and then do its `updates` of the network."""
        for chunk in range(first, end):
            self.play(chunk)
            stream = chunk_stream(self.config.seed, StreamKey.ALPHAZERO_UPDATES, chunk)
            alpha = float(self.settings.step_size.value(self.config.episodes_after(chunk), self.config.episodes))
            words, size = self.settings.minibatch, self.online.weights.size
            for begun, done in blocks(self.settings.updates, PRODUCTS_AT_ONCE // (words * size)):
                train_network(
                    self.online.layers, self._moments, self._scratch, self._samples, self._optimizer, self._replay,
                    self._inputs, done - begun, alpha, after_words(stream, begun * words),
                )  # fmt: skip
            self._end_chunks(chunk + 1, f"in iteration {chunk + 1:,}", "a smaller step_size")
            self.evaluate()

    def play(self, chunk: int) -> None:
        """Play the games of an iteration in threads, and write their positions into the replay buffer.

        Recorded games take the place of the first ones.
        """
        config = self.config
        begun, end = (config.episodes_after(number) for number in (chunk, chunk + 1))
        row, at = chunk % self.settings.replay, 0
        for number in self._recorded.between(begun, end):
            at += self._write_recorded(number, row, at)
            begun += 1
        games = np.array_split(chunk_streams(config.seed, begun, end - begun), self._threads)
        results = np.zeros((self._threads, 3), np.int64)

        def play(part: int) -> int:
            at, priors = np.zeros(6, np.int64), np.zeros(self.table.num_actions)
            most = games[part].size * self.table.num_plies * self._rule.simulations
            for first, last in blocks(most, SIMULATIONS_AT_ONCE):
                play_games(
                    self._game, self._statistics[part], self.table.edge_action, self._rule, games[part], at, priors,
                    self._positions[part], results[part], last - first,
                )  # fmt: skip
            return int(at[1])

        played = 0
        for part, count in enumerate(run_chunks(play, 0, self._threads, self._threads)):
            for kept, positions in zip(self._replay[:3], self._positions[part], strict=True):
                kept[row, at : at + count] = positions[:count]
            at, played = at + count, played + count
        self._replay.counts[row] = at
        self.state["progress"][PLAYED] += played * self.settings.simulations
        self.counts += results.sum(axis=0)

    def _write_recorded(self, number: int, row: int, at: int) -> int:
        """Write the positions of a recorded game into a row of the replay buffer; return how many there are.

        The target of the policy is the move, that of the value the result.
        """
        table, (games, replay, _, results) = self.table, self._recorded.lessons
        begin = games.first[number]
        moves = slice(begin + games.opening[number], begin + replay.legal[number])
        states, rows = replay.position[moves], slice(at, at + moves.stop - moves.start)
        first, count = table.edge_start[states], np.diff(table.edge_start)[states]
        policies, places = self._replay.policies[row, rows], np.arange(states.size)
        policies[:] = ILLEGAL_TARGET
        policies[np.repeat(places, count), table.edge_action[table.edges_of(states)]] = 0
        policies[places, table.edge_action[first + replay.choice[moves]]] = 1
        result = results[number]
        won = 0.0 if result == DRAW else np.where(table.player[states] == result, 1.0, -1.0)
        self._replay.states[row, rows], self._replay.values[row, rows] = states, won
        self.counts[outcome_of(result)] += 1
        return int(states.size)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the probabilities of the network, (E,) float64."""
        return self._priors

    def measured_row(self, stop: int, measures: Measures, greedy: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the measures, and keep the network if its exploitability is the least so far."""
        assert isinstance(measures, AlphaZeroMeasures)
        usual, progress = measures(self._priors, greedy)[: -len(FURTHER)], self.state["progress"]
        exploited = float(usual[measures.columns.index("exploitability")])
        if exploited > 0:
            progress[UNBEATEN] = -1
        elif progress[UNBEATEN] < 0:
            progress[UNBEATEN] = self.config.episodes_after(stop)
        network = measures.strength(Policy.from_probabilities(self.table, self._priors))
        score = -exploited, -network[0]
        if self.settings.keep == BEST and score > tuple(self.state["best"].tolist()):
            self._keep(score)
        unbeaten = float(progress[UNBEATEN]) if progress[UNBEATEN] >= 0 else np.nan
        return np.array([*usual, *network, *self._search(measures), measures.reached_regret(greedy), unbeaten])

    def _search(self, measures: AlphaZeroMeasures) -> tuple[float, float]:
        """Return exploitability and value of the search, nan if it would take too long."""
        progress, states = self.state["progress"], self._forward.states
        cost = states.size * self.settings.simulations
        if progress[MEASURED] + cost > SHARE_OF_MEASURES * progress[PLAYED]:
            return np.nan, np.nan
        progress[MEASURED] += cost
        policy = search_policy(self.table, self._game, self.settings.simulations, self.settings.c_puct, self._threads)
        return measures.strength(policy)
