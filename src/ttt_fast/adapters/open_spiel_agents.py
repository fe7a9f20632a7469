"""OpenSpiel bots and policies as agents, usable wherever an agent may be a Python object.

OpenSpiel identifies a state by the line of play that leads to it.  In a game from the initial state, this line is the
sequence of moves.  For any other state, `adapters/histories.py` finds a line that leads there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Game, Policy, as_policy
from ttt_fast.adapters.histories import find_history
from ttt_fast.adapters.open_spiel_games import NO_BOARD, SharedGame, SharedPosition, shared_game
from ttt_fast.agents.api import AgentLike
from ttt_fast.core.errors import AnswerError
from ttt_fast.games import api

MakeBot = Callable[[Any, int, int], Any]
"""Makes a bot of a `pyspiel.Game`, a player (0 or 1) and a seed below 2**31."""
_SEEDS = 2**31


class _Board:
    """A state of OpenSpiel, kept in step with the state of this package."""

    def __init__(self, game: SharedGame) -> None:
        self.game = game
        self.clear()

    def clear(self) -> None:
        """Return to the start of the game."""
        self.ours: api.GameState = self.game.ours.initial_state
        self.theirs: Any = self.game.theirs.new_initial_state()

    def history_to(self, state: api.GameState, last: bool = False) -> list[int]:
        """Return the actions that lead to a state from the current one, or else, after a reset, from the start.

        Raises AnswerError if no line of play was found.
        """
        history = find_history(self.game.ours, self.ours, state, last=last)
        if history is None:
            self.clear()
            history = find_history(self.game.ours, self.ours, state, last=last)
        if history is None:
            wanted = f"a state of {self.game.ours.spec!r} with a known line of play"
            raise AnswerError(f"expected {wanted} for an agent of OpenSpiel, got {state!r}")
        return history

    def play(self, action: int, tell: Callable[[Any, int], object] = lambda state, step: None) -> None:
        """Play an action of this package; `tell` receives each OpenSpiel action and the state before it."""
        for step in self.game.steps(self.ours, action):
            tell(self.theirs, step)
            self.theirs.apply_action(step)
        self.ours = api.play(self.ours, action)


class BotAgent:
    """An OpenSpiel bot as an agent with `begin` and `choose`; `agent_of_bot` makes classes of it.

    Parameters
    ----------
    game
        The game.
    make_bot
        Makes a new bot for each game.
    """

    def __init__(self, game: SharedGame, make_bot: MakeBot) -> None:
        self._make_bot, self._board = make_bot, _Board(game)
        self._bot: Any = None
        self._seat, self._seed = 0, 0

    def begin(self, seed: int) -> None:
        """Begin a new game; its bot is made at the first call of `choose`."""
        self._seed, self._bot = seed % _SEEDS, None
        self._board.clear()

    def choose(self, state: api.GameState) -> int:
        """Return the bot's action in an ongoing state, after informing the bot of the moves since its last action.

        Raises
        ------
        AnswerError
            If no line of play to the state is known, or the bot's action is illegal in OpenSpiel.
        """
        board, before = self._board, self._board.ours
        seat = api.player(state)
        history = board.history_to(state)
        not_chosen = self._through_own_moves(history, seat)
        if seat != self._seat or board.ours != before or not_chosen:
            self._bot, self._seat = None, seat  # another game, or a leap in it
        if self._bot is None:
            self._bot = self._make_bot(board.game.theirs, seat - 1, self._seed)
            for action in history[:not_chosen]:
                board.play(action)
            self._bot.restart_at(board.theirs)
        for action in history[not_chosen:]:
            board.play(action, self._inform)
        return self._step()

    def _through_own_moves(self, history: list[int], seat: int) -> int:
        """Return the number of actions up to the last one of `seat`, which the bot did not choose; 0 without one."""
        state, count = self._board.ours, 0
        for number, action in enumerate(history, 1):
            if api.player(state) == seat:
                count = number
            state = api.play(state, action)
        return count

    def _inform(self, state: Any, step: int) -> None:
        """Inform the bot of an action of the other player."""
        self._bot.inform_action(state, state.current_player(), step)

    def _step(self) -> int:
        """Return the bot's action: one OpenSpiel action, or a board and then one of its cells."""
        board = self._board
        position = SharedPosition(board.ours)
        while True:
            step, legal = self._bot.step(board.theirs), board.theirs.legal_actions()
            if step not in legal:
                raise AnswerError(f"expected one of the actions {legal} from an OpenSpiel bot, got {step!r}")
            step = int(step)
            action = board.game.action(position, step)
            position = board.game.after(position, step)
            board.theirs.apply_action(step)
            if position.board == NO_BOARD:
                board.ours = position.state
                return action


