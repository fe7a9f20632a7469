"""Asks the wrappers for everything, with the kinds of arguments that a user may pass; prints each kernel's signatures.

Run by tests/test_kernels.py, also with bounds checks in every kernel.
"""

import importlib
import json
import os
import pkgutil
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import ttt_fast
from custom_games import MATCHES
from network_trainer import Trainer
from small_evaluators import sum_evaluator
from ttt_fast import (
    ContestConfig,
    Meter,
    Policy,
    Solver,
    TrainingConfig,
    TrainingRun,
    as_player,
    as_policy,
    exact_outcome,
    exploitability,
    induced_table,
    never_loses,
    parse_game,
    perft,
    table_from_functions,
    table_of,
    train,
)
from ttt_fast.algorithms.networks.optimizers import OPTIMIZERS, optimizer
from ttt_fast.core import jit
from ttt_fast.evaluators import SearchOptions
from ttt_fast.external.environment import GameBatch
from ttt_fast.games import api
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.learners import start_training
from ttt_fast.play.tabular import play_chunks
from ttt_fast.policies.best_response import best_response
from ttt_fast.search.alphabeta.player import AlphaBetaPlayer
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.rewards import api as rewards
from ttt_fast.search.rollouts import random_playout, rollout, rollout_evaluator
from ttt_fast.tables import find_symmetry, solve, store
from ttt_fast.tables.enumeration import enumerate_game
from ttt_fast.values.network import Network
from ultimate_label_files import LabelSettings
from ultimate_run import FitSettings, Generation, learn_evaluation

WITHOUT_KERNELS = {f"ttt_fast.adapters.{name}" for name in ("gymnasium_games", "pettingzoo_games", "stable_baselines")}
"""Modules that need the extras `rl` and `ppo`."""


SEARCHED = ("connect4", "ultimate")
"""Games that are searched.  In the others, the kernels of searches are the same, of other types: what a search calls of
their rules and rewards is called directly."""


def most_signatures(kernel):
    """Of any one type of state: a kernel over all games is compiled once for each of them."""
    parts = [[part for one in args for part in (one, *getattr(one, "types", ()))] for args in kernel.signatures]
    types = [tuple(getattr(part, "instance_class", None) for part in found) for found in parts]
    return max(Counter(types).values(), default=0)


def first_action(state):
    """A function of a state."""
    return api.legal_actions(state)[0]


