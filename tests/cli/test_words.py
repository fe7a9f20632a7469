"""Counts, seats, boards and agents in all their spellings, and what is said about wrong ones."""

import pytest
from hypothesis import given, strategies as st

from cli_runner import assert_one_line, run, run_process
from ttt_fast import AgentError, UsageError, save_policy
from ttt_fast.core.specs import MAX_COUNT, parse_count

COUNTS = {
    "0": 0,
    "7": 7,
    "100M": 10**8,
    "100m": 10**8,
    "1e8": 10**8,
    "1E8": 10**8,
    "100_000_000": 10**8,
    "1.5k": 1500,
    "2.5e3": 2500,
    "3B": 3 * 10**9,
    "3G": 3 * 10**9,
    "2t": 2 * 10**12,
    "1P": 10**15,
    " 12 ": 12,
    "1e18": 10**18,
    "0.5M": 500_000,
}
BAD_COUNTS = ["", " ", "-1", "1e99", "1e19", "1.5", "0.1k1", "_1", "1e", "e5", "nan", "inf", "0x10", "1,000"]
BAD_COUNTS += ["ten", "1M2", "M", "1e-3", "+5", "1 000", "٣", "9" * 5000, "1e999", "1.0001k"]


@pytest.mark.parametrize(("text", "value"), COUNTS.items())
def test_counts(text, value):
    assert parse_count(text) == value


@pytest.mark.parametrize("text", BAD_COUNTS)
def test_bad_counts(text):
    with pytest.raises(UsageError, match=r"^expected [^\n]* for instance 100M, 1e8 or 250_000, got [^\n]*$"):
        parse_count(text)


@given(st.integers(0, MAX_COUNT))
def test_every_whole_number_can_be_written_in_three_ways(value):
    assert parse_count(str(value)) == parse_count(f"{value:_}") == value
    assert parse_count(f"{value / 10**6:.6f}M") == value or value > 2**53


@given(st.text(max_size=12))
def test_any_text_is_a_count_or_one_line(text):
    try:
        assert 0 <= parse_count(text) <= MAX_COUNT
    except UsageError as error:
        assert "\n" not in str(error)


def test_the_ends_of_ranges_and_blanks_between_rewards(tmp_path):
    words = ["--seat", "O", "--seed", str(2**63 - 1), "--rewards", "1, 0.5,-2"]
    config = run("train", "-n", "10", *words, "-o", tmp_path / "q.npz", "-f", "json").json()["manifest"]["config"]
    assert (config["seat"], config["seed"]) == ("o", 2**63 - 1)
    assert [config[f"{name}_reward"] for name in ("win", "draw", "loss")] == [1.0, 0.5, -2.0]


