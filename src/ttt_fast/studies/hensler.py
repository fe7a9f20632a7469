"""`ttt-fast reproduce hensler`: the self-play of seed 004, and the exact strength that its page never measured."""

import json
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import fsum, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._archive import make_folder
from ttt_fast._manifest import available_cores, environment, package_version
from ttt_fast._rng import chunk_stream
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.general import Tables, learn_general
from ttt_fast.learn.learners import GeneralLearner, nothing_learned
from ttt_fast.learn.training import make_truth
from ttt_fast.matchup.chunks import run_chunks
from ttt_fast.policies.agents import parse_agent
from ttt_fast.policies.policy import Policy
from ttt_fast.policies.q_policy import epsilon_soft_policy, greedy_policy
from ttt_fast.report.rows import encode, markdown_table, write_bytes
from ttt_fast.studies.cells import NOISE_SIGMAS
from ttt_fast.tables import standard_table

COMMAND = "ttt-fast reproduce hensler"
EPISODES, CHUNK, PRINT_EVERY, FRESH = 100_000, 2_000, 10_000, 20_000
START, FACTOR, FLOOR = 0.9, 0.99995, 0.05
PUBLISHED, ENDS, FALLS, GREEDY = "as published", "exploration ends", "step size falls", "no exploration"
CHANGES: dict[str, dict[str, Any]] = {
    PUBLISHED: {},
    ENDS: {"epsilon": f"linear:{START},0"},
    FALLS: {"step_size": "geometric:0.3,0.003"},
    GREEDY: {"epsilon": 0.0},
}
Rows = list[dict[str, Any]]
Progress = Callable[[int, int], None]

# The two files of the author's repository, evaluated exactly (first of equally good actions), and three runs of his
# program of 20,000 episodes each; by measure.
FILES = {
    "x states": "2414", "x agreement": "0.95775", "x wins v random": "0.97656", "x draws v random": "0.02344",
    "x losses v random": "0.00000", "x draws v minimax": "1.00000",
    "o states": "2097", "o agreement": "0.96376", "o wins v random": "0.90159", "o draws v random": "0.09841",
    "o losses v random": "0.00000", "o draws v minimax": "1.00000",
}  # fmt: skip
FRESH_RUNS = {
    "x": (("0.987", "0.013", "0"), ("0.990", "0.010", "0"), ("0.958", "0.039", "0.003")),
    "o": (("0.867", "0.115", "0.019"), ("0.880", "0.118", "0.002"), ("0.910", "0.088", "0.002")),
}
RESULTS = ("wins", "draws", "losses")


class Job(NamedTuple):
    """One run of self-play: what is changed, its seed, and its episodes."""

    variant: str
    seed: int
    episodes: int


class Run(NamedTuple):
    """What is kept of a run: X's states at each print, the curve by chunk, the marks at the published end."""

    job: Job
    sizes: list[int]
    curve: dict[str, NDArray[np.float64]]
    marks: dict[str, float]


def jobs_of(quick: bool) -> list[Job]:
    """Return the runs of the study: 100 seeds as published, the first 20 of them ten times as long, and variants."""
    seeds, further, long = (3, 1, 120_000) if quick else (100, 20, 1_000_000)
    sizes = [(ENDS, EPISODES, seeds), (FALLS, EPISODES, further), (GREEDY, EPISODES, further)]
    if not quick:
        sizes += [(ENDS, 2 * EPISODES, seeds), (FALLS, 4 * EPISODES, further)]
    jobs = [Job(PUBLISHED, seed, long if seed < further else EPISODES) for seed in range(seeds)]
    jobs += [Job(variant, seed, episodes) for variant, episodes, count in sizes for seed in range(count)]
    return jobs


def config_of(job: Job) -> TrainingConfig:
    """Return the settings of a run."""
    settings: dict[str, Any] = {
        "opponent": "self", "episodes": job.episodes, "seed": job.seed, "step_size": 0.3, "discount": 0.9,
        "epsilon": f"exponential:{START},{FACTOR},{FLOOR}", "win_reward": 10.0, "draw_reward": 2.0,
        "loss_reward": -10.0, "tie": "random", "chunk_episodes": CHUNK, "judges": "random,minimax",
    }  # fmt: skip
    return TrainingConfig(**{**settings, **CHANGES[job.variant]})


