"""Sai's learner on Connect 4: as coded, and with its defects mended one after the other, over some seeds."""

import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ttt_fast.games import api
from ttt_fast.learn import rows
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.learners import make_learner
from ttt_fast.learn.settings import AFTERSTATE, OWN_RESULT, SAI, SELF_PLAY
from ttt_fast.learn.stores import empty_hash_table
from ttt_fast.learn.training import start_training
from ttt_fast.play.record import GameRecord
from ttt_fast.running.chunks import run_chunks
from ttt_fast.search.player import Player, Thought
from ttt_fast.studies.page import Progress, runs_told
from ttt_fast.studies.sai.connect_four.match import (
    BOARD_AS_CODED,
    BOARD_AS_DESCRIBED,
    MINIMAX_AS_CODED,
    MINIMAX_AS_DESCRIBED,
    Played,
    Spent,
    exactly,
    play_pairs,
    player_of,
)
from ttt_fast.studies.sai.connect_four.values import ValueClass, value_classes
from ttt_fast.studies.sai.learning import EPSILONS, SKILLS
from ttt_fast.studies.sai.odds import Match

AS_CODED, REWARDS_MENDED, CORRECTED, EXPLORATION_ENDS = (
    "as coded",
    "rewards mended",
    "corrected",
    "corrected, exploration ends",
)
VARIANTS = (AS_CODED, REWARDS_MENDED, CORRECTED, EXPLORATION_ENDS)
_BOARDS = {AS_CODED: BOARD_AS_CODED, REWARDS_MENDED: BOARD_AS_CODED}
_EPSILONS = {CORRECTED: "linear:0.9,0.3,0.6", EXPLORATION_ENDS: "linear:0.9,0"}
_TENTHS = 10


def board_of(variant: str) -> str:
    """Return the board that a variant plays on: the program's, or that of the text."""
    return _BOARDS.get(variant, BOARD_AS_DESCRIBED)


def minimax_of(variant: str) -> str:
    """Return the searching opponent that belongs to a variant."""
    return MINIMAX_AS_CODED if variant == AS_CODED else MINIMAX_AS_DESCRIBED


def seats_of(variant: str) -> tuple[str, ...]:
    """Return whose values a player may load; as coded O has none, so that X's are all."""
    return ("x", "o") if variant == AS_CODED else ("x", "o", "xo")


