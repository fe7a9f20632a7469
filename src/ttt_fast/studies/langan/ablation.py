"""The effect of mending the defects of Langan's program one by one; learners against fixed players; and the speed."""

from collections.abc import Sequence

import numpy as np

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.strength import Agreement
from ttt_fast.games import api
from ttt_fast.policies.best_response import best_response
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.langan import published
from ttt_fast.studies.langan.plan import (
    AS_CODED,
    AS_WRITTEN,
    FROZEN,
    MEND_ALL,
    OVER_LEGAL,
    SELF_PLAY,
    TWINS,
    VARIANTS,
    Plan,
)
from ttt_fast.studies.langan.rows import Runs
from ttt_fast.studies.langan.runs import Run, Snapshot
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.sample import Sample
from ttt_fast.tables import ROOT

PLAYERS = ("player 1", "player 2")
PRINTED = "published"


def run_row(run: Run, snapshot: Snapshot) -> Row:
    """Return what one self-play run is worth at a checkpoint, exactly."""
    x, o = snapshot.policy(0), snapshot.policy(1)
    minimax, random = agent(published.MINIMAX), agent("random")
    game, first, second = exact_outcome(x, o), exact_outcome(x, minimax), exact_outcome(minimax, o)
    row: Row = {"mended": run.job.variant, "seed": run.job.seed, "episodes": snapshot.episodes}
    for learner, player in enumerate(("p1", "p2")):
        own, counted = snapshot.agreement(learner, own_turn=True), snapshot.agreement(learner)
        row[f"{player}_states"], row[f"{player}_agreeing"] = own.states, own.agreeing
        row[f"{player}_agreement"] = own.share
        row[f"{player}_counted_states"], row[f"{player}_counted_agreeing"] = counted.states, counted.agreeing
        row[f"{player}_counted_agreement"] = counted.share
    result = "X wins" if game.x_wins > 0.5 else ("O wins" if game.o_wins > 0.5 else "draw")
    return row | {
        "greedy_game": result,
        "p1_v_minimax_draws": first.draws,
        "minimax_v_p2_draws": second.draws,
        "p1_v_random_wins": exact_outcome(x, random).x_wins,
        "random_v_p2_wins": exact_outcome(random, o).o_wins,
    }


def ablation_runs(runs: Runs, plan: Plan) -> Rows:
    """Return a row for each self-play run at the lengths of the ablation, and at its end where that is later."""
    rows = []
    for mended in VARIANTS:
        for run in runs[SELF_PLAY, str(mended)]:
            lengths = {snapshot.episodes for snapshot in run.snapshots} & {*plan.ablation, run.last.episodes}
            if run.job.variant == AS_CODED:
                lengths -= set(plan.ablation[1:])
            rows += [run_row(run, run.at(episodes)) for episodes in sorted(lengths)]
    return sorted(rows, key=lambda row: row["episodes"])


def ablation_rows(per_run: Sequence[Row]) -> Rows:
    """Return the runs summed up by what was mended and for how long they ran."""
    rows = []
    for mended, episodes in dict.fromkeys((row["mended"], row["episodes"]) for row in per_run):
        group = [row for row in per_run if (row["mended"], row["episodes"]) == (mended, episodes)]
        row: Row = {"mended": mended, "episodes": episodes, "runs": len(group)}
        for player in ("p1", "p2"):
            for name in (f"{player}_agreement", f"{player}_counted_agreement"):
                sample = Sample(tuple(one[name] for one in group))
                row[name], row[f"{name}_sd"] = sample.mean, sample.sd
                row[f"{name}_low"], row[f"{name}_high"] = sample.mean_interval()
        row["perfect_runs"] = sum(one["p1_agreement"] == one["p2_agreement"] == 1.0 for one in group)
        for result in ("X wins", "draw", "O wins"):
            row[f"greedy: {result}"] = sum(one["greedy_game"] == result for one in group)
        for name in ("p1_v_minimax_draws", "minimax_v_p2_draws", "p1_v_random_wins", "random_v_p2_wins"):
            row[name] = float(np.mean([one[name] for one in group]))
        rows.append(row)
    return rows


def curve_rows(runs: Runs) -> Rows:
    """Return the agreement of every self-play run at every checkpoint, counted both ways."""
    rows = []
    for mended in VARIANTS:
        for run in runs[SELF_PLAY, str(mended)]:
            for snapshot in run.snapshots:
                for learner, player in enumerate(PLAYERS):
                    rows.append(
                        {
                            "mended": run.job.variant,
                            "player": player,
                            "seed": run.job.seed,
                            "episodes": snapshot.episodes,
                            "agreement": snapshot.agreement(learner, own_turn=True).share,
                            "agreement_as_counted": snapshot.agreement(learner).share,
                        }
                    )
    return rows


def twin_rows(runs: Runs) -> Rows:
    """Return whether mending B3 as well changes anything where B1 or B2 is left."""
    rows = []
    for mended, twin in TWINS.items():
        run, other = runs[SELF_PLAY, str(mended)][0], runs[SELF_PLAY, str(twin)][0]
        shared = [one.episodes for one in run.snapshots if one.episodes in {two.episodes for two in other.snapshots}]
        same = all(np.array_equal(run.at(at).actions, other.at(at).actions) for at in shared)
        same = same and all(np.array_equal(run.at(at).seen, other.at(at).seen) for at in shared)
        rows.append(
            {"mended": str(mended), "like": str(twin), "episodes": shared[-1], "same at every checkpoint": same}
        )
    return rows


