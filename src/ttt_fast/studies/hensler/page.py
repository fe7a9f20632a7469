"""The page of Hensler's study."""

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.cells import NOISE_SIGMAS
from ttt_fast.studies.hensler.figures import FIGURES
from ttt_fast.studies.hensler.plan import CHANGES, CHUNK, ENDS, EPISODES, FALLS, FLOOR, FRESH, GREEDY, PUBLISHED
from ttt_fast.studies.page import Tables, made_by
from ttt_fast.studies.pictures import links


def _claims(parts: Tables, runs: int) -> str:
    """Return the statements of the page, judged."""
    mean = {row["measure"]: row["mean"] for row in parts["strength"]}
    greedy = next(row for row in parts["variants"] if row["learner"] == GREEDY)
    share = {name: f"{mean[name]:.0%}" for name in ("neither loses", "x never loses", "o never loses")}
    saved = f"{mean['x losses v minimax as saved']:.4f} (X) and {mean['o losses v minimax as saved']:.4f} (O)"
    return markdown_table([
        {"statement": "train two unbeatable agents: the agents of the author's files", "verdict": "true",
         "evidence": "greedy, they lose to random with chance 0.00000; random plays every line, and one that loses"
         " would have a chance of at least 1/384 (X) or 1/945 (O), so that there is none (first of equal moves)"},
        {"statement": "the same: the recipe", "verdict": "refuted", "evidence": f"of {runs} runs nobody can beat X in"
         f" {share['x never loses']}, O in {share['o never loses']}, both in {share['neither loses']}"},
        {"statement": "the same: the agents as they are saved", "verdict": "refuted",
         "evidence": f"the pickled agent keeps epsilon {FLOOR}: ours, so saved, lose to minimax with chance {saved} on"
         f" average over {runs} runs"},
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


def page(parts: Tables, runs: int, *, quick: bool) -> str:
    """Return the page as markdown."""
    cells = parts["cells"]
    fits = sum(row["verdict"] == "within noise" for row in cells)
    names = {"published": "measured on his"}
    shown = ("cell", "quantity", "published", "ours", "sd", "min", "max", "sigmas", "quantile", "verdict")
    curve = [row for row in parts["curve"] if row["learner"] == PUBLISHED]
    curve = [row for row in curve if row["episodes"] % (EPISODES // 10 ** (row["episodes"] <= EPISODES)) == 0]
    columns = ("episodes", "runs", "unbeatable", "x_wins", "o_wins", "exploitability", "agreement")
    return f"""# Hensler: Q-learning by self-play, {EPISODES:,} episodes

{made_by("hensler", quick)}

The source publishes no measurement: all strengths here are exact, not sampled.

## Statements in the text

{_claims(parts, runs)}

{_differences(runs)}

## The printed progress

After episode i (so after i + 1 episodes): epsilon by the program's loop and by the formula, and X's states, of 2,423.

{markdown_table(parts["progress"])}

## His agents among ours

`measured on his` are figures that the source does not print: an exact evaluation of the author's two files (first of
equal moves), and of three runs of his program cut at {FRESH:,} episodes.
`ours` is the mean over our runs, `quantile` the figure's place among them. {fits} of {len(cells)}
fit: they are inside the range of the runs, or within {NOISE_SIGMAS} standard deviations of their mean.

{markdown_table([{names.get(key, key): row[key] for key in shown} for row in cells])}

## How it spreads over the seeds

{links(FIGURES, "spread")}

{markdown_table(parts["strength"])}

## Learning curve, exact

{links(FIGURES, "exploitability", "random")}

Means over the runs, wins against random; `curve.csv` has standard deviations, every {CHUNK:,} episodes and later every
{10 * CHUNK:,}, and the same of the variants below.
`unbeatable` is the share of the runs with exploitability 0. Beyond {EPISODES:,} episodes the runs of the first
seeds ({len(parts["further"])}) go on with the same settings.

{markdown_table([{key: row[key] for key in columns} for row in curve])}

{_until_nobody_can_beat_it(parts)}
"""


def _until_nobody_can_beat_it(parts: Tables) -> str:
    more = [row["further_episodes"] for row in parts["further"]]
    later = [one for one in more if one]
    epsilon, alpha = CHANGES[ENDS]["epsilon"], CHANGES[FALLS]["step_size"]
    return f"""## Until nobody can beat it

{links(FIGURES, "unbeatable")}

`unbeatable` counts the runs with exploitability 0 at the end, `at any time` after any chunk; `share of the second
half` is that of its chunks, and `first` the episodes until the first one. As published it comes and goes, since
explored blunders go on moving the values. Of the {len(more)} runs that went on, {sum(one == 0 for one in more)} were
unbeatable at the published end; {len(later)} of the {sum(one != 0 for one in more)} others became so, for a time,
within {max(later, default=0):,} further episodes. Variants: `{ENDS}` has epsilon {epsilon}, and `{FALLS}` has
alpha {alpha}, all else as published. What helps is an end of the exploration; a falling step size
freezes values too early.

{markdown_table(parts["variants"])}"""
