"""The page of the study, written from its rows."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.optimum.figures import FIGURES
from ttt_fast.studies.optimum.plan import CHECKPOINTS, EPSILON, PROBLEMS, STEP_SIZE, TARGET
from ttt_fast.studies.page import made_by
from ttt_fast.studies.pictures import links

Row = Mapping[str, Any]
Parts = Mapping[str, Sequence[Row]]


def _interval(row: Row) -> str:
    return f"{row['low']:.1%} to {row['high']:.1%}"


def _shown_problem(row: Row) -> dict[str, Any]:
    return {
        "problem": row["problem"],
        "best value": f"{row['best']} = {row['best_value']:.6f}" if "/" in row["best"] else row["best"],
        "episodes": row["episodes"],
        "target": f"{row['target']} of {row['runs']}",
        "exact": f"{row['exact']} of {row['runs']}",
        "95 % interval": _interval(row),
        f"{TARGET:.0%} exact from": "" if row["enough"] is None else f"{row['enough']:,}",
        "verdict": row["verdict"],
    }


def _shown_needed(row: Row) -> dict[str, Any]:
    needed = {name.removeprefix("needed, "): value for name, value in row.items() if name.startswith("needed, ")}
    shown = {name: "never" if value is None else f"{value:,}" for name, value in needed.items()}
    return {"problem": row["problem"], "episodes of the run": row["episodes"], **shown}


def _shown_recipe(row: Row) -> dict[str, Any]:
    return {
        "recipe": row["source"],
        "problem": row["problem"],
        "episodes": row["episodes"],
        "step size": row["step_size"],
        "epsilon": row["epsilon"],
        "discount": row["discount"],
        "exact": f"{row['exact']} of {row['runs']}",
        "95 % interval": _interval(row),
        "mean value": f"{row['mean_value']:.6f}",
        "best": row["best"],
        "note": row["note"],
    }


def share_table(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the counts with a line for each length and a column for each problem.

    Examples
    --------
    >>> share_table([{"problem": "X v random", "episodes": 10, "exact": 3}])[0]
    {'episodes': 10, 'X v random': '3'}
    """
    found = {(row["episodes"], row["problem"]): row["exact"] for row in rows}
    names = [problem.name for problem in PROBLEMS if any(row["problem"] == problem.name for row in rows)]
    lengths = sorted({row["episodes"] for row in rows})
    return [{"episodes": length, **{name: str(found.get((length, name), "")) for name in names}} for length in lengths]


def _in_short(problems: Sequence[Row]) -> str:
    """Return the recipe and the result in a paragraph."""
    runs = problems[0]["runs"]
    reached = sum(row["verdict"] == "reached" for row in problems)
    every = sum(row["exact"] == row["runs"] for row in problems)
    return fill(
        f"One recipe for every problem: step size `{STEP_SIZE}` (by the same factor from 1 to 0.001 over the run),"
        f" epsilon `{EPSILON}` throughout, discount 1, seeds 0 to {runs - 1}. At the longest length tried {every} of"
        f" {len(problems)} problems have all {runs} runs exactly at the optimum; {reached} reach the target of"
        f" {TARGET:.0%}.",
        120,
    )


def page(parts: Parts, *, quick: bool) -> str:
    """Return the page as markdown."""
    problems, runs = parts["problems"], parts["problems"][0]["runs"]
    return f"""# The optimum, exactly, and the episodes that it takes

{made_by("optimum", quick)}

{_in_short(problems)}

A run counts as *exact* if the value of its final greedy policy equals the best response's, both as fractions: wins
minus losses (`score`) or wins, and in self-play minus the exploitability, which must be 0. Nothing is sampled and
nothing is rounded.

{markdown_table([*map(_shown_problem, problems)])}

`{TARGET:.0%} exact from` is the shortest length from which on all lengths tried have at least {TARGET:.0%} exact runs.
As O against random the best score and the most wins are different policies: a learner whose loss costs as much as a
draw (rewards 1, 0, 0) finds the second. Against buggy, 1 means that every game is won; against minimax, 0 is the draw.

## Exact runs by length

{links(FIGURES, "share")}

Of {runs} runs each; every length is a run of its own, with the whole schedule. `share.csv` has the intervals.

{markdown_table(share_table(parts["share"]))}

## Episodes needed within a run

{links(FIGURES, "settled")}

The longest run of each problem, looked at {CHECKPOINTS} times: the first checkpoint from which on its greedy policy
stays at the optimum, by seed. While the step size is large, estimates that differ by little change places: a shorter
run, whose step size falls sooner, gets there with fewer episodes, as above. *never* would be a run that is not at the
optimum at its end.

{markdown_table([*map(_shown_needed, problems)])}

## Recipes of others

The schedules that the sources publish, with this package's learner (without the defects of theirs), judged in the
same way. Where the opponent, or the exploration of the other seat, makes the outcome random, a constant step size
leaves the end of a run to chance. What Sai's afterstate learner attains is in
`ttt-fast reproduce sai`.

{markdown_table([*map(_shown_recipe, parts["recipes"])])}

Runs are in chunks of 1/{CHECKPOINTS} of their episodes, with a random stream each; step size and epsilon are held
for a chunk.
"""
