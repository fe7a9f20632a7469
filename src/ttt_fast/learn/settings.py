"""All settings of training runs: the meaning, the range and the defaults of each, stated once.

Options of the command line, keys of TOML files, checks and help are derived from this table.  The default settings of
deep Q-learning come from the trials that reached the optimum of tic-tac-toe.  Nothing heavy is imported, since `--help`
imports this module.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from ttt_fast.agents.spec import refuse_external
from ttt_fast.learn.curricula import SELF_PLAY, external_agents
from ttt_fast.learn.setting_types import Computed, TrainingSetting, check_names, converted, listed

if TYPE_CHECKING:
    from ttt_fast.games.game import Game

X, O, ALTERNATE = 1, 2, 3  # noqa: E741  (the name of the player)
"""The learner's seat; ALTERNATE is X in even episodes and O in odd ones."""
SEATS = {"x": X, "o": O, "both": ALTERNATE}
SEAT_NAMES = {code: name for name, code in SEATS.items()}

AFTERSTATE = "afterstate"
DOUBLE_Q = "double-q"
MONTE_CARLO = "monte-carlo"
N_STEP = ("n-step-sarsa", "n-step-expected-sarsa", "n-step-tree-backup")
LAMBDA = ("sarsa-lambda", "q-lambda")
RETURNS = (MONTE_CARLO, *N_STEP, *LAMBDA)
"""Algorithms whose targets look more than one step ahead."""
DQN = "dqn"
"""Deep Q-learning: the values come from a network."""
TD = "td"
"""TD(lambda) on afterstates: the values come from n-tuples or, for Ultimate, from its network."""
TABULAR = ("q", DOUBLE_Q, "sarsa", "expected-sarsa", AFTERSTATE, *RETURNS)
"""Algorithms that learn a value for each state or action from games."""
SAMPLING = (*TABULAR, DQN, TD)
"""Algorithms that learn from games."""
VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY = "value-iteration", "policy-iteration", "fictitious-play"
PLANNING = (VALUE_ITERATION, POLICY_ITERATION, FICTITIOUS_PLAY)
"""Algorithms that pass over the table of the game: an episode is a pass, without random draws."""
ALGORITHMS = (*SAMPLING, *PLANNING)
BY_VALUE = (*TABULAR, VALUE_ITERATION, POLICY_ITERATION)
"""Algorithms that store a separate number for each value."""
OF_VALUES = (*BY_VALUE, DQN)
"""Algorithms whose values are in units of the rewards; fictitious play counts actions, and td learns results."""
TIES = ("first", "last", "random")
OWN_RESULT, SAI = "own", "sai"
"""The credit at the end of a game: each player's own result, or the credit of Sai's program."""

MARKS, PLANES = "marks", "planes"
SAMPLED, EXPECTED = "sampled", "expected"
MASK, PENALTY = "mask", "penalty"
BEST, LAST = "best", "last"

Passes = tuple[tuple[tuple[float, float], ...], ...]
"""For each result, the updates at the end of a game, each as its rewards for X and O."""


CHEAP_STATES = 100_000
"""Number of states above which networks are measured only a few times."""
MAX_ACTIONS_FOR_VALUES = 16
"""Number of actions above which action values take much more memory than board values."""


class When(StrEnum):
    """Conditions on which defaults depend, besides the algorithm."""

    NO_TABLE = "without a state table"
    MANY_ACTIONS = f"if the game also has more than {MAX_ACTIONS_FOR_VALUES} actions"
    """On a game of so many actions, without a table, that action values take much more memory than board values.

    A million games of Q-learning on Ultimate, with 81 values for each state, would take 70 GB; 20,000 take 2.1 GB.
    """
    LARGE_TABLE = f"with more than {CHEAP_STATES // 1000}k states"
    """A network is then measured only a few times."""
    IN_SELF_PLAY = "in self-play"
    ON_ULTIMATE = "on ultimate"
    ONE_PLANE = "for observations of one plane"
    WITH_PENALTY = "with --illegal penalty"
    WITH_COPIES = "with --target-every"


