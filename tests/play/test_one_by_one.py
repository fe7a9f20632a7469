"""Games one by one: pairs with swapped seats, the same whatever the threads or interruptions; files that survive."""

import hashlib
import json
import os
import signal
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from conftest import PATIENCE
from dask_cluster import losing_a_worker
from ttt_fast import (
    AgentError,
    BoardError,
    ContestConfig,
    FileFormatError,
    TttFastError,
    UsageError,
    contest,
    parse_agent,
    parse_game,
    table_of,
)
from ttt_fast.core.errors import FileWriteError
from ttt_fast.games import api
from ttt_fast.play import pairs
from ttt_fast.play.game_file import parse_games
from ttt_fast.play.openings import NO_OPENING
from ttt_fast.running.api import ThreadExecutor


def duel(game, first, second, pairs, openings="none", **settings):
    """The agents of a contest whose games are played one by one, and its settings."""
    return first, second, ContestConfig(games=2 * pairs, game=game, openings=openings, **settings)


def changed(config, **values):
    return (*config[:2], replace(config[2], **values))


def held(config, threads=2, **options):
    first, second, settings = config
    return contest(first, second, settings, threads=threads, **options)


CONFIG = duel("connect4", "default", "random", pairs=30, seed=3, openings="random:3")


def play(config=CONFIG, threads=2, **options):
    return held(config, threads, **options).tally


def load_games(path):
    """The description of a contest in a file, and its games."""
    described, games = parse_games(path, path.read_bytes())
    return described, [game._asdict() for game, _ in games]


def moves_of(tally):
    return [(pair, game.game, game.moves) for pair, games in sorted(tally.pairs.items()) for game in games]


@pytest.fixture(scope="module")
def whole():
    return moves_of(play())


GOLDEN = {
    ("connect4", "default", "random", 10, "random:3", 3): "db7ca9a6ff667962",
    ("ultimate", "mcts:sims=50", "alphabeta:depth=2", 3, "none", 1): "04c163d95a2695db",
    ("tic-tac-toe", "minimax", "random", 10, "none", 2): "362949430e1de40c",
    ("tic-tac-toe", "mcts:sims=20", "default", 10, "random:1", 5): "e4944a739d6e6bd5",
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case[0] == "ultimate")) for case in GOLDEN]
)
def test_golden_games(case):
    """The streams are part of the contract: if this changes on purpose, say so in the changelog."""
    *agents, openings, seed = case
    moves = [moves for _, _, moves in moves_of(play(duel(*agents, openings, seed=seed)))]
    assert hashlib.sha256(repr(moves).encode()).hexdigest()[:16] == GOLDEN[case]


class Elsewhere:
    """Threads that are taken for another machine: whatever goes there and comes back must be bytes."""

    shares_memory, losses = False, ()

    def __init__(self):
        self.pool, self.sent = ThreadExecutor(2), 0

    def slots(self):
        return self.pool.slots()

    def submit(self, work, payload):
        assert type(payload) is bytes
        self.sent += 1
        future = self.pool.submit(work, payload)
        future.add_done_callback(lambda done: isinstance(done.result(), bytes) or pytest.fail("expected bytes"))
        return future

    def close(self):
        self.pool.close()


def test_games_travel_as_bytes_to_another_machine_and_are_the_same(whole):
    with closing(Elsewhere()) as pool:
        assert moves_of(play(executor=pool)) == whole and pool.sent == 15
        assert contest("random", "minimax", ContestConfig(2), executor=pool).way == "one by one"
    assert moves_of(play(threads=1)) == moves_of(play(threads=5)) == whole and len(whole) == 60


def test_a_worker_of_another_version_is_refused():
    unit = pairs.ContestUnit(parse_game("connect4"), parse_agent("random"), parse_agent("random"), 0, [(0, [])])
    content = json.loads(pairs.pack(unit)) | {"package": "0.0"}
    with pytest.raises(TttFastError, match=r"expected workers with ttt-fast 0\.0, got one with"):
        pairs.play_packed(json.dumps(content).encode())


def test_a_player_warms_up_where_its_games_begin():
    """About the empty board a solver would think for a quarter of a minute."""
    plies = []

    def asked(state):
        plies.append(api.ply(state))
        return api.legal_actions(state)[0]

    play(duel("connect4:columns=5,rows=5", asked, "random", pairs=1, openings="random:4"), threads=1)
    assert min(plies) == 4


