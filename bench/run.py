"""Measure ttt_fast beside straightforward kernels and other programs, in one run.

    python bench/run.py                     everything; writes results/bench/README.md and bench.json
    python bench/run.py --without-peers     only ttt_fast and the straightforward kernels

The peers need `pip install -r bench/requirements.txt`.  Candidates of a group take turns, so that a slow minute of
a shared machine meets them all; figures are medians, and ratios are medians of the ratios of each turn.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ttt_fast._manifest import environment
from ttt_fast._rng import chunk_stream
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import nash_conv
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.plain import learn_plain, plain_game
from ttt_fast.learn.q_learning import Workspace, learn_chunk
from ttt_fast.learn.training import start_training, train
from ttt_fast.learn.two_ply import fold_replies
from ttt_fast.matchup.match import MatchConfig, play_match
from ttt_fast.matchup.plain import play_uniform
from ttt_fast.policies.agents import parse_agent
from ttt_fast.policies.best_response import best_response
from ttt_fast.policies.policy import Policy
from ttt_fast.report.console import progress, si_number
from ttt_fast.report.rows import markdown_table, write_bytes
from ttt_fast.report.throughput import Candidate, play_candidate
from ttt_fast.tables import enumerate_states, solve, standard_table

ROOT = Path(__file__).resolve().parent.parent
Rows = list[dict[str, Any]]


def take_turns(candidates: list[Candidate], seconds: float, repeats: int, baseline: str | None) -> Rows:
    """Time candidates in turn; `ratio` is against the baseline, `ttt_fast_is` our first row against each."""
    calls, firsts = [], []
    for one in candidates:
        firsts.append(timed(one.run))
        calls.append(max(1, int(np.ceil(seconds / timed(one.run)))))
    rates: list[list[float]] = [[] for _ in candidates]
    for _ in range(repeats):
        for index, one in enumerate(candidates):
            spent = sum(timed(one.run) for _ in range(calls[index]))
            rates[index].append(one.units * calls[index] / spent)
    names = [one.name for one in candidates]
    base = rates[names.index(baseline)] if baseline in names else None
    ours = next((index for index, name in enumerate(names) if name.startswith("ttt_fast")), 0)
    rows = []
    for index, one in enumerate(candidates):
        rows.append(
            {
                "what": one.name,
                "unit": one.unit,
                "per_second": statistics.median(rates[index]),
                "slowest": min(rates[index]),
                "fastest": max(rates[index]),
                "ratio": median_ratio(rates[index], base) if base else None,
                "ttt_fast_is": median_ratio(rates[ours], rates[index]) if base else None,
                "first_call_seconds": firsts[index],
                "repeats": repeats,
            }
        )
    return rows


def median_ratio(mine: list[float], theirs: list[float]) -> float:
    """Return the median of the ratios, turn by turn."""
    return statistics.median(one / other for one, other in zip(mine, theirs, strict=True))


def timed(run: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def random_rows(seed: int) -> Policy:
    """Return a policy whose every row is drawn at random."""
    table = standard_table()
    weights = np.random.default_rng(seed).integers(1, 1000, table.child.shape) * table.legal_action_mask
    return Policy.from_weights(weights, f"random rows {seed}")


def playing(peers: bool) -> list[Candidate]:
    """Return who plays random games, one thread."""
    table, random = standard_table(), parse_agent("random")
    games = 4_000_000
    found = [
        Candidate(
            "straightforward kernel: random v random", "games", games, lambda: play_uniform(table, games, np.uint64(1))
        ),
        play_candidate("ttt_fast: random v random", random, random, 1),
        play_candidate("ttt_fast: two stochastic policies", random_rows(1), random_rows(2), 1),
        play_candidate("ttt_fast: minimax v default", parse_agent("minimax"), parse_agent("default"), 1),
    ]
    if peers:
        from peers import open_spiel_rollouts, pgx_random_games

        found += [pgx_random_games(), open_spiel_rollouts()]
    return found


def evaluating(peers: bool) -> list[list[Candidate]]:
    """Return who evaluates exactly: pairs of ours and theirs."""
    random = parse_agent("random")
    groups = [
        [Candidate("ttt_fast: exact result, random v random", "calls", 1, lambda: exact_outcome(random, random))],
        [Candidate("ttt_fast: best response to random", "calls", 1, lambda: best_response(random, 1))],
        [Candidate("ttt_fast: enumerate and solve", "calls", 1, lambda: solve(enumerate_states()))],
        [Candidate("ttt_fast: nash_conv of random", "calls", 1, lambda: nash_conv(random))],
    ]
    if peers:
        from peers import open_spiel_best_response, open_spiel_expected_returns, open_spiel_solve

        groups[0].append(open_spiel_expected_returns())
        groups[1].append(open_spiel_best_response())
        groups[2].append(open_spiel_solve())
    return groups


def learning(peers: bool) -> list[Candidate]:
    """Return who learns against random as X, one thread, epsilon 0.2."""
    table, random = standard_table(), parse_agent("random")
    rewards, episodes = np.array([1.0, 0.0, -1.0]), 2_000_000
    game, plain = fold_replies(table, random, 1), plain_game(table, random)
    workspace, q = Workspace(game, np.zeros(game.link.size)), np.zeros(table.child.shape)
    counts, stream = np.zeros(3, np.int64), np.uint64(1)
    config = TrainingConfig(episodes=20_000_000)
    found = [
        Candidate(
            "straightforward kernel: Q row scanned at every step",
            "episodes",
            episodes,
            lambda: learn_plain(q, plain, 1, rewards, episodes, 0.1, 0.2, 1.0, stream, counts),
        ),
        Candidate(
            "ttt_fast: the kernel alone",
            "episodes",
            episodes,
            lambda: learn_chunk(game, workspace, rewards, episodes, 0.1, 0.2, 1.0, stream, counts),
        ),
        Candidate(
            "ttt_fast: a whole run of 20M, with schedule and exact scores",
            "episodes",
            config.episodes,
            lambda: train(start_training(config), random),
        ),
    ]
    if peers:
        from peers import open_spiel_q_learner

        found.append(open_spiel_q_learner())
    return found


def overhead() -> list[Candidate]:
    """Return a run of 100M episodes bare and with everything that goes with it."""
    random, config, table = parse_agent("random"), TrainingConfig(), standard_table()
    game, counts = fold_replies(table, random, 1), np.zeros(3, np.int64)

    def bare() -> None:
        workspace = Workspace(game, np.zeros(game.link.size))
        for chunk in range(config.num_chunks):
            learn_chunk(
                game,
                workspace,
                config.rewards,
                config.chunk_episodes,
                config.step_size_of(chunk),
                config.epsilon_of(chunk),
                config.discount,
                chunk_stream(config.seed, chunk),
                counts,
            )

    def whole() -> None:
        with tempfile.TemporaryDirectory() as folder, progress(config.episodes, "episodes", "bench") as update:
            path = Path(folder) / "q.npz"
            train(start_training(config), random, checkpoint=path, on_chunk=lambda done, row: update(done))

    return [
        Candidate("100M episodes: chunks of the kernel and nothing else", "episodes", config.episodes, bare),
        Candidate("100M episodes: with progress, checkpoint, 100 exact scores", "episodes", config.episodes, whole),
    ]


def starting() -> Rows:
    """Return how long commands take from the shell, warm, and the first time (with an empty cache)."""
    program = [sys.executable, str(ROOT / "cli.py")]
    commands = {
        "--help": ["--help"],
        "exact random random": ["exact", "random", "random"],
        "match random random -n 1M": ["match", "random", "random", "-n", "1M"],
        "train -n 1M": ["train", "-n", "1M", "-o", os.devnull],
    }
    rows = []
    for name, arguments in commands.items():
        subprocess.run([*program, *arguments], capture_output=True, check=True)
        spent = [
            timed(lambda arguments=arguments: subprocess.run([*program, *arguments], capture_output=True, check=True))
            for _ in range(7)
        ]
        rows.append({"what": f"ttt-fast {name}", "seconds": statistics.median(spent), "note": "warm"})
    with tempfile.TemporaryDirectory() as folder:
        cold = dict(os.environ, NUMBA_CACHE_DIR=folder)
        spent_cold = timed(
            lambda: subprocess.run([*program, *commands["train -n 1M"]], capture_output=True, check=True, env=cold)
        )
    rows.append({"what": "ttt-fast train -n 1M", "seconds": spent_cold, "note": "first time: compiles its kernels"})
    return rows


def all_rows(peers: bool, seconds: float, repeats: int) -> dict[str, Rows]:
    """Run every group; the groups of one thread are pinned to one core, so that no peer uses two."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    groups = {
        "Random games, one thread": take_turns(
            playing(peers), seconds, repeats, "straightforward kernel: random v random"
        ),
        "Q-learning against random as X, one thread": take_turns(
            learning(peers), seconds, repeats, "straightforward kernel: Q row scanned at every step"
        ),
        "Exact evaluation, one thread": [
            row
            for group in evaluating(peers)
            for row in take_turns(group, seconds, repeats, group[-1].name if len(group) > 1 else None)
        ],
        "What progress, checkpoints and exact scores cost": take_turns(overhead(), seconds, 5, overhead()[0].name),
    }
    os.sched_setaffinity(0, cores)
    random = parse_agent("random")
    games = 200_000_000
    one = play_candidate("ttt_fast: random v random, 1 thread", random, random, 1, games)
    two = play_candidate("ttt_fast: random v random, 2 threads", random, random, 2, games)
    groups["Two threads"] = take_turns([one, two], seconds, repeats, one.name)
    quadrillion = MatchConfig(games=10**15, method="propagate")
    whole = Candidate("propagate 10^15 games", "calls", 1, lambda: play_match(random, random, quadrillion))
    groups["Multinomial counts"] = take_turns([whole], seconds, repeats, None)
    return groups


