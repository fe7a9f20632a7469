"""Smirnov's study: the players and tabular learners, beside the exact values."""

import time
from pathlib import Path

from ttt_fast.core.manifest import available_cores, environment
from ttt_fast.studies.page import Progress, Rows, command_of, write_study
from ttt_fast.studies.pictures import draw_figures
from ttt_fast.studies.smirnov import claims, curves, duels, lengths, tables
from ttt_fast.studies.smirnov.figures import FIGURES
from ttt_fast.studies.smirnov.page import page
from ttt_fast.studies.smirnov.published import SINGLE
from ttt_fast.studies.smirnov.runs import FULL, QUICK, TABLE_GAMMA, Size, annealed, each, learn

AD_HOC = "ad hoc"
TRAINED_DRAWN, TRAINED_CHOSEN = "first move drawn in training", "first move chosen in training"
Parts = dict[str, Rows]


class _Clock:
    """Seconds of each part, and what is told on the way."""

    def __init__(self, on_progress: Progress | None) -> None:
        self.seconds: dict[str, float] = {}
        self.on_progress = on_progress
        self.last = time.perf_counter()

    def told(self, words: str) -> None:
        """Say what is being done."""
        if self.on_progress is not None:
            self.on_progress(words)

    def done(self, part: str) -> None:
        """Note the seconds since the part before."""
        now = time.perf_counter()
        self.seconds[part], self.last = now - self.last, now


def run(folder: Path, *, quick: bool = False, threads: int | None = None, on_progress: Progress | None = None) -> Rows:
    """Write the report to `folder` and return a row for every printed number.

    Parameters
    ----------
    folder
        Gets README.md and the csv files, the same bits on every run, and timing.json, which is of this machine.
    quick
        A few short training runs instead of the published ones.
    threads
        Threads over training runs (default: all cores); they change no bit.
    on_progress
        Called with what is being done.
    """
    size, count = (QUICK if quick else FULL), threads or available_cores()
    clock, cpu = _Clock(on_progress), time.process_time()
    parts: Parts = {}
    _tables(parts, size, count, clock)
    _curves(parts, size, count, clock)
    timing = {
        "command": command_of("smirnov", quick),
        "threads": count,
        "seconds": sum(clock.seconds.values()),
        "cpu_seconds": time.process_time() - cpu,
        "seconds_by_part": clock.seconds,
        "environment": environment(),
    }
    write_study(folder, parts, page(parts, size, quick=quick), timing)
    draw_figures(folder, FIGURES, on_progress)
    return parts["cells"]


def _tables(parts: Parts, size: Size, threads: int, clock: _Clock) -> None:
    """Fill in the tables of results and of lengths, and the statements about them."""
    clock.told("the tables' Double Q-learner")
    double = {"algorithm": "double-q", "discount": TABLE_GAMMA}
    config = annealed(size.tabular_episodes, 0, **double)
    free = annealed(size.tabular_episodes, 0, **double, random_opening=False)
    learners = each(learn, [config], threads, size.tabular_runs)[0]
    free_learners = each(learn, [free], threads, size.free_runs)[0]
    clock.done("tabular")
    clock.told("gamma and the length of won games")
    found = lengths.measured(size, threads)
    clock.done("gamma lengths")
    strength = tables.strength_rows({TRAINED_DRAWN: learners, TRAINED_CHOSEN: free_learners})
    parts["cells"] = tables.cell_rows(learners, free_learners) + lengths.gamma_cells(found)
    parts["strength"] = strength
    parts["lengths"] = tables.length_rows(learners)
    parts["gamma_lengths"] = lengths.gamma_rows(found)
    parts["readings"] = lengths.reading_rows(found)
    parts["claims"] = duels.scripted_claims() + duels.tabular_claims(strength) + duels.length_claims(found)
    clock.done("tables")


def _curves(parts: Parts, size: Size, threads: int, clock: _Clock) -> None:
    """Fill in the curves, and the statements about them."""
    clock.told("step sizes")
    alpha = curves.alpha_curves(size, threads)
    clock.done("alpha")
    clock.told("discounts")
    short, long = curves.gamma_curves(size, threads)
    clock.done("gamma")
    clock.told("exploration")
    epsilon = curves.epsilon_curves(size, threads)
    clock.done("epsilon")
    found = curves.duel_curves(size, threads, clock.told)
    clock.done("single and double")
    clock.told("ties with minimax, step sizes by visits")
    ties = claims.tie_rows(size, threads)
    clock.done("ties")
    visits = claims.visit_runs(size, threads)
    clock.done("visits")
    parts["claims"] += claims.alpha_claims(alpha) + claims.gamma_claims(short, long)
    parts["claims"] += claims.epsilon_claims(epsilon, long) + claims.tie_claims(ties, size)
    parts["claims"] += claims.visit_claims(visits, found["self", SINGLE]) + duels.duel_claims(found)
    parts["claims"] += claims.later_claims()
    parts |= {
        "ties": [one._asdict() for one in ties],
        "alpha": curves.curve_rows(alpha),
        "alpha_runs": curves.run_rows(alpha),
        "gamma": curves.curve_rows(short),
        "gamma_long": curves.curve_rows(long, every=4 if size is FULL else 1),
        "epsilon": curves.curve_rows(epsilon),
        "double": curves.duel_rows(found),
        "visits": curves.curve_rows(visits | {AD_HOC: found["self", SINGLE]}),
    }
