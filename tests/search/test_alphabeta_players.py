"""Players that search: their strings, Bichot's presets and improved minimax, and a warm cache."""

import math
import os
import subprocess
import sys

import minimax_reference as plain
import numpy as np
import pytest

from conftest import PATIENCE
from games_reference import GAMES
from ttt_fast.agents.convert import as_player
from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search.player import Analyst

ULTIMATE, CONNECT_FOUR = parse_game("ultimate"), parse_game("connect4")


def state_after(moves):
    state = ULTIMATE.initial_state
    for action in moves:
        state = api.play(state, action)
    return state


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4", "connect4:columns=6,rows=7", "ultimate:tie=boards"])
@pytest.mark.parametrize(
    "spec", ["alphabeta", "alphabeta:depth=2,tie=last", "alphabeta:nodes=2000,eval=none,prefer=fast"]
)
def test_a_game_between_a_search_and_random_play(game, spec):
    played = parse_game(game)
    state, players = played.initial_state, [as_player(spec, played), as_player("random", played)]
    for number, player in enumerate(players):
        player.begin(np.uint64(number))
    while api.status(state) == api.ONGOING:
        result = players[api.player(state) - 1].search(state)
        assert api.is_legal(state, result.action)
        state = api.play(state, result.action)
    assert spec.startswith("alphabeta:depth=2") or api.status(state) in (api.X_WINS, api.DRAW)
    assert players[0].memory_bytes > 0 and players[0].name == spec


def wins_in_one(game, count):
    """Positions of random games in which the player to move can win at once."""
    generator, found = np.random.default_rng(1), []
    while len(found) < count:
        state = game.initial_state
        while api.status(state) == api.ONGOING:
            found += [state] * (api.winning_action(state) != api.NO_ACTION)
            state = api.play(state, int(generator.choice(api.legal_actions(state))))
    return found[:count]


@pytest.mark.parametrize("spec", ["ultimate", "ultimate:tie=boards", "connect4"])
@pytest.mark.parametrize("options", ["depth=3", "nodes=3000", "ms=20", "tie=first"])
def test_a_win_in_one_is_played_if_sooner_wins_are_preferred(spec, options):
    game = parse_game(spec)
    player = as_player(f"alphabeta:eval=none,prefer=fast,{options}", game)
    for state in wins_in_one(game, 30):
        assert api.status(api.play(state, player.search(state).action)) == api.player(state)


@pytest.mark.parametrize("options", ["", ",eval=simple", ",eval=complex-written", ",ms=20", ",tie=first"])
def test_sooner_wins_are_not_preferred_to_rewards(options):
    with pytest.raises(
        AgentError, match=r"expected prefer=fast with eval=none or a file, .* with eval=(simple|complex)"
    ):
        as_player(f"alphabeta:prefer=fast{options}", ULTIMATE)


def test_a_player_repeats_itself_after_begin():
    player = as_player("alphabeta:depth=4,tt=1", ULTIMATE)
    runs = []
    for _ in range(2):
        player.begin(np.uint64(5))
        state, results = ULTIMATE.initial_state, []
        for _ in range(6):
            results.append(player.search(state))
            state = api.play(state, results[-1].action)
        runs.append(results)
    assert runs[0] == runs[1]


def test_ties_are_drawn_anew_at_every_move():
    player = as_player("alphabeta:depth=1,eval=none", ULTIMATE)
    player.begin(np.uint64(1))
    assert len({player.search(ULTIMATE.initial_state).action for _ in range(40)}) > 20


@pytest.mark.parametrize(("steps", "count"), [(1, 10), (3, 10), (5, 3), pytest.param(5, 10, marks=pytest.mark.slow)])
def test_the_presets_draw_from_the_published_ties(steps, count):
    player = as_player(f"minimax-{steps}", ULTIMATE)
    player.begin(np.uint64(2))
    for moves in plain.random_positions(GAMES["ultimate"], count, seed=steps):
        value, actions = plain.published_search(plain.PublishedBoard(moves), steps)
        results = [player.search(state_after(moves)) for _ in range(4 * len(set(actions)))]
        assert {result.value for result in results} == {float(value)}
        assert {result.action for result in results} <= set(actions)


def test_drawn_as_often_as_listed():
    """On a free move a cell is listed once for every free cell of its board."""
    player = as_player("alphabeta:depth=1,eval=none,tie=published,rule=published", ULTIMATE)
    player.begin(np.uint64(3))
    moves = next(
        moves
        for moves in plain.random_positions(GAMES["ultimate"], 60, seed=9)
        if len(set(plain.PublishedBoard(moves).actions())) < len(plain.PublishedBoard(moves).actions()) < 60
        and not GAMES["ultimate"].threats(moves, 1 + len(moves) % 2)  # nobody wins at once: all are equal
    )
    listed, state, draws = plain.PublishedBoard(moves).actions(), state_after(moves), 2000
    counts = np.bincount([player.search(state).action for _ in range(draws)], minlength=81)
    for action in range(81):
        share = listed.count(action) / len(listed)
        assert abs(counts[action] - draws * share) <= 4.5 * math.sqrt(draws * share * (1 - share))


