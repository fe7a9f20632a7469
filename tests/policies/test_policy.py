"""The border of the package: what is a policy, and what is refused in one line."""

import warnings

import numpy as np
import pytest

from conftest import random_policy
from ttt_fast import (
    Environment,
    Meter,
    Policy,
    PolicyError,
    TrainingConfig,
    UnlearnedSeatWarning,
    UsageError,
    as_player,
    as_policy,
    exact_fractions,
    exact_outcome,
    exploitability,
    load_policy,
    never_loses,
    save_policy,
    scorecard,
    table_from_functions,
    table_of,
)
from ttt_fast.evaluate.strength import strength
from ttt_fast.external.environment import GameBatch
from ttt_fast.play.tabular import join
from ttt_fast.policies.best_response import best_response, best_response_policy
from ttt_fast.training.opponents import opponents_of


@pytest.fixture
def uniform(table):
    counts = np.maximum(table.legal_action_mask.sum(axis=1), 1)
    return table.legal_action_mask / counts[:, None]


@pytest.fixture
def first_legal(table):
    return table.legal_action_mask.argmax(axis=1)


def refused(make, *words):
    with pytest.raises(PolicyError) as caught:
        make()
    message = str(caught.value)
    assert "\n" not in message and "expected" in message
    assert all(word in message for word in words), message


def test_probabilities_are_kept_as_a_read_only_copy(uniform, table):
    policy = Policy.from_probabilities(table, uniform, "mine")
    uniform[0] = 0
    assert policy.probabilities[0].sum() == pytest.approx(1)
    assert policy.probabilities.flags.c_contiguous and not policy.probabilities.flags.writeable
    assert (policy.name, policy.weights, policy.is_exact) == ("mine", None, False)


def test_a_shape_a_type_a_sum_and_a_sign_that_are_wrong(uniform, table):
    refused(lambda: Policy.from_probabilities(table, uniform[:-1], "p"), "'p'", "(5478, 9)", "(5477, 9)")
    refused(lambda: Policy.from_probabilities(table, uniform.T), "(9, 5478)")
    refused(lambda: Policy.from_probabilities(table, 0.5), "()")
    refused(lambda: Policy.from_probabilities(table, uniform.astype(str)), "float64", "<U")
    refused(lambda: Policy.from_probabilities(table, uniform.astype(complex)), "complex128")
    refused(lambda: Policy.from_probabilities(table, uniform * 0.5), "sum to 1", "0.5", "'.........'")
    for bad in (np.nan, np.inf, -np.inf):
        broken = uniform.copy()
        broken[7, 8] = bad
        refused(lambda broken=broken: Policy.from_probabilities(table, broken), "finite")
    broken = uniform.copy()
    broken[0, :2] = [-0.1, 0.1 + 2 / 9]
    refused(lambda: Policy.from_probabilities(table, broken), "negative", "-0.1", "action 0", "'.........'")


def test_arrays_of_edges_that_are_wrong(table):
    shares = Policy.uniform(table).edge_probabilities
    weights = np.ones(table.num_edges, np.int64)
    first = table.board(0)
    refused(lambda: Policy.from_probabilities(table, shares[:-1]), "(5478, 9)", "(16166,)")
    refused(lambda: Policy.from_probabilities(table, shares * 0.5), "sum to 1", "0.5", repr(first))
    refused(lambda: Policy.from_weights(table, weights * 0.5), "int64", "float64")
    for make, array in ((Policy.from_probabilities, shares), (Policy.from_weights, weights)):
        broken = array.copy()
        broken[10] = -1
        refused(
            lambda make=make, broken=broken: make(table, broken), "negative", "-1", "action 2", repr(table.board(1))
        )
    broken = shares.copy()
    broken[10] = np.nan
    refused(lambda: Policy.from_probabilities(table, broken), "finite")
    weights[:9] = 0
    refused(lambda: Policy.from_weights(table, weights), "a move", repr(first))


@pytest.mark.parametrize("state", [1, 5477])
def test_mass_on_an_illegal_action_is_refused(uniform, table, state):
    action = int((~table.legal_action_mask[state]).argmax())
    uniform[state] = 0
    uniform[state, action] = 1
    refused(lambda: Policy.from_probabilities(table, uniform), "illegal", f"action {action}", repr(table.board(state)))


