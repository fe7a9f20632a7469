"""Statements of Sai's text about tic-tac-toe, beside the truth."""

from typing import Any

from ttt_fast.studies.sai.published import ALPHA_BETA, EPISODES, PLAIN, TABLES
from ttt_fast.studies.sai.tables import first_player_ratio


def games_until_the_floor(start: float = 0.9, rate: float = 0.000001, floor: float = 0.3) -> int:
    """Return the first game that `update_epsilon` of appendix 9.2 lets be played at the floor.

    Examples
    --------
    >>> games_until_the_floor()
    1095
    """
    epsilon, game = max(floor, start), 0
    while epsilon > floor:
        game += 1
        epsilon = max(floor, epsilon - rate * game)
    return game


def claim_rows(searches: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the statements with a verdict each.

    Parameters
    ----------
    searches, cells
        Rows of `search_rows` and `cell_rows`.
    """
    of = {(row["source"], row["player"]): row for row in searches}
    pairs = [
        (of["sai table 7", ALPHA_BETA], of["sai table 7", PLAIN]),
        (of["sai table 2", ALPHA_BETA], of["sai table 1", PLAIN]),
    ]
    nodes = [100 * pruned["nodes"] / plain["nodes"] for pruned, plain in pairs]
    seconds = [100 * pruned["published_seconds"] / plain["published_seconds"] for pruned, plain in pairs]
    memory = [100 * pruned["published_bytes"] / plain["published_bytes"] for pruned, plain in pairs]
    wins = next(row for row in cells if (row["source"], row["quantity"]) == ("sai table 2", f"{ALPHA_BETA} wins"))
    described, coded = first_player_ratio("1"), first_player_ratio("0.01")
    return [
        claim(
            "the first of two default opponents is around 3 times likelier to win (section 5)",
            "3",
            f"{described:.3f} as described, {coded:.3f} as coded",
            any(is_around(ratio, 3) for ratio in (described, coded)),
            "X's chance to win over O's",
        ),
        claim(
            "minimax always wins against the default opponent (section 5.1.4)",
            "always",
            f"{wins['as_described']:.4f} of the games as described, {wins['as_coded']:.4f} as coded",
            False,
            "it never loses; the tables of the report print its ties",
        ),
        claim(
            "alpha-beta takes around 3 % of the time (section 5.4.3)",
            "3 %",
            f"{nodes[0]:.2f} % (table 7) and {nodes[1]:.2f} % (tables 2, 1) of the nodes",
            all(is_around(share, 3) for share in nodes),
            f"by the printed seconds {seconds[0]:.2f} % and {seconds[1]:.2f} %",
        ),
        claim(
            "alpha-beta takes around 73 % of the memory (section 5.4.3)",
            "73 %",
            f"{memory[0]:.1f} % (table 7) and {memory[1]:.1f} % (tables 2, 1) by the printed bytes",
            all(round(share) == 73 for share in memory),
            "both search to the same depth; the bytes are peaks added up over a player's moves",
        ),
        *_claims_about_the_code(),
    ]


def _claims_about_the_code() -> list[dict[str, Any]]:
    """Return the statements that the printed program contradicts."""
    table_7 = next(one for one in TABLES if one.number == 7)
    return [
        claim(
            "epsilon decreases gradually (section 4.2.1)",
            "gradually",
            f"at its floor from game {games_until_the_floor():,} of {EPISODES:,}",
            False,
            "the decay is subtracted from the decayed value, so that it adds up",
        ),
        claim(
            "table 7: 5 rounds, 5 ties",
            "5",
            f"{2 * table_7.half} games",
            False,
            "section 5.5.1: half of the rounds, as an integer, begun by each; table 9 prints 2 + 2 of 5",
        ),
        claim(
            "the update is Q-learning with a maximum over the next actions (section 4.2.1)",
            "max",
            "no maximum, no actions",
            False,
            "values of afterstates, updated from the end of the game with what was really played (appendix 9.2)",
        ),
        claim(
            "values are assigned randomly at first (section 3.2)", "random", "0", False, "section 4.2.1 and the code: 0"
        ),
    ]


def is_around(value: float, figure: float) -> bool:
    """Return whether `around figure` is a fair word for a value: a quarter off at most."""
    return abs(value - figure) <= figure / 4


def claim(text: str, published: str, computed: str, holds: bool, note: str) -> dict[str, Any]:
    """Return a row for a statement of the text."""
    verdict = "equal" if holds else "wrong"
    return {"claim": text, "published": published, "computed": computed, "verdict": verdict, "note": note}
