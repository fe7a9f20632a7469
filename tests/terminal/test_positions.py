"""Rows of a position: what each player plays, and what it says of each move."""

import json
from math import nan

import numpy as np
import pytest

from ttt_fast.agents.convert import as_player
from ttt_fast.core.errors import TttFastError
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.training import start_training, train
from ttt_fast.report.rows import encode
from ttt_fast.search.player import SearchResult
from ttt_fast.terminal.positions import position_report, position_rows


class Fixed:
    """Plays one action with one value; says of each action what it is told to."""

    memory_bytes = 0

    def __init__(self, name: str, action: int, value: float = nan) -> None:
        self.name, self.result = name, SearchResult(action, value, 1)

    def begin(self, stream: np.uint64) -> None:
        """Nothing is drawn."""

    def search(self, state) -> SearchResult:
        return self.result


class FixedAnalyst(Fixed):
    def action_values(self, state) -> dict[int, float]:
        return {3: 1.0, 4: -0.25, 5: nan}


def test_columns_of_players():
    game = parse_game("connect4")
    players = [Fixed("silent", 0), Fixed("valued", 1, 0.5), FixedAnalyst("all", 3, 1.0)]
    rows = position_rows(game, game.state_after("4453"), players)
    assert [row["move"] for row in rows] == list("1234567")
    assert [row["action"] for row in rows] == list(range(7))
    assert rows[6]["board"] == game.format_position(game.state_after("44537"))
    assert [[row[name] for row in rows].index(1.0) for name in ("silent", "valued", "all")] == [0, 1, 3]
    assert "silent value" not in rows[0]
    assert [row["valued value"] for row in rows] == [None, 0.5, *[None] * 5]
    assert [row["all value"] for row in rows][3:5] == [1.0, -0.25] and rows[0]["all value"] is None
    assert json.loads(encode("json", "show", rows, {}))["rows"][5]["all value"] is None
    text = position_report(game, game.state_after("4453"), rows, players)
    for words in ("X to move", "plays", "-0.25", "+1"):
        assert words in text
    assert "nan" not in text


def test_players_that_draw_tell_their_probabilities():
    game = parse_game("connect4")
    players = [as_player(spec, game) for spec in ("random", "default:skill=1/2", "default")]
    state = game.state_after("112233")  # X wins with 4
    for name, expected in (
        ("random", [1 / 7] * 7),
        ("default", [0, 0, 0, 1, 0, 0, 0]),
        ("default:skill=1/2", [*[1 / 14] * 3, 1 / 2 + 1 / 14, *[1 / 14] * 3]),
    ):
        rows = position_rows(game, state, players)
        assert [row[name] for row in rows] == pytest.approx(expected), name


@pytest.mark.parametrize("spec", ["random", "default", "default:skill=0.3"])
def test_what_is_drawn_has_the_probabilities_that_are_told(spec):
    game = parse_game("connect4")
    player, state = as_player(spec, game), game.state_after("11223")
    shares = player.probabilities(state)
    player.begin(np.uint64(3))
    drawn = np.bincount([player.search(state).action for _ in range(2000)], minlength=7) / 2000
    assert np.abs(drawn - shares).max() < 4 * np.sqrt(0.25 / 2000)
    assert (drawn[shares == 0] == 0).all() and (drawn[shares == 1] == 1).all()


@pytest.mark.parametrize("algorithm", ["afterstate", "q"])
@pytest.mark.parametrize("tie", ["first", "last", "random"])
def test_a_hash_table_tells_the_value_of_each_action(algorithm, tie):
    game = parse_game("connect4:columns=5,rows=5,length=3")
    config = TrainingConfig(game=game.spec, algorithm=algorithm, tie=tie, episodes=4000, step_size="0.5", judges="")
    player = train(start_training(config)).player()
    player.name = "table"
    for moves in ("", "3", "331", "1111"):
        state = game.state_after(moves)
        values, result = player.action_values(state), player.search(state)
        assert list(values) == [action for action in game.legal_actions(state) if action in values]
        assert result.action not in values or result.value == values[result.action] == max(values.values())
    values = player.action_values(game.initial_state)
    assert len(set(values.values())) > 1
    rows = position_rows(game, game.initial_state, [player])
    assert [row["table value"] for row in rows] == [values.get(row["action"]) for row in rows]


def test_a_player_that_counts_visits_has_a_column_of_them():
    game = parse_game("ultimate")
    state = game.state_after("55")
    player = as_player("mcts:sims=4000", game)
    rows = position_rows(game, state, [player])
    visits = [row["mcts:sims=4000 visits"] for row in rows]
    assert len(rows) == 8 and sum(visits) == 4000
    assert rows[int(np.argmax(visits))]["mcts:sims=4000"] == 1.0
    assert all(-1 < row["mcts:sims=4000 value"] < 1 for row in rows)
    assert f"{max(visits):,}" in position_report(game, state, rows, [player])


def test_tic_tac_toe_keeps_its_exact_columns_and_probabilities():
    game = parse_game("tic-tac-toe")
    state = game.parse_position("XX.OO....")
    rows = position_rows(game, state, [as_player("random", game), Fixed("search", 2, 1.0)])
    assert [row["random"] for row in rows] == [pytest.approx(1 / 5)] * 5
    best = next(row for row in rows if row["action"] == 2)
    assert (best["value_x"], best["distance"], best["search"], best["search value"]) == (1, 1, 1.0, 1.0)
    assert "under best play X wins in 1 ply" in position_report(game, state, rows, [Fixed("search", 2)])


def test_what_is_drawn_depends_on_the_seed_alone():
    game = parse_game("ultimate")
    chosen = set()
    for seed in range(8):
        rows = position_rows(game, game.initial_state, [as_player("mcts:sims=20", game)], seed)
        assert rows == position_rows(game, game.initial_state, [as_player("mcts:sims=20", game)], seed)
        assert sum(row["mcts:sims=20"] for row in rows) == 1
        chosen.add(next(row["move"] for row in rows if row["mcts:sims=20"]))
    assert len(rows) == 81 and len(chosen) > 1


def test_a_finished_game_has_no_rows_and_asks_nobody():
    game = parse_game("connect4")
    state = game.state_after("1122334")
    assert api.status(state) == api.X_WINS
    players = [Fixed("silent", 0)]
    assert position_rows(game, state, players) == []
    assert "the game is over: X has won" in position_report(game, state, [], players)


def test_an_illegal_move_of_a_player_is_an_error():
    game = parse_game("connect4")
    with pytest.raises(TttFastError, match="legal action from 'cheat', got 9"):
        position_rows(game, game.initial_state, [Fixed("cheat", 9)])


def test_a_lost_position_calls_no_move_best():
    game = parse_game("tic-tac-toe")
    state = game.parse_position("XO.X.....")
    players = [as_player("minimax", game)]
    text = position_report(game, state, position_rows(game, state, players), players)
    assert "best" not in text.replace("under best play", "") and text.count("slowest loss") == 1
    assert text.count(" loses ") == 5
    assert text.endswith("numbers from 0 to 1 of an agent: the probability that it plays the move\n")
