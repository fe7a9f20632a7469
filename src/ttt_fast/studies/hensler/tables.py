"""The rows of Hensler's study: the author's agents among our runs, learning curves, variants."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from ttt_fast.studies.cells import NOISE_SIGMAS
from ttt_fast.studies.hensler.plan import (
    CHUNK,
    EPISODES,
    FACTOR,
    FLOOR,
    FRESH,
    PRINT_EVERY,
    PUBLISHED,
    START,
    config_of,
)
from ttt_fast.studies.hensler.published import FILES, FRESH_RUNS, RESULTS
from ttt_fast.studies.hensler.runs import Run
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.sample import Sample


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of the values of the runs."""
    sample = Sample(values)
    cuts = {"min": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}
    return {
        "mean": sample.mean,
        "sd": sample.sd,
        **{name: float(np.quantile(values, cut)) for name, cut in cuts.items()},
    }


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


def _cell(label: str, quantity: str, printed: str, values: list[float]) -> Row:
    """Return the row of one figure; `quantile` is its place among the runs, half of the equal ones below it."""
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2]) if "." in printed else 0.0
    figure, ranked, marks = float(printed), sorted(values), spread(values)
    below, upto = bisect_left(ranked, figure - half - 1e-9), bisect_right(ranked, figure + half + 1e-9)
    off = max(0.0, abs(figure - marks["mean"]) - half)
    sigmas = 0.0 if off < 1e-9 else (off / marks["sd"] if marks["sd"] > 0 else float("inf"))
    fits = (0 < upto and below < len(ranked)) or sigmas <= NOISE_SIGMAS
    return {
        "source": "hensler", "cell": label, "quantity": quantity, "published": printed, "ours": marks["mean"],
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


CURVES = {
    "x_wins": "wins", "x_losses": "losses", "o_wins": "o_v_random_wins", "o_losses": "o_v_random_losses",
    "exploitability": "exploitability", "agreement": "agreement", "rms_error": "rms_error",
}  # fmt: skip
"""Columns of the curves (wins and losses are against random), and the names of the measures of a run."""


def curve_rows(runs: list[Run]) -> Rows:
    """Return each learner's curve over its longest runs, as published also over those that end earlier.

    Mean and sd over the seeds after each chunk, and after the published end at every tenth.
    """
    rows: Rows = []
    for variant in dict.fromkeys(run.job.variant for run in runs):
        own = [run for run in runs if run.job.variant == variant]
        longest = max(run.job.episodes for run in own)
        epsilons = config_of(own[0].job).epsilons
        for chunk in range(longest // CHUNK):
            if chunk >= EPISODES // CHUNK and (chunk + 1) % 10:
                continue
            here = [run.curve for run in own if _goes_on(run, chunk, variant, longest)]
            done = (chunk + 1) * CHUNK
            row: Row = {"learner": variant, "episodes": done, "runs": len(here)}
            row["epsilon"] = epsilons.value(done, longest)
            row["unbeatable"] = sum(curve["exploitability"][chunk] == 0 for curve in here) / len(here)
            for name, column in CURVES.items():
                marks = Sample([float(curve[column][chunk]) for curve in here])
                row |= {name: marks.mean, f"{name}_sd": marks.sd}
            rows.append(row)
    return rows


def _goes_on(run: Run, chunk: int, variant: str, longest: int) -> bool:
    """Return whether a run counts at a chunk: settings that depend on the length do not mix with other lengths."""
    return run.job.episodes > chunk * CHUNK and (variant == PUBLISHED or run.job.episodes == longest)


def spread_rows(runs: list[Run]) -> Rows:
    """Return the wins against random of all runs as published, in rising order, after two lengths."""
    own = [run for run in runs if run.job.variant == PUBLISHED]
    rows: Rows = []
    for seat, column in (("X", "wins"), ("O", "o_v_random_wins")):
        for episodes in (FRESH, EPISODES):
            ranked = sorted(float(run.curve[column][episodes // CHUNK - 1]) for run in own)
            rows += [
                {"seat": seat, "episodes": f"{episodes:,}", "share": (rank + 0.5) / len(ranked), "wins": wins}
                for rank, wins in enumerate(ranked)
            ]
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
