"""The findings about Sai's Connect 4; what is sampled says so."""

from collections.abc import Iterator

from ttt_fast.studies.findings.finding import Finding
from ttt_fast.studies.findings.quotes import Results

_CORRECTED = "learner, corrected"


def sai_connect_four(found: Results) -> Iterator[Finding]:
    """Yield the findings."""
    yield from _learner(found)
    yield from _minimax(found)


def _learner(found: Results) -> Iterator[Finding]:
    default, learner, ties = (
        found.quote("sai", "cells", "printed", table="table 6", quantity=quantity, reading="as coded")
        for quantity in ("default wins", "learner wins", "ties")
    )
    of = {"table": "table 6", "quantity": "learner wins", "reading": "as coded"}
    played = found.quote("sai", "cells", "value", ".3f", **of)
    coded, described = (
        found.quote("sai", "strength", "wins", ".3f", player=_CORRECTED, game="connect4", opponent=opponent)
        for opponent in ("default 0.01", "default 1")
    )
    yield Finding(
        "section 5.2.3, table 6",
        f"Tabular Q-learning does worse than the default opponent in Connect 4 ({learner} : {default}, {ties} ties):"
        " the game has too many states.",
        f"Played as coded it wins {played} (sampled). With rewards, board and the decay of epsilon mended, as many"
        f" games of training give a greedy player that wins {coded} against the coded opponent, {described} against one"
        " that always wins or blocks when it can.",
        "Both updates at the end of a game go to the first player, nine moves in ten of the evaluation are random, and"
        " so are those of its opponent.",
        ("sai",),
    )
    kind = {"kind": "X has won"}
    above, highest = (
        found.quote("sai", "boards", column, form, **kind, learner="as coded")
        for column, form in (("above 0", ".0%"), ("highest", ".4f"))
    )
    mended = found.quote("sai", "boards", "above 0", ".0%", **kind, learner="rewards mended")
    yield Finding(
        "section 4.3; appendix, set_learning_reward",
        "A win is rewarded with 1, a loss with -1.",
        f"Of the boards on which X has won {above} have a value above 0 as coded, and the highest is {highest};"
        f" with the rewards mended {mended} have.",
        "Every decided game is played back to X's boards as a win and then as a loss; a board that X never met, at 0,"
        " looks better than a win.",
        ("sai",),
    )


def _minimax(found: Results) -> Iterator[Finding]:
    row = {"table": "table 5", "quantity": "minimax wins"}
    share = found.quote("sai", "cells", "printed_value", ".2f", **row, reading="as coded")
    described, coded = (
        found.quote("sai", "cells", "value", ".3f", **row, reading=reading) for reading in ("as described", "as coded")
    )
    kept, chance = (
        found.quote("sai", "kept", column, ".0%", player="minimax of depth 5") for column in ("kept", "by chance")
    )
    yield Finding(
        "section 5.2.2, table 5",
        f"Minimax of depth 5 wins almost all the time ({share}) against an opponent that wins or blocks when it can.",
        f"Against such an opponent it wins {described} on seven columns of six, against the coded one {coded} on six of"
        f" seven (both sampled). Where only some moves keep the exact value it finds one in {kept} of the positions, in"
        f" which a random move would in {chance}.",
        "The opponent is nearly random; five plies without an evaluation see no more than the next threats.",
        ("sai",),
    )
    won, plies = (found.quote("sai", "course", column, board="6 columns of 7") for column in ("won by", "plies"))
    yield Finding(
        "section 5.5.1, table 9",
        "Minimax wins twice and loses twice against itself, for Connect 4 is more complex than tic-tac-toe.",
        f"The two searches play the same moves: always the same game, won by {won} after {plies} plies.",
        "Nothing in it is drawn: whoever is second wins, and each is second in half of the games.",
        ("sai",),
    )
    match = {"match": "6 columns of 7, minimax v learner as coded (policy-1, epsilon 0.9)"}
    stopped, games = (found.quote("sai", "stops", column, ",d", **match) for column in ("stopped", "games"))
    yield Finding(
        "section 4.1.2",
        "A draw is worth 0 to minimax in Connect 4.",
        f"{stopped} of {games} games of table 10 as coded end in a KeyError.",
        "At the horizon it is; a full board above it is worth minus infinity, so that X would rather lose and O rather"
        " not win; where X can reach nothing else the search returns no move, and the program stops.",
        ("sai",),
    )
