"""The proof of a player: the package, two independent checkers and a plain enumeration state the same."""

import json
import shutil
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from proven_toys import (
    LARGER,
    WON_BY_X,
    PlainPlayer,
    closed_set,
    hashed,
    levels_of as plain_levels,
    random_weights,
    toy,
)

from cli_runner import run
from conftest import PATIENCE, REPOSITORY
from proven_exceptions import make_exceptions, with_exceptions
from proven_writing import save_proven
from ttt_fast import Seat
from ttt_fast.core.rng import mix64
from ttt_fast.proven import certificate as proof
from ttt_fast.proven.player import SHIPPED
from ttt_fast.proven.weights import choose_columns

CHECKERS = REPOSITORY / "bench" / "proven"


@pytest.fixture(scope="module")
def checkers(tmp_path_factory):
    """The commands of both checkers; without a compiler, of one."""
    commands, compiler = [[sys.executable, str(CHECKERS / "check_proven.py")]], shutil.which("cc")
    if compiler:
        program = tmp_path_factory.mktemp("checker") / "check_proven"
        subprocess.run([compiler, "-O1", "-o", program, CHECKERS / "check_proven.c"], check=True, timeout=PATIENCE)
        commands.append([str(program)])
    return commands


def stated(command, path):
    """The lines that a checker prints, and its exit code."""
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.stderr == ""
    return done.stdout.splitlines(), done.returncode


def expected(path):
    """The lines and the exit code by the package."""
    found = proof.prove(path)
    lines = [f"{row['ply']} {row['positions']} {row['hash']}" for row in found.rows[:-1]]
    return [*lines, found.summary["result"]], int(not found.is_proven)


def players():
    """Players that win and that do not, in both seats."""
    yield "toy", toy()
    yield "larger", toy(LARGER)
    yield "no tuples", random_weights(WON_BY_X, 1, 0)
    yield "wide weights", random_weights(WON_BY_X, 1, largest=1000)
    for seat in (1, 2):
        for game in (
            "connect4:columns=3,rows=4,length=3",
            "connect4:columns=4,rows=4,length=3",
            "connect4:columns=2,rows=6",
        ):
            yield f"{game} {seat}", random_weights(game, seat, 5, 3, largest=2)


@pytest.mark.parametrize(("name", "weights"), list(players()), ids=lambda one: one if isinstance(one, str) else "")
def test_both_checkers_and_the_package_state_what_a_plain_enumeration_finds(name, weights, checkers, tmp_path):
    save_proven(tmp_path / "player.npz", weights)
    levels, lost = plain_levels(weights)
    with np.errstate(over="ignore"):
        sums = [sum(int(mix64(np.uint64(key))) for key in level) % 2**64 for level in levels]
    lines = [f"{ply} {len(level)} {total:016x}" for ply, (level, total) in enumerate(zip(levels, sums, strict=True))]
    side = "XO"[weights.seat - 1]
    lines.append(f"failed: {lost} terminal positions that are not wins" if lost else f"proven: {side} wins every game")
    assert expected(tmp_path / "player.npz") == (lines, int(lost > 0))
    for command in checkers:
        assert stated(command, tmp_path / "player.npz") == (lines, int(lost > 0))
    assert (lost == 0) == (name in ("toy", "larger"))


def exceptions_met(weights):
    """The canonical keys at which the exceptions of a toy decide, among the positions of its games."""
    plain, bare = PlainPlayer(weights), weights._replace(columns=weights.columns[:, :0], shape=weights.shape * 0)
    bare = bare._replace(filter=bare.filter[:0, :0])
    table = proof.table_of_player(weights)
    keys = table.key[table.player == weights.seat]
    differ = choose_columns(weights, keys) != choose_columns(bare, keys)
    return [int(key) for key in keys[differ] if plain.exception(int(key)) is not None]


def slot_of(key, shape):
    """The first of the four slots of a key."""
    k, segments, seed = shape
    return (hashed(key, seed) * (segments - 3) >> 32) * 2**k + hashed(key, seed + 1) % 2**k


