"""Recorded games judged: against a plain recursion, another solver's scores, and a file with every kind of error."""

import json
import random
import re

import numpy as np
import polars as pl
import pytest

import custom_games
import ttt_fast
from conftest import REPOSITORY, SHARED
from review_reference import Recorded, review as plain_review, rules_of
from ttt_fast import FileFormatError, UsageError, parse_game, table_from_functions
from ttt_fast.analysis.moves import ExactAnalysis

SCORES = REPOSITORY / "tests" / "data" / "connect4_scores.txt"
SMALL = [
    "tic-tac-toe",
    "tic-tac-toe:misere=yes",
    "connect4:columns=4,rows=4,length=3",
    pytest.param("tic-tac-toe:rows=2,columns=4,length=2,misere=yes", marks=pytest.mark.slow),
    pytest.param("again", marks=pytest.mark.slow),
]
NAMES = ("ann", "bob", "eve")


def recorded_games(rules, count, seed):
    """Random games with illegal and unreadable moves, openings, wrong results, with moves after the end, or no end."""
    generator, games = random.Random(seed), []
    for _ in range(count):
        state, actions = rules.initial, []
        stop = generator.choice([99, 99, generator.randint(1, 9)])
        while not rules.status(state) and len(actions) < stop:
            action = generator.choice(rules.legal(state))
            if generator.random() < 0.05:
                action = generator.choice([-1, *(one for one in range(3) if one not in rules.legal(state))])
            actions.append(action)
            if action not in rules.legal(state):
                break
            state = rules.play(state, action)
        if generator.random() < 0.1:
            actions.append(0)
        result = generator.choice([0, rules.status(state), rules.status(state), generator.randint(1, 3)])
        opening = generator.choice([0, 0, 1, 2])
        games.append(Recorded(generator.choice(NAMES), generator.choice(NAMES), actions, result, opening))
    return games


def rows_in(game, games):
    """The games as rows in the notation of a game."""
    words = [game.format_moves([action]) for action in range(game.num_actions)]
    return [
        {
            "x": one.x,
            "o": one.o,
            "moves": " ".join(words[action] if action >= 0 else "??" for action in one.actions),
            "result": ["", "x", "o", "draw"][one.result],
            "opening": one.opening,
        }
        for one in games
    ]


def by_player(frame):
    return {row.pop("player"): row for row in frame.to_dicts()}


@pytest.mark.parametrize("spec", SMALL)
def test_every_column_is_that_of_a_plain_recursion(spec):
    if spec in custom_games.GAMES:
        *functions, player = custom_games.GAMES[spec]
        table_from_functions(*functions, player=player, name=spec)
    rules, game = rules_of(spec), parse_game(spec)
    games = recorded_games(rules, 400, seed=len(spec))
    wanted = plain_review(rules, games)
    with pytest.warns(UserWarning, match=r"line \d+: expected legal moves in the opening"):
        frame = ttt_fast.review(rows_in(game, games), game)
    found = by_player(frame)
    assert list(found) == list(wanted)
    for name, row in found.items():
        low, high = row.pop("low"), row.pop("high")
        assert low < row["regret"] < high
        assert {key: value for key, value in row.items() if value is not None or key != "malformed"} == pytest.approx(
            wanted[name], abs=1e-12
        )
    everything = wanted["all"]
    counts = ("illegal", "after_end", "unfinished", "result_differs", "malformed", "mistakes", "missed_wins")
    assert all(everything[name] for name in counts if "misere" not in spec or name != "missed_wins")


