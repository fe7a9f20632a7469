"""What the page of n-tuples says, held against its files; the file that ships is made from one of its runs."""

import polars as pl

from conftest import REPOSITORY
from ttt_fast import TrainingConfig
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


def test_the_claims_of_the_networks_hold():
    rows = list(pl.read_csv(RESULTS / "elsewhere.csv").iter_rows(named=True))
    assert len(rows) == len(PLAN.elsewhere["arms"]) == 8 and {row["runs"] for row in rows} == {10}
    of = {(row["board"][9:], row["algorithm"], row["opening_plies"]): row for row in rows}
    for (board, algorithm, plies), opened in of.items():
        without = of[board, algorithm, 0]
        assert without["games"] == opened["games"] and without["p_value"] is None
        if plies and algorithm == "alphazero":
            assert without["agreement_high"] < opened["agreement_low"] and opened["p_value"] < 0.001
    small, large = ({key[1:]: row for key, row in of.items() if key[0] == f"columns={n},rows=4"} for n in (4, 5))
    assert {row["unbeatable"] for row in large.values()} == {0}
    assert small["alphazero", 0]["unbeatable"] < small["alphazero", 12]["unbeatable"]
    assert small["alphazero", 12]["low"] < small["alphazero", 0]["high"]
    assert small["dqn", 12]["agreement_high"] < small["dqn", 0]["agreement_low"] and small["dqn", 12]["p_value"] < 0.05
    assert large["dqn", 12]["p_value"] > 0.05
    assert all(small["dqn", plies]["agreement_low"] > small["alphazero", plies]["agreement_high"] for plies in (0, 12))
    usual = TrainingConfig(algorithm="dqn", opponent="self", game="connect4:columns=4,rows=4")
    assert usual.settings.epsilon.text == "1"


def test_the_claims_of_the_proofs_hold():
    frame = pl.read_csv(RESULTS / "reached.csv")
    of = {(row["board"][9:], row["refutations"]): row for row in frame.iter_rows(named=True)}
    boards = [f"columns={columns},rows={height}" for columns, height in ((4, 4), (5, 4), (6, 4), (5, 5))]
    assert [board for board, refuted in of if refuted] == boards
    for board, runs in zip(boards, (5, 5, 5, 1), strict=True):
        assert of[board, True]["reached"] == of[board, True]["runs"] == of[board, False]["runs"] == runs
    assert of[boards[0], False]["reached"] == 5 and of[boards[0], True]["p_value"] > 0.05
    for board in boards[1:3]:
        assert of[board, False]["first"] > of[board, True]["last"] and of[board, True]["p_value"] < 0.05
    assert of[boards[3], False]["reached"] == 0
    assert [of[board, True]["seat"] for board in boards] == ["x", "x", "o", "x"]
