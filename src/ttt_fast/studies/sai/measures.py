"""The measures of Sai's study: its matches, exact or played, and the results of its learner."""

from itertools import product
from typing import Any, Final

import numpy as np

from ttt_fast import exact_outcome, parse_game, table_of
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import cells_of, plan_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.sai import connect4_runs, costs, learners, matches
from ttt_fast.studies.sai.connect4_runs import LEARNERS
from ttt_fast.studies.sai.evidence import EVIDENCE_KINDS as EVIDENCE_KINDS
from ttt_fast.studies.sai.learners import PUBLISHED, REWARDS, VARIANTS, board_of
from ttt_fast.studies.sai.matches import BOARDS, CONNECT_FOUR, FOUR, GAMES, RANDOM, SKILLS, TIC_TAC_TOE
from ttt_fast.studies.sai.runs import of_key, others_of, runs_of, searches_of
from ttt_fast.studies.sai.truth import values_along
from ttt_fast.studies.statistics.distributions import binomial, two_sided
from ttt_fast.studies.statistics.samples import counted, spread

LIMITS: Final = {
    "highest of X": 0.081 / 0.19, "lowest of X": -0.9, "highest of O": 0.9, "lowest of O": -0.081 / 0.19,
    "a loss of X in Connect 4": -0.009 / 0.19, "a win of X in Connect 4": 0.81 * -0.009 / (1 - 0.81**2),
}  # fmt: skip
"""Limits of the values as coded, the fixed points of these updates:

in tic-tac-toe, V = 0.9 (V + 0.1 (0.9 - V)) for a certain win of X;
in Connect 4, V = 0.81 V - 0.009 for X's last board before a certain win of O;
in Connect 4, V = 0.81 (0.81 V - 0.009) for a certain win of X."""
OTHERS: Final[dict[str, tuple[str, str]]] = plan_of(__package__).others_of_connect4
EXACT: Final[dict[str, str]] = plan_of(__package__).others_of_tic_tac_toe


def every_match(work: Runner) -> Rows:
    """Return every match: the shares of its three results, with the spread of runs separate from that of games."""
    found: dict[str, Any] = {}
    minimax = agent(matches.minimax_of(TIC_TAC_TOE, as_coded=True))
    for skill, player in {skill: agent(spec) for skill, spec in SKILLS.items()}.items():
        found[f"{TIC_TAC_TOE}, {skill} v minimax"] = matches.exact_match(player, minimax)[None]
        found[f"{TIC_TAC_TOE}, {skill} v itself"] = matches.exact_match(player, player)[None]
    found[f"{TIC_TAC_TOE}, minimax with alpha-beta v minimax"] = matches.exact_match(minimax, minimax)[None]
    found |= {name: one["counts"][None] for name, one in searches_of(work).items()}
    for game, variant in product(GAMES, VARIANTS):
        runs = runs_of(work, game, variant)
        for key in map(tuple, runs[0]["keys"].tolist()):
            found[learners.name_of(BOARDS[board_of(game, variant)], variant, key)] = of_key(runs, "counts", key)
    return [
        {"name": name, "quantity": quantity, **one}
        for name, counts in found.items()
        for quantity, one in zip(_quantities(name), matches.summaries(counts), strict=True)
    ]


def _quantities(name: str) -> tuple[str, str, str]:
    """Return the names of the three results of a match.

    Examples
    --------
    >>> _quantities("tic-tac-toe, default 1 v learner as coded (policy-1, epsilon 0)")
    ('default wins', 'learner wins', 'ties')
    """
    first, _, second = name.partition(", ")[2].partition(" v ")
    one = "alpha-beta" if first.endswith("alpha-beta") else first.split()[0]
    two = "second" if second == "itself" else second.split()[0]
    return f"{one} wins", f"{two} wins", "ties"