def page(groups: dict[str, Rows], starts: Rows, manifest: dict[str, Any]) -> str:
    """Return the report as markdown."""
    parts = [
        "# Throughput\n",
        f"Made by `{manifest['command']}`: medians of {manifest['repeats']} repeats of at least"
        f" {manifest['seconds']} s, candidates in turn, warm. `ratio` is against the straightforward kernel, the"
        " peer, or the first row of the group; `ttt_fast is` so many times as fast as the row; both turn by turn.\n",
        markdown_table([{"what": key, "value": str(value)} for key, value in manifest["environment"].items()]),
    ]
    for title, rows in groups.items():
        shown = [
            {
                "what": row["what"],
                "rate": f"{si_number(row['per_second'])} {row['unit']}/s",
                "each": f"{si_number(row['per_second'])}/s"
                if row["unit"] != "calls"
                else f"{1e6 / row['per_second']:,.1f} µs",
                "ratio": "" if row["ratio"] is None else f"{row['ratio']:,.2f}",
                "ttt_fast is": "" if row["ttt_fast_is"] is None else f"{row['ttt_fast_is']:,.1f} times",
                "first call": f"{row['first_call_seconds']:.2f} s",
            }
            for row in rows
        ]
        if all(row["unit"] != "calls" for row in rows):
            shown = [{key: value for key, value in row.items() if key != "each"} for row in shown]
        parts += [f"\n## {title}\n", markdown_table(shown)]
    parts += [
        "\n## Start\n",
        markdown_table([{**row, "seconds": f"{row['seconds']:.3f}"} for row in starts]),
        "\nThe first call contains loading a kernel from the cache, or compiling it. OpenSpiel walks histories, not"
        " boards (294,778 decision histories for 4,520 decision states); its QLearner is Python.\n",
    ]
    return "\n".join(parts)