def train_job(job: Job) -> Run:
    """Train, and measure on the way."""
    table, config = standard_table(), config_of(job)
    learner = GeneralLearner(config, [], nothing_learned(config, table), table)
    truth = make_truth(config, [], table)
    measured, sizes, marks = [], [], {}
    for chunk in range(config.num_chunks):
        if job.variant == PUBLISHED and chunk * CHUNK < EPISODES and chunk * CHUNK % PRINT_EVERY == 0:
            sizes.append(_size_after_one_more(learner, chunk))
        learner.run_chunk(chunk)
        measured.append(truth(learner.edge_values()))
        if config.episodes_after(chunk + 1) == (EPISODES if job.variant == PUBLISHED else job.episodes):
            marks = marks_of(learner)
    curve = dict(zip(truth.columns, np.array(measured).T, strict=True))
    return Run(job, sizes, curve, marks)


def _size_after_one_more(learner: GeneralLearner, chunk: int) -> int:
    """Return X's states after one more episode: the program prints after episode i, which is the (i + 1)-th."""
    config, now = learner.config, learner.learned()
    tables = Tables(now.tables[0], np.zeros_like(now.tables[0]), now.updates)
    first = config.episodes_after(chunk)
    alpha, epsilon = (one.values(first, 1, config.episodes) for one in (config.step_sizes, config.epsilons))
    stream, counts = chunk_stream(config.seed, chunk), np.zeros(3, np.int64)
    learn_general(
        tables, learner.games[0], learner.switches, config.rewards, first, alpha, epsilon, stream, counts
    )  # fmt: skip
    return int(np.count_nonzero(tables.updates[standard_table().player == 1].any(axis=1)))


def marks_of(learner: GeneralLearner) -> dict[str, float]:
    """Return the exact strength of both agents: greedy, ties drawn as in the program; and as saved, exploring."""
    table, now = standard_table(), learner.learned()
    held: NDArray[np.bool_] = np.any(now.updates, axis=1)
    player = greedy_policy(now.tables[0], held=held, tie="uniform")
    first = greedy_policy(now.tables[0], held=held)
    saved = epsilon_soft_policy(now.tables[0], Fraction(str(FLOOR)), held=held, tie="uniform")
    marks: dict[str, float] = {}
    for seat, letter in ((1, "x"), (2, "o")):
        marks[f"{letter} states"] = float(np.count_nonzero(held & (table.player == seat)))
        marks[f"{letter} agreement"] = agreement(first, seat).share
        for name in ("random", "minimax"):
            marks |= dict(
                zip((f"{letter} {one} v {name}" for one in RESULTS), _result(player, name, seat), strict=True)
            )
            marks[f"{letter} losses v {name} as saved"] = _result(saved, name, seat)[2]
        marks[f"{letter} never loses"] = float(never_loses(player, seat))
    marks["neither loses"] = marks["x never loses"] * marks["o never loses"]
    marks["exploitability"] = exploitability(player)
    marks["agreement"] = agreement(first).share
    marks["value of the empty board"] = float(now.tables[0][0].max())
    return marks


def _result(player: Policy, opponent: str, seat: int) -> tuple[float, float, float]:
    other = parse_agent(opponent)
    exact = exact_outcome(*((player, other) if seat == 1 else (other, player)))
    return (exact.x_wins, exact.draws, exact.o_wins) if seat == 1 else (exact.o_wins, exact.draws, exact.x_wins)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of the values of the runs."""
    mean = fsum(values) / len(values)
    sd = sqrt(fsum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1))
    cuts = {"min": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}
    quantiles = {name: float(np.quantile(values, cut)) for name, cut in cuts.items()}
    return {key: round(value, 9) for key, value in {"mean": mean, "sd": sd, **quantiles}.items()}


def cell_rows(runs: list[Run]) -> Rows:
    """Return each known figure of the author's agents beside our distribution, of which it should be a draw."""
    own = [run for run in runs if run.job.variant == PUBLISHED]
    rows = [
        _cell("his files", name, printed, [run.marks[name] for run in own]) for name, printed in FILES.items()
    ]  # fmt: skip
    at = FRESH // CHUNK - 1
    for seat, printed_runs in FRESH_RUNS.items():
        for number, printed in enumerate(printed_runs, 1):
            for result, figure in zip(RESULTS, printed, strict=True):
                column = result if seat == "x" else f"o_v_random_{result}"
                values = [float(run.curve[column][at]) for run in own]
                rows.append(
                    _cell(f"his program, {FRESH:,} episodes, run {number}", f"{seat} {result} v random", figure, values)
                )
    return rows


