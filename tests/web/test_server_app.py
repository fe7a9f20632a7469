"""The server's application: its answers, and whom and which words it refuses."""

import asyncio
import json
import threading
import time

import pytest

pytest.importorskip("starlette", reason="the server needs the extra web")

from conftest import PATIENCE
from server_client import GONE, OWN, PORT, TOKEN, Client
from ttt_fast import Solver, as_policy, parse_game, table_of
from ttt_fast.analysis.moves import exact_moves
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.web.server.app import MAX_BODY, USUAL_GAMES
from ttt_fast.web.server.requests import MAX_GAMES, GameCache
from ttt_fast.web.server.workers import TooBusyError, TooSlowError, Workers

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def client():
    made = Client()
    yield made
    made.close()


def problem(answered, status, *words):
    """A refusal: its status, and one line of JSON that has these words."""
    assert answered.status == status, answered.body
    line = answered.json()["error"]
    assert "\n" not in line and "Traceback" not in line
    for word in words:
        assert word in line
    assert answered.headers["connection"] == "close"
    return line


def test_the_page_and_its_headers(client):
    page = client.request("GET", "/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and policy.endswith("frame-ancestors 'none'")
    assert "unsafe" not in policy and policy.removesuffix("; frame-ancestors 'none'") in page.body.decode()
    refused = client.request("GET", "/", token="x" * 32)
    for answered in (page, refused, client.ask("game", game="connect4")):
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["referrer-policy"] == "no-referrer"
        assert answered.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answered.headers["content-security-policy"]
    assert TOKEN.encode() not in page.body


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1:{PORT}.evil.example", ""]
)
def test_a_foreign_host_is_refused(client, host):
    problem(client.ask("game", {**OWN, "host": host}, game="connect4"), 403, "host")


def test_two_hosts_or_none_are_refused(client):
    body = [b'{"game": "connect4"}']
    own = (b"host", OWN["host"].encode())
    for headers in ([], [own, own], [own, (b"Host", b"evil.example")]):
        problem(asyncio.run(client.send("POST", f"/{TOKEN}/game", headers, body)), 403, "host")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"https://127.0.0.1:{PORT}", "http://127.0.0.1"])
def test_a_foreign_origin_is_refused(client, origin):
    problem(client.ask("game", {**OWN, "origin": origin}, game="connect4"), 403, "own page")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_behind_which_another_page_is_is_refused(client, site):
    problem(client.ask("game", {**OWN, "sec-fetch-site": site}, game="connect4"), 403, "own page")


