"""The player: options as strings, trees that are kept, what is said of each action."""

import numpy as np
import pytest

from small_evaluators import tuple_values
from ttt_fast import AgentError, as_player, parse_game
from ttt_fast.games import api
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.player import Analyst


def new_player(**options):
    player = MctsPlayer("mcts", MctsConfig(**options))
    player.begin(np.uint64(1))
    return player


def test_options_are_spelled_as_strings():
    game = parse_game("connect4")
    player = as_player("mcts:sims=50,c=0.7,formula=log-ratio,rollout=win-or-block,solver=yes,reuse=yes,memory=8", game)
    assert player.config == MctsConfig(50, 0, 0.7, "log-ratio", "win-or-block", "auto", True, True, 8)
    assert as_player("mcts", game).config == MctsConfig()
    best = as_player("mcts-best:sims=7,c=1", game).config
    assert best == MctsConfig(7, 0, 1.0, "ucb1", "win-or-block", "auto", True, True)


@pytest.mark.parametrize(
    "spec, line",
    [
        ("mcts:sims=0", "expected sims= an integer from 1 to 100000000 in 'mcts:sims=0', got '0'"),
        ("mcts:c=nan", "expected c= a number from 0 to 100 in 'mcts:c=nan', got 'nan'"),
        ("mcts-best:depth=3", "unknown option 'depth=3' in 'mcts-best:depth=3'; expected sims="),
        ("mcst", "unknown agent 'mcst' for connect4; did you mean mcts"),
    ],
)
def test_bad_options_give_one_line(spec, line):
    with pytest.raises(AgentError) as error:
        as_player(spec, parse_game("connect4"))
    assert str(error.value).startswith(line) and "\n" not in str(error.value)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", pytest.param("ultimate", marks=pytest.mark.slow)])
def test_a_game_depends_on_its_stream_alone(spec):
    """Whatever the object played before, and whatever stands in its memory."""

    def play(player, stream):
        state, moves = parse_game(spec).initial_state, []
        player.begin(np.uint64(stream))
        while api.status(state) == api.ONGOING:
            result = player.search(state)
            assert api.is_legal(state, result.action) and -1 <= result.value <= 1
            moves.append(result)
            state = api.play(state, result.action)
        return moves

    for options in ({}, {"solver": True, "reuse": True, "c": 0.5}):
        player = new_player(sims=150, **options)
        games = [play(player, stream) for stream in (1, 2)]
        assert play(player, 1) == games[0] == play(new_player(sims=150, **options), 1)
        assert games[0] != games[1]


def test_a_kept_tree_goes_on_from_its_own_root_and_is_bounded_in_memory():
    player, state = new_player(sims=100, reuse=True), parse_game("connect4").initial_state
    assert [(player.search(state), sum(player.visit_counts().values()))[1] for _ in range(2)] == [100, 200]
    for sims, least, most in ((100_000, 2**20 - 4000, 2**20 + 20_000), (100, 0, 60_000)):
        player = new_player(sims=sims, memory=1)
        assert player.search(state).nodes == sims  # a full tree is still searched
        assert least < player.memory_bytes < most
    player = MctsPlayer("mcts", MctsConfig(sims=50_000, memory=1, expand="all"), tuple_values("connect4").evaluator())
    assert player.search(state).nodes == 50_000
    assert sum(player.visit_counts().values()) == 50_006


def test_a_time_limit_ends_the_search():
    player, state = new_player(ms=30), parse_game("connect4").initial_state
    player.search(state)  # compiled
    result = player.search(state)
    assert result.nodes % 256 == 0 and 256 <= result.nodes < 2_000_000


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", pytest.param("ultimate", marks=pytest.mark.slow)])
def test_statistics_of_every_legal_action(spec):
    state, player = parse_game(spec).initial_state, new_player(sims=60)
    assert isinstance(player, Analyst)
    values, visits, found = player.action_values(state), player.visit_counts(), player.root_statistics()
    assert found.action.tolist() == list(visits) == api.legal_actions(state)
    assert found.visits.tolist() == list(visits.values()) and sum(visits.values()) == 60
    assert values == {a: v for a, v in zip(found.action.tolist(), found.value.tolist(), strict=True) if visits[a]}
    assert (np.isnan(found.value) == (found.visits == 0)).all() and (found.result == api.ONGOING).all()
    assert sorted(found.order[found.visits > 0]) == list(range(np.count_nonzero(found.visits)))
    player.begin(np.uint64(1))
    result = player.search(state)
    assert result.value == values[result.action] and visits[result.action] == max(visits.values())


def test_statistics_of_a_proved_position():
    """O must block at 2; all else is a proved loss."""
    player = new_player(sims=5000, solver=True)
    player.search(parse_game("tic-tac-toe").state_after("041"))
    found = player.root_statistics()
    for action, result, value in zip(found.action, found.result, found.value, strict=True):
        assert (result == api.ONGOING or value == -1.0) if action != 2 else result != api.X_WINS