def test_the_rows_of_moves_add_up_and_hold_every_alternative():
    rules, game = rules_of("tic-tac-toe"), parse_game("tic-tac-toe")
    games = [one._replace(opening=0) for one in recorded_games(rules, 50, seed=3)]
    rows, moves = (ttt_fast.review(rows_in(game, games), moves=of) for of in (False, True))
    assert len(moves) == by_player(rows)["all"]["moves"]
    assert by_player(rows)["all"]["mistakes"] == (~moves["optimal"]).sum()
    for row in moves.to_dicts():
        values = json.loads(row["values"])
        best = (max if row["seat"] == "x" else min)(values.values())
        assert (row["value_x"], row["best_value_x"]) == (values[row["move"]], best)
        assert row["optimal"] == (row["value_x"] == best)
        one = games[row["line"] - 1]
        assert (row["player"], row["action"]) == (one.x if row["seat"] == "x" else one.o, one.actions[row["ply"] - 1])


def test_the_interval_is_a_bootstrap_over_distinct_games():
    rules, game = rules_of("tic-tac-toe"), parse_game("tic-tac-toe")
    games = [Recorded("ann", "bob", one.actions) for one in recorded_games(rules, 60, seed=5)]
    games += games[:20]  # copies are drawn together with their originals
    lines = dict.fromkeys(range(1, len(games) + 1), ())
    moves = ttt_fast.review(rows_in(game, games), moves=True).to_dicts()
    for row in moves:
        lines[row["line"]] += (row["action"],)
    sums = {line: (0, 0) for line in lines.values()}
    for row in (one for one in moves if one["player"] == "ann"):
        lost, decisions = sums[lines[row["line"]]]
        is_open = len(set(json.loads(row["values"]).values())) > 1
        sums[lines[row["line"]]] = lost + abs(row["best_value_x"] - row["value_x"]), decisions + is_open
    found = by_player(ttt_fast.review(rows_in(game, games)))["ann"]
    pairs, generator = np.array(list(sums.values())), np.random.default_rng(7)
    assert found["distinct_games"] == len(pairs)
    drawn = pairs[generator.integers(len(pairs), size=(20_000, len(pairs)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    assert found["regret"] == pytest.approx(pairs[:, 0].sum() / pairs[:, 1].sum())
    assert (found["low"], found["high"]) == (pytest.approx(low, abs=0.02), pytest.approx(high, abs=0.02))


def positions_of(path, most):
    lines = [line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [(moves, int(score)) for moves, score in lines[:most]]


def check_scores(positions):
    """A move after each position is judged; what the position is worth must be the sign of the published score."""
    game, rows = parse_game("connect4"), []
    for moves, _ in positions:
        action = game.legal_actions(game.state_after(moves))[0]
        rows.append({"moves": moves + game.format_moves([action]), "opening": len(moves)})
    found = ttt_fast.review(rows, "connect4", moves=True)
    assert found["line"].to_list() == list(range(1, len(rows) + 1))
    sign = np.where(found["seat"] == "x", 1, -1)
    assert (sign * found["best_value_x"].to_numpy()).tolist() == [np.sign(score) for _, score in positions]


def test_connect_four_is_judged_as_published_scores_say():
    late = [one for one in positions_of(SCORES, 200) if len(one[0]) > 30]
    check_scores(late[:20])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Test_L3_R1", "Test_L2_R1"])
def test_connect_four_is_judged_as_another_solver_says(name):
    if not (SHARED / "data" / "connect4" / name).is_file():
        pytest.skip("the published scores are not there")
    check_scores(positions_of(SHARED / "data" / "connect4" / name, 300))


def test_connect_four_of_a_table_and_of_the_solver_agree(monkeypatch):
    from ttt_fast.analysis import judged

    spec = "connect4:columns=4,rows=4"
    game, rules = parse_game(spec), parse_game(spec)
    generator, rows = random.Random(2), []
    for number in range(60):
        state, actions = rules.initial_state, []
        while rules.status(state) == 0 and len(actions) < 16:
            actions.append(generator.choice(rules.legal_actions(state)))
            state = rules.play(state, actions[-1])
        rows.append({"x": "ann", "o": "bob", "moves": game.format_moves(actions), "opening": number % 3})
    by_table = ttt_fast.review(rows, game)
    monkeypatch.setattr(judged, "find_table", lambda game: None)
    assert ttt_fast.review(rows, game).equals(by_table)


@pytest.mark.slow
def test_moves_of_ultimate_are_not_judged():
    row = by_player(ttt_fast.review(["ann bob 55 51 11 15 none", "eve bob 5 5 5 1"], "ultimate"))["all"]
    assert (row["moves"], row["not_judged"], row["open_decisions"], row["regret"]) == (6, 6, 0, None)
    assert (row["illegal"], row["unfinished"], row["games"]) == (1, 1, 2)


DRAWN = [0, 4, 8, 1, 7, 6, 2, 5, 3]
ERRORS = {
    "ann bob 41028 x": Recorded("ann", "bob", [4, 1, 0, 2, 8], 1),
    "ann bob 4 1 0 2 8 x": Recorded("ann", "bob", [4, 1, 0, 2, 8], 1),
    "bob ann 41028 o": Recorded("bob", "ann", [4, 1, 0, 2, 8], 2),
    "408": Recorded("X", "O", [4, 0, 8]),
    "ann bob 4 0 4 # taken": Recorded("ann", "bob", [4, 0, 4]),
    "ann bob 4 illegal o": Recorded("ann", "bob", [4, -1], 2),
    "ann bob Timeout": Recorded("ann", "bob", [-1]),
    "ann bob 4 0 8 none 1-0": Recorded("ann", "bob", [4, 0, 8, -1], 1),
    "ann bob 4 0 8 banana 7": Recorded("ann", "bob", [4, 0, 8, -1, 7]),
    "ann\tbob\t0 3 1 4 2\tx": Recorded("ann", "bob", [0, 3, 1, 4, 2], 1),
    "ann bob 0 3 1 4 2 5 x": Recorded("ann", "bob", [0, 3, 1, 4, 2, 5], 1),
    "ann bob 0 3 1 4 8 5 draw": Recorded("ann", "bob", [0, 3, 1, 4, 8, 5], 3),
    "ann bob 0 3 1 4 8 5 6": Recorded("ann", "bob", [0, 3, 1, 4, 8, 5, 6]),
    "eve eve 048176253 1/2-1/2": Recorded("eve", "eve", DRAWN, 3),
    "ann bob 012 maybe": Recorded("ann", "bob", [0, 1, 2, -1]),
    "# a comment": None,
    "ann": None,
    "": None,
    "ann bob": None,
    "ann\tbob\t4\tx\teve": None,
    "ann\tbob\t41028\twon": None,
}
"""15 games with every kind of error, and lines without a game."""


def test_a_file_with_every_kind_of_error(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("\n".join(ERRORS))
    with pytest.warns(UserWarning) as warned:
        found = by_player(ttt_fast.review(path))
    said = str(warned[0].message)
    assert said.startswith(
        "line 17: expected a move or illegal, none, timeout, after two names or none, got 'ann'; line 19: "
    )
    assert said.endswith("line 20: expected two names, the moves and a result, got 5 fields; and 1 more lines")
    games = [game for game in ERRORS.values() if game is not None]
    wanted = plain_review(rules_of("tic-tac-toe"), games)
    wanted["all"]["malformed"] = 4
    assert len(games) == 15 and list(found) == list(wanted) == ["ann", "bob", "X", "O", "eve", "all"]
    for name, row in found.items():
        assert {key: row[key] for key in wanted[name]} == pytest.approx(wanted[name])
    counted = ("illegal", "after_end", "result_differs", "unfinished", "distinct_games")
    assert [found["all"][name] for name in counted] == [6, 2, 3, 1, 9]
    assert (found["ann"]["illegal"], found["bob"]["illegal"]) == (2, 4)


def test_the_kinds_of_mistakes():
    """Each line is one judged move after an opening, and the columns that it counts in."""
    cases = {
        ("403", 2): {},  # nothing is lost: every move draws
        ("401", 2): {},
    }
    for (moves, opening), wanted in cases.items():
        row = by_player(ttt_fast.review([{"moves": moves, "opening": opening}]))["all"]
        assert {name: row[name] for name in wanted} == wanted and row["moves"] == 1
    row = by_player(ttt_fast.review([{"moves": "03148", "opening": 4}]))["all"]  # X could have ended it with 2
    assert (row["win_chances"], row["missed_wins"], row["block_chances"]) == (1, 1, 0)
    row = by_player(ttt_fast.review([{"moves": "0418", "opening": 3}]))["all"]  # O must play 2
    assert (row["block_chances"], row["missed_blocks"], row["draw_to_loss"], row["regret"]) == (1, 1, 1, 1.0)
    row = by_player(ttt_fast.review([{"moves": "031", "start": "XO.......", "x": "ann"}], "tic-tac-toe"))["all"]
    assert row["illegal"] == 1  # the cell 0 is taken


@pytest.mark.parametrize(
    ("line", "moves", "illegal"),
    [("4,0,1", 3, 0), ("4, 0, 1", 3, 0), ("4 0 12", 2, 1), ("4 0 I think 2", 2, 1), ("04 18 2", 5, 0), ("04182", 5, 0)],
)
def test_commas_joined_digits_and_words_that_are_no_moves(line, moves, illegal):
    row = by_player(ttt_fast.review([line]))["all"]
    assert (row["moves"], row["illegal"], row["low"]) == (moves, illegal, None)  # one game has no interval


def test_a_slower_win_is_a_missed_win_and_no_mistake():
    rows = ttt_fast.review([{"moves": "7", "start": "X.XOX.O.O"}])  # 1 wins at once; 7 does not
    row = by_player(rows)["all"]
    assert (row["win_chances"], row["missed_wins"]) == (1, 1)


@pytest.fixture
def formats(tmp_path):
    """One set of games in each format."""
    rules, game = rules_of("tic-tac-toe"), parse_game("tic-tac-toe")
    rows = rows_in(game, [one for one in recorded_games(rules, 40, seed=9) if one.actions[0] >= 0])
    rows = [row | {"opening": 0, "result": row["result"] or "*"} for row in rows]
    texts = {
        "a.txt": [" ".join([row["x"], row["o"], row["moves"], row["result"]]) for row in rows],
        "b.txt": ["\t".join([row["x"], row["o"], row["moves"], row["result"]]) for row in rows],
        "c.jsonl": [json.dumps(row) for row in rows],
    }
    for name, lines in texts.items():
        (tmp_path / name).write_bytes("\r\n".join(lines).encode("utf-8-sig"))
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "d.csv")
    frame.write_parquet(tmp_path / "e.parquet")
    actions = [row["moves"].replace("??", "99") for row in rows]
    frame.with_columns(moves=pl.Series([[int(one) + 1 for one in of.split()] for of in actions])).write_parquet(
        tmp_path / "f.parquet"
    )
    return tmp_path, rows


def test_all_formats_hold_the_same_games(formats):
    folder, rows = formats
    wanted = ttt_fast.review(rows)
    for path in sorted(folder.iterdir()):
        first = 1 if path.name == "f.parquet" else None
        assert ttt_fast.review(path, first_action=first).equals(wanted), path
    assert ttt_fast.review(pl.DataFrame(rows)).equals(wanted)


EXAMPLE = {  # from the tests of OpenSpiel
    "header": {"game_string": "tic_tac_toe", "terminal": True, "returns": [1, -1], "meta_data": "some_extra_info"},
    "transitions": [{"player": ply % 2, "action": action} for ply, action in enumerate([4, 3, 6, 2, 8, 0, 7])],
}


def test_a_trajectory_of_openspiel():
    found = by_player(ttt_fast.review([EXAMPLE]))
    assert list(found) == ["X", "O", "all"] and found["all"]["result_differs"] == found["all"]["unfinished"] == 0
    assert found["all"]["moves"] == 7
    assert found["all"] == by_player(ttt_fast.review(["4362807 x"]))["all"]
    with pytest.warns(UserWarning, match="line 2: expected a game of 'tic-tac-toe', got 'connect_four"):
        ttt_fast.review([EXAMPLE, {**EXAMPLE, "header": {"game_string": "connect_four()"}}])


@pytest.mark.parametrize(
    ("theirs", "spec"),
    [
        ("tic_tac_toe", "tic-tac-toe"),
        pytest.param("connect_four", "connect4", marks=pytest.mark.slow),
        ("connect_four(columns=4,rows=4,x_in_row=3)", "connect4:columns=4,rows=4,length=3"),
        pytest.param("ultimate_tic_tac_toe", "ultimate", marks=pytest.mark.slow),
    ],
)
def test_trajectories_that_openspiel_writes(theirs, spec, tmp_path):
    pyspiel = pytest.importorskip("pyspiel")
    game, peer, lines, moves = pyspiel.load_game(theirs), parse_game(spec), [], []
    for seed in range(1 if spec in ("connect4", "ultimate") else 4):  # whose games take seconds to judge
        generator, state = random.Random(seed), game.new_initial_state()
        ours, begun, actions = peer.initial_state, -1, []
        while not state.is_terminal():
            step = generator.choice(state.legal_actions())
            action = peer.open_spiel.action(ours, begun, step)
            begun = step if action < 0 else -1
            if action >= 0:
                actions.append(action)
                ours = peer.play(ours, action)
            state.apply_action(step)
        written = json.loads(pyspiel.Trajectory(state).to_string())
        written["header"]["meta_data"] = json.dumps(["ann", "bob"])
        again = pyspiel.Trajectory(json.dumps(written))  # which checks it
        lines.append(again.to_string())
        moves.append(peer.format_moves(actions))
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines) + "\n")
    recorded = ttt_fast.review([f"ann bob {line}" for line in moves], spec, moves=True)
    assert ttt_fast.review(path, spec, moves=True).equals(recorded)


BAD = {
    "folder.txt": (None, "is a directory"),
    "binary.txt": (bytes(range(256)) * 9, "expected UTF-8 text"),
    "empty.txt": (b"", "expected at least one game, got none"),
    "comments.txt": (b"\xef\xbb\xbf# nothing\r\n\r\n", "expected at least one game, got none"),
    "utf16.txt": ("ann bob 41028".encode("utf-16"), "expected UTF-8 text"),
    "moves.csv": (b"x,o\na,b\n", "line 2: expected a game, got an object with 'x, o'"),
    "broken.parquet": (b"PAR1 and nothing else", "expected a parquet file of rows"),
    "list.jsonl": (b"[1]\n", "line 1: expected a JSON object"),
    "number.jsonl": (b'{"moves": ' + b"9" * 5000 + b"}\n", "line 1: expected a JSON object"),
    "games.npz": (b"", "expected a file of games that ends in .txt, .csv, .jsonl, .parquet"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_without_games_are_one_line(name, tmp_path):
    content, said = BAD[name]
    path = tmp_path / name
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises((FileFormatError, UsageError)) as raised:
        ttt_fast.review(path)
    assert said in str(raised.value) and "\n" not in str(raised.value) and str(raised.value).isprintable()


def test_bad_lines_stop_no_other(tmp_path):
    path = tmp_path / "games.jsonl"
    deep = "[" * 100_000
    rows = [
        {"moves": "41028", "result": "won"}, {"moves": 41028}, {"moves": "41028", "opening": -1}, {"x": "ann"},
        {"moves": "41028", "opening": 10**9}, {"moves": "4", "start": "XXX......"}, {"moves": "4", "start": "XXX"},
        {"moves": "4", "start": "XXXOO...."}, {"moves": "4", "x": 5}, {"moves": "4", "x": "a\x1b[2J\n"},
        {"transitions": 5},
    ]  # fmt: skip
    path.write_bytes("\n".join([*map(json.dumps, rows), deep, '{"moves": "41028"}']).encode() + b"\n\xff\n")
    with pytest.warns(UserWarning, match="and 9 more lines"):
        found = ttt_fast.review(path)
    row = by_player(found)
    assert (row["all"]["games"], row["all"]["malformed"]) == (2, 12) and r"a\x1b[2J\n" in row
    with pytest.raises(FileFormatError, match="line 1: expected x, o or draw as the result, got 'won'"):
        ttt_fast.review(path, strict=True)


def test_a_line_of_other_bytes_and_a_cell_of_csv(tmp_path):
    path = tmp_path / "games.txt"
    path.write_bytes(
        b"ann bob 41028\r\n\xff\xfe 41028\r\n  # \xc3\xa4\r\n\xc3\xa4nn bob\t4\n\xc3\xa4nn\tbob\t41028\tx\r\n"
    )
    with pytest.warns(UserWarning, match="line 2: expected UTF-8 text, got other bytes; line 4: "):
        found = by_player(ttt_fast.review(path))
    assert list(found) == ["ann", "bob", "änn", "all"]
    path = tmp_path / "games.csv"
    path.write_text(
        'x,o,moves,opening\nann,"bob, the second",41028,2\nann,bob,41028,0,9\nann,bob,014\n', encoding="utf-8-sig"
    )
    with pytest.warns(UserWarning, match="line 3: expected moves, names, a result and a start as texts, got "):
        found = by_player(ttt_fast.review(path))
    assert found["all"]["games"] == 2 and found["bob, the second"]["moves"] == 1


@pytest.mark.slow
def test_many_lines(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("ann bob 41028 x\nann bob 4 0 8 2 6 3 5 1 7\nbob ann 031\n# no game\n" * 25_000)
    row = by_player(ttt_fast.review(path))["all"]
    assert (row["games"], row["distinct_games"], row["unfinished"]) == (75_000, 3, 25_000)


def test_random_openings_are_charged_to_nobody(tmp_path):
    from ttt_fast import ContestConfig, contest

    path, spec = tmp_path / "games.jsonl", "connect4:columns=4,rows=4"
    contest("mcts:sims=5", "random", ContestConfig(10, game=spec, openings="random:2", seed=1), save_to=path)
    saved = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert {row["opening"] for row in saved} == {2}
    found = by_player(ttt_fast.review(path))
    for name in ("mcts:sims=5", "random"):
        chosen = sum(row[f"{side}_moves"] for row in saved for side in "xo" if row[side] == name)
        assert found[name]["moves"] == chosen
    assert found["all"]["moves"] == sum(row["plies"] - 2 for row in saved)
    assert ttt_fast.review(path, moves=True)["ply"].min() == 3
    assert found["all"]["illegal"] == found["all"]["result_differs"] == found["all"]["unfinished"] == 0


def test_numbers_of_actions_and_other_games(tmp_path):
    wanted = ttt_fast.review(["ann bob 4453"], "connect4", moves=True)
    for first in (0, 1):
        line = "ann bob " + " ".join(str(action + first) for action in (3, 3, 4, 2))
        assert ttt_fast.review([line], "connect4", first_action=first, moves=True).equals(wanted)
    with pytest.raises(UsageError, match="expected games of 'connect4', got those of 'tic-tac-toe'"):
        ttt_fast.review([{"schema": "ttt-fast/games/1", "config": {"game": "tic-tac-toe"}}], "connect4")


PAGE = (REPOSITORY / "docs" / "REVIEW.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```python (\w+)\n(.*?)```", PAGE, re.DOTALL))


def test_the_answers_of_a_model_become_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS["answers"], "REVIEW.md", "exec"), {"__name__": "page"})
    row = by_player(ttt_fast.review("games.txt"))["all"]
    assert (row["games"], row["unfinished"], row["malformed"]) == (
        10,
        0,
        0,
    ) and "shape: (3, 8)" in capsys.readouterr().out


def test_replays_of_kaggle_are_converted(tmp_path, monkeypatch, capsys):
    """In the form of its own tests: all agents at each step, of which one was active before it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replays").mkdir()
    columns, steps = [3, 2, 3, 2, 3, 2, None], [[("ACTIVE", 0), ("INACTIVE", 0)]]
    for ply, column in enumerate(columns, 1):
        status = ["ACTIVE", "INACTIVE"] if ply < len(columns) else ["DONE", "DONE"]
        moves = [column, 0] if ply % 2 else [0, column]
        steps.append(list(zip(status[:: 1 if ply % 2 == 0 else -1], moves, strict=True)))
    replay = {
        "info": {"TeamNames": ["ann", "bob"]},
        "steps": [[{"status": status, "action": action} for status, action in of] for of in steps],
    }
    (tmp_path / "replays" / "1.json").write_text(json.dumps(replay))
    monkeypatch.setattr(ttt_fast, "review", lambda games, *words, **named: (list(games), words, named))
    exec(compile(BLOCKS["kaggle"], "REVIEW.md", "exec"), {"__name__": "page"})
    said = capsys.readouterr().out
    assert said.strip() == str(([{"x": "ann", "o": "bob", "moves": columns}], ("connect4",), {"first_action": 0}))


def test_q_learning_from_recorded_games(tmp_path, monkeypatch, capsys):
    """The last move of each player gets its value; earlier ones could be followed by moves that nobody has tried."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.txt").write_text("ann bob 0 4 1 8 2 x\nbob ann 4 4")
    names = {"__name__": "page"}
    exec(compile(BLOCKS["learn"], "REVIEW.md", "exec"), names)
    states = [
        names["environment"].table.state_index(parse_game("tic-tac-toe").state_after("04182"[:n])) for n in range(5)
    ]
    values = names["q"][states, [0, 4, 1, 8, 2]]
    assert np.allclose(values, [0, 0, 0, -1, 1], atol=1e-3) and np.count_nonzero(names["q"]) == 2
    assert "'exploitability': 1.0" in capsys.readouterr().out


def test_the_numbers_of_the_page_are_those_of_its_games():
    found = by_player(ttt_fast.review(REPOSITORY / "docs" / "examples" / "games.txt"))
    [head, _, *lines] = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("|")]
    assert [line[0] for line in lines] == ["ann", "bob"] and found["all"]["games"] == 20
    for name, *cells in lines:
        values = [found[name][column.replace(" ", "_")] for column in head[1:]]
        assert cells == [f"{value:.2f}" if isinstance(value, float) else str(value) for value in values]


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect4"])
def test_games_without_a_move_have_rows(game):
    row = by_player(ttt_fast.review(["timeout", "ann bob none"], game))["all"]
    assert (row["games"], row["distinct_games"], row["moves"], row["illegal"], row["regret"]) == (2, 1, 0, 2, None)
    with pytest.warns(UserWarning, match="line 1: expected legal moves in the opening"):
        found = by_player(ttt_fast.review([{"moves": "?", "opening": 1}], game))
    assert list(found) == ["all"] and (found["all"]["games"], found["all"]["malformed"]) == (0, 1)
    assert len(ttt_fast.review(["timeout"], game, moves=True)) == 0


@pytest.mark.slow
def test_late_moves_of_ultimate_are_judged_and_early_ones_are_not():
    game, played = parse_game("ultimate"), ttt_fast.play_game("random", "random", "ultimate", seed=3)
    line = game.format_moves(played.actions)
    rows = ttt_fast.review([line], game, moves=True).to_dicts()
    assert [row["optimal"] is None for row in rows[:30]] == [True] * 30
    known, state = 0, game.initial_state
    for row, action in zip(rows, played.actions, strict=True):
        if row["optimal"] is not None:
            known += 1
            exact = {move.action: move.value_x for move in ExactAnalysis(game).moves(state)}
            assert row["value_x"] == exact[action] and row["optimal"] == (row["value_x"] == row["best_value_x"])
        state = game.play(state, action)
    assert known > 10