def minimax_rows(runs: Runs) -> Rows:
    """Return the learners of table 1: as coded, with a maximum over legal actions, as the report says; and as printed.

    At every checkpoint; each learner's last row is the end of its runs.
    """
    rows = []
    for variant in (AS_CODED, OVER_LEGAL, AS_WRITTEN):
        group = runs[published.MINIMAX, variant]
        for snapshot in group[0].snapshots:
            agreed = [run.at(snapshot.episodes).agreement() for run in group]
            row = _agreement_row(variant, snapshot.episodes, agreed)
            if snapshot is group[0].last:
                row["disagreeing"] = sum(run.evidence[0].disagreeing for run in group)
                row["of them all zero"] = sum(run.evidence[0].disagreeing_all_zero for run in group)
            rows.append(row)
    for episodes in published.MINIMAX_EPISODES:
        printed = {
            cell.quantity: round(cell.value)
            for cell in published.LEARNED_CELLS
            if cell.x == published.q_minimax_after(episodes) and cell.quantity in ("states", "agreeing")
        }
        rows.append(_agreement_row(PRINTED, episodes, [Agreement(printed["agreeing"], printed["states"])]))
    return rows


def _agreement_row(learner: str, episodes: int, agreed: Sequence[Agreement]) -> Row:
    states, share = Sample([float(one.states) for one in agreed]), Sample([one.share for one in agreed])
    return {
        "learner": learner,
        "episodes": episodes,
        "runs": len(agreed),
        "states": states.mean,
        "states_sd": states.sd,
        "agreement": share.mean,
        "agreement_sd": share.sd,
        "runs at 100 %": sum(one.share == 1.0 for one in agreed),
        "disagreeing": None,
        "of them all zero": None,
    }


def length_rows(runs: Runs) -> Rows:
    """Return what training against the flawed players gives after various lengths, as coded."""
    rows = []
    for opponent in (published.BUGGY, published.BUGGY2, FROZEN):
        group = runs[opponent, AS_CODED]
        best = float(best_response(agent(opponent), api.X).value[ROOT])
        for snapshot in group[0].snapshots:
            ends = [run.at(snapshot.episodes) for run in group]
            matches = [exact_outcome(end.policy(), agent(opponent)) for end in ends]
            wins = Sample([match.x_wins for match in matches])
            agreed = [end.agreement() for end in ends]
            rows.append(
                {
                    "opponent": opponent,
                    "episodes": snapshot.episodes,
                    "runs": len(group),
                    "states": float(np.mean([one.states for one in agreed])),
                    "agreement": float(np.mean([one.share for one in agreed])),
                    "wins": wins.mean,
                    "wins_sd": wins.sd,
                    "fewest wins": min(match.x_wins for match in matches),
                    "runs at the best possible": sum(match.score > best - 1e-9 for match in matches),
                    "best possible": best,
                    "wins v random": float(
                        np.mean([exact_outcome(end.policy(), agent("random")).x_wins for end in ends])
                    ),
                }
            )
    return rows


def evidence_rows(runs: Runs) -> Rows:
    """Return the traces that the defects leave in the tables, the worst of all runs of a kind."""
    rows = []
    for mended in (VARIANTS[0], MEND_ALL):
        group = runs[SELF_PLAY, str(mended)]
        for learner, player in enumerate(PLAYERS):
            found = [run.evidence[learner] for run in group]
            rows.append(
                {
                    "mended": str(mended),
                    "table": player,
                    "runs": len(group),
                    "rows of the opponent's turn": max(one.opponent_rows for one in found),
                    "of them not all zero": max(one.nonzero_opponent_rows for one in found),
                    "values of actions that do not win at once": max(one.nonzero_elsewhere for one in found),
                    "negative values": max(one.negative for one in found),
                }
            )
    return rows


def search_rows() -> Rows:
    """Return how many positions a full search visits in a game, exactly, and what that makes of the 660 minutes."""
    table = ordinary_table()
    size = np.ones(table.num_states, np.int64)  # positions of the tree below and with a board, without any sharing
    for state in range(table.num_states - 1, -1, -1):
        children = table.child[state][table.legal_action_mask[state]]
        size[state] += int(size[children].sum())
    rows = []
    minimax, random = published.MINIMAX, "random"
    for x, o in ((minimax, random), (random, minimax), (minimax, minimax)):
        reach = exact_outcome(agent(x), agent(o)).reach
        searches = np.zeros(table.num_states, np.bool_)
        for seat, spec in ((api.X, x), (api.O, o)):
            searches |= (table.player == seat) & (spec == minimax)
        visited = float((reach * (size - 1))[searches].sum())
        seconds = published.MINUTES_WITH_MINIMAX * 60 / published.GAMES
        rows.append(
            {
                "x": "Minimax" if x == minimax else "Random",
                "o": "Minimax" if o == minimax else "Random",
                "positions a game": round(visited),
                "published milliseconds a game": round(seconds * 1e3),
                "nanoseconds a position": round(seconds / visited * 1e9),
            }
        )
    return rows
