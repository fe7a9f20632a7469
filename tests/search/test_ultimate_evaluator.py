"""The evaluator of Ultimate's network: kept-up sums are fresh ones, values are those of the plain network."""

import numpy as np
import pytest
from ultimate_network_reference import PlainNetwork, boards_seen, pattern_numbers, slots

from ttt_fast import AgentError, FileFormatError, UsageError, as_player, parse_game
from ttt_fast.games import api
from ttt_fast.games.ultimate.rules import initial_state
from ttt_fast.values import evaluators
from ttt_fast.values.files import load
from ttt_fast.values.ultimate import network as net
from ttt_fast.values.ultimate.evaluator import ultimate_evaluator
from ttt_fast.values.ultimate.integers import network_of, quantised
from ultimate_run import save_network

STREAM = np.uint64(7)


@pytest.fixture(scope="module")
def parameters():
    generator, found = np.random.default_rng(1), np.zeros(net.NUM_PARAMETERS, np.float32)
    found[: net.EMBEDDING_SIZE] = generator.normal(0, 0.3, net.EMBEDDING_SIZE)
    found[net.EMBEDDING_SIZE :] = generator.normal(0, 0.1, 2 * net.LAYERS_SIZE)
    return found


@pytest.fixture(scope="module")
def network(parameters):
    return network_of(quantised(parameters))


def value_of(evaluator, level, state):
    value, stream = evaluators.position_value(evaluator, level, state, STREAM)
    assert stream == STREAM
    return value


@pytest.mark.parametrize("tie", [0, 1])
def test_sums_kept_up_are_fresh_ones_exactly(network, tie):
    """Along random walks up and down a tree: a walk goes on from any level, asks or does not, and comes back."""
    generator, kept, fresh = np.random.default_rng(tie), ultimate_evaluator(network), ultimate_evaluator(network)
    for _ in range(5):
        states = [initial_state(tie)]
        for _ in range(int(generator.integers(0, 12))):
            states[0] = api.play(states[0], int(api.random_action(states[0], np.uint64(generator.integers(0, 2**63)))))
        evaluators.init(kept, states[0])
        for _ in range(200):
            level = int(generator.integers(max(0, len(states) - 3), len(states)))
            del states[level + 1 :]
            action = int(generator.choice(api.legal_actions(states[level])))
            child = api.play(states[level], action)
            evaluators.update(kept, level, states[level], action, child)
            if api.status(child) == api.ONGOING:
                states.append(child)
                if generator.random() < 0.6:
                    evaluators.init(fresh, child)
                    assert value_of(kept, level + 1, child) == value_of(fresh, 0, child)


def test_values_are_those_of_the_plain_network(parameters, network):
    """Weights rounded to their scales move no value by more than 0.02."""
    generator, evaluator = np.random.default_rng(3), ultimate_evaluator(network)
    numbers, reference = (
        pattern_numbers(),
        PlainNetwork(parameters, net.NUM_PATTERNS, (net.EMBEDDING, net.HIDDEN, net.SECOND)),
    )
    differences = []
    for game in range(30):
        state = initial_state(game % 2)
        for _ in range(int(generator.integers(0, 40))):
            following = api.play(state, int(api.random_action(state, np.uint64(generator.integers(0, 2**63)))))
            state = following if api.status(following) == api.ONGOING else state
        evaluators.init(evaluator, state)
        seen = [numbers[name] for name in slots(boards_seen(state), state.target)]
        differences.append(abs(value_of(evaluator, 0, state) - reference.value(seen, state.target, state.tie)))
    assert max(differences) < 0.02


def test_a_network_survives_its_file(parameters, network, tmp_path):
    path = tmp_path / "one.npz"
    save_network(path, parameters, {"command": "none"})
    assert path.stat().st_size <= 512 * 1000
    assert all((one == other).all() for one, other in zip(load(path).values.network, network, strict=True))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileFormatError, match="damaged, truncated or of another kind"):
        load(path)


@pytest.mark.parametrize("number", [np.nan, np.inf, 1000.0])
def test_parameters_that_do_not_fit_are_refused(parameters, number):
    changed = parameters.copy()
    changed[5] = number
    with pytest.raises(UsageError, match="expected parameters that fit into 16 bits, got embedding of"):
        quantised(changed)


def test_sums_that_float32_would_round_are_refused(parameters):
    changed = parameters.copy()
    changed[: net.EMBEDDING_SIZE] = 100
    with pytest.raises(ValueError, match="a sum of weights is too large for integers"):
        network_of(quantised(changed))


@pytest.mark.slow
def test_both_searches_play_with_a_file(parameters, tmp_path):
    path = tmp_path / "one.npz"
    save_network(path, parameters, {})
    game = parse_game("ultimate:tie=boards")
    assert as_player(f"mcts-best:leaf={path}", game).config.c == 0.12 != as_player("mcts-best", game).config.c == 0.5
    with pytest.raises(AgentError, match="expected tie=first, last or uniform with a file"):
        as_player(f"alphabeta:tie=published,eval={path}", game)
    for agent in (f"mcts:leaf={path},sims=50", f"alphabeta:eval={path},depth=3"):
        player = as_player(agent, game)
        player.begin(STREAM)
        result = player.search(game.initial_state)
        assert api.is_legal(game.initial_state, result.action) and abs(result.value) <= 1
    for other in ("connect4", "ultimate:closed=stay"):
        with pytest.raises(AgentError, match=r"expected an evaluator for .*, got .*, which was trained on ultimate"):
            as_player(f"mcts:leaf={path}", parse_game(other))
