"""The server's page in a real browser: whole games of all three, live values, undo, and rules for access.

Needs Chromium and the extras `browser-tests` and `web`; a machine without them skips these tests and says so.
"""

import re
import sys
from urllib.parse import parse_qs, urlencode

import pytest

pytest.importorskip("uvicorn", reason="the server needs the extra web")

from browser_client import (
    DESK,
    PHONE,
    assert_usable,
    click_cell,
    expect,
    needs_browser,
    said,
    says,
    watched_tabs,
)
from conftest import PATIENCE
from server_process import Running
from ttt_fast import as_player, as_policy, parse_game, table_of
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.analysis.moves import ExactAnalysis, exact_moves
from ttt_fast.games import api

pytestmark = [needs_browser, pytest.mark.extra]

ENDS = {api.X_WINS: "X has won.", api.O_WINS: "O has won.", api.DRAW: "The game is a draw."}
REFUSED = "Failed to load resource: the server responded with a status of 4"
"""A browser's own words about a question that the server refuses."""
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(scope="module")
def server():
    running = Running()
    yield running
    assert running.end()[0] == 0


@pytest.fixture
def visit(browser, server):
    """Open the page with settings; in the end no word on a console, and no request but to the server."""
    own = f"http://127.0.0.1:{server.port}{server.path}"
    with watched_tabs(browser, lambda url: url.startswith((own, "data:")), expected=REFUSED) as opened:

        def go(viewport=DESK, scheme="light", **settings):
            tab = opened(f"{own}#play?{urlencode(settings)}", viewport=viewport, scheme=scheme)
            expect(tab.locator("body")).to_have_attribute("data-ready", "yes", timeout=PATIENCE * 1000)
            return tab

        yield go


def moves_of(tab):
    """The actions of the game that is shown, by the address, which writes moves as the command line does."""
    settings = parse_qs(tab.evaluate("location.hash").partition("?")[2])
    game = parse_game(settings["game"][0])
    return [game.parse_moves(one)[0] for one in settings.get("moves", [""])[0].split(".") if one]


def has_moves(tab, number):
    expect(said(tab, "history").locator("li")).to_have_count(number, timeout=PATIENCE * 1000)


GAMES = {
    "tic-tac-toe": ("tic-tac-toe", "x", "minimax:tie=first", 5, None),
    "tic-tac-toe as O, lost": ("tic-tac-toe", "o", "random", 5, api.X_WINS),
    "another board": ("tic-tac-toe:rows=3,columns=4", "x", "random", 5, None),
    "connect4 as O, lost": ("connect4", "o", "mcts:sims=50", 3, api.X_WINS),
    "connect4 as O, a perfect agent": ("connect4", "o", "solver", 1, api.X_WINS),
    "ultimate, won": ("ultimate", "x", "random", 2, api.X_WINS),
}
"""The game, the person's seat, the agent in the other one, a seed, and the result that the seed gives."""
PLAYED = {"ultimate": 24}
"""Moves that a game begins with: a whole one takes the browser half a minute."""


@pytest.mark.parametrize("name", GAMES)
def test_a_game_to_its_end(name, visit):
    spec, seat, agent, seed, result = GAMES[name]
    game = parse_game(spec)
    state, line = game.initial_state, []
    for number in range(PLAYED.get(spec, 0)):
        line.append(api.legal_actions(state)[number % len(api.legal_actions(state))])
        state = api.play(state, line[-1])
    begun = {"moves": ".".join(game.format_moves([one]) for one in line)} if line else {}
    tab = visit(game=spec, seed=seed, **begun, **{seat: "you", "xo".replace(seat, ""): agent})
    yours, played = 0 if seat == "x" else 1, len(line)
    while True:
        says(tab, "status", re.compile(r"Your move|has won|is a draw"))
        moves = moves_of(tab)
        for action in moves[played:]:
            state = api.play(state, action)
        played = len(moves)
        if api.status(state) != api.ONGOING:
            break
        assert played % 2 == yours
        legal = api.legal_actions(state)
        enabled = tab.locator("#play-view .board button:not([aria-disabled])").evaluate_all(
            "buttons => buttons.map((one) => Number(one.dataset.action)).sort((a, b) => a - b)"
        )
        assert enabled == legal
        click_cell(tab, legal[(7 * played) % len(legal)])
        expect(said(tab, "history").locator("li").nth(played)).to_be_visible(timeout=PATIENCE * 1000)
    assert said(tab, "status").inner_text().startswith(ENDS[int(api.status(state))])
    assert result in (None, int(api.status(state)))
    assert tab.locator("#play-view .board .mark").count() == sum(mark in "XO" for mark in marks_of(game, state))
    assert tab.locator("#play-view .board button:not([aria-disabled])").count() == 0