def test_both_games_of_a_pair_have_one_opening_and_swapped_seats():
    tally = play()
    for games in tally.pairs.values():
        assert [(game.x, game.o) for game in games] == [("default", "random"), ("random", "default")]
        assert games[0].opening == games[1].opening == 3 and games[0].moves[:3] == games[1].moves[:3]
    assert len({games[0].moves[:3] for games in tally.pairs.values()}) > 20


def test_an_interrupted_duel_goes_on_in_the_same_games(tmp_path, whole):
    path, when = tmp_path / "games.jsonl", 7
    pressed = []

    def stop(games, text):
        if games >= 2 * when and not pressed:
            pressed.append(True)  # a second Ctrl-C would interrupt at once
            signal.raise_signal(signal.SIGINT)

    part = play(save_to=path, on_progress=stop, on_interrupt="return")
    assert when <= len(part.pairs) < 30 and not part.complete
    with open(path, "ab") as stream:
        stream.write(b'{"pair": 5, "ga')  # a kill in the middle of a line
    assert moves_of(play(resume_from=path)) == whole
    _, games = load_games(path)
    assert sorted(game["moves"] for game in games) == sorted(moves for _, _, moves in whole)
    assert moves_of(play(resume_from=path)) == whole  # nothing is played again
    assert len(path.read_text().splitlines()) == 61


def test_ctrl_c_waits_for_no_slow_game(tmp_path):
    path, pressed = tmp_path / "games.jsonl", threading.Lock()

    def slowly(state):
        """A unit takes a minute if somebody waits for it."""
        if pressed.acquire(blocking=False):  # at the first move
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.25)
        return api.legal_actions(state)[0]

    tally = play(duel("connect4", slowly, "random", pairs=50), save_to=path, on_interrupt="return")
    assert tally.games == len(load_games(path)[1]) == 0


SEARCHES = duel("connect4", "mcts:sims=200", "alphabeta:depth=3", pairs=6, seed=1, openings="random:4")


def test_searches_play_the_same_games_whatever_the_threads_and_cost_something(tmp_path):
    one, two = held(SEARCHES, threads=1), held(SEARCHES, threads=2, save_to=tmp_path / "games.jsonl")
    assert moves_of(one.tally) == moves_of(two.tally) and one.summary == two.summary
    for row in one.rows:
        for side in ("x", "o"):
            assert 0 < row[f"{side}_seconds_per_move"] <= row[f"{side}_slowest_move"] < PATIENCE
            assert row[f"{side}_memory_bytes"] > 1000
            if row[side].startswith("mcts"):
                assert row[f"{side}_nodes_per_move"] == 200


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of distributed and its web server
def test_a_cluster_that_loses_a_worker_plays_the_same_games(tmp_path):
    config = duel("ultimate", "mcts:sims=1000", "alphabeta:depth=4", pairs=60, seed=1, openings="random:4")
    seen = []
    with losing_a_worker() as (pool, kill):

        def kill_one(games, text):
            seen.append(games)
            if games >= 20:
                kill()

        tally = play(config, executor=pool, save_to=tmp_path / "games.jsonl", on_progress=kill_one)
    assert seen[-1] == tally.games == 120
    assert moves_of(tally) == moves_of(play(config))
    assert len(load_games(tmp_path / "games.jsonl")[1]) == 120


DETERMINISTIC = "alphabeta:depth=2,tie=first", "alphabeta:depth=1,tie=first"


def test_copies_of_a_game_narrow_no_interval(tmp_path):
    """Deterministic players from one opening, and from three that a file repeats."""
    (tmp_path / "three.txt").write_text("1\n2\n3\n")
    for openings, number in (("none", 1), (str(tmp_path / "three.txt"), 3)):
        few, many = (held(duel("connect4", *DETERMINISTIC, pairs=pairs, openings=openings)) for pairs in (number, 12))
        (one,), (other,) = few.summary, many.summary
        assert (other["games"], other["distinct_games"], other["distinct_pairs"]) == (24, 2 * number, number)
        names = [name for name in one if name.startswith(("score", "elo", "normalised", "superiority"))]
        assert len(names) == 8 and [one[name] for name in names] == pytest.approx([other[name] for name in names])
        for row, same in zip(few.rows, many.rows, strict=True):
            ends = [name for name in row if name.endswith(("wins_low", "wins_high", "draws_low", "draws_high"))]
            assert len(ends) == 6 and [row[name] for name in ends] == pytest.approx([same[name] for name in ends])
            assert same["distinct_games"] == number
    single = held(duel("connect4", *DETERMINISTIC, pairs=12, seats="ab"))
    assert single.rows[0]["x_wins_high"] - single.rows[0]["x_wins_low"] > 0.7


