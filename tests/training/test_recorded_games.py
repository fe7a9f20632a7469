"""Learning from recorded games: the positions of a plain replay, bits after a stop, files that have changed."""

import json
import random
import warnings

import numpy as np
import pytest
from training_checks import ALPHAZERO, DQN, bits, check_resumed

from cli_runner import assert_one_line, run as run_command
from ttt_fast import FileFormatError, TrainingConfig, TrainingRun, UsageError, parse_game, table_of, train
from ttt_fast.learners import Sweep, start_training
from ttt_fast.running.api import ThreadExecutor

TABLE = table_of("tic-tac-toe")
RUNS = {
    "alphazero": {**ALPHAZERO, "epochs": 2},
    "dqn": {**DQN, "epochs": 2, "replay": 2000},
}  # fmt: skip
GAMES = 30


def played(game, count, seed):
    """Random games: the actions of each, and the status code at its end."""
    generator, found = random.Random(seed), []
    for _ in range(count):
        state, actions = game.initial_state, []
        while not game.status(state):
            actions.append(generator.choice(game.legal_actions(state)))
            state = game.play(state, actions[-1])
        found.append((actions, game.status(state)))
    return found


def as_lines(game, games):
    return [game.format_moves(actions) for actions, _ in games]


@pytest.fixture(scope="module")
def games():
    return played(parse_game("tic-tac-toe"), GAMES, seed=1)


@pytest.fixture
def file(games, tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("\n".join(as_lines(parse_game("tic-tac-toe"), games)))
    return path


def transitions(games, opening=0):
    """The state, the action, the next state and the mover's result of each move after the opening."""
    found = []
    for actions, result in games:
        state = 0
        for ply, action in enumerate(actions):
            edges = range(*TABLE.edge_start[state : state + 2])
            child = int(TABLE.edge_child[next(edge for edge in edges if TABLE.edge_action[edge] == action)])
            mover = int(TABLE.player[state])
            if ply >= opening:
                found.append((state, action, child, 0 if result == 3 else 1 if result == mover else -1))
            state = child
    return sorted(found)


def state_of(run):
    """The arrays from which an unfinished run goes on."""
    assert not run.complete
    return run.values.state


def test_alphazero_learns_from_the_positions_of_the_games(games, file):
    config = TrainingConfig(**{**ALPHAZERO, "chunk_episodes": GAMES}, games=str(file), episodes=2 * GAMES)
    state = state_of(train(config, until=GAMES))
    count = int(state["counts"][0])
    states, policies, values = (state[name][0, :count] for name in ("states", "policies", "values"))
    legal = [TABLE.edge_action[slice(*TABLE.edge_start[one : one + 2])].tolist() for one in states]
    for row, actions in zip(policies, legal, strict=True):
        assert sorted(row[actions]) == [0] * (len(actions) - 1) + [1]
        assert (np.delete(row, actions) < 0).all()
    learned = zip(states.tolist(), policies.argmax(axis=1).tolist(), values.tolist(), strict=True)
    assert sorted(learned) == sorted((state, action, value) for state, action, _, value in transitions(games))


def test_dqn_learns_from_the_transitions_of_the_games(games, file):
    config = TrainingConfig(**DQN | {"replay": 2000}, games=str(file), episodes=GAMES + 1)
    words = state_of(train(config, until=GAMES - 10))["words"]
    assert np.count_nonzero(words) < len(transitions(games))
    run = train(TrainingConfig(**DQN | {"replay": 2000, "chunk_episodes": GAMES}, games=str(file), episodes=2 * GAMES),
                until=GAMES)  # fmt: skip
    words = state_of(run)["words"][: len(transitions(games))].tolist()
    found = sorted((word >> 36, word & 511, word >> 9 & (1 << 27) - 1) for word in words)
    assert found == [one[:3] for one in transitions(games)]


@pytest.mark.parametrize("name", RUNS)
def test_epochs_and_then_self_play(name, games, file, tmp_path):
    results = np.bincount([result for _, result in games], minlength=4)[[1, 3, 2]]
    run = train(**RUNS[name], games=str(file))
    assert run.config.episodes == 2 * GAMES and run.config.is_self_play
    assert run.counts.tolist() == (2 * results).tolist()
    assert run.config.as_dict()["games"].startswith(f"{file}@")
    longer = TrainingConfig(**RUNS[name], games=str(file), episodes=2 * GAMES + 25)  # the games end within a chunk
    check_resumed(longer, tmp_path / "run.npz")
    shuffled = train(longer.with_seed(6))
    assert shuffled.counts.sum() == longer.episodes and shuffled.sha256() != train(longer).sha256()


def test_what_is_learned_from(tmp_path):
    """Not: openings, games without a result.  A stated result counts if the moves do not end the game."""
    rows = [
        {"moves": "041", "result": "x"},
        {"moves": "0 4 4", "result": "x", "opening": 1},
        {"moves": "041"},
        {"moves": "04", "result": "o", "opening": 2},
        {"moves": "04182", "result": "o"},
        {"moves": "4", "start": "X...O....", "result": "draw"},
        {"moves": "8", "start": "X...O....", "result": "draw"},
    ]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows), "no game"]))
    settings = {**DQN, "chunk_episodes": 1, "games": str(path), "epochs": 1}
    with pytest.warns(UserWarning, match=r"4 games to learn from; left out: 3 without a result .* 1 malformed lines"):
        config = TrainingConfig(**settings)
    run = train(config)
    assert config.episodes == 4 and run.counts.tolist() == [3, 1, 0]
    words = state_of(train(config.replace(episodes=5), until=4))["words"]
    assert np.count_nonzero(words[: 3 + 1 + 5 + 1]) == 10 and not words[10:].any()


