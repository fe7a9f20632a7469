"""Ctrl-C and SIGTERM during long kernels, in processes of their own: they stop within seconds, and work goes on."""

import signal
import time

import pytest

from cli_runner import run, start

SECONDS = 4.0
"""The time that a signal may wait."""
CONNECT4 = ["--game", "connect4"]
ALPHAZERO = ["train", "--algorithm", "alphazero", "--evaluations", "2", "--force"]
DQN = ["train", "--algorithm", "dqn", "-n", "200", "--chunk", "200", "--warm-up", "0", "--force"]
TD = ["train", "--algorithm", "td", *CONNECT4, "--judges", "", "--force"]

LINES = {
    "searches": (["exact", "puct:net={net},sims={}", "random"], "20", "1000000"),
    "games": ([*ALPHAZERO, "-n", "{}", "--chunk", "{}", "--simulations", "2000", "-o", "{out}"], "20", "50k"),
    "updates": ([*ALPHAZERO, "-n", "40", "--chunk", "20", "--updates", "{}", "-o", "{out}"], "20", "1000000"),
    "sweep": (["sweep", "--set", "algorithm=alphazero", "--set", "updates={}", "--seeds", "2", "-n", "100",
               "-o", "{out}"], "20", "1000000"),
    "minibatches": ([*DQN, "--minibatch", "4096", "--hidden", "{}", "-o", "{out}"], "8,8", "1024,1024"),
    "one chunk": (["train", "-n", "{}", "--chunk", "{}", "-o", "{out}", "--force"], "1k", "10G"),
    "one hashed chunk": (["train", *CONNECT4, "-n", "{}", "--chunk", "{}", "--judges", "", "-o", "{out}", "--force",
                          "--memory-limit", "2000G"], "100", "100M"),
    "n-tuples": ([*TD, "-n", "{}", "--chunk", "{}", "-o", "{out}"], "100", "100M"),
    "passes": (["train", "--algorithm", "value-iteration", "-n", "{}", "--chunk", "{}", "-o", "{out}", "--force"],
               "9", "1G"),
    "a judge that searches": (["train", *CONNECT4, "-n", "100", "--chunk", "50", "--judges", "mcts:sims={}",
                               "-o", "{out}", "--force"], "10", "1000000"),
    "one search in every state": (["exact", "alphabeta:depth={}", "random", "--game", "connect4:columns=5,rows=4"],
                                  "2", "20"),
    "a fixed seat": (["exact", "alphabeta:depth={}", "random", "--fixed-seat", "x", *CONNECT4,
                      "--max-positions", "1k"], "1", "16"),
    "slow players": (["match", "mcts:sims={}", "mcts:sims={}", *CONNECT4, "-n", "4", "--save", "{games}", "--force"],
                     "10", "50000000"),
    "one chunk of games": (["match", "random", "random", "-n", "{}", "--chunk", "{}", "--method", "play",
                            "--threads", "1"], "1k", "1T"),
    "one move": (["show", "", *CONNECT4, "--agents", "mcts:sims={}"], "10", "100000000"),
    "lines of play": (["perft", "--game", "ultimate", "--depth", "{}"], "3", "12"),
}  # fmt: skip
"""Commands whose `{}` is first small, so that the kernels are compiled, and then too large to end."""
QUICK = {"searches"}
SOON = {"searches", "updates"}
"""Commands whose kernels are loaded within three seconds."""
TERMINATED = {"searches", "slow players"}


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """A file of AlphaZero."""
    path = tmp_path_factory.mktemp("network") / "net.npz"
    run("train", "--algorithm", "alphazero", "-n", "20", "--chunk", "20", "-o", path)
    return path


def stopped(line, number, seconds):
    """Return what a process leaves that gets a signal after some seconds; fail if it does not end in time."""
    with start(*line) as process:
        try:
            time.sleep(seconds)
            assert process.poll() is None, process.communicate()
            process.send_signal(number)
            _, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    return process.returncode, err.decode()


CASES = [
    pytest.param(
        name,
        number,
        id=f"{name}-{number.name}",
        marks=[] if name in QUICK and number == signal.SIGINT else [pytest.mark.slow],
    )
    for number in (signal.SIGINT, signal.SIGTERM)
    for name in (LINES if number == signal.SIGINT else sorted(TERMINATED))
]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_signal_stops_a_long_kernel(name, number, net, tmp_path):
    words, small, large = LINES[name]
    names = {"net": net, "out": tmp_path / "q.npz", "games": tmp_path / "games.jsonl"}
    brief, long = ([word.format(*[size] * 2, **names) for word in words] for size in (small, large))
    ran = run(*brief)
    assert ran.code in (0, 2) and "Traceback" not in ran.err, ran  # 2: more positions than may be enumerated
    code, err = stopped(long, number, 3 if name in SOON else 5)  # so that the kernels are loaded
    assert code in (130, -number) and "Traceback" not in err and "internal error" not in err, (code, err)
