"""Statements of Sai's text about Connect 4, beside the truth."""

from typing import Any

from ttt_fast.games.registry import parse_game
from ttt_fast.studies.cells import ordinary_table
from ttt_fast.studies.sai.claims import claim, is_around
from ttt_fast.studies.sai.connect_four.learning import AS_CODED, REWARDS_MENDED, Trained
from ttt_fast.studies.sai.connect_four.match import BOARD_AS_CODED, BOARD_AS_DESCRIBED, Played
from ttt_fast.studies.sai.connect_four.samples import Samples
from ttt_fast.studies.sai.connect_four.tables import board_text
from ttt_fast.studies.sai.connect_four.truth import FIRST_PLY, solver_of, values_along
from ttt_fast.studies.sai.published import ALPHA_BETA, CONNECT_FOUR_TABLES, EPSILON_IN_PLAY, PLAIN, TABLE

Rows = list[dict[str, Any]]
_OUTCOME = {1: "won for X", 0: "a draw", -1: "won for O"}
OPEN = "open"


def claim_rows(runs: list[Trained], samples: Samples, searches: Rows, cells: Rows, readings: Rows) -> Rows:
    """Return the statements with a verdict each.

    Parameters
    ----------
    runs, samples
        Training runs, and matches without a learner.
    searches, cells, readings
        Rows of `search_rows`, `cell_rows` and `reading_rows`.
    """
    return [
        *_claims_about_minimax(samples, cells),
        *_claims_about_pruning(samples, searches),
        *_claims_about_the_learner(runs, cells, readings),
        _crash(runs, samples),
        *_claims_about_the_code(),
    ]


def _claims_about_minimax(samples: Samples, cells: Rows) -> Rows:
    default = next(row for row in cells if (row["source"], row["quantity"]) == ("sai table 5", "default wins"))
    counts = {skill: played.halves.counts for skill, played in samples.defaults.items()}
    ratios = {}
    for skill, (begun, followed) in counts.items():
        ratios[skill] = (begun[0] + followed[1]) / max(1, begun[1] + followed[0])
    return [
        claim(
            "the default opponent will never win against minimax (section 5.2.1)",
            "never",
            f"it wins {default['as_described']:.3f} of the games as described, {default['as_coded']:.3f} as coded",
            False,
            "its own table 5 has a win; minimax sees five plies, takes the first of equal columns and does not hurry",
        ),
        claim(
            "minimax loses to itself since Connect 4 is more complex (section 5.5.1)",
            "2 wins each",
            _course(samples, BOARD_AS_CODED),
            False,
            "both searches play the same moves, so that whoever is O wins, and each is O in half of the games",
        ),
        claim(
            "the first of two default opponents is around 3 times likelier to win, in Connect 4 (section 5)",
            "3",
            f"{ratios['1']:.2f} as described, {ratios['0.01']:.2f} as coded",
            any(is_around(ratio, 3) for ratio in ratios.values()),
            f"X's wins over O's in {samples.defaults['1'].halves.games:,} games each",
        ),
    ]


def _course(samples: Samples, board: str) -> str:
    """Return in words how minimax's game against itself goes, and what its positions are worth."""
    game = parse_game(board)
    record = samples.searchers[board].records[0]
    values = values_along(solver_of(game, 1), game, record)
    text = f"always the same game, won by {record.result.upper()} after {record.plies} plies"
    changes = [(ply, value) for (ply, value), (_, before) in zip(values[1:], values, strict=False) if value != before]
    text += f"; with {FIRST_PLY} stones it is {_OUTCOME[values[0][1]]}"
    return text + "".join(f", with {ply} {_OUTCOME[value]}" for ply, value in changes)


