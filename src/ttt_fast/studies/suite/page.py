"""The page of the suite, written from its rows."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from ttt_fast.core.manifest import package_version
from ttt_fast.evaluate.interquartile import RESAMPLES
from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.page import share_text
from ttt_fast.studies.pictures import links
from ttt_fast.studies.suite.figures import FIGURES
from ttt_fast.studies.suite.measures import ALL
from ttt_fast.studies.suite.problems import BASELINES, CHECKPOINTS, PROBLEMS, RECIPE, SEEDS, TITLE
from ttt_fast.studies.suite.runs import Plan

Row = Mapping[str, Any]

_DEFINITIONS = """\
- A state is a position that legal play reaches. X moves first. `random` draws uniformly from the legal moves,
  `minimax` from those that keep the exact value, and `self` means that the learner moves for both seats.
- The *value* of a policy is its exact probability to win less that to lose against the opponent. In self-play it is
  minus its exploitability: half of what best responses to it gain, both seats together.
- The best value is that of a best response; in self-play it is 0. The exploitability of random play, in both
  seats, tells how much there is to learn in the game.
- A learner sees the states in which it is to move, the legal actions, and a reward at the end: 1 for a win, 0 for a
  draw, -1 for a loss. An episode is a game, counted when it begins; what a learner does between
  two moves is its own affair. It must use neither the opponent's policy, nor the table, nor what its meter says.
"""
_MAY_BE_SAID = """\
## What may be said

- The scores are exact: a difference between two runs is a difference of their policies. The intervals are about seeds
  alone: they tell where the mean of very many seeds of the same learner would be.
- Two learners whose intervals do not overlap differ on this problem and budget. Overlapping intervals say nothing.
- `all` is about these eight problems, not about games in general. Its interquartile mean leaves out the lowest quarter
  of all runs, which may be those of the hardest problem: a learner that fails there alone loses little in this row.
- A score at one budget says nothing about another one: see the curves.
- Where the value takes few values (exploitability of deterministic play is 0, 1/2 or 1 where no move is drawn), so does
  the score of a run, and the mean tells how often each came.
- The baselines are a reference, not the best that their algorithms can do; a learner that is tuned on these problems
  should say so.
"""
_HOW_TO_RUN = """\
## How to run it

```bash
ttt-fast suite --list                                    # the problems
ttt-fast suite --results results                         # this page
ttt-fast suite --learner python:MODULE:NAME --seeds 10   # a learner of your own
```

`NAME` is a function in `MODULE.py` that is called with a problem and a seed. `problem.games()` begins the episodes,
`problem.step(action)` plays, `problem.record(policy)` measures, and the run ends with the budget;
`docs/LEARNERS.md` has examples. Runs are kept in files, and a suite that was stopped goes on where it was.

