"""The measures of Langan's study: emulated runs against fixed players and in self-play, as coded and mended."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np

from ttt_fast import Policy, agreement, exact_outcome, never_loses
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.judging import readings_of
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.langan import exact, players
from ttt_fast.studies.langan.emulation import EPSILON, STEP_SIZE, Mended
from ttt_fast.studies.langan.exact import EVIDENCE_KINDS as EVIDENCE_KINDS
from ttt_fast.studies.langan.players import BUGGY, BUGGY2, CORRECTED, FROZEN, MEND_ALL, MINIMAX, RANDOM, VARIANTS
from ttt_fast.studies.langan.runs import AS_CODED, AS_WRITTEN, OVER_LEGAL, SELF_PLAY, TRACES, Run, runs_of
from ttt_fast.studies.statistics.samples import RunSample, counted

PLAYERS = ("player 1", "player 2")
RESULTS = ("x_wins", "draws", "o_wins")
_SURE = 1e-9


def runs(work: Runner) -> Rows:
    """Return the exact values of the printed quantities for the runs of each variant; a name is `variant: X v O`."""
    readings = [reading for cell in cells_of(__package__) for reading in readings_of(cell)]
    rows: Rows = []
    made = lru_cache(maxsize=None)(lambda variant, name: players.policies(work, variant, name))
    for name in dict.fromkeys(one.words for one in readings if one.kind in ("runs", "ends")):
        variant, _, pair_of = name.partition(": ")
        of = [made(variant, one) if one.startswith("Q_") else [agent(one)] for one in pair_of.split(" v ")]
        count = max(map(len, of)) if min(map(len, of)) == 1 else min(map(len, of))  # runs are paired by their number
        for seed, pair in enumerate(zip(*(one * count if len(one) == 1 else one[:count] for one in of), strict=True)):
            for quantity, value in quantities(*pair).items():
                rows.append({"name": name, "quantity": quantity, "seed": seed, "value": value})
    return rows


def quantities(x: Policy, o: Policy | None = None) -> dict[str, float]:
    """Return the exact quantities of a policy, or of a match."""
    if o is None:
        return agreed(x)
    result = exact_outcome(x, o)
    return {name: float(getattr(result, name)) for name in RESULTS}


def agreed(policy: Policy, seat: int | None = None) -> dict[str, float]:
    """Return the agreement of a policy with minimax, in one seat or in both, as counts and a share."""
    found = agreement(policy, seat)
    return {"states": found.states, "agreeing": found.agreeing, "agreement": found.share}


def run_row(run: Run, episodes: int) -> Row:
    """Return the exact strength of one self-play run at a checkpoint."""
    x, o = run.policy(episodes, 0), run.policy(episodes, 1)
    row: Row = {}
    for seat, (player, policy) in enumerate((("p1", x), ("p2", o)), 1):
        for kind, found in ((player, agreed(policy, seat)), (f"{player}_counted", agreed(policy))):
            row |= {f"{kind}_{name}": value for name, value in found.items()}
    minimax, random = agent(MINIMAX), agent(RANDOM)
    game = exact_outcome(x, o)
    return row | {
        "greedy_game": "X wins" if game.x_wins > 0.5 else "O wins" if game.o_wins > 0.5 else "draw",
        "p1_v_minimax_draws": exact_outcome(x, minimax).draws,
        "minimax_v_p2_draws": exact_outcome(minimax, o).draws,
        "p1_v_random_wins": exact_outcome(x, random).x_wins,
        "random_v_p2_wins": exact_outcome(random, o).o_wins,
    }


def summed(group: Sequence[Row]) -> Row:
    """Return a summary of self-play runs: the mean agreement with its interval, and counts of runs."""
    row: Row = {"runs": len(group)}
    for name in [f"{player}_{kind}" for player in ("p1", "p2") for kind in ("agreement", "counted_agreement")]:
        sample = RunSample([one[name] for one in group])
        low, high = sample.mean_interval()
        row |= {name: sample.mean, f"{name}_sd": sample.sd, f"{name}_low": low, f"{name}_high": min(high, 1.0)}
    perfect = counted("perfect_runs", [one["p1_agreement"] == one["p2_agreement"] == 1.0 for one in group])
    row |= {"perfect_runs": perfect["perfect_runs"], "perfect_low": perfect["low"], "perfect_high": perfect["high"]}
    for result in ("X wins", "draw", "O wins"):
        row[f"greedy: {result}"] = sum(one["greedy_game"] == result for one in group)
    for name in ("p1_v_minimax_draws", "minimax_v_p2_draws", "p1_v_random_wins", "random_v_p2_wins"):
        row[name] = float(np.mean([one[name] for one in group]))
    return row


def ablation_runs(work: Runner) -> Rows:
    """Return a row for each self-play run at the lengths of the ablation, and at its end if that is later."""
    rows, n = [], work.plan(__package__)
    for mended in VARIANTS:
        for run in players.self_play(work, mended):
            lengths = {*run.lengths} & {*n.ablation, run.lengths[-1]}
            lengths -= {*n.ablation[1:]} if mended == Mended() else set()
            for episodes in sorted(lengths):
                rows.append({"mended": str(mended), "seed": run.seed, "episodes": episodes} | run_row(run, episodes))
    return sorted(rows, key=lambda row: row["episodes"])


def ablation(work: Runner) -> Rows:
    """Return summaries of the runs by the mended defects and by their length."""
    per_run, rows = ablation_runs(work), []
    for mended, episodes in dict.fromkeys((row["mended"], row["episodes"]) for row in per_run):
        group = [row for row in per_run if (row["mended"], row["episodes"]) == (mended, episodes)]
        is_end = episodes == max(row["episodes"] for row in per_run if row["mended"] == mended)
        rows.append({"mended": mended, "episodes": episodes, "end": is_end} | summed(group))
    return rows


def tuning(work: Runner) -> Rows:
    """Return the results of self-play as coded with other step sizes and other exploration rates."""
    n, rows = work.plan(__package__), []
    for epsilon, step in product((0.05, EPSILON, 0.5, 1.0), (0.01, STEP_SIZE, 0.5, 1.0)):
        length = n.ablation[0] // 5
        of = runs_of(work, SELF_PLAY, AS_CODED, n.tuning_seeds, (length,), step_size=step, epsilon=epsilon)
        more = {"values of actions that do not win at once": max(run.trace(TRACES[2], k) for run in of for k in (0, 1))}
        rows.append({"step size": step, "epsilon": epsilon, "episodes": length}
                    | summed([run_row(run, length) for run in of]) | more)  # fmt: skip
    return rows


def curves(work: Runner) -> Rows:
    """Return the agreement of every self-play run at every checkpoint, counted in both ways."""
    return [
        {"mended": str(mended), "player": player, "seed": run.seed, "episodes": episodes,
         "agreement": agreement(run.policy(episodes, learner), learner + 1).share,
         "agreement_as_counted": agreement(run.policy(episodes, learner)).share}
        for mended in VARIANTS for run in players.self_play(work, mended) for episodes in run.lengths
        for learner, player in enumerate(PLAYERS)
    ]  # fmt: skip


def evidence(work: Runner) -> Rows:
    """Return the traces of the defects in the tables, as the maximum over all runs of a kind."""
    return [
        {"mended": str(mended), "table": player, "runs": len(of)}
        | {name: max(run.trace(name, learner) for run in of) for name in TRACES[:4]}
        for mended in (Mended(), MEND_ALL) for of in (players.self_play(work, mended),)
        for learner, player in enumerate(PLAYERS)
    ]  # fmt: skip


def minimax(work: Runner) -> Rows:
    """Return the learners of table 1 at every checkpoint: as coded, over legal actions, as written, and printed."""
    rows = []
    for variant in (AS_CODED, OVER_LEGAL, AS_WRITTEN):
        of = players.against_minimax(work, variant)
        for episodes in of[0].lengths:
            row = agreement_row(variant, episodes, [quantities(run.policy(episodes)) for run in of])
            is_end = episodes == of[0].lengths[-1]
            traces = {name: sum(run.trace(name) for run in of) if is_end else None for name in TRACES[4:]}
            rows.append(row | {"end": is_end} | traces)
    printed = {(cell.place, cell.quantity): cell.value for cell in cells_of(__package__) if cell.table == "table 1"}
    for place in dict.fromkeys(place for place, _ in printed):
        one = {name: printed[place, name] for name in ("states", "agreement")}
        row = agreement_row("printed", int(place.split()[0].replace(",", "")), [one])
        rows.append(row | dict.fromkeys(("end", *TRACES[4:])))
    return rows


def agreement_row(learner: str, episodes: int, found: Sequence[dict[str, float]]) -> Row:
    """Return a row of the learners of table 1."""
    states, share = (RunSample([one[name] for one in found]) for name in ("states", "agreement"))
    return {
        "learner": learner, "episodes": episodes, "runs": len(found), "states": states.mean, "states_sd": states.sd,
        "agreement": share.mean, "agreement_sd": share.sd, "runs at 100 %": sum(one == 1.0 for one in share.values),
    }  # fmt: skip


def lengths(work: Runner) -> Rows:
    """Return the results of training against the flawed players after various lengths, as coded."""
    rows = []
    for opponent in (BUGGY, BUGGY2, FROZEN):
        of = players.against_flawed(work, opponent)
        flawed = [agent(opponent.format(seed=run.seed)) for run in of]
        best = [exact.most(one) for one in flawed]
        for checkpoint, episodes in enumerate(of[0].lengths, 1):
            ends = [run.policy(episodes) for run in of]
            results = [exact_outcome(*pair) for pair in zip(ends, flawed, strict=True)]
            wins, each = RunSample([one.x_wins for one in results]), [worth(end) for end in ends]
            is_best = [one.value > most - 1e-9 for one, most in zip(results, best, strict=True)]
            rows.append({
                "opponent": opponent.replace("={seed}", ""), "episodes": episodes, "checkpoint": checkpoint,
                "end": checkpoint == len(of[0].lengths),
                **{name: float(np.mean([one[name] for one in each])) for name in ("states", "agreement")},
                "wins": wins.mean, "wins_sd": wins.sd, "fewest wins": wins.low,
                **counted("runs at the best possible", is_best), "best possible": float(np.mean(best)),
                **with_interval("wins v random", [one["wins v random"] for one in each]),
            })  # fmt: skip
    return rows


def worth(policy: Policy, seat: int = 1) -> dict[str, float]:
    """Return the exact strength of a policy in a seat."""
    found = agreement(policy)
    game, duel = (exact_outcome(*(policy, agent(other))[:: 3 - 2 * seat]) for other in (RANDOM, MINIMAX))
    reached = policy.held & (duel.reach > 0) & (policy.table.player == seat)
    wins, losses = (game.x_wins, game.o_wins)[:: 3 - 2 * seat]
    return {
        "states": found.states, "agreement": found.share, "wins v random": wins, "losses v random": losses,
        "draws v minimax": duel.draws, "rows reached v minimax": int(reached.sum()),
    }  # fmt: skip


def with_interval(name: str, found: Sequence[float]) -> dict[str, float]:
    """Return the mean of some runs, with its interval."""
    sample = RunSample(found)
    low, high = sample.mean_interval()
    most = 1.0 if sample.high <= 1.0 else high  # a share
    return {name: sample.mean, f"{name}, low": max(low, 0.0), f"{name}, high": min(high, most)}


def ends(work: Runner) -> Rows:
    """Return the final results of the runs, against their training opponent and against minimax."""
    rows = []
    for name, opponent in (("Q_random", RANDOM), ("Q_random", MINIMAX), ("Q_buggy2", BUGGY2), ("Q_buggy", BUGGY)):
        found = [quantities(one, agent(opponent)).values() for one in players.policies(work, AS_CODED, name)]
        places = [tuple(round(share, 9) for share in one) for one in found]
        for place in sorted(set(places), reverse=True):
            row: Row = {"policy": name, "opponent": opponent.partition(":")[0]} | dict(zip(RESULTS, place, strict=True))
            rows.append(row | counted("ended here", [one == place for one in places]))
    return rows


def strength(work: Runner) -> Rows:
    """Return the exact strength of each published policy, as coded, as written and corrected."""
    rows = []
    names = ("Q_minimax", "Q_random", "Q_buggy", "Q_buggy2", "Q_self-play 1", "Q_self-play 2")
    for name, variant in product(names, (AS_CODED, AS_WRITTEN, CORRECTED)):
        row: Row = {"policy": name, "variant": variant, "episodes": players.episodes_of(work, name)}
        rows.append(row | strength_of(players.policies(work, variant, name), 2 if name.endswith(" 2") else 1))
    return rows


def strength_of(found: Sequence[Policy], seat: int = 1) -> Row:
    """Return the strength of the policies of some runs: how many never lose, and means with their intervals."""
    each = [worth(one, seat) for one in found]
    row: Row = counted("never lose", [never_loses(one, seat) for one in found])
    for shown in each[0]:
        row |= with_interval(shown, [float(one[shown]) for one in each])
    return row


def maximum(work: Runner) -> Rows:
    """Return the strength of Q_minimax as coded, and with its maximum over legal actions (only B3 mended)."""
    return [
        {"mended": variant} | strength_of([run.policy() for run in players.against_minimax(work, variant)])
        for variant in (AS_CODED, OVER_LEGAL)
    ]


def others(work: Runner) -> Rows:
    """Return how many runs of Q_random, corrected, win less than minimax against other players."""
    rows = []
    for opponent in (BUGGY, BUGGY2):
        minimax = exact_outcome(agent(MINIMAX), agent(opponent)).x_wins
        wins = [exact_outcome(one, agent(opponent)).x_wins for one in players.policies(work, CORRECTED, "Q_random")]
        row: Row = {"policy": "Q_random", "variant": CORRECTED, "opponent": opponent.partition(":")[0]}
        row |= counted("win less than minimax", [one < minimax - _SURE for one in wins])
        row |= {"wins": float(np.mean(wins)), "fewest wins": min(wins), "most wins": max(wins)}
        rows.append(row | {"wins of minimax": minimax})
    return rows


def opponents(work: Runner) -> Rows:
    """Return X's wins against each opponent: with minimax, by its tie rule, and with best play."""
    frozen = [agent(FROZEN.format(seed=seed)) for seed in range(work.plan(__package__).many)]
    rows = []
    for name, of in ((RANDOM, [agent(RANDOM)]), ("buggy", [agent(BUGGY)]), ("buggy2", [agent(BUGGY2)]),
                     ("frozen random", frozen)):  # fmt: skip
        row: Row = {"opponent": name, "players": len(of)}
        for shown, spec in (("minimax, random ties", MINIMAX), ("minimax, first tie", "minimax:tie=first")):
            wins = [exact_outcome(agent(spec), one).x_wins for one in of]
            row |= {shown: float(np.mean(wins)), f"{shown}, at most": max(wins)}
        most = [exact.most(one) for one in of]
        rows.append(row | {"best possible": float(np.mean(most)), "best possible, at least": min(most)})
    return rows


