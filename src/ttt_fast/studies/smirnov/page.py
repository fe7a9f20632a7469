"""The page of Smirnov's study."""

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.page import Row, Rows, Tables, counts_text, made_by, number_text
from ttt_fast.studies.pictures import links
from ttt_fast.studies.smirnov.figures import FIGURES
from ttt_fast.studies.smirnov.published import THEIRS
from ttt_fast.studies.smirnov.runs import Size
from ttt_fast.studies.smirnov.tables import LATER


def page(parts: Tables, size: Size, *, quick: bool) -> str:
    """Return the page: what was done, the differences, theirs beside ours, the statements."""
    sections = (
        _summary(parts, quick),
        _differences(size),
        _claims(parts),
        _printed(parts),
        _learners(parts),
        _game_lengths(parts),
        _curves(parts),
    )
    return "\n".join(sections)


def _summary(parts: Tables, quick: bool) -> str:
    cells = parts["cells"]
    exact = [row for row in cells if row["runs"] == 0 and row["verdict"] != LATER]
    learned = [row for row in cells if row["runs"] > 0]
    later = [row for row in cells if row["verdict"] == LATER]
    return f"""# Smirnov: Q-learning and tic-tac-toe (I. Smirnov)

{made_by("smirnov", quick)}

Of the {len(cells)} numbers that the page prints in tables:

- {len(exact)} need no learning and are judged against exact probabilities: {counts_text(exact)};
- {len(learned)} are of tabular learners and are judged against the exact results of our training runs:
  {counts_text(learned)};
- {len(later)} are of its DQN, which this version of the study does not train: {LATER}.

The {len(parts["claims"])} statements in the text by verdict: {counts_text(parts["claims"])}. Each has its row below.
"""


def _differences(size: Size) -> str:
    return f"""## Differences from the source

1. Every result here is the exact probability of the greedy policy's match; the source played 100,000,000 games for
   its tables and 10,000 for each point of its curves.
2. The source trained with unknown seeds and shows the best of several runs in its tables. Here {size.tabular_runs} runs
   of {size.tabular_episodes:,} games have the seeds 0 to {size.tabular_runs - 1}, and mean, standard deviation, range
   and best run are shown.
3. The page starts from small random values; its program, and this one, from 0. Among equally good moves all take the
   lowest cell.
4. The text trains for 3,000,000 games with the first move drawn; its program has 1,500,000 and no drawn first move in
   training. We follow the text: alpha is multiplied by 0.9 at every hundredth of the run (the program goes on when a
   run is longer), epsilon falls from 1 to 0.1 in nine steps over the first third. A second set of
   {size.free_runs} runs chooses the first move in training.
5. Double Q-learning draws which table to update at each update; the program throws one coin a ply, for both updates.
6. The heuribot is the one of the published program, which has no rule "Block an Only Fork".
7. The captions of the figures are lost, with the settings on them. Ours: alpha as in `alpha.csv`, gamma as in
   `gamma.csv`, epsilon as in `epsilon.csv`. Runs a setting: alpha {size.alpha_runs} (source 10), gamma
   {size.gamma_runs} of {size.short:,} and {size.gamma_long_runs} of {size.long:,} episodes (source 100 of each; ours
   of the short form begin with the long ones, which have the same constants), epsilon {size.epsilon_runs}
   (not stated).
8. The length of the runs of single and double Q-learning is not stated: {size.double_episodes:,} games here,
   {size.double_runs} runs of each; {size.taught_runs} for those trained against random. Gamma is 0.9, as stated.
9. Step sizes by visits are 1 / n(s, a), and n(s, a) ** -0.75, for the text's 1 / n(s).
10. The table of gamma and lengths does not say against whom its learner was trained, nor whether the first move was
    drawn in training or in play; all eight readings were tried, and the nearest is used.
    {size.length_runs} runs for each gamma, the source one.
11. Convergence is the first checkpoint at 99 % of the end of the mean curve, or the mean over a whole curve, as each
    row says. A difference below two standard errors is `cannot be told`.
"""


def _claims(parts: Tables) -> str:
    return f"""## Statements in the text

{markdown_table(parts["claims"])}
"""


