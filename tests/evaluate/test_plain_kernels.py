"""Kernels that may run as Python give the bits of the compiled ones, and so do the rules of games."""

import pytest

from cli_runner import run_python
from ttt_fast import as_policy
from ttt_fast.core import jit
from ttt_fast.games.results import outcome_of, result_of

GAMES = ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"]


def test_results_of_seats():
    jit.load()
    for status in (1, 2, 3):
        assert outcome_of(status) == outcome_of.py_func(status)
        for seat in (1, 2):
            assert result_of(status, seat) == result_of.py_func(status, seat)


# --- A whole process without numba, beside this one.

WORK = """
import hashlib
from ttt_fast.agents.convert import as_policy
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast import Policy, agreement, exact_fractions, exact_outcome, exploitability, never_loses
from ttt_fast.evaluate.outcome import exact_outcome_from
from ttt_fast.policies.best_response import OBJECTIVES, best_response, best_response_policy
from ttt_fast.tables import solve, table_of
import numpy as np

def digest(spec):
    table, found = table_of(spec), hashlib.sha256()
    random, default = as_policy("random", spec), as_policy("default", spec)
    drawn = np.random.default_rng(1).random(table.num_edges)
    chances = Policy.from_probabilities(table, drawn / table.row_sums(drawn)[table.edge_state], "chances")
    first, response = as_policy("minimax:tie=first", spec), as_policy("best-response:random", spec)
    results = [*solve(table)]
    for x, o in ((random, default), (default, chances), (chances, response), (response, random), (first, chances)):
        results += [*exact_outcome(x, o)[:4], exact_outcome(x, o).reach, exact_outcome_from(x, o, [0, 4, 4]).lengths]
        results += exact_outcome(x, o, random_opening=True)[:4] + exact_outcome(x, o, start=4, random_opening=True)[:4]
    fractions = [exact_fractions(*pair) for pair in ((default, random), (response, default), (random, random))]
    for policy in (random, default, first, chances):
        for seat in (1, 2):
            results += [part for goal in OBJECTIVES for part in best_response(policy, seat, goal)]
            results += [never_loses(policy, seat), *agreement(policy, seat, reached=True)]
        results += [exploitability(policy), best_response_policy(policy, then="draws").edge_probabilities]
    rewards = np.array([10.0, 2.0, -7.5])
    for opponent, seats in ((random, (1,)), (None, (1, 2)), (None, (1,)), (default, (2,))):
        results += [exact_q(table, opponent, rewards, discount, seats) for discount in (0.9, 1.0)]
    for one in results:
        found.update(np.asarray(one).tobytes())
    found.update(repr(fractions).encode())
    return found.hexdigest()
"""


@pytest.mark.slow
def test_a_process_without_numba_finds_the_same_bits():
    """The tables are on disk by now; nothing but the passes themselves is Python there."""
    for spec in GAMES:
        as_policy("default", spec)
    jit.load()
    names = {}
    exec(WORK, names)
    plain = "from ttt_fast.core.compilation import compiling\ncompiling.plain_elements = 1_000_000"
    code = f"{WORK}\n{plain}\nimport sys\nprint(*map(digest, {GAMES!r}), 'numba' in sys.modules)"
    done = run_python("-c", code)
    assert (done.err, done.text.split()) == ("", [*map(names["digest"], GAMES), "False"])


RULES = """
import hashlib, random
import numpy as np
from ttt_fast.core.compilation import compiling
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game

compiling.plain_elements = 1_000_000

def facts(game, state):
    here = [tuple(map(int, state)), api.status(state), api.player(state), api.ply(state), api.num_actions(state)]
    here += [api.max_plies(state), api.num_symmetries(state), api.observation_shape(state)]
    here += [int(api.state_key(state)), api.legal_actions(state)]
    here += [tuple(map(int, api.state_of_key(game.initial_state, api.state_key(state))))]
    here += [api.legal_action_mask(state).tolist(), api.observe(state).tolist()]
    for symmetry in range(api.num_symmetries(state)):
        here.append(tuple(map(int, api.transform(state, symmetry))))
    if api.status(state) == 0:
        here += [api.num_legal_actions(state), api.winning_action(state), api.threat_action(state)]
        here += [bool(api.is_legal(state, action)) for action in range(-1, api.num_actions(state) + 1)]
    return repr([int(one) if isinstance(one, (bool, int)) else one for one in here])

def digest(spec, seeds):
    game, found = parse_game(spec), hashlib.sha256()
    found.update(api.action_map(game.initial_state).tobytes())
    for seed in range(seeds):
        generator, state = random.Random(seed), game.initial_state
        found.update(facts(game, state).encode())
        while api.status(state) == 0:
            state = api.play(state, generator.choice(api.legal_actions(state)))
            found.update(facts(game, state).encode())
    return found.hexdigest()
"""
RULED = ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4", "connect4:columns=4,rows=4,length=3",
         "connect4:columns=8,rows=7", "connect4:columns=5,rows=9,length=5", "connect4:columns=32,rows=1,length=2",
         "connect4:columns=1,rows=63,length=63"]  # fmt: skip


@pytest.mark.parametrize("seeds", [3, pytest.param(12, marks=pytest.mark.slow)])
def test_the_rules_as_python_are_the_compiled_ones(seeds):
    jit.load()
    names = {}
    exec(RULES, names)
    code = f"{RULES}\nimport sys\nprint(*(digest(one, {seeds}) for one in {RULED!r}), 'numba' in sys.modules)"
    done = run_python("-c", code)
    assert done.err == ""
    assert done.text.split() == [*(names["digest"](one, seeds) for one in RULED), "False"]
