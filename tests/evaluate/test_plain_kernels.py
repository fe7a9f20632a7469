"""Kernels that may run as Python give the bits of the compiled ones, and so do the rules of games."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from conftest import PATIENCE
from ttt_fast.agents.convert import as_policy
from ttt_fast.core import jit
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate import exact_fractions, exact_q, outcome
from ttt_fast.games.results import outcome_of, result_of
from ttt_fast.policies import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import enumeration, solution, table_of

GAMES = ["tic-tac-toe", "tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"]


def policies(spec):
    table = table_of(spec)
    drawn = np.random.default_rng(1).random(table.num_edges)
    rows = drawn / table.row_sums(drawn)[table.edge_state]
    return rows, as_policy("default", spec).edge_probabilities


def states(spec, dtype=np.float64):
    return np.zeros(table_of(spec).num_states, dtype)


def edges(spec, dtype):
    return np.zeros(table_of(spec).num_edges, dtype)


def arguments_of_solve(spec):
    out = solution.Solution(states(spec, np.int8), states(spec, np.int16), edges(spec, np.bool_), edges(spec, np.bool_))
    yield solution._solve, (table_of(spec).edges, out)


def arguments_of_mark(spec):
    table = table_of(spec)
    played = np.random.default_rng(2).random(table.num_edges) < 0.5
    played.flags.writeable = False
    for start in (0, 5):
        yield enumeration._mark_reached, (table.edge_start, table.edge_child, played, start, states(spec, np.bool_))


def arguments_of_responses(spec):
    table = table_of(spec)
    for policy in map(partial(as_policy, game=spec), ("random", "default", "minimax:tie=first")):
        for seat in (1, 2):
            for goal in ("value", "wins", "draws"):
                payoffs = np.array(best_response._PAYOFFS[goal])
                for before in (np.zeros(0), best_response.best_response(policy, seat).value):
                    given = (table.edge_action, policy.moves, seat, payoffs, before)
                    yield best_response._respond, (table.edges, *given, states(spec), states(spec, np.int16))


def arguments_of_outcomes(spec):
    table = table_of(spec)
    chances = Policy.from_probabilities(table, policies(spec)[0]).moves
    response = as_policy("best-response:random", spec).moves
    for x, o in (
        (chances, as_policy("default", spec).moves),
        (response, chances),
        (Policy.uniform(table).moves, response),
    ):
        for start, drawn, places, size in (
            (0, -1, np.zeros_like(table.places_of_two_plies), table.num_states),
            (4, 4, np.zeros_like(table.places_of_two_plies), table.num_states),
            (0, 0, table.places_of_two_plies, 2 * table.widest_ply),
        ):
            begun, mass, ends = table.ply_of(start), np.zeros(size), np.zeros(4 * (table.num_plies + 1))
            places.flags.writeable, mass[start + places[begun]] = False, 1.0
            given = x, o, drawn, begun, table.ply_start, places
            yield outcome._propagate, (table.edges, table.edge_action, *given, mass, ends)


def arguments_of_fractions(spec):
    table, default, random = table_of(spec), as_policy("default", spec), as_policy("random", spec)
    response, plies = as_policy("best-response:random", spec), (0, table.num_plies + 1)
    for numbers in ((97,), (2**31 - 1, 97)):
        inverses = [pow(one, -1, prime) if one else 0 for one in range(table.num_actions + 1) for prime in numbers]
        primes, inverses = frozen(np.array(numbers, np.int64)), frozen(np.array(inverses, np.int64))
        for x, o in ((default, random), (response, default)):
            moves = [
                exact_fractions._weights_of(one, exact_fractions._sums_of(one, plies), plies, numbers) for one in (x, o)
            ]
            mass = np.zeros(2 * table.widest_ply * len(numbers), np.int64)
            mass[: len(numbers)] = 1
            where = 0, plies, table.ply_start, table.places_of_two_plies
            given = *moves, *where, primes, inverses, mass, np.zeros(4 * len(numbers), np.int64)
            yield exact_fractions._propagate_modulo, (table.edges, table.edge_action, *given)


def arguments_of_action_values(spec):
    table, random = table_of(spec), as_policy("random", spec)
    for opponent, seats, discount in ((random, (1,), 1.0), (None, (1, 2), 0.9), (None, (1,), 0.5)):
        problem = exact_q.problem_of(table, opponent, np.array([10.0, 2.0, -7.5]), discount, seats)
        q, best = edges(spec, np.float64), table.edge_start[:-1].copy()
        for is_synchronous, improves in ((True, True), (False, False), (False, True)):
            given = (problem, q, best, states(spec), states(spec), is_synchronous, improves)
            yield exact_q.back_up, given
            exact_q.back_up(*given)


CALLS = [
    arguments_of_solve,
    arguments_of_mark,
    arguments_of_responses,
    arguments_of_outcomes,
    arguments_of_fractions,
    arguments_of_action_values,
]


def copied(value):
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.flags.writeable = value.flags.writeable
        return copy
    if isinstance(value, tuple):
        parts = [copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def bits(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tobytes()
    if isinstance(value, tuple):
        return tuple(bits(part) for part in value)
    return value


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("calls", CALLS)
def test_a_plain_pass_gives_the_bits_of_the_compiled_one(spec, calls):
    for kernel, arguments in calls(spec):
        jit.load()
        before, plain, compiled = bits(arguments), copied(arguments), copied(arguments)
        assert kernel.signatures is not None  # a dispatcher of numba
        assert jit.run_plain(kernel.py_func, plain) == kernel(*compiled)
        assert bits(plain) == bits(compiled) != before


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
from ttt_fast.core import jit
from ttt_fast.core.plain import frozen
from ttt_fast.evaluate.exact_q import exact_q
from ttt_fast import exact_outcome
from ttt_fast import exploitability, never_loses
from ttt_fast.policies.best_response import best_response
from ttt_fast.tables import solve, table_of
import numpy as np

def digest(spec):
    table, found = table_of(spec), hashlib.sha256()
    random, default = as_policy("random", spec), as_policy("default", spec)
    results = [*solve(table), *exact_outcome(random, default)[:4], exact_outcome(random, default).reach]
    results += exact_outcome(default, random, random_opening=True)[:4]
    for seat in (1, 2):
        results += [*best_response(default, seat), *best_response(random, seat, "wins"), never_loses(default, seat)]
    results += [exploitability(random), exact_q(table, default, np.array([1.0, 0.0, -1.0]), 0.9, (1,))]
    for one in results:
        found.update(np.asarray(one).tobytes())
    return found.hexdigest()
"""


def test_a_process_without_numba_finds_the_same_bits():
    """The tables are on disk by now; nothing but the passes themselves is Python there."""
    for spec in GAMES:
        as_policy("default", spec)
    jit.load()
    names = {}
    exec(WORK, names)
    plain = "from ttt_fast.core.compilation import compiling\ncompiling.prefer_plain()"
    code = f"{WORK}\n{plain}\nimport sys\nprint(*map(digest, {GAMES!r}), 'numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    assert done.stdout.split() == [*map(names["digest"], GAMES), "False"]


RULES = """
import hashlib, random
import numpy as np
from ttt_fast.core.compilation import compiling
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game

compiling.prefer_plain()

def facts(game, state):
    here = [tuple(map(int, state)), api.status(state), api.player(state), api.ply(state), api.num_actions(state)]
    here += [api.max_plies(state), api.num_symmetries(state), api.observation_shape(state)]
    here += [int(api.state_key(state)), int(api.state_check(state)), api.legal_actions(state)]
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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    assert done.stdout.split() == [*(names["digest"](one, seeds) for one in RULED), "False"]
