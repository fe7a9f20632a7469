"""The report of a policy as a page: its run, scorecard, curve, openings, and worst mistakes."""

from collections.abc import Sequence
from shlex import quote
from typing import Any

import numpy as np

from ttt_fast import (
    Game,
    Policy,
    Seat,
    Solver,
    TrainingRun,
    UsageError,
    as_policy,
    exact_outcome,
    induced_table,
    regret,
    scorecard,
    solution_of,
    symmetry_of,
)
from ttt_fast.core.archive import read_meta
from ttt_fast.games import api
from ttt_fast.report.induced import proof_notes
from ttt_fast.report.tables import scored, seat_notes
from ttt_fast.web.chart import Chart, chart_of
from ttt_fast.web.page_data import labels
from ttt_fast.web.render import check_extra, rendered

MAX_MISTAKES = 12
"""Maximum number of positions in the list of worst mistakes."""
_SETTINGS = ("algorithm", "opponent", "seat", "episodes", "step_size", "epsilon", "discount", "seed")
_LEAST_LOSS = 1e-12  # below is rounding
_EXPLOITED = {
    "exploitability": "exploitability of the greedy policy",
    "policy_exploitability": "exploitability of the network's probabilities",
}
_ORACLE = "the network was chosen by its exact value during the run (keep=best): an oracle, which larger games lack"


def report_html(spec: str, game: str = "tic-tac-toe") -> bytes:
    """Return the report of a policy as a single-file page.

    Parameters
    ----------
    spec
        A policy file or any agent with a policy.
    game
        A game with a table.

    Raises
    ------
    UsageError
        If the string names no policy of the game, or a policy without states, or the extra `web` is missing.
    FileFormatError
        If the string names a file that cannot be read.

    Examples
    --------
    >>> page = report_html("heuribot")
    >>> b"never loses to any opponent" in page, b"<script" in page
    (True, False)
    """
    check_extra("jinja2")  # before the work
    policy = as_policy(spec, game)
    run = TrainingRun.load(spec) if "config" in read_meta(spec) else None
    if run is None:
        card = scorecard(policy, [as_policy(name, game) for name in ("random", "minimax")])
    else:
        card = run.scorecard(spec)
    rows = [row.as_row() for row in card]
    if not rows:
        raise UsageError(f"expected a policy that contains at least one state, got {spec!r}, which contains none")
    unlearned = [f"as {seat.text.upper()}: not learned" for seat in Seat if not policy.holds_seat(seat)]
    chosen = [_ORACLE] if run is not None and run.config.as_dict().get("keep") == "best" else []
    content = {
        "name": labels([spec])[0][1], "game": policy.table.game.spec, "facts": _facts(run),
        "card": [scored(row) for row in rows], "notes": seat_notes(rows) + unlearned + chosen, "charts": _curves(run),
        "command": _command(spec, game), "openings": openings(policy), "mistakes": mistakes(policy), "labelled": False,
    }  # fmt: skip
    return rendered("report.html.j2", content).content


def fixed_report_html(agent: str, game: str, seat: int) -> bytes:
    """Return the report of an agent in one seat, from the positions that can arise against it, as a single-file page.

    Parameters
    ----------
    agent
        An agent as for `induced_table`.
    game
        The game.
    seat
        The seat of the agent: 1 (X) or 2 (O).

    Raises
    ------
    UsageError
        If there is no such agent, too many positions, or the extra `web` is missing.

    Examples
    --------
    >>> page = fixed_report_html("centre-first", "connect4:columns=4,rows=4", 1)
    >>> b"becomes a loss" in page, b"<script" in page
    (True, False)
    """
    check_extra("jinja2")  # before the work
    induced = induced_table(agent, seat, game)
    rows = induced.score_rows()
    empty = {"best_value": None, "regret": None}
    found = induced.mistakes() if Solver.supports(induced.game) else []
    worst = sorted((one for ply in found for one in ply.mistakes), key=lambda one: one.after - one.before)
    shown = [
        {"caption": one.caption, **mistake_picture(induced.game, one.state, one.actions)}
        for one in worst[:MAX_MISTAKES]
    ]
    counts = [f"{row['mistakes']} of {row['checked']} at ply {row['ply']}" for row in (one.row() for one in found)]
    notes = [f"gives value away in {', '.join(counts)} (labelled by the solver)"] if counts else []
    content: dict[str, Any] = {
        "name": labels([agent])[0][1], "game": induced.game.spec, "facts": {},
        "command": f"{_command(agent, game)} --fixed-seat {Seat(seat).text}",
        "card": [{**row, **empty} for row in rows], "notes": [*proof_notes(rows[0], game), *notes], "charts": [],
        "openings": [], "mistakes": shown, "labelled": bool(found),
    }  # fmt: skip
    return rendered("report.html.j2", content).content


def mistake_picture(game: Game, state: api.GameState, actions: Sequence[int]) -> dict[str, str]:
    """Return the picture of a position in which an agent gives value away, with its moves dashed, and its label."""
    moves, board = game.format_moves(actions), game.format_position(state)
    notes = {action: ("", 1.0, True) for action in actions}
    text = {"label": f"position {board}; plays {moves}", "text": f"{board}\n{moves}"}
    return {"picture": game.svg(state, notes=notes), **text}


