"""The page of Sai's study."""

from ttt_fast.report.rows import markdown_table
from ttt_fast.studies.page import Rows, Tables, counts_text, made_by
from ttt_fast.studies.pictures import links
from ttt_fast.studies.sai.connect_four.page import sections
from ttt_fast.studies.sai.connect_four.part import Size
from ttt_fast.studies.sai.figures import TIC_TAC_TOE_FIGURES
from ttt_fast.studies.sai.published import TABLES


def page(parts: Tables, seeds: int, episodes: int, connect_four: Size, *, quick: bool) -> str:
    """Return the page as markdown.

    Parameters
    ----------
    parts
        The rows of each csv file by its name.
    seeds, episodes
        Training runs of each variant of the learner of tic-tac-toe, and games of each.
    connect_four
        What the Connect 4 part does.
    quick
        Whether it is the form for tests.
    """
    ours = {table.source for table in TABLES}
    cells = [row for row in parts["cells"] if row["source"] in ours]
    others = [row for row in parts["cells"] if row["source"] not in ours]
    return "\n".join(
        [
            _summary(cells, others, seeds, episodes, quick),
            _differences(seeds, episodes),
            _tables(parts, cells),
            _learner(parts),
            _searching(parts),
            *sections(parts, count_table(others), connect_four),
        ]
    )


def _summary(cells: Rows, others: Rows, seeds: int, episodes: int, quick: bool) -> str:
    return f"""# Sai: minimax and "tabular Q-learning" in tic-tac-toe and Connect 4

{made_by("sai", quick)}

The printed counts of all ten tables (the source's figures of the same numbers draw the same counts), against two
matches: **as described**, with what the text says mended, and **as coded**, the program with its defects.

- Tic-tac-toe (tables 1, 2, 3, 7 and 8), {len(cells)} counts, all probabilities exact: as described
  {counts_text(cells)}; as coded {counts_text(cells, "verdict_as_coded")}.
- Connect 4 (tables 4, 5, 6, 9 and 10), {len(others)} counts, from games that were played: as described
  {counts_text(others)}; as coded {counts_text(others, "verdict_as_coded")}.

A count is wrong where the distribution of its two halves, int(rounds / 2) games each, gives counts that are as
unlikely, or more, a probability below 1 in 2,000 (3.5 standard errors). The learner of tic-tac-toe was trained {seeds}
times for {episodes:,} games; its probabilities are exact for each run, and the distribution is the mean over the runs.
Connect 4 has its own section [below](#connect-4).
"""


def _differences(seeds: int, episodes: int) -> str:
    return f"""## Tic-tac-toe: differences from the source

1. The default opponent is not printed in the source. Described: it wins if it can, else blocks, else moves at random
   (skill 1). As coded: it notices a win, and then a block, with chance 0.01 each (skill 0.01), and is a random player.
2. The program that plays restores the learned values only: epsilon stays at the 0.9 of the constructor, so that nine
   moves in ten are random. Both readings stand below: epsilon 0.9, and 0.
3. Training writes a file a seat (policy-1 for X, policy-2 for O), and the program that plays loads one of them for both
   seats: in the other one it knows no board, and its greedy move is the last free cell. Which file the tables used is
   not said: the published counts below take X's for `as coded`; every reading has X's, O's, and both together.
4. The reward of a won game: `if result == 1: ...` is followed by a separate `if result == 2: ... else: ...`, so that a
   win of X is played back twice, with +1 and -1 and then with 0 and 0. `rewards mended` plays it back once.
5. Epsilon: `epsilon = max(0.3, epsilon - 0.000001 * i)` before game i adds up. `decay mended` falls by 0.000001 a
   game, to 0.3 at game 600,000 (12 % of the run). `exploration ends` falls to 0 in a straight line over the whole
   run, which the source does not do: it shows what the learner lacks.
6. The source trained once, for 5,000,000 games, with an unknown seed; here {seeds} runs of {episodes:,} games have the
   seeds 0 to {seeds - 1}, in a compiled kernel. Draws come from SplitMix64, with epsilon rounded to 1 / 2**24.
7. The numbers of wins and ties are not sampled here: the probabilities are exact, and the distribution of the counts
   in two halves is convolved from them.
8. Table 7 prints 5 ties of 5 rounds, though its halves are of 2 games: its share (1) is judged.
9. Time and memory: the same clock (seconds and the peak of tracemalloc a move, added up over a player's moves of a
   game, so that "max memory" grows with the length of the game) over plain Python players on a list of nine marks;
   the source uses a numpy board that looks for lines in all directions at each node. Times without tracing are beside
   them.
"""


