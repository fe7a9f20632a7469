"""Pages of Connect 4 and Ultimate in a real browser: exact values, rules, whole games, and no request.

Needs Chromium and the extra `browser-tests`.
"""

import re
import shutil
import subprocess

import numpy as np
import pytest

import build_wasm
import page_match
from browser_client import (
    DESK,
    PHONE,
    assert_usable,
    expect,
    needs_browser,
    said,
    says,
    watched_tabs,
)
from cli_runner import assert_one_line, run
from conftest import PATIENCE, REPOSITORY
from ttt_fast.agents.convert import as_player
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.search.connect_four.positions import children, plies_to_end, words_of
from ttt_fast.search.connect_four.solver import Solver, solve_positions
from ttt_fast.search.evaluators import init, position_value
from ttt_fast.web.render import MAX_PAGE_BYTES

STATIC = REPOSITORY / "src" / "ttt_fast" / "web" / "static"
MOST_JAVASCRIPT = 2_400
"""Lines of JavaScript written by hand."""
BOARDS = "ultimate:tie=boards"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules_pages")
    for name, words in (("c4", ["connect4"]), ("ultimate", ["ultimate"]), ("boards", [BOARDS])):
        agents = ["--agents", "learned:sims=20,random"] if name == "boards" else []
        assert run("page", "--game", *words, *agents, "-o", folder / f"{name}.html").code == 0
    return folder


@pytest.fixture
def visit(browser, pages):
    """Open a page; in the end there must have been no word on the console and no request."""
    with watched_tabs(browser, lambda url: url.startswith(("file:", "data:"))) as opened:
        yield lambda name, address="", **words: opened(f"{(pages / name).as_uri()}.html{address}", **words)


def random_lines(spec, count, fewest, most, seed=0):
    """Lines of random moves to ongoing positions, and these positions."""
    random, found, start = np.random.default_rng(seed), [], parse_game(spec).initial_state
    while len(found) < count:
        state, line = start, []
        plies = int(random.integers(fewest, most + 1))
        while len(line) < plies and api.status(state) == api.ONGOING:
            line.append(int(random.choice(api.legal_actions(state))))
            state = api.play(state, line[-1])
        if api.status(state) == api.ONGOING:
            found.append((line, state))
    return found


LOAD = """
const data = JSON.parse(document.getElementById("data").textContent);
window.played ??= await (await import(`page/${data.module}`)).load(data);
const { game, agents } = window.played;
"""
EXACT = f"""async (lines) => {{
    {LOAD}
    const found = [];
    for (const line of lines) {{
        const state = game.line(game.first, line).at(-1);
        await game.solve(state);
        const moves = game.legal(state).map((move) => [move.action, move.score ?? null, move.plies ?? null]);
        found.push([moves, state.exact.own?.score ?? null, state.exact.own?.plies ?? null]);
    }}
    return found;
}}"""


