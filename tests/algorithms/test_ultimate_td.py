"""TD(lambda) over the network of Ultimate: games and steps beside plain ones, runs, files, players and bad input."""

import os

import numpy as np
import pytest
from learn_reference import words
from training_checks import bits, config_of, whole
from ultimate_network_reference import PlainNetwork, boards_seen, pattern_numbers, slots, symmetry_images, transformed

import ship_ultimate
from cli_runner import run as run_command
from ttt_fast import AgentError, TrainingConfig, TrainingRun, as_player, parse_game, train
from ttt_fast.agents import shipped
from ttt_fast.agents.shipped import WEIGHTS
from ttt_fast.algorithms.networks.optimizers import optimizer
from ttt_fast.algorithms.td.kernels import TdRule
from ttt_fast.algorithms.td.ultimate import fit
from ttt_fast.algorithms.td.ultimate.fit import make_labels
from ttt_fast.algorithms.td.ultimate.self_play import play_games
from ttt_fast.core.archive import read_meta
from ttt_fast.files import save_archive
from ttt_fast.games import api
from ttt_fast.games.tic_tac_toe import SQUARE_SYMMETRIES
from ttt_fast.games.ultimate.rules import initial_state
from ttt_fast.learners import start_training
from ttt_fast.values import evaluators
from ttt_fast.values.choice import TIES
from ttt_fast.values.files import load
from ttt_fast.values.ultimate import network as net
from ttt_fast.values.ultimate.evaluator import ultimate_evaluator
from ttt_fast.values.ultimate.integers import network_of, quantised

pytestmark = pytest.mark.slow
ENDINGS = ("ultimate", "ultimate:tie=boards")
NUMBERS = pattern_numbers()


def random_network(seed):
    parameters = fit.initial_parameters(seed)
    parameters[net.EMBEDDING_SIZE :] += np.random.default_rng(seed).normal(0, 0.05, 2 * net.LAYERS_SIZE)
    return parameters.astype(np.float32)


# --- Games and steps.


def plain_games(network, tie_rule, ending, max_opening, trace_decay, epsilons, stream):
    """Positions with values and targets, results, and games lost by the last move: fresh sums and plain loops."""
    evaluator, drawn, found, results, upsets = ultimate_evaluator(network), words(stream), [], [0, 0, 0], 0

    def value_of(state, status, seat):
        if status != api.ONGOING:
            return {seat: 1.0, api.DRAW: 0.0}.get(status, -1.0)
        evaluators.init(evaluator, state)
        return evaluators.position_value(evaluator, 0, state, np.uint64(0))[0]

    for epsilon in epsilons:
        opening = (next(drawn) >> 24) * (max_opening + 1) >> 40 if max_opening else 0
        state, game = initial_state(ending), []
        while api.status(state) == api.ONGOING:
            word, actions = next(drawn), api.legal_actions(state)
            is_drawn = len(game) < opening or word % 2**24 < round(epsilon * 2**24)
            if tie_rule == "last":
                actions = actions[::-1]
            if is_drawn:
                action = actions[(word >> 24) * len(actions) >> 40]
            else:
                following = [api.play(state, each) for each in actions]
                scores = [-value_of(each, api.status(each), api.player(each)) for each in following]
                equal = [each for each, score in zip(actions, scores, strict=True) if score == max(scores)]
                action = equal[(word >> 24) * len(equal) >> 40] if tie_rule == "random" else equal[0]
            game.append((state, value_of(state, api.ONGOING, 0), is_drawn))
            state = api.play(state, action)
        status = api.status(state)
        results[{api.X_WINS: 0, api.DRAW: 1, api.O_WINS: 2}[status]] += 1
        last = target = value_of(state, status, api.player(state))
        upsets += last == 1
        targets = []
        for _, value, is_drawn in reversed(game):
            target = value if is_drawn else -((1 - trace_decay) * last + trace_decay * target)
            targets.append(target)
            last = value
        found += [
            (each, value, goal)
            for (each, value, is_drawn), goal in zip(game, reversed(targets), strict=True)
            if not is_drawn
        ]
    return found, results, upsets


