"""The page of Langan's study, written from its rows."""

from collections.abc import Sequence
from textwrap import fill

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.langan.figures import FIGURES
from ttt_fast.studies.langan.plan import Plan
from ttt_fast.studies.langan.published import MINIMAX_EPISODES
from ttt_fast.studies.page import Row, Tables, counts_text, made_by, share_text
from ttt_fast.studies.pictures import links


def _number(value: float | None, quantity: str) -> str:
    if value is None or quantity not in ("states", "agreeing"):
        return share_text(value)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _interval(low: float | None, high: float | None, quantity: str) -> str:
    if low is None or high is None or low == high:
        return ""
    return f"{_number(low, quantity)} to {_number(high, quantity)}"


def shown_cell(row: Row) -> Row:
    """Return the columns of a published figure that the page shows, as text."""
    quantity = row["quantity"]
    coded = _number(row["as_coded"], quantity)
    if row["as_coded_sd"]:
        coded += (
            f" ± {row['as_coded_sd']:.1f}" if quantity in ("states", "agreeing") else f" ± {row['as_coded_sd']:.4f}"
        )
    return {
        "cell": row["cell"],
        "quantity": quantity.replace("_", " "),
        "published": row["published"] if quantity in ("states", "agreeing") else share_text(row["published_value"]),
        "95 % interval": _interval(row["published_low"], row["published_high"], quantity),
        "as coded": coded,
        "predicted for one run": _interval(row["as_coded_low"], row["as_coded_high"], quantity),
        "corrected": _number(row["corrected"], quantity),
        "exact": _number(row["exact"], quantity),
        "verdict": row["verdict"],
    }


def shown_ablation(row: Row) -> Row:
    """Return the columns of a row of the ablation that the page shows, as text."""
    shown: Row = {"mended": row["mended"], "episodes": row["episodes"], "runs": row["runs"]}
    for player in ("p1", "p2"):
        for name, title in ((f"{player}_agreement", "own turn"), (f"{player}_counted_agreement", "as counted")):
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            shown[f"{player}, {title}"] = f"{row[name]:.2%} ({low:.2%} to {min(high, 1.0):.2%})"
    for name in ("perfect_runs", "greedy: X wins", "greedy: draw", "greedy: O wins"):
        shown[name.replace("_", " ")] = row[name]
    shown["P1 v minimax draws"] = share_text(row["p1_v_minimax_draws"])
    shown["minimax v P2 draws"] = share_text(row["minimax_v_p2_draws"])
    return shown


def _plain(rows: Sequence[Row]) -> str:
    return markdown_table(
        [
            {key: _plain_number(value) if isinstance(value, float) else value for key, value in row.items()}
            for row in rows
        ]
    )


def _plain_number(value: float) -> str:
    return share_text(value) if value <= 1 else f"{value:,.1f}"


def _reasons(rows: Sequence[Row]) -> str:
    """Return the reason of a cell's verdicts: one for all its quantities, or one for each."""
    if len({row["reason"] for row in rows}) == 1:
        return str(rows[0]["reason"])
    return "; ".join(f"{row['quantity'].replace('_', ' ')}: {row['reason']}" for row in rows)


def _cells(rows: Sequence[Row]) -> str:
    parts = []
    for source in dict.fromkeys(row["source"] for row in rows):
        group = [row for row in rows if row["source"] == source]
        reasons = {
            cell: _reasons([row for row in group if row["cell"] == cell]) for cell in [row["cell"] for row in group]
        }
        listed = "\n".join(f"- {cell}: {reason}." for cell, reason in reasons.items())
        parts.append(
            f"### {source.removeprefix('langan ').capitalize()}\n\n"
            f"{markdown_table([*map(shown_cell, group)])}\n\n{listed}"
        )
    return "\n\n".join(parts)


