"""The exact measures of a learning curve, beside the public functions, on tables of random values."""

import numpy as np
import pytest
from training_checks import TABLE

from ttt_fast import Policy, TrainingConfig, agreement, as_policy, exact_outcome, solution_of, table_of, train
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast.learners import Measures, make_measures
from ttt_fast.policies.best_response import best_response
from ttt_fast.training.opponents import opponents_of

NUM_EDGES = int(TABLE.legal_action_mask.sum())
CONFIG = TrainingConfig(judges="minimax,heuribot", discount=0.9, draw_reward=0.25)
CASES = [
    {"opponent": "random", "seat": 1},
    {"opponent": "random", "seat": 2},
    {"opponent": "buggy2", "seat": 3},
    {"opponent": "self"},
    {"opponent": "random>minimax:tie=first", "seat": 2},
    {"opponent": "self", "judges": ""},
]
DRAWN = [
    {"opponent": "random", "seat": 1},
    {"opponent": "minimax:tie=first", "seat": 2},
    {"opponent": "buggy2", "seat": 3},
    {"opponent": "self", "judges": "random"},
]


def random_values(seed: int) -> np.ndarray:
    """Values of all edges, with many ties where the seed is even."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=NUM_EDGES)
    return np.round(values) if seed % 2 == 0 else values


def dense(values) -> np.ndarray:
    table = np.zeros(TABLE.child.shape)
    table[TABLE.legal_action_mask] = values
    return table


def greedy_of(values, seats):
    return Policy.from_values(TABLE, dense(values), held=np.isin(TABLE.player, seats))


def met(opponent, seat, **options):
    """The states in which a seat moves that some of its play reaches against an opponent."""
    pair = (as_policy("random"), opponent) if seat == 1 else (opponent, as_policy("random"))
    return (exact_outcome(*pair, **options).reach > 0) & (TABLE.player == seat)


def seat_exploitability(policy, seats, start=0):
    """What the best responses to some seats gain over the value of the game, on average over both seats.

    The other seat plays minimax.
    """
    value = int(solution_of(policy.table).value[start])
    gains = [best_response(policy, 3 - seat).value[start] + (value if seat == 1 else -value) for seat in seats]
    return sum(gains) / 2


def measures_of(changes) -> tuple[TrainingConfig, Measures]:
    config = CONFIG.replace(**changes)
    return config, make_measures(config, opponents_of(config))


@pytest.mark.parametrize(("changes", "opening"), [*((one, False) for one in CASES), *((one, True) for one in DRAWN)])
@pytest.mark.parametrize("seed", range(4))
def test_every_measure_is_that_of_the_public_functions(changes, opening, seed):
    """A drawn first move is the mean of the nine: the measures are of the game that is trained on."""
    config, measures = measures_of({**changes, "random_opening": opening})
    values = random_values(seed)
    policy = greedy_of(values, (1, 2) if opening else config.seats)
    row = dict(zip(measures.columns, measures(values).tolist(), strict=True))

    named = [name for name in config.judges.text.split(",") if name]
    last = opponents_of(config)[-1:]
    judges = [*last, *map(as_policy, named)] or [as_policy("random")]
    for number, judge in enumerate(judges):
        for seat in config.seats:
            pair = (policy, judge) if seat == 1 else (judge, policy)
            exact = exact_outcome(*pair, random_opening=opening)
            expected = [exact.x_wins, exact.draws, exact.o_wins][:: 1 if seat == 1 else -1]
            is_first = number == 0 and seat == config.seats[0]
            prefix = "" if is_first else f"{'xo'[seat - 1]}_v_{judge.name}_"
            found = [row.pop(f"{prefix}{result}") for result in ("wins", "draws", "losses")]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)

    if opening:  # the other seat's best responses after each first move
        gains = [best_response(policy, 3 - seat).value[TABLE.child[0]].mean() for seat in config.seats]
        assert row["exploitability"] == pytest.approx(sum(gains) / 2, abs=1e-12)
        return
    assert row.pop("exploitability") == pytest.approx(seat_exploitability(policy, config.seats), abs=1e-12)
    counted = np.zeros(TABLE.num_states, bool)
    for seat in config.seats:
        counted |= met(last[0] if last else as_policy("random"), seat)
    assert row.pop("agreement") == agreement(Policy.from_values(TABLE, dense(values), held=counted)).share
    target = dense(exact_q(TABLE, last[0] if last else None, config.settings.rewards, 0.9, config.seats))
    errors = (dense(values) - target)[TABLE.legal_action_mask & counted[:, None]]
    assert row.pop("rms_error") == pytest.approx(float(np.sqrt(np.mean(errors**2))), abs=1e-12)
    assert set(row) == {"changed"}


@pytest.mark.parametrize("changes", CASES)
def test_changed_counts_the_learners_states_since_the_row_before(changes):
    config, measures = measures_of(changes)
    greedy = measures.first_greedy()
    before = TABLE.legal_action_mask.argmax(axis=1)  # the lowest action, at first
    for seed in (1, 2, 2, 3):
        values = random_values(seed)
        now = greedy_of(values, config.seats).greedy_actions()
        own = np.isin(TABLE.player, config.seats)
        assert measures(values, greedy)[measures.columns.index("changed")] == np.count_nonzero((now != before)[own])
        before = np.where(own, now, before)


def test_nobody_answers_for_a_drawn_first_move():
    """The empty board counts in nothing; as O every first move can occur, whatever the opponent prefers."""
    for changes in DRAWN:
        _, measures = measures_of({**changes, "random_opening": True})
        greedy, values = measures.first_greedy(), random_values(1)
        before = measures(values, greedy)
        values[: TABLE.edge_start[1]] += np.arange(9.0)  # another favourite there, and another distance
        again = measures(values, greedy)
        changed = measures.columns.index("changed")
        assert again[changed] == 0
        assert np.array_equal(np.delete(before, changed), np.delete(again, changed))


@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_the_first_or_last_of_equal_actions(last, random_opening):
    """Also before anything is learned; where the first move is drawn, the empty board is nobody's."""
    judge = as_policy("random")
    own = (TABLE.player == 1) & ~(random_opening & (TABLE.ply == 0))
    measures = Measures(
        TABLE, solution_of(TABLE), (1,), [judge], np.zeros(NUM_EDGES), own, last=last, random_opening=random_opening
    )
    greedy = np.zeros(TABLE.num_states, np.int32)
    measures(np.zeros(NUM_EDGES), greedy)
    expected = TABLE.edge_start[1:] - 1 if last else TABLE.edge_start[:-1]
    assert np.array_equal(greedy[own], expected[own])
    assert not greedy[~own].any()
    assert np.array_equal(measures.first_greedy()[own], expected[own])
    assert measures(np.zeros(NUM_EDGES))[measures.columns.index("changed")] == 0