@pytest.mark.parametrize(
    ("ending", "tie", "opening", "trace_decay", "epsilons"),
    [
        (0, "first", 0, 0.8, np.linspace(0.5, 0, 6)),
        (1, "random", 6, 1.0, np.linspace(0.5, 0, 6)),
        (1, "last", 3, 0.0, np.linspace(0.5, 0, 6)),
        (1, "first", 0, 1.0, np.full(50, 0.9)),  # nearly random games, some of which their last move loses
    ],
)
def test_games_and_targets_are_the_plain_ones(ending, tie, opening, trace_decay, epsilons):
    network, stream = network_of(quantised(random_network(2))), 2**63 + 11 if len(epsilons) == 6 else 5
    labels, counts = make_labels(81 * len(epsilons)), np.zeros(3, np.int64)
    count = play_games(
        ultimate_evaluator(network), initial_state(ending), TdRule(TIES[tie], opening, trace_decay), epsilons,
        np.uint64(stream), net.pattern_tables(), labels, counts,
    )  # fmt: skip
    positions, results, upsets = plain_games(network, tie, ending, opening, trace_decay, epsilons, stream)
    assert count == len(positions) > 100 and counts.tolist() == results
    assert upsets > 0 or len(epsilons) == 6
    seen = [slots(boards_seen(state), state.target) for state, _, _ in positions]
    patterns = labels.patterns.reshape(-1, 10)[:count]
    assert patterns[:, :9].tolist() == [[NUMBERS[name] for name in names[:9]] for names in seen]
    assert patterns[:, 9].tolist() == [state.target + 10 * ending for state, _, _ in positions]
    assert labels.values[:count].tolist() == [np.float32(value) for _, value, _ in positions]
    assert labels.results[:count].tolist() == [np.float32(goal) for _, _, goal in positions]


def test_a_step_follows_the_gradient_of_the_plain_network():
    """A step of SGD is the mean gradient in float64, of parameters of every kind, by central differences."""
    parameters, labels, counts = random_network(4), make_labels(81), np.zeros(3, np.int64)
    network, stream = network_of(quantised(parameters)), np.uint64(77)
    rule = TdRule(TIES["first"], 0, 0.7)
    games = ultimate_evaluator(network), initial_state(1), rule, np.full(1, 0.2), np.uint64(3)
    count = play_games(*games, net.pattern_tables(), labels, counts)
    positions, _, _ = plain_games(network, "first", 1, 0, 0.7, [0.2], 3)
    drawn, seen = words(int(stream)), []
    for state, _, goal in positions:
        boards, target = transformed(boards_seen(state), state.target, symmetry_images()[next(drawn) & 7])
        seen.append(([NUMBERS[name] for name in slots(boards, target)], target, goal))

    def loss(wide):
        plain = PlainNetwork(wide, net.NUM_PATTERNS, (net.EMBEDDING, net.HIDDEN, net.SECOND))
        return np.mean([(plain.value(numbers, target, 1) - goal) ** 2 for numbers, target, goal in seen])

    learned, work = parameters.copy(), fit.make_fit_scratch()
    fit.learn_positions(
        learned, labels, count, net.pattern_tables().image, SQUARE_SYMMETRIES, optimizer("sgd"), 1.0, stream, work
    )
    assert not work.gradient.any()
    moved = parameters.astype(np.float64) - learned
    used = np.flatnonzero(np.abs(moved) > 3e-4)
    late = used[(used - net.EMBEDDING_SIZE) % net.LAYERS_SIZE >= net.SECOND_AT]
    generator, step = np.random.default_rng(4), 1e-5
    for place in [*generator.choice(used, 40), *generator.choice(late, 20)]:
        sides = []
        for sign in (1, -1):
            wide = parameters.astype(np.float64)
            wide[place] += sign * step
            sides.append(loss(wide))
        assert moved[place] == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=5e-3, abs=5e-6), place


# --- Runs.


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_no_bit(monkeypatch, threads):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(threads)))
    assert bits(train(config_of("ultimate"))) == bits(whole("ultimate"))


