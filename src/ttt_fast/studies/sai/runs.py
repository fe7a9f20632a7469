"""The pieces of work of Sai's study: training runs, and the matches without a learner."""

from typing import Any

import numpy as np

from ttt_fast.studies.engine.tables import Row
from ttt_fast.studies.engine.work import Arrays, Runner
from ttt_fast.studies.sai.learners import Key, learned
from ttt_fast.studies.sai.matches import AS_CODED, BOARDS, CONNECT_FOUR, FOUR, SEARCH, SKILLS, UNPRUNED, played


def runs_of(work: Runner, game: str, variant: str, *, longer: bool = False) -> list[Arrays]:
    """Return the runs of a variant; `longer` runs play only the matches of a player at its best."""
    plan = work.plan(__package__)
    episodes = plan.episodes[game] * (plan.longer if longer else 1)
    settings = {"game": game, "variant": variant, "episodes": episodes, "brief": longer}
    settings |= {"pairs": plan.pairs, "many": plan.many}
    seeds = range(plan.seeds["longer" if longer else game])
    return work.pieces(learned, [{**settings, "seed": seed} for seed in seeds])


def searches_of(work: Runner) -> dict[str, Arrays]:
    """Return the matches of Connect 4 without a learner, by their names in `matches.csv`."""
    plan, settings = work.plan(__package__), dict[str, Row]()

    def add(board: str, name: str, first: str, second: str, pairs: int) -> None:
        match = {"board": board, "first": first, "second": second, "pairs": pairs}
        settings[f"{BOARDS[board]}, {name}"] = match

    for board, coded in ((FOUR, AS_CODED), (CONNECT_FOUR, "")):
        for skill, spec in SKILLS.items():
            add(board, f"{skill} v minimax with alpha-beta", spec, SEARCH + coded, plan.searches)
        add(board, "minimax with alpha-beta v minimax", SEARCH + coded, SEARCH + coded + UNPRUNED, 1)
    add(FOUR, "default 0.01 v minimax", SKILLS["default 0.01"], SEARCH + AS_CODED + UNPRUNED, plan.unpruned)
    for skill, spec in SKILLS.items():
        add(FOUR, f"{skill} v itself", spec, spec, plan.searches)
    found = work.pieces(played, [{**one, "seed": 1} for one in settings.values()])
    return dict(zip(settings, found, strict=True))


def others_of(work: Runner) -> dict[tuple[str, str], Arrays]:
    """Return the matches of untrained players of Connect 4, by player and default opponent."""
    plan, settings = work.plan(__package__), dict[tuple[str, str], Row]()
    for number, (name, (board, spec)) in enumerate(plan.others_of_connect4.items()):
        for place, (skill, rival) in enumerate(SKILLS.items()):
            match = {"board": board, "first": rival, "second": spec, "pairs": plan.others}
            settings[name, skill] = {**match, "seed": 2, "key": [number, place]}
    return dict(zip(settings, work.pieces(played, list(settings.values())), strict=True))


def of_key(runs: list[Arrays], name: str, key: Key) -> Any:
    """Return a quantity of one match for each run, as an array."""
    place = runs[0]["keys"].tolist().index(list(key))
    return np.array([run[name][place] for run in runs])