@pytest.mark.parametrize("count", [0, 9, 1000, NUM_EDGES])
def test_errors_are_summed_one_after_the_other(count):
    """Bit for bit, on any number of edges."""
    counted = np.zeros(TABLE.num_states, bool)
    counted[: np.searchsorted(TABLE.edge_start, count)] = True
    target = random_values(3)
    measures = Measures(TABLE, solution_of(TABLE), (1,), [as_policy("random")], target, counted)
    edges, values = int(TABLE.edge_start[np.count_nonzero(counted)]), random_values(1)
    errors = values[:edges] - target[:edges]
    expected = np.sqrt(np.cumsum(errors * errors)[-1] / edges) if edges else 0.0
    assert measures(values)[-1] == expected


def test_the_exact_values_measure_as_perfect():
    for changes in ({"opponent": "self", "draw_reward": 0.0}, {"opponent": "minimax", "seat": 2, "draw_reward": 0.0}):
        _, measures = measures_of(changes)
        row = dict(zip(measures.columns, measures(measures.target), strict=True))
        assert (row["exploitability"], row["rms_error"], row["losses"]) == (0.0, 0.0, 0.0)
        if changes["opponent"] == "self":
            assert row["agreement"] == 1.0


def test_a_call_changes_nothing_and_repeats():
    config, measures = measures_of({"opponent": "self"})
    assert measures is make_measures(config.replace(seed=config.seed + 1), opponents_of(config))
    values, target = random_values(5), measures.target.copy()
    kept, greedy = values.copy(), measures.first_greedy()
    first, _, second = measures(values, greedy), measures(random_values(3)), measures(values, greedy)
    assert values.tobytes() == kept.tobytes() and measures.target.tobytes() == target.tobytes()
    changed = measures.columns.index("changed")
    assert second[changed] == 0
    assert np.array_equal(np.delete(first, changed), np.delete(second, changed))


@pytest.mark.parametrize(
    ("changes", "prefixes"),
    [
        ({"seat": 1, "judges": ""}, []),
        ({"seat": 2, "judges": "minimax"}, ["o_v_minimax_"]),
        ({"seat": 3, "judges": ""}, ["o_v_random_"]),
        ({"opponent": "self", "judges": ""}, ["o_v_random_"]),
        ({"opponent": "self", "judges": "minimax,random"}, ["o_v_minimax_", "x_v_random_", "o_v_random_"]),
        ({"seat": 3, "judges": "random"}, ["o_v_random_"]),
        ({"judges": "minimax,minimax"}, ["x_v_minimax_"]),
    ],
)
def test_columns_have_one_name_each(changes, prefixes):
    """The opponent may be a judge, too, and a judge may be named twice: the curve is a frame all the same."""
    config, names = CONFIG.replace(episodes=1000, **changes), ["wins", "draws", "losses"]
    run = train(config)
    end = ["exploitability", "agreement", "changed", "rms_error"]
    assert run.columns == ("episodes", *names, *(prefix + name for prefix in prefixes for name in names), *end)
    shown, both = ["x_wins", "draws", "o_wins"], len(run.config.seats) > 1
    others = [*(f"x{run.columns[4][1:-4]}{name}" for name in names if both), *run.columns[4 : -len(end)]]
    strength = [*(shown if not both else []), "value", "best_value", "regret", *end[1::-1]]
    assert run.curve().columns == ["episodes", *strength, *others, *end[2:]]
    assert [kind.is_integer() for kind in run.curve().dtypes] == [True] + [False] * (run.curve().width - 1)


@pytest.mark.parametrize("random_opening", [False, True])
@pytest.mark.parametrize("seat", [1, 2])
def test_minimax_plays_the_seat_that_does_not_learn_where_the_game_is_no_draw(seat, random_opening):
    game = "connect4:columns=4,rows=4,length=3"
    config = CONFIG.replace(game=game, seat=seat, random_opening=random_opening, judges="")
    measures, table = make_measures(config, opponents_of(config)), table_of(game)
    values = np.random.default_rng(seat).normal(size=table.num_edges)
    row = dict(zip(measures.columns, measures(values).tolist(), strict=True))
    policy, minimax = Policy.from_values(table, values, held=table.player == seat), as_policy("minimax", game)
    starts = table.child[0] if random_opening else [0]
    gains = best_response(policy, 3 - seat).value[starts].mean() + best_response(minimax, seat).value[starts].mean()
    assert row["exploitability"] == pytest.approx(gains / 2, abs=1e-12)
    assert random_opening or row["exploitability"] == pytest.approx(seat_exploitability(policy, (seat,)), abs=1e-12)