def openings(policy: Policy) -> list[dict[str, Any]]:
    """Return the first decisions of a policy in each seat of its domain, as pictures with captions.

    For O there is a decision after each first move of X, up to symmetry.

    Examples
    --------
    >>> [one["caption"] for one in openings(as_policy("heuribot"))]
    ['as X', 'as O after 0', 'as O after 1', 'as O after 4']
    """
    table, held = policy.table, policy.seats_held()
    classes = symmetry_of(table).representative
    places = [(table.index_of(table.game.initial_state), "as X")] if "x" in held else []
    if "o" in held:
        seen = set()
        for edge in range(int(table.edge_start[1])):
            after = int(table.edge_child[edge])
            if table.player[after] == Seat.O and int(classes[after]) not in seen:
                seen.add(int(classes[after]))
                move = table.game.format_moves([int(table.edge_action[edge])])
                places.append((after, f"as O after {move}"))
    return [{"state": state, "caption": caption, **picture(policy, state)} for state, caption in places]


def mistakes(policy: Policy, most: int = MAX_MISTAKES) -> list[dict[str, Any]]:
    """Return the states in which a policy loses most exact value against a random opponent, the worst first.

    States are ordered by the regret times the probability that a game reaches them, with the policy in the seat of the
    player to move.  A state represents all states that are symmetric to it.

    Examples
    --------
    >>> mistakes(as_policy("minimax"))
    []
    >>> found = mistakes(as_policy("default"), most=1)[0]
    >>> found["caption"], as_policy("default").table.board(found["state"])
    ('O loses 0.875 in 44.44% of games', 'X........')
    """
    table, random = policy.table, Policy.uniform(policy.table)
    lost, classes = regret(policy), symmetry_of(policy.table).representative
    chance = np.zeros(table.num_states)
    for seat in Seat:
        if seat.text in policy.seats_held():
            pair = (policy, random) if seat == Seat.X else (random, policy)
            here = table.player == seat
            chance[here] = exact_outcome(*pair).reach[here]
    weight = np.where(lost > _LEAST_LOSS, lost * chance, 0.0)
    total = np.bincount(classes, weights=weight, minlength=table.num_states)
    shares = np.bincount(classes, weights=np.where(weight > 0, chance, 0.0), minlength=table.num_states)
    found = []
    for first in np.argsort(-total, kind="stable")[:most].tolist():
        if total[first] > 0:
            state = int(np.where(classes == first, weight, 0.0).argmax())
            name = Seat(int(table.player[state])).text.upper()
            caption = f"{name} loses {total[first] / shares[first]:.3g} in {shares[first]:.2%} of games"
            found.append({"state": state, "caption": caption, **picture(policy, state)})
    return found


def picture(policy: Policy, state: int) -> dict[str, str]:
    """Return the `picture` of a state, with the probabilities of moves in percent, and its `label` in words.

    Moves that lose value are dashed.  The picture of a game without a board of cells is empty; then `text` shows it.

    Examples
    --------
    >>> picture(as_policy("heuribot"), 1)["label"]
    'position X........; plays 4 with 100.0%'
    """
    table, value = policy.table, solution_of(policy.table).value
    game, notes = table.game, dict[int, tuple[str, float, bool]]()
    for edge in np.arange(table.edge_start[state], table.edge_start[state + 1]).tolist():
        chance = float(policy.edge_probabilities[edge])
        if chance > 0:
            loses = bool(value[table.edge_child[edge]] != value[state])
            notes[int(table.edge_action[edge])] = (f"{max(1, round(100 * chance))}", chance, loses)
    words = [f"{game.format_moves([action])} with {share:.1%}" for action, (_, share, _) in notes.items()]
    label = f"position {table.board(state)}" + (f"; plays {', '.join(words)}" if words else "")
    has_cells = game.board(table.state(state)).kind != "text"
    shown = game.svg(table.state(state), notes=notes) if has_cells else ""
    return {"picture": shown, "label": label, "text": "\n".join([table.board(state), *words])}


def _facts(run: TrainingRun | None) -> dict[str, str]:
    """Return the settings of a run by name."""
    if run is None:
        return {}
    settings = run.config.as_dict()
    facts = {name.replace("_", " "): f"{settings[name]}" for name in _SETTINGS if settings.get(name) is not None}
    seats = " and ".join(Seat(seat).text.upper() for seat in run.config.seats)
    return facts | {"seat": seats, "episodes": f"{run.episodes:,}", "sha256": run.sha256()}


def _command(spec: str, game: str) -> str:
    """Return the command that makes a report, with its file in the current folder."""
    return f"ttt-fast page {quote(labels([spec])[0][1])} --game {quote(game)}"


def _curves(run: TrainingRun | None) -> list[Chart]:
    """Return the exploitabilities of a run, and the value of its first seat against its last opponent.

    The goal comes first: in self-play the exploitability, otherwise the value.
    """
    if run is None or len(run.history) == 0:
        return []
    columns = dict(zip(run.columns, run.history.T, strict=True))
    episodes, is_self_play = columns["episodes"], run.config.is_self_play
    seat = Seat(run.config.seats[0]).text.upper()
    curves = [chart_of(episodes, columns[one], 0.0, name, 0.1) for one, name in _EXPLOITED.items() if one in columns]
    name = f"value as {seat} against {run.judge().name}{', which may fall while play improves' * is_self_play}"
    value = chart_of(episodes, columns["wins"] - columns["losses"], run.best_value(), name, -0.1)
    return [*curves, value] if is_self_play else [value, *curves]
