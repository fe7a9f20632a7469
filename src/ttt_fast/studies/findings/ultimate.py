"""The findings about Bichot's Ultimate tic-tac-toe."""

from collections.abc import Iterator

from ttt_fast.studies.findings.finding import Finding
from ttt_fast.studies.findings.quotes import Results
from ttt_fast.studies.ultimate.players import OURS

_STUDY = ("ultimate",)


def ultimate(found: Results) -> Iterator[Finding]:
    """Yield the findings about Bichot."""
    yield from _figure(found)
    share, positions, chance = (
        found.quote("ultimate", "ties", column, form, agent="minimax-5")
        for column, form in (
            ("with a worse move among the ties", ".0%"), ("positions", ",d"), ("chance of a worse move", ".2f"),
        )
    )  # fmt: skip
    score = found.quote("ultimate", "defects", "score", ".3f", change="minimax-5: true ties")
    yield Finding(
        "section II, pruning",
        "Alpha-beta pruning does not change the resulting decision.",
        f"With random ties it does: in {share} of {positions} random positions 5-step minimax counts a worse move among"
        f" its best ones (chance to play it: {chance}). With true ties it scores {score} against itself as coded.",
        "A move whose search is cut off returns a bound, and a bound that equals the best value is taken for a tie.",
        _STUDY,
    )
    printed = found.quote(
        "ultimate", "defects", "score", ".3f", change="minimax-5 corrected: rewards as printed"
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
        found.quote("ultimate", "first_player", "as_coded", ".3f", agent=agent) for agent in ("minimax-1", "minimax-5")
    )
    three = found.quote("ultimate", "first_player", "as_coded", ".3f", agent="minimax-3")
    yield Finding(
        "section V",
        "Beginning does not seem to make a big difference.",
        f"As coded the first player of two equal agents scores {low} as 1-step minimax, {three} with 3 steps and"
        f" {high} with 5.",
        "The diagonal of the figure, which was looked at, has 100 games a cell: 0.1 is two standard errors.",
        _STUDY,
    )
    measured, verdict = (
        found.quote("ultimate", "claims", column, statement="of the exploration parameters c = sqrt(2) is the best")
        for column in ("measured", "verdict")
    )
    yield Finding(
        "section IV, table I",
        "Of five exploration parameters c = sqrt(2) is the best.",
        f"{measured[:1].upper()}{measured[1:]}: it {verdict}.",
        "The program has the logarithm of N / n where the printed formula has that of N; c is no parameter of it.",
        _STUDY,
    )
    yield from _games(found)


def _figure(found: Results) -> Iterator[Finding]:
    total, expected, chance = (
        found.quote("ultimate", "fit", column, form, program="as coded, the row begins")
        for column, form in (("chi_square", ".1f"), ("expected", ".1f"), ("p", "p"))
    )
    mended, expected_mended, impossible = (
        found.quote("ultimate", "fit", column, form, program="corrected, seats swapped")
        for column, form in (("chi_square", ".1f"), ("expected", ".1f"), ("p", "p"))
    )
    yield Finding(
        "figure 5",
        "The figure shows the agents that the text describes.",
        f"It shows the program's defects: with them chi-square of all cells is {total} ({expected} expected,"
        f" {chance}), with the defects mended and the seats swapped {mended}"
        f" ({expected_mended} expected, {impossible}).",
        "On a free move each board is listed once for each of its free cells, which weights random games and trees;"
        " the tree's formula is not UCB1; ties are not ties; and the agent of the row always begins.",
        _STUDY,
    )
    near, low, high, rival = (
        found.quote("ultimate", "cells", column, ".3f", cell=f"minimax-5 v {agent}")
        for agent, column in (
            ("minimax-3", "as_coded"), ("minimax-3", "as_coded_low"), ("minimax-3", "as_coded_high"),
            ("mcts-2000", "as_coded"),
        )
    )  # fmt: skip
    mended = found.quote("ultimate", "cells", "corrected", ".3f", cell="minimax-5 v minimax-3")
    search = found.quote("ultimate", "cells", "corrected", ".3f", cell="minimax-5 v mcts-2000")
    yield Finding(
        "section V",
        "The 5-step minimax agent is the best agent.",
        f"True in part. As coded it scores {near} ({low} to {high}) against 3 steps, which is no proof of a lead, and"
        f" {rival} against MCTS with 2000 iterations; with true ties and UCB1 it leads clearly, with {mended} and"
        f" {search}.",
        "Cut-off ties cost the deeper search more than the shallower one.",
        _STUDY,
    )


def _games(found: Results) -> Iterator[Finding]:
    games = found.quote(
        "ultimate", "claims", "measured",
        statement="without randomisation the agent with more steps wins in more than 80 % of the games",
    )  # fmt: skip
    yield Finding(
        "section V",
        "Without randomisation the agent with more steps wins in more than 80 % of the games: a share of many games.",
        f"Each pair has a single game in either order, however often it is played: {games}.",
        "Nothing in these agents is random then.",
        _STUDY,
    )
    printed, wins, draws = (
        found.quote("ultimate", "cells", column, cell="mcts-500 v mcts-1000")
        for column in ("published", "published_wins", "published_draws")
    )
    yield Finding(
        "figure 5",
        "Each agent plays 100 games against each, and the score is 100 (w + e / 2) / n.",
        "45 of the 81 cells were played, the agent of the row always first; the others are their mirrors. MCTS with 500"
        f" against 1000 iterations is printed as {printed}; its {wins} wins and {draws} draws of 100 games make 23.",
        "The figure rounds wins and draws to pixels before it computes the score.",
        _STUDY,
    )
    reached = found.quote("ultimate", "strength", "score", ".3f", opponent="minimax-5", version="as coded")
    lowest = found.quote("ultimate", "strength", "score_low", ".3f", opponent="minimax-5", version="as coded")
    uct = found.quote("ultimate", "strength", "score", ".3f", opponent="mcts:sims=2000")
    improved, least, most = (
        found.quote("ultimate", "defects", column, ".3f", change="improved minimax v minimax-5, as coded")
        for column in ("score", "score_low", "score_high")
    )
    yield Finding(
        "sections V and VI",
        "The improved minimax is a really good agent.",
        f"As coded it scores {improved} ({least} to {most}) against 5-step minimax. `{OURS}` scores {reached}"
        f" (95 % interval from {lowest}) against the same opponent; with the same options and"
        f" 2000 simulations it scores {uct} against UCB1 with as many.",
        "What helps is rollouts that win or block, proofs of won and lost positions, a kept tree and less exploration.",
        _STUDY,
    )
