"""The command `play`: a person against any agent, in any game."""

from typing import TYPE_CHECKING, Annotated

import typer

from ttt_fast import BoardError, UsageError
from ttt_fast.cli import EXIT_INTERRUPTED, options
from ttt_fast.cli.parsing import parse_port, parse_seat, parse_seed
from ttt_fast.cli.signatures import argument, of_run, option

if TYPE_CHECKING:
    from ttt_fast import Game
    from ttt_fast.games import api

HUMAN = "human"
"""The name of a human opponent."""


def play(
    start: options.Start,
    agent: Annotated[
        str | None,
        argument(
            "AGENT",
            "the opponent, or human for another person (default: minimax; mcts-best in games without a state table)",
        ),
    ] = None,
    game: options.Game = options.DEFAULT_GAME,
    seat: Annotated[int, option("--seat x|o", "your seat", parse_seat)] = "x",  # type: ignore[assignment]
    hints: Annotated[bool, option("--hints", "show the value of every move before each of your turns")] = False,
    hints_by: Annotated[
        str | None,
        option(
            "--hints-by AGENT",
            "agent that gives the hints (default: exact values where they are known at once, otherwise the opponent)",
        ),
    ] = None,
    seed: Annotated[int | None, of_run("--seed N", "seed of the agent's choices (default: random)", parse_seed)] = None,
    browser: Annotated[bool, option("--browser", "play on a web page, which only this machine can open")] = False,
    port: Annotated[int | None, option("--port N", "port of the page (default: any free one)", parse_port)] = None,
    no_open: Annotated[bool, option("--no-open", "print the address of the page, and open no browser")] = False,
) -> None:
    """Play against an agent, or another person: type a move, or h (hint), u (undo), n (new game), q (quit).

    The displayed board shows how to type each move.  The last move is in round brackets, and the winning line is in
    square ones.  With --browser, a web page has a choice of the game and of the agent in each seat, and shows the
    agents' values.  Ctrl-C in the terminal stops the server.
    """
    from ttt_fast import as_player, parse_game
    from ttt_fast.analysis.moves import ExactAnalysis
    from ttt_fast.report import erase_live_lines
    from ttt_fast.terminal.hints import hints_for
    from ttt_fast.terminal.play_session import PlaySession

    played = parse_game(game)
    exact = ExactAnalysis(played)
    usual = "mcts-best" if exact.table is None else "minimax"
    named = usual if agent is None else agent
    first = start.state(played)
    if browser:
        line = _line_of(played, start.position, first)
        _serve(played, seat, named, hints_by, seed, line, port or 0, opens=not no_open)
        return
    if port is not None or no_open:
        raise UsageError(f"expected {'--no-open' if port is None else '--port'} only with --browser, got no --browser")
    player = None if named == HUMAN else as_player(named, played, seats=[3 - seat])
    exact.check(first)
    hinting = hints_by or (usual if player is None or exact.table is not None else named)
    hinted: tuple[int, ...] = (
        () if exact.table is not None and hints_by is None else (1, 2) if player is None else (seat,)
    )
    give_hints = hints_for(exact, as_player(hinting, played, seats=hinted), prefers_exact=hints_by is None)
    erase_live_lines()
    if not PlaySession(played, player, seat, first, give_hints, hints=hints, seed=seed).run():
        raise typer.Exit(EXIT_INTERRUPTED)


def _line_of(game: "Game", text: str | None, start: "api.GameState") -> dict[str, str]:
    """Return the words of an address for the start of a game: its moves, or a position."""
    if text is None:
        return {}
    try:
        actions = game.parse_moves(text)
    except BoardError:
        return {"start": game.format_position(start)}
    is_named = game.board(start).kind != "text"  # as the page writes moves in addresses
    return {"moves": ".".join(game.format_moves([one]) if is_named else str(one) for one in actions)}


def _serve(
    game: "Game",
    seat: int,
    named: str,
    hints_by: str | None,
    seed: int | None,
    line: dict[str, str],
    port: int,
    *,
    opens: bool,
) -> None:
    """Serve the page of a game until Ctrl-C; print its address on standard output."""
    from ttt_fast import as_player, parse_agent
    from ttt_fast.web.render import check_extra

    check_extra("jinja2", "msgspec", "starlette", "uvicorn")
    from ttt_fast.web.server.serve import serve

    agents = [one for one in (named, hints_by) if one not in (None, HUMAN)]
    for one in agents:
        if parse_agent(one).is_external:
            raise UsageError(f"expected no external agent with --browser, got {one!r}, which plays only in a terminal")
        as_player(one, game, seats=[3 - seat] if one == named else [])
    seats = ("you", "you" if named == HUMAN else named)
    x, o = seats if seat == 1 else seats[::-1]
    settings = {"game": game.spec, "x": x, "o": o, **line}
    settings |= {} if seed is None else {"seed": str(seed)}
    settings |= {} if hints_by is None else {"asked": hints_by}

    def tell(address: str) -> None:
        typer.echo("serving the page, to this machine only; Ctrl-C stops the server", err=True)
        typer.echo(address)  # last, so that all other output precedes the address

    serve(game, settings, port, tell, opens, frozenset(agents))
