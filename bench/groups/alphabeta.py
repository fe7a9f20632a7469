"""Alpha-beta: Bichot's minimax a move, beside a straightforward kernel; nodes saved; Connect 4; compiling."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from groups.plain_minimax import board_arrays, minimax, root_value
from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns, value_row
from ttt_fast.agents.convert import as_player
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.running.timing import Candidate
from ttt_fast.search.player import Player

STRAIGHTFORWARD = "straightforward kernel: five-step minimax, complex reward"
_GAMES, _RANDOM_PLIES, _QUARTERS, _WIDE_OPEN = 8, 4, 4, 1 << 40
_START = "from ttt_fast.games.registry import parse_game; from ttt_fast.agents.convert import as_player; "


def positions_of_games() -> list[Any]:
    """Return the positions that minimax-5 meets in games against minimax-3, after some random plies."""
    game, met = parse_game("ultimate"), []
    generator = np.random.default_rng(0)
    for number in range(_GAMES):
        players = [as_player(f"minimax-{steps}", game) for steps in (5, 3)]
        for player in players:
            player.begin(generator.integers(0, 2**64, dtype=np.uint64))
        state = game.initial_state
        while api.status(state) == api.ONGOING:
            if api.ply(state) < _RANDOM_PLIES:
                state = api.play(state, int(generator.choice(api.legal_actions(state))))
                continue
            mover = players[(api.player(state) - 1 + number) % 2]
            if mover is players[0]:
                met.append(state)
            state = api.play(state, mover.search(state).action)
    return met


def search_all(player: Player, states: Sequence[Any]) -> int:
    """Let a player search every state; return the sum of its nodes."""
    return sum(player.search(state).nodes for state in states)


def candidate(spec: str, game: str, states: Sequence[Any]) -> Candidate:
    """Return a candidate that searches every state."""
    player = as_player(spec, parse_game(game))
    player.begin(np.uint64(1))
    return Candidate(f"ttt_fast: {spec}", "calls", len(states), lambda: search_all(player, states))


def plain_candidate(states: Sequence[Any]) -> Candidate:
    """Return the straightforward kernel over the same states, which it gets as arrays."""
    arrays, nodes = [(*board_arrays(state), state.last, state.player) for state in states], np.zeros(1, np.int64)

    def run() -> None:
        for cells, large, last, player in arrays:
            minimax(cells, large, last, player, 5, True, -_WIDE_OPEN, _WIDE_OPEN, nodes)

    return Candidate(STRAIGHTFORWARD, "calls", len(states), run)


def check_values(states: Sequence[Any]) -> None:
    """Raise AssertionError if the straightforward kernel and the players disagree about a value."""
    published = as_player("minimax-5", parse_game("ultimate"))
    nodes = np.zeros(1, np.int64)
    for state in states:
        plain, ours = root_value(state, 5, True, nodes), published.search(state).value
        if plain != ours * _QUARTERS:
            raise AssertionError(f"expected the value {plain / _QUARTERS!r}, got {ours!r} of {state!r}")


def nodes_row(spec: str, game: str, states: Sequence[Any]) -> dict[str, Any]:
    """Return a row with the nodes of a position."""
    player = as_player(spec, parse_game(game))
    player.begin(np.uint64(1))
    return value_row(f"{spec}: nodes a position", search_all(player, states) / len(states), game)


def ultimate(effort: Effort) -> Rows:
    """Measure what a move of minimax takes in Ultimate, one thread."""
    states = positions_of_games()
    check_values(states)
    beside = [plain_candidate(states), candidate("minimax-5", "ultimate", states)]
    with one_core():
        rows = take_turns(beside, effort, STRAIGHTFORWARD)
        others = ("minimax-1", "minimax-3", "alphabeta:depth=5,rule=published", "alphabeta:depth=5", "improved")
        rows += take_turns([candidate(spec, "ultimate", states) for spec in others], effort)
    rows.append(value_row("positions, of games between minimax-5 and minimax-3", len(states)))
    counted = ["minimax-5", *(f"alphabeta:depth=5,rule=published{rest}" for rest in ("", ",order=no", ",prune=no"))]
    rows += [nodes_row(spec, "ultimate", states) for spec in counted]
    return rows


def connect_four(effort: Effort) -> Rows:
    """Measure positions looked at in Connect 4, from the empty board and eight plies deep, one thread."""
    start, rows = parse_game("connect4").initial_state, []
    specs = [f"alphabeta:depth=8{rest}" for rest in (",prune=no", ",order=no", "", ",tt=16,deepen=yes")]
    found = []
    for spec in specs:
        player = as_player(spec, parse_game("connect4"))

        def search(player: Player = player) -> int:
            player.begin(np.uint64(1))  # which empties the table
            return player.search(start).nodes

        nodes = search()
        rows.append(value_row(f"{spec}: nodes", nodes))
        found.append(Candidate(f"ttt_fast: {spec}", "nodes", nodes, search))
    with one_core():
        return [*take_turns(found, effort), *rows]


def compiling(effort: Effort) -> Rows:
    """Measure how long the search of each game takes to compile, once."""
    rows = []
    for game in ("tic-tac-toe", "connect4", "ultimate"):
        search = f'game = parse_game("{game}"); as_player("alphabeta:depth=4", game).search(game.initial_state)'
        rows.append({**compile_row(_START + search), "what": f"compiling the search of {game}, once"})
    return rows


ULTIMATE = Group("alphabeta-ultimate", "Minimax with alpha-beta in Ultimate, one thread", ultimate)
CONNECT_FOUR = Group("alphabeta-connect4", "Alpha-beta in Connect 4, one thread", connect_four)
COMPILING = Group("alphabeta-compiling", "Compiling alpha-beta", compiling)