class PolicyAgent:
    """An OpenSpiel policy as an agent with `begin` and `choose`; `agent_of_policy` makes classes of it."""

    def __init__(self, game: SharedGame, policy: Any) -> None:
        self._policy, self._board, self._begun = policy, _Board(game), 0

    def begin(self, seed: int) -> None:
        """Begin a new game; for a state outside the game, choose another line of play than before if several exist."""
        self._begun += 1
        self._board.clear()

    def choose(self, state: api.GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64; errors as `BotAgent.choose`."""
        board = self._board
        for action in board.history_to(state, last=self._begun % 2 == 0):
            board.play(action)
        row = np.zeros(board.game.ours.num_actions)
        self._fill(row, board.theirs, SharedPosition(board.ours), 1.0)
        return row

    def _fill(self, row: NDArray[np.float64], theirs: Any, position: SharedPosition, share: float) -> None:
        """Add the probabilities of a state of OpenSpiel, and of the states that complete the same action."""
        game, legal = self._board.game, theirs.legal_actions()
        for step, chance in self._policy.action_probabilities(theirs).items():
            if chance:
                if step not in legal:
                    raise AnswerError(
                        f"expected probabilities of {legal} from an OpenSpiel policy, got {chance} for {step}"
                    )
                action = game.action(position, step)
                if action == api.NO_ACTION:
                    self._fill(row, theirs.child(step), game.after(position, step), share * chance)
                else:
                    row[action] += share * chance


def _class_of(name: str, kind: type[Any], *given: Any) -> AgentLike:
    """Return a class whose constructor takes no arguments, so that each player can make its own instance."""
    made: Any = type(name, (kind,), {"__init__": lambda self: kind.__init__(self, *given), "__doc__": kind.__doc__})
    agent: AgentLike = made
    return agent


def agent_of_bot(make_bot: MakeBot, game: Game | str = "tic-tac-toe", name: str = "bot") -> AgentLike:
    """Return OpenSpiel bots as an agent: a class with `choose`, of which each player has its own instance.

    Parameters
    ----------
    make_bot
        Called for each game with a `pyspiel.Game`, the player (0 or 1) and a seed.  Returns a `pyspiel.Bot`, written
        in Python or in C++.
    game
        The game, or its name, as for `SharedGame`.
    name
        The agent's name.

    Returns
    -------
    AgentLike
        An agent for `contest`, `play_game`, `exact_outcome` and all other functions that accept agents as objects.  In
        a user's module it is `python:MODULE:NAME` on the command line.

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
    return _class_of(name, BotAgent, shared_game(game), make_bot)


def agent_of_policy(policy: Any, game: Game | str = "tic-tac-toe", name: str = "policy") -> AgentLike:
    """Return an OpenSpiel policy as an agent: a class with `choose`, of which each player has its own instance.

    Parameters
    ----------
    policy
        A policy with the method `action_probabilities(state)`, from `open_spiel.python.policy` or `pyspiel`.
    game
        The game, or its name, as for `SharedGame`.
    name
        The agent's name.

    Raises
    ------
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> import pyspiel
    >>> from ttt_fast import exact_outcome
    >>> theirs = pyspiel.UniformRandomPolicy(pyspiel.load_game("tic_tac_toe"))
    >>> exact_outcome(agent_of_policy(theirs), "random").draws == exact_outcome("random", "random").draws
    True
    """
    return _class_of(name, PolicyAgent, shared_game(game), policy)


def policy_from_open_spiel(policy: Any, game: Game | str = "tic-tac-toe", name: str = "policy") -> Policy:
    """Return an OpenSpiel policy over the table of a game, for exact results.

    The policy is queried twice in every state, after the first and after the last of the lines of play to the state.

    Parameters
    ----------
    policy, game, name
        As for `agent_of_policy`; the game must have a table.

    Raises
    ------
    AgentError
        If the probabilities in a state depend on the line of play.
    AnswerError
        If the probabilities are invalid.
    TableSizeError
        If the game has no table.
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> import pyspiel
    >>> from ttt_fast.evaluate.strength import exploitability
    >>> theirs = pyspiel.UniformRandomPolicy(pyspiel.load_game("mnk(m=3,n=2,k=2)"))
    >>> round(exploitability(policy_from_open_spiel(theirs, "tic-tac-toe:rows=2,columns=3,length=2")), 12)
    0.333333333333
    """
    return as_policy(agent_of_policy(policy, game, name), game)