def test_a_run_starts_from_the_network_of_a_file(tmp_path):
    known = WEIGHTS / "ultimate-td.npz"
    for source in ("learned", str(known)):
        run = start_training(config_of("ultimate", start_from=source))
        assert (run.values.network == load(known).values.network).all()
    path = tmp_path / "first.npz"
    whole("ultimate").save(path)
    run = start_training(config_of("ultimate", start_from=str(path)))
    assert run.values.start_sha256 == run.sha256() == whole("ultimate").sha256()
    done = train(run, checkpoint=tmp_path / "second.npz")
    path.unlink()  # what a run has begun with is in its own file
    again = TrainingRun.load(tmp_path / "second.npz")
    assert again.values.start_sha256 == whole("ultimate").sha256() != again.sha256() == done.sha256()


def test_a_run_learns():
    """From nothing: after 8,000 games it wins most of 200 against random moves."""
    changes = {"episodes": 8192, "chunk_episodes": 256, "step_size": "0.002", "trace_decay": 1.0, "epsilon": 0.1}
    assert train(config_of("ultimate", **changes, evaluations=1, judges="random")).history[-1, 1] > 0.75


# --- Files, players, leaves.


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    for number, name in enumerate(("ultimate", "ultimate, boards")):
        whole(name).save(folder / f"{number}.npz")
    start_training(config_of("ultimate")).save(folder / "half.npz")  # a checkpoint is a player, too
    return folder


@pytest.mark.parametrize("name", ["0", "1", "half"])
def test_a_file_is_a_player_of_one_ply(stored, name):
    path, game = str(stored / f"{name}.npz"), parse_game(ENDINGS[name == "1"])
    player, evaluator, state = as_player(path, game), TrainingRun.load(path).values.evaluator(), game.initial_state
    player.begin(np.uint64(3))
    for _ in range(20):
        result, known = player.search(state), player.action_values(state)
        assert sorted(known) == api.legal_actions(state) and result.nodes == len(known)
        assert result.value == max(known.values()) == known[result.action]
        for action, value in known.items():
            child = api.play(state, action)
            if api.status(child) == api.ONGOING:
                evaluators.init(evaluator, child)
                assert value == -evaluators.position_value(evaluator, 0, child, np.uint64(1))[0]
        state = api.play(state, result.action)


def test_the_file_of_a_run_becomes_one_that_ships(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "WEIGHTS", tmp_path)
    for number, name in enumerate(("b", "c")):
        ship_ultimate.main([str(stored / f"{number}.npz"), "-o", str(tmp_path / f"{name}.npz")])
    both = read_meta(stored / "0.npz") | {"games": list(ENDINGS)}
    save_archive(tmp_path / "a.npz", "q_table", {}, both)
    for game, name, kind in zip(ENDINGS, ("b", "c"), ("ultimate", "ultimate, boards"), strict=True):
        run, begun = whole(kind), start_training({"algorithm": "td", "game": game, "start_from": "learned"})
        assert begun.values.start_sha256 == run.sha256()  # one of this game alone comes before the one of both
        meta = read_meta(tmp_path / f"{name}.npz")
        assert meta["sha256"] == run.sha256() and f"--game {game} " in meta["command"]
        assert f"-n 96 --seed {run.config.seed} --step-size linear:0.003,0.001" in meta["command"]
        assert as_player("learned:sims=5", parse_game(game)).name == "learned:sims=5"


def test_other_files_are_nothing_to_start_from(stored, tmp_path):
    other = tmp_path / "q.npz"
    train(TrainingConfig("self", episodes=10)).save(other)
    with pytest.raises(
        AgentError, match=r"expected values of the form 'ultimate-network' to start from, got .*, a file of 'edges'"
    ):
        start_training(config_of("ultimate", start_from=str(other)))
    with pytest.raises(AgentError, match=r"expected an evaluator for ultimate, got .* trained on ultimate:tie=boards$"):
        start_training(config_of("ultimate", start_from=str(stored / "1.npz")))


def test_the_command(tmp_path):
    path = tmp_path / "u.npz"
    command = ["train", "--game", "ultimate", "--algorithm", "td", "--start-from", "learned", "-n", "40"]
    ran = run_command(*command, "--judges", "random", "--evaluations", "0", "-o", str(path), "--format", "json")
    assert ran.code == 0 and TrainingRun.load(path).episodes == 40
    assert run_command("train", "--resume", str(path), "--judges", "random").code == 0
    ran = run_command("train", "--resume", str(path), "--start-from", str(path))
    assert ran.code == 2 and "--start-from is 'learned'" in ran.err and len(ran.err.strip().splitlines()) == 1
