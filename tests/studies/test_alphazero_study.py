"""The study of AlphaZero: arms that differ in one thing, Nim against its theory, and what the committed files show."""

import json
from functools import reduce
from operator import xor

import numpy as np
import polars as pl
import pytest

from conftest import REPOSITORY
from ttt_fast import Policy, TrainingConfig, review, solution_of
from ttt_fast.studies.alphazero.cloning import games_of, teacher_of
from ttt_fast.studies.alphazero.measures import arms, positions_of, won_positions
from ttt_fast.studies.alphazero.nim import nim
from ttt_fast.studies.engine.sources import template_of
from ttt_fast.studies.engine.work import Runner

RESULTS = REPOSITORY / "results" / "alphazero"
WORK = Runner(REPOSITORY / "none", quick=False, threads=1)


def test_an_arm_of_the_settings_is_one_change_of_the_default():
    default, *others = arms(WORK, "settings")
    usual = default.config(0).as_dict()
    for arm in [*others, *arms(WORK, "plies")]:
        changed = {name for name, value in arm.config(0).as_dict().items() if usual.get(name) != value}
        assert changed == set(arm.settings) - set(default.settings)
        assert len(changed) == (2 if "," in arm.setting and "neurons" not in arm.setting else 1)
    assert usual == {**arms(WORK, "headline")[0].config(0).as_dict(), "episodes": 10_000, "evaluations": 50}


def test_nim_is_won_where_the_sum_without_carry_is_not_zero():
    heaps = 1, 3, 4
    table = nim(*heaps)
    marks = table.observe(np.arange(table.num_states, dtype=np.int32)).reshape(table.num_states, -1)
    left = np.stack([part.sum(axis=1) for part in np.split(marks, np.cumsum(heaps)[:-1], axis=1)], axis=1)
    sums = np.array([reduce(xor, row) for row in left.astype(int).tolist()])
    ongoing, values = table.player > 0, solution_of(table).value * np.where(table.player == 1, 1, -1)
    assert ((values > 0) == (sums != 0))[ongoing].all() and (values[ongoing] != 0).all()
    first = Policy.from_actions(table, table.edge_action[np.where(ongoing, table.edge_start[:-1], 0)])
    once = {}  # of each position, whether its first move wins, whatever the ply
    for state in np.flatnonzero(ongoing & (sums != 0)):
        once.setdefault(tuple(left[state]), sums[table.edge_child[table.edge_start[state]]] == 0)
    assert won_positions(first) == pytest.approx(np.mean(list(once.values())), abs=1e-12)
    assert positions_of(table).size == np.prod(np.add(heaps, 1)) - 1 < ongoing.sum()


def test_the_results_are_those_of_these_arms_and_reach_their_targets():
    for part in ("settings", "plies", "games", "beside", "heaps"):
        frame = pl.read_csv(RESULTS / f"{part}.csv")
        assert list(zip(frame["game"], frame["setting"], frame["algorithm"], frame["runs"], strict=True)) == [
            (arm.game, arm.setting, arm.algorithm, arm.runs) for arm in arms(WORK, part)
        ]
    last, kept = (
        pl.read_csv(RESULTS / "headline.csv").filter(network=name) for name in ("the last one", "the best one kept")
    )
    assert last["unbeatable"][-1] >= 90 and kept["unbeatable"][-1] >= 95 and last["runs"][-1] == 100
    few = pl.read_csv(RESULTS / "settings.csv").filter(setting="temperature in 2 plies")["unbeatable"][0]
    assert [few, *pl.read_csv(RESULTS / "plies.csv")["unbeatable"][:2]] == [0, 0, 16]
    heaps = pl.read_csv(RESULTS / "heaps.csv")
    assert heaps["positions"].to_list() == [47, 383, 3839, 46079]
    assert heaps["unbeatable"].to_list() == [10, 10, 10, 0] and (heaps["won_positions_most"] < 1).all()
    lows, highs = heaps["won_positions_low"], heaps["won_positions_high"]
    assert highs[3] < lows[2] and highs[2] < min(lows[:2])
    assert heaps["won_positions_of_random"].to_list() == sorted(heaps["won_positions_of_random"], reverse=True)
    boards = pl.read_csv(RESULTS / "games.csv").filter(game="connect4:columns=4,rows=4")
    assert boards["search_unbeatable"][0] == boards["runs"][0] == 10


