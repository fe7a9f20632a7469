"""The Connect 4 half of Sai's page."""

from collections.abc import Iterable

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.page import Tables, number_text, share_text
from ttt_fast.studies.pictures import links
from ttt_fast.studies.sai.connect_four.part import Size
from ttt_fast.studies.sai.connect_four.truth import FIRST_PLY
from ttt_fast.studies.sai.connect_four.usage import GAMES_BEFORE_THE_CLOCK
from ttt_fast.studies.sai.connect_four.values import LOST_AS_CODED, WON_AS_CODED, X_WON
from ttt_fast.studies.sai.figures import CONNECT_FOUR_FIGURES, FIGURES


def sections(parts: Tables, counts: str, size: Size) -> list[str]:
    """Return the sections as markdown.

    Parameters
    ----------
    parts
        The rows of each csv file by its name.
    counts
        The printed counts as a table.
    size
        How much was done.
    """
    return [_differences(size), _counts(parts, counts), _learner(parts), _truth(parts, size), _searching(parts)]


def _differences(size: Size) -> str:
    effort = size.effort
    return f"""## Connect 4

Differences from the source:

1. The board. The program's `dimensions=(6, 7)` are six columns of seven cells; the text has the usual seven columns of
   six. As coded: 6 columns of 7; as described: 7 columns of 6.
2. The reward. As coded, every decided game is played back to X's boards as a win and then as a loss, whoever has won,
   and a win of X twice more with 0; O's boards are never updated, and the published file of O's values is empty.
   `rewards mended`: each player learns its own result. `corrected`: besides, the board of the text and epsilon as
   section 4.2.1 has it, 0.000001 less a game (0.3 at game 600,000). `exploration ends`: to 0 over the run.
3. The default opponent notices a win, then a block, with chance 1 as described and 0.01 each as coded, in the first
   such column, and moves at random otherwise.
4. The program that plays loads the values of one seat and keeps epsilon 0.9. As coded: X's values; as described: both
   seats' values, greedily. Every reading stands below. Equal values: the last column.
5. Minimax looks five plies ahead, has no evaluation, and takes the first of equal columns (it does not prefer quick
   wins). A full board that comes before the horizon is worth minus infinity as coded, whoever moves: X would rather
   lose than draw, O rather draw than win, and where X can reach nothing else the program stops with a KeyError. Such
   games are left out of the counts, and counted below. As described: a draw is worth 0.
6. The source trained once, for 1,000,000 games in 12 hours, with an unknown seed; here {effort.seeds} runs of
   {effort.episodes:,} games of each variant have the seeds 0 to {effort.seeds - 1}, in a compiled kernel over a hash
   table; the seconds of each are in `timing.json`.
7. These matches are too large for exact probabilities. They are played: {2 * size.pairs:,} games of minimax against the
   default opponent ({2 * size.pairs_unpruned:,} without pruning), {2 * effort.pairs:,} games of each learner in each
   reading, half of them begun by each. The distribution of a printed count takes the sampling error of these games in
   (beta-binomial, Jeffreys' prior), and is the mean over the runs. Matches that always go the same way (`exact`) were
   played once in each seat.
8. The truth beside the samples: from {FIRST_PLY} stones on positions are solved, for every legal move in
   {size.decisions} decisions of each player.
9. Table 4 prints 5 wins of 5 rounds, though its halves are of 2 games: its share (1) is judged. Table 9 prints 2 and 2.
10. Time and memory: the same clock over plain Python players on a list of 42 marks, which look through the 69 lines of
    four at each node; the learner's dictionary is that of {GAMES_BEFORE_THE_CLOCK:,} games, since its size slows no
    look-up. The compiled players' seconds a game stand beside them.
"""


