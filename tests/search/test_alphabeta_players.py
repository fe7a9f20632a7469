"""Players that search: their strings, Bichot's presets and improved minimax."""

import math
from functools import reduce

import minimax_reference as plain
import numpy as np
import pytest

from games_reference import GAMES
from ttt_fast import TttFastError, as_player, parse_game
from ttt_fast.games import api

ULTIMATE, CONNECT_FOUR = parse_game("ultimate"), parse_game("connect4")


def wins_in_one(game, count):
    """Positions of random games in which the player to move can win at once."""
    generator, found = np.random.default_rng(1), []
    while len(found) < count:
        state = game.initial_state
        while api.status(state) == api.ONGOING:
            found += [state] * (api.winning_action(state) != api.NO_ACTION)
            state = api.play(state, int(generator.choice(api.legal_actions(state))))
    return found[:count]


@pytest.mark.parametrize("spec", ["ultimate:tie=boards", "connect4"])
@pytest.mark.parametrize("options", ["depth=3", "nodes=3000", "ms=20", "tie=first"])
def test_a_win_in_one_is_played_if_sooner_wins_are_preferred(spec, options):
    game = parse_game(spec)
    player = as_player(f"alphabeta:eval=none,prefer=fast,{options}", game)
    for state in wins_in_one(game, 30):
        assert api.status(api.play(state, player.search(state).action)) == api.player(state)


def test_a_player_repeats_itself_after_begin_and_draws_ties_anew_at_every_move():
    player, runs = as_player("alphabeta:depth=2,eval=none,tt=1", ULTIMATE), []
    for _ in range(2):
        player.begin(np.uint64(5))
        runs.append([player.search(ULTIMATE.initial_state) for _ in range(40)])
    assert runs[0] == runs[1] and len({result.action for result in runs[0]}) > 20


@pytest.mark.parametrize(("steps", "count"), [(1, 10), (3, 10), (5, 3), pytest.param(5, 10, marks=pytest.mark.slow)])
def test_the_presets_draw_from_the_published_ties(steps, count):
    player = as_player(f"minimax-{steps}", ULTIMATE)
    player.begin(np.uint64(2))
    for moves in plain.random_positions(GAMES["ultimate"], count, seed=steps):
        value, actions = plain.published_search(plain.PublishedBoard(moves), steps)
        results = [player.search(reduce(api.play, moves, ULTIMATE.initial_state)) for _ in range(4 * len(set(actions)))]
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
    listed, state, draws = plain.PublishedBoard(moves).actions(), reduce(api.play, moves, ULTIMATE.initial_state), 2000
    counts = np.bincount([player.search(state).action for _ in range(draws)], minlength=81)
    for action in range(81):
        share = listed.count(action) / len(listed)
        assert abs(counts[action] - draws * share) <= 4.5 * math.sqrt(draws * share * (1 - share))


@pytest.mark.parametrize("most", [5, pytest.param(25, marks=pytest.mark.slow)])
def test_improved_minimax(most):
    """Late, it takes a simple value above 50; else, and early, the move of the complex search."""
    late, early = (as_player(f"improved:depth=2,extra=2,start={start}", ULTIMATE) for start in (15, 41))
    wins = 0
    for moves in plain.random_positions(GAMES["ultimate"], 120, seed=10):
        board = plain.PublishedBoard(moves)
        if len(board.actions()) > most:
            continue
        late.begin(np.uint64(4)), early.begin(np.uint64(4))
        state = reduce(api.play, moves, ULTIMATE.initial_state)
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
    assert wins > 4


def test_a_player_has_a_true_value_of_every_move():
    """The values that `show` prints, whatever the ties: the best is that of the player's result."""
    player, checked = as_player("minimax-3", ULTIMATE), 0
    player.begin(np.uint64(1))
    for moves in plain.random_positions(GAMES["ultimate"], 30, seed=12):
        state, board = reduce(api.play, moves, ULTIMATE.initial_state), plain.PublishedBoard(moves)
        if len(legal := api.legal_actions(state)) < 7:
            values = player.action_values(state)
            assert list(values) == legal and max(values.values()) == player.search(state).value
            assert values == plain.unpruned_values(board, 3, "complex", published_depth=True)
            checked += 1
    assert checked > 4


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
        state, best = reduce(api.play, moves, ULTIMATE.initial_state), max(values.values())
        result = player.search(state)
        assert result.value == float(best) and values[result.action] == best
        assert player.action_values(state) == {action: float(value) for action, value in values.items()}
    assert min(deciding.values()) > 4


@pytest.mark.parametrize(
    ("game", "spec", "message"),
    [
        (CONNECT_FOUR, "alphabeta:eval=complex", "expected eval=none in a game other than ultimate"),
        (ULTIMATE, "alphabeta:tie=published,tt=1", "expected tie=published without"),
        (ULTIMATE, "alphabeta:tie=published,order=yes", "expected tie=published without"),
        (ULTIMATE, "alphabeta:depth=0", "expected depth= an integer from 1 to 81"),
        (ULTIMATE, "alphabeta:prefer=fast", "expected prefer=fast with eval=none or a file, .* with eval=complex"),
        (ULTIMATE, "alphabeta:prefer=fast,eval=simple", "expected prefer=fast .* with eval=simple"),
        (ULTIMATE, "alphabeta:deep=3", "unknown option 'deep=3'"),
        (ULTIMATE, "alphabet:depth=3", "did you mean alphabeta"),
        (CONNECT_FOUR, "mcts:leaf=none", "expected leaf= rollout or a .npz file in 'mcts:leaf=none', got 'none'"),
        (ULTIMATE, "alphabeta:eval=complx", "expected eval= auto, none, simple"),
        (CONNECT_FOUR, "mcts:expand=all", "expected expand=one or auto with leaf=rollout, got 'all'"),
        (CONNECT_FOUR, "minimax-5", "expected an agent that plays connect4"),
    ],
)
def test_strings_that_name_no_player(game, spec, message):
    with pytest.raises(TttFastError, match=message):
        as_player(spec, game)


@pytest.mark.parametrize("content", [None, b"nothing"])
def test_missing_and_foreign_files_give_one_line(tmp_path, content):
    path = tmp_path / "evaluation.npz"
    if content is not None:
        path.write_bytes(content)
    for spec in (f"mcts:leaf={path}", f"alphabeta:eval={path}"):
        with pytest.raises(TttFastError) as error:
            as_player(spec, parse_game("connect4"))
        assert str(path) in str(error.value) and "\n" not in str(error.value)