def count_table(rows: Rows) -> str:
    """Return printed counts beside the described and the coded match, as markdown."""
    return markdown_table(
        [
            {
                "source": row["source"],
                "match": row["cell"],
                "count": row["quantity"],
                "published": row["published"],
                "95 %": f"{row['share_low']:.3f} to {row['share_high']:.3f}",
                "as described": f"{row['as_described']:.4f}",
                "sigmas": _sigmas(row["sigmas"]),
                "verdict": row["verdict"],
                "as coded": f"{row['as_coded']:.4f}",
                "expected": f"{row['low_as_coded']} to {row['high_as_coded']}",
                "off by": _sigmas(row["sigmas_as_coded"]),
                "verdict as coded": row["verdict_as_coded"],
            }
            for row in rows
        ]
    )


def _tables(parts: Tables, cells: Rows) -> str:
    reasons = {row["source"]: row["why"] for row in cells if row["why"]}
    told = "\n".join(f"- {source}: {why}." for source, why in reasons.items())
    readings = [
        {
            **{key: row[key] for key in ("source", "default_skill", "learner", "values", "epsilon")},
            **{key: f"{row[key]:.4f}" for key in ("first_wins", "second_wins", "ties", "sd_over_runs")},
            "p": f"{row['p_value']:.3g}",
            "verdict": row["verdict"],
        }
        for row in parts["readings"]
    ]
    return f"""## Published counts

`95 %` is the Wilson interval of the published share; `as described` and `as coded` are exact shares; `expected` holds
95 % of the exact distribution of the count as coded; `sigmas` and `off by` are distances in standard deviations.

{count_table(cells)}

{links(TIC_TAC_TOE_FIGURES, *(one.figure.name for one in TIC_TAC_TOE_FIGURES))}

Why the wrong ones are wrong:

{told}

## Every reading

Exact shares of first player's wins, second player's wins and ties, means over the training runs, with the largest
standard deviation over the runs; `p` is for the three counts together (three times the smallest, at most 1).

{markdown_table(readings)}

## Statements in the text

{markdown_table(parts["claims"])}
"""


def _learner(parts: Tables) -> str:
    strength = [
        {key: (f"{value:.4f}" if isinstance(value, float) else value) for key, value in row.items()}
        for row in parts["strength"]
    ]
    unbeaten = [
        row["unbeatable"] for row in parts["strength"] if row["learner"] in ("as coded", "and exploration ends")
    ]
    return f"""## What the reward bug does to the values

A certain win of X ends at the fixed point of V = 0.9 (V + 0.1 (0.9 - V)), which is 0.081 / 0.19 = 0.42632, and the
board before it, for O, at its negative; a certain win of O ends at 0.9 and -0.9, since gamma counts at the last step,
too. The published file of X's values ends at 0.42632 and -0.9, that of O's at 0.9. So X, as coded, fears a loss more
than twice as much as it wishes a win, and O the other way round.

{markdown_table(parts["extremes"])}

## What the learner is worth when it does not explore

Greedy play with the values of both seats: means over the runs, and the players that need no training. The source never
measured this. Its values are those of players that explore three moves in ten, which are not those of minimax: as
coded, {unbeaten[0]:.1%} of the runs end at a player that nobody can beat in either seat; where exploration ends,
{unbeaten[1]:.1%}. What the tables of the source show is not the learner but the exploration that was left on.

{markdown_table(strength)}
"""


def _searching(parts: Tables) -> str:
    rows = [
        {
            "source": row["source"],
            "player": row["player"],
            "opponent": row["opponent"],
            "seconds": f"{row['published_seconds']:g}",
            "bytes": f"{row['published_bytes']:.0f}",
            "own moves": f"{row['moves']:.4f}",
            "nodes": "" if row["nodes"] is None else f"{row['nodes']:,.2f}",
            "ms a node": "" if row["nodes"] is None else f"{row['milliseconds_per_node']:.3f}",
            "bytes a move": f"{row['bytes_per_move']:.0f}",
        }
        for row in parts["searches"]
    ]
    table_7 = [1.25 * row["milliseconds_per_node"] for row in parts["searches"] if row["source"] == "sai table 7"]
    return f"""## Time and memory of searching players against table players

Seconds and bytes a game as printed; own moves and nodes are exact expectations a game as coded (549,946 nodes from the
empty board without pruning, 18,297 with). The printed seconds follow the nodes, with and without pruning. Those of
table 7 are low by a fifth, as is right if 4 games were played and their sum divided by 5 rounds: times 5 / 4 they are
{table_7[0]:.3f} and {table_7[1]:.3f} ms a node. Pruning saves nodes, not depth: the memory is that of the depth.

{markdown_table(rows)}

Measured here: `timing.json`, seconds with and without tracing, summed and greatest peaks, of the same players in plain
Python; a table player looks up its few afterstates, a searching player visits the nodes above at every move.
"""


def _sigmas(value: float) -> str:
    return "impossible" if value == float("inf") else f"{value:.2f}"
