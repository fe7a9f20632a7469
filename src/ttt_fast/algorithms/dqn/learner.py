"""The learner of deep Q-learning: the arrays of a run, their networks, and the choice of the network to keep."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import as_player
from ttt_fast.algorithms.api import LearningTask
from ttt_fast.algorithms.dqn.episodes import choose_action, learn_episodes, learn_game, learn_step
from ttt_fast.algorithms.dqn.record import DqnSettings
from ttt_fast.algorithms.dqn.replay import (
    ILLEGAL,
    KEPT,
    UPDATES,
    DqnRule,
    EncodedRules,
    EncodedTable,
    RowReplay,
    Targets,
    TrainState,
    WordReplay,
)
from ttt_fast.algorithms.dynamics import PYTHON_PLAYER, ActionDynamics, table_dynamics
from ttt_fast.algorithms.episodes import ALTERNATE, Episodes
from ttt_fast.algorithms.learner import episodes_of, rules_dynamics
from ttt_fast.algorithms.measures import Measures
from ttt_fast.algorithms.networks.backprop import LOSSES
from ttt_fast.algorithms.networks.learner import NetworkLearner, common_shapes, random_values
from ttt_fast.algorithms.networks.optimizers import optimizer
from ttt_fast.algorithms.recorded import RecordedEpisodes
from ttt_fast.algorithms.settings import BEST, EXPECTED, MARKS, PENALTY
from ttt_fast.core.plain import frozen
from ttt_fast.core.rng import Stream, StreamKey, chunk_stream, chunk_streams
from ttt_fast.games import api
from ttt_fast.games.api import max_plies
from ttt_fast.games.results import outcome_of
from ttt_fast.policies.policy import Policy
from ttt_fast.running.interrupts import blocks, check_interrupt
from ttt_fast.search.player import Player
from ttt_fast.tables import StateTable, find_symmetry
from ttt_fast.tables.state_table import cached_on_table
from ttt_fast.values.inputs import num_inputs, num_planes, table_inputs
from ttt_fast.values.learned_network import PRODUCTS_AT_ONCE, NetworkValues, Shapes, TableForward
from ttt_fast.values.network import BATCH, Network

RIVALS, RIVALS_A_RUN = 8, 20
"""Number of networks kept as rivals in self-play, and how many times in a run one is added."""
_SAME_SCORE = 1e-12
MOST_KNOWN = 1 << 17
"""Upper limit of the states of a table whose values by the target network are kept: those of more leave the cache."""
EPISODES_A_CALL = 256
"""Upper limit of the episodes of a first block, and of several chunks in a call of the kernel."""
_24, _40 = np.uint64(24), np.uint64(40)


def init_network(config: LearningTask) -> NetworkValues:
    """Return the initial network of a run, drawn by its seed.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> init_network(TrainingConfig(algorithm="dqn", hidden="32,32")).network.sizes
    (9, 32, 32, 9)
    """
    settings = DqnSettings.of(config)
    layers = *settings.hidden, config.game.num_actions
    values = random_values(config, settings.input == MARKS, layers, float(settings.leak))
    return replace(values, shapes=run_shapes(config, values.network.weights.size))


def run_shapes(config: LearningTask, num_weights: int) -> Shapes:
    """Return type and shape of a run's arrays: those of every network, rivals, and the replay buffer."""
    capacity = DqnSettings.of(config).replay
    row = "int64", (capacity, len(config.game.initial_state))
    replay = {"states": row, "afters": row, "units": ("uint16", (capacity,))}
    return {
        **common_shapes(num_weights),
        "target": ("float32", (num_weights,)),
        "rivals": ("float32", ((RIVALS if config.is_self_play else 0) * num_weights,)),
        **({"words": ("uint64", (capacity,))} if config.has_table else replay),
    }


def _make_rule(config: LearningTask) -> DqnRule:
    """Return the rule of a configuration as plain numbers."""
    settings = DqnSettings.of(config)
    return DqnRule(
        seat=0 if config.is_self_play else config.seat,
        max_random_plies=1 if config.random_opening else settings.opening_plies,
        one_random_ply=config.random_opening,
        minibatch=settings.minibatch,
        train_every=settings.train_every,
        warm_up=max(settings.warm_up, 1),
        target_every=settings.target_every or 0,
        polyak=float(settings.polyak or 0.0),
    )


