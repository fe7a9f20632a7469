"""The statements of Langan's report in words, beside the findings of the runs and the exact values."""

from collections.abc import Sequence

import numpy as np

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.statistics import two_proportion_z_test
from ttt_fast.games import api
from ttt_fast.policies.files.langan import CELL_OF_ACTION
from ttt_fast.policies.q_policy import greedy_policy
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.langan import published
from ttt_fast.studies.langan.emulation import Mended
from ttt_fast.studies.langan.plan import AS_CODED, FROZEN, MEND_ALL, OVER_LEGAL, SELF_PLAY
from ttt_fast.studies.langan.rows import Players, Runs, best_against
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.sample import Sample

RIGHT, WRONG, INCOMPLETE = "right", "wrong", "incomplete"


def claim_rows(runs: Runs, players: Players, ablation: Sequence[Row], lengths: Sequence[Row]) -> Rows:
    """Return the claims: where, what is claimed, what was found, verdict and reason."""
    return [
        *_minimax_claims(runs),
        *_self_play_claims(runs, ablation),
        *_opponent_claims(players, lengths),
        _generalisation_claim(players),
        *_other_claims(),
    ]


def _row(section: str, claim: str, found: str, verdict: str, reason: str) -> Row:
    return {"section": section, "claim": claim, "found": found, "verdict": verdict, "reason": reason}


def _minimax_claims(runs: Runs) -> Rows:
    table = ordinary_table()
    coded, legal = runs[published.MINIMAX, AS_CODED], runs[published.MINIMAX, OVER_LEGAL]
    wrong = sum(run.evidence[0].disagreeing for run in coded)
    zero = sum(run.evidence[0].disagreeing_all_zero for run in coded)
    perfect = sum(run.last.agreement().share == 1.0 for run in legal)
    reach = exact_outcome(coded[0].last.policy(), agent(published.MINIMAX)).reach
    held = coded[0].last.seen[0] & (table.player == api.X)
    reached, rows = int((held & (reach > 0)).sum()), int(held.sum())
    none = sum(run.last.agreement().share == 1.0 for run in coded)
    first_free = greedy_policy(table, np.zeros(table.num_edges), "first free cell", tie=CELL_OF_ACTION)
    lowest = exact_outcome(first_free, agent("random")).x_wins
    random = exact_outcome(agent("random"), agent("random")).x_wins
    return [
        _row(
            "6.1",
            "a possible explanation of the states that disagree: they were only reached by exploring",
            f"greedy play reaches {reached} of {rows} rows, all others are reached by exploring only; {zero:,} of the"
            f" {wrong:,} disagreeing rows of {len(coded)} runs are all zero; over legal actions {perfect} of"
            f" {len(legal)} runs agree in all rows",
            WRONG,
            "true of these states, as of nearly all, but not the cause: B3 keeps the moves into a lost position at 0",
        ),
        _row(
            "6.1",
            "it is possible that 100 % agreement would never be achieved",
            f"{none} of {len(coded)} runs as coded, {perfect} of {len(legal)} with a maximum over legal actions",
            RIGHT if none == 0 else WRONG,
            "of this program; with a maximum over legal actions, as Q-learning is defined, it is reached",
        ),
        _row(
            "4.4, 6.1",
            "in a state that it has not seen it acts arbitrarily, no better than a random player",
            f"first free cell v random wins {lowest:.6f}, random v random {random:.6f} (both exact, as X)",
            WRONG,
            "an unseen row counts as zeros and the first of equal actions is taken, from the bottom left",
        ),
    ]


def _self_play_claims(runs: Runs, ablation: Sequence[Row]) -> Rows:
    coded = [row for row in ablation if row["mended"] == str(Mended())]
    mended = [row for row in ablation if row["mended"] == str(MEND_ALL)][-1]
    won = sum(row["greedy: X wins"] for row in coded)
    total = sum(row["runs"] for row in coded)
    evidence = [one for run in runs[SELF_PLAY, str(Mended())] for one in run.evidence]
    elsewhere = sum(one.nonzero_elsewhere for one in evidence)
    negative = sum(one.negative for one in evidence)
    return [
        _row(
            "6.2",
            "player 1 consistently beats player 2 after self-play",
            f"{won} of {total} greedy games as coded are X wins",
            RIGHT if won == total else INCOMPLETE,
            "of the program, not of the game: both play the first free cell, and X completes a diagonal at ply 7",
        ),
        _row(
            "6.2, 7",
            "a property of tic-tac-toe, a local maximum, or insufficient tuning",
            f"{mended['perfect_runs']} of {mended['runs']} runs agree with minimax in all rows of both players after"
            f" {mended['episodes']:,} episodes at the same hyperparameters; {mended['greedy: draw']} draw",
            WRONG,
            f"three defects of the program; as coded, {elsewhere} values but those of winning moves differ from 0 and"
            f" {negative} are negative, in {len(evidence)} tables",
        ),
        _row(
            "4.3, figure 3",
            "no further changes are required to enable self-play: s' holds both players' moves",
            "s' is the board after the learner's own move",
            WRONG,
            "B1: true of training against a fixed player, where the reply is part of the step; not of self-play",
        ),
    ]