def _claims_about_pruning(samples: Samples, searches: Rows) -> Rows:
    of = {(row["source"], row["player"]): row for row in searches}
    pruned, plain = of["sai table 5", ALPHA_BETA], of["sai table 4", PLAIN]
    nodes, seconds, memory = (
        pruned[column] / plain[column] for column in ("nodes", "published_seconds", "published_bytes")
    )
    same, games = samples.same_moves
    return [
        claim(
            "minimax plays the same with alpha-beta (section 5.5.1)",
            "same",
            f"the same moves in {same} of {games} games",
            same == games,
            "without pruning, against the same default opponent with the same draws",
        ),
        claim(
            "alpha-beta takes considerably less time (section 5.2.2)",
            "less",
            f"{nodes:.1%} of the nodes",
            nodes < 0.5,
            f"{seconds:.1%} of the printed seconds (tables 5, 4)",
        ),
        claim(
            "alpha-beta takes considerably less memory (section 5.2.2)",
            "less",
            f"{memory:.1%} of the printed bytes (tables 5, 4)",
            memory < 0.5,
            "both search five plies deep",
        ),
    ]


def _claims_about_the_learner(runs: list[Trained], cells: Rows, readings: Rows) -> Rows:
    of = {row["quantity"]: row for row in cells if row["source"] == "sai table 6"}
    wins, losses = of[f"{TABLE} wins"], of["default wins"]
    greedy = [
        row
        for row in readings
        if (row["source"], row["default_skill"], row["values"], row["epsilon"]) == ("sai table 6", "0.01", "both", "0")
    ]
    states = [run.states for run in runs if run.variant == AS_CODED]
    met = [run.states for run in runs if run.variant == REWARDS_MENDED]
    return [
        claim(
            "tabular Q-learning does worse than the default opponent (section 5.2.3)",
            "worse",
            f"as described it wins {wins['as_described']:.3f} and loses {losses['as_described']:.3f}",
            wins["as_described"] < losses["as_described"],
            f"but the opponent as coded loses {greedy[0]['second_wins']:.3f} to the corrected learner",
        ),
        claim(
            "Connect 4 has 6 x 7 = 42 states to visit, tic-tac-toe 9 (section 5.2.3)",
            "42 and 9",
            f"{sum(met) // len(met):,} boards met in one training, and {ordinary_table().num_states:,}",
            False,
            f"cells, not states; as coded X alone keeps values: {sum(states) // len(states):,} boards",
        ),
    ]


def _crash(runs: list[Trained], samples: Samples) -> dict[str, Any]:
    """Return the row of the rounds that cannot be finished."""
    key = ("x", EPSILON_IN_PLAY, "minimax")
    own = [run for run in runs if run.variant == AS_CODED]
    played = samples.default[BOARD_AS_CODED, "0.01"]
    stopped, games = played.stopped, _games(played)
    stopped += sum(run.stopped[key] for run in own)
    games += sum(run.stopped[key] + run.spent[key][0].games for run in own)
    share = stopped / games
    row = claim(
        "more than 50 rounds of table 10 crash the computer (section 5.5.2)",
        "crash",
        f"{stopped} of {games:,} games of minimax as coded end in a KeyError, so that a match of 50 rounds does with"
        f" chance {1 - (1 - share) ** 50:.1%}",
        True,
        "where all that X can reach is a full board, worth minus infinity, the search returns no move; what crashed the"
        " computer is not known",
    )
    return row | {"verdict": OPEN}


def _games(played: Played) -> int:
    return len(played.records) + played.stopped


def _claims_about_the_code() -> Rows:
    """Return the statements that the printed program contradicts."""
    table_4 = next(one for one in CONNECT_FOUR_TABLES if one.number == 4)
    return [
        claim(
            "a draw is worth 0 to minimax (section 4.1.2)",
            "0",
            "minus infinity",
            False,
            "at the horizon 0; above it a full board is where the maximum over X's no moves begins, so that X would"
            " rather lose and O rather not win",
        ),
        claim(
            "the board has height 6 (section 4.3)",
            board_text(BOARD_AS_DESCRIBED),
            board_text(BOARD_AS_CODED),
            False,
            "dimensions=(6, 7) are columns and cells of a column",
        ),
        claim(
            "table 4: 5 rounds, 5 wins",
            "5",
            f"{2 * table_4.half} games",
            False,
            "section 5.5.1: half of the rounds, as an integer, begun by each; table 9 prints 2 + 2 of 5",
        ),
    ]