def _cell(label: str, quantity: str, printed: str, values: list[float]) -> dict[str, Any]:
    """Return the row of one figure; `quantile` is its place among the runs, half of the equal ones below it."""
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2]) if "." in printed else 0.0
    figure, ranked, marks = float(printed), sorted(values), spread(values)
    below, upto = bisect_left(ranked, figure - half - 1e-9), bisect_right(ranked, figure + half + 1e-9)
    off = max(0.0, abs(figure - marks["mean"]) - half)
    sigmas = 0.0 if off < 1e-9 else (off / marks["sd"] if marks["sd"] > 0 else float("inf"))
    fits = (0 < upto and below < len(ranked)) or sigmas <= NOISE_SIGMAS
    return {
        "source": "004", "cell": label, "quantity": quantity, "published": printed, "exact": marks["mean"],
        "sd": marks["sd"], "min": marks["min"], "max": marks["max"], "sigmas": round(sigmas, 6),
        "quantile": (below + upto) / 2 / len(ranked), "verdict": "within noise" if fits else "wrong",
    }  # fmt: skip


def progress_rows(runs: list[Run]) -> Rows:
    """Return the lines that the program prints, epsilon by its loop and by the formula, and the table sizes."""
    own = [run.sizes for run in runs if run.job.variant == PUBLISHED]
    rows, epsilon = [], START
    for episode in range(EPISODES):
        epsilon = max(FLOOR, epsilon * FACTOR)
        if episode % PRINT_EVERY == 0:
            sizes = [size[episode // PRINT_EVERY] for size in own]
            rows.append({
                "episode": episode, "p1_epsilon": f"{epsilon:.4f}",
                "formula": f"{max(FLOOR, START * FACTOR ** (episode + 1)):.4f}",
                "seed 0": sizes[0], **{key: value for key, value in spread(sizes).items() if "%" not in key},
            })  # fmt: skip
    return rows


def curve_rows(runs: list[Run]) -> Rows:
    """Return the learning curve as published: mean and sd over the seeds, fifty times, then at every tenth chunk."""
    own = [run for run in runs if run.job.variant == PUBLISHED]
    names = {
        "x wins v random": "wins", "x losses v random": "losses", "o wins v random": "o_v_random_wins",
        "o losses v random": "o_v_random_losses", "exploitability": "exploitability", "agreement": "agreement",
        "rms error": "rms_error",
    }  # fmt: skip
    rows, epsilons = [], config_of(own[0].job).epsilons
    for chunk in range(max(len(run.curve["wins"]) for run in own)):
        if chunk >= EPISODES // CHUNK and (chunk + 1) % 10:
            continue
        here = [run.curve for run in own if len(run.curve["wins"]) > chunk]
        done = (chunk + 1) * CHUNK
        row: dict[str, Any] = {"episodes": done, "epsilon": round(epsilons.value(done, done), 9), "runs": len(here)}
        row["unbeatable"] = sum(curve["exploitability"][chunk] == 0 for curve in here) / len(here)
        for name, column in names.items():
            marks = spread([float(curve[column][chunk]) for curve in here])
            row |= {name: marks["mean"], f"sd of {name}": marks["sd"]}
        rows.append(row)
    return rows


def variant_rows(runs: list[Run]) -> Rows:
    """Return how many runs of each kind nobody can beat at the end, and when that was first so."""
    rows = []
    lengths = [(PUBLISHED, EPISODES), *((run.job.variant, run.job.episodes) for run in runs)]
    for variant, episodes in dict.fromkeys(lengths):
        own = [run for run in runs if run.job.variant == variant and run.job.episodes >= episodes]
        if variant != PUBLISHED:
            own = [run for run in own if run.job.episodes == episodes]
        curves = [run.curve["exploitability"][: episodes // CHUNK] for run in own]
        first = sorted((int((one == 0).argmax()) + 1) * CHUNK for one in curves if (one == 0).any())
        late = [float((one[len(one) // 2 :] == 0).mean()) for one in curves]
        rows.append({
            "learner": variant, "episodes": episodes, "runs": len(own),
            "unbeatable": sum(one[-1] == 0 for one in curves).item(), "at any time": len(first),
            "exploitability": spread([float(one[-1]) for one in curves])["mean"],
            "share of the second half": spread(late)["mean"],
            "first, median": first[len(first) // 2] if first else None, "first, last run": first[-1] if first else None,
        })  # fmt: skip
    return rows


def more_rows(runs: list[Run]) -> Rows:
    """Return, for each run that went on, the episodes after the published end until nobody could beat it."""
    rows = []
    for run in runs:
        if run.job.variant == PUBLISHED and run.job.episodes > EPISODES:
            zero = np.flatnonzero(run.curve["exploitability"][EPISODES // CHUNK - 1 :] == 0)
            rows.append({"seed": run.job.seed, "further_episodes": int(zero[0]) * CHUNK if zero.size else None})
    return rows


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Write the report to `folder` and return a row for every known figure.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run, and timing.json, which is of this machine.
    quick
        Three seeds instead of a hundred.
    threads
        Threads over training runs, all cores unless told; they change no bit.
    on_progress
        Called after each training run with the number done and of all.
    """
    jobs, started = jobs_of(quick), time.perf_counter()
    runs: list[Run] = []
    for one in run_chunks(lambda index: train_job(jobs[index]), 0, len(jobs), threads or available_cores()):
        runs.append(one)
        if on_progress is not None:
            on_progress(len(runs), len(jobs))
    trained = time.perf_counter() - started
    own = [one.marks for one in runs if one.job.variant == PUBLISHED]
    parts = {
        "cells": cell_rows(runs),
        "progress": progress_rows(runs),
        "strength": [{"measure": name, **spread([marks[name] for marks in own])} for name in own[0]],
        "curve": curve_rows(runs),
        "variants": variant_rows(runs),
        "further": more_rows(runs),
    }
    make_folder(folder)
    for name, rows in parts.items():
        write_bytes(encode("csv", "reproduce", rows, {}), folder / f"{name}.csv")
    write_bytes(_page(parts, len(own), COMMAND + (" --quick" if quick else "")).encode(), folder / "README.md")
    episodes = sum(job.episodes for job in jobs)
    timing = {"environment": environment(), "runs": len(jobs), "episodes": episodes, "seconds": trained}
    write_bytes((json.dumps(timing, indent=2) + "\n").encode(), folder / "timing.json")
    return parts["cells"]


def _claims(parts: dict[str, Rows], runs: int) -> str:
    """Return the statements of the page, judged."""
    mean = {row["measure"]: row["mean"] for row in parts["strength"]}
    greedy = next(row for row in parts["variants"] if row["learner"] == GREEDY)
    share = {name: f"{mean[name]:.0%}" for name in ("neither loses", "x never loses", "o never loses")}
    saved = f"{mean['x losses v minimax as saved']:.4f} (X) and {mean['o losses v minimax as saved']:.4f} (O)"
    return markdown_table([
        {"statement": "train two unbeatable agents: the agents of the author's files", "verdict": "true",
         "evidence": "greedy, they lose to random with chance 0.00000; random plays every line, and one that loses"
         " would have a chance of at least 1/384 (X) or 1/945 (O), so that there is none"},
        {"statement": "the same: the recipe", "verdict": "refuted", "evidence": f"of {runs} runs nobody can beat X in"
         f" {share['x never loses']}, O in {share['o never loses']}, both in {share['neither loses']}"},
        {"statement": "the same: the agents as they are saved", "verdict": "refuted",
         "evidence": f"the pickled agent keeps epsilon {FLOOR}: as saved it loses to minimax with chance {saved}"},
        {"statement": "without epsilon-greedy they may converge on a suboptimal strategy", "verdict": "true",
         "evidence": f"without exploration {greedy['unbeatable']} of {greedy['runs']} runs are unbeatable"},
        {"statement": "epsilon decays over the run", "verdict": "in part", "evidence": "it is at its floor of 0.05 from"
         " episode 57,806 on; with a step size of 0.3 each explored blunder then moves values by a third"},
    ])  # fmt: skip


def _differences(runs: int) -> str:
    return f"""## Differences from the source

1. Two agents with a dictionary each are one table here, since they never move in the same state. The update is the
   source's: an action is credited when its mover is to move again, or at the end, to winner, loser and drawers.
2. A next state that is not in the dictionary counts as 0 there; here it has its initial values, which are 0.
3. The source has one run with an unknown seed; here are {runs}, seeds 0 to {runs - 1}, in chunks of {CHUNK:,} episodes
   with a stream each. Draws come from SplitMix64, with epsilon rounded to 1 / 2**24.
4. Epsilon of episode i is max(0.05, 0.9 * 0.99995**i) by `pow`, instead of i multiplications: equal to 1e-10.
5. Strength is that of greedy play with drawn ties, as in `choose_action`; agreement takes the first of equal values,
   over the states that an agent saw. Curves take the first of equal values, and agreement over all 4,520 states."""


def _page(parts: dict[str, Rows], runs: int, command: str) -> str:
    """Return the page as markdown."""
    cells = parts["cells"]
    fits = sum(row["verdict"] == "within noise" for row in cells)
    shown = ("cell", "quantity", "published", "exact", "sd", "min", "max", "sigmas", "quantile", "verdict")
    curve = [row for row in parts["curve"] if row["episodes"] % (EPISODES // 10 ** (row["episodes"] <= EPISODES)) == 0]
    columns = ("episodes", "runs", "unbeatable", "x wins v random", "o wins v random", "exploitability", "agreement")
    more = [row["further_episodes"] for row in parts["further"]]
    latest = max((one for one in more if one is not None), default=0)
    return f"""# Seed 004: Q-learning by self-play, {EPISODES:,} episodes

Made by `{command}`, version {package_version()}. This page and the csv files beside it have the same bits on every
run; the seconds are in `timing.json`. The source publishes no measurement: all strengths here are exact, not sampled.

{_claims(parts, runs)}

{_differences(runs)}

## The printed progress

After episode i (so after i + 1 episodes): epsilon by the program's loop and by the formula, and X's states, of 2,423.

{markdown_table(parts["progress"])}

## His agents among ours

The source's figures are from an exact evaluation of the author's two files, and of three runs of his program cut at
{FRESH:,} episodes. `exact` is the mean over our runs, `quantile` the figure's place among them. {fits} of {len(cells)}
fit: they are inside the range of the runs, or within {NOISE_SIGMAS} standard deviations of their mean.

{markdown_table([{key: row[key] for key in shown} for row in cells])}

## How it spreads over the seeds

{markdown_table(parts["strength"])}

## Learning curve, exact

Means over the runs; `curve.csv` has standard deviations, every {CHUNK:,} episodes and later every {10 * CHUNK:,}.
`unbeatable` is the share of the runs with exploitability 0. Beyond {EPISODES:,} episodes the runs of the first
seeds ({len(more)}) go on with the same settings.

{markdown_table([{key: row[key] for key in columns} for row in curve])}

## Until nobody can beat it

`unbeatable` counts the runs with exploitability 0 at the end, `at any time` after any chunk; `share of the second
half` is that of its chunks, and `first` the episodes until the first one. As published it comes and goes, since
explored blunders go on moving the values. Of the {len(more)} runs that went on, {sum(one == 0 for one in more)} were
unbeatable at the published end; the others became so, for a time, within {latest:,} further episodes. Variants:
`{ENDS}` has epsilon {CHANGES[ENDS]["epsilon"]}, and `{FALLS}` has alpha {CHANGES[FALLS]["step_size"]},
all else as published. What helps is an end of the exploration; a falling step size freezes values too early.

{markdown_table(parts["variants"])}
"""
