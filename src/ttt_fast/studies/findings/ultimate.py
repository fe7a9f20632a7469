"""The findings about Bichot's Ultimate tic-tac-toe."""

from collections.abc import Iterator

from ttt_fast.studies.findings.finding import Finding
from ttt_fast.studies.findings.quotes import Results

OURS = "mcts-best:sims=5000"
_STUDY = ("ultimate",)


def ultimate(found: Results) -> Iterator[Finding]:
    """Yield the findings about Bichot."""
    yield from _figure(found)
    share, positions, chance = (
        found.quote("ultimate", "ties", column, form, agent="minimax-5")
        for column, form in (
            ("with_worse", ".0%"), ("positions", ",d"), ("chance", ".2f"),
        )
    )  # fmt: skip
    score = found.quote("ultimate", "games", "score", ".3f", part="defects", name="minimax-5: true ties")
    yield Finding(
        "section II, pruning",
        "Alpha-beta pruning does not change the resulting decision.",
        f"With random ties it does: in {share} of {positions} random positions 5-step minimax counts a worse move among"
        f" its best ones (chance to play it: {chance}). With true ties it scores {score} against itself as coded.",
        "A move whose search is cut off returns a bound, and a bound that equals the best value is taken for a tie.",
        _STUDY,
    )
    printed = found.quote(
        "ultimate", "games", "score", ".3f", part="defects", name="minimax-5 corrected: rewards as printed"
    )  # fmt: skip
    yield Finding(
        "section III, reward function",
        "The reward is computed by the printed formulas.",
        f"5-step minimax with the printed rewards scores {printed} against the one with the coded rewards (true ties"
        " both).",
        "The program multiplies the reward of a won board by 20, counts the cells that complete a line and not the"
        " lines, and leaves out marks that stand in such a line.",
        _STUDY,
    )
    low, high = (
        found.quote("ultimate", "first_player", "as coded", ".3f", agent=agent) for agent in ("minimax-1", "minimax-5")
    )
    three = found.quote("ultimate", "first_player", "as coded", ".3f", agent="minimax-3")
    yield Finding(
        "section V",
        "Beginning does not seem to make a big difference: true.",
        f"As coded the first player of two equal agents scores {low} as 1-step minimax, {three} with 3 steps and"
        f" {high} with 5.",
        "The diagonal of the figure, which was looked at, has 100 games a cell: 0.1 is two standard errors.",
        _STUDY,
    )
    half, root = (found.quote("ultimate", "exploration", "corrected", ".3f", c=c) for c in ("0.5", "sqrt(2)"))
    yield Finding(
        "section IV, table I",
        "Of five exploration parameters c = sqrt(2) is the best.",
        f"With c = 0.5 the corrected agent wins {half} of the games, with sqrt(2) {root}; the published 23 and"
        " 17 of 100 differ by chance alone.",
        "The program has the logarithm of N / n where the printed formula has that of N; c is no parameter of it.",
        _STUDY,
    )
    yield from _games(found)


def _figure(found: Results) -> Iterator[Finding]:
    total, expected, chance = (
        found.quote("ultimate", "fit", column, form, program="as coded", cells="all")
        for column, form in (("chi_square", ".1f"), ("expected", ".1f"), ("p", "p"))
    )
    mended, expected_mended, impossible = (
        found.quote("ultimate", "fit", column, form, program="corrected, the row begins", cells="all")
        for column, form in (("chi_square", ".1f"), ("expected", ".1f"), ("p", "p"))
    )
    yield Finding(
        "figure 5",
        "The figure shows the agents that the text describes.",
        f"It shows the program's defects: with them chi-square of all cells is {total} ({expected} expected,"
        f" {chance}), with the defects mended {mended}"
        f" ({expected_mended} expected, {impossible}).",
        "On a free move each board is listed once for each of its free cells, which weights random games and trees;"
        " and ties are not ties.",
        _STUDY,
    )
    near, low, high, rival = (
        found.quote("ultimate", "games", column, ".3f", part="as coded", name=name)
        for name, column in (
            ("minimax-3 v minimax-5", "score"), ("minimax-3 v minimax-5", "score_low"),
            ("minimax-3 v minimax-5", "score_high"), ("minimax-5 v mcts-2000", "score"),
        )
    )  # fmt: skip
    mended, search = (
        found.quote("ultimate", "games", "score", ".3f", part="corrected, seats swapped", name=name)
        for name in ("minimax-3 v minimax-5", "minimax-5 v mcts-2000")
    )
    yield Finding(
        "section V",
        "The 5-step minimax agent is the best agent.",
        f"True in part. As coded 3 steps score {near} ({low} to {high}) against it, which is no proof of a lead, and it"
        f" scores {rival} against MCTS with 2000 iterations; with true ties and UCB1 it leads clearly: 3 steps score"
        f" {mended}, and it scores {search} against MCTS.",
        "Cut-off ties cost the deeper search more than the shallower one.",
        _STUDY,
    )


def _games(found: Results) -> Iterator[Finding]:
    games = found.quote(
        "ultimate", "claims", "found",
        statement="the agent with highest number of steps wins in more than 80% of the games",
    )  # fmt: skip
    yield Finding(
        "section V",
        "Without randomisation the agent with more steps wins in more than 80 % of the games: a share of many games.",
        f"Each pair has a single game in either order, however often it is played: {games}.",
        "Nothing in these agents is random then.",
        _STUDY,
    )
    printed, counts = (
        found.quote("ultimate", "cells", column, place="mcts-500 v mcts-1000") for column in ("printed", "note")
    )
    yield Finding(
        "figure 5",
        "Each agent plays 100 games against each, and the score is 100 (w + e / 2) / n.",
        "45 of the 81 cells were played, the agent of the row always first; the others are their mirrors. MCTS with 500"
        f" against 1000 iterations is printed as {printed}; its games are {counts}.",
        "The figure rounds wins and draws to pixels before it computes the score.",
        _STUDY,
    )
    reached = found.quote("ultimate", "games", "score", ".3f", name="minimax-5", part="ours as coded")
    lowest = found.quote("ultimate", "games", "score_low", ".3f", name="minimax-5", part="ours as coded")
    uct = found.quote("ultimate", "games", "score", ".3f", part="equal simulations", name="mcts:sims=2000")
    improved, least, most = (
        found.quote("ultimate", "games", column, ".3f", part="improved", name="as coded", variant="20")
        for column in ("score", "score_low", "score_high")
    )
    described = found.quote("ultimate", "games", "score", ".3f", part="improved", name="as written", variant="20")
    yield Finding(
        "sections V and VI",
        "The improved minimax is a really good agent.",
        f"As coded it scores {improved} ({least} to {most}) against 5-step minimax, as written {described} against its"
        f" own base. `{OURS}` scores {reached}"
        f" (95 % interval from {lowest}) against the same opponent; with the same options and"
        f" 2000 simulations it scores {uct} against UCB1 with as many.",
        "As coded the cut-off ties cost the deeper search; what helps a tree search is measured one by one.",
        _STUDY,
    )