def update_readme(groups: dict[str, Rows], cpu: str) -> None:
    """Replace the block of figures in README.md."""
    shown = [
        {
            "": row["what"],
            "rate": f"{1e6 / row['per_second']:,.0f} µs a call"
            if row["unit"] == "calls"
            else f"{si_number(row['per_second'])} {row['unit']}/s",
            "ttt_fast is": f"{row['ttt_fast_is']:,.1f} times",
        }
        for title, rows in groups.items()
        if title.endswith("one thread") or title == "Two threads"
        for row in rows
        if row["ttt_fast_is"] is not None
    ]
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split("<!-- bench: python bench/run.py --readme -->")
    _, after = rest.split("<!-- /bench -->")
    block = f"\n{markdown_table(shown)}\n\n({cpu})\n"
    marked = f"{before}<!-- bench: python bench/run.py --readme -->\n{block}\n<!-- /bench -->{after}"
    write_bytes(marked.encode(), path)


def main() -> None:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.3, help="least length of a repeat")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--readme", action="store_true", help="put the main figures into README.md too")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "bench")
    given = parser.parse_args()
    peers = not given.without_peers
    groups = all_rows(peers, given.seconds, given.repeats)
    starts = starting()
    found = dict(environment())
    if peers:
        from peers import versions

        found.update(versions())
    command = "python bench/run.py" + ("" if peers else " --without-peers")
    manifest = {"command": command, "seconds": given.seconds, "repeats": given.repeats, "environment": found}
    given.results.mkdir(parents=True, exist_ok=True)
    content = {"manifest": manifest, "groups": groups, "start": starts}
    write_bytes((json.dumps(content, indent=1) + "\n").encode(), given.results / "bench.json")
    write_bytes(page(groups, starts, manifest).encode(), given.results / "README.md")
    if given.readme:
        update_readme(groups, found["cpu"])
    print((given.results / "README.md").read_text())


if __name__ == "__main__":
    main()
