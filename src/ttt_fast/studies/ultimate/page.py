"""The page of Bichot's study."""

from collections.abc import Iterable
from textwrap import fill
from typing import Any, Final

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.page import Row, Rows, Tables, counts_text, made_by, p_text, verdict_counts
from ttt_fast.studies.pictures import links
from ttt_fast.studies.ultimate.figures import FIGURES
from ttt_fast.studies.ultimate.plan import CODED, MENDED, READINGS, TARGETS, UCT, Size
from ttt_fast.studies.ultimate.players import OURS
from ttt_fast.studies.ultimate.published import AGENTS, DQN, GAMES, PRINTED
from ttt_fast.studies.ultimate.tables import FIGURE, LATER, NOISE_P, TABLE, agent_rows

_MATRIX: Final = {
    "published": "Printed", "as_coded": "As coded", "corrected": "Corrected",
}  # fmt: skip


def page(parts: Tables, size: Size, *, quick: bool) -> str:
    """Return the page as markdown.

    Parameters
    ----------
    parts
        The rows of each csv file by its name.
    size
        Numbers of games.
    quick
        Whether it is the form for tests.
    """
    return "\n".join(
        [
            _summary(parts, size, quick),
            _differences(size),
            _figure_5(parts, size),
            _table_1(parts, size),
            _statements(parts),
            _defects(parts, size),
            _strength(parts, size),
        ]
    )


def _of(rows: Iterable[Row], source: str) -> Rows:
    return [row for row in rows if row["source"] == source]


def _interval(row: Row, name: str, digits: int = 3) -> str:
    if row.get(name) is None:
        return ""
    return f"{row[name]:.{digits}f} ({row[f'{name}_low']:.{digits}f} to {row[f'{name}_high']:.{digits}f})"