def marks_of(game, state):
    return game.format_position(state).upper()


def test_undo_new_game_and_a_swap(visit):
    tab = visit(game="ultimate", x="you", o="random", seed=1)
    for own in range(2):
        tab.locator("#play-view .board button:not([aria-disabled])").first.click()
        has_moves(tab, 2 * own + 2)
        says(tab, "status", "Your move: X.")
    said(tab, "undo").click()
    has_moves(tab, 2)
    said(tab, "swap").click()
    says(tab, "status", "Your move: O.")  # the agent has moved as X
    has_moves(tab, 3)
    said(tab, "new").click()
    says(tab, "status", "Your move: O.")
    has_moves(tab, 1)
    assert said(tab, "undo").is_disabled()  # the first move is the agent's


HINTS = {
    "connect4": ("4.4.4.4.4.4.3.3.3.3.3.3", "(exact)"),
    "ultimate": ("11.12.21", "the choice of mcts:sims=60"),
}


@pytest.mark.parametrize("spec", HINTS)
def test_a_hint_is_exact_or_an_agents_and_is_played_and_undone(spec, visit):
    begun, words = HINTS[spec]
    tab = visit(game=spec, moves=begun, x="you", o="you", asked="mcts:sims=60", seed=1)
    said(tab, "hint").click()
    expect(said(tab, "hint-text")).to_contain_text(words, timeout=PATIENCE * 1000)
    hinted = tab.locator("#play-view .board button.hinted")
    action, game = int(hinted.get_attribute("data-action")), parse_game(spec)
    state = game.initial_state
    for move in begun.split("."):
        state = api.play(state, game.parse_moves(move)[0])
    if spec == "connect4":
        assert action in [move.action for move in ExactAnalysis(game).moves(state) if move.fastest]
    else:
        assert action in AgentAnalysis(as_player("mcts:sims=60", game)).moves(state, 1).probabilities
    hinted.click()
    has_moves(tab, begun.count(".") + 2)
    assert moves_of(tab)[-1] == action
    said(tab, "undo").click()
    has_moves(tab, begun.count(".") + 1)
    assert hinted.count() == 0


def test_an_agents_values_stand_on_the_board_where_none_is_exact(visit):
    tab = visit(game="ultimate", moves="11.12.21", x="you", o="you", asked="mcts:sims=90", seed=4, values="shown")
    expect(said(tab, "legend")).to_contain_text("mcts:sims=90's own estimate", timeout=PATIENCE * 1000)
    game = parse_game("ultimate")
    state = game.initial_state
    for action in (0, 1, 9):
        state = api.play(state, action)
    view = AgentAnalysis(as_player("mcts:sims=90", game)).moves(state, 4)
    for action in api.legal_actions(state):
        note = tab.locator(f"#play-view .board [data-action='{action}'] .note").inner_text()
        assert float(note.replace(MINUS, "-")) == pytest.approx(view.values[action], abs=0.0051)


def test_the_page_says_that_its_game_is_prepared(browser, server):
    context = browser.new_context()
    tab = context.new_page()
    tab.add_init_script("window.fetch = () => new Promise(() => {})")  # no answer comes
    tab.goto(f"http://127.0.0.1:{server.port}{server.path}")
    expect(tab.locator("#loading")).to_have_text("Preparing the game …")
    expect(tab.locator("#play-view")).to_be_hidden()
    context.close()


def test_two_agents_play_on_and_step_by_step(visit):
    tab = visit(game="connect4", x="default", o="mcts:sims=20", seed=2)
    expect(said(tab, "history").locator("li").nth(2)).to_be_visible(timeout=PATIENCE * 1000)
    said(tab, "auto").click()
    says(tab, "auto", "Go on")
    moves = len(moves_of(tab))
    said(tab, "step").click()
    has_moves(tab, moves + 1)
    said(tab, "auto").click()
    says(tab, "status", re.compile("has won|draw"))