def page(tables: Tables, plan: Plan, *, quick: bool) -> str:
    """Return the page as markdown."""
    return "\n".join(
        [
            _opening(tables, plan, quick),
            _self_play(tables),
            _fixed_opponents(tables, plan),
            _words_and_efficiency(tables),
            _differences(plan),
            f"## All published figures\n\n{links(FIGURES, 'policies', 'matches')}\n\n{_cells(tables['cells'])}\n",
        ]
    )


def _in_short(tables: Tables) -> str:
    """Return the findings in a few lines, with their numbers."""
    coded = [row for row in tables["ablation"] if row["mended"] == "as coded"][-1]
    mended = [row for row in tables["ablation"] if row["mended"] == "B1+B2+B3"][-1]
    minimax = {row["learner"]: row for row in tables["minimax"]}  # the last checkpoint of each
    found = {(row["cell"], row["quantity"]): row for row in tables["cells"]}
    random, buggy2 = found["Q_random v Random", "x_wins"], found["Q_buggy2 v Buggy2", "x_wins"]
    points = (
        "Self-play fails because of three defects of the program, not because of the game or the hyperparameters. As"
        f" coded it agrees with minimax in {coded['p1_counted_agreement']:.2%} and {coded['p2_counted_agreement']:.2%}"
        f" of the rows after {coded['episodes']:,} episodes (published: 69.30% and 66.49%), and X wins"
        f" {coded['greedy: X wins']} of {coded['runs']} greedy games. With all three mended, {mended['perfect_runs']}"
        f" of {mended['runs']} runs agree in every row after {mended['episodes']:,} episodes, and"
        f" {mended['greedy: draw']} draw.",
        f"Q_minimax's 97.01% is the work of one of them (B3): {minimax['as coded']['agreement']:.2%} as coded,"
        f" {minimax['B3']['agreement']:.2%} with a maximum over legal actions.",
        f"Q_random's 0.98966 wins are not the most: 191/192 = 0.994792 is, and a falling step size reaches"
        f" {random['corrected']:.6f}.",
        f"Q_buggy2's 0.7499 wins are not the most either: 5/6 = 0.833333 is, and a falling step size reaches"
        f" {buggy2['corrected']:.6f}.",
    )
    return "\n".join(fill(point, 120, initial_indent="- ", subsequent_indent="  ") for point in points)


def _opening(tables: Tables, plan: Plan, quick: bool) -> str:
    return f"""# Reinforcement learning and minimax in a simple game (Langan)

{made_by("langan", quick)}

## In short

{_in_short(tables)}

Of {len(tables["cells"])} published figures: {counts_text(tables["cells"])}.
A figure about a learned policy is *reproduced* if it lies in the 95 % prediction interval of emulated runs of the same
program (Student's t, and the error of 200,000 sampled games); a figure that needs no learning is judged against its
exact value (*within noise*: up to 3.5 standard errors). Where the runs of a program differ much, the interval is wide,
and *reproduced* says no more than that the source's one run is nothing unusual.

- **as coded**: the published program emulated, with its defects; mean ± standard deviation over seeds, matches exact.
- **corrected**: this package's learner against the same opponents (step size from 0.5 to 0.001), {plan.corrected_seeds}
  runs; for self-play the program with its three defects mended, {plan.seeds} runs of {plan.repaired:,} episodes.
- **exact**: the most that any player could have against that opponent (for a learned opponent: against perfect play);
  for `states`, the boards that can come up in that training.

## The three defects

- **B1, successor**: in self-play the successor of a move is the board right after it, where the opponent is to move.
  The learner never acts there, its row stays zero, and no value is ever handed back.
- **B2, credit**: in self-play only the player who made the last move is rewarded, so that no table learns of a loss.
- **B3, maximum**: the best value of a successor is taken over all nine actions; the illegal ones are 0 for ever, so
  that a lost position looks drawn one move back. This one is in every training.
"""


