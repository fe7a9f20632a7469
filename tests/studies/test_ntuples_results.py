"""What the page of n-tuples says, held against its files; the file that ships is made from one of its runs."""

import polars as pl

from conftest import REPOSITORY
from ttt_fast.agents.shipped import WEIGHTS
from ttt_fast.core.archive import read_meta
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.ntuples.recipe import config_of

RESULTS = REPOSITORY / "results" / "ntuples"
PLAN = Runner(REPOSITORY / "none", quick=False, threads=1).plan("ttt_fast.studies.ntuples")
LAST = "all games, step size 1, exploration 0.2 to 0.02"


def ends(frame, end):
    """The lower or upper ends of the intervals of the agreement, by the first column."""
    return dict(zip(frame.to_series(0), frame[f"agreement_{end}"], strict=True))


def test_an_arm_of_the_recipe_is_one_change_and_the_last_one_is_the_default():
    base, *others = ({**PLAN.recipe["base"], **arm} for arm in PLAN.recipe["arms"])
    changed = [[name for name in one if name != "setting" and one[name] != base.get(name)] for one in others]
    assert [len(names) for names in changed] == [1] * (len(others) - 1) + [3]
    usual = config_of(0)
    for arm in (others[-1], PLAN.full["base"]):
        settings = {name: value for name, value in arm.items() if name != "setting"}
        assert config_of(0, **settings | {"episodes": usual.episodes}) == usual
    assert {one["episodes"] for one in (base, *others)} == {"300k"} and PLAN.full["base"]["episodes"] == "2M"


def test_the_claims_of_the_recipe_hold():
    frame, full = pl.read_csv(RESULTS / "recipe.csv"), pl.read_csv(RESULTS / "full.csv")
    assert frame["setting"].to_list() == [arm["setting"] for arm in PLAN.recipe["arms"]] and set(frame["runs"]) == {5}
    low, high = ends(frame, "low") | ends(full, "low"), ends(frame, "high") | ends(full, "high")
    half = "12 plies in half of the games"
    assert high["4 plies"] < low[half] and high[half] < low["in all games"]
    assert high["step size 0.2"] < low[half] and high[half] < low["step size 1"]
    assert all(high[one] < low[LAST] for one in frame["setting"] if one != LAST)
    for alike in ("20 plies", "one table", "exploration 0.02", "exploration 0.2 to 0.02"):
        assert low[alike] <= high[half] and low[half] <= high[alike]
    assert high[LAST] < low[70] and high[70] < low[200]


def test_the_claims_of_the_file_hold():
    meta = read_meta(WEIGHTS / "connect4.npz")
    assert meta["command"] == "ttt-fast train --game connect4 --algorithm td --tuples 200"
    kept = pl.read_csv(RESULTS / "kept_moves.csv").filter(agent="shipped", source="all")["share"][0]
    whole = pl.read_csv(RESULTS / "full.csv").filter(tuples=200)["first_agreement"][0]
    assert 0 < whole - kept < 0.015 and kept > 0.9
    games = pl.read_csv(RESULTS / "first_mover.csv").row(0, named=True)
    assert games["share"] > 0.75 and games["won"] + games["drawn"] + games["lost"] == games["distinct"] > 100


def test_the_claims_of_the_proofs_hold():
    frame = pl.read_csv(RESULTS / "reached.csv")
    for row in frame.iter_rows(named=True):
        is_small = row["board"] == "connect4:columns=4,rows=4"
        assert row["runs"] == 5 and (row["reached"] == 5) == (is_small or row["refutations"])
        assert row["p_value"] is None or (row["p_value"] > 0.05) == is_small