`scores.csv` has a row for each learner and problem, `curves.csv` for each checkpoint, `runs.csv` the final score of
every run, and `problems.csv` the definitions.
"""


def _interval(row: Row, name: str) -> str:
    return f"{row[name]:.3f} ({row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f})"


def shown_problem(row: Row) -> dict[str, Any]:
    """Return a problem as a line of a table."""
    return {
        "problem": row["problem"],
        "game": f"`{row['game']}`",
        "states": row["states"],
        "seat": row["seat"],
        "opponent": f"`{row['opponent']}`",
        "episodes": row["episodes"],
        "value of random": f"{row['random_value']:.6f}",
        "best value": share_text(row["best_value"]) if row["best_value"] in (0, 1) else f"{row['best_value']:.6f}",
        "exploitability of random": f"{row['random_exploitability']:.6f}",
    }


def shown_scores(rows: Sequence[Row], name: str) -> list[dict[str, Any]]:
    """Return the scores with a line for each problem and a column for each learner."""
    problems = list(dict.fromkeys(row["problem"] for row in rows))
    learners = list(dict.fromkeys(row["learner"] for row in rows))
    found = {(row["problem"], row["learner"]): row for row in rows}
    return [
        {"problem": problem, **{learner: _interval(found[problem, learner], name) for learner in learners}}
        for problem in problems
    ]


def _shown_at_best(rows: Sequence[Row]) -> list[dict[str, Any]]:
    problems = [name for name in dict.fromkeys(row["problem"] for row in rows) if name != ALL]
    found = {(row["problem"], row["learner"]): f"{row['at_best']} of {row['seeds']}" for row in rows}
    learners = list(dict.fromkeys(row["learner"] for row in rows))
    return [{"problem": problem, **{name: found[problem, name] for name in learners}} for problem in problems]


def _learners_text(plan: Plan) -> str:
    """Return who has learned, and how."""
    ours = (
        "Tabular learners of this package as baselines, with one setting for all problems, tuned on none: step size"
        f" `{RECIPE['step_size']}`, epsilon `{RECIPE['epsilon']}` (over the run), discount 1, values that begin at 0,"
        " and the greedy policy at each checkpoint."
    )
    other = f"`{plan.learner}` is a learner of others."
    return fill(" ".join([ours] * bool(plan.algorithms) + [other] * bool(plan.learner)), 120, break_on_hyphens=False)


def command_of(plan: Plan) -> str:
    """Return the command that makes the page of a plan.

    Examples
    --------
    >>> command_of(Plan(PROBLEMS, BASELINES, SEEDS)), command_of(Plan(PROBLEMS, ["q"], 2))
    ('ttt-fast suite --results results', 'ttt-fast suite --algorithms q --seeds 2 --results results')
    """
    words = ["ttt-fast suite"]
    if plan.learner:
        words.append(f"--learner {plan.learner}")
    if tuple(plan.problems) != PROBLEMS:
        words.append(f"--problems {','.join(problem.name for problem in plan.problems)}")
    if tuple(plan.algorithms) != (() if plan.learner else BASELINES):
        words.append(f"--algorithms {','.join(plan.algorithms)}")
    if plan.seeds != SEEDS:
        words.append(f"--seeds {plan.seeds}")
    return " ".join([*words, "--results results"])


def page(problems: Sequence[Row], scores: Sequence[Row], plan: Plan) -> str:
    """Return the page as markdown."""
    made = fill(
        f"Made by `{command_of(plan)}`, version {package_version()}, seeds 0 to {plan.seeds - 1}. This page and"
        " the files beside it have the same bits on every run, with any number of threads, but for `timing.json`: the"
        " machine, the versions and the seconds that it took.",
        120,
    )
    return f"""# {TITLE}

{made}

Eight problems of rising size, each with a fixed budget of episodes, and exact scores: no game is sampled to judge a
learner. Problems, budgets, measure and the settings of the baselines belong to the version; a change of any of them
makes another one.

## Problems

{markdown_table([*map(shown_problem, problems)])}

{_DEFINITIONS}
## Measure

- *Score* = (value - value of random) / (best value - value of random): 0 is random play, 1 is the best. In self-play
  that is 1 - exploitability / exploitability of random. A policy that is worse than random play scores less than 0.
- Each run is measured {CHECKPOINTS} times, at equal distances, the last time at its end. *Final* is the last score;
  *over the budget* is the mean of all, which rewards fast learners.
- Over the {plan.seeds} seeds the interquartile mean is told: the mean without the lowest and the highest quarter.
  Brackets hold 95 % intervals of a stratified percentile bootstrap ({RESAMPLES:,} resamples, seed 0), as in rliable
  (Agarwal et al., 2021). `{ALL}` pools the runs of all problems, each problem a stratum.

## Learners

{_learners_text(plan)}

Final scores:

{markdown_table(shown_scores(scores, "score"))}

Over the budget:

{markdown_table(shown_scores(scores, "over_budget"))}

Runs that end exactly at the best value:

{markdown_table(_shown_at_best(scores))}

{links(FIGURES, "curves")}

{_MAY_BE_SAID}
{_HOW_TO_RUN}"""
