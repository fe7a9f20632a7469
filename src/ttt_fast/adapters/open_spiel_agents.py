"""OpenSpiel bots and policies as agents, usable wherever an agent may be a Python object.

OpenSpiel identifies a state by the line of play that leads to it.  Bots therefore play games from the initial state.
A policy is also converted over a whole table, if its probabilities depend on the state alone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import AgentError, AnswerError, Game, Policy, UsageError, as_policy, parse_game, table_of
from ttt_fast.adapters import extra
from ttt_fast.agents.api import AgentLike
from ttt_fast.games import api

with extra("rl"):
    import pyspiel

MakeBot = Callable[[Any, int, int], Any]
"""Makes a bot of a `pyspiel.Game`, a player (0 or 1) and a seed below 2**31."""
_SEEDS = 2**31
_NO_BOARD = -1


def _loaded(game: Game | str) -> tuple[Game, Any, Any]:
    """Return a game, its peer and the game of OpenSpiel; raise UsageError if OpenSpiel lacks it."""
    ours = parse_game(game) if isinstance(game, str) else game
    peer = ours.open_spiel
    if peer is None:
        wanted = "a game that OpenSpiel has (tic-tac-toe, connect4, ultimate, openspiel:GAME)"
        raise UsageError(f"expected {wanted}, got {ours.spec!r}, which OpenSpiel does not have")
    return ours, peer, pyspiel.load_game(peer.spec)


def _moves_of_other(start: api.GameState, state: api.GameState) -> list[int] | None:
    """Return the actions that lead to a state without a move of its player; None if there are none."""
    if start == state:
        return []
    if api.status(start) == api.ONGOING and api.ply(start) < api.ply(state) and api.player(start) != api.player(state):
        for action in api.legal_actions(start):
            rest = _moves_of_other(api.play(start, action), state)
            if rest is not None:
                return [action, *rest]
    return None


class BotAgent:
    """An OpenSpiel bot as an agent with `begin` and `choose`; `agent_of_bot` makes classes of it.

    Parameters
    ----------
    game, peer, theirs
        The game, its peer and the game of OpenSpiel.
    make_bot
        Makes a new bot for each game.
    """

    def __init__(self, game: Game, peer: Any, theirs: Any, make_bot: MakeBot) -> None:
        self._game, self._peer, self._theirs, self._make_bot = game, peer, theirs, make_bot
        self.begin(0)

    def begin(self, seed: int) -> None:
        """Begin a new game; its bot is made at the first call of `choose`."""
        self._seed, self._seat = seed % _SEEDS, 0
        self._bot: Any = None
        self._ours: api.GameState = self._game.initial_state
        self._state = self._theirs.new_initial_state()

    def choose(self, state: api.GameState) -> int:
        """Return the bot's action in an ongoing state, after informing the bot of the moves since its last action.

        Raises
        ------
        AnswerError
            If the state is not the next one of the bot in this game, or the bot's action is illegal in OpenSpiel.
        """
        seat, others = api.player(state), _moves_of_other(self._ours, state)
        if others is None or self._seat not in (0, seat):
            wanted = "the next state of a game from the initial state"
            raise AnswerError(f"expected {wanted} for a bot of OpenSpiel, got {self._game.format_position(state)!r}")
        if self._bot is None:
            self._seat, self._bot = seat, self._make_bot(self._theirs, seat - 1, self._seed)
            self._bot.restart_at(self._state)
        for action in others:
            for step in self._peer.steps(self._ours, action):
                self._bot.inform_action(self._state, self._state.current_player(), step)
                self._state.apply_action(step)
            self._ours = api.play(self._ours, action)
        return self._step()

    def _step(self) -> int:
        """Return the bot's action: one OpenSpiel action, or a board and then one of its cells."""
        board = _NO_BOARD
        while True:
            step, legal = self._bot.step(self._state), self._state.legal_actions()
            if step not in legal:
                raise AnswerError(f"expected one of the actions {legal} from an OpenSpiel bot, got {step!r}")
            step = int(step)
            action: int = self._peer.action(self._ours, board, step)
            self._state.apply_action(step)
            if action != api.NO_ACTION:
                self._ours = api.play(self._ours, action)
                return action
            board = step