def test_a_file_is_known_by_its_content(games, file, tmp_path):
    settings = {**RUNS["alphazero"], "games": str(file)}
    kept = tmp_path / "run.npz"
    part = train(TrainingConfig(**settings), until=20, checkpoint=kept)
    text, finished = file.read_text(), train(part)
    file.write_text(f"\n{text}\n")
    with pytest.raises(UsageError, match=r"expected the recorded games of the run in .*, of sha256 .*, got "):
        train(TrainingRun.load(kept))
    with pytest.raises(UsageError, match=r"expected the settings of the run in .* where games is"):
        start_training({"games": str(file)}, resume=kept)
    other = tmp_path / "other.txt"
    other.write_text(text)
    file.write_text(text)
    moved = start_training({"games": str(other)}, resume=kept)  # the same content elsewhere
    assert bits(train(moved))[3:] == bits(finished)[3:]
    file.unlink()
    finished.save(kept)
    assert TrainingRun.load(kept).policy().table is TABLE  # learned values need no games
    with pytest.raises(FileFormatError, match="no such file"):
        train(part)


def test_a_sweep_refuses_games_that_have_changed(file, tmp_path):
    plan = Sweep(
        {**{name: value for name, value in RUNS["dqn"].items() if name != "seed"}, "games": str(file)}, {}, [0]
    )
    file.write_text("04182")
    with pytest.raises(UsageError, match="expected the recorded games of the run"):
        plan.run([0], tmp_path, ThreadExecutor(1))
    changed = Sweep(plan.settings | {"games": str(file)}, {}, [0])
    assert changed.names != plan.names
    moved = file.with_name("moved.txt")
    moved.write_bytes(file.read_bytes())
    assert Sweep(plan.settings | {"games": str(moved)}, {}, [0]).names == changed.names


@pytest.mark.parametrize(
    ("words", "code", "wanted"),
    [
        (["--algorithm", "dqn", "--games", "none.txt"], 1, "no such file"),
        (["--algorithm", "dqn", "--games", "."], 1, "is a directory"),
        (["--algorithm", "dqn", "--games", "bad.txt"], 1, "expected at least one game"),
        (["--algorithm", "alphazero", "--games", "open.txt"], 1, "expected games with a result and moves"),
        (["--algorithm", "dqn", "--epochs", "3"], 2, "expected --epochs with games, and only then"),
        (["--algorithm", "dqn", "--games", "good.txt", "--opponent", "random"], 2, "expected the opponent self"),
        (["--algorithm", "dqn", "--games", "good.txt", "--epochs", "5", "-n", "4"], 2, "expected at least 5 episodes"),
        (["--games", "good.txt"], 2, "that is a setting of dqn or alphazero"),
        (["--algorithm", "dqn", "--games", "good.exe"], 2, "expected a file of games that ends in"),
    ],
)
def test_bad_input(words, code, wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("bad.txt", "who knows"), ("open.txt", "041"), ("good.txt", "04182"), ("good.exe", "04183")):
        (tmp_path / name).write_text(text)
    assert_one_line(run_command("train", *words, "-o", "q.npz"), code, wanted)


@pytest.mark.slow
def test_a_game_without_a_table(tmp_path):
    game, path = parse_game("connect4"), tmp_path / "games.txt"
    games = played(game, 20, seed=2)
    path.write_text("\n".join(as_lines(game, games)))
    settings = {**RUNS["dqn"], "game": "connect4", "judges": "", "games": str(path), "epochs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config = TrainingConfig(**settings, episodes=30)
    check_resumed(config, tmp_path / "run.npz")
    units = state_of(train(config, until=20))["units"]
    moves = sorted(action for actions, _ in games for action in actions)
    assert sorted(units[: len(moves)].tolist()) == moves
