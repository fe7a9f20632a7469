"""The tables of the study, from its plan: agents by label, boards and seats, and how an agent is made."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from ttt_fast import TrainingConfig, train
from ttt_fast.studies.engine.shipped import known, text_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner

_LOCK: Final = Lock()


def cases_of(work: Runner) -> Rows:
    """Return the tables: agent, training, board, seat and limit; `label` and `size` are the names on the page."""
    plan = work.plan(__package__)
    limits = {
        (size, agent, seat): plan.limit
        for group in plan.group
        for size in group["boards"]
        for agent in group["agents"]
        for seat in group.get("seats", ("x", "o"))
    }
    limits |= {(one["board"], one["agent"], one["seat"]): one["limit"] for one in plan.long}
    return [
        {
            "label": agent, "size": size, "board": plan.boards[size], "seat": seat, "limit": limit,
            "agent": known(plan.agents.get(agent, "")), "training": plan.learners.get(agent, {}),
        }
        for (size, agent, seat), limit in sorted(limits.items(), key=lambda one: [*plan.boards].index(one[0][0]))
    ]  # fmt: skip


def settings_of(case: Row, **further: object) -> Row:
    """Return the arguments of a piece of work for a table, without the names on the page."""
    return {name: value for name, value in case.items() if name not in ("label", "size")} | further


@contextmanager
def made(agent: str, training: Row, board: str) -> Iterator[str]:
    """Yield the text of an agent; one that is trained is the file of its first use in this process.

    Examples
    --------
    >>> with made("", {"algorithm": "td", "episodes": 10, "tuples": 2, "tuple_cells": 4}, "connect4") as text:
    ...     Path(text).suffix, Path(text).exists()
    ('.npz', True)
    """
    if training:
        with _LOCK:
            path = _trained(json.dumps(training, sort_keys=True), board)
        yield str(path)
    else:
        with text_of(agent) as text:
            yield text


@cache
def _trained(training: str, board: str) -> Path:
    """Return the file of a learner, trained with some settings as JSON."""
    config = TrainingConfig(**json.loads(training), game=board, evaluations=0, judges="", seed=0)
    path = Path(_folder().name, f"{_trained.cache_info().misses}.npz")
    train(config).save(path)
    return path


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return the folder of the learners of this process, which is removed at its end."""
    return tempfile.TemporaryDirectory()