def test_values_are_exact_and_those_of_the_agents(visit):
    table, board = table_of("tic-tac-toe"), "X...O...."
    tab = visit(
        game="tic-tac-toe",
        start=board,
        x="you",
        o="heuribot",
        asked="alphabeta:depth=3|default",
        seed=4,
        values="shown",
    )
    expect(said(tab, "moves").locator("tbody .unknown")).to_have_count(0, timeout=PATIENCE * 1000)
    state = table.state_index(board)
    heads = said(tab, "moves").locator("thead th").all_inner_texts()
    assert heads == ["Move", "Exact", "heuribot", "alphabeta:depth=3", "default"]
    search = AgentAnalysis(as_player("alphabeta:depth=3", table.game)).moves(table.state(state), 4)
    rows = said(tab, "moves").locator("tbody tr").all()
    for row, exact in zip(rows, exact_moves(table, state), strict=True):
        move, value, heuribot, alphabeta, default = (cell.strip() for cell in row.inner_text().split("\t"))
        assert move == str(exact.action)
        outcome = ("loss", "draw", "win")[exact.value_x + 1]
        assert value.replace("✓", "").strip() == f"{outcome} in {exact.distance}" and ("✓" in value) == exact.optimal
        for spec, text in (("heuribot", heuribot), ("default", default)):
            chance = as_policy(spec).probabilities[state, exact.action]
            assert text.startswith("·" if chance == 0 else "100 %" if chance == 1 else f"{100 * chance:.1f} %")
        told = f"{search.values[exact.action]:+.3f}".replace("-", MINUS)
        assert alphabeta.startswith("100 %" if exact.action in search.probabilities else "·") and told in alphabeta
    assert "under best play a draw in 7 plies" in said(tab, "facts").inner_text()


SOLVED = "4.4.4.4.4.4.3.3.3.3.3.3"


def test_visits_of_a_search_and_a_solved_position(visit):
    tab = visit(game="connect4", moves=SOLVED, x="mcts:sims=100", o="you", asked="solver", seed=1, values="shown")
    tab.evaluate("document.querySelector('[data-part=auto]').click()")
    expect(said(tab, "facts")).to_contain_text("under best play", timeout=PATIENCE * 1000)
    tab = visit(game="connect4", moves=SOLVED, x="you", o="you", asked="mcts:sims=100", seed=1, values="shown")
    expect(said(tab, "moves").locator("td.best").first).to_be_visible(timeout=PATIENCE * 1000)
    expect(said(tab, "moves").locator("tbody")).to_contain_text("(", timeout=PATIENCE * 1000)
    visits = re.findall(r"\((\d+)\)", said(tab, "moves").inner_text())
    assert sum(map(int, visits)) == 100


@pytest.mark.parametrize("spec", ["mcts:sims=9999999", "<img src=x onerror=alert(1)>"])
def test_an_agent_that_is_refused_is_told(spec, visit):
    tab = visit(game="connect4", x="you", o="you", seed=1)
    said(tab, "typed").fill(spec)
    said(tab, "typed").press("Enter")
    expect(said(tab, "problem")).to_contain_text(f"{spec}: expected", timeout=PATIENCE * 1000)  # the values are folded
    said(tab, "values-title").click()
    expect(said(tab, "agents").locator("figure .small")).to_contain_text("expected", timeout=PATIENCE * 1000)
    assert said(tab, "agents").locator("figcaption").inner_text() == spec
    said(tab, "x").select_option(spec)
    expect(said(tab, "status")).to_contain_text(f"{spec} does not move: expected", timeout=PATIENCE * 1000)
    said(tab, "x").select_option("you")
    click_cell(tab, 3)
    has_moves(tab, 1)


def test_the_board_by_the_keyboard_alone(visit):
    tab = visit(game="ultimate", x="you", o="you", seed=1)
    tab.locator("#play-view .cell").first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "Enter"):  # board 2, cell 4
        tab.keyboard.press(key)
    has_moves(tab, 1)
    assert moves_of(tab) == [12]
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "board 2, cell 4: X"
    tab.keyboard.press("u")
    has_moves(tab, 0)


def test_a_click_into_a_column_lets_a_stone_fall(visit):
    tab = visit(game="connect4", x="you", o="you", seed=1)
    tab.locator("#play-view .board .spot").nth(9).click()
    has_moves(tab, 1)
    assert moves_of(tab) == [2]