def exact_moves(position, scores):
    """The exact rows of a position's moves, from the scores of its children."""
    ply, found = position[1].bit_count(), []
    for action, child in children(position):
        if child is None or child[1].bit_count() == 42:
            found.append([action, 0 if child else (43 - ply) // 2, 0])
        else:
            found.append([action, -scores[child], plies_to_end(scores[child], ply + 1)])
    return sorted(found)


@pytest.mark.extra
@needs_browser
@pytest.mark.parametrize(("fewest", "most", "count"), [(14, 41, 1000), (0, 5, 50)])
def test_exact_values_are_those_of_the_solver(fewest, most, count, visit):
    lines = random_lines("connect4", count, fewest, most)
    positions = [words_of(state) for _, state in lines]
    after = {
        child for one in positions for _, child in children(one) if child is not None and child[1].bit_count() < 42
    }
    rows = np.array(sorted(after) + positions, np.uint64)
    scores = dict(zip(map(tuple, rows.tolist()), solve_positions(rows).scores.tolist(), strict=True))
    found = visit("c4").evaluate(EXACT, [line for line, _ in lines])
    for (line, _), position, (moves, score, plies) in zip(lines, positions, found, strict=True):
        assert moves == exact_moves(position, scores), line
        assert (score, plies) == (scores[position], plies_to_end(scores[position], len(line))), line


@pytest.mark.extra
@needs_browser
def test_the_solver_of_the_page_plays_a_best_move(visit):
    tab, solver = visit("c4"), Solver(table_mb=8)
    ask = f"""async ([name, line]) => {{
        {LOAD}
        const {{ moves }} = await agents.find((one) => one.name === name).ask(game.line(game.first, line).at(-1));
        return moves.map((move) => [move.action, move.chance, move.agentValue]);
    }}"""
    for line, state in random_lines("connect4", 40, 14, 36, seed=1):
        solved = solver.action_scores(words_of(state)).actions
        first = next(one.action for one in solved if one.is_best)
        assert tab.evaluate(ask, ["solver", line]) == [
            [one.action, int(one.action == first), one.score] for one in solved
        ]
    played = tab.evaluate(ask, ["learned", []])
    assert [action for action, chance, _ in played if chance] == [3]  # the only winning move
    assert tab.evaluate(ask, ["random", []]) == [[action, 1 / 7, None] for action in range(7)]


ULTIMATE = f"""async (lines) => {{
    {LOAD}
    const {{ Network }} = await import("page/ultimate_search");
    const network = await Network.load(data.agents[0]);
    return lines.map((line) => {{
        const states = game.line(game.first, line);
        const last = states.at(-1);
        return [states.length, last.status, last.player, game.legal(last).map((move) => move.action), game.marks(last),
            game.winners(last), game.lineOf(last).toSorted((one, other) => one - other), game.lastOf(last),
            game.textOf(game.find(game.textOf(last))), last.status ? null : network.value(last)];
    }});
}}"""


@pytest.mark.extra
@needs_browser
@pytest.mark.parametrize(("name", "spec"), [("ultimate", "ultimate"), ("boards", BOARDS)])
def test_the_rules_and_the_network_of_ultimate_are_those_of_the_package(name, spec, visit):
    random, game, lines, states = np.random.default_rng(1), parse_game(spec), [], []
    for number in range(300):
        state, line = game.initial_state, []
        while api.status(state) == api.ONGOING and len(line) < (81 if number % 3 else random.integers(1, 60)):
            line.append(int(random.choice(api.legal_actions(state))))
            state = api.play(state, line[-1])
        lines.append(line)
        states.append(state)
    values, evaluator = {}, as_player("learned:sims=1", spec)._evaluator
    for line, found, state in zip(lines, visit(name).evaluate(ULTIMATE, lines), states, strict=True):
        board, over = game.board(state), api.status(state) != api.ONGOING
        legal = [] if over else [int(one) for one in api.legal_actions(state)]
        marks = sorted((board.number_of(place), board.mark(place)) for place in board.places)
        expected = [
            len(line) + 1,
            int(api.status(state)),
            int(api.player(state)),
            legal,
            "".join(one for _, one in marks),
        ]
        expected += [board.small.winners, sorted(map(board.number_of, board.line)), line[-1], ".".join(map(str, line))]
        assert found[:-1] == expected
        if not over:
            init(evaluator, state)
            values[found[-1]] = position_value(evaluator, 0, state, np.uint64(0))[0]
    assert len(values) > 60
    assert all(abs(one - other) < 1e-5 for one, other in values.items()), values


ENDS_OR_OWN = re.compile("Your move|has won|draw")
FIRST = "Math.random = () => 0"  # what is drawn is the first legal move


def click(tab, action, ply):
    """Play a move by a click, and wait until it is made, which is move number `ply`."""
    tab.locator(f"#play-view button[data-action='{action}']").click()
    expect(said(tab, "history").locator("li").nth(ply)).to_be_attached(timeout=PATIENCE * 1000)


def play_by_clicks(tab, spec, choose):
    """Play a game by clicks to its end, and return its number of plies and the last state."""
    game = parse_game(spec)
    while True:
        expect(said(tab, "status")).to_have_text(ENDS_OR_OWN, timeout=PATIENCE * 1000)
        names = said(tab, "history").locator("li").all_text_contents()
        state = game.state_after("".join(name.split()[1] for name in names))
        if not said(tab, "status").inner_text().startswith("Your move"):
            return len(names), state
        click(tab, choose(state), len(names))


def show_values(tab):
    """Unfold the values beside the board, once the page has started."""
    expect(tab.locator("body")).to_have_attribute("data-ready", "yes", timeout=PATIENCE * 1000)
    said(tab, "values-title").click()


def first_legal(state):
    """Choose the first legal move."""
    return api.legal_actions(state)[0]


@pytest.mark.extra
@needs_browser
def test_a_game_of_connect_four_is_won_lost_and_undone(visit):
    tab = visit("c4", "#play?x=you&o=random", before=FIRST)
    assert play_by_clicks(tab, "connect4", lambda state: 3)[0] == 7
    says(tab, "status", "X has won. You win!")
    assert tab.locator("#play-view .board .in-line").count() == 4
    said(tab, "undo").click()
    says(tab, "status", "Your move: X.")
    assert said(tab, "history").locator("li").count() == 6
    tab = visit("c4")  # against the solver, the usual opponent
    said(tab, "hint").click()
    says(tab, "hint-text", "Hint: column 4, win in 41 (exact).")
    _, state = play_by_clicks(tab, "connect4", first_legal)
    says(tab, "status", "O has won. You lose.")
    assert api.status(state) == api.O_WINS
    said(tab, "undo").click()
    says(tab, "status", "Your move: X.")


@pytest.mark.extra
@needs_browser
def test_a_game_of_ultimate_is_won_lost_and_undone(visit):
    player = as_player("mcts:sims=300", "ultimate")
    player.begin(np.uint64(1))
    tab = visit("ultimate", "#play?x=you&o=random", before=FIRST)
    play_by_clicks(tab, "ultimate", lambda state: player.search(state).action)
    says(tab, "status", "X has won. You win!")
    tab = visit("ultimate")  # against `learned`
    said(tab, "hint").click()
    expect(said(tab, "hint-text")).to_have_text(
        re.compile("Hint: board ., cell ., the choice of learned"), timeout=PATIENCE * 1000
    )
    plies, state = play_by_clicks(tab, "ultimate", first_legal)
    says(tab, "status", "O has won. You lose.")
    assert api.status(state) == api.O_WINS
    said(tab, "undo").click()
    says(tab, "status", "Your move: X.")
    assert said(tab, "history").locator("li").count() == plies - 2


@pytest.mark.extra
@needs_browser
@pytest.mark.parametrize("name", ["c4", "ultimate"])
@pytest.mark.parametrize(("viewport", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_the_pages_are_usable(name, viewport, scheme, visit):
    tab = visit(name, "#play?x=you&o=you", viewport=viewport, scheme=scheme)
    for ply, action in enumerate([3, 3, 3, 2] if name == "c4" else [40, 36]):
        click(tab, action, ply)
    show_values(tab)
    expect(said(tab, "agents").locator("figcaption").first).to_be_visible(timeout=PATIENCE * 1000)
    assert_usable(tab)


@pytest.mark.extra
@needs_browser
def test_exact_values_are_shown_from_ply_14_on(visit):
    solver = Solver(table_mb=8)
    for line in ([3, 3, 3, 3, 3, 2, 2, 2, 4, 4, 1, 5, 5, 0], []):
        tab, state = visit("c4", "#play?x=you&o=you"), parse_game("connect4").initial_state
        for ply, action in enumerate(line):
            click(tab, action, ply)
            state = api.play(state, action)
        show_values(tab)
        rows = said(tab, "moves").locator("td:nth-child(2)")
        expect(rows.first).to_have_text(re.compile("in"), timeout=PATIENCE * 1000)
        solved = solver.action_scores(words_of(state)).actions
        words = [("loss", "draw", "win")[(one.score > 0) - (one.score < 0) + 1] for one in solved]
        assert [text.split()[0] for text in rows.all_inner_texts()] == words


def test_pages_are_small_and_their_javascript_is_short(pages):
    assert (pages / "c4.html").stat().st_size <= MAX_PAGE_BYTES == 2_000_000
    assert (pages / "ultimate.html").stat().st_size <= 600_000
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in STATIC.glob("*.js"))
    assert lines <= MOST_JAVASCRIPT


REFUSED = {
    "another agent": (["connect4", "--agents", "solver,mcts"], "'mcts'", "solver, learned, proven, random"),
    "a budget": (["connect4", "--agents", "learned:ms=5"], "'learned:ms=5'"),
    "another board": (["connect4:columns=8,rows=7"], "7x6"),
    "another rule": (["ultimate:closed=stay", "--agents", "random"], "'ultimate:closed=stay'"),
    "twice": (["ultimate", "--agents", "random,random"], "'random, random'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_page_cannot_play_is_refused(name, tmp_path):
    arguments, *words = REFUSED[name]
    assert_one_line(run("page", "-o", tmp_path / "page.html", "--game", *arguments), 2, *words)
    assert not (tmp_path / "page.html").exists()


def test_only_the_page_with_an_engine_may_compile(pages, tmp_path):
    policy = {
        name: (pages / f"{name}.html").read_text(encoding="utf-8").split("<meta")[2] for name in ("c4", "ultimate")
    }
    assert "'wasm-unsafe-eval'; worker-src data:" in policy["c4"]
    assert "wasm" not in policy["ultimate"]
    assert "worker" not in policy["ultimate"]


def test_the_engine_is_compiled_from_its_source(tmp_path):
    shipped = (STATIC / "connect_four.wasm").read_bytes()
    version = (
        subprocess.run(["clang", "--version"], capture_output=True, text=True).stdout if shutil.which("clang") else ""
    )
    number = re.search(r"version (\S+)", version)
    if number is None or number[1].encode() not in shipped or shutil.which("wasm-ld") is None:
        pytest.skip("the compiler of the engine is not installed: clang and lld of its version")
    build_wasm.build(tmp_path / "engine.wasm")
    assert (tmp_path / "engine.wasm").read_bytes() == shipped


@pytest.mark.slow
@pytest.mark.extra
@needs_browser
def test_the_page_beats_a_search_by_random_games(visit):
    played = page_match.play(visit("c4"), "solver", "mcts:sims=2000", "connect4", 6)
    assert played.results["wins"] >= 4