def _printed(parts: Tables) -> str:
    rows = [_shown(row) for row in parts["cells"]]
    odd = [row for row in parts["cells"] if row["verdict"] in ("wrong", "not reproduced")]
    reasons = [
        {key: row[key] for key in ("source", "cell", "quantity", "published", "verdict", "reason")} for row in odd
    ]
    return f"""## What is wrong or was not reproduced, and why

{markdown_table(reasons)}

## Every printed number

`95 %` is the Wilson interval of the printed share as a sample of 100,000,000 games; `ours` is exact, and for learners
the mean over our runs; `best run` is the one that does best in that match; `optimum` is the most that any player could
reach. Verdicts of learners: a number of the pair tables is reproduced if it lies within the range of our runs, one of
the table of gammas if it lies where our runs predict one more (95 %).

{markdown_table(rows)}
"""


def _shown(row: Row) -> Row:
    learned = row["runs"] > 0
    return {
        "source": row["source"],
        "cell": row["cell"],
        "quantity": row["quantity"].replace("_", " "),
        "published": row["published"],
        "95 %": f"{row['published_low']:.4f} to {row['published_high']:.4f}",
        "ours": number_text(row["ours"]),
        "sd": number_text(row["sd"]),
        "range": f"{row['lowest']:.4f} to {row['highest']:.4f}" if learned else "",
        "best run": number_text(row["best_run"]),
        "optimum": number_text(row["optimum"]),
        "runs": row["runs"] or "",
        "verdict": row["verdict"],
    }


def _learners(parts: Tables) -> str:
    rows = [{key: number_text(value) for key, value in row.items()} for row in parts["strength"]]
    return f"""## The tabular learner over many runs

Exact marks of the greedy policy. As O the most wins against random are 0.938624, and 0.932275 in the play with the
highest wins minus losses, 0.924868; a learner that plays itself has no reason to reach either.

{markdown_table(rows)}

Runs that always tie with minimax (its first move the lowest cell), as X with the first move chosen or drawn, as O, and
(`all`) in the seats that were trained, with the first move as in training:

{markdown_table(parts["ties"])}
"""


def _game_lengths(parts: Tables) -> str:
    lengths = [{key: number_text(value) for key, value in row.items()} for row in parts["lengths"]]
    readings = [{key: number_text(value) for key, value in row.items()} for row in parts["readings"]]
    best = parts["readings"][0]["reading"]
    gammas = [
        {"who": row["shown"]}
        | {key: number_text(value, 4) for key, value in row.items() if key not in ("reading", "shown")}
        for row in parts["gamma_lengths"]
        if row["reading"] in (best, THEIRS)
    ]
    return f"""## Lengths of games against random

Shares of all games, exactly; for the learners the mean over the runs of the pair tables.

{markdown_table(lengths)}

## Gamma and the length of won games

{links(FIGURES, "gamma-wins", "gamma-lengths")}

How near each reading of the text is to the printed table (mean and greatest deviation of its 44 cells):

{markdown_table(readings)}

The nearest ({best}) and the printed table, means and standard deviations; the others are in `gamma_lengths.csv`:

{markdown_table(gammas)}
"""


def _curves(parts: Tables) -> str:
    ends: Rows = []
    for name in ("alpha", "gamma", "gamma_long", "epsilon", "visits"):
        rows = parts[name]
        last = max(row["episodes"] for row in rows)
        ends += [
            {"curve": name.replace("_", " "), **{key: number_text(value) for key, value in row.items()}}
            for row in rows
            if row["episodes"] == last
        ]
    return f"""## Curves

Means and standard deviations (n - 1) over the runs of the exact probability that X wins after a drawn first move; the
numbers are in the csv files, by the name of the figure.

### Step size (alpha)

{links(FIGURES, "alpha-runs", "alpha")}

### Discount (gamma)

{links(FIGURES, "gamma", "gamma-long")}

### Exploration (epsilon)

{links(FIGURES, "epsilon")}

### Step sizes by visits

{links(FIGURES, "visits")}

### Single and double Q-learning

{links(FIGURES, "double-unbeaten", "double-wins")}

### Where they end

{markdown_table(ends)}
"""