class _PolicyBot:
    """A bot that draws from the probabilities of a policy."""

    def __init__(self, policy: Any, seed: int) -> None:
        self._policy, self._random = policy, np.random.default_rng(seed)

    def restart_at(self, state: Any) -> None:
        """Do nothing: the state passed to `step` contains all moves."""

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Do nothing: the state passed to `step` contains all moves."""

    def step(self, state: Any) -> int:
        """Return an action."""
        chances = _probabilities(self._policy, state)
        return int(self._random.choice(list(chances), p=list(chances.values())))


def _probabilities(policy: Any, state: Any) -> dict[int, float]:
    """Return the positive probabilities of an OpenSpiel policy in a state; raise AnswerError if one is illegal."""
    chances, legal = policy.action_probabilities(state), state.legal_actions()
    for action, chance in chances.items():
        if chance and action not in legal:
            raise AnswerError(f"expected probabilities of {legal} from an OpenSpiel policy, got {chance} for {action}")
    return {action: chance for action, chance in chances.items() if chance}


def agent_of_bot(make_bot: MakeBot, game: Game | str = "tic-tac-toe", name: str = "bot") -> AgentLike:
    """Return OpenSpiel bots as an agent: a class with `choose`, of which each player has its own instance.

    Parameters
    ----------
    make_bot
        Called for each game with a `pyspiel.Game`, the player (0 or 1) and a seed.  Returns a `pyspiel.Bot`, written
        in Python or in C++.
    game
        The game, or its name: tic-tac-toe in any size (OpenSpiel's `tic_tac_toe` and `mnk`), Connect 4 in any size,
        Ultimate with its usual rules, or `openspiel:GAME`.  Not misère.
    name
        The agent's name.

    Returns
    -------
    AgentLike
        An agent for games from the initial state: `contest`, `play_game` and other functions that play.  In a user's
        module it is `python:MODULE:NAME` on the command line.

    Raises
    ------
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> import pyspiel
    >>> from ttt_fast.play.one_game import play_game
    >>> def search(game, player, seed):
    ...     evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    ...     return pyspiel.MCTSBot(game, evaluator, 2.0, 50, 10, False, seed, False)
    >>> agent = agent_of_bot(search, "connect4", "their_search")
    >>> played = play_game(agent, "random", "connect4", seed=1)
    >>> played.x, played == play_game(agent, "random", "connect4", seed=1)
    ('their_search', True)
    """
    loaded = _loaded(game)
    made: Any = type(name, (BotAgent,), {"__init__": lambda self: BotAgent.__init__(self, *loaded, make_bot)})
    agent: AgentLike = made
    return agent


def agent_of_policy(policy: Any, game: Game | str = "tic-tac-toe", name: str = "policy") -> AgentLike:
    """Return an OpenSpiel policy as an agent that draws its moves in games from the initial state.

    Parameters
    ----------
    policy
        A policy with the method `action_probabilities(state)`, from `open_spiel.python.policy` or `pyspiel`.
    game, name
        As for `agent_of_bot`.

    Raises
    ------
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> import pyspiel
    >>> from ttt_fast.play.one_game import play_game
    >>> theirs = pyspiel.UniformRandomPolicy(pyspiel.load_game("tic_tac_toe"))
    >>> play_game("best-response:random", agent_of_policy(theirs)).result
    'x'
    """
    return agent_of_bot(lambda theirs, player, seed: _PolicyBot(policy, seed), game, name)


def policy_from_open_spiel(policy: Any, game: Game | str = "tic-tac-toe", name: str = "policy") -> Policy:
    """Return an OpenSpiel policy over the table of a game, for exact results and for games from any state.

    The policy is queried in every state once for each action that leads there.

    Parameters
    ----------
    policy, game, name
        As for `agent_of_policy`; the game must have a table.

    Raises
    ------
    AgentError
        If the probabilities in a state depend on the line of play.
    AnswerError
        If the policy gives an illegal action a probability.
    PolicyError
        If the probabilities in a state do not sum to 1.
    TableSizeError
        If the game has no table.
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> import pyspiel
    >>> from ttt_fast import exploitability
    >>> theirs = pyspiel.UniformRandomPolicy(pyspiel.load_game("mnk(m=3,n=2,k=2)"))
    >>> round(exploitability(policy_from_open_spiel(theirs, "tic-tac-toe:rows=2,columns=3,length=2")), 12)
    0.333333333333
    """
    ours, peer, theirs = _loaded(game)
    table = table_of(ours)
    rows = np.zeros((table.num_states, table.num_actions))
    lines = {0: theirs.new_initial_state()}  # the states of the first lines of play, until their children are reached
    rows[0] = _row(policy, lines[0], peer)
    for index in np.flatnonzero(table.decision_mask).tolist():  # children have larger indices
        state, line = table.state(index), lines.pop(index)
        for edge in range(table.edge_start[index], table.edge_start[index + 1]):
            child = int(table.edge_child[edge])
            if not table.decision_mask[child]:
                continue
            after = line.child(*peer.steps(state, int(table.edge_action[edge])))
            row = _row(policy, after, peer)
            if not rows[child].any():
                lines[child], rows[child] = after, row
            elif (rows[child] != row).any():
                wanted = f"a policy whose probabilities depend on the state alone, got others from {name!r}"
                other = f"after another line of play to {table.board(child)!r}"
                raise AgentError(f"expected {wanted} {other}; agent_of_policy plays it by its history")
    return as_policy(rows, ours, name)


def _row(policy: Any, state: Any, peer: Any) -> NDArray[np.float64]:
    """Return the probabilities of an OpenSpiel policy in a state, (A,) float64."""
    row = np.zeros(len(peer.numbers))
    for step, chance in _probabilities(policy, state).items():
        row[peer.numbers.index(step)] = chance
    return row
