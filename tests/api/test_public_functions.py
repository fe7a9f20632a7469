"""The public functions as a user calls them: spellings of the command line, any agent, one line for a mistake."""

import numpy as np
import pytest

import ttt_fast
from ttt_fast import AgentError, BoardError, ContestConfig, TrainingConfig, UsageError
from ttt_fast.games import api

SMALL = "connect4:columns=3,rows=3,length=3"


def test_settings_are_spelled_as_on_the_command_line():
    spelled = TrainingConfig(opponent="minimax", seat="o", episodes="20k", seed="7", discount="0.9")
    assert spelled == TrainingConfig(opponent="minimax", seat=2, episodes=20_000, seed=7, discount=0.9)
    assert type(spelled.episodes) is type(spelled.seat) is int
    for wrong, words in {
        "episodes": ("many", "expected episodes to be a whole number"),
        "seat": ("z", "expected seat to be x, o or both, got 'z'"),
        "discount": ("half", "expected discount to be a number from 0 to 1, got 'half'"),
    }.items():
        with pytest.raises(UsageError, match=words[1]):
            TrainingConfig(**{wrong: words[0]})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: TrainingConfig(episode=5), "unknown setting 'episode' of training runs; did you mean episodes"),
        (lambda: ContestConfig(seeds=5), "unknown setting 'seeds' of ContestConfig; did you mean seed"),
        (lambda: ttt_fast.train(oponent="random"), "did you mean opponent"),
        (
            lambda: ttt_fast.train(TrainingConfig(), episodes=5),
            "since a run goes on as it was configured; got a configuration and episodes",
        ),
    ],
)
def test_an_unknown_keyword_suggests_near_ones(make, words):
    with pytest.raises(UsageError, match=words) as raised:
        make()
    assert "\n" not in str(raised.value)


def first(state):
    return api.legal_actions(state)[0]


def test_a_run_is_trained_from_settings_against_any_agent():
    table = ttt_fast.table_of(SMALL)
    actions = table.legal_action_mask.argmax(axis=1)
    runs = [
        ttt_fast.train(opponent=opponent, game=SMALL, episodes="2k", seat="o")
        for opponent in (first, actions, ttt_fast.as_policy(first, SMALL).renamed("mine"))
    ]
    assert len({run.sha256() for run in runs}) == 1 and runs[0].config.opponent.text.startswith("first#")
    assert ttt_fast.train(runs[0], first).sha256() == runs[0].sha256()
    with pytest.raises(AgentError, match="unknown agent 'nobody'"):
        ttt_fast.train(opponent="nobody", episodes=10)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate:tie=boards"])
def test_a_game_is_played_by_its_methods(spec):
    game = ttt_fast.parse_game(spec)
    state, seats = game.initial_state, []
    while game.status(state) is ttt_fast.Status.ONGOING:
        seats.append(game.player(state))
        assert game.observe(state).dtype == np.float32
        state = game.play(state, game.legal_actions(state)[0])
    assert seats[:2] == [ttt_fast.Seat.X, ttt_fast.Seat.O] and game.player(state) is None
    with pytest.raises(BoardError, match="no action after the end of the game"):
        game.play(state, 0)
    with pytest.raises(BoardError, match=r"expected an action of 0, 1, .* got 99"):
        game.play(game.initial_state, 99)


@pytest.mark.parametrize("seats", [(1, -1), (1, 2), ("x", "o")])
def test_the_player_of_a_game_of_functions_has_three_spellings(seats):
    """Who takes the last of four coins wins; one or two are taken, two of them by whoever moves first."""
    table = ttt_fast.table_from_functions(
        (4, 0),
        legal_actions=lambda state: range(1, min(2, state[0]) + 1),
        play=lambda state, taken: (state[0] - taken, 1 - state[1]),
        result=lambda state: None if state[0] else 1 if state[1] else -1,
        player=lambda state: seats[state[1]],
        name="coins",
    )
    assert int(ttt_fast.solution_of(table).value[0]) == 1