def variant_config(variant: str, seed: int, episodes: int) -> TrainingConfig:
    """Return the settings of a variant.

    Epsilon falls by 1e-6 a game from 0.9 to 0.3 where the decay is mended: over 600,000 of 1,000,000 games, and the
    same share of shorter runs.
    """
    return TrainingConfig(
        SELF_PLAY,
        episodes=episodes,
        seed=seed,
        algorithm=AFTERSTATE,
        step_size="0.1",
        discount=0.9,
        epsilon=_EPSILONS.get(variant, "cumulative:0.9,1e-6,0.3"),
        tie="last",
        credit=SAI if variant == AS_CODED else OWN_RESULT,
        chunk_episodes=max(1, episodes // _TENTHS),
        evaluations=0,
        judges="",
        game=board_of(variant),
    )


class SeatedPlayer:
    """A learned table that knows the boards of some seats only, as the program's two files do.

    Parameters
    ----------
    run
        The run.
    seats
        `x`, `o` or `xo`.
    epsilon
        Chance that it plays any legal action instead.
    """

    def __init__(self, run: Training, seats: str, epsilon: Fraction) -> None:
        self.name = f"learned, values of {seats}"
        knows = rows.player_of(run.config, run.values, epsilon)
        blank = rows.player_of(run.config, empty_hash_table(run.config), epsilon)
        self._players = {seat: knows if seat in seats else blank for seat in "xo"}

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        for player in self._players.values():
            player.begin(stream)

    def think(self, state: Any) -> Thought:
        """Return the action of the highest value, or any."""
        return self._players["x" if api.player(state) == api.X else "o"].think(state)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the tables."""
        return max(player.memory_bytes for player in self._players.values())


Key = tuple[str, str, str]
"""Values loaded, epsilon in play, opponent: a key of SKILLS, `minimax` or `random`."""


class Trained(NamedTuple):
    """What is kept of one run.

    Attributes
    ----------
    variant, seed, seconds
        Which run, and the wall time of its training.
    states, bytes
        Boards in its table, and the most bytes that its arrays took.
    games
        X's wins, draws and O's wins while it learned.
    matches
        Results of the opponent against the learner, by values loaded, epsilon and opponent.
    spent
        What the opponent's moves and the learner's took in each match.
    stopped
        Games of each match in which the published program would have stopped.
    curve
        Its strength after each tenth of the games.
    values
        What its values are, by kind of board.
    records
        Games of the greedy player of both seats against the default opponent that notices everything.
    """

    variant: str
    seed: int
    seconds: float
    states: int
    bytes: int
    games: list[int]
    matches: dict[Key, Match]
    spent: dict[Key, tuple[Spent, Spent]]
    stopped: dict[Key, int]
    curve: list[dict[str, Any]]
    values: list[ValueClass]
    records: list[GameRecord]


class Effort(NamedTuple):
    """How much is done: training runs of each variant, games of each, pairs of games of each match."""

    seeds: int
    episodes: int
    pairs: int


def train_variants(effort: Effort, threads: int, on_progress: Progress | None = None) -> list[Trained]:
    """Train every variant with every seed, threads over runs; the same bits for any number of threads."""
    runs = [(variant, seed) for variant in VARIANTS for seed in range(effort.seeds)]
    tell = runs_told(on_progress, len(runs))
    found: list[Trained] = []
    for one in run_chunks(lambda index: train_variant(*runs[index], effort), 0, len(runs), threads):
        found.append(one)
        tell(len(found))
    return found


def train_variant(variant: str, seed: int, effort: Effort) -> Trained:
    """Train a variant to its end, and play its matches; the table itself, up to a gigabyte, is not kept."""
    config = variant_config(variant, seed, effort.episodes)
    run, curve = start_training(config), list[dict[str, Any]]()
    learner = make_learner(config, [], run.values, run.counts)
    seconds = 0.0
    for chunk in range(config.num_chunks):
        started = time.perf_counter()
        learner.run_chunks(chunk, chunk + 1)
        seconds += time.perf_counter() - started
        run = run._replace(chunks_done=chunk + 1)
        curve.append(_curve_row(run, variant, max(1, effort.pairs // _TENTHS)))
    played = _play_matches(run, variant, effort.pairs)
    return Trained(
        variant,
        seed,
        seconds,
        len(run.hashed),
        run.hashed.peak_bytes,
        run.counts.tolist(),
        {key: _result(key, one) for key, one in played.items()},
        {key: (one.spent(True), one.spent(False)) for key, one in played.items() if one.records},
        {key: one.stopped for key, one in played.items()},
        curve,
        value_classes(run.hashed.sorted_rows(), config.played),
        played[best_seats(variant), "0", "1"].records,
    )


def _curve_row(run: Training, variant: str, pairs: int) -> dict[str, Any]:
    game, seed = run.config.played, run.config.seed
    row: dict[str, Any] = {"learner": variant, "seed": seed, "games": run.episodes, "states": len(run.hashed)}
    player = SeatedPlayer(run, "xo", Fraction(0))
    for number, (skill, spec) in enumerate(SKILLS.items()):
        played = play_pairs(game, player_of(spec, game), player, pairs, seed, (run.chunks_done, number))
        losses, wins, _ = played.halves.mean.tolist()
        row |= {f"wins v default (skill {skill})": wins, f"losses v default (skill {skill})": losses}
    return row


def opponents_of(variant: str) -> dict[str, str]:
    """Return the opponents of a learner, by their name in a `Key`."""
    return {**SKILLS, "minimax": minimax_of(variant), "random": "random"}


def _play_matches(run: Training, variant: str, pairs: int) -> dict[Key, Played]:
    """Play every match of a run; greedy ones against minimax are always the same two games."""
    game, seed = run.config.played, run.config.seed
    return {
        key: play_pairs(game, opponent, player, 1 if _is_certain(key) else pairs, seed, (0, number))
        for number, (key, opponent, player) in enumerate(_pairings(run, variant))
    }


def _is_certain(key: Key) -> bool:
    return key[1:] == ("0", "minimax")


def _result(key: Key, played: Played) -> Match:
    """Return the result; a sure game that the program cannot finish has none."""
    return exactly(played) if _is_certain(key) and not played.stopped else played.halves


def _pairings(run: Training, variant: str) -> Iterator[tuple[Key, Player, Player]]:
    """Yield the matches: all of the published readings, and for the other variants those of a player at its best."""
    game = run.config.played
    opponents = {name: player_of(spec, game) for name, spec in opponents_of(variant).items()}
    if variant in (AS_CODED, CORRECTED):
        for seats in seats_of(variant):
            for epsilon in EPSILONS:
                for name in ("1", "0.01", "minimax"):
                    yield (seats, epsilon, name), opponents[name], SeatedPlayer(run, seats, Fraction(epsilon))
    else:
        for name in ("1", "0.01", "minimax"):
            yield ("xo", "0", name), opponents[name], SeatedPlayer(run, "xo", Fraction(0))
    seats = best_seats(variant)
    yield (seats, "0", "random"), opponents["random"], SeatedPlayer(run, seats, Fraction(0))


def best_seats(variant: str) -> str:
    """Return the values of a player at its best: all that there are."""
    return "x" if variant == AS_CODED else "xo"


def matches_of(runs: list[Trained], variant: str, seats: str, epsilon: str, opponent: str) -> list[Match]:
    """Return the results of a reading, one a seed; the opponent is the first player."""
    return [run.matches[seats, epsilon, opponent] for run in runs if run.variant == variant]
