"""Old names of columns: the table of them, and the name that is meant."""

from itertools import chain

import pytest

from ttt_fast.core.columns import RENAMED, current_column, renamed_columns

OLD = {
    "a scorecard": ("x,o,value,best_value,states,gap", "x,o,value,best_value,states,regret"),
    "the states of a policy": ("board,action,agrees,value_lost", "board,action,agrees,regret"),
    "a unit of a sweep": ("unit,best_score,episodes,wins,score", "unit,best_value,episodes,wins,value"),
    "a summary of a sweep": (
        "epsilon,seeds,mean_score,sd_score,min_score,max_score,best_score,reached",
        "epsilon,seeds,mean_value,sd_value,min_value,max_value,best_value,reached",
    ),
    "scores of the suite": (
        "learner,problem,episodes,score,score_low,score_high,over_budget,min_score,at_best,mean_value,best_value",
        "learner,problem,episodes,normalised_score,normalised_score_low,normalised_score_high,over_budget,"
        "min_normalised_score,at_best,mean_value,best_value",
    ),
    "curves of the suite": (
        "learner,problem,budget,score,score_low,score_high",
        "learner,problem,budget,normalised_score,normalised_score_low,normalised_score_high",
    ),
    "exact networks": ("setting,exact_at_the_end,mean_gap,best", "setting,exact_at_the_end,mean_regret,best"),
    "a curve of n-tuple tables": ("episodes,kept_value", "episodes,agreement"),
    "kept moves": (
        "agent,part,positions,kept,share,share_low,share_high,share_by_chance",
        "agent,part,positions,agreeing,agreement,agreement_low,agreement_high,agreement_by_chance",
    ),
}
KEPT = {
    "a summary of a contest": "agent,opponent,games,wins,draws,losses,score,score_low,score_high,elo",
    "a meter": "episodes,wins,value,best_value,regret",
    "rows of somebody else": "step,gap,score,share,kept,kept_value",
    "both names": "value,best_value,gap,regret",
}


@pytest.mark.parametrize("kind", OLD)
def test_an_old_file_gets_the_names_of_today(kind):
    old, new = (columns.split(",") for columns in OLD[kind])
    names = renamed_columns(old)
    assert [names.get(column, column) for column in old] == new
    assert renamed_columns(new) == {}
    assert [current_column(column, new) for column in old] == new


@pytest.mark.parametrize("kind", KEPT)
def test_other_files_keep_their_names(kind):
    assert renamed_columns(KEPT[kind].split(",")) == {}


def test_each_rule_has_a_case():
    told = set(chain.from_iterable(old.split(",") for old, _ in OLD.values()))
    assert told >= set(chain.from_iterable(renaming.names for renaming in RENAMED))


def test_a_name_that_nothing_stands_for_stays():
    assert current_column("gap", ["wins"]) == "gap" and current_column("nonsense", []) == "nonsense"