def _self_play(tables: Tables) -> str:
    return f"""## Self-play: mended one at a time

Agreement with minimax, mean and its 95 % interval; `own turn` counts the rows in which the learner is to move, `as
counted` all rows of its table, as published. A `perfect` run agrees everywhere, in both seats.

{markdown_table([*map(shown_ablation, tables["ablation"])])}

{links(FIGURES, "agreement", "agreement-as-counted")}

{_what_b3_does(tables)}

The other three combinations learn the same bits as those without B3, run by run: a maximum is never negative unless B1
and B2 are both mended.

{_plain(tables["twins"])}

What the defects leave in the tables (the most in any run): as published, the rows of the opponent's turn are all zero,
nothing but a winning move has a value, and no value is negative.

{_plain(tables["evidence"])}
"""


def _what_b3_does(tables: Tables) -> str:
    """Return what the last defect costs where the other two are mended, at the end of equally long runs."""
    ends = {row["mended"]: row for row in tables["ablation"]}
    left, mended = ends["B1+B2"], ends["B1+B2+B3"]
    return fill(
        "B2 is the largest single step for both players, and B1 helps little without it. With both mended, B3 decides:"
        f" after {left['episodes']:,} episodes {left['perfect_runs']} of {left['runs']} runs agree everywhere and"
        f" {left['greedy: draw']} of the greedy games are draws; with B3 mended, too, {mended['perfect_runs']} of"
        f" {mended['runs']} and {mended['greedy: draw']}.",
        120,
    )


def _fixed_opponents(tables: Tables, plan: Plan) -> str:
    return f"""## Q_minimax: where the missing 3 % are

`as written` has the rewards of the report (1, 1/2, 0, written directly); a loss is then worth as much as a move never
tried, which makes B3 harmless, but the table is not at 100 % after the same time either.

{links(FIGURES, "q-minimax")}

{_plain([row for row in tables["minimax"] if row["episodes"] in (*plan.minimax, *MINIMAX_EPISODES)])}

## Flawed opponents: length of training

The report does not state how long Q_buggy and Q_buggy2 were trained; the tables above use the length whose number of
states is nearest. Constant step size 0.1, as coded; `best possible` is the exact best response's wins minus losses.

{links(FIGURES, "lengths")}

{_plain(tables["lengths"])}
"""


def _words_and_efficiency(tables: Tables) -> str:
    return f"""## What the report says in words

{markdown_table(tables["claims"])}

## Efficiency (section 6.4)

A minimax player that searches the whole tree at every move visits so many positions a game, on average (exact). The
report does not say in which seat minimax played in the 660 minutes for 200,000 games: if it began, they come to about a
third of a microsecond a position, which is plausible for a board of nested vectors; if it played second, to ten times
as much. Our minimax is a table: one load a move, and a hundred million games take seconds (`timing.json`).

{_plain(tables["search"])}
"""


def _differences(plan: Plan) -> str:
    return f"""## Differences from the source

1. Random numbers: SplitMix64 streams with a seed, instead of the C library's `rand()` (15 bits) seeded with the time.
   Replies are drawn with equal chances from the opponent's list; `rand() % n` is off by up to 1 in 4,000.
2. Minimax, random and the buggy players are tables of their exact probabilities; nothing is searched while training.
3. Matches are exact (forward propagation), not samples of 200,000 games; the intervals of published figures are theirs.
4. Table 1 has one run at three checkpoints, {plan.minimax_seeds} times, instead of one run for each length.
5. Training lengths of Q_buggy and Q_buggy2 are inferred; that of Q_random is the 100,000,000 of section 5.3.
   Published self-play ({plan.published:,} episodes) has {plan.published_seeds} runs, Q_random {plan.random_seeds}.
6. Where report and program differ, `as coded` follows the program: rewards +1, 0, -1, also at the end of a game with
   step size 0.1; ties and unseen states take the first free cell from the bottom left; buggy prefers the bottom left
   corner to the centre; buggy2's trigger is the top row.
7. B2 is mended by rewarding the player who did not move last, too; with B1 left, on top of the program's own update.
"""