def _counts(parts: Tables, counts: str) -> str:
    reasons = {row["source"]: row["why"] for row in parts["cells"] if row["why"]}
    own = {row["source"] for row in parts["connect_four_readings"]}
    told = "\n".join(f"- {source}: {why}." for source, why in reasons.items() if source in own)
    readings = [
        {
            **{key: row[key] for key in ("source", "board", "default_skill", "learner", "values", "epsilon", "how")},
            **{key: f"{row[key]:.4f}" for key in ("first_wins", "second_wins", "ties", "sd_over_runs")},
            "p": f"{row['p_value']:.3g}",
            "verdict": row["verdict"],
        }
        for row in parts["connect_four_readings"]
    ]
    return f"""### Published counts

As above, with shares of the games played; `expected` holds 95 % of what such a match gives.

{counts}

{links(CONNECT_FOUR_FIGURES, *(one.figure.name for one in CONNECT_FOUR_FIGURES))}

Why the wrong ones are wrong:

{told}

### Every reading of the Connect 4 tables

{markdown_table(readings)}

### Statements about Connect 4

{markdown_table(parts["connect_four_claims"])}
"""


def _learner(parts: Tables) -> str:
    values = [
        {key: number_text(value, 0 if key == "boards a run" else 4) for key, value in row.items()}
        for row in parts["connect_four_values"]
    ]
    won = next(row for row in parts["connect_four_values"] if row["boards of"] == X_WON)
    above = share_text(won["above 0"])
    return f"""### What the mis-credited rewards do to the values

A certain loss of X ends at the fixed point of V = 0.9 (0.9 V + 0.09) - 0.09, which is {LOST_AS_CODED:.4f}; a certain
win of X at that of V = 0.81 (0.81 V - 0.009), which is {WON_AS_CODED:.4f}. So a win of X, once it has happened, counts
less than a board that was never met, which counts 0: of the boards on which X has won, as coded a share of {above} has
a value above 0. The greedy player as coded shuns the wins that it knows. (Lowest and highest of all runs.)

{markdown_table(values)}

{links(FIGURES, "connect-four-learning")}
"""


def _truth(parts: Tables, size: Size) -> str:
    strength = [
        {
            "player": row["player"],
            "board": row["board"],
            "games": row["games"],
            **{key: share_text(row[key]) for key in _shares(row)},
        }
        for row in parts["connect_four_strength"]
    ]
    kept = [
        {
            **{key: row[key] for key in ("player", "board", "decisions", "open decisions")},
            "kept": share_text(row["kept"]),
            "95 %": f"{row['kept_low']:.3f} to {row['kept_high']:.3f}",
            "kept by chance": share_text(row["kept by chance"]),
        }
        for row in parts["connect_four_truth"]
    ]
    return f"""### What the players are worth

Games against the default opponent, seats split, learners greedy with all their values; and, in games against the one
that notices everything, decisions from {FIRST_PLY} stones on, at most {size.decisions} of each player, held against the
exact value. `open` are those in which some legal moves keep the value (win, draw, loss) and some do not; `kept by
chance` is what a random choice would keep of them. Players meet different positions: compare each with its own chance.

{markdown_table(strength)}

{links(FIGURES, "connect-four-strength")}

{markdown_table(kept)}

{links(FIGURES, "connect-four-kept")}
"""


def _shares(row: Iterable[str]) -> list[str]:
    return [key for key in row if " v default" in key and not key.endswith((" low", " high"))]


def _searching(parts: Tables) -> str:
    rows = [
        {
            "source": row["source"],
            "player": row["player"],
            "opponent": row["opponent"],
            "seconds": f"{row['published_seconds']:g}",
            "bytes": f"{row['published_bytes']:.0f}",
            "own moves": f"{row['moves']:.2f}",
            "nodes": "" if row["nodes"] is None else f"{row['nodes']:,.0f}",
            "ms a node": "" if row["nodes"] is None else f"{row['milliseconds_per_node']:.2f}",
            "bytes a move": f"{row['bytes_per_move']:.0f}",
        }
        for row in parts["connect_four_searches"]
    ]
    return f"""### Time and memory in Connect 4

Seconds and bytes a game as printed; own moves and nodes a game are means of the games as coded. The printed seconds and
bytes of tables 4 and 9 are low by a fifth if 4 games were played and their sum divided by 5 rounds, as in table 7.

{markdown_table(rows)}
"""
