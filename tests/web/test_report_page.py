"""The report of a policy: its numbers are those of the scorecard, its mistakes those of the exact values."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import ttt_fast
from cli_runner import run
from conftest import as_strategy, random_policy
from ttt_fast import Policy, TrainingRun, as_policy, exact_outcome, scorecard, solution_of, symmetry_of, table_of
from ttt_fast.evaluate.strength import ADVERSARY
from ttt_fast.games.board_svg import CELL, MARGIN
from ttt_fast.web.chart import chart_of
from ttt_fast.web.report_page import mistakes, openings, picture, report_html

SVG = "{http://www.w3.org/2000/svg}"


def test_the_scorecard_is_the_exact_one():
    page = report_html("buggy2").decode()
    random, minimax = as_policy("random"), as_policy("minimax")
    for row in scorecard(as_policy("buggy2"), [random, minimax]):
        best = ("", "") if row.opponent == ADVERSARY else (f"{row.best_value:.6f}", f"{row.regret:.6f}")
        texts = (*(f"{number:.6f}" for number in (row.x_wins, row.draws, row.o_wins, row.value)), *best)
        cells = r"\s*".join(rf'<td class="number">{re.escape(text)}</td>' for text in texts)
        assert re.search(cells, page)
    assert "<script" not in page and 'class="chart"' not in page


def test_the_mistakes_are_the_classes_that_lose_most():
    policy = random_policy(3)
    table, strategy = policy.table, as_strategy(policy)
    value, classes = solution_of(table).value, symmetry_of(table).representative
    reach = {seat: exact_outcome(*((policy, as_policy("random"))[:: 3 - 2 * seat])).reach for seat in (1, 2)}
    expected = dict.fromkeys(set(classes.tolist()), 0.0)
    for state in np.flatnonzero(table.decision_mask).tolist():
        seat = int(table.player[state])
        sign = 3 - 2 * seat
        board = tuple(".XO".index(mark) for mark in table.board(state))
        lost = sum(
            share * sign * (int(value[state]) - int(value[table.child[state, action]]))
            for action, share in strategy(board).items()
        )
        expected[int(classes[state])] += lost * float(reach[seat][state])
    found = [int(classes[one["state"]]) for one in mistakes(policy, most=20)]
    amounts = [expected[one] for one in found]
    assert amounts == pytest.approx(sorted(expected.values(), reverse=True)[:20], abs=1e-9)
    assert len(set(found)) == 20


def test_a_policy_without_mistakes_has_none():
    assert mistakes(as_policy("minimax")) == []
    assert b"None: no move" in report_html("minimax")


def test_openings_are_the_first_decisions_of_each_seat_up_to_symmetry():
    found = openings(as_policy("heuribot"))
    boards = [as_policy("heuribot").table.board(one["state"]) for one in found]
    assert boards == [".........", "X........", ".X.......", "....X...."]
    assert found[0]["label"] == "position .........; plays 4 with 100.0%"
    small = openings(as_policy("random", "connect4:columns=4,rows=3,length=3"))
    assert [one["caption"] for one in small] == ["as X", "as O after 1", "as O after 2"]


def test_a_run_has_its_settings_and_a_curve_that_ends_at_the_last_measure(tmp_path):
    path = tmp_path / "self.npz"
    assert run("train", "--opponent", "self", "--episodes", "20k", "-o", path).code == 0
    page, training = report_html(str(path)).decode(), TrainingRun.load(path)
    assert training.sha256() in page and "<dd>20,000</dd>" in page and "<dd>X and O</dd>" in page
    columns = dict(zip(training.columns, training.history[-1], strict=True))
    assert f"{columns['wins'] - columns['losses']:.6f} at the last; best value 0.994792" in page
    assert f"{columns['exploitability']:.6f} at the last; best value 0.000000" in page
    names = ["exploitability of the greedy policy", "value as X against random, which may fall while play improves"]
    assert re.findall("<h3>(.*)</h3>", page) == names
    assert f"Made by ttt_fast {ttt_fast.__version__}: <code>ttt-fast page self.npz --game tic-tac-toe</code>" in page


def test_a_network_chosen_by_its_exact_value_is_said_to_be(tmp_path):
    for keep in ("best", "last"):
        path = tmp_path / f"{keep}.npz"
        assert run("train", "--algorithm", "dqn", "--keep", keep, "--episodes", "30", "-o", path).code == 0
        page = report_html(str(path)).decode()
        assert ("keep=best" in page) == (keep == "best")
        assert re.findall("<h3>(.*)</h3>", page)[0] == "value as X against random"


@pytest.mark.parametrize(("best", "room", "ends"), [(1.0, -0.1, ("0.9", "1")), (0.0, 0.1, ("0", "0.1"))])
def test_the_axis_of_a_constant_ends_at_the_best_value(best, room, ends):
    chart = chart_of(np.arange(5.0), np.full(5, best), best, "value", room)
    assert (chart.y_marks[0][1], chart.y_marks[-1][1]) == ends


def test_a_chart_puts_values_where_they_are():
    chart = chart_of(np.arange(5.0), np.array([-1.0, 0.0, 0.5, 0.5, 1.0]), 1.0, "value", -0.1)
    points = [tuple(map(float, pair.split(","))) for pair in chart.points.split()]
    across, down = (np.array(one) for one in zip(*points, strict=True))
    assert np.diff(across) == pytest.approx([(chart.right - chart.left) / 4] * 4, abs=0.11)
    assert np.diff(down) / (down[4] - down[0]) == pytest.approx([0.5, 0.25, 0, 0.25], abs=1e-3)
    assert chart.best == (down[4], "1.000000")
    assert {text: place for place, text in chart.y_marks}["0"] == pytest.approx(down[1], abs=0.11)


def test_a_stone_is_shown_where_it_lands():
    table = table_of("connect4:columns=3,rows=3,length=3")
    state = table.state_index(".../O../X..")
    texts = ElementTree.fromstring(picture(as_policy("random", table.game), state)["picture"]).findall(f"{SVG}text")
    cells = {(float(text.get("x")) - MARGIN) // CELL + 3 * ((float(text.get("y")) - MARGIN) // CELL) for text in texts}
    assert cells == {0, 7, 8}


def test_a_cross_stands_in_the_middle_of_its_cell():
    game = ttt_fast.parse_game("tic-tac-toe")
    (path,) = re.findall(r'd="M(\d+) (\d+)l(\d+) (\d+)', game.svg(game.state_after("0")))
    left, top, width, height = map(int, path)
    assert (2 * left + width, 2 * top + height) == (2 * MARGIN + CELL, 2 * MARGIN + CELL)


def test_a_move_that_loses_value_is_dashed():
    page = picture(as_policy("random"), table_of("tic-tac-toe").state_index("X........"))["picture"]
    assert page.count(">12</text>") == 8 and page.count("stroke-dasharray") == 7  # the middle alone draws


def test_a_position_without_cells_is_a_text():
    table = ttt_fast.table_from_functions(
        3, lambda state: [1], lambda state, taken: state - taken, lambda state: None if state else 1, name="report-3"
    )
    shown = picture(Policy.uniform(table), 0)
    assert shown["picture"] == "" and shown["text"] == f"{table.board(0)}\n1 with 100.0%"
    assert b'<pre class="text-board">' in report_html("random", "report-3")


def test_names_are_escaped(tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>.npz"
    assert run("train", "--episodes", "1k", "-o", path).code == 0
    page = report_html(str(path))
    assert b"<img" not in page and b"&lt;img src=x" in page
