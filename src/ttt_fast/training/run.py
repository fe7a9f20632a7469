"""The state of a training run, and the file that stores it."""

import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ttt_fast.agents.convert import as_policy
from ttt_fast.algorithms.learner import first_values
from ttt_fast.algorithms.registry import ALGORITHMS
from ttt_fast.core.archive import ArraySpec, OpenArchive, open_archive
from ttt_fast.core.errors import ExternalAgentError, FileFormatError, TttFastError, UnlearnedSeatWarning, UsageError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.strength import scorecard, seat_exploitability, strength
from ttt_fast.evaluate.strength_row import RESULTS, Strength, measures_of
from ttt_fast.games import api
from ttt_fast.policies.arrays import policy_of_values
from ttt_fast.policies.best_response import best_value
from ttt_fast.policies.files.npz import is_policy, states_in, table_in
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import StateTable, most_states, table_of
from ttt_fast.training.config import TrainingConfig, unit_name
from ttt_fast.training.opponents import check_unchanged, opponents_of, rivals_sha256
from ttt_fast.values.api import LearnedValues, TableValues
from ttt_fast.values.dense import EdgeValues
from ttt_fast.values.files import DAMAGES, VALUES_KIND, damaged, read_learned, save
from ttt_fast.values.hashed import HashTable

if TYPE_CHECKING:
    import polars as pl

    from ttt_fast.agents.learned import LearnedPlayer
    from ttt_fast.training.curve import StrengthSample

GAMES = 1000
"""Number of games in a sample against each judge."""


