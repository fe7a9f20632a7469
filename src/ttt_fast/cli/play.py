"""The command `play`: a person against any agent, in any game."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttt_fast.cli import EXIT_INTERRUPTED, options
from ttt_fast.cli.parsing import parse_seat, parse_seed
from ttt_fast.cli.signatures import argument, option
from ttt_fast.core.errors import UsageError

if TYPE_CHECKING:
    from ttt_fast.games.registry import Game
    from ttt_fast.terminal.session_game import SessionGame


def play(
    agent: Annotated[str | None, argument("AGENT", "the opponent (default: minimax; mcts-best in other games)")] = None,
    opponent: Annotated[str | None, option("--opponent AGENT", "the same, spelled as in `train`")] = None,
    game: options.Game = "tic-tac-toe",
    seat: Annotated[int, option("--seat x|o", "your seat", parse_seat)] = "x",  # type: ignore[assignment]
    board: options.Board = None,
    position: options.Position = None,
    moves: options.Moves = None,
    hints: Annotated[bool, option("--hints", "show the value of every move before each of yours")] = False,
    hints_by: Annotated[
        str | None,
        option(
            "--hints-by AGENT",
            "who gives hints (default: the exact values of tic-tac-toe, the agent itself in other games)",
        ),
    ] = None,
    seed: Annotated[int | None, option("--seed N", "seed of the agent's choices", parse_seed)] = None,
) -> None:
    """Play against an agent: type a move, or h (hint), u (undo), n (new game), q (quit)."""
    from ttt_fast.games.registry import parse_game
    from ttt_fast.tables import has_table
    from ttt_fast.terminal.play_session import PlaySession

    if agent is not None and opponent is not None:
        raise UsageError(f"expected one opponent, got {agent!r} and --opponent {opponent!r}")
    played = parse_game(game)
    named = opponent if agent is None else agent
    usual = "minimax" if has_table(played) else "mcts-best"
    start = options.parse_start(played, board, position, moves)
    against = _session_game(played, start, usual if named is None else named, seed, hints_by)
    if not PlaySession(against, seat, start, hints=hints).run():
        raise typer.Exit(EXIT_INTERRUPTED)


def _session_game(game: "Game", start: Any, agent: str, seed: int | None, hints_by: str | None) -> "SessionGame":
    """Return the game that a session plays."""
    from ttt_fast.agents.registry import make_player
    from ttt_fast.tables import find_table
    from ttt_fast.terminal.advice import ExactAdviser, PlayerAdviser
    from ttt_fast.terminal.session_game import SessionGame

    player, table = make_player(agent, game), find_table(game)
    if table is not None:
        table.state_index(game.format_position(start))
    by = agent if hints_by is None else hints_by
    adviser = ExactAdviser(table) if table is not None and hints_by is None else PlayerAdviser(by, game)
    options.announce_compilation()
    return SessionGame(game, player, seed, adviser)