def test_copies_of_a_game_decide_no_test():
    copies = play(duel("connect4", *DETERMINISTIC, pairs=200), sprt="0,200")
    assert copies.decision == "continue" and copies.games == 400
    varied = play(duel("connect4", *DETERMINISTIC, pairs=200, openings="random:6"), sprt="0,200")
    assert varied.decision == "H1" and varied.games < 400


def test_copies_of_a_game_move_no_rating():
    """One pair of games and twenty of them give the same ratings in a round robin."""
    few, many = (contest([*DETERMINISTIC, "centre-first"], config=ContestConfig(
        games, game="connect4")) for games in (2, 40))  # fmt: skip
    assert [row["games"] for row in many.summary] == [80, 80, 80]
    ratings = [{row["agent"]: row["rating"] for row in found.summary} for found in (few, many)]
    assert ratings[1] == pytest.approx(ratings[0], abs=1e-6)


SHORT = duel("connect4:columns=4,rows=4", "default", "random", pairs=5, seed=3, openings="random:2")


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A file of games whose costs are no times, so that the same games are the same bytes."""
    monkeypatch.setattr(pairs.time, "perf_counter", lambda: 0.0)
    play(SHORT, threads=1, save_to=tmp_path / "games.jsonl")
    return tmp_path / "games.jsonl"


@pytest.mark.slow
def test_a_file_that_is_cut_anywhere_is_resumed_to_the_same_bytes(saved):
    whole = saved.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    assert len(ends) == 11
    for cut in [*ends, *(end - 1 for end in ends), *(end + 40 for end in ends[:-1])]:
        saved.write_bytes(whole[:cut])
        assert play(SHORT, threads=1, resume_from=saved).games == 10
        assert saved.read_bytes() == whole, cut


def test_a_pair_of_which_a_game_is_missing_is_played_again(saved):
    """A line in the middle may be missing, too; more pairs than are asked for stay in the file."""
    whole = saved.read_bytes()
    lines = whole.splitlines(keepends=True)
    for missing in (1, 2, 5, 10):
        saved.write_bytes(b"".join(lines[:missing] + lines[missing + 1 :]))
        play(SHORT, threads=1, resume_from=saved)
        assert sorted(saved.read_bytes().splitlines()) == sorted(whole.splitlines())
    saved.write_bytes(whole)
    fewer = play(changed(SHORT, games=4), threads=1, resume_from=saved)
    assert fewer.games == 4 and saved.read_bytes() == whole


def flaws_of(first, other):
    """Damages of the first game of a file, whose second game is `other`, each with what is said of it."""
    row = json.loads(first)
    moves, plies = row["moves"], row["plies"]
    results = {"x": "o", "o": "draw", "draw": "x"}
    yield {"result": results[row["result"]]}, "expected the result of its moves"
    yield {"plies": 77}, f"expected as many plies as moves, {plies}, got 77"
    yield {"moves": moves + "1"}, "after the end of the game|expected a legal move"
    yield {"moves": moves[:-1]}, "expected a game that is over"
    yield {"moves": "1" * plies}, "expected a legal move|after the end"
    yield {"moves": "9" + moves[1:]}, "expected a column"
    yield {"moves": " " + moves}, "expected the moves"
    yield {"moves": ""}, "expected a game that is over"
    yield {"opening": 3, "x_moves": row["x_moves"] - 1}, "expected the opening"
    yield {"opening": plies, "x_moves": 0, "o_moves": 0}, "expected an opening of 0 to"
    yield {"opening": -1, "x_moves": row["x_moves"] + 1}, "expected an opening of 0 to"
    yield {"x_moves": row["x_moves"] + 1}, "moves of the players"
    yield {"pair": 4}, "line [0-9]+: expected"
    yield (
        {"game": 1, "x": row["o"], "o": row["x"]},
        "line 3: expected game 1 of pair 0 only once, got a second one after line 2",
    )
    yield {"game": 1}, "expected a game of random v default"
    yield {"x": "bob"}, "expected a game of default v random"
    for name, value in [
        ("x_seconds", -1.0), ("x_seconds", 1e999), ("o_nodes", 1e999), ("o_moves", 2.5), ("x_moves", True),
        ("x_moves", None), ("plies", None), ("game", 7), ("pair", -1), ("pair", "0"), ("result", "X"), ("moves", 3),
        ("extra", 1),
    ]:  # fmt: skip
        yield {name: value}, "expected a game as a line of JSON"


def test_games_that_their_moves_do_not_bear_out_are_refused(saved):
    head, *games = saved.read_text().splitlines()
    for values, words in flaws_of(*games[:2]):
        damaged = json.dumps(json.loads(games[0]) | values)
        saved.write_text("\n".join([head, damaged, *games[1:]]) + "\n")
        before = saved.read_bytes()
        with pytest.raises(FileFormatError, match=words) as caught:
            play(SHORT, threads=1, resume_from=saved)
        assert f"{str(saved)!r}, line " in str(caught.value) and "\n" not in str(caught.value), values
        assert saved.read_bytes() == before


def test_openings_of_other_pairs_are_refused(saved):
    head, *games = saved.read_text().splitlines()
    rows = [json.loads(game) for game in games]
    pair = next(row["pair"] for row in rows if row["moves"][:2] != rows[0]["moves"][:2])
    exchanged = {0: pair, pair: 0}
    exchange = [json.dumps(row | {"pair": exchanged.get(row["pair"], row["pair"])}) for row in rows]
    saved.write_text("\n".join([head, *exchange]) + "\n")
    assert len(load_games(saved)[1]) == 10  # sound games, but of other pairs
    with pytest.raises(FileFormatError, match=r"line 2: expected the opening '[1-4]{2}' of pair [0-4], got '[1-4]{2}'"):
        play(SHORT, threads=1, resume_from=saved)


def test_a_head_that_names_no_game_is_refused(saved):
    head, *games = saved.read_text().splitlines()
    described = json.loads(head)
    for change in ({"game": "chess"}, {"game": 3}, {"game": None}):
        config = {name: value for name, value in (described["config"] | change).items() if value is not None}
        saved.write_text("\n".join([json.dumps(described | {"config": config}), *games]) + "\n")
        with pytest.raises(FileFormatError, match="expected the games of a contest"):
            load_games(saved)


def test_a_full_disk_is_one_line(tmp_path):
    path = tmp_path / "games.jsonl"
    path.symlink_to("/dev/full")
    with pytest.raises(FileWriteError, match=r"games\.jsonl': no space left"):
        play(save_to=path)


def test_the_test_ends_the_duel_at_the_same_pair_whatever_the_threads():
    ends = [play(duel("connect4", "default", "random", pairs=200), threads=k, sprt="0,50") for k in (1, 2, 4)]
    assert {tally.decision for tally in ends} == {"H1"}
    assert moves_of(ends[0]) == moves_of(ends[1]) == moves_of(ends[2]) and 10 < ends[0].games < 200
    undecided = play(duel("connect4", "random", "random", pairs=5), sprt="-2,2")
    assert undecided.decision == "continue" and undecided.games == 10
    assert all(tally.complete for tally in [*ends, undecided])


def test_rows_of_nothing_but_draws_and_of_nothing_but_wins_are_finite_or_infinite_never_nan():
    (drawn,) = held(duel("tic-tac-toe", "minimax", "minimax", pairs=10)).summary
    assert (drawn["score"], drawn["elo"], drawn["draws"]) == (0.5, 0.0, 20) and drawn["elo_high"] < 100
    won = held(duel("connect4:columns=4,rows=4,length=2", "default", "default", pairs=5))
    results = {game.result for games in won.tally.pairs.values() for game in games}
    assert results == {"x"}  # two in a row: X wins at once
    assert won.summary[0]["pentanomial"] == "0/0/5/0/0"


def test_openings_from_a_file(tmp_path):
    path = tmp_path / "lines.txt"
    board = "......./......./......./......./......./...X..."
    path.write_text(f"# the centre\n4\n44  # twice\n\n{board}\n")
    tally = play(duel("connect4", "default", "random", pairs=4, openings=str(path)))
    played = [(one.start, one.moves[: one.opening]) for _, (one, _) in sorted(tally.pairs.items())]
    assert played == [("", "4"), ("", "44"), (board, ""), ("", "4")]
    for content, error in [
        ("", "at least one line"),
        ("# 4\n \n", "at least one line"),
        ("48\n", "line 1"),
        ("4\n44 3\n", "line 2: expected a position without spaces and without a score, got '44 3'"),
        (" 1\n", "line 1: expected a position without spaces and without a score, got ' 1'"),
        ("......./......./......./......./......./...O...\n", "line 1: expected as many X as O"),
        ("1212121\n", "is not over"),
        ("1111111\n", "line 1"),
    ]:
        path.write_text(content)
        with pytest.raises((BoardError, UsageError), match=error):
            play(duel("connect4", "default", "random", pairs=1, openings=str(path)))
    path.write_bytes(b"\xff\x00")
    with pytest.raises(FileFormatError, match="expected UTF-8 text"):
        play(duel("connect4", "default", "random", pairs=1, openings=str(path)))


@pytest.mark.parametrize("spec", ["random", "random:0", "random:99", "random:x", "nothing.txt"])
def test_openings_that_are_none(spec):
    with pytest.raises(UsageError, match=r"expected .* as the openings"):
        play(duel("connect4", "default", "random", pairs=1, openings=spec))


def test_more_random_plies_than_a_game_has_are_refused():
    with pytest.raises(UsageError, match="expected fewer random plies"):
        play(duel("tic-tac-toe", "default", "random", pairs=1, openings="random:20"))


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("connect4", "minimaxx"),
        ("connect4", "default:skil=1"),
        ("ultimate", "default:skill=2"),
        ("tic-tac-toe", "rando"),
    ],
)
def test_unknown_players_are_refused_before_anything_is_played(tmp_path, game, agent):
    path = tmp_path / "games.jsonl"
    with pytest.raises(AgentError):
        play(duel(game, "random", agent, pairs=2), save_to=path)
    assert not path.exists()


@pytest.mark.parametrize("is_brief", [False, True])
def test_games_of_brief_searches_are_played_one_after_another(monkeypatch, is_brief):
    """With the same records; the first game of a thread is the one that tells."""
    held, play = [], pairs.play_game
    monkeypatch.setattr(pairs, "play_game", lambda *given: held.append(pairs._one_at_a_time.locked()) or play(*given))
    monkeypatch.setattr(pairs, "_BRIEF", 1.0 if is_brief else 0.0)
    monkeypatch.setattr(pairs, "_BRIEF_ALONE", pairs._BRIEF)
    monkeypatch.setattr(pairs, "_own", threading.local())
    first, second = parse_agent("mcts:sims=20"), parse_agent("alphabeta:depth=2")
    unit = pairs.ContestUnit(parse_game("tic-tac-toe"), first, second, 3, [(0, NO_OPENING), (1, NO_OPENING)])
    records = pairs.play_unit(unit)
    assert held == [False, *[is_brief] * 3]
    assert [one.moves for one in records] == [one.moves for one in pairs.play_unit(unit)]


STARTS = {
    "tic-tac-toe": ("40", "O...X...."),
    "connect4": ("4453", "......./......./......./......./...O.../..OXX.."),
    "connect4:columns=4,rows=4": ("12", "..../..../..../XO.."),
    "ultimate": ("55 51", "." * 36 + "O...x...." + "." * 36),
}


@pytest.mark.parametrize("spec", STARTS)
@pytest.mark.parametrize("kind", ["moves", "board"])
def test_a_contest_starts_at_a_position(spec, kind, tmp_path):
    game, position = parse_game(spec), STARTS[spec][kind == "board"]
    start, path = game.parse_state(position), tmp_path / "games.jsonl"
    config = ContestConfig(6, game=spec, position=position, openings="none")
    first = "mcts:sims=20" if spec == "tic-tac-toe" else "default"
    whole = contest(first, "random", config, threads=1, save_to=path)
    assert whole.described["position"] == position
    for both in whole.tally.pairs.values():
        for record in both:
            before = game.parse_position(record.start) if record.start else game.initial_state
            assert (record.start == "") == (kind == "moves")
            line = game.parse_moves(record.moves, before)
            assert start == game.state_after(game.format_moves(line[: record.opening]), before)
            assert record.plies == len(line) == record.opening + record.x_effort.moves + record.o_effort.moves
            ends = {api.X_WINS: "x", api.O_WINS: "o", api.DRAW: "draw"}
            assert ends[game.status(game.state_after(record.moves, before))] == record.result
    lengths = [length for row in whole.rows for length in row["plies"]]
    assert min(lengths) > api.ply(start)  # counted from the beginning of the game, however it is given
    again = contest(first, "random", config, threads=1, resume_from=path)
    assert moves_of(again.tally) == moves_of(whole.tally)
    rows = load_games(path)[1]
    assert sorted((row["start"], row["moves"]) for row in rows) == sorted(
        (one.start, one.moves) for both in whole.tally.pairs.values() for one in both
    )
    with pytest.raises(UsageError, match="expected a match with position"):
        contest(first, "random", replace(config, position=None), threads=1, resume_from=path)


def test_tabular_games_start_at_a_position_too():
    by_text, by_index = (contest("random", "default", ContestConfig(1000, **start)) for start in (
        {"position": "40"}, {"start": table_of("tic-tac-toe").state_index("O...X....")}
    ))  # fmt: skip
    assert by_text.described == by_index.described and by_text.seats[0].ends == by_index.seats[0].ends
    single = contest("random", "default", ContestConfig(1000, position="40", openings="none", seats="ab"))
    assert single.seats[0].exact.x_wins == by_text.seats[0].exact.x_wins
    table = contest(["random", "minimax"], config=ContestConfig(0, position="40"))
    assert [*table.seats[0].exact.pair.starts] == [table_of("tic-tac-toe").state_index("O...X....")]


def test_positions_that_no_contest_can_start_at():
    for spec, position, error in (
        ("tic-tac-toe", "XXXOO....", "the game is not over, got 'XXXOO....': X has won"),
        ("tic-tac-toe", "XX.OO.OO.", "as many X as O|legal play|reach"),
        ("connect4", "1212121", "the game is not over"),
        ("connect4", "abc", "neither a line of moves nor a board"),
    ):
        for first in ("random", "mcts:sims=2"):
            with pytest.raises(UsageError, match=error):
                contest(first, "random", ContestConfig(2, game=spec, position=position))
    with pytest.raises(UsageError, match="expected either --position or --openings random:2, got both"):
        contest("random", "random", ContestConfig(2, position="4", openings="random:2"))
    with pytest.raises(UsageError, match="expected either a position or the index of a state as the start, got both"):
        contest("random", "random", ContestConfig(2, position="4", start=3))


def test_games_from_boards_of_a_file(tmp_path):
    path, saved = tmp_path / "openings.txt", tmp_path / "games.jsonl"
    boards = ["......./......./......./......./......./...X...", "......./......./......./......./...O.../...X..."]
    path.write_text("\n".join(boards) + "\n445\n")
    config = duel("connect4", "default", "random", pairs=3, openings=str(path))
    done = play(config, save_to=saved)
    assert [games[0].start for _, games in sorted(done.pairs.items())] == [*boards, ""]
    assert moves_of(play(config, resume_from=saved)) == moves_of(done)
    with closing(Elsewhere()) as pool:
        assert moves_of(play(config, executor=pool)) == moves_of(done)
    head, *games = saved.read_text().splitlines()
    damaged = json.loads(games[0]) | {"start": boards[1] if json.loads(games[0])["pair"] == 0 else boards[0]}
    saved.write_text("\n".join([head, json.dumps(damaged), *games[1:]]) + "\n")
    with pytest.raises(FileFormatError, match=r"line [0-9]+: expected"):
        play(config, resume_from=saved)
    for wrong in ("XX", 3, None):
        saved.write_text("\n".join([head, json.dumps(json.loads(games[0]) | {"start": wrong}), *games[1:]]) + "\n")
        with pytest.raises(FileFormatError, match="line 2: expected"):
            play(config, resume_from=saved)