@pytest.mark.parametrize("most", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_improved_minimax(most):
    """Late, it takes a simple value above 50; else, and early, the move of the complex search."""
    late, early = (as_player(f"improved:depth=2,extra=2,start={start}", ULTIMATE) for start in (15, 41))
    wins = 0
    for moves in plain.random_positions(GAMES["ultimate"], 120, seed=10):
        board = plain.PublishedBoard(moves)
        if len(board.actions()) > most:
            continue
        late.begin(np.uint64(4)), early.begin(np.uint64(4))
        state = state_after(moves)
        simple, winning = plain.published_search(board, 4, "simple")
        value, actions = plain.published_search(board, 2)
        assert early.search(state).value == float(value)
        result = late.search(state)
        if len(moves) // 2 >= 15 and simple > 50:
            assert result.value == float(simple) and result.action in winning
            wins += 1
        else:
            assert result.value == float(value) and result.action in actions
        values = late.action_values(state)
        assert set(values) == set(board.actions()) and max(values.values()) == result.value
    assert wins > 5


@pytest.mark.slow
def test_improved_minimax_as_described():
    """Late, it takes any sure win that it sees; else the printed reward decides, with true ties."""
    player = as_player("improved:depth=2,extra=1,start=15,version=written", ULTIMATE)
    deciding = {"result": 0, "complex": 0}
    for moves in plain.random_positions(GAMES["ultimate"], 150, seed=11):
        board = plain.PublishedBoard(moves)
        if len(moves) < 26 or len(set(board.actions())) > 9:
            continue
        player.begin(np.uint64(4))
        values = plain.action_values(GAMES["ultimate"], moves, 3)
        wins = len(moves) // 2 >= 15 and max(values.values()) > 0
        if not wins:
            values = plain.unpruned_values(board, 2, "complex", False, as_coded=False)
        deciding["result" if wins else "complex"] += 1
        result, best = player.search(state_after(moves)), max(values.values())
        assert result.value == float(best) and values[result.action] == best
        assert player.action_values(state_after(moves)) == {action: float(value) for action, value in values.items()}
    assert min(deciding.values()) > 4


@pytest.mark.parametrize(
    ("game", "spec"), [("connect4", "alphabeta:depth=3"), ("ultimate", "minimax-3"), ("ultimate", "improved:depth=3")]
)
def test_players_tell_what_they_make_of_every_move(game, spec):
    """The values that `show` prints are true ones, whatever the ties: the best is that of the player's result."""
    played = parse_game(game)
    player = as_player(spec, played)
    assert isinstance(player, Analyst)
    player.begin(np.uint64(1))
    for moves in plain.random_positions(GAMES[game], 8, seed=12):
        state = played.initial_state
        for action in moves:
            state = api.play(state, action)
        values = player.action_values(state)
        assert list(values) == api.legal_actions(state)
        assert max(values.values()) == player.search(state).value


@pytest.mark.parametrize(
    ("game", "spec", "message"),
    [
        (CONNECT_FOUR, "alphabeta:eval=complex", "expected eval=none in a game other than ultimate"),
        (ULTIMATE, "alphabeta:tie=published,tt=1", "expected tie=published without"),
        (ULTIMATE, "alphabeta:tie=published,order=yes", "expected tie=published without"),
        (ULTIMATE, "alphabeta:depth=0", "expected depth= an integer from 1 to 81"),
        (ULTIMATE, "alphabeta:deep=3", "unknown option 'deep=3'"),
        (ULTIMATE, "alphabet:depth=3", "did you mean alphabeta"),
        (CONNECT_FOUR, "minimax-5", "expected an agent that plays connect4"),
    ],
)
def test_strings_that_name_no_player(game, spec, message):
    with pytest.raises(AgentError, match=message):
        as_player(spec, game)


WARM = """
import sys
import numpy as np
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search.alphabeta import kernel
from ttt_fast.agents.convert import as_player
for spec in sys.argv[1:]:
    game = parse_game(spec)
    player = as_player("alphabeta:depth=4,tt=1,deepen=yes", game)
    player.begin(np.uint64(1))
    state = game.initial_state
    for _ in range(3):
        result = player.search(state)
        print(result, player.action_values(state))
        state = api.play(state, result.action)
print(sum(kernel.search.stats.cache_misses.values()))
"""


def run_in_a_process(games, folder=None):
    """What the searches answer in a new process, and how many kernels it had to compile."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": str(folder)} if folder else {})}
    done = subprocess.run(
        [sys.executable, "-c", WARM, *games],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    *answers, misses = done.stdout.splitlines()
    return answers, int(misses)


@pytest.mark.slow
def test_a_second_process_runs_the_cached_kernels():
    """Loading a search from a warm cache must neither crash nor compile: a self-recursive kernel would crash."""
    before, after = (run_in_a_process(["tic-tac-toe", "connect4", "ultimate"]) for _ in range(2))
    assert after == (before[0], 0) and len(after[0]) == 9


@pytest.mark.slow
def test_an_empty_cache_and_a_warm_one_answer_the_same(tmp_path):
    cold, warm = (run_in_a_process(["tic-tac-toe"], tmp_path) for _ in range(2))
    assert warm[0] == cold[0]
    assert (cold[1], warm[1]) == (1, 0)
