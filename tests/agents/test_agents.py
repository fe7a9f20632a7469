"""Agent strings: what they mean, and that anything else is one clear line."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ttt_fast.agents.registry import (
    AGENTS,
    COMPOSITES,
    agent_rows,
    parse_agent,
    split_agents,
)
from ttt_fast.core.errors import AgentError, TttFastError
from ttt_fast.core.specs import split_outside_parentheses
from ttt_fast.policies.files import save_policy
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import enumerate_states


def same(spec, other):
    return np.array_equal(parse_agent(spec).probabilities, parse_agent(other).probabilities)


def error_of(spec):
    with pytest.raises(AgentError) as caught:
        parse_agent(spec)
    message = str(caught.value)
    assert "\n" not in message and message[0].islower() and caught.value.exit_code == 2
    return message


@pytest.mark.parametrize(
    ("spec", "other"),
    [
        ("minimax:tie=uniform,prefer=none", "minimax"),
        ("minimax:prefer=fast,tie=first", "minimax:tie=first,prefer=fast"),
        ("random:frozen=none", "random"),
        ("random:frozen=007", "random:frozen=7"),
        ("default:skill=1", "default"),
        ("default:skill=1e-2", "default:skill=1/100"),
        ("default:skill=0", "random"),
        ("buggy:as=written", "buggy"),
        ("buggy2:as=written", "buggy2"),
        ("heuribot:as=written", "heuribot"),
        ("(random)", "random"),
        (" ((minimax : tie=first)) ".replace(" :", ":"), "minimax:tie=first"),
        ("minimax: tie = first , prefer = fast", "minimax:tie=first,prefer=fast"),
        ("best-response:random", "best-response:random,objective=score"),
        ("best-response:(minimax:tie=first,prefer=fast),objective=wins",
         "best-response:minimax:tie=first,prefer=fast,objective=wins"),
        ("best-response:best-response:random", "best-response:(best-response:(random))"),
        ("mix:1*random", "random"),
        ("mix:0.5*random+0.5*random", "random"),
        ("mix:0*minimax+1*random", "random"),
        ("mix:1/2*(mix:1/2*minimax+1/2*random)+1/2*random", "mix:0.25*minimax+0.75*random"),
        ("mix:0.25*minimax:tie=first,prefer=fast+0.75*random",
         "mix:0.25*(minimax:prefer=fast,tie=first)+0.75*random"),
        ("mix:1e-3*random+0.999*minimax", "mix:1/1000*random+999/1000*minimax"),
    ],
)  # fmt: skip
def test_spellings_of_the_same_player(spec, other):
    assert same(spec, other)


@pytest.mark.parametrize(
    "spec",
    [
        "random",
        "minimax:tie=last,prefer=fast",
        "(heuribot)",
        "best-response:(mix:0.5*random+0.5*minimax),objective=wins",
        "mix:1/3*random+2/3*(minimax:tie=first)",
    ],
)
def test_the_name_is_kept_as_typed(spec):
    assert parse_agent(spec).name == spec
    assert parse_agent(f"  {spec} ").name == spec


@pytest.mark.parametrize(
    ("spec", "other"),
    [
        ("minimax:tie=first", "minimax:tie=last"),
        ("minimax:tie=first", "minimax:tie=column-major"),
        ("minimax", "minimax:prefer=fast"),
        ("random:frozen=1", "random:frozen=2"),
        ("default", "default:skill=0.99"),
        ("buggy", "buggy:as=coded"),
        ("buggy2", "buggy2:as=coded"),
        ("heuribot", "heuribot:as=coded"),
        ("heuribot:as=coded", "heuribot:as=lone-fork"),
        ("best-response:random", "best-response:random,objective=wins"),
    ],
)
def test_options_make_a_difference(spec, other):
    assert not same(spec, other)


def test_shares_of_a_mixture_are_fractions():
    mixed = parse_agent("mix:1/3*minimax:tie=first+2/3*random")
    total = int(mixed.weights[0].sum())
    expected = [Fraction(1, 3) + Fraction(2, 27)] + [Fraction(2, 27)] * 8
    assert [Fraction(int(weight), total) for weight in mixed.weights[0]] == expected


def test_a_mixture_with_a_policy_of_floats_has_floats(tmp_path, agent):
    path = tmp_path / "third.npz"
    save_policy(path, Policy.from_probabilities(agent("random").probabilities, "floats"))
    mixed = parse_agent(f"mix:0.5*minimax:tie=first+0.5*{path}")
    assert not mixed.is_exact
    expected = (agent("minimax:tie=first").probabilities + agent("random").probabilities) / 2
    np.testing.assert_allclose(mixed.probabilities, expected, rtol=0, atol=1e-15)


def test_a_file_is_an_agent(tmp_path, agent):
    path = tmp_path / "mine.npz"
    save_policy(path, agent("buggy2"))
    policy = parse_agent(str(path))
    assert policy.name == str(path)
    np.testing.assert_array_equal(policy.probabilities, agent("buggy2").probabilities)
    assert parse_agent(f"best-response:{path}").name == f"best-response:{path}"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("randm", "random"),
        ("minmax", "minimax"),
        ("heuribott", "heuribot"),
        ("bugy2", "buggy2"),
        ("best-respons:random", "best-response"),
        ("mixx:0.5*random", "mix"),
        ("defualt", "default"),
        ("Minimax", "minimax"),
    ],
)
def test_a_near_name_is_suggested(typo, meant):
    message = error_of(typo)
    assert repr(typo) in message and meant in message.split("expected ")[1].split(", or a policy file")[0]


def test_a_far_name_lists_all():
    message = error_of("zzzzzz")
    assert all(name in message for name in [*AGENTS, *COMPOSITES])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "unknown agent ''"),
        ("()", "unknown agent ''"),
        ("random:", "unknown option ''"),
        ("random:seed=1", "unknown option 'seed=1'"),
        ("random:frozen", "expected frozen=SEED"),
        ("random:frozen=-1", "a non-negative integer"),
        ("random:frozen=1.5", "got '1.5'"),
        ("random:frozen=9999999999999999999", "a non-negative integer"),
        ("minimax:tie=best", "uniform or first or last or column-major"),
        ("minimax:tie=first,tie=last", "'tie' twice"),
        ("minimax:prefer=slow", "none or fast"),
        ("minimax:skill=1", "unknown option 'skill=1'"),
        ("default:skill=1.1", "a probability from 0 to 1"),
        ("default:skill=-0.1", "a probability from 0 to 1"),
        ("default:skill=x", "got 'x'"),
        ("default:skill=1/0", "got '1/0'"),
        ("default:skill=0.0000001", "at most 6 decimals"),
        ("default:skill=nan", "got 'nan'"),
        ("buggy:as=meant", "written or coded"),
        ("heuribot:as=best", "lone-fork"),
        ("best-response:", "unknown agent ''"),
        ("best-response", "expected"),
        ("best-response:nobody", "unknown agent 'nobody'"),
        ("best-response:random,objective=draws", "score or wins"),
        ("mix:", "expected mix:P*AGENT"),
        ("mix:random", "expected mix:P*AGENT"),
        ("mix:0.5*random", "sum to 1"),
        ("mix:0.5*random+0.6*minimax", "sum to 1"),
        ("mix:-1*random+2*minimax", "'-1*random'"),
        ("mix:1/0*random", "'1/0*random'"),
        ("mix:nan*random", "'nan*random'"),
        ("mix:1*nobody", "unknown agent 'nobody'"),
        ("mix:0.5*random+", "the part ''"),
        ("mix:0.5*minimax:tie=bad+0.5*random", "got 'bad'"),
        ("(random", "unknown agent"),
        ("random)", "unknown agent"),
        (")random(", "unknown agent"),
        ("(" * 40 + "random" + ")" * 40, "inside each other"),
        ("best-response:" * 40 + "random", "inside each other"),
    ],
)
def test_wrong_strings_say_what_is_wrong(spec, words):
    assert words in error_of(spec)


def test_a_missing_file_is_named():
    with pytest.raises(TttFastError, match=r"nowhere\.npz") as caught:
        parse_agent("nowhere.npz")
    assert len(str(caught.value).splitlines()) == 1


SIMPLE = st.sampled_from(
    ["random", "minimax", "buggy", "buggy2", "heuribot", "default", "random:frozen=3", "default:skill=0.2",
     "minimax:tie=first", "minimax:tie=last,prefer=fast", "heuribot:as=coded", "buggy:as=coded"]
)  # fmt: skip


def mixtures(agents):
    def spelled(weighted):
        total = sum(weight for weight, _ in weighted)
        return "mix:" + "+".join(f"{weight}/{total}*({one})" for weight, one in weighted)

    return st.lists(st.tuples(st.integers(1, 9), agents), min_size=1, max_size=3).map(spelled)


SPECS = st.recursive(
    SIMPLE,
    lambda agents: (
        agents.map(lambda one: f"({one})")
        | st.tuples(agents, st.sampled_from(["", ",objective=score", ",objective=wins"])).map(
            lambda pair: f"best-response:({pair[0]}){pair[1]}"
        )
        | mixtures(agents)
    ),
    max_leaves=4,
)


@settings(max_examples=60)
@given(SPECS)
def test_every_string_of_the_grammar_is_a_policy_of_that_name(spec):
    policy = parse_agent(spec)
    assert policy.name == spec and policy.is_exact
    assert split_agents(f"random,({spec}),minimax") == ["random", f"({spec})", "minimax"]


FRAGMENTS = st.sampled_from(
    [*AGENTS, *COMPOSITES, ":", ",", "=", "+", "*", "(", ")", "0.5", "1/3", "1", "e9", "-", "tie", "first",
     "frozen", "skill", "as", "coded", "objective", "wins", " ", "\n", "\0", ".npz", ".dat", "/", "..", "½", "٣"]
)  # fmt: skip


def policy_or_one_line(spec):
    try:
        assert isinstance(parse_agent(spec), Policy)
    except TttFastError as error:
        assert len(str(error).splitlines()) == 1, str(error)


@settings(max_examples=400)
@given(st.lists(FRAGMENTS, max_size=12).map("".join))
@example("mix:1e99999999*random")
@example("mix:1/3*random+2/3*\n.npz")
@example("random:frozen=٣")
@example("\0.npz")
@example("a" * 5000 + ".npz")
@example(".")
@example("/")
def test_strings_of_the_words_of_the_grammar(spec):
    policy_or_one_line(spec)


@settings(max_examples=300)
@given(st.text(max_size=40))
def test_any_text_at_all(spec):
    policy_or_one_line(spec)


@settings(max_examples=200)
@given(SPECS, st.integers(0, 200), FRAGMENTS | st.characters())
def test_a_broken_string_of_the_grammar(spec, position, inserted):
    position %= len(spec) + 1
    policy_or_one_line(spec[:position] + inserted + spec[position:])
    policy_or_one_line(spec[:position] + spec[position + 1 :])


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("random", ["random"]),
        ("random,minimax", ["random", "minimax"]),
        (" random , minimax ", ["random", "minimax"]),
        ("minimax:tie=first,prefer=fast,heuribot", ["minimax:tie=first,prefer=fast", "heuribot"]),
        ("best-response:random,objective=wins,random", ["best-response:random,objective=wins", "random"]),
        ("a=b.npz,random", ["a=b.npz", "random"]),
        ("random,a=b.npz", ["random", "a=b.npz"]),
        ("(minimax:tie=first,prefer=fast),random", ["(minimax:tie=first,prefer=fast)", "random"]),
        ("mix:0.5*(minimax:tie=first,prefer=fast)+0.5*random,buggy:as=coded",
         ["mix:0.5*(minimax:tie=first,prefer=fast)+0.5*random", "buggy:as=coded"]),
    ],
)  # fmt: skip
def test_lists_of_agents(text, agents):
    assert split_agents(text) == agents


@given(st.lists(SPECS, min_size=1, max_size=4))
def test_a_joined_list_splits_into_its_agents(specs):
    assert split_agents(",".join(specs)) == specs


@given(st.text("ab,+()", max_size=15), st.sampled_from(",+"))
def test_splitting_loses_nothing(text, separator):
    assert separator.join(split_outside_parentheses(text, separator)) == text


def test_every_option_is_listed_with_its_default():
    rows = agent_rows()
    assert [row["agent"] for row in rows if row["agent"] in AGENTS] == list(AGENTS)
    listed = {(row["option"], row["values"], row["default"]) for row in rows if row["option"]}
    assert listed == {
        (key, option.values, option.default) for one in AGENTS.values() for key, option in one.options.items()
    }
    assert all(row["meaning"] for row in rows) and {tuple(row) for row in rows} == {
        ("agent", "option", "values", "default", "meaning")
    }
    for usage in COMPOSITES.values():
        assert usage in [row["agent"] for row in rows]


@pytest.mark.parametrize("name", AGENTS)
def test_the_documented_default_is_the_default(name):
    options = ",".join(f"{key}={option.default}" for key, option in AGENTS[name].options.items())
    assert same(name, f"{name}:{options}")


@pytest.mark.parametrize("spec", ["random", "minimax:tie=first", "best-response:random", "mix:0.5*random+0.5*minimax"])
def test_agents_of_another_game(spec):
    table = enumerate_states(np.array([0o111, 0o222, 0o444, 0o007, 0o070, 0o700]))
    policy = parse_agent(spec, table)
    sums = policy.probabilities.sum(axis=1)
    np.testing.assert_allclose(sums, table.decision_mask, atol=1e-12)
    assert not policy.probabilities[~table.legal_action_mask].any()
