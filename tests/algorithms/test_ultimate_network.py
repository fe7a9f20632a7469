"""Patterns, gradients and labels of the network of Ultimate against its plain form, and a small run."""

from dataclasses import replace

import numpy as np
import pytest
from ultimate_network_reference import PlainNetwork, boards_seen, pattern_numbers, slots

import learn_ultimate
from conftest import random_states
from ttt_fast import FileFormatError, as_player, parse_game
from ttt_fast.algorithms.td.ultimate import fit
from ttt_fast.algorithms.td.ultimate.fit import Labels
from ttt_fast.core.archive import read_meta
from ttt_fast.games.tic_tac_toe import SQUARE_SYMMETRIES
from ttt_fast.games.ultimate import initial_state
from ttt_fast.values import ultimate_network as net
from ultimate_label_files import LabelSettings, load_labels, make_chunk
from ultimate_run import FitSettings, Generation, learn_evaluation

NUMBERS = pattern_numbers()
SIZES = net.EMBEDDING, net.HIDDEN, net.SECOND


STARTS = initial_state(0), initial_state(1)


def labels_of(states, seed=0):
    generator, patterns = np.random.default_rng(seed), np.zeros(10 * len(states), np.uint16)
    for place, state in enumerate(states):
        fill_patterns(state, net.pattern_tables(), patterns, 10 * place)
    values, results = generator.uniform(-1, 1, (2, len(states))).astype(np.float32)
    return Labels(patterns, values, np.rint(results))


def fill_patterns(state, tables, out, first):
    net.fill_patterns(state, tables, out, np.int64(first))


def plain(parameters):
    return PlainNetwork(parameters, net.NUM_PATTERNS, SIZES)


def numbers_seen(state):
    return [NUMBERS[name] for name in slots(boards_seen(state), state.target)]


def test_patterns_are_those_of_the_plain_network():
    assert len(NUMBERS) == net.NUM_PATTERNS
    for state in random_states(STARTS, 60, seed=1, most=60):
        seen = np.zeros(10, np.uint16)
        fill_patterns(state, net.pattern_tables(), seen, 0)
        assert seen[:9].tolist() == numbers_seen(state)[:9]
        assert seen[9] == state.target + 10 * state.tie


def random_parameters(seed):
    """Parameters under which most units are neither cut at 0 nor at 1."""
    parameters = fit.initial_parameters(seed)
    parameters[net.EMBEDDING_SIZE :] += np.random.default_rng(seed).normal(0, 0.02, 2 * net.LAYERS_SIZE)
    return parameters.astype(np.float32)


def mean_loss(parameters, labels, picked, share):
    """The mean squared error of picked positions under the identity, float64."""
    reference, total = plain(parameters), 0.0
    for position in picked:
        seen = labels.patterns[10 * position : 10 * position + 10].astype(int)
        target, ending = seen[9] % 10, seen[9] // 10
        numbers = [*seen[:9], net.FREE_MOVE if target == 9 else seen[target]]
        goal = share * labels.results[position] + (1 - share) * labels.values[position]
        total += (reference.value(numbers, target, ending) - goal) ** 2
    return total / len(picked)


def test_gradients_are_central_differences():
    """Of parameters of every kind, where no unit is within the step of a kink."""
    labels, parameters = labels_of(random_states(STARTS, 8, seed=4, most=60), seed=4), random_parameters(4)
    work = fit.make_fit_scratch()
    image, goals = net.pattern_tables().image, 0.25 * labels.results + 0.75 * labels.values
    fit.transpose_layers(parameters, work.first_transposed, work.second_transposed)
    for position, goal in enumerate(goals.tolist()):
        fit.add_sample(parameters, labels.patterns, position, 0, image, SQUARE_SYMMETRIES, goal, 8, work)
    used = np.flatnonzero(np.abs(work.gradient) > 1e-4)
    layers = used[used >= net.EMBEDDING_SIZE]
    chosen = np.random.default_rng(4).choice(used, 60)
    late = (layers - net.EMBEDDING_SIZE) % net.LAYERS_SIZE >= net.SECOND_AT
    wide, step = parameters.astype(np.float64), 1e-5
    for place in [*chosen, *np.random.default_rng(5).choice(layers[late], 40)]:
        sides = []
        for sign in (1, -1):
            moved = wide.copy()
            moved[place] += sign * step
            sides.append(mean_loss(moved, labels, range(8), 0.25))
        assert work.gradient[place] == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=2e-3, abs=2e-6), place


