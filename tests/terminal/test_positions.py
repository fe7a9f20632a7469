"""Rows of a position: what each player plays, and what it says of each move."""

import json
from math import nan

import numpy as np
import pytest

from ttt_fast import TrainingConfig, TttFastError, as_player, parse_game, train
from ttt_fast.agents.api import SearchResult
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.report.moves import position_rows
from ttt_fast.report.rows import encode
from ttt_fast.terminal.positions import position_report


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


def view_of(spec, text, players=(), seed=0):
    game = parse_game(spec)
    return ExactAnalysis(game).view(game.parse_state(text), players, seed)


def test_columns_of_players():
    game = parse_game("connect4")
    players = [Fixed("silent", 0), Fixed("valued", 1, 0.5), FixedAnalyst("all", 3, 1.0)]
    view = view_of("connect4", "4453", players)
    rows = position_rows(view)
    assert [row["move"] for row in rows] == list("1234567")
    assert [row["action"] for row in rows] == list(range(7))
    assert rows[6]["board"] == game.format_position(game.state_after("44537"))
    assert [[row[name] for row in rows].index(1.0) for name in ("silent", "valued", "all")] == [0, 1, 3]
    assert "silent value" not in rows[0]
    assert [row["valued value"] for row in rows] == [None, 0.5, *[None] * 5]
    assert [row["all value"] for row in rows][3:5] == [1.0, -0.25] and rows[0]["all value"] is None
    assert json.loads(encode("json", "show", rows, {}))["rows"][5]["all value"] is None
    text = position_report(view)
    for words in ("X to move", "plays", "-0.25", "+1"):
        assert words in text
    assert "nan" not in text


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
    player = train(config).player()
    player.name = "table"
    for moves in ("", "3", "331", "1111"):
        state = game.state_after(moves)
        values, result = player.action_values(state), player.search(state)
        assert list(values) == [action for action in game.legal_actions(state) if action in values]
        assert result.action not in values or result.value == values[result.action] == max(values.values())
    values = player.action_values(game.initial_state)
    assert len(set(values.values())) > 1
    rows = position_rows(view_of(game.spec, "", [player]))
    assert [row["table value"] for row in rows] == [values.get(row["action"]) for row in rows]


def test_a_player_that_counts_visits_has_a_column_of_them():
    view = view_of("connect4", "44", [as_player("mcts:sims=4000", "connect4")])
    rows = position_rows(view)
    visits = [row["mcts:sims=4000 visits"] for row in rows]
    assert len(rows) == 7 and sum(visits) == 4000
    assert rows[int(np.argmax(visits))]["mcts:sims=4000"] == 1.0
    assert all(-1 < row["mcts:sims=4000 value"] < 1 for row in rows)
    assert f"({max(visits)})" in position_report(view)


def test_tic_tac_toe_keeps_its_exact_columns_and_probabilities():
    view = view_of("tic-tac-toe", "XX.OO....", [as_player("random"), Fixed("search", 2, 1.0)])
    rows = position_rows(view)
    assert [row["random"] for row in rows] == [pytest.approx(1 / 5)] * 5
    best = next(row for row in rows if row["action"] == 2)
    assert (best["value_x"], best["distance"], best["search"], best["search value"]) == (1, 1, 1.0, 1.0)
    text = position_report(view)
    assert "under best play X wins in 1 ply" in text and "heuribot's rule for the board: win" in text


def test_what_is_drawn_depends_on_the_seed_alone():
    chosen = set()
    for seed in range(8):
        rows, again = (
            position_rows(view_of("connect4", "", [as_player("mcts:sims=20", "connect4")], seed)) for _ in range(2)
        )
        assert rows == again and sum(row["mcts:sims=20"] for row in rows) == 1
        chosen.add(next(row["move"] for row in rows if row["mcts:sims=20"]))
    assert len(rows) == 7 and len(chosen) > 1


def test_an_illegal_move_of_a_player_is_an_error():
    with pytest.raises(TttFastError, match="legal action from 'cheat', got 9"):
        view_of("connect4", "", [Fixed("cheat", 9)])


def test_a_lost_position_calls_no_move_best():
    text = position_report(view_of("tic-tac-toe", "XO.X.....", [as_player("minimax")]))
    assert "best" not in text.replace("under best play", "") and text.count("slowest loss") == 1
    assert text.count(" loses ") == 5
    assert text.endswith("numbers from 0 to 1 of an agent: the probability that it plays the move\n")