MAX_REPLAY = 1_000_000_000


def _num_plies(game: "Game", episodes: int) -> int:
    """Return the number of plies of a game: planning needs at most as many passes over the table."""
    from ttt_fast.games.api import max_plies

    return int(max_plies(game.initial_state))


_dqn = partial(TrainingSetting, algorithms=(DQN,), is_common=False)
_td = partial(TrainingSetting, algorithms=(TD,), is_common=False)

_OF_TD: Mapping[str, TrainingSetting] = {
    "tuples": _td(
        int, "number of tuples, the sets of cells whose marks select a weight", "N", {"": 70, When.ON_ULTIMATE: None},
        low=1, high=1000, counted="tuples",
    ),
    "tuple_cells": _td(
        int, "number of cells per tuple", "N", {"": 8, When.ON_ULTIMATE: None}, low=1, high=12, counted="cells"
    ),
    "tuple_tables": _td(
        int, "weight tables per tuple: 2, one for each player to move, or 1, as seen by the player to move", "N",
        {"": 2, When.ON_ULTIMATE: None}, low=1, high=2, counted="tables",
    ),
    "tuple_seed": _td(int, "seed of the tuples", "N", {"": 0, When.ON_ULTIMATE: None}, low=0, high=2**63),
    "coherent": _td(
        bool, "reduce the step sizes of weights whose errors have changing signs (temporal coherence)", "",
        {"": True, When.ON_ULTIMATE: None},
        spellings=("--coherent/--no-coherent",),
    ),
    "start_from": _td(
        str,
        "on ultimate: initial network, a file or 'learned', that of this package (default: random weights)",
        "FILE", {"": None},
    ),
}  # fmt: skip

_OF_DQN: Mapping[str, TrainingSetting] = {
    "hidden": _dqn(
        str, "nodes of each hidden layer", "N,N", {"": "64,64", When.IN_SELF_PLAY: "128,128", When.NO_TABLE: "256,256"}
    ),
    "minibatch": _dqn(
        int, "transitions per update", "N", {"": 8, When.IN_SELF_PLAY: 32, When.NO_TABLE: 32},
        low=1, high=4096, counted="transitions per update",
    ),
    "optimizer": _dqn(
        str, "optimizer of the network", "", {"": "adam"}, choices=("sgd", "momentum", "rmsprop", "adam")
    ),
    "replay": _dqn(
        int, "transitions in the replay buffer", "N", {"": 50_000, When.NO_TABLE: 200_000},
        low=1, high=MAX_REPLAY, counted="transitions",
    ),
    "warm_up": _dqn(
        int, "random transitions before the first update", "N", {"": 1000, When.NO_TABLE: 5000},
        low=0, high=MAX_REPLAY, counted="transitions",
    ),
    "train_every": _dqn(
        int, "transitions between updates", "N", {"": 1, When.NO_TABLE: 4},
        low=1, high=1e9, counted="transitions",
    ),
    "target_every": _dqn(
        int, "updates between copies to the target network (default: no copies, but --polyak)", "N", {"": None},
        low=1, high=1e12, counted="updates",
    ),
    "polyak": _dqn(
        float, "share by which the target network moves at each update", "NUMBER",
        {"": 0.005, When.WITH_COPIES: None}, low=1e-9, high=1.0,
    ),
    "target": _dqn(
        str, "target value of an update: after a sampled reply of the opponent, or expected over all replies", "",
        {"": SAMPLED}, choices=(SAMPLED, EXPECTED),
    ),
    "loss": _dqn(str, "loss function of the error of a value", "", {"": "huber"}, choices=("squared", "huber")),
    "clip": _dqn(float, "bound on the error when the gradient is computed; 0: no bound", "NUMBER", {"": 0.0}, low=0.0),
    "input": _dqn(
        str, "input of the network: marks -1, 0, 1, or planes of zeros and ones", "",
        {"": MARKS, When.IN_SELF_PLAY: PLANES, When.NO_TABLE: PLANES, When.ONE_PLANE: PLANES}, choices=(MARKS, PLANES),
    ),
    "leak": _dqn(float, "slope of the activation function below zero; 0: ReLU", "NUMBER", {"": 0.0}, low=0.0, high=1.0),
    "double": _dqn(bool, "double DQN", "", {"": False}, spellings=("--double/--no-double",)),
    "symmetries": _dqn(
        bool, "apply a random symmetry to each transition of an update", "", {"": True},
        spellings=("--symmetries/--no-symmetries",),
    ),
    "illegal": _dqn(
        str, "treatment of illegal moves: mask them, or give a penalty", "", {"": MASK}, choices=(MASK, PENALTY)
    ),
    "illegal_reward": _dqn(float, "reward of an illegal move", "NUMBER", {"": None, When.WITH_PENALTY: -1.0}),
    "opening_plies": TrainingSetting(
        int, "maximum number of random plies at the start of a game of self-play", "N",
        {"": 0, f"{When.IN_SELF_PLAY}, {When.NO_TABLE}": 8, TD: 4, f"{TD}, {When.ON_ULTIMATE}": 10},
        (DQN, TD), is_common=False, low=0, high=1000, counted="plies",
    ),
    "keep": _dqn(
        str, "final network: that of the best exact value, or the last one", "", {"": BEST, When.NO_TABLE: LAST},
        choices=(BEST, LAST),
    ),
}  # fmt: skip