REFUSED = {
    "mixture": (["exact", "mix:0.5*random", "random"], 2, "sum to 1"),
    "agent of the list": (["show", ".........", "--agents", "random,,minimax"], 2),
    "boards to list": (["exact", "random", "random", "--reach", "some"], 2, "'some'"),
    "missing policy": (["score", "nowhere.npz"], 1, "nowhere.npz"),
    "policy is a folder": (["score", "{folder}"], 2),
    "policy file is a folder": (["score", "{folder}/sub.npz"], 1, "directory"),
    "foreign file": (["score", "{foreign}"], 1, "{foreign}"),
    "empty file": (["score", "{empty}"], 1, "{empty}"),
    "short board": (["show", "XO"], 2, "9 characters"),
    "impossible board": (["show", "XXX......"], 2, "3 and 0"),
    "play after a win": (["exact", "random", "random", "--position", "XXXOOO..."], 2, "after a win"),
    "count": (["match", "random", "random", "-n", "many"], 2, "'many'"),
    "no games": (["match", "random", "random", "-n", "0"], 2, "a number of games from 1", "'0'"),
    "one game for two seats": (
        ["match", "random", "random", "-n", "1", "--seats", "both"],
        2,
        "a number of games from 2",
        "'1'",
    ),
    "one game of searches": (["match", "mcts", "random", "-n", "1"], 2, "an even number of games from 2", "got 1"),
    "finished board": (["match", "random", "random", "--position", "XXXOO...."], 2, "'XXXOO....'", "X has won"),
    "seed": (["match", "random", "random", "--seed", "-1"], 2, "-1"),
    "threads": (["match", "random", "random", "--threads", "0"], 2, "a number of threads", "got '0'"),
    "more threads": (["match", "random", "random", "--threads", "1025"], 2, "a number of threads", "got '1025'"),
    "large seed": (["match", "random", "random", "--seed", str(2**63)], 2, f"got '{2**63}'"),
    "no seat": (["best-response", "random", "--seat", ""], 2, "got ''"),
    "four rewards": (["train", "--rewards", "1,0,-1,2"], 2, "got '1,0,-1,2'"),
    "rewards in words": (["train", "--rewards", "a,b,c"], 2, "got 'a,b,c'"),
    "method": (["match", "random", "random", "--method", "guess"], 2, "'guess'"),
    "missing saved match": (["match", "random", "random", "-f", "json", "--resume", "{folder}/no.npz"], 1, "no.npz"),
    "format": (["agents", "--format", "xml"], 2, "'xml'"),
    "seat": (["best-response", "random", "--seat", "z"], 2, "'z'"),
    "objective": (["best-response", "random", "--objective", "fun"], 2, "'fun'"),
    "suffix of a policy": (["best-response", "random", "-o", "{folder}/br.xml"], 2, ".npz"),
    "study": (["reproduce", "astrology"], 2, "'astrology'"),
    "part": (["reproduce", "sai", "--part", "dqn"], 2, "'sai --part dqn'"),
    "seeds of no part": (["reproduce", "sai", "--seeds", "3"], 2, "--part"),
    "no command": (["fly"], 2, "fly"),
    "no option": (["agents", "--bogus"], 2, "--bogus"),
    "surplus argument": (["exact", "random", "random", "random"], 2),
    "option without value": (["match", "random", "random", "-n"], 2),
    "output in no folder": (["agents", "-o", "{folder}/no/x"], 1, "no/x"),
    "output is a folder": (["agents", "-o", "{folder}"], 1, "directory"),
    "output on a full disk": (["agents", "-o", "/dev/full"], 1, "no space"),
    "training episodes": (["train", "--episodes", "-1"], 2, "'-1'"),
    "training reward": (["train", "--rewards", "1e7,0,0"], 2, "win_reward"),
    "training from nothing": (["train", "--resume", "{folder}/no.npz"], 1, "no.npz"),
    "training from a policy": (["train", "--resume", "{foreign}"], 1),
    "training into a folder": (["train", "-n", "1000", "-o", "{folder}/sub.npz"], 1, "directory"),
    "training below a file": (["train", "-n", "1000", "-o", "{foreign}/q.npz"], 1, "{foreign}"),
    "training into a text file": (["train", "-n", "1000", "-o", "{folder}/q.txt"], 2, ".npz"),
    "training checkpoints": (["train", "--checkpoint-every", "0"], 2, "got 0.0"),
    "bench seconds": (["bench", "--seconds", "0"], 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_mistake_is_one_line(name, tmp_path):
    arguments, code, *words = REFUSED[name]
    names = {"folder": tmp_path, "foreign": tmp_path / "foreign.npz", "empty": tmp_path / "empty.npz"}
    names["foreign"].write_bytes(b"PK\x03\x04 something else")
    names["empty"].write_bytes(b"")
    (tmp_path / "sub.npz").mkdir()
    before = sorted(path.name for path in tmp_path.iterdir())
    filled = [argument.format_map(names) if "{" in argument else argument for argument in arguments]
    ran = run(*filled)
    assert_one_line(ran, code, *(word.format_map(names) for word in words))
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_debug_shows_where(monkeypatch):
    ran = run_process("exact", "randm", "random", "--debug")
    assert ran.code != 0
    assert "Traceback" in ran.err
    assert "AgentError" in ran.err
    with pytest.raises(AgentError):
        run("--debug", "exact", "randm", "random")
    monkeypatch.setenv("TTT_FAST_DEBUG", "1")
    with pytest.raises(AgentError):
        run("exact", "randm", "random")


def test_version_and_help():
    assert run("--version").text.startswith("ttt-fast 1.")
    for option in ("--help", "-h"):
        ran = run(option)
        assert (ran.code, ran.err) == (0, "")
        assert "best-response" in ran.text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train -n -5", "expected --episodes to be a whole number from 0 to 1e+15, got '-5'"),
        ("train --seed -1", "expected --seed to be a whole number of at least 0, got '-1'"),
        ("train --seed 1 --seed 2", "expected --seed once, got it 2 times"),
        ("match random minimax -n 10 --games 20", "expected --games once, got it 2 times"),
        ("score random --labelled 5", "expected --labelled only with --fixed-seat, got --labelled without it"),
        ("score random --max-positions 5", "expected --max-positions only with --fixed-seat"),
        ("exact random minimax --max-positions 5", "expected --max-positions only with --fixed-seat"),
        ("best-response random --max-positions 5", "expected --max-positions only with --fixed-seat"),
        ("sweep --set epsilon=0.1 --seeds 1,1", "expected a number of seeds, N for 0 to N - 1 (a list is for Python"),
        ("score games.txt", "expected 19683 moves and '.' in a policy as text (others: .npz, .dat, .pkl), got no '.'"),
        ("score own.npz --game connect4", "expected a policy for connect4, got 'own.npz' for 'tic-tac-toe'"),
        ("match own.npz random --game connect4", "expected a policy for connect4, got 'own.npz' for 'tic-tac-toe'"),
        ("plot curve.csv --y explotability", "unknown column 'explotability'; did you mean exploitability?"),
        ("bench compare rows.json rows.json", "has written, such as results/bench/reference.json, got 'rows.json'"),
    ],
)
def test_a_mistake_is_one_line_with_its_cause(line, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.txt").write_text("0123\n")
    (tmp_path / "rows.json").write_text('{"schema": "ttt-fast/bench/1", "groups": []}')
    (tmp_path / "curve.csv").write_text("episodes,exploitability\n1,0.5\n")
    save_policy("own.npz", "random")
    assert_one_line(run(*line.split()), 1 if "rows" in line or "games.txt" in line else 2, words)


def test_switches_and_repeatable_options_may_be_given_twice():
    assert (
        run(
            "score", "minimax", "--against", "random", "--against", "heuribot", "--by-state", "--by-state", "-f", "csv"
        ).code
        == 0
    )
