"""One game between any two agents, with its boards, for inspection and for notebooks."""

from dataclasses import dataclass
from html import escape

from ttt_fast.agents.convert import AgentLike, as_player
from ttt_fast.core.checks import whole_number
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.play.openings import read_opening
from ttt_fast.play.pairs import play_game as play_record


@dataclass(frozen=True)
class PlayedGame:
    """A game that has been played.

    Attributes
    ----------
    game
        The game.
    x, o
        Names of the players.
    actions
        The moves, as numbers.
    moves
        The moves, in the notation of the game.
    result
        `x`, `draw` or `o`.
    boards
        The board before each move, and the last one, as text.

    Examples
    --------
    >>> played = play_game("minimax:tie=first", "minimax:tie=first")
    >>> played.result, played.boards[-1], len(played)
    ('draw', 'XXOOOXXOX', 9)
    """

    game: Game
    x: str
    o: str
    actions: tuple[int, ...]
    moves: str
    result: str
    boards: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of moves."""
        return len(self.actions)

    def __repr__(self) -> str:
        """Return a one-line description of the game."""
        ending = {"x": f"{self.x} (x) wins", "draw": "a draw", "o": f"{self.o} (o) wins"}[self.result]
        return f"<PlayedGame of {self.game.spec}, {self.x} v {self.o}: {self.moves}, {ending}>"

    def _repr_html_(self) -> str:
        """Return the boards in a row, for notebooks."""
        from ttt_fast.games.board_svg import board_html  # only notebooks draw

        state, pictures, last = self.game.parse_position(self.boards[0]), [], None
        for action in (*self.actions, None):
            picture = board_html(self.game.board(state, last), self.game.spec)
            pictures.append(f'<div style="margin:0.4em">{picture}</div>')
            if action is not None:
                state, last = api.play(state, action), action
        return f'<p>{escape(repr(self))}</p><div style="display:flex;flex-wrap:wrap">{"".join(pictures)}</div>'


def play_game(
    x: AgentLike, o: AgentLike, game: Game | str = "tic-tac-toe", *, seed: int = 0, opening: str = ""
) -> PlayedGame:
    """Play one game.

    Parameters
    ----------
    x, o
        The agents: strings, policies, functions of a state, or objects with `choose`.
    game
        The game, or its name.
    seed
        Seed of all choices; players with a time limit are exempt.
    opening
        Moves that are played first, or the first board.

    Raises
    ------
    AgentError
        If a string names no agent of the game.
    AnswerError
        If an external agent fails, or makes an illegal move.
    BoardError
        If the opening is neither moves nor a board.

    Examples
    --------
    >>> from ttt_fast.games import api
    >>> def first(state):
    ...     return api.legal_actions(state)[0]
    >>> play_game(first, first)
    <PlayedGame of tic-tac-toe, first v first: 0123456, first (x) wins>
    >>> play_game("random", "mcts:sims=100", "connect4", seed=1, opening="44").moves[:2]
    '44'
    """
    played = parse_game(game)
    players = as_player(x, played), as_player(o, played)
    for side, player in enumerate(players):
        player.begin(chunk_stream(whole_number(seed, "the seed", 0), side))
    record = play_record(played, *players, read_opening(opening, played, played.parse_state(opening)))
    state = played.parse_position(record.start) if record.start else played.initial_state
    actions, boards = played.parse_moves(record.moves, state), [played.format_position(state)]
    for action in actions:
        state = api.play(state, action)
        boards.append(played.format_position(state))
    names = record.x, record.o
    return PlayedGame(played, *names, tuple(actions), record.moves, record.result, tuple(boards))
