"""Conditions of verdicts: the words that a claim may use, those that it may not, and the claims of all studies."""

from importlib import import_module
from importlib.util import find_spec

import pytest

from study_checks import typed_facts
from ttt_fast.cli.reproduce import DATA
from ttt_fast.core.errors import UsageError
from ttt_fast.studies.engine.conditions import StatementVerdict, is_condition, is_true, judged_by
from ttt_fast.studies.engine.sources import claims_of
from ttt_fast.studies.engine.study import package_of

TABLES = {
    "ends": [{"who": "a", "wins": 5, "so far": 0}, {"who": "b", "wins": 7, "so far": 1},
             {"who": "b", "wins": 9, "so far": 2}],
    "one": [{"share": 0.25, "is_safe": True, "word": "wrong"}],
    "runs": [{"who": who, "won": mean, "won low": mean - half, "won high": mean + half, "as coded_low": mean}
             for who, mean, half in (("a", 0.9, 0.01), ("b", 0.8, 0.01), ("c", 0.7, 0.1))]
    + [{"who": "none", "won": None, "won low": None, "won high": None}],
}  # fmt: skip


STILL_TYPED = {
    "hensler": ["converts the entire QAge", "In early games, all Q-Va", "win_check has linear tim",
                "Full Match O(N^2 A), All", "Q-table (States): O(n)"],
    "langan": ["the reward for that stat", "no further changes are r", "minimax achieved a signi",
               "the states which are not", "attempts were made to ad", "These updates prevented "],
    "sai": ["These are assigned rando", "the first condition chec", "epsilon decreases gradua",
            "I set the rewards for wi", "it takes less memory and"],
    "smirnov": ["the agent does not lose ", r"The best values of \( \a", "the range from 0.1 to 0.",
                "The training periods sta", "the maximum of the agent", r"agents with lower \(\gam",
                "but to a lower maximum", "The optimal value of ", "The conjecture is indeed",
                r"with \(\epsilon=0\), the", "if the hyperparameters a",
                "and in fact better than ", "Double Q-learning does t"],
    "smirnov.dqn": ["I found that the entire ", "the agents peaked quite "],
    "ultimate": ["without changing the res", "we define the value of t", "choose the best. We then",
                 "Choosing a big value hel", "it seems that the 5-step",
                 "the agent is much slower", "$s(i, j) = 100 * (w(i, j"],
}  # fmt: skip
"""Statements whose reason has typed digits, `none` or `exactly N`, by how they begin: the list may only shrink."""


@pytest.mark.parametrize("study", DATA)
def test_reasons_quote_their_facts(study):
    typed = [one.quotation for one in claims_of(package_of(study)) if typed_facts(one.found)]
    assert [one for one in typed if not one.startswith(tuple(STILL_TYPED.get(study, ())))] == []


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("{{one.share}} == 1 / 4", True),
        ("{{one.share}} * 4 < 1 or not {{one.is_safe}}", False),
        ("{{one.word}} != 'wrong'", False),
        ("0.2 < {{one.share}} < 0.3", True),
        ("{{ends.wins who=a}} == 5", True),
        ("all({{each ends.wins}} > 5)", False),
        ("any({{each ends.wins}} > 5) and all({{each ends.wins who=b}} > 5)", True),
        ("{{first ends.wins who=b}} == 7 and {{last ends.wins who=b}} == 9", True),
        ("{{last ends.so_far}} == 2", True),
        ("sum({{each ends.wins}} == {{each ends.wins}}) == 3", True),
        ("max({{each ends.wins}}) - min({{each ends.wins}}) == 4", True),
        ("{{mean runs.won who=a}} > {{mean runs.won who=b}}", True),
        ("{{mean runs.won who=b}} < {{mean runs.won who=a}}", True),
        ("{{mean runs.won who=b}} > {{mean runs.won who=a}}", False),
        ("{{mean runs.won who=b}} > {{mean runs.won who=c}}", False),
        ("{{mean runs.won who=c}} < {{mean runs.won who=b}}", False),
        ("sum({{means runs.won}} < {{mean runs.won who=a}}) == 2", True),
        ("greatest({{means runs.won}}) > {{mean runs.won who=b}}", True),
        ("falls({{means runs.won}}) == 1 and falls({{each ends.wins}}) == 0", True),
        ("sum({{each runs.won}} < 1) == 3 and max({{each runs.won}}) == 0.9", True),
        ("{{runs.as_coded_low who=a}} == 0.9", True),
        ("round(100 * {{one.share}}) == 25 and abs(-{{one.share}}) > 0", True),
    ],
)
def test_conditions(condition, expected):
    assert is_true(condition, TABLES) is expected


@pytest.mark.parametrize(
    ("wins", "verdict"), [(1, "holds"), (2, "holds in part"), (3, "does not hold"), (4, "cannot be told")]
)
def test_the_first_alternative_that_is_true(wins, verdict):
    text = "holds if {{t.a}} == 1 | holds in part if {{t.a}} < 3 | does not hold if {{t.a}} == 3 | cannot be told"
    assert judged_by(text, {"t": [{"a": wins}]}) == verdict


def test_where_none_is_true_it_does_not_hold():
    assert judged_by("holds if {{one.share}} > 1", TABLES) == StatementVerdict.DOES_NOT_HOLD


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("is so if {{one.share}} > 0", "expected a verdict of holds, .*, got 'is so'"),
        ("holds if {{one.share} > 0", "expected a condition, got"),
        ("holds if {{one.none}} > 0", "expected one row of 'one' with 'none'"),
        ("holds if {{ends.wins who=b}} > 0", "expected one row .* found 2"),
        ("holds if all({{each ends.wins who=c}} > 0)", "expected rows of 'ends' .* found 0"),
        ("holds if __import__('os')", "expected comparisons of numbers and all, any"),
        ("holds if {{one.word}}.upper() == 'A'", "expected comparisons of numbers"),
        ("holds if [1]", "expected comparisons of numbers"),
    ],
)
def test_mistakes_are_one_line(text, words):
    with pytest.raises(UsageError, match=words) as told:
        judged_by(text, TABLES)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("study", DATA)
def test_every_judge_is_there_and_used(study):
    """A claim has conditions, a verdict, or a function of `judges.py`; and none of its functions waits in vain."""
    package = package_of(study)
    found = vars(import_module(f"{package}.judges")) if find_spec(f"{package}.judges") else {}
    names = {one.judge for one in claims_of(package) if not is_condition(one.judge)} - set(StatementVerdict)
    assert names <= set(found)
    own = {name for name, one in found.items() if getattr(one, "__module__", "") == f"{package}.judges"}
    asked = {name for name in own if getattr(found[name], "__annotations__", {}).keys() == {"tables", "return"}}
    assert {name for name in asked if not name.startswith("_")} == names