def test_one_bit_of_an_exception_makes_all_of_them_fail(checkers, tmp_path):
    weights, failed, path = toy(seed=6), 0, tmp_path / "flipped.npz"
    asked = exceptions_met(weights)
    assert len(asked) >= 5
    for key, plane in product(asked, range(3)):
        columns, slot = weights.columns.copy(), slot_of(key, weights.shape[1].tolist())
        columns[plane, slot // 8] ^= 1 << slot % 8
        save_proven(path, weights._replace(columns=columns))
        if proof.prove(path).is_proven:  # another column may win too
            continue
        failed += 1
        assert expected(path)[1] == 1
        assert [stated(command, path) for command in checkers] == [expected(path)] * len(checkers)
        if failed == 3:
            return
    raise AssertionError(f"only {failed} bits matter")


def test_one_weight_that_matters_makes_all_of_them_fail(checkers, tmp_path):
    weights, failed, path = toy(seed=6), 0, tmp_path / "flipped.npz"
    for place in np.random.default_rng(0).permutation(weights.weights.size)[:400]:
        changed = weights.weights.copy()
        changed.ravel()[place] ^= np.int8(0x40)
        save_proven(path, weights._replace(weights=changed))
        if proof.prove(path).is_proven:
            continue
        failed += 1
        assert [stated(command, path) for command in checkers] == [expected(path)] * len(checkers)
        if failed == 3:
            return
    raise AssertionError(f"only {failed} weights matter")


def test_a_draw_is_a_failure(checkers, tmp_path):
    """In a single row of four nobody makes four: every game is a draw."""
    save_proven(tmp_path / "drawn.npz", random_weights("connect4:columns=4,rows=1", 1, 0))
    lines, code = expected(tmp_path / "drawn.npz")
    assert code == 1 and lines[-1] == f"failed: {len(plain_draws(4))} terminal positions that are not wins"
    assert all(stated(command, tmp_path / "drawn.npz") == (lines, code) for command in checkers)


def plain_draws(cells):
    """The full rows that X reaches."""
    boards = {"." * cells}
    for ply in range(cells):
        after = set()
        for board in boards:
            free = [cell for cell in range(cells) if board[cell] == "."]
            for cell in free if ply % 2 else [chosen_by_x(board)]:
                after.add(board[:cell] + "XO"[ply % 2] + board[cell + 1 :])
        boards = after
    return boards


def chosen_by_x(board):
    """The cell that X plays without any tuple."""
    plain = PlainPlayer(random_weights("connect4:columns=4,rows=1", 1, 0))
    return plain.choose([{"X": "O", "O": "X"}.get(one, "") for one in board])


@pytest.mark.parametrize("damage", ["truncated", "empty", "another", "compressed", "a cell", "missing"])
def test_checkers_refuse_a_damaged_file_in_one_line(checkers, tmp_path, damage):
    path, weights = tmp_path / "damaged.npz", toy()
    save_proven(path, weights)
    content = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "another":
        np.savez(path, board=weights.board)
    elif damage == "compressed":
        np.savez_compressed(path, **weights._replace(board=np.array([4, 4, 3, 7], np.int32))._asdict())
    elif damage == "a cell":
        np.savez(path, **weights._replace(tuples=weights.tuples + np.uint8(100))._asdict())
    else:
        path.unlink()
    for command in checkers:
        lines, code = stated(command, path)
        assert code == 1 and len(lines) == 1 and lines[0].startswith("failed: ")


def test_checkers_read_a_file_that_numpy_writes(checkers, tmp_path):
    save_proven(tmp_path / "toy.npz", toy())
    np.savez(tmp_path / "numpy.npz", **toy()._asdict())
    for command in checkers:
        assert stated(command, tmp_path / "numpy.npz") == expected(tmp_path / "toy.npz")


@pytest.mark.parametrize(
    ("name", "rule", "fault"),
    [
        ("check_proven.c", "return flipped ? W - 1 - chosen : chosen;", "return 0;"),
        ("check_proven.py", "return np.where(flipped, self.columns - 1 - chosen, chosen)", "return 0 * chosen"),
    ],
)
def test_a_rule_that_chooses_a_full_column_is_a_failure(name, rule, fault, tmp_path):
    text = (CHECKERS / name).read_text(encoding="utf-8")
    assert text.count(rule) == 1
    (tmp_path / name).write_text(text.replace(rule, fault), encoding="utf-8")
    save_proven(tmp_path / "toy.npz", toy())
    command = [sys.executable, str(tmp_path / name)]
    if name.endswith(".c"):
        if not (compiler := shutil.which("cc")):
            pytest.skip("needs a C compiler")
        command = [str(tmp_path / "faulty")]
        subprocess.run([compiler, "-O1", "-o", *command, tmp_path / name], check=True, timeout=PATIENCE)
    lines, code = stated(command, tmp_path / "toy.npz")
    assert (lines[-1], code) == ("failed: the rule chose a full column", 1)


@pytest.fixture
def certified(tmp_path):
    """A file and its certificate."""
    save_proven(tmp_path / "toy.npz", toy())
    words = ["prove", str(tmp_path / "toy.npz"), "--game", WON_BY_X]
    done = run(*words, "--seat", "x", "-o", str(tmp_path / "certificate.json"))
    assert (done.code, done.out) == (0, b"")
    assert done.err.splitlines()[-1] == "proven: X wins every game"
    return tmp_path / "certificate.json", words


def test_a_certificate_states_positions_hashes_and_the_result(certified):
    found = json.loads(certified[0].read_text(encoding="utf-8"))
    assert found["schema"] == "ttt-fast/prove/1" and found["manifest"]["environment"]["numpy"] == np.__version__
    *rows, everything = found["rows"]
    assert everything["ply"] is None and everything["positions"] == sum(row["positions"] for row in rows)
    (summary,) = found["summary"]
    assert summary["result"] == "proven: X wins every game" and len(summary["sha256"]) == 64
    assert summary["own_positions"] == sum(row["positions"] for row in rows[::2])
    assert run(*certified[1], "--check", str(certified[0])).code == 0


@pytest.mark.parametrize(
    "damage", ["ply", "hash", "sha256", "result", "rows", "schema", "truncated", "not json", "list"]
)
def test_a_damaged_certificate_gives_one_line(certified, damage):
    path, words = certified
    found = json.loads(path.read_text(encoding="utf-8"))
    if damage in ("ply", "hash"):
        found["rows"][2][damage] = 17
    elif damage == "rows":
        del found["rows"][-2:]
    elif damage == "schema":
        found["schema"] = "ttt-fast/exact/1"
    elif damage in ("sha256", "result"):
        found["summary"][0][damage] = "0"
    text = {"truncated": json.dumps(found)[:-9], "not json": "\x00", "list": "[]"}.get(damage, json.dumps(found))
    path.write_text(text, encoding="utf-8")
    done = run(*words, "--check", str(path))
    assert done.code == 1 and done.err.count("\n") == 1 and "certificate.json" in done.err and done.out == b""


def test_the_result_is_told_once(tmp_path):
    """Below the table; on standard error, if standard output has rows for a program."""
    save_proven(tmp_path / "toy.npz", toy())
    words = ["prove", str(tmp_path / "toy.npz"), "--game", WON_BY_X]
    table, rows = run(*words), run(*words, "--format", "json")
    assert table.code == rows.code == 0 and table.err == ""
    assert table.text.count("proven: X wins every game") == 1
    assert rows.err.splitlines() == ["proven: X wins every game"]


def test_other_files_boards_and_seats_are_refused_in_one_line(certified, tmp_path):
    path, words = certified
    for more, code in ([["--seat", "o"], 2], [["--game", "connect4"], 2], [["--game", "tic-tac-toe"], 2]):
        done = run(*words, *more)
        assert (done.code, done.err.count("\n")) == (code, 1)
    (tmp_path / "bad.npz").write_bytes(b"PK")
    for name in ("bad.npz", "none.npz"):
        done = run("prove", str(tmp_path / name))
        assert (done.code, done.err.count("\n")) == (1, 1)
    save_proven(tmp_path / "loses.npz", random_weights(WON_BY_X, 1))
    done = run("prove", str(tmp_path / "loses.npz"), "--game", WON_BY_X)
    assert done.code == 1 and "terminal positions that are not wins" in done.err
    assert path.exists()


def test_more_positions_than_allowed_are_no_proof(tmp_path, monkeypatch):
    monkeypatch.setattr(proof, "MAX_POSITIONS", 50)
    save_proven(tmp_path / "toy.npz", toy())
    with pytest.raises(proof.TttFastError, match="at most 50 positions"):
        proof.prove(tmp_path / "toy.npz")


@pytest.mark.slow
def test_a_filter_that_is_too_narrow_leaves_no_mistake(checkers, tmp_path, monkeypatch):
    """Every width of the filter gives the same proof."""
    weights = random_weights(LARGER, 1, seed=3)
    keys, wanted = closed_set(weights)
    found = set()
    for bits in (0, 1, 5, 8):
        monkeypatch.setattr("proven_exceptions.np.argmin", lambda sizes, bits=bits: bits)
        made = make_exceptions(weights, keys, wanted)
        save_proven(tmp_path / "toy.npz", with_exceptions(weights, made))
        found.add(str(expected(tmp_path / "toy.npz")))
        assert [str(stated(one, tmp_path / "toy.npz")) for one in checkers] == [*found] * len(checkers)
    assert len(found) == 1


@pytest.mark.slow
def test_the_player_that_ships_wins_every_game_of_the_real_board(checkers, tmp_path):
    """The certificate, the package and a checker state the same, 41 levels; the slow checker states 18 of them."""
    certificate = REPOSITORY / "results" / "exact-connect4" / "certificate.json"
    found = proof.prove(SHIPPED, "connect4", Seat.X, certificate=certificate)
    assert found.is_proven and found.summary["own_positions"] <= 10_000_000 and found.summary["bytes"] <= 1_000_000
    lines = [f"{row['ply']} {row['positions']} {row['hash']}" for row in found.rows[:-1]]
    assert len(lines) == 41
    python, *compiled = checkers
    if compiled:  # the other one is enough
        assert stated(compiled[0], SHIPPED) == ([*lines, "proven: X wins every game"], 0)
        text, most = (CHECKERS / "check_proven.py").read_text(encoding="utf-8"), "U64 = 100_000_000"
        assert text.count(most) == 1
        (tmp_path / "check_proven.py").write_text(text.replace(most, "U64 = 200_000"), encoding="utf-8")
        shorter = [sys.executable, str(tmp_path / "check_proven.py")]
        assert stated(shorter, SHIPPED) == ([*lines[:18], "failed: more than 200,000 positions"], 1)
    else:
        assert stated(python, SHIPPED) == ([*lines, "proven: X wins every game"], 0)