def strength(work: Runner) -> Rows:
    """Return the games won by each player against both default opponents, and by the learners against random."""
    found: list[tuple[str, str, str, str, matches.Counts]] = []
    opponents = {**SKILLS, RANDOM: RANDOM}
    for game, (name, (variant, longer)), opponent in product(GAMES, LEARNERS.items(), opponents):
        if game == CONNECT_FOUR or not longer:
            runs, key = runs_of(work, game, variant, longer=longer), (*learners.best_of(game, variant)[:2], opponent)
            board = board_of(game, variant)
            found.append((game, f"learner, {name}", board, opponent, of_key(runs, "counts", key)))
    for (name, player), (opponent, spec) in product(EXACT.items(), opponents.items()):
        counts = matches.exact_match(agent(spec), agent(player))[None]
        found.append((TIC_TAC_TOE, name, TIC_TAC_TOE, opponent, counts))
    for (name, opponent), one in others_of(work).items():
        found.append((CONNECT_FOUR, name, OTHERS[name][0], opponent, one["counts"][None]))
    rows = []
    for game, name, board, opponent, counts in found:
        losses, wins, ties = matches.summaries(counts)
        shared = {"game": game, "player": name, "board": BOARDS[board], "opponent": opponent, "runs": len(counts)}
        rows.append({**shared, "games": wins["games"], "wins": wins["share"], "low": wins["low"], "high": wins["high"],
                     "ties": ties["share"], "losses": losses["share"]})  # fmt: skip
    return rows


def marks(work: Runner) -> Rows:
    """Return exact metrics of the greedy players of tic-tac-toe: means over the runs, and the unbeatable ones."""
    rows: Rows = []
    for variant in VARIANTS:
        runs = runs_of(work, TIC_TAC_TOE, variant)
        of = dict(zip(runs[0]["marks"].tolist(), np.array([run["marked"] for run in runs]).T, strict=True))
        row: Row = {"player": f"learner, {variant}", **counted("unbeatable", (of.pop("unbeatable") == 1).tolist())}
        row |= {name: float(values.mean()) for name, values in of.items()}
        sd = spread(of["exploitability"])["sd"]
        rows.append({**row, "exploitability sd": sd, "lowest agreement": float(of["agreement"].min())})
    for name, spec in EXACT.items():
        of_player = learners.marks_of(agent(spec))
        row = {"player": name, **counted("unbeatable", [of_player.pop("unbeatable") == 1]), **of_player}
        rows.append({**row, "low": None, "high": None, "exploitability sd": None, "lowest agreement": None})
    return rows


def curve(work: Runner) -> Rows:
    """Return the greedy learner's wins against both default opponents, after each tenth of its training."""
    rows = []
    for game, (name, (variant, longer)) in product(GAMES, LEARNERS.items()):
        if longer and game == TIC_TAC_TOE:
            continue
        runs = runs_of(work, game, variant, longer=longer)
        of = np.array([run["curve"] for run in runs])
        for place in range(of.shape[1]):
            episodes, number = of[0, place, :2].astype(int).tolist()
            losses, wins = (spread(of[:, place, column], []) for column in (2, 3))
            rows.append({
                "game": game, "learner": name, "episodes": episodes, "runs": len(runs),
                "opponent": list(SKILLS)[number], "wins": wins["mean"], "sd": wins["sd"], "losses": losses["mean"],
                "last": place >= of.shape[1] - len(SKILLS),
            })  # fmt: skip
    return rows


def kept(work: Runner) -> Rows:
    """Return the share of moves that keep the exact value, in games against the default opponent with skill 1."""
    games: list[tuple[Row, str, Any]] = []
    for name, (variant, longer) in LEARNERS.items():
        run, board = runs_of(work, CONNECT_FOUR, variant, longer=longer)[0], board_of(CONNECT_FOUR, variant)
        games.append(({"player": f"learner, {name}", "board": BOARDS[board]}, board, run["lines"]))
    for (name, opponent), one in others_of(work).items():
        if opponent == "default 1":
            games.append(({"player": name, "board": BOARDS[OTHERS[name][0]]}, OTHERS[name][0], one["lines"]))
    rows = []
    for row in connect4_runs.kept_rows(work, games):
        chance = row.pop("by chance")
        low, high = wilson_interval(round(row["kept"] * row["open"]), max(1, row["open"]))
        rows.append({**row, "low": low, "high": high, "by chance": chance})
    return rows


