"""A game move by move: each position as seen by both agents and by the exact analysis."""

from collections.abc import Iterable, Iterator, Sequence

from ttt_fast.agents.convert import as_player
from ttt_fast.agents.simple_players import seated
from ttt_fast.analysis.agents import AgentAnalysis, AgentMoves
from ttt_fast.analysis.moves import ExactAnalysis, MoveView
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.player import SearchResult
from ttt_fast.tables import StateTable

Move = tuple[int, dict[str, AgentMoves]]
"""An action, and the analyses of both agents by seat."""


def annotated_game(
    game: Game,
    agents: tuple[str, str],
    start: GameState,
    *,
    actions: Sequence[int] | None = None,
    seed: int = 0,
    exact: bool = False,
    table: StateTable | None = None,
) -> Iterator[MoveView]:
    """Play a game between two agents, or replay one, and yield the view of each position with the move that is played.

    Both agents analyse each position, also the agent that is not to move.  Its analysis uses a second player of the
    same agent, so that it does not change the game.

    Parameters
    ----------
    game, start
        The game, and its first state.
    agents
        The texts of X and O, or their names in a replayed game.
    actions
        The moves of a game to replay, whose views contain no agents.  If None, the agents play.
    seed
        Seed of the agents' choices.
    exact
        Whether to solve early positions as well as late ones, which may take minutes.
    table
        An induced table, as for `ExactAnalysis`.

    Returns
    -------
    iterator of MoveView
        The agents are `x` and `o`, with the values of their own moves.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> view = next(annotated_game(game, ("minimax:tie=first", "random"), game.initial_state))
    >>> view.action, view.agents["x"].probability(0), round(view.agents["o"].probability(0), 3), view.exact[0].value_x
    (0, 1.0, 0.111, 0)
    """
    analysis, state = ExactAnalysis(game, early=exact, table=table), start
    moves: Iterable[Move] = _played(game, agents, start, seed) if actions is None else ((one, {}) for one in actions)
    for action, views in moves:
        yield MoveView(game, state, analysis.moves(state), views, action=action)
        state = api.play(state, action)


def _played(game: Game, agents: tuple[str, str], start: GameState, seed: int) -> Iterator[Move]:
    """Yield the moves of a game between two agents, with the analyses of both."""
    playing = [as_player(text, game) for text in agents]
    players = [as_player(text, game) for text in agents]
    for side in (0, 1):
        seated(playing[side], side + 1)
        playing[side].begin(chunk_stream(seed, side))
        players[side].begin(chunk_stream(seed, side, 1))
    state = start
    while api.status(state) == api.ONGOING:
        check_interrupt()
        side = int(api.player(state)) - 1
        results: list[SearchResult | None] = [None, None]
        results[side] = result = playing[side].search(state).checked(playing[side], state)
        yield (
            result.action,
            {seat: AgentAnalysis(players[one]).in_game(state, results[one]) for one, seat in enumerate("xo")},
        )
        state = api.play(state, result.action)
