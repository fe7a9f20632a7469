"""Targets that look more than a step ahead: where the textbook says that two methods are one, they have the same bits.

That they are those of a plain reference, on every kind of run, is in test_general.py and test_hashed.py.
"""

from functools import partial

import general_reference
import numpy as np
import pytest
from general_checks import SMALL, general_run, reference_run
from general_reference import KIND

from pairwise import covering

LAMBDA = ("sarsa-lambda", "q-lambda")
PLACES = [
    {"opponent": "self", "step_size": "visits"},
    {"opponent": "random@0.4>heuribot", "seat": 3, "discount": 0.9, "tie": "random"},
    {"opponent": "random", "seat": 2, "discount": 0.7, "random_opening": True, "initial_q": 0.25, "draw_reward": 0.5},
]
WHOLE = 5
"""As many turns as a player has."""
MONTE_CARLO = ("monte-carlo", {})
WATKINS = ("q-lambda", {"trace_decay": 1})
SAME = {
    "n-step SARSA of one step": (("n-step-sarsa", {"steps": 1}), ("sarsa", {})),
    "n-step expected SARSA of one step": (("n-step-expected-sarsa", {"steps": 1}), ("expected-sarsa", {})),
    "tree backup of one step": (("n-step-tree-backup", {"steps": 1}), ("q", {})),
    "SARSA(0)": (("sarsa-lambda", {"trace_decay": 0}), ("sarsa", {})),
    "Q(0)": (("q-lambda", {"trace_decay": 0}), ("q", {})),
    "SARSA(1)": (("sarsa-lambda", {"trace_decay": 1}), MONTE_CARLO),
    "n-step SARSA of whole games": (("n-step-sarsa", {"steps": WHOLE}), MONTE_CARLO),
    "n-step expected SARSA of whole games": (("n-step-expected-sarsa", {"steps": WHOLE}), MONTE_CARLO),
    "tree backup of whole games": (("n-step-tree-backup", {"steps": WHOLE}), WATKINS),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("names", SAME)
def test_methods_that_are_one_have_the_same_bits(names, place):
    arrays = [
        general_run(SMALL.replace(epsilon="0.3", algorithm=algorithm, **settings, **place))
        for algorithm, settings in SAME[names]
    ]
    for array, same in zip(*arrays, strict=True):
        assert array.tobytes() == same.tobytes()


# --- The updates at the end of an episode are the textbook's online ones, since no state recurs.


class TraceLearner(general_reference.GeneralLearner):
    """SARSA(lambda) and Watkins's Q(lambda) with eligibility traces, a step after the other (sections 12.7, 12.10)."""

    def __init__(self, *given, replaces):
        super().__init__(*given)
        self.replaces = replaces

    def end_of_episode(self, turns, reward, alpha):
        traces, decay = {}, self.rules.gamma * self.rules.trace_decay
        for turn, (board, action, _, _) in enumerate(turns):
            is_cut, error = False, reward - self.total(board, action)
            if turn + 1 < len(turns):
                after, taken, _, is_cut = turns[turn + 1]
                every = [self.total(after, one) for one in self.actions(after)]
                ahead = max(every) if KIND[self.rules.algorithm] == "q" else self.total(after, taken)
                error = self.rules.gamma * ahead - self.total(board, action)
            traces[board, action] = 1.0 if self.replaces else 1.0 + traces.get((board, action), 0.0)
            for key, trace in traces.items():
                self.tables[0][key] = self.total(*key) + alpha * error * trace
                traces[key] = 0.0 if is_cut else trace * decay


class OnlineLearner(general_reference.GeneralLearner):
    """N-step SARSA as in the box of section 7.2: what was done n turns ago is updated now."""

    def end_of_episode(self, turns, reward, alpha):
        steps, last = self.rules.steps, len(turns)
        for now in range(1, last + steps):
            tau = now - steps
            if tau < 0 or tau >= last:
                continue
            target = reward if now >= last else self.total(*turns[now][:2])
            for _ in range(min(now, last - 1) - tau):
                target = self.rules.gamma * target
            self.update(0, *turns[tau][:2], target, alpha)


@pytest.mark.parametrize(
    ("algorithm", "trace_decay", "replaces", "place"),
    covering(
        ("sarsa-lambda", "q-lambda"), [0.0, 0.7, 1.0], [False, True], [{**one, "step_size": "0.3"} for one in PLACES]
    ),
)
def test_lambda_returns_are_eligibility_traces(algorithm, trace_decay, replaces, place):
    config = SMALL.replace(algorithm=algorithm, trace_decay=trace_decay, episodes=150, epsilon="0.3", **place)
    tables, _, _ = reference_run(config, partial(TraceLearner, replaces=replaces))
    np.testing.assert_allclose(general_run(config).tables, tables, rtol=0, atol=1e-12)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("steps", [1, 2, 3, 7])
def test_n_step_sarsa_is_the_online_one_bit_for_bit(steps, place):
    config = SMALL.replace(algorithm="n-step-sarsa", steps=steps, episodes=150, chunk_episodes=60, epsilon="0.3")
    config = config.replace(**place)
    tables, updates, _ = reference_run(config, OnlineLearner)
    learned = general_run(config)
    assert learned.tables.tobytes() == tables.tobytes()
    assert np.array_equal(learned.updates, updates)