def _opponent_claims(players: Players, lengths: Sequence[Row]) -> Rows:
    def at(opponent: str, index: int) -> Row:
        return [row for row in lengths if row["opponent"] == opponent][index]

    frozen, buggy = at(FROZEN, 0), at(published.BUGGY, 0)
    buggy2 = [row for row in lengths if row["opponent"] == published.BUGGY2]
    settled = buggy2[len(buggy2) // 2 :]
    at_best, looked = (sum(row[name] for row in settled) for name in ("runs at the best possible", "runs"))
    random_runs = players.coded[published.Q_RANDOM]
    best = exact_outcome(best_against("random"), agent("random")).x_wins
    wins = [exact_outcome(policy, agent("random")).x_wins for policy in random_runs]
    lost = sum(exact_outcome(policy, agent(published.MINIMAX)).o_wins > 0 for policy in random_runs)
    ours = min(
        exact_outcome(policy, agent(published.BUGGY2)).x_wins for policy in players.corrected[published.Q_BUGGY2]
    )
    return [
        _row(
            "6.3.1",
            "100 % wins against the random player with a fixed seed after fewer than 5,000 episodes",
            f"{frozen['runs at the best possible']} of {frozen['runs']} runs at {frozen['episodes']:,} episodes",
            RIGHT if frozen["runs at the best possible"] == frozen["runs"] else INCOMPLETE,
            "of the player that the text describes, with one fixed move a board; the program seeds a stream of draws"
            " once a process instead, so that the same board gets different moves",
        ),
        _row(
            "6.3.2",
            "100 % wins against buggy after fewer than 5,000 episodes",
            f"{buggy['runs at the best possible']} of {buggy['runs']} runs at {buggy['episodes']:,} episodes",
            RIGHT if buggy["runs at the best possible"] == buggy["runs"] else INCOMPLETE,
            "a matter of the seed at that length",
        ),
        _row(
            "6.3.1, 7",
            "Q_random plays optimally, as well or better in every test",
            f"{sum(win > best - 1e-9 for win in wins)} of {len(wins)} runs reach the best possible {best:.6f} wins v"
            f" random; {lost} can lose to minimax",
            INCOMPLETE,
            "better than minimax v random, but 0.98966 is below 191/192, and a constant step size leaves the end of a"
            " run to chance; a falling step size ends at 191/192 every time (corrected)",
        ),
        _row(
            "6.3.2",
            "Q_buggy2 reaches 74.99 % wins, a 100 % win rate being out of reach",
            f"the best possible is 5/6; from {settled[0]['episodes']:,} episodes on, runs as coded stand there at"
            f" {at_best} of {looked} checkpoints; ours never below {ours:.6f}",
            INCOMPLETE,
            "at a constant step size the estimates of lines worth 3/4 and 5/6 keep swinging past each other, and the"
            " end of a run is the toss of a coin; a falling step size settles it",
        ),
    ]


def _generalisation_claim(players: Players) -> Row:
    general = {
        name: Sample(tuple(exact_outcome(policy, agent("random")).x_wins for policy in players.coded[name]))
        for name in (published.Q_BUGGY, published.Q_BUGGY2)
    }
    first, second = general[published.Q_BUGGY], general[published.Q_BUGGY2]
    return _row(
        "6.3.2",
        "Q_buggy2 generalises slightly worse than Q_buggy, a matter of its strategy",
        f"wins v random: {first.mean:.4f} ± {first.sd:.4f} ({len(first.values)} runs) and {second.mean:.4f} ±"
        f" {second.sd:.4f} ({len(second.values)} runs)",
        RIGHT if first.mean_interval()[0] > second.mean_interval()[1] else INCOMPLETE,
        "on average; with such a spread over seeds, two single runs show little",
    )


def _other_claims() -> Rows:
    test = published.Z_TEST
    z = two_proportion_z_test(int(test["wins"]), int(test["games"]), int(test["other_wins"]), int(test["games"]))
    ratio = published.MINUTES_WITH_MINIMAX / published.MINUTES_WITHOUT
    return [
        _row(
            "table 1",
            "498 of 521 states are 95.58 %",
            f"{498 / 521:.4%}",
            WRONG,
            "cut off instead of rounded: 95.59 %; the other percentages of tables 1, 3 and 4 are rounded",
        ),
        _row(
            "6.3.1",
            f"z = {test['published_z']:.2f}, p < 1e-16",
            f"z = {z.z:.2f}, p {'= ' + format(z.p_value, '.1g') if z.p_value else '< 1e-300'}",
            RIGHT if f"{z.z:.2f}" == f"{test['published_z']:.2f}" and z.p_value < 1e-16 else WRONG,
            "two proportions, pooled variance",
        ),
        _row(
            "6.4",
            f"660 minutes against 0.05 minutes: in the region of {published.PUBLISHED_RATIO:,} times faster",
            f"{ratio:,.0f} times",
            RIGHT,
            "a search of the whole game tree at every move, without memory, against a look-up; a table holds minimax"
            " too, so that the comparison is one of searching with looking up, not of minimax with learning",
        ),
    ]
