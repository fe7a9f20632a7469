"""Batches of games: the rules, the rewards and the replies, against plain walks and exact chances."""

from functools import cache

import numpy as np
import pytest

import custom_games
from induced_reference import outcome, random_rows
from ttt_fast import UsageError, as_policy, exact_outcome, parse_game, table_from_functions
from ttt_fast.external.environment import GameBatch
from ttt_fast.games import api, registry

GAMES = ("tic-tac-toe", "tic-tac-toe:misere=yes", "connect4")


def first_legal(batch):
    return batch.legal_action_mask.argmax(axis=1)


def successors(state, seat):
    """Every state that one reply can lead to, by what the learner is told of it."""
    if api.status(state) != api.ONGOING or api.player(state) == seat:
        return [state]
    return [api.play(state, action) for action in api.legal_actions(state)]


def told(state):
    mask = api.legal_action_mask(state) | (api.status(state) != api.ONGOING)  # all actions after the end
    return api.observe(state).astype(np.uint8).tobytes(), mask.tobytes()


@pytest.mark.parametrize("spec", [*GAMES, pytest.param("ultimate", marks=pytest.mark.slow)])
def test_each_step_is_a_move_and_one_of_the_replies(spec):
    game, batch = parse_game(spec), GameBatch(spec, "both", "random", num_games=4)
    batch.reset(5)
    states, ended = [None] * 4, [True] * 4
    generator, episodes = np.random.default_rng(1), 0
    for _ in range(60):
        for b in range(4):
            seat = int(batch.seats[b])
            begun = successors(game.initial_state, seat) if ended[b] else successors(states[b], seat)
            seen = batch.observation[b].tobytes(), batch.legal_action_mask[b].tobytes()
            found = [s for s in begun if told(s) == seen]
            assert found, (spec, b)
            states[b], status = found[0], api.status(found[0])
            rewards = {api.X_WINS: (1.0, -1.0), api.O_WINS: (-1.0, 1.0)}.get(status, (0.0, 0.0))
            assert batch.reward[b] == rewards[seat - 1]
            assert batch.is_over[b] == (status != api.ONGOING)
        actions = [int(generator.choice(np.flatnonzero(m))) if m.any() else 0 for m in batch.legal_action_mask]
        ended = batch.is_over.tolist()
        episodes += sum(ended)
        states = [s if over else api.play(s, a) for s, a, over in zip(states, actions, ended, strict=True)]
        batch.step(np.array(actions))
    assert episodes > 0


@cache
def by_observation(agent):
    """The actions of an agent of tic-tac-toe, by what a player sees."""
    policy = as_policy(agent)
    return {
        told(policy.table.state(int(s)))[0]: int(np.argmax(policy.probabilities[s]))
        for s in np.flatnonzero(policy.table.decision_mask)
    }


@pytest.mark.parametrize("opponent", ["random", "default", "minimax"])
@pytest.mark.parametrize(("seat", "code"), [("x", 0), ("o", 1)])
def test_the_rewards_have_the_exact_chances(opponent, seat, code):
    games = 4000
    mine, other = as_policy("minimax:tie=first"), as_policy(opponent)
    batch = GameBatch("tic-tac-toe", seat, opponent, games)
    by_view, total, open_games = by_observation("minimax:tie=first"), np.zeros(games), np.ones(games, bool)
    batch.reset(3)
    while open_games.any():
        views, inverse = np.unique(batch.observation.reshape(games, -1), axis=0, return_inverse=True)
        batch.step(np.array([by_view.get(v.tobytes(), 0) for v in views])[inverse.ravel()])
        total[open_games] = batch.reward[open_games]
        open_games &= ~batch.is_over
    exact = exact_outcome(*((mine, other) if code == 0 else (other, mine)))
    chances = (exact.x_wins, exact.draws, exact.o_wins)
    for reward, chance in zip((1, 0, -1) if code == 0 else (-1, 0, 1), chances, strict=True):
        deviation = np.sqrt(max(chance * (1 - chance), 1e-12) / games)
        assert abs((total == reward).mean() - chance) < 5 * deviation + 1e-9


