"""Exact values of all moves of late positions of Ultimate, from games of Monte Carlo tree search."""

import time
from statistics import median

from groups.timing import Effort, Group, Rows, seconds_row, value_row
from ttt_fast import as_player, parse_game
from ttt_fast.analysis.moves import SEARCH_NODES
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.search.alphabeta.searcher import MAX_DEPTH, AlphaBeta, SearchOptions

AGENT = "mcts:sims=1000"
PLIES = (46, 42)
GAMES, TABLE_MB, MAX_NODES = 60, 16, 200_000_000


def positions() -> dict[int, list[api.GameState]]:
    """Return the positions at each of `PLIES` of games of `AGENT` against itself, of those that last longer."""
    game, found = parse_game("ultimate"), {ply: list[api.GameState]() for ply in PLIES}
    players = [as_player(AGENT, game), as_player(AGENT, game)]
    for number in range(GAMES):
        state = game.initial_state
        for seat, player in enumerate(players):
            player.begin(chunk_stream(0, number, seat))
        while api.status(state) == api.ONGOING and api.ply(state) <= max(PLIES):
            if api.ply(state) in PLIES:
                found[int(api.ply(state))].append(state)
            state = api.play(state, players[int(api.ply(state)) % 2].search(state).action)
    return found


def late_values(effort: Effort) -> Rows:
    """Measure each position with an empty table, with one thread."""
    search = AlphaBeta(parse_game("ultimate").initial_state, SearchOptions(depth=MAX_DEPTH, tt=TABLE_MB))
    rows: Rows = []
    for ply, states in positions().items():
        spent, enough = [], 0
        search.exact_values(states[0], MAX_NODES)  # loads the kernel
        for state in states:
            search.forget()
            enough += search.exact_values(state, SEARCH_NODES) is not None
            search.forget()
            started = time.perf_counter()
            assert search.exact_values(state, MAX_NODES) is not None
            spent.append(time.perf_counter() - started)
        note = f"{len(states)} of {GAMES} games of {AGENT}, each with an empty table of {TABLE_MB} MiB"
        rows += [
            seconds_row(f"ply {ply}: all moves, median", median(spent), note),
            seconds_row(f"ply {ply}: all moves, slowest", max(spent), note),
            value_row(f"ply {ply}: percent within {SEARCH_NODES:,} nodes", 100 * enough / len(states), note),
        ]
    return rows


LATE_VALUES = Group("late-values", "Exact values of late positions of Ultimate", late_values)