def frozen(work: Runner) -> Rows:
    """Return how many frozen random players minimax always beats as X, by its tie rule; and its wins over them."""
    of = [agent(FROZEN.format(seed=seed)) for seed in range(work.plan(__package__).many)]
    rows = []
    for ties, spec in (("random ties", MINIMAX), ("first tie", "minimax:tie=first")):
        wins = [float(exact_outcome(agent(spec), one).x_wins) for one in of]
        row: Row = {"minimax": ties, **counted("beaten with certainty", [one > 1 - _SURE for one in wins])}
        rows.append(row | {"wins": float(np.mean(wins)), "fewest wins": min(wins), "most wins": max(wins)})
    return rows


def memory(work: Runner) -> Rows:
    """Return the sizes of the tables: rows, the bytes of their values, and the bytes of the program's file."""
    table = agent(RANDOM).table
    cases = [("all fillings of nine cells", 3.0**9), ("boards where somebody is to move", table.decision_mask.sum()),
             ("boards where player 1 is to move", (table.player == api.X).sum())]  # fmt: skip
    cases += [(row["policy"], row["states"]) for row in strength(work) if row["variant"] == AS_CODED]
    return [
        {"table": name, "rows": float(rows), "bytes of values": rows * 72.0, "bytes of a .dat file": 8 + 89.0 * rows}
        for name, rows in cases
    ]


def search(work: Runner) -> Rows:
    """Return the exact number of positions that a full search visits in a game or an episode."""
    q = players.policies(work, AS_CODED, "Q_minimax")[0]
    return exact.search_rows({"Minimax": agent(MINIMAX), "Random": agent(RANDOM), "Q_minimax": q})


_ALL: Final = (
    runs, exact.values, ablation_runs, ablation, tuning, curves, evidence, minimax, lengths, ends,
    strength, maximum, others, opponents, frozen, memory, search,
    exact.positions, exact.triggers, exact.moves,
)  # fmt: skip
MEASURES: Final[dict[str, Callable[[Runner], Rows]]] = {one.__name__: one for one in _ALL}