class TrainingRun(NamedTuple):
    """A training run, finished or not.

    Attributes
    ----------
    config
        The settings of the run.
    values
        The values learned so far.  A hash table, which grows during the run, is updated in place.
    counts : (3,) int64
        Episodes that the learner (X, if both seats learn) won, drew and lost; zeros if no games are played.
    chunks_done
        Number of chunks completed.
    columns
        Names of the columns of `history`.
    history : (H, K) float64
        Measures of the greedy policy during the run.  The first column is `episodes`.  The next three are the results
        of the learner (X, if both seats learn) against the opponent of the last stage: wins, draws and losses.  They
        are probabilities if the game has a table, and otherwise shares of sampled games.  The number of states in a
        hash table precedes them.
    greedy : (S,) int32
        Greedy edge of each state of a learning seat at the last row of `history`; empty without a table.  The column
        `changed` of the next row counts the differences from it.
    seconds
        Wall time of the training.
    opponents_sha256
        Hash of the opponents' policies; empty until those made in Python are passed to `train`.
    opponents
        The policies of the stages, if the run was started or trained in this process; not in the file.

    Examples
    --------
    >>> import ttt_fast
    >>> run = ttt_fast.train(ttt_fast.TrainingConfig(episodes=1000))
    >>> run, run.curve().columns[:4]
    (<TrainingRun of q on tic-tac-toe v random: 1,000 of 1,000 episodes>, ['episodes', 'x_wins', 'draws', 'o_wins'])
    """

    config: TrainingConfig
    values: LearnedValues
    counts: NDArray[np.int64]
    chunks_done: int
    columns: tuple[str, ...]
    history: NDArray[np.float64]
    greedy: NDArray[np.int32]
    seconds: float
    opponents_sha256: str = ""
    opponents: tuple[Policy, ...] = ()

    def __repr__(self) -> str:
        """Return a one-line summary."""
        config = self.config
        done = f"{self.episodes:,} of {config.episodes:,} episodes"
        return f"<TrainingRun of {config.algorithm} on {config.game.spec} v {config.opponent.text}: {done}>"

    @property
    def table_values(self) -> TableValues:
        """The values, which make a policy; raises UsageError if the game has no state table."""
        if self.config.has_table:
            return cast(TableValues, self.values)
        raise UsageError(f"expected a run on a game with a state table, got a run on {self.config.game.spec!r}")

    @property
    def hashed(self) -> HashTable:
        """The values in a hash table; raises UsageError if there are none."""
        if self.values.grows:
            return cast(HashTable, self.values)
        raise UsageError(
            f"expected a run that learns a hash table, got {self.config.algorithm} on {self.config.game.spec}"
        )

    @property
    def q_table(self) -> NDArray[np.float64]:
        """The action values on which the learner acts, (S, A) float64: the table, or the mean of both."""
        return self.table_values.table.dense(self.table_values.q)

    @property
    def tables(self) -> NDArray[np.float64]:
        """All tables of a tabular algorithm, (T, S, A) float64."""
        return np.array([self.table_values.table.dense(one) for one in cast(EdgeValues, self.table_values).tables])

    @property
    def updates(self) -> NDArray[np.int64]:
        """Number of updates of each action, (S, A) int64, or 1 if the kernel only marks updated actions."""
        return self.table_values.table.dense(cast(EdgeValues, self.table_values).updates)

    @property
    def held(self) -> NDArray[np.bool_]:
        """States in which the learner has acted, (S,) bool."""
        return self.table_values.held

    @property
    def episodes(self) -> int:
        """Episodes trained."""
        return self.config.episodes_after(self.chunks_done)

    @property
    def complete(self) -> bool:
        """Whether all episodes have been trained."""
        return self.chunks_done == self.config.num_chunks

    @property
    def episodes_per_second(self) -> float:
        """Episodes a second of wall time."""
        return self.episodes / self.seconds if self.seconds > 0 else 0.0

    def sha256(self) -> str:
        """Return the hash of the learned values (of both tables, for double Q-learning): equal bits, equal hash."""
        return self.values.sha256()

    def policy(self, name: str = "", *, greedy: bool = True) -> Policy:
        """Return the greedy policy, with the configuration's tie rule; after fictitious play, the average policy.

        Parameters
        ----------
        name
            The name of the policy (default: that of the algorithm).
        greedy
            False: the probabilities that `alphazero` has learned, the softmax of its network over the legal actions,
            as `puct:net=FILE,sims=0` plays them.

        Raises
        ------
        UsageError
            If the game has no state table, or with `greedy=False` if the algorithm learns no probabilities.

        Examples
        --------
        >>> import ttt_fast
        >>> run = ttt_fast.train(algorithm="alphazero", opponent="self", episodes=10, simulations=4, updates=1)
        >>> softmax = run.policy(greedy=False)
        >>> softmax, bool(softmax.probabilities[0].max() < 1)
        (<Policy alphazero of tic-tac-toe: probabilities, holds 4,520 of 4,520 states>, True)
        """
        values, name = self.table_values, name or self.config.algorithm
        if greedy or self.config.record.policy_tie:
            return policy_of_values(values.table, values.q, name, values.held, _tie_rule(self.config))
        if not values.are_probabilities:
            raise UsageError(f"greedy=False: expected alphazero or fictitious-play, got {self.config.algorithm!r}")
        return Policy.from_probabilities(values.table, values.q, name)

    def judge(self) -> Policy:
        """Return the policy against which the history is measured: the last opponent, in self-play the random policy.

        Raises
        ------
        AgentError
            If an opponent is a policy made in Python, for which a file stores only the signature.
        TableSizeError
            If the game has no table.

        Examples
        --------
        >>> import ttt_fast
        >>> run = ttt_fast.train(opponent="self", episodes=1000)
        >>> run.judge().name, round(run.best_value() * 192, 9)
        ('random', 191.0)
        """
        stages = self.opponents or opponents_of(self.config)
        return stages[-1] if stages else as_policy("random", self.config.game)

    def best_value(self) -> float:
        """Return the best possible wins minus losses against `judge` of the learning seat (X, if both seats learn)."""
        return best_value(self.judge(), self.config.seats[0], self.config.random_opening)

    @property
    def unit_name(self) -> str:
        """A hash of everything that determines the bits of the run; it is also the name of this unit in a sweep."""
        return unit_name(self.config, rivals_sha256(self.config, self.opponents or opponents_of(self.config)))

    def scorecard(self, name: str = "") -> list[Strength]:
        """Return the scorecard of the learned policy, with its `judge` as the first opponent.

        Examples
        --------
        >>> import ttt_fast
        >>> run = ttt_fast.train(opponent="minimax", episodes=1000)
        >>> [row.opponent for row in run.scorecard()]
        ['minimax', 'random', 'its best response']
        """
        policy, seat = self.policy(name), self.config.seats[0]
        own = replace(policy, held=np.isin(policy.table.player, self.config.seats))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnlearnedSeatWarning)  # a run of no episodes has learned nothing
            first = strength(policy, self.judge(), seat, seat_exploitability(own))
        card = scorecard(policy, [as_policy(usual, self.config.game) for usual in ("random", "minimax")])
        return [first, *(row for row in card if (row.seat, row.opponent) != (first.seat, first.opponent))]

    def player(self, epsilon: Fraction = Fraction(0)) -> "LearnedPlayer":
        """Return the greedy player of the current values, which explores with probability `epsilon` at each move.

        Examples
        --------
        >>> import ttt_fast
        >>> run = ttt_fast.train(game="connect4", episodes=1000, judges="")
        >>> run.player().search(run.config.game.initial_state).action in range(7)
        True
        """
        from ttt_fast.algorithms.learner import player_of  # lazy: few readers of a file need players

        return player_of(self.config, self.values, epsilon)

    def samples(self, games: int = GAMES) -> list["StrengthSample"]:
        """Return the results of games of the greedy player against each judge of the configuration.

        Examples
        --------
        >>> import ttt_fast
        >>> run = ttt_fast.train(game="connect4", episodes=100, judges="random")
        >>> [(sample.opponent, sample.games) for sample in run.samples(games=4)]
        [('random', 4)]
        """
        from ttt_fast.training.curve import sampled_strength

        return [sampled_strength(self.config, self.player(), judge, games) for judge in self.config.judges.specs]

    def save(self, path: str | os.PathLike[str], described: Mapping[str, object] | None = None) -> None:
        """Write the run to a `.npz` file, which can be played as an agent and from which training can continue.

        Parameters
        ----------
        path
            The file.
        described
            Further entries of the description, such as the search in which the agent `learned` plays.

        Examples
        --------
        >>> import tempfile, ttt_fast
        >>> run = ttt_fast.train(opponent="self", episodes=1000)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run.save(f"{folder}/q.npz")
        ...     ttt_fast.TrainingRun.load(f"{folder}/q.npz").sha256() == run.sha256()
        True
        """
        config = self.config
        meta: JsonObject = {
            "name": f"{config.algorithm} v {config.opponent.text}",
            "tie": _tie_rule(config),
            "config": config.as_dict(),
            "chunks_done": self.chunks_done,
            "columns": list(self.columns),
            "seconds": self.seconds,
            "opponents_sha256": self.opponents_sha256,
        }
        arrays: dict[str, NDArray[np.generic]] = {"counts": self.counts, "history": self.history}
        if config.has_table:
            arrays["greedy"] = self.greedy
        else:  # the settings of play
            meta |= {"game": config.game.spec, "tie": config.settings.tie, "by_board": config.by_board}
        save(path, self.values, arrays, {**meta, **(described or {})})

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "TrainingRun":
        """Return the run in a file.

        Raises
        ------
        FileFormatError
            If the file is missing, damaged, of another kind, or written by a newer version.

        Examples
        --------
        >>> import tempfile, ttt_fast
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/q.npz"
        ...     run = ttt_fast.train(ttt_fast.TrainingConfig(episodes=1000), checkpoint=path)
        ...     ttt_fast.TrainingRun.load(path)
        <TrainingRun of q on tic-tac-toe v random: 1,000 of 1,000 episodes>
        """
        with open_archive(path, (VALUES_KIND,)) as archive:
            try:
                return _run_in(archive)
            except ExternalAgentError as error:
                raise FileFormatError(f"{str(path)!r}: {error}") from error
            except DAMAGES as error:
                raise damaged(path, error) from error

    def curve(self) -> "pl.DataFrame":
        """Return `measures` as a data frame: a row for each evaluation."""
        import polars as pl  # 0.1 s that most commands do not need

        columns = self.measures()
        columns |= {name: columns[name].astype(np.int64) for name in ("episodes", "states") if name in columns}
        return pl.DataFrame(columns)  # without the threads of polars, which a forked process lacks

    def measures(self) -> dict[str, NDArray[Any]]:
        """Return the history by columns, (H,) float64: the episodes, those of a scorecard that are known, further ones.

        The columns of a scorecard are those of a `Meter`: against the opponent of the last stage, the mean of both
        seats if both learn; in self-play, the value is minus the exploitability.  Without a table the value is that of
        samples against the first judge.  Further columns are `x_v_minimax_wins` and so on, of a learning seat against a
        judge, and measures of the algorithm.

        Examples
        --------
        >>> import ttt_fast
        >>> run = ttt_fast.train(opponent="minimax:tie=first", seat="o", episodes=1000, evaluations=1)
        >>> {name: float(rows[-1]) for name, rows in run.measures().items() if name.endswith(("wins", "value"))}
        {'x_wins': 0.0, 'o_wins': 0.0, 'value': 0.0, 'best_value': 0.0}
        """
        config, columns = self.config, dict(zip(self.columns, self.history.T.copy(), strict=True))
        episodes = columns.pop("episodes")
        known: dict[str, NDArray[np.float64]] = {
            name: columns.pop(name) for name in ("exploitability", "agreement") if name in columns
        }
        if not config.has_table:
            for judge in config.judges.specs[:1]:
                known["value"] = columns[f"wins_v_{judge}"] - columns[f"losses_v_{judge}"]
            return {"episodes": episodes, **measures_of(**known), **columns}
        results = [columns.pop(name) for name in self.columns[1:4]]  # of the first seat against the first judge
        if len(config.seats) == 1:
            known |= zip(RESULTS, results if config.seats[0] == api.X else results[::-1], strict=True)
        else:
            names = [f"x{name[1:]}" for name in self.columns[4:7]]
            results += [columns[name] for name in self.columns[4:7]]
            columns = {**dict(zip(names, results[:3], strict=True)), **columns}
        if config.is_self_play:
            known |= {"value": 0.0 - known["exploitability"], "best_value": np.zeros(len(episodes))}
        else:
            known["value"] = np.mean(np.subtract(results[::3], results[2::3]), axis=0)
            with suppress(TttFastError):  # an opponent that the file of the run does not contain
                stages = self.opponents or opponents_of(config)
                check_unchanged("" if self.opponents else self.opponents_sha256, config, stages)
                best = [best_value(stages[-1], seat, config.random_opening) for seat in config.seats]
                known["best_value"] = np.full(len(episodes), np.mean(best))
        return {"episodes": episodes, **measures_of(**known), **columns}