def test_a_window_may_be_led_to_the_page_from_elsewhere_but_needs_the_token(client):
    led = {"host": OWN["host"], "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    window, frame = {**led, "sec-fetch-dest": "document"}, {**led, "sec-fetch-dest": "iframe"}
    assert client.request("GET", "/", window).status == 200
    problem(client.request("GET", "/", window, token="x" * 32), 403, "token")
    for method, headers in (("GET", frame), ("GET", led), ("POST", window)):
        problem(client.request(method, "/", headers), 403, "own page")


@pytest.mark.parametrize("token", ["", "t", "t" * 31, "T" * 32, "t" * 33, "ü" * 32, "\ud800"])
def test_no_token_no_answer(client, token):
    for path in ("/", "/game", "/nothing"):
        problem(client.request("GET", path, token=token), 403, "token")
    problem(client.request("POST", "/game", token="", parts=[b'{"game": "connect4"}']), 403, "token")


def test_the_page_is_told_what_is_compiled(client):
    assert client.request("POST", "/status").json() == {"compiling": ""}


def test_other_paths_and_methods_are_refused(client):
    for path in ("/nothing", "/static/style.css", "/../pyproject.toml", "/%2e%2e/secret", "//", "/game/more"):
        problem(client.request("GET", path), 404, "not found")
    for method in ("GET", "PUT", "DELETE", "HEAD", "OPTIONS", "NONSENSE"):
        assert client.request(method, "/game").status == 405
    assert client.request("POST", "/").status == 405


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
def test_other_types_of_bodies_are_refused(client, kind):
    problem(client.ask("game", {**OWN, "content-type": kind}, game="connect4"), 415, "application/json")


def test_a_huge_body_is_refused_before_it_is_read(client):
    for told in ("16385", "9" * 40, "-1", "0x10", "²"):
        problem(client.request("POST", "/game", {**OWN, "content-length": told}, [GONE]), 413, f"{MAX_BODY}")
    problem(client.request("POST", "/game", OWN, [b" " * 1000] * 20 + [GONE]), 413, f"{MAX_BODY}")
    fitting = json.dumps({"game": "connect4"}).encode()
    assert client.request("POST", "/game", OWN, [fitting.ljust(MAX_BODY)]).status == 200


def test_a_slow_body_is_refused():
    client = Client(body_seconds=0.2)
    problem(client.request("POST", "/game", OWN, [b"{", 60.0, b"}"]), 408, "within 0.2 s")
    problem(client.request("POST", "/game", OWN, [b"{", GONE]), 400, "whole body")
    client.close()


WRONG = {
    "no JSON": (b"{", "JSON object"),
    "no UTF-8": (b"\xff\xfe", "JSON object"),
    "no game": (b"{}", "missing required field `game`"),
    "an unknown field": (b'{"game": "connect4", "path": "/etc"}', "unknown field `path`"),
    "a library": (b'{"game": "openspiel:chess"}', "only on the command line"),
    "text as moves": (b'{"game": "connect4", "moves": "44"}', "Expected `array`, got `str` - at `$.moves`"),
    "many moves": (b'{"game": "connect4", "moves": [' + b"1," * 600 + b"1]}", "length <= 512 - at `$.moves`"),
    "a negative move": (b'{"game": "connect4", "moves": [-1]}', "Expected `int` >= 0 - at `$.moves[0]`"),
    "a large move": (b'{"game": "connect4", "moves": [7]}', "legal action"),
    "a full column": (b'{"game": "connect4", "moves": [0,0,0,0,0,0,0]}', "legal action"),
    "a move too many": (b'{"game": "tic-tac-toe", "moves": [0,3,1,4,2,5]}', "after the end"),
    "an impossible position": (b'{"game": "tic-tac-toe", "start": "XXX......"}', "XXX"),
    "a key": (b'{"game": "tic-tac-toe", "start": "#ff"}', "text of a position"),
    "a huge seed": (
        b'{"game": "connect4", "seed": 9007199254740992}',
        "Expected `int` <= 9007199254740991 - at `$.seed`",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_questions_are_refused_in_one_line(client, name):
    body, words = WRONG[name]
    problem(client.request("POST", "/line", OWN, [body]), 400, words)


AGENTS = {
    "python:os:system": "code from outside",
    "/etc/passwd": "not a file",
    "mcts:leaf=runs/a.npz": "no file",
    "alphabeta:eval=/secret.npz": "no file",
    "minmax": "did you mean minimax?",
    "": "name of an agent",
    "mcts:sims=1000001": "sims to be at most 1,000,000",
    "mcts:ms=4001": "ms to be at most",
    "mcts-best:memory=257": "memory to be at most",
    "alphabeta:tt=65": "tt to be at most",
    "x" * 301: "at most 300 characters",
    "x" * 1001: "length <= 1000 - at `$.agent`",
    "(" * 20 + "random" + ")" * 20: "at most 16 levels",
    "solver": "which plays connect4",
}


@pytest.mark.parametrize("spec", AGENTS)
def test_agents_that_no_request_may_name(client, spec):
    problem(client.ask("agent", game="tic-tac-toe", agent=spec), 400, AGENTS[spec])


def test_a_file_of_the_command_line_plays_in_its_game_alone(tmp_path):
    path = tmp_path / "own.npz"
    from ttt_fast import save_policy

    save_policy(path, as_policy("minimax:tie=first"))
    client = Client(trusted=frozenset([str(path)]))
    found = client.ask("agent", game="tic-tac-toe", agent=str(path)).json()
    assert found["plays"] == 0 and found["moves"][0]["chance"] == 1
    problem(client.ask("agent", game="connect4", agent=str(path)), 400, "not a file")
    problem(client.ask("agent", game="tic-tac-toe", agent=f"best-response:{path}"), 400, "not a file")
    client.close()


def test_a_line_of_play_as_the_page_draws_it(client):
    told = client.ask("line", game="connect4", moves=[0, 1, 0, 1, 0, 1, 0]).json()["states"]
    assert [one["ply"] for one in told] == list(range(8))
    last = told[-1]
    assert (last["status"], last["player"], last["legal"], last["last"]) == (1, 0, [], 14)
    assert last["line"] == [14, 21, 28, 35] and last["marks"].count("X") == 4
    assert client.ask("line", game="connect4", moves=[0, 1], since=2).json()["states"] == told[2:3]
    ultimate = client.ask("line", game="ultimate", moves=[40, 36], since=2).json()["states"][0]
    assert ultimate["legal"] == list(range(9)) and ultimate["last"] == 36
    assert [place for place, mark in enumerate(ultimate["marks"]) if mark != "."] == [36, 40]


@pytest.mark.parametrize("board", [".........", "X...O....", "XX.OO....", "XO..X...."])
def test_exact_values_are_those_of_the_table(client, board):
    table = table_of("tic-tac-toe")
    state = table.state_index(board)
    told = client.ask("value", game="tic-tac-toe", start=board).json()
    sign = 3 - 2 * int(table.player[state])
    wanted = [
        {"action": move.action, "value": sign * move.value_x, "plies": move.distance - 1}
        for move in exact_moves(table, state)
    ]
    assert told["known"] and told["moves"] == wanted


def test_connect_four_is_solved(client):
    moves = [3, 3, 3, 3, 3, 1, 1, 1, 5, 5, 5, 2, 0, 0]
    game = parse_game("connect4")
    state = game.state_after(game.format_moves(moves))
    scores = Solver().action_scores((state.own, state.occupied)).actions
    told = client.ask("value", game="connect4", moves=moves).json()
    assert [(one["action"], one["value"]) for one in told["moves"]] == [
        (one.action, (one.score > 0) - (one.score < 0)) for one in scores
    ]
    assert client.ask("value", game="ultimate").json() == {
        "known": False,
        "reason": "no table of the game, no solver, and too many moves to search",
    }


@pytest.mark.parametrize("question", ["line", "value", "agent"])
def test_positions_that_play_does_not_reach_are_refused(client, question):
    small = {"game": "connect4:columns=4,rows=3", "start": "..../X.../O..."}
    problem(client.ask(question, **small, agent="random"), 400, "expected a board that legal play reaches")


def test_a_search_without_end_is_given_up():
    client = Client(value_seconds=0.2, agent_seconds=0.2)
    problem(client.ask("value", game="connect4:columns=9,rows=6"), 422, "within 0.2 s")
    problem(client.ask("agent", game="ultimate", agent="alphabeta:depth=42"), 422, "smaller search")
    problem(client.ask("agent", game="connect4", agent="mcts:sims=1000000,rollout=win-or-block"), 422, "within 0.2 s")
    assert client.ask("agent", game="connect4", agent="mcts:sims=50").status == 200  # and it goes on
    client.close()


def test_questions_about_a_game_that_is_over_are_refused(client):
    over = {"game": "tic-tac-toe", "moves": [0, 3, 1, 4, 2]}
    problem(client.ask("value", **over), 400, "the game is not over")
    problem(client.ask("agent", agent="random", **over), 400, "the game is not over")


@pytest.mark.parametrize(
    "game", [USUAL_GAMES[0], *(pytest.param(one, marks=pytest.mark.slow) for one in USUAL_GAMES[1:])]
)
def test_every_agent_that_is_offered_answers(client, game):
    about = client.ask("game", game=game).json()
    assert about["agents"]
    for row in about["agents"]:
        spec = {"mcts": "mcts:sims=30", "mcts-best": "mcts-best:sims=30", "alphabeta": "alphabeta:depth=2"}.get(
            row["agent"], row["agent"]
        )
        if row["agent"] in ("minimax-5", "improved"):
            continue  # seconds a move
        answered = client.ask("agent", game=game, agent=spec, seed=3)
        assert answered.status == 200, answered.body
        told = answered.json()
        assert sum(one["chance"] for one in told["moves"]) == pytest.approx(1)
        assert next(one for one in told["moves"] if one["action"] == told["plays"])["chance"] > 0


def test_the_same_words_get_the_same_answer(client):
    words = {"game": "connect4", "moves": [3, 2], "agent": "mcts:sims=200"}
    began = time.perf_counter()
    seen = [client.ask("agent", seed=seed, **words).json() for seed in (1, 1, 2)]
    told = sum(one.pop("seconds") for one in seen)  # each rounded to a thousandth
    assert 0 <= told <= time.perf_counter() - began + 0.002
    assert seen[0] == seen[1] != seen[2]
    drawn = [client.ask("agent", game="tic-tac-toe", agent="random", seed=seed).json()["plays"] for seed in range(40)]
    assert len(set(drawn)) > 4
    again = [client.ask("agent", game="tic-tac-toe", agent="random", seed=seed).json()["plays"] for seed in range(40)]
    assert drawn == again


def test_one_server_knows_a_bounded_number_of_games():
    games = GameCache(parse_game("tic-tac-toe"))
    boards = [f"connect4:columns={columns},rows={rows}" for columns in (4, 5, 6, 7) for rows in range(1, 9)]
    for spec in boards[: MAX_GAMES - 1]:
        games.game(spec)
    with pytest.raises(ValueError, match="at most 32 games"):
        games.game("ultimate")
    assert games.game("connect4:columns=4,rows=1").num_actions == 4


async def _forever():
    await asyncio.Event().wait()


def _until_told():
    while True:
        check_interrupt()
        time.sleep(0.001)


def test_whoever_leaves_is_not_worked_for_any_more():
    workers, ended = Workers(threads=1), threading.Event()

    def work():
        try:
            _until_told()
        finally:
            ended.set()

    async def leaves():
        await asyncio.sleep(0.1)

    assert asyncio.run(workers.run(work, 600, leaves)) is None
    assert ended.wait(PATIENCE)
    workers.close()


def test_too_many_questions_are_refused_and_the_others_answered():
    workers = Workers(threads=1, waiting=1)

    async def several():
        first = asyncio.ensure_future(workers.run(_until_told, 0.5, _forever))
        second = asyncio.ensure_future(workers.run(lambda: "second", 0.5, _forever))
        await asyncio.sleep(0)
        with pytest.raises(TooBusyError):
            await workers.run(lambda: "third", 0.5, _forever)
        return await asyncio.gather(first, second, return_exceptions=True)

    found = asyncio.run(several())
    assert isinstance(found[0], TooSlowError) and found[1] == "second"
    workers.close()
    with pytest.raises(TooBusyError):
        asyncio.run(workers.run(lambda: None, 1, _forever))


def test_a_brief_question_is_answered_while_searches_occupy_all_threads():
    client, started, release = Client(workers=Workers(threads=1, waiting=1)), threading.Event(), threading.Event()

    async def several():
        searches = [
            asyncio.ensure_future(client.workers.run(lambda: (started.set(), release.wait(PATIENCE)), 600, _forever))
            for _ in range(2)
        ]
        await asyncio.to_thread(started.wait, PATIENCE)
        asked = [asked_of(client, kind) for kind in ("line", "game", "value")]
        found = await asyncio.wait_for(asyncio.gather(*asked), PATIENCE)
        release.set()
        await asyncio.gather(*searches)
        return [answered.status for answered in found]

    assert asyncio.run(several()) == [200, 200, 429]
    client.close()


def asked_of(client, kind):
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in OWN.items()]
    return client.send("POST", f"/{TOKEN}/{kind}", pairs, [b'{"game": "tic-tac-toe"}'])


def test_work_that_cannot_be_given_up_does_not_hold_the_answer():
    workers, release = Workers(threads=1, patience=0.2), threading.Event()
    with pytest.raises(TooSlowError, match=r"within 0\.2 s"):
        asyncio.run(_waited(workers, release))
    workers.close()


async def _waited(workers, release):
    try:
        await workers.run(lambda: release.wait(PATIENCE), PATIENCE, _forever)
    finally:
        release.set()


def test_a_fault_of_ours_is_one_line_here_and_there(client, capsys, monkeypatch):
    def broken(*_, **options):
        raise ZeroDivisionError("secret words")

    broken_client = Client()
    monkeypatch.setattr("ttt_fast.web.server.requests.parse_game", broken)
    with pytest.raises(ZeroDivisionError):  # whoever runs the application hears of it, too
        broken_client.ask("game", game="connect4")
    assert capsys.readouterr().err == "ttt-fast: internal error: ZeroDivisionError: secret words\n"
    broken_client.close()
