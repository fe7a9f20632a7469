"""Connect 4 and Ultimate: playouts, perft, Monte Carlo tree search, and the search as an opponent of OpenSpiel's."""

from functools import partial

import numpy as np

from groups import open_spiel_games
from groups.timing import Effort, Group, Rows, compile_row, one_core, take_turns, value_row
from random_games import play_random_games
from ttt_fast.evaluate.rating import rate
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import parse_game
from ttt_fast.running.executors import run_chunks
from ttt_fast.running.timing import Candidate
from ttt_fast.search.mcts import MctsConfig, MctsPlayer
from ttt_fast.search.perft import perft

NAMES = {"connect4": "Connect 4", "ultimate": "Ultimate"}
PERFT_DEPTHS = {"connect4": 9, "ultimate": 7}
SIMULATIONS = 2000
PLAIN = MctsConfig(sims=SIMULATIONS)
PLAYOUTS = 100_000
MANY, AT_ONCE = 64, 8
MATCH_GAMES = 400
SEARCHED = (("ultimate", 0), ("ultimate", 15), ("ultimate", 30), ("connect4", 0), ("connect4", 10))
"""Games, and the random plies after which they are searched."""
IMPORTS = """from ttt_fast.games.registry import parse_game
from random_games import play_random_games
from ttt_fast.agents.convert import as_player"""


def _named(candidate: Candidate, what: str) -> Candidate:
    return candidate._replace(name=f"{candidate.name}: {what}")


def _among_ourselves(candidates: list[Candidate], effort: Effort) -> Rows:
    """Return rows with ratios to the first, which say nothing of other programs."""
    return [{**row, "ttt_fast_is": None} for row in take_turns(candidates, effort, candidates[0].name)]


def _playouts(state: GameState) -> Candidate:
    run = partial(play_random_games, state, PLAYOUTS, threads=1)
    return Candidate("ttt_fast", "games", PLAYOUTS, run)


def _search(state: GameState, config: MctsConfig) -> Candidate:
    """Return the candidate that searches from nothing, in memory that is there."""
    player = MctsPlayer("mcts", config)

    def run() -> None:
        player.begin(np.uint64(7))
        assert player.search(state).nodes == config.sims

    return Candidate("ttt_fast", "simulations", config.sims, run)


def _playout_rows(effort: Effort) -> Rows:
    rows: Rows = []
    for game, name in NAMES.items():
        what = f"{name}, random games"
        found = [_named(_playouts(parse_game(game).initial_state), what)]
        if "open_spiel" in effort.peers:
            found.append(_named(open_spiel_games.playouts(open_spiel_games.random_position(game, 0)), what))
        rows += take_turns(found, effort, found[-1].name if len(found) > 1 else None)
    return rows


def _search_rows(effort: Effort) -> Rows:
    rows: Rows = []
    for game, plies in SEARCHED:
        what = f"{NAMES[game]} after {plies} plies, N = {SIMULATIONS:,}"
        found = [_named(_search(open_spiel_games.random_state(game, plies), PLAIN), what)]
        if "open_spiel" in effort.peers:
            position = open_spiel_games.random_position(game, plies)
            found.append(_named(open_spiel_games.search(position, SIMULATIONS), what))
        rows += take_turns(found, effort, found[-1].name if len(found) > 1 else None)
    start = parse_game("ultimate").initial_state
    configs = {
        "plain, N = 2,000": PLAIN,
        "plain, N = 100,000": MctsConfig(sims=100_000),
        "careful rollouts, N = 2,000": MctsConfig(sims=SIMULATIONS, rollout="win-or-block"),
        "solver, N = 2,000": MctsConfig(sims=SIMULATIONS, solver=True),
        "Bichot's formula, N = 2,000": MctsConfig(sims=SIMULATIONS, formula="log-ratio"),
    }
    kinds = [_named(_search(start, config), f"Ultimate, {what}") for what, config in configs.items()]
    return rows + _among_ourselves(kinds, effort)


def _perft_rows(effort: Effort) -> Rows:
    found = []
    for game, depth in PERFT_DEPTHS.items():
        state = parse_game(game).initial_state
        lines = perft(state, depth, threads=1)
        run = partial(perft, state, depth, threads=1)
        found.append(Candidate(f"ttt_fast: {NAMES[game]}, perft of {depth} plies", "lines", lines, run))
    return take_turns(found, effort)


def _thread_rows(effort: Effort) -> Rows:
    """Search many games at once, on one thread and on two."""
    state, found = parse_game("ultimate").initial_state, []

    def search(chunk: int) -> None:
        player = MctsPlayer("mcts", PLAIN)
        for game in range(chunk * AT_ONCE, (chunk + 1) * AT_ONCE):
            player.begin(np.uint64(game))
            player.search(state)

    for threads in (1, 2):
        run = partial(lambda threads: list(run_chunks(search, 0, MANY // AT_ONCE, threads)), threads)
        name = f"ttt_fast: {MANY} games of Ultimate at once, threads: {threads}"
        found.append(Candidate(name, "simulations", MANY * SIMULATIONS, run))
    return _among_ourselves(found, effort)


def _compile_rows() -> Rows:
    rows = []
    for game, name in NAMES.items():
        state = f"parse_game('{game}').initial_state"
        rows.append(
            compile_row(f"play_random_games({state}, 1)", f"compiling random games of {name}, once", imports=IMPORTS)
        )
        think = f"as_player('mcts:sims=9', parse_game('{game}')).search({state})"
        rows.append(compile_row(think, f"compiling the search of {name}, once", imports=IMPORTS))
    return rows


def games(effort: Effort) -> Rows:
    """Measure each question beside OpenSpiel's answer, on one core; then many games at once on two."""
    with one_core():
        rows = [*_playout_rows(effort), *_search_rows(effort), *_perft_rows(effort)]
    return [*rows, *_thread_rows(effort), *_compile_rows()]


def equal_simulations(effort: Effort) -> Rows:
    """Play OpenSpiel's search with the same number of simulations and the same c; nothing without it."""
    if "open_spiel" not in effort.peers:
        return []
    player = MctsPlayer("mcts", PLAIN)
    losses, draws, wins = open_spiel_games.play_matches(player, SIMULATIONS, MATCH_GAMES)
    rating = rate([losses, draws, wins])
    note = (
        f"`mcts:sims={SIMULATIONS}` v MCTSBot, uct_c = 2 sqrt(2), seats in turn: {wins} won, {draws} drawn, {losses}"
        f" lost; 95 % interval {100 * rating.score_low:.1f} to {100 * rating.score_high:.1f}"
    )
    return [value_row(f"score in {MATCH_GAMES} games, percent", 100 * rating.score, note)]


GAMES = Group("games", "Connect 4 and Ultimate, one thread unless said", games, peers=("open_spiel",))
EQUAL_SIMULATIONS = Group(
    "equal-simulations",
    "Ultimate: equal simulations against OpenSpiel's search",
    equal_simulations,
    peers=("open_spiel",),
)
