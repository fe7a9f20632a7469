"""Small questions to every room of kernels; prints the answers as JSON.  Run by tests/test_kernels.py.

With NUMBA_DISABLE_JIT=1 everything runs as Python: slow, with tracebacks, and with the same answers.
"""

import json
import os
import warnings
from importlib.util import find_spec

import numpy as np

from custom_games import AGAIN, MATCHES
from small_evaluators import sum_evaluator
from ttt_fast import (
    ContestConfig,
    TrainingConfig,
    as_player,
    as_policy,
    contest,
    exact_outcome,
    exploitability,
    induced_table,
    never_loses,
    parse_game,
    perft,
    symmetry_of,
    table_from_functions,
    train,
)
from ttt_fast.core import bits, jit
from ttt_fast.core.compilation import compiling
from ttt_fast.core.rng import below, mix64
from ttt_fast.evaluators import SearchOptions
from ttt_fast.external.environment import GameBatch
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.search.alphabeta.player import AlphaBetaPlayer
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.puct import Evaluated, search_policy, values_at_the_end
from ttt_fast.search.rollouts import random_playout
from ttt_fast.tables import solve
from ttt_fast.tables.enumeration import enumerate_game

GAMES = (
    "tic-tac-toe",
    "tic-tac-toe:rows=2,columns=4",
    "connect4:columns=3,rows=3,length=3",
    "matches",
    "again",
)
RUNS = {
    "q": {}, "self-play q": {"opponent": "self"}, "self-play double q": {"opponent": "self", "algorithm": "double-q"},
    "sarsa": {"algorithm": "sarsa"}, "expected sarsa": {"algorithm": "expected-sarsa", "seat": 2},
    "traces": {"algorithm": "q-lambda"}, "sweeps": {"algorithm": "value-iteration"},
    "double q": {"algorithm": "double-q"}, "afterstates": {"algorithm": "afterstate", "opponent": "self"},
}  # fmt: skip


def moves(player, state):
    """Up to two moves of a player, with the first legal one between them: its tree may be kept."""
    player.begin(np.uint64(1))
    results = [player.search(state)]
    state = api.play(state, results[0].action)
    for reply in api.legal_actions(state)[:1]:
        state = api.play(state, reply)
        results += [player.search(state)] if api.status(state) == api.ONGOING else []
    return [(result.action, float(result.value)) for result in results]


def main() -> None:
    """Ask, and print."""
    compiled: list[object] = []
    with compiling.watched_by(compiled.append):
        answers = ask()
    print(json.dumps([answers, len(compiled)]))


def ask() -> dict[str, object]:
    """Return all answers."""
    warnings.simplefilter("ignore", RuntimeWarning)  # 64-bit words overflow by design, of which Python's numbers warn
    jit.load()
    answers: dict[str, object] = {}

    words = [int(mix64(np.uint64(word))) for word in (0, 1, 2**63)]
    answers["words"] = [words, [int(below(np.uint64(word), 7)) for word in words]]
    answers["bits"] = [int(bits.popcount(77)), int(bits.lowest_bit_index(64)), int(bits.bit_index(0b101100, 2))]
    table_from_functions(*MATCHES[:4], name="matches")
    table_from_functions(*AGAIN[:4], player=AGAIN.player, name="again")
    for spec in GAMES:
        table = enumerate_game(parse_game(spec), 10_000)
        solution = solve(table)
        answers[f"table {spec}"] = [table.num_states, table.num_edges, table.fingerprint, solution.value.tolist()[:50]]
        random, default = as_policy("random", spec), as_policy("default", spec)
        answers[f"exact {spec}"] = [
            *exact_outcome(random, default)[:3],
            exploitability(random),
            never_loses(default, 2),
        ]
        for method in ("play", "propagate"):
            config = ContestConfig(40, game=spec, method=method)
            answers[f"{method} {spec}"] = [*contest(random, default, config, threads=1).seats[0].ends]
    answers["classes"] = symmetry_of(as_policy("random", GAMES[1]).table).num_classes
    for spec in ("tic-tac-toe", "connect4", "ultimate", "matches"):
        game = parse_game(spec)
        state = api.play(game.initial_state, 1)
        fields = state[:1] if spec == "matches" else state  # the other one is an address
        answers[f"state {spec}"] = [*map(int, fields), int(api.state_key(state)), int(api.status(state))]
        answers[f"perft {spec}"] = perft(game.initial_state, 2, 1)
        answers[f"random game {spec}"] = [*map(int, random_playout(game.initial_state, np.uint64(2)))]
        answers[f"observed {spec}"] = float(api.observe(state).sum())
        # Ultimate's playout counts in bits that wrap around, as only machine words do
        for agent in ("alphabeta:depth=1", "mcts:sims=5", "mcts-best:sims=9")[: 1 if spec == "ultimate" else 3]:
            answers[f"{agent} {spec}"] = moves(as_player(agent, game), state)
    small, start = parse_game("connect4:columns=4,rows=4"), parse_game("tic-tac-toe").initial_state
    if not os.environ.get("NUMBA_DISABLE_JIT"):  # it puts negative numbers into unsigned words
        answers["solver"] = moves(as_player("solver:tt=1", small), small.state_after("1122"))
    answers["tree of leaves"] = moves(MctsPlayer("leaf", MctsConfig(sims=9), sum_evaluator()), start)
    options = SearchOptions(depth=2, tt=1)
    answers["minimax of leaves"] = moves(AlphaBetaPlayer("leaf", start, options, evaluator=sum_evaluator()), start)
    priors = as_policy("random", GAMES[1])
    table, ends = priors.table, values_at_the_end(priors.table)
    evaluated = Evaluated(table.edge_start, table.edge_child, priors.edge_probabilities, ends)
    answers["search with priors"] = search_policy(table, evaluated, 30, 1.5).edge_probabilities.nonzero()[0].tolist()
    for spec in GAMES:
        batch, told = GameBatch(spec, "both", "random", 4), []
        batch.reset(1)
        for step in range(12):
            batch.step(batch.legal_action_mask.argmax(axis=1) if step % 4 else np.full(4, step - 4))
            told.append([int(one.sum()) for one in (batch.observation, batch.legal_action_mask, batch.is_over)])
            told.append(batch.reward.tolist())
        answers[f"batch {spec}"] = told
    for spec, agent, seat in (
        ("tic-tac-toe:rows=2,columns=4", "default", 1),
        ("connect4:columns=3,rows=3,length=3", "minimax", 2),
        ("connect4:columns=4,rows=4", "centre-first", 1),
        ("again", "minimax:tie=first", 2),
    ):
        induced = induced_table(agent, seat, spec)
        own, found = induced.table, induced.outcome()
        answers[f"induced {spec}"] = [induced.positions_by_ply, own.num_states, own.num_edges, own.key.tolist()[:50]]
        answers[f"results {spec}"] = [
            *found[:3],
            *map(str, found.fractions),
            induced.best_value,
            str(induced.refutation),
        ]
    if find_spec("ttt_fast.proven") is not None:
        from proven_toys import positions_of_toy

        answers["proven"] = positions_of_toy()
    for name, settings in RUNS.items():
        run = train(start_training(TrainingConfig(episodes=20, evaluations=1, **settings)))
        answers[f"learn {name}"] = run.sha256()
    return answers


if __name__ == "__main__":
    main()