def _table_in(archive: OpenArchive) -> StateTable | None:
    """Return the table that a run in a file requires, with at most as many states as the file has; None without one."""
    facts = archive.meta.get("config")
    if not isinstance(facts, dict) or not facts.get("exact"):
        return table_in(archive) if is_policy(archive.meta) else None
    try:
        table = table_of(str(facts.get("game")), min(states_in(archive), most_states()))
    except UsageError as error:
        raise FileFormatError(f"{archive.path!r}: {error}; the file is damaged, or there is less memory") from error
    return table if is_policy(archive.meta) else None


def _config_of(meta: JsonObject) -> TrainingConfig:
    """Return the settings of the run in a file; raise ValueError unless they are complete."""
    named = str(meta["config"]["algorithm"])
    if named not in ALGORITHMS:
        raise ExternalAgentError(f"expected an algorithm that is registered, got {named!r}; run the file that adds it")
    config = TrainingConfig(**meta["config"])
    if config.as_dict() != meta["config"]:
        raise ValueError("settings")
    return config


def _run_in(archive: OpenArchive) -> TrainingRun:
    """Return the run in a file; raise ValueError unless its parts are complete and consistent."""
    meta, table = archive.meta, _table_in(archive)  # before anything else makes it, without this limit
    config = _config_of(meta)
    expected = first_values(config)
    shapes, named = expected.run_shapes, meta.get("run_arrays")
    if named and named != {name: [dtype, list(shape)] for name, (dtype, shape) in shapes.items()}:
        raise ValueError("arrays of the run")
    columns = tuple(map(str, meta["columns"]))
    history = ArraySpec("float64", (-1, len(columns)), config.evaluations * len(columns))
    learned, arrays = read_learned(archive, table, {"counts": ArraySpec("int64", (3,)), "history": history})
    values: Any = learned.values
    if not isinstance(values, type(expected)) or not values.is_like(expected):
        raise ValueError("values of another game, or other shapes")
    greedy = arrays.get("greedy", np.zeros(0, np.int32))
    chunks_done, seconds = int(meta["chunks_done"]), float(meta["seconds"])
    known, counts = str(meta["opponents_sha256"]), arrays["counts"].copy()
    run = TrainingRun(config, values, counts, chunks_done, columns, arrays["history"], greedy, seconds, known)
    if not 0 <= chunks_done <= config.num_chunks or not seconds >= 0:
        raise ValueError("chunks or seconds out of range")
    if 0 < chunks_done < config.num_chunks and not values.can_go_on:
        raise ValueError("arrays of the run")
    if columns[:1] != ("episodes",):
        raise ValueError("history")
    if (counts < 0).any() or int(counts.sum()) != (run.episodes if config.record.plays_games else 0):
        raise ValueError("counts")
    return run


def _tie_rule(config: TrainingConfig) -> str:
    """Return the tie rule that turns the values into a policy."""
    tie = config.settings.tie
    return config.record.policy_tie or ("uniform" if tie == "random" else tie)