def ways_of_rows(table):
    """Every way from rows of probabilities, (S, A), to a policy."""
    index, boards = {table.state(s): s for s in range(table.num_states)}, table.game.format_position
    moving = np.flatnonzero(table.decision_mask)
    return {
        "rows": lambda rows: Policy.from_probabilities(table, rows),
        "edges": lambda rows: Policy.from_probabilities(table, table.of_edges(rows)),
        "dictionary": lambda rows: Policy.from_dict(
            table, {boards(table.state(s)): {a: rows[s, a] for a in np.flatnonzero(rows[s])} for s in moving}
        ),
        "array": lambda rows: as_policy(rows, table),
        "rows of decisions": lambda rows: as_policy(rows[moving], table),
        "function": lambda rows: as_policy(lambda state: rows[index[state]], table),
        "player": lambda rows: Policy.from_probabilities(
            table,
            [
                as_player(lambda state: rows[index[state]], table.game).probabilities(table.state(s))
                if table.decision_mask[s] else np.zeros(9)
                for s in range(table.num_states)
            ],
        ),
    }  # fmt: skip


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=pytest.mark.slow if way in ("dictionary", "player") else ())
        for way in ways_of_rows(table_of("tic-tac-toe"))
    ],
)
def test_a_softmax_of_32_bits_is_a_policy_in_every_way(table, tmp_path, way):
    make = ways_of_rows(table)[way]
    logits = np.random.default_rng(1).normal(size=table.legal_action_mask.shape).astype(np.float32)
    raised = np.where(table.legal_action_mask, np.exp(logits), np.float32(0))
    rows = raised / np.maximum(raised.sum(axis=1, keepdims=True), np.float32(1e-30))
    assert rows.dtype == np.float32
    policy = make(rows)
    sums = rows.astype(np.float64).sum(axis=1, keepdims=True)
    wanted = rows / np.where(sums == 0, 1, sums)
    np.testing.assert_allclose(policy.probabilities, wanted, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(policy.probabilities, Policy.from_probabilities(table, rows).probabilities)
    save_policy(tmp_path / "p.npz", policy)
    assert load_policy(tmp_path / "p.npz", table) == policy  # to the last bit
    for factor, accepted in ((1 + 9e-5, True), (1 - 9e-5, True), (1 + 2e-4, False), (1 - 2e-4, False)):
        given = wanted.copy()
        given[0] *= factor
        if accepted:
            np.testing.assert_allclose(make(given).probabilities[0], wanted[0], rtol=0, atol=1e-15)
        else:
            with pytest.raises(PolicyError, match=r"expected probabilities that sum to 1.* at '\.{9}'"):
                make(given)


def test_a_policy_is_made_for_a_game_or_its_name_as_for_its_table(uniform, table):
    weights, first = table.legal_action_mask, table.legal_action_mask.argmax(axis=1)
    makers = [(Policy.from_probabilities, uniform), (Policy.from_weights, weights), (Policy.from_actions, first),
              (Policy.from_values, uniform)]  # fmt: skip
    for make, array in makers:
        assert make("tic-tac-toe", array) == make(table.game, array) == make(table, array)


def test_rows_of_64_bits_keep_their_bits(uniform, table):
    uniform[0, 0] += 5e-13
    assert Policy.from_probabilities(table, uniform).probabilities[0, 0] == uniform[0, 0]


def test_weights_that_are_wrong(table):
    legal = table.legal_action_mask
    refused(lambda: Policy.from_weights(table, legal * 0.5), "int64", "float64")
    refused(lambda: Policy.from_weights(table, -legal.astype(int)), "negative", "-1")
    refused(lambda: Policy.from_weights(table, legal[:, :8]), "(5478, 8)")
    nothing = legal.copy()
    nothing[3] = False
    refused(lambda: Policy.from_weights(table, nothing), "a move", repr(table.board(3)))
    refused(lambda: Policy.from_weights(table, np.ones((5478, 9), int)), "illegal")


def test_actions_that_are_wrong(table, first_legal):
    refused(lambda: Policy.from_actions(table, first_legal[:5]), "5478 integer actions", "(5,)")
    refused(lambda: Policy.from_actions(table, first_legal * 1.0), "float64")
    for bad in (-1, 9, 200):
        broken = first_legal.copy()
        broken[4] = bad
        refused(
            lambda broken=broken: Policy.from_actions(table, broken),
            "legal action of",
            f"got {bad}",
            repr(table.board(4)),
        )
    broken = first_legal.copy()
    broken[1] = 0  # taken by X
    refused(lambda: Policy.from_actions(table, broken), "legal action", "got 0", repr(table.board(1)))


def test_actions_of_terminal_states_are_ignored(table, first_legal):
    first_legal[~table.decision_mask] = -77
    assert not Policy.from_actions(table, first_legal).probabilities[~table.decision_mask].any()


@pytest.mark.parametrize(("seats", "expected"), [((1,), "x"), ((2,), "o"), ((1, 2), "xo"), ((), "")])
def test_the_seats_that_are_held(uniform, table, seats, expected):
    held = np.isin(table.player, seats)
    assert Policy.from_probabilities(table, uniform, held=held).seats_held() == expected


@pytest.mark.parametrize(("seats", "expected"), [("x", "xo"), ("o", "xo"), ("xo", "xo"), ("", "")])
def test_a_mixture_and_a_best_response_hold_what_their_parts_have_learned(table, tmp_path, seats, expected):
    played = as_policy("minimax").probabilities
    held = np.isin(table.player, [" xo".index(seat) for seat in seats])
    policy = Policy.from_probabilities(table, played, "mine", held=held)
    save_policy(tmp_path / "p.npz", policy)
    mixed = as_policy(f"mix:1/2*{tmp_path / 'p.npz'}+1/2*random")
    np.testing.assert_array_equal(mixed.held, held & table.decision_mask)
    response = best_response_policy(policy)
    assert response.seats_held() == "".join(seat for seat in "xo" if seat not in seats or seats == "xo") * bool(seats)
    assert "".join(sorted({*policy.seats_held(), *response.seats_held()}, reverse=True)) == expected


def test_actions_of_some_states_are_held_and_no_others(table):
    states = np.flatnonzero(table.player == 2).astype(np.int32)
    actions = table.legal_action_mask[states].argmax(axis=1)
    policy = Policy.from_actions(table, actions, states=states)
    assert np.array_equal(policy.greedy_actions()[states], actions) and policy.seats_held() == "o"
    assert np.array_equal(np.flatnonzero(policy.held), states)
    refused(lambda: Policy.from_actions(table, actions[1:], states=states), f"{states.size} integer actions")
    refused(lambda: Policy.from_actions(table, actions + 1, states=states), "legal action")


@pytest.mark.parametrize("seat", [1, 2])
def test_a_seat_that_was_not_learned_is_a_warning(table, seat):
    policy = Policy.from_actions(table, table.legal_action_mask.argmax(axis=1), "q", held=table.player == seat)
    as_x, as_o = ("q", "random"), ("random", "q")
    wrong, right = (as_o, as_x) if seat == 1 else (as_x, as_o)
    calls = [
        lambda pair: exact_outcome(*pair),
        lambda pair: exact_fractions(*pair),
        lambda pair: join(*map(as_policy, pair)),
        lambda pair: never_loses(policy, 1 + pair.index(policy)),
        lambda pair: best_response(policy, 2 - pair.index(policy)),
        lambda pair: strength(policy, as_policy("minimax"), 1 + pair.index(policy)),
        lambda pair: strength(as_policy("minimax"), policy, 2 - pair.index(policy)),
        lambda pair: Environment(seat=2 - pair.index(policy), opponent=policy),
        lambda pair: Meter(seat=2 - pair.index(policy), opponent=policy),
        lambda pair: GameBatch(seat=2 - pair.index(policy), opponent=policy),
        lambda pair: opponents_of(
            TrainingConfig(opponent=policy.signature, seat=2 - pair.index(policy)), {policy.signature: policy}
        ),
    ]
    letter = "OX"[seat - 1]
    for call in calls:
        call(tuple(policy if one == "q" else one for one in right))  # where a warning would be an error
        with pytest.warns(UnlearnedSeatWarning, match=f"policy 'q' has no moves for {letter}: expected"):
            call(tuple(policy if one == "q" else one for one in wrong))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UnlearnedSeatWarning)
        with pytest.raises(UsageError, match="has no moves"):
            exploitability(policy)


