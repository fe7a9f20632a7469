"""One position of any game, and what players make of it: the rows and the report of `show`."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from rich.console import RenderableType

from ttt_fast._rng import chunk_stream
from ttt_fast.errors import TttFastError
from ttt_fast.games import api
from ttt_fast.games.registry import Game
from ttt_fast.report.advice import action_values
from ttt_fast.report.boards import turn_text, view_of
from ttt_fast.report.console import rich_table
from ttt_fast.report.results import move_rows
from ttt_fast.report.rows import Row
from ttt_fast.report.tables import render
from ttt_fast.search.player import Player, VisitCounter
from ttt_fast.search.simple_players import PolicyPlayer
from ttt_fast.tables import standard_table


def position_rows(game: Game, state: Any, players: Sequence[Player], seed: int = 0) -> list[dict[str, Any]]:
    """Return a row for each legal action of a state, none if its game is over.

    Parameters
    ----------
    game, state
        A position.
    players
        Who are asked.  Column NAME holds the probability of the action where the player is a table of
        probabilities; else 1 for what it plays with this seed, and 0.  Column `NAME value` holds its value of
        the action: of each one if it analyses, else of the one that it plays, if it has an opinion at all.
        Column `NAME visits` holds the simulations that began with it, of a player that counts them.
    seed
        Seed of their choices.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> from ttt_fast.search.roster import make_player
    >>> game = parse_game("connect4:columns=4,rows=4,length=3")
    >>> rows = position_rows(game, game.state_after("1122"), [make_player("default", game)])
    >>> [(row["move"], row["default"]) for row in rows]
    [('1', 0.0), ('2', 0.0), ('3', 1.0), ('4', 0.0)]
    """
    if game.name == "tic-tac-toe":
        text = game.format_position(state)
        rows: list[dict[str, Any]] = move_rows(standard_table().state_index(text), [])
    else:
        rows = [
            {"action": a, "move": game.format_moves([a]), "position": game.format_position(api.play(state, a))}
            for a in api.legal_actions(state)
        ]
    if rows:
        for player in players:
            _add_columns(rows, player, state, seed)
    return rows


def _add_columns(rows: list[dict[str, Any]], player: Player, state: Any, seed: int) -> None:
    """Add what a player makes of the actions."""
    if isinstance(player, PolicyPlayer):
        shares = player.probabilities(state)
        for row in rows:
            row[player.name] = float(shares[row["action"]])
        return
    values = action_values(player, state, chunk_stream(seed))
    player.begin(chunk_stream(seed))
    thought = player.think(state)
    if not api.is_legal(state, thought.action):
        raise TttFastError(f"expected a legal move of {player.name!r}, got {thought.action!r}")
    if not values and not isnan(thought.value):
        values = {thought.action: thought.value}
    for row in rows:
        row[player.name] = float(row["action"] == thought.action)
    if values:
        for row in rows:
            row[f"{player.name} value"] = values.get(row["action"])
    if isinstance(player, VisitCounter):
        visits = player.visit_counts()
        for row in rows:
            row[f"{player.name} visits"] = visits.get(row["action"], 0)


def position_report(game: Game, state: Any, rows: Sequence[Row], players: Sequence[Player]) -> str:
    """Return the report of `ttt-fast show`: the board, who is to move, and each move."""
    items: list[RenderableType] = [view_of(game).draw(state, {})]
    if game.name != "ultimate":  # whose drawing tells it
        items.append(turn_text(game, state))
    if rows:
        items.append(rich_table([_shown(row, players) for row in rows]))
    return render(items)


def _shown(row: Row, players: Sequence[Player]) -> dict[str, Any]:
    """Return a row as a person wants it."""
    shown: dict[str, Any] = {"move": row.get("move", str(row["action"]))}
    if "value_x" in row:
        shown["value for X"], shown["in plies"] = row["value_x"], row["distance"]
    for player in players:
        if player.name not in row:
            continue
        share = row[player.name]
        shown[player.name] = "plays" if share == 1 else f"{share:.4f}" if share else "·"
        column = f"{player.name} value"
        if column in row:
            value = row[column]
            shown[column] = "" if value is None or isnan(value) else f"{value:+.4g}"
        column = f"{player.name} visits"
        if column in row:
            shown[column] = f"{row[column]:,}"
    return shown