@pytest.fixture
def again():
    """A game in which a player may move twice."""
    initial, *functions, player = custom_games.AGAIN
    table_from_functions(initial, *functions, player=player, name="again")
    yield "again"
    registry.OTHERS.clear()


@pytest.mark.parametrize("seat", ["x", "o", "both"])
def test_replies_go_on_while_the_opponent_is_to_move(again, seat):
    games, generator = 20_000, np.random.default_rng(7)
    batch = GameBatch(again, seat, "random", games)
    batch.reset(3)
    total, open_games = batch.reward.copy(), ~batch.is_over  # X can end a game before O has moved
    while open_games.any():
        assert batch.legal_action_mask[~batch.is_over].any(axis=1).all()
        batch.step((generator.random(batch.legal_action_mask.shape) * batch.legal_action_mask).argmax(axis=1))
        total[open_games] = batch.reward[open_games]
        open_games &= ~batch.is_over
    random = random_rows(custom_games.AGAIN)
    chances = [float(one) for one in outcome(custom_games.AGAIN, random, random)]
    signs = np.where(batch.seats == 1, 1, -1)
    for result, chance in zip((1, 0, -1), chances, strict=True):
        assert abs((total * signs == result).mean() - chance) < 5 * np.sqrt(chance * (1 - chance) / games)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4"])
def test_games_that_are_over_begin_anew_and_the_others_stay(spec):
    batch, generator, ended = GameBatch(spec, "both", "random", 100), np.random.default_rng(3), 0
    batch.reset(2)
    for _ in range(40):
        batch.step(np.where(generator.random(100) < 0.1, -1, first_legal(batch)))
        over, before, mask = batch.is_over.copy(), batch.observation.copy(), batch.legal_action_mask.copy()
        batch.begin()
        assert not batch.is_over.any() and not batch.reward.any()
        assert (batch.observation[~over] == before[~over]).all() and (
            batch.legal_action_mask[~over] == mask[~over]
        ).all()
        assert (batch.observation[over].sum(axis=(1, 2, 3)) == batch.seats[over] - 1).all()
        ended += over.sum()
    assert ended > 200


def test_an_illegal_action_loses_and_the_next_step_begins_anew():
    for spec in GAMES:
        batch = GameBatch(spec, "x", "random", 67)
        batch.reset(1)
        batch.step(first_legal(batch))
        before, actions = batch.observation.copy(), first_legal(batch)
        taken = batch.legal_action_mask.argmin(axis=1)
        actions[:3] = -1, batch.num_actions, taken[2]  # a full column, or a taken cell
        is_wrong = np.arange(67) < (3 if spec != "connect4" else 2)
        batch.step(actions)
        assert (batch.is_over & (batch.reward == -1))[is_wrong].all() and batch.is_over.sum() < 60
        assert (batch.observation[is_wrong] == before[is_wrong]).all()
        batch.step(first_legal(batch))
        assert not batch.is_over[is_wrong].any() and (batch.observation[is_wrong] == 0)[:, :2].all()


def test_equal_seeds_give_equal_games():
    for spec in GAMES:
        runs = []
        for seed in (1, 1, 2):
            batch, seen = GameBatch(spec, "o", "random", 50), []
            batch.reset(seed)
            for _ in range(4):
                batch.step(first_legal(batch))
                seen.append(batch.observation.copy())
            runs.append(np.array(seen))
        assert (runs[0] == runs[1]).all() and (runs[0] != runs[2]).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_games": 0}, "expected num_games to be at least 1, got 0"),
        ({"opponent": "self"}, "expected an opponent other than 'self', got 'self'"),
        (
            {"game": "connect4", "opponent": "default"},
            "expected the opponent 'random' in connect4, got 'default': a batch knows no other one",
        ),
        ({"seat": "z"}, "expected seat to be x, o or both, got 'z'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message):
    with pytest.raises(UsageError, match=message):
        GameBatch(**arguments)


@pytest.mark.parametrize("actions", [[0.5], [0, 1], 3, [True]])
def test_actions_are_whole_numbers_one_a_game(actions):
    batch = GameBatch()
    batch.reset(0)
    with pytest.raises(UsageError, match=r"expected \(1,\) whole numbers as actions"):
        batch.step(actions)
