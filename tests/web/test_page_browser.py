"""The page in a real browser: whole games, filters, links, keys, and rules for access; no error and no request.

Needs Chromium and the extra `browser-tests`; a machine without them skips these tests and says so.
"""

import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

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
from cli_runner import run
from conftest import PATIENCE
from reference import LINES
from ttt_fast import as_policy, regret, solution_of, symmetry_of, table_of
from ttt_fast.policies.heuribot import Rule, classify_states

pytestmark = [needs_browser, pytest.mark.extra]

FROZEN, EXACT = "random:frozen=1", "minimax:tie=first,prefer=fast"
SMALL = "connect4:columns=3,rows=3,length=3"
MISERE = "tic-tac-toe:misere=yes"
HOSTILE = "<img src=x onerror=alert(1)>.npz"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of the pages that are looked at, and the agents of the first one by their names there."""
    folder = tmp_path_factory.mktemp("pages")
    learned = folder / HOSTILE
    assert run("train", "--episodes", "20k", "-o", learned).code == 0
    specs = [FROZEN, EXACT, "heuribot", "default", str(learned)]
    assert run("page", "-o", folder / "page.html", "--agents", ",".join(specs)).code == 0
    assert run("page", "-o", folder / "small.html", "--game", SMALL).code == 0
    words = ("--game", "openspiel:nim(pile_sizes=2;3)", "--agents", "minimax,random")
    assert run("page", "-o", folder / "text.html", *words).code == 0
    assert run("page", learned, "-o", folder / "report.html").code == 0
    assert run("page", "default", "-o", folder / "default.html").code == 0
    return folder, {Path(spec).name if spec == str(learned) else spec: as_policy(spec) for spec in specs}


@pytest.fixture
def visit(browser, pages):
    """Open a page; at the end of the test there must have been no word on the console and no request."""
    with watched_tabs(browser, lambda url: url.startswith(("file:", "data:"))) as opened:
        yield lambda name, address="", **words: opened(f"{(pages[0] / name).as_uri()}{address}", **words)


def has_marks(tab, number):
    marks = tab.locator("#play-view .board .mark")
    expect(marks).to_have_count(number, timeout=PATIENCE * 1000)


def game_to(agent, seat, wanted):
    """The actions of a game of a person in a seat against an agent that has one move, which ends as wanted."""
    table, replies = agent.table, agent.greedy_actions()

    def search(state):
        if table.status[state]:
            return [] if table.status[state] == wanted else None
        legal = np.flatnonzero(table.child[state] >= 0).tolist()
        for action in legal if table.player[state] == seat else [int(replies[state])]:
            rest = search(int(table.child[state, action]))
            if rest is not None:
                return [action, *rest]
        return None

    found = search(0)
    assert found is not None
    return found


def marked(tab, name):
    """The cells of the board with a class."""
    return tab.locator("#play-view .board .cell, #play-view .board .spot").evaluate_all(
        "(cells, name) => [...cells.keys()].filter((place) => cells[place].classList.contains(name))", name
    )


ENDS = {
    "X wins": (FROZEN, 1, 1, "X has won. You win!"),
    "O wins": (FROZEN, 2, 2, "O has won. You win!"),
    "X loses": (EXACT, 1, 2, "O has won. You lose."),
    "O loses": (EXACT, 2, 1, "X has won. You lose."),
    "a draw": (EXACT, 1, 3, "The game is a draw."),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_whole_game(name, visit, pages):
    spec, seat, wanted, words = ENDS[name]
    agent, actions = pages[1][spec], game_to(pages[1][spec], seat, wanted)
    tab = visit("page.html")
    for place, own in (("x", seat == 1), ("o", seat == 2)):
        said(tab, place).select_option("you" if own else spec)
    for ply, action in enumerate(actions):
        if ply % 2 == seat - 1:
            says(tab, "status", f"Your move: {'XO'[seat - 1]}.")
            click_cell(tab, action)
    says(tab, "status", words)
    marks = ["."] * 9
    for ply, action in enumerate(actions):
        marks[action] = "XO"[ply % 2]
    assert marked(tab, "last") == [actions[-1]]
    lines = [line for line in LINES if wanted < 3 and {marks[cell] for cell in line} == {"XO"[wanted - 1]}]
    assert marked(tab, "in-line") == sorted({cell for line in lines for cell in line})
    shown = tab.locator("#play-view .cell").evaluate_all("cells => cells.map((one) => one.ariaLabel.split(': ')[1])")
    assert shown == [mark.replace(".", "empty") for mark in marks]
    assert said(tab, "facts").text_content().endswith(f"{('', 'X has won', 'O has won', 'a draw')[wanted]}.")
    assert tab.evaluate("location.hash").find("moves=" + ".".join(map(str, actions))) > 0
    assert agent.table.status[agent.table.state_index("".join(marks))] == wanted


def test_a_move_cannot_be_made_on_a_mark_nor_out_of_turn(visit):
    tab = visit("page.html", "#play?moves=0.4&x=you&o=you")
    tab.locator("#play-view .cell[data-action='4']").click(force=True)
    assert said(tab, "history").locator("li").count() == 2
    tab = visit("page.html", f"#play?moves=0&x=you&o={EXACT}", before="window.setTimeout = () => 0")  # it never answers
    tab.locator("#play-view .cell[data-action='8']").click(force=True)
    says(tab, "status", f"{EXACT} is thinking: O.")
    assert said(tab, "history").locator("li").count() == 1
    said(tab, "undo").click()  # nor does it have to
    says(tab, "status", "Your move: X.")


def test_an_agent_plays_no_seat_that_it_has_not_learned(visit):
    tab = visit("page.html", f"#play?x=you&o={quote(HOSTILE)}")
    click_cell(tab, 4)
    says(tab, "status", f"{HOSTILE} does not move: it has learned no position of O")


def test_an_agent_draws_its_moves_by_their_chances(visit):
    tab = visit("page.html", "#play?x=you&o=you")
    code = """async (share) => {
        const { drawn } = await import("page/game");
        const moves = [0, 0.25, 0, 0.5, 0.25, 0].map((chance, action) => ({ chance, action }));
        return drawn(moves, share).action;
    }"""
    shares = (0.0, 0.2499, 0.25, 0.7499, 0.75, 0.9999, 1.0)
    assert [tab.evaluate(code, share) for share in shares] == [1, 1, 3, 3, 4, 4, 4]


def classes_where(wanted):
    """The number of classes with a state for which `wanted` is set."""
    return len(set(symmetry_of(table_of("tic-tac-toe")).representative[wanted].tolist()))


def disagreeing(agents):
    """The states where the favourite moves of two agents that know it lead to no position in common."""
    table = table_of("tic-tac-toe")
    classes, found = symmetry_of(table).representative, np.zeros(table.num_states, bool)
    for state in np.flatnonzero(table.decision_mask).tolist():
        sets = []
        for agent in agents:
            if agent.held[state]:
                row = agent.probabilities[state]
                best = np.flatnonzero(row > row.max() - 1e-3)
                sets.append({int(classes[table.child[state, action]]) for action in best})
        found[state] = any(not one & other for one in sets for other in sets)
    return found


def filter_cases(agents):
    table = table_of("tic-tac-toe")
    value, rules = solution_of(table).value, classify_states(table).rules
    lost = {name: (regret(agent) > 0) & agent.held for name, agent in agents.items()}
    any_lost = np.any(list(lost.values()), axis=0)
    disagree = disagreeing(agents.values())
    return [
        ({}, table.ply >= 0),
        ({"ply": "4"}, table.ply == 4),
        ({"value": "draw"}, value == 0),
        ({"value": "o", "over": "no"}, (value == -1) & table.decision_mask),
        ({"over": "yes"}, ~table.decision_mask),
        ({"class": "fork"}, rules == Rule.FORK),
        ({"loses": "default"}, lost["default"]),
        ({"loses": HOSTILE}, lost[HOSTILE]),
        ({"loses": "any agent", "ply": "2"}, any_lost & (table.ply == 2)),
        ({"disagree": "yes"}, disagree),
        ({"disagree": "yes", "class": "block", "value": "x"}, disagree & (rules == Rule.BLOCK) & (value == 1)),
    ]


def test_each_filter_finds_what_it_says(visit, pages):
    tab = visit("page.html", "#atlas")
    assert classes_where(table_of("tic-tac-toe").ply >= 0) == 765
    for settings, wanted in filter_cases(pages[1]):
        said(tab, "clear", "atlas").click()
        for name, value in settings.items():
            chosen = tab.locator(f"[data-filter={name}]")
            chosen.check() if name == "disagree" else chosen.select_option(value)
        number = classes_where(wanted)
        says(tab, "count", f"{number} of 765 positions up to symmetry", "atlas")
        if len(settings) > 1:  # these hold every filter; the address says the same
            tab.reload()
            says(tab, "count", f"{number} of 765 positions up to symmetry", "atlas")
        assert 0 < number and tab.locator("#atlas-view .card").count() == min(number, 36)


def test_the_atlas_shows_all_positions_with_every_agents_moves(visit, pages):
    tab = visit("page.html", "#atlas?order=ply")
    more = said(tab, "more", "atlas")
    while more.is_visible():
        more.click()
    states = tab.locator("#atlas-view .card").evaluate_all("cards => cards.map((one) => Number(one.dataset.state))")
    table = table_of("tic-tac-toe")
    assert states == sorted(set(symmetry_of(table).representative.tolist()))
    labels = tab.locator("#atlas-view .card[data-state='1'] .picture").evaluate_all(
        "all => all.map((x) => x.ariaLabel)"
    )
    assert (
        labels[0] == "position X........" and labels[1 + list(pages[1]).index("heuribot")] == "heuribot plays 4 100 %"
    )
    assert labels[-1] == f"{HOSTILE} has not learned the position"
    assert (
        "default plays 1 12.5 %, which loses value; 2 12.5 %, which loses value"
        in labels[1 + list(pages[1]).index("default")]
    )


def test_a_position_of_the_atlas_leads_to_its_game_and_back(visit):
    tab = visit("page.html", "#atlas?ply=2&value=x&order=ply")
    tab.locator("#atlas-view .card a").first.click()
    says(tab, "status", "Your move: X.")
    assert "start=XO......." in tab.evaluate("location.hash")
    click_cell(tab, 4)
    says(tab, "status", "Your move: O.")
    said(tab, "empty").click()
    has_marks(tab, 0)
    click_cell(tab, 8)
    tab.locator("nav a[data-view=atlas]").click()
    tab.locator("#atlas-view").wait_for(state="visible")
    assert tab.locator("[data-filter=ply]").input_value() == "2"
    tab.locator("nav a[data-view=play]").click()
    tab.locator("#play-view").wait_for(state="visible")
    has_marks(tab, 1)  # the game is still there
    tab.go_back()
    tab.locator("#atlas-view").wait_for(state="visible")


@pytest.mark.parametrize(
    "address",
    ["#nothing", "#play?start=XXXXXXXXX&moves=99.x&x=nobody", "#play?moves=0.0.0", "#atlas?ply=77&class=?&loses=q"],
)
def test_an_address_that_means_nothing_shows_the_usual_view(address, visit):
    tab = visit("page.html", address)
    expect(tab.locator("body")).to_have_attribute("data-ready", "yes", timeout=PATIENCE * 1000)
    if "atlas" in address:
        says(tab, "count", "765 of 765 positions up to symmetry", "atlas")
    else:
        says(tab, "status", "Your move: X.")


def test_stones_fall_and_moves_in_words_are_played(visit):
    tab = visit("small.html", "#play?x=you&o=you")
    for action in (0, 0, 2):
        click_cell(tab, action)
    assert tab.locator("#play-view .board .picture").get_attribute("aria-label") == "position .../O../X.X"
    tab = visit("text.html", "#play?x=you&o=you")
    while said(tab, "status").inner_text().startswith("Your move"):
        tab.locator("#play-view .cell").first.click()
    assert said(tab, "status").inner_text() in ("X has won.", "O has won.")
    assert tab.locator("#play-view .cell").count() == 0


@pytest.mark.parametrize(("moves", "last", "line"), [("1.2.1.2.1", 0, [0, 3, 6]), ("3.2.1.3.2", 4, []), ("1", 6, [])])
def test_discs_and_their_line_are_marked(moves, last, line, visit):
    tab = visit("small.html", f"#play?moves={moves}&x=you&o=you")
    assert (marked(tab, "last"), marked(tab, "in-line")) == ([last], line)


def test_two_lines_at_once_and_the_line_that_loses_in_misere_are_marked(visit, pages):
    tab = visit("page.html", "#play?moves=0.1.2.3.6.5.8.7.4&x=you&o=you")
    assert marked(tab, "in-line") == [0, 2, 4, 6, 8]
    assert run("page", "-o", pages[0] / "misere.html", "--game", MISERE).code == 0
    tab = visit("misere.html", "#play?moves=0.3.1.4.2&x=you&o=you")
    says(tab, "status", "O has won.")
    assert marked(tab, "in-line") == [0, 1, 2]


def notes_of(tab):
    """The marks of the moves on the board, by action."""
    found = tab.locator("#play-view .board [data-action]").evaluate_all(
        "all => all.map((one) => [one.dataset.action, one.querySelector('.note').innerText, one.dataset.note])"
    )
    return {int(action): (text, kind) for action, text, kind in found if text}


@pytest.mark.parametrize("moves", ["4.1", "0.1.3", "0.4"])
def test_values_are_folded_and_then_on_the_board(moves, visit):
    table = table_of("tic-tac-toe")
    state, solution = 0, solution_of(table)
    for action in moves.split("."):
        state = int(table.child[state, int(action)])
    tab = visit("page.html", f"#play?moves={moves}&x=you&o=you")
    assert notes_of(tab) == {} and said(tab, "moves").is_hidden() and said(tab, "legend").is_hidden()
    said(tab, "values-title").click()
    expect(said(tab, "legend").locator("li")).to_have_count(5)
    sign, wanted = 3 - 2 * int(table.player[state]), {}
    children = {action: child for action, child in enumerate(table.child[state].tolist()) if child >= 0}
    ranks = {}
    for action, child in children.items():
        value, left = sign * int(solution.value[child]), int(solution.distance[child]) + 1
        kind = ("loss", "draw", "win")[value + 1]
        wanted[action], ranks[action] = (f"{kind} {left}" if value else kind, kind), (value, -value * left)
    for action, (text, kind) in wanted.items():
        wanted[action] = text, f"{kind} best" if ranks[action] == max(ranks.values()) else kind
    assert notes_of(tab) == wanted
    ticks = said(tab, "moves").locator("tbody tr:has(.tick) th").all_inner_texts()
    assert ticks == [str(one) for one in children if ranks[one][0] == max(ranks.values())[0] >= 0]
    late = said(tab, "moves").locator("tbody tr:has(.latest) th").all_inner_texts()
    assert late == [str(one) for one in children if ranks[one] == max(ranks.values()) and ranks[one][0] < 0]
    tab.reload()  # the address says it
    expect(said(tab, "legend").locator("li")).to_have_count(5)
    tab.keyboard.press("v")
    expect(said(tab, "legend")).to_be_hidden()
    assert notes_of(tab) == {} and "values" not in tab.evaluate("location.hash")


@pytest.mark.parametrize(
    ("board", "action", "words"),
    [("XX.OO....", 2, "win in 1"), ("X...O....", None, "draw in 7"), ("XO..X....", 8, "loss in 4")],
)
def test_a_hint_is_a_best_move(board, action, words, visit):
    tab = visit("page.html", f"#play?start={board}&x=you&o=you")
    said(tab, "hint").click()
    hinted = tab.locator("#play-view .board .hinted")
    expect(hinted).to_have_count(1)
    found = int(hinted.get_attribute("data-action"))
    assert found == action or action is None
    says(tab, "hint-text", f"Hint: cell {found}, {words} (exact).")
    assert hinted.get_attribute("aria-label").endswith("empty, hint")
    click_cell(tab, found)
    expect(hinted).to_have_count(0)
    says(tab, "hint-text", "")


def test_on_a_phone_the_board_comes_first(visit):
    tab = visit("page.html", "#play?x=you&o=you", viewport={"width": 390, "height": 844})
    box = said(tab, "board").bounding_box()
    assert box["y"] + box["height"] < 600 and box["width"] > 350
    assert said(tab, "x").is_hidden() and said(tab, "settings-title").bounding_box()["y"] > box["y"] + box["height"]
    said(tab, "settings-title").click()
    said(tab, "x").select_option(FROZEN)
    says(tab, "status", "Your move: O.")


@pytest.mark.parametrize("key", ["?", "/"])
def test_a_key_lists_the_keys(key, visit):
    tab = visit("page.html", "#play?x=you&o=you")
    tab.keyboard.press(key)
    dialog = said(tab, "keys-list")
    expect(dialog).to_be_visible()
    assert_usable(tab)
    assert {"u", "n", "h", "v", "/", "?"} <= set(dialog.locator("kbd").all_inner_texts())
    tab.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    tab.keyboard.press("h")
    expect(tab.locator("#play-view .board .hinted")).to_have_count(1)


def test_the_atlas_begins_with_the_largest_losses(visit, pages):
    table, classes = table_of("tic-tac-toe"), symmetry_of(table_of("tic-tac-toe")).representative
    solution = solution_of(table)
    tab = visit("page.html", "#atlas", viewport={"width": 1280, "height": 800})
    cards = tab.locator("#atlas-view .card")
    found = cards.evaluate_all("cards => cards.map((one) => Number(one.dataset.state))")
    lost = np.zeros(table.num_states)
    for agent in pages[1].values():
        for state in np.flatnonzero(table.decision_mask & agent.held).tolist():
            edges = range(*table.edge_start[state : state + 2].tolist())
            sign = 3 - 2 * int(table.player[state])
            gained = sum(agent.edge_probabilities[one] * sign * solution.value[table.edge_child[one]] for one in edges)
            lost[state] = max(lost[state], sign * solution.value[state] - gained)
    firsts = np.unique(classes)
    wanted = np.sort(lost[firsts])[::-1][: len(found)]
    np.testing.assert_allclose(lost[found], wanted, atol=1e-3)  # chances have 16 bits
    assert f"largest loss {wanted[0]:.2f}" in cards.first.inner_text()
    assert re.fullmatch(
        r"[XO] to move: (\d of \d moves|all \d moves) \w+( the draw)?", cards.first.locator("h3").inner_text()
    )
    tops = cards.first.locator("figure").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(tops) == 6 and len(set(tops[:5])) == 1  # the position and four agents
    tab.locator("[data-filter=loses]").select_option("heuribot")
    expect(cards.first).to_contain_text("largest loss 1.00")


VIEWS = {
    "a game with its values": ("page.html", "#play?moves=0.4&x=you&o=you&values=shown"),
    "the end of a game": ("page.html", "#play?moves=0.3.1.4.2&x=you&o=you"),
    "the atlas": ("page.html", "#atlas?loses=any+agent&ply=2"),
    "words": ("text.html", "#play?x=you&o=you"),
    "the report of a run": ("report.html", ""),
}


@pytest.mark.parametrize(("viewport", "scheme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone, dark", "desk, light"])
@pytest.mark.parametrize("name", VIEWS)
def test_anybody_can_use_it(name, viewport, scheme, visit):
    tab = visit(*VIEWS[name], viewport=viewport, scheme=scheme)
    assert_usable(tab)


def test_the_page_can_ask_nobody(visit):
    tab = visit("small.html")
    alone = tab.context.new_page()  # on whose console the policy of the page may complain
    alone.goto(tab.url)
    forbidden = """() => new Promise((done) => {
        addEventListener("securitypolicyviolation", (one) => done(one.effectiveDirective));
        fetch("data:,x").then(() => done("answered"), () => {});
    })"""
    assert alone.evaluate(forbidden) == "connect-src"


def test_on_a_phone_the_scorecard_is_not_cut_and_in_the_dark_no_board_is_white(visit):
    tab = visit("report.html", viewport={"width": 390, "height": 844}, scheme="dark")
    assert tab.evaluate("(one) => one.scrollWidth <= one.clientWidth", tab.locator(".scroll").element_handle())
    ground = tab.locator(".wide svg rect").first
    assert ground.evaluate("(one) => getComputedStyle(one).fill") != "rgb(255, 255, 255)"