def _make_targets(config: LearningTask, network: Network) -> Targets:
    """Return the computation of targets of a configuration, with scratch buffers."""
    settings = DqnSettings.of(config)
    actions, width = network.sizes[-1], network.sizes[0]
    rows = settings.minibatch * (actions if settings.target == EXPECTED else 1)
    has_known = config.has_table and settings.target_every and not settings.double
    states = config.table.num_states if has_known else 0
    states = states if states <= MOST_KNOWN else 0
    return Targets(
        is_expected=settings.target == EXPECTED,
        is_double=settings.double,
        penalizes_illegal=settings.illegal == PENALTY,
        illegal_reward=float(settings.illegal_reward or 0.0),
        discount=float(settings.discount),
        rewards=settings.rewards,
        totals=np.zeros(settings.minibatch),
        row_sample=np.zeros(rows, np.int64),
        weights=np.zeros(rows),
        values=np.zeros(rows, np.float32),
        unknown=np.zeros(rows, np.int64),
        next_places=np.zeros(rows, np.int64),
        next_inputs=np.zeros(rows * width, np.float32),
        next_actions=np.zeros(rows * actions, np.uint8),
        next_counts=np.zeros(rows, np.int64),
        best_actions=np.zeros(rows, np.int64),
        known=np.zeros(states, np.float32),
        known_since=np.zeros(states, np.int64),
        current=np.zeros(2, np.int64),
        legal_actions=np.zeros(actions, np.uint8),
        all_actions=np.arange(actions, dtype=np.uint8),
        work=network.work(min(rows, BATCH)),
    )


def make_envs(config: LearningTask, opponents: Sequence[Policy]) -> list[EncodedTable] | list[EncodedRules]:
    """Return the environment of each stage of a run; in self-play a single one, without an opponent.

    Examples
    --------
    >>> from ttt_fast import TrainingConfig
    >>> env = make_envs(TrainingConfig("self", algorithm="dqn"), [])[0]
    >>> env.num_inputs, env.num_symmetries, env.inputs.size
    (18, 8, 98604)
    """
    game, settings = config.game, DqnSettings.of(config)
    as_marks = settings.input == MARKS
    start = game.initial_state
    if config.has_table:
        shared = _shared_arrays(config.table, as_marks, settings.symmetries)
        dynamics = table_dynamics(config.table, opponents)
        played = [one.edge_probabilities for one in opponents] if settings.target == EXPECTED else []
        return [
            EncodedTable(*(ActionDynamics(*one), *shared, frozen(np.array(chance))))
            for one, chance in zip(dynamics, played or [np.zeros(0)] * len(dynamics), strict=True)
        ]
    size = num_planes(start)
    images = api.action_map(start)[: None if settings.symmetries else 1]
    scratch = np.zeros(size, np.float32), np.zeros(size, np.int8)
    return [
        EncodedRules(dynamics, as_marks, num_inputs(start, as_marks), len(images), images.ravel(), *scratch)
        for dynamics in rules_dynamics(game, config.opponent.agents, any_player=True)
    ]


@cached_on_table(4)
def _shared_arrays(
    table: StateTable, as_marks: bool, has_symmetries: bool
) -> tuple[NDArray[np.int8], int, int, NDArray[np.int32], NDArray[np.uint8]]:
    """Return the arrays of a table that its runs share, from `inputs` to `action_map`."""
    inputs = table_inputs(table, as_marks)
    states = np.arange(table.num_states, dtype=np.int32)[None]
    actions = np.arange(table.num_actions, dtype=np.uint8)[None]
    if has_symmetries:
        symmetry = find_symmetry(table)
        states, actions = symmetry.state_map, symmetry.action_map
    flat = (frozen(np.ascontiguousarray(one).ravel()) for one in (states, actions))
    return frozen(inputs.ravel()), inputs.shape[1], len(states), *flat