def main() -> None:
    """Ask for everything."""
    jit.load()
    for spec in ("tic-tac-toe:misere=yes", "connect4:columns=4,rows=4,length=3"):  # narrow, and wide
        other = enumerate_game(parse_game(spec), 10**6)
        solve(other), find_symmetry(other)
        assert Meter(spec).observations.any()
        known = [as_policy(name, spec) for name in ("random", "default", "minimax:tie=first")]
        for policy in known:
            exact_outcome(policy, known[0]), best_response(policy, 1, "wins"), never_loses(policy, 2)
            list(play_chunks(policy, known[0], ContestConfig(1000, chunk_games=300), threads=2))
    table = table_of("tic-tac-toe")
    rows = np.asfortranarray(as_policy("random").probabilities)
    policies = [
        as_policy("random"),
        as_policy("best-response:buggy"),
        Policy.from_probabilities(table, rows, "mine"),
        Policy.from_probabilities(table, rows.astype(np.float32) * 0 + rows, "mine again"),
    ]
    for policy in policies:
        for start in (0, np.int64(3), np.int16(5)):
            for random_opening in (False, True):
                exact_outcome(policy, policies[0], start=start, random_opening=random_opening)
        for seat in (1, np.int8(2)):
            best_response(policy, seat, "wins")
            never_loses(policy, seat)
        exploitability(policy)
        for method in ("play", "propagate"):
            for random_opening in (False, True):
                config = ContestConfig(1000, method=method, random_opening=random_opening, chunk_games=300)
                list(play_chunks(policy, policies[0], config, threads=2))
        for seat in (1, 2):
            known = policy.name if policy.name in ("random", "best-response:buggy") else policy.signature
            config = TrainingConfig(opponent=known, seat=seat, episodes=300)
            train(start_training(config), policy)
    for algorithm in ("q", "double-q"):
        for tie in ("first", "random"):
            for discount in (1, 0.5):
                config = TrainingConfig("self", episodes=300, algorithm=algorithm, tie=tie, discount=discount)
                train(train(start_training(config)))

    if find_spec("ttt_fast.proven") is not None:
        from proven_toys import play_with_toys

        play_with_toys()

    table_from_functions((20, 1), *MATCHES[1:4], name="heap")
    os.environ[store.QUOTA_VARIABLE], store.folder = "1", lambda: Path(sys.argv[1])
    for spec, *others in (("tic-tac-toe",), ("connect4:columns=4,rows=4", "alphabeta:depth=2")):
        learned = Policy.from_probabilities(table_of(spec), as_policy("random", spec).probabilities, "floats")
        for agent in ("default", "minimax:tie=first", learned, first_action, *others):
            induced = induced_table(agent, 2, spec)
            for opponent in ("random", "default", learned):
                induced.outcome(opponent), exact_outcome(as_policy(opponent, induced.table), induced.policy)
            induced.best_value, induced.refutation, solve(induced.table), induced.policy.for_seat(2)
    induced_table("centre-first", np.int8(1), "connect4:columns=4,rows=4").mistakes(20)
    assert store.tables_on_disk()
    os.environ[store.QUOTA_VARIABLE] = "0"

    for algorithm in ("value-iteration", "policy-iteration", "fictitious-play"):
        for spec in ("tic-tac-toe", "connect4:columns=4,rows=4,length=3"):
            train(start_training(TrainingConfig("self", episodes=2, algorithm=algorithm, game=spec, judges="default")))

    tiny = Generation(LabelSettings(chunks=1, games=1, simulations=20), FitSettings(steps=2, minibatch=4))
    with tempfile.TemporaryDirectory() as folder:
        learn_evaluation(Path(folder), (tiny, tiny), 0, 1, str)
    for spec in ("tic-tac-toe", "tic-tac-toe:misere=yes", "connect4"):
        batch = GameBatch(spec, "both", "random", num_games=5)
        batch.reset(1)
        for wanted in ([0] * 5, np.arange(5), np.ones(5, np.int8)):
            batch.step(wanted)
    actions = np.zeros(81, np.uint8)
    boards = ("tic-tac-toe", "tic-tac-toe:rows=4,columns=5,length=4", "connect4", "connect4:columns=5,length=3")
    for spec in (*boards, "ultimate", "ultimate:tie=boards", "ultimate:closed=stay", "heap"):
        game = parse_game(spec)
        perft(game.initial_state, 4)
        perft(type(game.initial_state)(*map(np.int64, game.initial_state)), 4)
        random_playout(game.initial_state, np.uint64(1))
        for policy in (0, 1):
            rollout(game.initial_state, np.uint64(1), rollout_evaluator(policy))
        for least in (0, 1, 2):
            rewards.best_reward(game.initial_state, least, rewards.result_evaluation())
        rewards.reward(game.initial_state, 0, rewards.result_evaluation())
        for options in (
            "depth=2",
            "nodes=100,tt=1",
            "depth=2,ms=10,tie=published",
            "depth=2,eval=none,prefer=fast,prune=no",
        ) * (spec in SEARCHED):
            player = as_player(f"alphabeta:{options}", game)
            for state in (game.initial_state, type(game.initial_state)(*map(np.int64, game.initial_state))):
                player.begin(np.uint64(1)), player.search(state), player.action_values(state)
        agents = "mcts:sims=9,formula=log-ratio,c=1", "mcts-best:sims=300", "mcts:ms=1,rollout=win-or-block"
        for agent in agents * (spec in SEARCHED):
            player, state = as_player(agent, game), game.initial_state
            player.begin(np.uint64(1))
            for _ in range(3):
                state = api.play(state, player.search(state).action)
            player.action_values(type(state)(*map(np.int64, state)))
        if isinstance(game.initial_state, TicTacToeState):
            state = type(game.initial_state)(*map(np.int64, game.initial_state))
            AlphaBetaPlayer("leaf", state, SearchOptions(depth=3), evaluator=sum_evaluator()).search(state)
            for expand in ("one", "all"):
                MctsPlayer("leaf", MctsConfig(sims=9, expand=expand), sum_evaluator()).search(game.initial_state)
        states = np.zeros((2, len(game.initial_state)), np.int64)
        for integer in (int, np.uint8, np.int64):
            state = api.play(game.initial_state, integer(0))
            api.is_legal(state, integer(1))
            api.store_state(state, states, integer(1))
            state = api.load_state(state, states, integer(1))
            api.random_action(state, np.uint64(7)), api.random_action(state, 7)
            for ask in (api.status, api.player, api.ply, api.winning_action, api.threat_action, api.state_key,
                        api.num_legal_actions, api.observe):  # fmt: skip
                ask(state), ask(game.state_after(""))
            api.fill_legal_actions(state, actions)

    for spec in ("tic-tac-toe", "connect4:columns=4,rows=4", "connect4", "heap"):
        for algorithm in ("afterstate", "q", "double-q", "sarsa", "q-lambda"):
            for opponent, step_size in (("self", "0.1"), ("default>random", "visits")):
                config = TrainingConfig(
                    opponent, 3, 60, algorithm=algorithm, step_size=step_size, judges="default", tie="last", game=spec
                )
                path = f"{sys.argv[1]}/run.npz"
                train(start_training(config), checkpoint=path)
                run, start = TrainingRun.load(path), config.game.initial_state
                if not config.has_table:
                    player = run.player()
                    for state in (start, type(start)(*map(np.int64, start))):
                        player.begin(np.uint64(1)), player.search(state), player.action_values(state)

    recorded = Path(sys.argv[1]) / "games.csv"
    recorded.write_text("moves,result\n1122,x\n1213,o\n")
    for spec in ("tic-tac-toe", "connect4"):
        own = {"input": "marks", "games": str(recorded)}
        for opponent, changes in (("self", own), ("default", {"double": True, "random_opening": True})):
            config = TrainingConfig(
                opponent, 3, 20, algorithm="dqn", judges="default", game=spec, hidden="16", warm_up=9, **changes
            )
            train(train(start_training(config)), checkpoint=path)
            if not config.has_table:
                player, start = TrainingRun.load(path).player(), config.game.initial_state
                for state in (start, type(start)(*map(np.int64, start))):
                    player.begin(np.uint64(1)), player.search(state), player.action_values(state)

    for spec in ("tic-tac-toe", "connect4:columns=4,rows=4,length=3"):
        small = {"episodes": 9, "chunk_episodes": 3, "hidden": "16", "replay": 2, "simulations": 5, "updates": 2}
        config = TrainingConfig(algorithm="alphazero", game=spec, minibatch=4, games=str(recorded), **small)
        train(train(start_training(config)), checkpoint=path)
        for options in ("sims=0", "sims=9", "sims=9,c=2"):
            as_policy(f"puct:net={path},{options}", spec)

    for spec, coherent in (("connect4:columns=4,rows=4", True), ("connect4", False)):
        config = TrainingConfig(
            episodes=20, algorithm="td", judges="default", game=spec, tuples=3, tuple_cells=4, coherent=coherent
        )
        train(train(start_training(config)), checkpoint=path)
    learned = [(config.game, path)]
    config = TrainingConfig(episodes=20, algorithm="td", judges="default", game="ultimate", start_from="learned")
    learned.append((config.game, f"{path}-ultimate.npz"))
    train(train(start_training(config)), checkpoint=learned[-1][1])
    for game, path in learned:
        for agent in (path, f"mcts:sims=9,leaf={path}", f"alphabeta:depth=3,eval={path}"):
            player, start = as_player(agent, game), game.initial_state
            for state in (start, type(start)(*map(np.int64, start))):
                player.begin(np.uint64(1)), player.search(state), player.action_values(state)

    for size in (BoardSize(), BoardSize(5, 4)):
        words = np.zeros((2, 2), np.int64)
        solver = Solver(size, table_mb=4, threads=2)
        solver.score((0, 0) if size.width == 5 else (1 << 35, 1 << 35 | 1 << 21), window=(np.int64(12), 13))
        solver.scores(words[:, ::-1] if size.width == 5 else words[:0])

    for sizes, name in zip(((9, 32, 32, 9), (3, 5, 1), (70, 40, 7), (2, 3, 2)), OPTIMIZERS, strict=True):
        network = Network.random(sizes, slope=0.01)
        for rows in (1, 2, 7):
            inputs = np.zeros((rows, sizes[0]))
            for loss, actions in (("huber", [0] * rows), ("squared", None)):
                targets = network.outputs(inputs) if actions is None else np.zeros(rows)
                Trainer(network, optimizer(name, clip=rows), loss).update(inputs, targets, actions, step_size=1)

    kernels = {}
    for found in pkgutil.walk_packages(ttt_fast.__path__, "ttt_fast."):
        if found.name in WITHOUT_KERNELS:
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if hasattr(value, "nopython_signatures") and value.__module__ == module.__name__:
                inlined = value.targetoptions.get("inline") == "always"
                kernels[f"{module.__name__}.{name}"] = [inlined, most_signatures(value)]
    print(json.dumps(kernels))


if __name__ == "__main__":
    main()