def test_cloning_is_that_of_the_plan_and_its_claims_hold():
    frame, planned = pl.read_csv(RESULTS / "cloning.csv"), WORK.plan("ttt_fast.studies.alphazero").cloning["arms"]
    assert frame["runs"].to_list() == [10] * len(planned)
    for row, arm in zip(frame.to_dicts(), planned, strict=True):
        names = ("algorithm", "games")
        assert [row[name] for name in names] == [arm[name] for name in names]
        assert (row["random_share"], row["epochs"]) == (arm.get("random_share"), arm.get("epochs", 0))
        recorded = arm["games"] * arm.get("epochs", 0)
        assert row["played"] + recorded == TrainingConfig(episodes=arm["episodes"]).episodes

    def ends(**where):
        return frame.filter(**where).select("low", "high").row(0)

    def overlap(one, other):
        return one[0] <= other[1] and other[0] <= one[1]

    erring, perfect = (
        {name: ends(algorithm=name, random_share=share, games=10_000) for name in ("dqn", "alphazero")}
        for share in (0.2, 0.0)
    )
    assert erring["dqn"][0] > perfect["dqn"][1] and overlap(erring["alphazero"], perfect["alphazero"])
    assert frame.filter(algorithm="dqn", games=0)["unbeatable"].to_list() == [10]
    own, mixed = {"games": 0, "played": 2000}, {"random_share": 0.2, "games": 1000, "played": 1000}
    assert overlap(ends(algorithm="alphazero", **own), ends(algorithm="alphazero", **mixed))
    regrets = [frame.filter(algorithm="alphazero", **arm).row(0, named=True) for arm in (own, mixed)]
    assert regrets[0]["regret_high"] < regrets[1]["regret_low"]
    small = [frame.filter(algorithm="alphazero", random_share=share, games=1000, epochs=100) for share in (0.0, 0.2)]
    assert small[0]["exploitability_high"][0] < small[1]["exploitability_low"][0]


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_teachers_err_as_often_as_they_should(share):
    """Random moves that keep the value are no mistakes; those of the opening belong to nobody."""
    lines = [line.split(",") for line in games_of(teacher_of(share), 2000, seed=3)[1:]]
    games = [{"moves": moves, "opening": int(opening)} for moves, opening in lines]
    assert {game["opening"] for game in games} == set(range(7))
    judged = review(games).row(-1, named=True)
    assert judged["games"] == 2000 and judged["illegal"] == judged["unfinished"] == 0
    assert (judged["mistakes"] > 0) == (share > 0)
    assert judged["mistakes"] < share * judged["open_decisions"] or not share


def test_no_run_beside_alphazero_has_more_time():
    """The times are those of the benchmarks, on one core; other machines and loads change them by a third."""
    rows = json.loads((REPOSITORY / "results" / "bench" / "bench.json").read_text())["groups"]["alphazero"]["rows"]
    page = " ".join(template_of("ttt_fast.studies.alphazero").split())
    small, large = (
        {row["what"].split()[-2].strip(","): round(row["seconds"]) for row in rows if row["what"].endswith(f", {game}")}
        for game in ("tic-tac-toe", "connect4:columns=4,rows=4")
    )
    assert f"`{min(small.values())}` to `{max(small.values())}` seconds of one core on tic-tac-toe" in page
    assert f"AlphaZero has `{large['alphazero']}` seconds, deep Q-learning `{large['dqn']}`" in page
    assert f"afterstates `{large['afterstate']}` and Q-learning `{large['q']}`" in page
    assert len(large) == 4 and max(large.values()) == large["alphazero"]
    beside = pl.read_csv(RESULTS / "beside.csv").filter(game="connect4:columns=4,rows=4")
    ends = {row["algorithm"]: row for row in beside.to_dicts()}
    assert ends["dqn"]["unbeatable_once"] == 0
    overlapping = [ends[name] for name in ("alphazero", "q", "afterstate")]
    assert max(one["low"] for one in overlapping) < min(one["high"] for one in overlapping)