def test_the_end_of_the_server_is_told(browser):
    running = Running("--game", "connect4", "human")
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"http://127.0.0.1:{running.port}{running.path}#{running.address.fragment}")
    says(tab, "status", "Your move: X.")
    assert running.end()[0] == 0
    click_cell(tab, 3)
    expect(said(tab, "problem")).to_contain_text("the server does not answer", timeout=PATIENCE * 1000)
    context.close()


COMPILING = [sys.executable, "-c", """
import threading
from ttt_fast.core.compilation import compiling
from ttt_fast.games.registry import parse_game
from ttt_fast.web.server import app
from ttt_fast.web.server.serve import serve
line_response = app.line_response

def slow(game, request):
    if len(request.moves) == 1:  # as if a kernel were compiled
        compiling.begin()
        threading.Event().wait(3)
        compiling.end()
    return line_response(game, request)

app.line_response = slow
game = parse_game("tic-tac-toe")
serve(game, {"x": "you", "o": "you"}, 0, lambda address: print(address, flush=True), opens=False)
"""]  # fmt: skip


def test_the_board_is_locked_while_the_server_compiles(browser):
    running = Running(program=COMPILING)
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"http://127.0.0.1:{running.port}{running.path}#{running.address.fragment}")
    says(tab, "status", "Your move: X.")
    expect(said(tab, "preparing")).to_be_hidden()
    click_cell(tab, 4)
    expect(said(tab, "preparing")).to_have_text(re.compile("Preparing: compiling "), timeout=PATIENCE * 1000)
    assert said(tab, "board").evaluate("board => board.inert")
    has_moves(tab, 1)
    expect(said(tab, "preparing")).to_be_hidden()
    assert not said(tab, "board").evaluate("board => board.inert")
    click_cell(tab, 0)
    has_moves(tab, 2)
    context.close()
    assert running.end()[0] == 0


VIEWS = {
    "tic-tac-toe": {"game": "tic-tac-toe", "moves": "0.4", "asked": "minimax|random", "values": "shown"},
    "connect4": {"game": "connect4", "moves": "4.4.4.4.4.2", "asked": "mcts:sims=60", "values": "shown"},
    "ultimate": {
        "game": "ultimate",
        "moves": "11.12.21.13.31.19.91.14.41.15.51",
        "asked": "mcts:sims=90|random",
        "values": "shown",
    },
    "a refused agent": {"game": "ultimate", "moves": "55", "asked": "nobody", "values": "shown"},
}


@pytest.mark.parametrize(("viewport", "scheme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone, dark", "desk, light"])
@pytest.mark.parametrize("name", VIEWS)
def test_anybody_can_use_it(name, viewport, scheme, visit):
    tab = visit(x="you", o="you", viewport=viewport, scheme=scheme, seed=1, **VIEWS[name])
    expect(said(tab, "agents").get_by_text("thinking")).to_have_count(0, timeout=PATIENCE * 1000)
    assert_usable(tab)


def test_with_values_the_page_fits_the_window_and_names_have_room(visit):
    tab = visit({"width": 1280, "height": 800}, game="tic-tac-toe", x="you", o="minimax", values="shown")
    expect(said(tab, "moves").locator("tbody tr")).to_have_count(9, timeout=PATIENCE * 1000)
    assert tab.evaluate("document.documentElement.scrollHeight") <= 900  # the board and the footer
    assert tab.evaluate("document.querySelector('[data-part=x]').clientWidth") >= 250
    assert "class" not in said(tab, "facts").inner_text()


def test_on_a_phone_the_number_of_a_board_lies_above_the_value_of_its_first_cell(visit):
    tab = visit({"width": 390, "height": 844}, game="ultimate", x="you", o="random", values="shown")
    note = tab.locator("#play-view .cell[data-action='0'] .note")
    expect(note).to_have_text(re.compile("%"), timeout=PATIENCE * 1000)
    number = "getComputedStyle(document.querySelector('.cells.nested .small-board'), '::before')"
    board = tab.locator("#play-view .board .small-board").first.bounding_box()
    below = tab.evaluate(f"parseFloat({number}.top) + parseFloat({number}.height)")
    assert board["y"] + below <= note.bounding_box()["y"] + 1