_reward = partial(TrainingSetting, algorithms=OF_VALUES, in_help=False)

_OF_RUNS: Mapping[str, TrainingSetting] = {
    "opponent": TrainingSetting(
        str, "the opponent: an agent, self, or A@0.5>B (A in the first half of the run, then B)", "AGENT",
        {"": "random", When.NO_TABLE: SELF_PLAY, TD: SELF_PLAY, FICTITIOUS_PLAY: SELF_PLAY},
    ),
    "seat": TrainingSetting(
        int, "the learner's seat: x, o, or both in turn", "", {"": X, When.IN_SELF_PLAY: ALTERNATE},
        choices=tuple(SEATS),
    ),
    "episodes": TrainingSetting(
        int, "number of episodes", "N",
        {
            "": 100_000_000, When.NO_TABLE: 1_000_000, When.MANY_ACTIONS: 20_000,
            DQN: 60_000, f"{DQN}, {When.IN_SELF_PLAY}": 8000,
            f"{DQN}, {When.NO_TABLE}": 100_000, f"{DQN}, {When.MANY_ACTIONS}": 20_000,
            TD: 2_000_000, f"{TD}, {When.ON_ULTIMATE}": 400_000,
            VALUE_ITERATION: Computed("the most plies of a game", _num_plies),
            POLICY_ITERATION: Computed("the most plies of a game", _num_plies),
            FICTITIOUS_PLAY: 1000,
        },
        spellings=("--episodes", "-n"), low=0, high=1e15,
    ),
    "seed": TrainingSetting(int, "seed of all randomness", "N", {"": 0}, low=0, high=inf),
    "algorithm": TrainingSetting(
        str, f"learning algorithm: {listed(ALGORITHMS)}", "NAME", {"": "q"},
        choices=ALGORITHMS,
    ),
    "step_size": TrainingSetting(
        str, "alpha: a number, or a schedule such as linear:START,END", "SCHEDULE",
        {
            "": "geometric:0.5,0.001", DQN: "linear:0.001,0.00001",
            TD: "0.5", f"{TD}, {When.ON_ULTIMATE}": "linear:0.001,0.00001",
        },
        SAMPLING, is_schedule=True, low=1e-12, high=1.0,
    ),
    "epsilon": TrainingSetting(
        str, "probability of exploration: a number, or a schedule such as linear:START,END", "SCHEDULE",
        {
            "": "0.2",
            DQN: "linear:1,0.1", f"{DQN}, {When.IN_SELF_PLAY}": "1", f"{DQN}, {When.NO_TABLE}": "linear:1,0.1",
            TD: "linear:0.1,0.02", f"{TD}, {When.ON_ULTIMATE}": "0.05",
        },
        SAMPLING, is_schedule=True, low=0.0, high=1.0,
    ),
    "discount": TrainingSetting(float, "discount factor gamma", "NUMBER", {"": 1.0}, OF_VALUES, low=0.0, high=1.0),
    "steps": TrainingSetting(
        int, f"number of steps n of {listed(N_STEP)}", "N", {"": 3}, N_STEP, is_common=False, low=1
    ),
    "trace_decay": TrainingSetting(
        float, "trace decay lambda", "NUMBER", {"": 0.9, TD: 0.8, f"{TD}, {When.ON_ULTIMATE}": 1.0},
        (*LAMBDA, TD), is_common=False, low=0.0, high=1.0,
    ),
    "win_reward": _reward(float, "", "", {"": 1.0}),
    "draw_reward": _reward(float, "", "", {"": 0.0}),
    "loss_reward": _reward(float, "", "", {"": -1.0}),
    "initial_q": TrainingSetting(float, "initial value of actions or afterstates", "NUMBER", {"": 0.0}, BY_VALUE),
    "tie": TrainingSetting(
        str, "choice among equally good actions", "", {"": "first"}, (*BY_VALUE, TD), choices=TIES
    ),
    "credit": TrainingSetting(
        str, "reward at the end of a game: own, to each player for its own result, or sai, to X alone", "",
        {"": OWN_RESULT}, (AFTERSTATE,), choices=(OWN_RESULT, SAI),
    ),
    "random_opening": TrainingSetting(
        bool, "choose the first move of each episode uniformly at random", "", {"": False}, OF_VALUES
    ),
    "chunk_episodes": TrainingSetting(
        int,
        "episodes that share a random stream (a chunk); affects the result, also since fast kernels keep schedules"
        " constant in a chunk", "N",
        {
            "": Computed("episodes / 250, but from 1k to 100k", lambda _, n: min(100_000, max(1_000, ceil(n / 250)))),
            **dict.fromkeys(PLANNING, 1),
            DQN: Computed("episodes / 1000", lambda _, episodes: max(1, ceil(episodes / 1000))),
            f"{TD}, {When.ON_ULTIMATE}": 256,
        },
        spellings=("--chunk",), low=1, high=inf, counted="episodes per chunk",
    ),
    "evaluations": TrainingSetting(
        int, "number of evaluations during training, which are exact if the game has a state table", "N",
        {
            "": 100, When.NO_TABLE: 10,
            DQN: 1000, f"{DQN}, {When.IN_SELF_PLAY}": 100, f"{DQN}, {When.LARGE_TABLE}": 20,
            f"{DQN}, {When.NO_TABLE}": 10,
            TD: 20, f"{TD}, {When.ON_ULTIMATE}": 10,
        },
        low=0,
    ),
    "judges": TrainingSetting(
        str, "further agents against which the learner is evaluated for the curve", "A,B",
        {"": "", When.NO_TABLE: "random,default"},
    ),
    "game": TrainingSetting(str, "the game with its options", "GAME", {"": "tic-tac-toe"}),
    "exact": TrainingSetting(
        bool, "build the state table even if it has more than a million states, and learn with it", "", {"": False}
    ),
}  # fmt: skip

SETTINGS: Mapping[str, TrainingSetting] = {**_OF_TD, **_OF_DQN, **_OF_RUNS}
"""The settings by name, in the order of files: type, meaning, range and defaults of each."""


def setting_value(name: str, raw: Any, source: str = "") -> Any:
    """Return the value of a setting from text, as on the command line, or from TOML.

    An opponent from a `source`, the name of a file, must not be an external agent.
    """
    check_names([name], SETTINGS)
    about = SETTINGS[name]
    if source and name == "opponent":
        for agent in external_agents(str(raw)):
            refuse_external(agent, source)
    return converted(name, about.kind, raw, about.choices)
