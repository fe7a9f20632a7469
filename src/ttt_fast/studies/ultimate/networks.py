"""Bichot's deep Q-learner: its network before and after training, and one with the defects of its training mended.

`trained` follows the program: 99 marks, two hidden layers of 512, no target network, and a penalty for illegal moves.
It is trained as X against random play and then against 5-step minimax.  Three details differ.  A reward is given at the
end of a game alone, not for each small board.  Epsilon in the program is the probability that illegal moves are masked;
here it is the probability of a random legal move.  The text does not say when minimax replaces random play; here it is
half-way.

`untrained` is that network before its first update.  The program actually plays with it, because its function that
loads a network has no effect.
"""

from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np

from ttt_fast import TrainingConfig, TrainingRun, parse_game
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.files import make_folder
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream
from ttt_fast.learners import start_training
from ttt_fast.studies.engine.games import StudyKey
from ttt_fast.studies.engine.sources import lines_of_toml
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.statistics.samples import RunSample
from ttt_fast.studies.ultimate import contests, matches
from ttt_fast.studies.ultimate.contests import CODED, DQN, PACKAGE

UNTRAINED, TRAINED, MENDED = "untrained", "trained", "corrected"
NETWORKS: Final = (UNTRAINED, MENDED, TRAINED)
RIVALS: Final = ("random", "minimax-1")
"""Opponents with the seats swapped."""
SEATS: Final = {"random begins": (("random", DQN), "first"), "swapped": ((DQN, "random"), "swapped")}
_SWAPPED_GAMES, _GAMES, _LOOKED_AT, _RUN_GAMES = 1000, 100, 100, 200
_SEEDS: Final = 10
"""Number of untrained networks that play only against random play."""


def config_of(network: str, quick: bool, seed: int = 0) -> TrainingConfig:
    """Return the configuration of a network; the untrained network has that of the program.

    Examples
    --------
    >>> config = config_of(TRAINED, quick=False)
    >>> config.episodes, config.settings.hidden, config.settings.illegal_reward
    (15000, (512, 512), -100.0)
    """
    runs = lines_of_toml(PACKAGE, "networks.toml")
    changes = runs["corrected" if network == MENDED else "as_coded"] | (runs["smaller"] if quick else {})
    return TrainingConfig(game="ultimate", algorithm="dqn", seed=seed, **changes)


def network_of(work: Runner, network: str, seed: int = 0) -> tuple[TrainingRun, Path]:
    """Return a network as a run, and its file."""
    config = config_of(network, work.quick, seed)
    if network != UNTRAINED:
        [training] = work.trainings([config])
        assert training is not None  # a run that diverges has failed
        return training, work.kept / f"{training.unit_name}.npz"
    training = start_training(config)
    path = work.kept / f"{training.unit_name}-untrained.npz"
    make_folder(work.kept)
    training.save(path)
    return training, path


def network_games(work: Runner) -> Rows:
    """Return the rows of a network's matches in Fig. 5, and of its matches with the seats swapped."""
    rows = []
    for network in NETWORKS:
        path = str(network_of(work, network)[1])
        made = {agent: line[CODED] for agent, line in contests.PLAYED_AS.items()} | {DQN: path}
        kinds = [
            ("", "first", _GAMES, 7, [pair for pair in contests.MATCHES if DQN in pair]),
            (", seats swapped", "swapped", _SWAPPED_GAMES, 8, [(DQN, rival) for rival in RIVALS]),
        ]
        listed = [
            contests.contest(f"dqn {network}{suffix}", pair, made, seats, games, f"{key}/{number}")
            for suffix, seats, games, key, pairs in kinds
            for number, pair in enumerate(pairs)
        ]
        for one, result in contests.results_of(work, listed):
            names = {name: DQN for name in ("first", "second") if getattr(one, name) == path}
            rows.append(contests.row_of(one, result) | names)
    return rows


def first_choices(training: TrainingRun, games: int) -> tuple[int, int]:
    """Return the number of illegal first choices of a network as X against random play, and the number of all choices.

    Moves are played with the illegal actions masked.

    Parameters
    ----------
    training
        The run.
    games
        Number of games.
    """
    player: Any = training.player().mover
    game, illegal, choices = parse_game("ultimate"), 0, 0
    opponent = matches.player_of("random", game)
    for number in range(games):
        opponent.begin(chunk_stream(0, StudyKey.ULTIMATE_NETWORKS, number))
        state: Any = game.initial_state
        while api.status(state) == api.ONGOING:
            if api.player(state) == api.O:
                state = api.play(state, opponent.search(state).action)
                continue
            outputs, legal = player.outputs(state), api.legal_actions(state)
            illegal, choices = illegal + (int(np.argmax(outputs)) not in legal), choices + 1
            state = api.play(state, max(legal, key=outputs.__getitem__))
    return illegal, choices


def networks(work: Runner) -> Rows:
    """Return a description of each network, and how often its first choice is illegal."""
    rows = []
    for network in NETWORKS:
        training, _ = network_of(work, network)
        illegal, choices = first_choices(training, 2 if work.quick else _LOOKED_AT)
        low, high = wilson_interval(illegal, choices)
        rows.append({
            "network": network, "episodes": training.episodes, "sha256": training.sha256(), "choices": choices,
            "illegal_share": illegal / choices, "illegal_low": low, "illegal_high": high,
        })  # fmt: skip
    return rows


def network_runs(work: Runner) -> Rows:
    """Return games of untrained networks with several seeds against random play.

    Random play begins always, as in Fig. 5, or in every other game.  All counts are from the side of the network.
    """
    rows = []
    for seed in range(_SEEDS):
        training, file = network_of(work, UNTRAINED, seed)
        made, shared = {DQN: str(file), "random": "random"}, {"network": UNTRAINED, "seed": seed}
        shared |= {"episodes": training.episodes, "sha256": training.sha256()}
        kinds = [
            contests.contest(name, pair, made, seats, _RUN_GAMES, f"19/0/{seed}/{place}")
            for place, (name, (pair, seats)) in enumerate(SEATS.items())
        ]
        for one, result in contests.results_of(work, kinds):
            counts = result["counts"].sum(axis=0).tolist()[:: -1 if one.first == "random" else 1]
            row = shared | {"seats": one.part, "games": sum(counts)}
            rows.append(row | dict(zip(("wins", "draws", "losses"), counts, strict=True)) | contests.scored(counts))
    return rows


def network_means(work: Runner) -> Rows:
    """Return the means over networks of their scores and draws against random play, with prediction intervals.

    The prediction is for a network with another seed, in as many games as were printed.
    """
    rows, of = [], network_runs(work)
    for seats in SEATS:
        own = [row for row in of if row["seats"] == seats]
        row: Row = {"network": UNTRAINED, "seats": seats, "runs": len(own)}
        for name, values in (
            ("score", [one["score"] for one in own]),
            ("draws", [one["draws"] / one["games"] for one in own]),
        ):
            sample = RunSample(values)
            low, high = sample.mean_interval()
            begin, end = sample.prediction(sqrt(sample.mean * (1 - sample.mean) / _GAMES))
            row |= {
                name: sample.mean, f"{name} low": low, f"{name} high": high, f"{name} from": max(0.0, begin),
                f"{name} to": min(1.0, end), f"lowest {name}": sample.low, f"highest {name}": sample.high,
            }  # fmt: skip
        rows.append(row)
    return rows