class DqnLearner(NetworkLearner):
    """Deep Q-learning, on every game.

    Parameters
    ----------
    config, opponents
        The settings of the run, and the policies of its stages if its game has a table.
    before, counts
        As in `NetworkLearner`.
    """

    def __init__(
        self, config: LearningTask, opponents: Sequence[Policy], before: NetworkValues, counts: NDArray[np.int64]
    ) -> None:
        settings = self.settings = DqnSettings.of(config)
        self.envs = make_envs(config, opponents)
        shapes = run_shapes(config, before.network.weights.size)
        super().__init__(config, before, counts, shapes, settings.minibatch, trains_all=False)
        state = self.state
        if not before.state:
            state["target"][:] = before.network.weights
        self._forward = TableForward(config.table, before.as_marks, config.seats) if config.has_table else None
        self.target = self._network("target")
        self._recorded = RecordedEpisodes(config)
        buffer = WordReplay if config.has_table else RowReplay
        self.train_state = TrainState(
            online=self.online.layers,
            target=self.target.layers,
            rivals=state["rivals"],
            moments=self._moments,
            optimizer=optimizer(settings.optimizer, clip=settings.clip or np.inf),
            loss=LOSSES[settings.loss],
            samples=self._samples,
            backprop=self._scratch,
            replay=buffer(**{name: state[name] for name in buffer._fields}),
            capacity=settings.replay,
            progress=state["progress"],
            rule=_make_rule(config),
            targets=_make_targets(config, self.online),
        )
        products = settings.minibatch * self.online.weights.size * int(max_plies(config.game.initial_state))
        self._at_once = max(1, min(EPISODES_A_CALL, PRODUCTS_AT_ONCE // products))
        given = self.envs[0], self.train_state, episodes_of(config, 0, 0), 1
        learn_episodes(*given, np.zeros(1, np.uint64), np.zeros(3, np.int64))  # loads it

    @property
    def measured(self) -> Network:
        """The network that is measured, kept and played: the target network if weights follow by shares (`polyak`)."""
        return self.target if self.settings.polyak else self.online

    def run_chunks(self, first: int, end: int) -> None:
        """Learn from the episodes of chunks, with the step size and epsilon of each episode."""
        config = self.config
        while first < end:
            count, stage = self._num_at_once(first, end), config.stage_of(first)
            counts, episodes = np.zeros(3, np.int64), episodes_of(config, first, count)
            streams, env = chunk_streams(config.seed, first, count), self.envs[stage]
            episodes = self._learn_recorded(env, episodes, streams, counts)
            if _is_played_in_python(env):
                player = as_player(config.opponent.agents[stage], config.game)
                self._learn_against(player, env, episodes, Stream(streams[0]), counts)
            else:
                for begin, stop in blocks(episodes.alphas.size, self._at_once):  # several chunks are one block
                    some = episodes.part(begin, stop)
                    learn_episodes(env, self.train_state, some, config.chunk_episodes, streams, counts)
            self.counts += counts[::-1] if config.seats == (2,) else counts
            first += count
            if self._adds_rival(first - 1):
                self._add_rival()
        reached = f"after {self.state['progress'][UPDATES]:,} updates"
        self._end_chunks(end, reached, "a smaller step_size, clip, or the loss huber")

    def _num_at_once(self, first: int, end: int) -> int:
        """Return how many chunks from `first` on a call of the kernel may learn: against one opponent and its rivals.

        A call takes 30 microseconds, a third of the time of a chunk of ten episodes.
        """
        config, stop = self.config, min(end, first + max(self._at_once // self.config.chunk_episodes, 1))
        stage, last = config.stage_of(first), first
        if _is_played_in_python(self.envs[stage]) or config.episodes_after(first) < self._recorded.count:
            return 1
        while last + 1 < stop and not self._adds_rival(last) and config.stage_of(last + 1) == stage:
            last += 1
        return last + 1 - first

    def _learn_recorded(
        self,
        env: EncodedTable | EncodedRules,
        episodes: Episodes,
        streams: NDArray[np.uint64],
        counts: NDArray[np.int64],
    ) -> Episodes:
        """Learn from the recorded games among the episodes of a chunk, off-policy; return the other episodes."""
        numbers = self._recorded.between(episodes.first, episodes.first + episodes.alphas.size)
        for number, alpha in zip(numbers, episodes.alphas.tolist(), strict=False):
            check_interrupt()
            games, replay, _, results = self._recorded.lessons
            first, opening = games.first[number], int(games.opening[number])
            state = int(replay.position[first]) if self.config.has_table else games.starts[games.start[number]]
            moves = games.actions[first : first + replay.legal[number]]
            streams[0] = learn_game(env, self.train_state, state, moves, opening, alpha, streams[0])
            counts[outcome_of(results[number])] += 1
        return episodes.part(len(numbers)) if numbers else episodes

    def _learn_against(
        self, player: Player, env: EncodedRules, episodes: Episodes, words: Stream, counts: NDArray[np.int64]
    ) -> None:
        """Learn from episodes as `learn_episodes` does, against a player that Python calls, with its own streams."""
        run, rule = self.train_state, self.train_state.rule
        for episode in range(episodes.alphas.size):
            alpha, number = float(episodes.alphas[episode]), episodes.first + episode
            explore_below = np.uint64(round(episodes.epsilons[episode] * 2.0**24))
            seat = 1 + number % 2 if rule.seat == ALTERNATE else rule.seat
            player.begin(chunk_stream(self.config.seed, StreamKey.TRAINING_OPPONENT, number))
            state = env.dynamics.initial
            if rule.one_random_ply:
                actions = api.legal_actions(state)
                state = api.play(state, actions[int(((words.word() >> _24) * np.uint64(len(actions))) >> _40)])
            before: api.GameState | None = None
            action, is_forced = 0, False
            while api.status(state) == api.ONGOING:
                word, mover = words.word(), api.player(state)
                if mover != seat:
                    state = api.play(state, player.search(state).checked(player, state).action)
                else:
                    before, limit = state, np.uint64(1 << 24) if is_forced else explore_below
                    action = int(choose_action(env, run, run.online, state, word, limit))
                    is_forced = action >= ILLEGAL
                    state = state if is_forced else api.play(state, action)
                if before is not None and (api.status(state) != api.ONGOING or api.player(state) == seat):
                    words.state = np.uint64(learn_step(env, run, before, action, state, alpha, words.state))
                    before = None
            counts[outcome_of(api.status(state))] += 1

    def _adds_rival(self, chunk: int) -> bool:
        """Return whether a chunk completes another part of a run of self-play."""
        config = self.config
        before, after = (config.episodes_after(one) * RIVALS_A_RUN // config.episodes for one in (chunk, chunk + 1))
        return config.is_self_play and before < after

    def _add_rival(self) -> None:
        """Keep the network as a rival."""
        progress, size = self.state["progress"], self.online.weights.size
        at = progress[KEPT] % RIVALS * size
        self.state["rivals"][at : at + size] = self.measured.weights
        progress[KEPT] += 1

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values of the network, (E,) float64 over the edges of the game's table."""
        assert self._forward is not None
        return self._forward(self.measured)

    def measured_row(self, stop: int, measures: Measures, greedy: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the measures, and keep the network if its exact value is the best so far; the first one in a tie."""
        row, names, best = measures(self.edge_values(), greedy), measures.columns, self.state["best"]
        if self.config.is_self_play:
            score = -row[names.index("exploitability")], row[names.index("agreement")]
        else:  # the first columns are wins, draws, losses against the opponent, for each seat
            seats = len(self.config.seats)
            score = float(sum(row[3 * seat] - row[3 * seat + 2] for seat in range(seats))) / seats, 0.0
        is_better = score[0] > best[0] + _SAME_SCORE or (score[0] > best[0] - _SAME_SCORE and score[1] > best[1])
        if self.settings.keep == BEST and is_better:
            self._keep(score)
        return row


def _is_played_in_python(env: EncodedTable | EncodedRules) -> TypeGuard[EncodedRules]:
    """Return whether the opponent is a player that no kernel can play."""
    return isinstance(env, EncodedRules) and env.dynamics.opponent == PYTHON_PLAYER