def course(work: Runner) -> Rows:
    """Return the exact values for X along minimax's game against itself, on both boards."""
    rows, of = [], searches_of(work)
    for board in (FOUR, CONNECT_FOUR):
        match = of[f"{BOARDS[board]}, minimax with alpha-beta v minimax"]
        lines, counts = match["lines"].tolist(), match["counts"][0].tolist()
        shared = {
            "board": BOARDS[board], "won by": ("X", "O", "nobody")[counts.index(1)],
            "plies": len(parse_game(board).parse_moves(lines[0][1:])), "courses": len({one[1:] for one in lines}),
        }  # fmt: skip
        [along] = work.pieces(values_along, [{"board": board, "line": lines[0]}])
        values = along["values"].tolist()
        for stones, value, before in zip(along["stones"].tolist(), values, [None, *values[:-1]], strict=True):
            if value != before:
                rows.append({**shared, "from stones": stones, "value for X": value})
    return rows


def values(work: Runner) -> Rows:
    """Return single numbers: limits and extremes of the learned values, and numbers needed by statements."""
    found: dict[str, dict[str, Any]] = {
        "limit": LIMITS, TIC_TAC_TOE: {"states": table_of(TIC_TAC_TOE).num_states},
        "epsilon": {"games until the floor": _floor()},
    }  # fmt: skip
    by_x = table_of(TIC_TAC_TOE).ply % 2 == 1
    for variant in (PUBLISHED, REWARDS):
        runs = {game: runs_of(work, game, variant) for game in GAMES}
        own = found[variant] = {
            f"boards with a value in {game}": np.mean([run["states"] for run in of]) for game, of in runs.items()
        }
        for seat, boards_of in (("X", by_x), ("O", ~by_x)):
            learnt = np.array([run["values"][boards_of] for run in runs[TIC_TAC_TOE]])
            own |= {f"highest of {seat}": learnt.max(), f"lowest of {seat}": learnt.min()}
        own["boards of policy-1"] = (runs[TIC_TAC_TOE][0]["visited"] & by_x).sum()
        own["characters of policy-1"] = own["boards of policy-1"] * len("[0 0 0 0 0 0 0 0 0]")
    of = searches_of(work)
    names = (f"{BOARDS[FOUR]}, default 0.01 v minimax{one}" for one in ("", " with alpha-beta"))
    whole, pruned = (of[name]["lines"].tolist() for name in names)
    found["without alpha-beta"] = {"games": len(whole), "the same moves": sum(map(str.__eq__, whole, pruned))}
    for skill, spec in SKILLS.items():
        exact, games = exact_outcome(agent(spec), agent(spec)), of[f"{BOARDS[FOUR]}, {skill} v itself"]["counts"]
        wins, losses = int(games[0, 0] + games[1, 1]), int(games[0, 1] + games[1, 0])
        low, high = wilson_interval(wins, wins + losses)
        found[f"{skill} v itself"] = {
            TIC_TAC_TOE: exact.x_wins / exact.o_wins, CONNECT_FOUR: wins / max(1, losses),
            f"{CONNECT_FOUR}, low": low / (1 - low), f"{CONNECT_FOUR}, high": high / max(1 - high, 1e-9),
        }  # fmt: skip
    printed = {(cell.table, cell.quantity): int(cell.printed) for cell in cells_of(__package__) if cell.games}
    for table in ("table 3", "table 6"):
        own_wins, others = printed[table, "learner wins"], printed[table, "default wins"]
        found[table] = {"p of its decided games": two_sided(binomial(own_wins + others, 0.5), own_wins)}
    return [
        {"name": name, "quantity": quantity, "value": float(value)}
        for name, of_name in found.items() for quantity, value in of_name.items()
    ]  # fmt: skip


def _floor(epsilon: float = 0.9, rate: float = 0.000001, floor: float = 0.3) -> int:
    """Return the first game with the lowest epsilon, under `update_epsilon` of appendix 9.2 of Sai's report.

    Examples
    --------
    >>> _floor(), _floor(epsilon=0.2)
    (1095, 0)
    """
    game = 0
    while epsilon > floor:
        game += 1
        epsilon = max(floor, epsilon - rate * game)
    return game


MEASURES: Final = {
    "matches": every_match,
    **{one.__name__: one for one in (strength, marks, curve, kept, course, values)},
    **{one.__name__: one for one in (costs.costs, costs.pruning)},
    **{one.__name__: one for one in (connect4_runs.table_6_runs, connect4_runs.kept_runs, connect4_runs.kept_means)},
}