def test_a_seat_that_never_moves_needs_no_learning():
    policy = Policy.uniform(
        table_from_functions(
            0, legal_actions=lambda _: [0], play=lambda _, __: 1, result=lambda moves: moves or None, name="one-move"
        )
    )
    assert policy.seats_held() == "x" and exact_outcome(policy, policy).x_wins == 1


def test_held_states_are_decision_states_of_the_table(uniform, table):
    policy = Policy.from_probabilities(table, uniform, held=np.ones(5478, np.bool_))
    np.testing.assert_array_equal(policy.held, table.decision_mask)
    refused(lambda: Policy.from_probabilities(table, uniform, held=np.ones(7, np.bool_)), "5478", "(7,)")


@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize("exact", [True, False])
def test_a_joint_policy_has_the_rows_of_each_seat(agent, table, random_opening, exact):
    x = agent("minimax:tie=first") if exact else random_policy(1)
    o = agent("heuribot")
    both = join(x, o, random_opening=random_opening)
    assert both.is_exact == exact and both.name == f"{x.name} v {o.name}"
    x_rows, o_rows = table.player == 1, table.player == 2
    np.testing.assert_array_equal(both.probabilities[o_rows], o.probabilities[o_rows])
    np.testing.assert_array_equal(both.probabilities[x_rows][1:], x.probabilities[x_rows][1:])
    opening = np.full(9, 1 / 9) if random_opening else x.probabilities[0]
    np.testing.assert_array_equal(both.probabilities[0], opening)


@pytest.mark.parametrize("spec", ["tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"])
def test_two_games_cannot_be_mixed(table, spec):
    mine, other = Policy.uniform(table, "mine"), Policy.uniform(table_of(spec), "theirs")
    rivals = [as_policy("random"), as_policy("random", spec)]
    for x, o in ((mine, other), (other, mine), rivals):
        words = (
            "two policies for the same game",
            repr(x.name),
            repr(x.table.game.spec),
            repr(o.name),
            repr(o.table.game.spec),
        )
        refused(lambda x=x, o=o: join(x, o), *words)
        refused(lambda x=x, o=o: exact_outcome(x, o), *words)
        refused(lambda x=x, o=o: exact_fractions(x, o), *words)
        refused(lambda x=x, o=o: scorecard(x, [o]), "expected a policy for", x.table.game.spec, o.table.game.spec)
    if table_of(spec).num_edges != table.num_edges:
        refused(lambda: Policy.from_weights(table, other.edge_weights), "shape", "(5478, 9)")