def test_labels_are_told_for_the_player_to_move():
    settings = LabelSettings(games=3, simulations=60)
    for chunk in (0, 1):
        labels = make_chunk(settings, None, chunk)
        again = make_chunk(settings, None, chunk)
        assert all((one == other).all() for one, other in zip(labels, again, strict=True))
        assert (labels.patterns[9::10] // 10 == chunk).all()
        assert set(labels.results) <= {-1, 0, 1} and (np.abs(labels.values) <= 1).all()
        decided = np.abs(labels.values) == 1  # proved
        assert decided.any() and (labels.values == labels.results)[decided].mean() > 0.7


QUICK = FitSettings(steps=40, minibatch=16, warm_up=5)
SMALL = (
    Generation(LabelSettings(chunks=2, games=2, simulations=30), QUICK),
    Generation(LabelSettings(chunks=1, games=1, simulations=30), QUICK),
)


GOLDEN = "440af653f2d74d036bb9ee8428568f1dc575829e4a440b15c81d02c3c6fb62ea"
"""The hash of the last network of `SMALL` with seed 5, on AVX2 as on AVX-512."""


def test_a_run_goes_on_where_it_stopped(tmp_path):
    lines = []
    whole = learn_evaluation(tmp_path / "whole", SMALL, 5, 1, lines.append)
    assert any("generation 1, chunk 1 of 1" in line for line in lines)

    class StoppedError(Exception):
        pass

    def stop(line):
        if "generation 1" in line:
            raise StoppedError

    with pytest.raises(StoppedError):
        learn_evaluation(tmp_path / "parts", SMALL, 5, 2, stop)
    again = learn_evaluation(tmp_path / "parts", SMALL, 5, 2, lines.append)
    assert whole.read_bytes() == again.read_bytes() and whole.name == "network-1.npz"
    assert read_meta(whole)["sha256"] == GOLDEN
    other = (SMALL[0], replace(SMALL[1], fit=replace(QUICK, steps=41)))
    with pytest.raises(FileFormatError, match=r"expected parameters of .*41.*, got those of"):
        learn_evaluation(tmp_path / "parts", other, 5, 1, lines.append)
    with pytest.raises(FileFormatError, match="expected labels made with"):
        learn_evaluation(tmp_path / "parts", SMALL, 6, 1, lines.append)
    assert load_labels(tmp_path / "whole", replace(SMALL[0].labels, seed=5)).values.size > 100


def test_the_command_makes_the_file_that_the_agent_plays_by(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(learn_ultimate, "RECIPE", SMALL)
    output = tmp_path / "mine.npz"
    words = [str(tmp_path / "run"), "-o", str(output), "--threads", "1", "--seed", "5"]
    assert learn_ultimate.main(words) == 0
    meta = read_meta(output)
    assert meta["games"] == ["ultimate", "ultimate:tie=boards"] and "learn_ultimate.py" in meta["command"]
    assert len(meta["generations"]) == 2 and len(meta["sha256"]) == 64
    assert as_player(meta["search"] + f",sims=9,leaf={output}", parse_game("ultimate")).name.startswith("mcts")
    monkeypatch.setattr(learn_ultimate, "RECIPE", SMALL[::-1])
    assert learn_ultimate.main(words) == 1
    assert "expected labels made with" in capsys.readouterr().err