def _filled(text: str, hanging: str = "") -> str:
    return fill(" ".join(text.split()), 120, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _summary(parts: Tables, size: Size, quick: bool) -> str:
    figure, table = _of(parts["cells"], FIGURE), _of(parts["cells"], TABLE)
    coded, mended = (
        f"All {row['cells']} cells without the DQN together: chi-square {row['chi_square']:.1f} where"
        f" {row['expected']:.1f} is expected, {p_text(row['p'])}."
        for row in parts["fit"]
    )
    later, reached = verdict_counts(figure)[LATER], verdict_counts(parts["strength"]).get("reached", 0)
    paragraphs = [
        _filled(f"""Every printed number of Fig. 5 ({len(figure)} scores) and of Table I ({len(table)} win rates),
            played twice:"""),
        _filled(f"""- **as coded**, with the published program's duplicated moves, cut-off ties and formula, and the
            agent of the row always first: {size.coded:,} games a cell. Fig. 5: {counts_text(figure)}. Table I:
            {counts_text(table)}. {coded}""", "  ")
        + "\n"
        + _filled(f"""- **corrected**, with these defects mended and the seats swapped from game to game:
            {size.corrected:,} games a pair. Fig. 5: {counts_text(figure, "verdict_corrected")}. Table I:
            {counts_text(table, "verdict_corrected")}. {mended}""", "  "),
        _filled(f"""**The DQN's row and column are left for a later version**: {later} of the {len(figure)} scores have
            the verdict `{LATER}`."""),
        _filled(f"""Of our {len(parts["strength"])} contests {reached} reach their target with the whole interval: MCTS
            with its best options is to score at least {TARGETS[UCT]:.0%} against plain UCT with as many simulations,
            and `{OURS}` at least {TARGETS[CODED]:.0%} against each agent of the source, as coded and corrected."""),
        _filled(f"""A cell is wrong where the exact chi-square test between the published {GAMES} games and ours (wins,
            draws, losses; in Table I wins and the rest), given both sizes, has p below {NOISE_P:.2g} (3.5 standard
            errors)."""),
    ]  # fmt: skip
    head = f"# Bichot: minimax and MCTS in Ultimate tic-tac-toe\n\n{made_by('ultimate', quick)}\n"
    return head + "".join(f"\n{one}\n" for one in paragraphs)


def _differences(size: Size) -> str:
    return f"""## Differences from the source

1. Duplicated moves: on a free move (but not on the first of a game) the published program lists each open board once
   for each of its free cells, so that a list can have 565 moves. Its random moves, the children in its trees and its
   ties are weighted so. As coded keeps this; corrected lists a move once.
2. MCTS: the printed formula is UCB1, w / n + c sqrt(ln N / n); the program has w / n + sqrt(2 ln(N / n)). As coded has
   the program's (and its choice of the last of the most visited moves), corrected the printed one with c = sqrt(2).
3. Minimax draws among the root moves that its pruned search returns as equal, although a move that was cut off returns
   only a bound. As coded keeps this; corrected searches so that equal values are equal.
4. The row's agent made the first move in all games, and cells below the diagonal are mirrors of those above: they have
   no games of their own. As coded does the same; corrected swaps the seats from game to game, half of the games each.
   On the diagonal, where the two are one, both are the first player's results.
5. What is a choice and no defect stays in both: a position with more than nine (listed) moves costs two plies, so that
   5-step minimax looks four plies ahead at its first move; a leaf is the sum of the rewards along its line; and the
   rewards as coded, which are not those printed (only marks outside of pairs count, lines by distinct completing cells,
   a won board 20 times). What two of these choices do is measured below.
6. Table I: c is no parameter of the program. c = sqrt(2) is taken for the formula as it stands, other c scale its root.
   The source does not say who began: the cells below take minimax, as in Fig. 5; {len(READINGS)} readings are compared.
7. The source plays {GAMES} games a cell with an unknown seed. Here every game has random streams of its own, by part,
   cell, game and side, all of seed 0 (SplitMix64). Readings have {size.readings:,} games, c corrected {size.tuned:,}.
8. Seconds a move are in `timing.json`; the source's agents are Python, ours compiled.
9. The printed scores come from counts that were rounded to pixels; the counts are in the source's repository, and are
   what is tested.

How the agents are spelled (`ttt-fast match --game ultimate` takes them, but for duplicated moves):

{markdown_table(agent_rows())}
"""


def _matrix(rows: Rows, name: str) -> str:
    cells = {(row["row"], row["column"]): row for row in rows}
    table = []
    for agent in AGENTS:
        line: dict[str, Any] = {"": agent}
        for other in AGENTS:
            row = cells[agent, other]
            if name == "published":
                line[other] = row["published"]
            else:
                line[other] = "later" if DQN in (agent, other) else f"{100 * row[name]:.1f}"
        table.append(line)
    return markdown_table(table)


def _figure_5(parts: Tables, size: Size) -> str:
    rows = _of(parts["cells"], FIGURE)
    matrices = "\n\n".join(f"{title}:\n\n{_matrix(rows, name)}" for name, title in _MATRIX.items())
    played = [row for row in rows if row["first_mover"] == row["row"]]
    fit = [
        {key: (f"{value:.4g}" if isinstance(value, float) else value) for key, value in row.items()}
        for row in parts["fit"]
    ]
    ratings = [
        {key: f"{value:.0f}" if isinstance(value, float) else value for key, value in row.items()}
        for row in parts["ratings"]
    ]
    return f"""## Fig. 5

Scores in %, the agent of the row against that of the column.

{matrices}

{links(FIGURES, "figure-5")}

Which program made the figure: Pearson's statistics of all cells added up, and what the exact distribution expects.

{markdown_table(fit)}

The {len(played)} matches that were played; the {len(PRINTED) - len(played)} other scores are their mirrors (`cells.csv`
has a row for each). Scores with 95 % intervals; `chi-square`, `expected` and `p` are of the test between the published
counts and ours as coded ({size.coded:,} games).

{markdown_table([_match(row) for row in played])}

## Ratings

Elo of all games between different agents (Bradley and Terry), without the DQN; `random` is 0. Where one side wins
nearly always, ratings say little: one drawn game is added to each pair.

{links(FIGURES, "ratings")}

{markdown_table(ratings)}
"""


def _match(row: Row) -> Row:
    counts = f"{row['published_wins']}/{row['published_draws']}/{row['published_losses']}"
    told: Row = {"match": row["cell"], "printed": row["published"], "w/d/l": counts}
    if row["verdict"] == LATER:
        empty = dict.fromkeys(("as coded", "chi-square", "expected", "p"), "")
        return told | empty | {"verdict": LATER, "corrected": "", "p corrected": "", "verdict corrected": LATER}
    return told | {
        "as coded": _interval(row, "as_coded"), "chi-square": f"{row['chi_square']:.2f}",
        "expected": f"{row['expected']:.2f}", "p": f"{row['p']:.3g}", "verdict": row["verdict"],
        "corrected": _interval(row, "corrected"), "p corrected": f"{row['p_corrected']:.3g}",
        "verdict corrected": row["verdict_corrected"],
    }  # fmt: skip


def _table_1(parts: Tables, size: Size) -> str:
    cells = [
        {
            "c": row["cell"].rpartition("c = ")[2], "published": row["published"],
            "as coded": _interval(row, "as_coded"), "p": f"{row['p']:.3g}", "verdict": row["verdict"],
            "corrected": _interval(row, "corrected"), "p corrected": f"{row['p_corrected']:.3g}",
            "verdict corrected": row["verdict_corrected"],
        }
        for row in _of(parts["cells"], TABLE)
    ]  # fmt: skip
    readings = [
        {
            "reading": row["reading"], "c": row["c"], "published": row.get("published", ""),
            "wins": f"{row['wins']:.3f}" if "wins" in row else "", "score": f"{row['score']:.3f}"
            if "score" in row else "", "games": row.get("games", ""), "chi-square": f"{row['chi_square']:.2f}",
            "expected": f"{row['expected']:.2f}", "p": f"{row['p']:.3g}", "verdict": row["verdict"],
        }
        for row in parts["readings"]
    ]  # fmt: skip
    tuned = [
        {"c": row["c"], "wins": _interval(row, "wins"), "score": _interval(row, "score"), "games": row["games"]}
        for row in parts["exploration"]
    ]
    return f"""## Table I

Games won, in % as published, by MCTS with 500 iterations against 5-step minimax, with 95 % intervals; as coded
{size.coded:,} games a cell.

{markdown_table(cells)}

{links(FIGURES, "table-1")}

Every reading of the table (what c scales, and who begins), as coded:

{markdown_table(readings)}

Corrected, and with more values of c:

{markdown_table(tuned)}
"""


def _statements(parts: Tables) -> str:
    games = [
        {key: row[key] for key in ("first", "second", "winner", "plies")} for row in parts["deterministic"]
    ]  # fmt: skip
    ties = [
        {key: f"{value:.4f}" if isinstance(value, float) else value for key, value in row.items()}
        for row in parts["ties"]
    ]
    seats = [
        {"agent": row["agent"], **{word: _interval(row, name) for name, word in _FORMS.items()}}
        for row in parts["first_player"]
    ]
    return f"""## Statements in the text

{markdown_table(parts["claims"])}

The first player's score of an agent against itself:

{markdown_table(seats)}

{links(FIGURES, "first-player")}

The one game of each pair without randomness (the first of the best moves):

{markdown_table(games)}

How often the ties of the published minimax hold a move that is worse by the agent's own values, at random positions:

{markdown_table(ties)}
"""


_FORMS: Final = {"published": "published", "as_coded": "as coded", "corrected": "corrected"}


def _contests(rows: Iterable[Row], *names: str) -> str:
    return markdown_table([
        {
            **{name: row[name] for name in names}, "games": row["games"],
            "w/d/l": f"{row['wins']}/{row['draws']}/{row['losses']}", "score": _interval(row, "score"),
            "as first": f"{row['as_first']:.3f}", "as second": f"{row['as_second']:.3f}", "verdict": row["verdict"],
        }
        for row in rows
    ])  # fmt: skip


def _defects(parts: Tables, size: Size) -> str:
    return f"""## What each defect does

One thing changed, against the same agent without the change: {size.defects:,} games each, seats swapped. The exact
agents are in `defects.csv`.

{links(FIGURES, "defects")}

{_contests(parts["defects"], "change")}
"""


def _strength(parts: Tables, size: Size) -> str:
    rows = list(parts["strength"])
    return f"""## How strong is our search

{size.ours:,} games each, seats swapped. `reached`: the whole 95 % interval is above the target (60 % against plain UCT,
65 % against the agents of the source); `not proved`: the score is, the interval is not.

MCTS with its best options (c = 0.5, rollouts that win or block, proofs, the tree kept) against plain UCT with
c = sqrt(2) and as many simulations a move:

{links(FIGURES, "strength-uct")}

{_contests([row for row in rows if row["version"] == UCT], "agent", "opponent")}

`{OURS}` against every agent of the source but the DQN:

{links(FIGURES, "strength")}

{_contests([row for row in rows if row["version"] in (CODED, MENDED)], "opponent", "version")}
"""
