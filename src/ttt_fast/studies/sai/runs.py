"""The pieces of work of Sai's study: training runs, and the matches that need no learner."""

from typing import Any, Final

import numpy as np

from ttt_fast.studies.engine.tables import Row
from ttt_fast.studies.engine.work import Arrays, Work
from ttt_fast.studies.sai.learners import EPISODES, Key, learned
from ttt_fast.studies.sai.matches import (
    AS_CODED,
    BOARDS,
    CODED,
    CONNECT_FOUR,
    RANDOM,
    SEARCH,
    SKILLS,
    TIC_TAC_TOE,
    UNPRUNED,
    minimax_of,
    played,
)

GAMES = (TIC_TAC_TOE, CONNECT_FOUR)
FOUR = CODED[CONNECT_FOUR]
LONGER = 4
"""Times the published games of training in Connect 4, of a few runs that go on."""
OTHERS: Final = {
    "random": (CONNECT_FOUR, RANDOM),
    "default opponent, skill 0.01": (CONNECT_FOUR, SKILLS["default 0.01"]),
    "default opponent, skill 1": (CONNECT_FOUR, SKILLS["default 1"]),
    "minimax of depth 5, as coded": (FOUR, SEARCH + AS_CODED),
    "minimax of depth 5": (CONNECT_FOUR, SEARCH),
    "depth 5, quick wins first, ties drawn": (CONNECT_FOUR, "alphabeta:depth=5,prefer=fast"),
    "depth 9, quick wins first, ties drawn": (CONNECT_FOUR, "alphabeta:depth=9,prefer=fast"),
    "MCTS, 1,000 simulations": (CONNECT_FOUR, "mcts:sims=1000"),
}
"""Players of Connect 4 that need no training: board, agent."""
EXACT: Final = {
    "minimax, first of the best": minimax_of(TIC_TAC_TOE, as_coded=True),
    "random": RANDOM,
    "default opponent, skill 0.01": SKILLS["default 0.01"],
    "default opponent, skill 1": SKILLS["default 1"],
    "best response to skill 0.01": f"best-response:({SKILLS['default 0.01']})",
    "best response to skill 1": f"best-response:({SKILLS['default 1']})",
}
"""Players of tic-tac-toe that need no training."""


def runs_of(work: Work, game: str, variant: str, *, longer: bool = False) -> list[Arrays]:
    """Return the runs of a variant; `longer` ones play as a player at its best only."""
    seeds, episodes = {TIC_TAC_TOE: 40, CONNECT_FOUR: 2 if longer else 6}[game], EPISODES[game]
    pairs, many = (250, 2500)
    if work.quick:
        seeds, episodes, pairs, many = 2, {TIC_TAC_TOE: 50_000, CONNECT_FOUR: 1000}[game], 10, 10
    settings = {"game": game, "variant": variant, "episodes": episodes * (LONGER if longer else 1), "brief": longer}
    sizes = {"pairs": pairs, "many": many}
    return work.pieces(learned, [{**settings, **sizes, "seed": seed} for seed in range(seeds)])


def searches_of(work: Work) -> dict[str, Arrays]:
    """Return the matches of Connect 4 that need no learner, by their names in `matches.csv`."""
    pairs, fewer = (20, 5) if work.quick else (2000, 500)
    settings: dict[str, Row] = {}
    for board, coded in ((FOUR, AS_CODED), (CONNECT_FOUR, "")):
        for skill, spec in SKILLS.items():
            match = {"board": board, "first": spec, "second": SEARCH + coded, "pairs": pairs}
            settings[f"{BOARDS[board]}, {skill} v minimax with alpha-beta"] = match
        both = {"first": SEARCH + coded, "second": SEARCH + coded + UNPRUNED}
        settings[f"{BOARDS[board]}, minimax with alpha-beta v minimax"] = {"board": board, "pairs": 1, **both}
    unpruned = {"board": FOUR, "first": SKILLS["default 0.01"], "second": SEARCH + AS_CODED + UNPRUNED}
    settings[f"{BOARDS[FOUR]}, default 0.01 v minimax"] = {**unpruned, "pairs": fewer}
    for skill, spec in SKILLS.items():
        settings[f"{BOARDS[FOUR]}, {skill} v itself"] = {"board": FOUR, "first": spec, "second": spec, "pairs": pairs}
    found = work.pieces(played, [{**one, "seed": 1} for one in settings.values()])
    return dict(zip(settings, found, strict=True))


def others_of(work: Work) -> dict[tuple[str, str], Arrays]:
    """Return the matches of the players of Connect 4 that need no training, by player and default opponent."""
    settings: dict[tuple[str, str], Row] = {}
    for number, (name, (board, spec)) in enumerate(OTHERS.items()):
        for place, (skill, rival) in enumerate(SKILLS.items()):
            match = {"board": board, "first": rival, "second": spec, "pairs": 3 if work.quick else 100}
            settings[name, skill] = {**match, "seed": 2, "key": [number, place]}
    return dict(zip(settings, work.pieces(played, list(settings.values())), strict=True))


def of_key(runs: list[Arrays], name: str, key: Key) -> Any:
    """Return what runs have of one of their matches, run by run."""
    place = runs[0]["keys"].tolist().index(list(key))
    return np.array([run[name][place] for run in runs])
