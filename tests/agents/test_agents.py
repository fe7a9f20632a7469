"""Agent strings: what they mean, and that anything else is one clear line."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from conftest import examples
from ttt_fast import (
    AgentError,
    AgentSpec,
    Policy,
    TableSizeError,
    TttFastError,
    UsageError,
    as_player,
    as_policy,
    list_agents,
    parse_game,
    save_policy,
)
from ttt_fast.agents.catalogue import AGENTS
from ttt_fast.games.registry import GAMES

OTHER_GAMES = ["tic-tac-toe:misere=yes", "connect4:columns=3,rows=3,length=3"]


def same(spec, other):
    return np.array_equal(as_policy(spec).probabilities, as_policy(other).probabilities)


def error_of(spec):
    with pytest.raises(AgentError) as caught:
        as_policy(spec)
    message = str(caught.value)
    assert "\n" not in message and message[0].islower() and caught.value.exit_code == 2
    return message


@pytest.mark.parametrize(
    ("spec", "other"),
    [
        ("minimax:prefer=fast,tie=first", "minimax:tie=first,prefer=fast"),
        ("random:frozen=none", "random"),
        ("random:frozen=007", "random:frozen=7"),
        ("default:skill=1e-2", "default:skill=1/100"),
        ("default:skill=0", "random"),
        ("buggy:as=written", "buggy"),
        ("(random)", "random"),
        (" ((minimax : tie=first)) ".replace(" :", ":"), "minimax:tie=first"),
        ("minimax: tie = first , prefer = fast", "minimax:tie=first,prefer=fast"),
        ("best-response:random", "best-response:random,objective=value"),
        ("best-response:(minimax:tie=first,prefer=fast),objective=wins",
         "best-response:minimax:tie=first,prefer=fast,objective=wins"),
        ("best-response:best-response:random", "best-response:(best-response:(random))"),
        ("mix:1*random", "random"),
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
    mixed = as_policy("mix:1/3*minimax:tie=first+2/3*random")
    total = int(mixed.weights[0].sum())
    expected = [Fraction(1, 3) + Fraction(2, 27)] + [Fraction(2, 27)] * 8
    assert [Fraction(int(weight), total) for weight in mixed.weights[0]] == expected


def test_a_mixture_with_a_policy_of_floats_has_floats(tmp_path, agent, table):
    path = tmp_path / "third.npz"
    save_policy(path, Policy.from_probabilities(table, agent("random").probabilities, "floats"))
    mixed = as_policy(f"mix:0.5*minimax:tie=first+0.5*{path}")
    assert not mixed.is_exact
    expected = (agent("minimax:tie=first").probabilities + agent("random").probabilities) / 2
    np.testing.assert_allclose(mixed.probabilities, expected, rtol=0, atol=1e-15)


def test_a_file_is_an_agent(tmp_path, agent):
    path = tmp_path / "mine.npz"
    save_policy(path, agent("buggy2"))
    policy = as_policy(str(path))
    assert policy.name == str(path)
    np.testing.assert_array_equal(policy.probabilities, agent("buggy2").probabilities)
    assert as_policy(f"best-response:{path}").name == f"best-response:{path}"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("randm", "random"),
        ("minmax", "minimax"),
        ("best-respons:random", "best-response"),
        ("mixx:0.5*random", "mix"),
        ("Minimax", "minimax"),
    ],
)
def test_a_near_name_is_suggested(typo, meant):
    message = error_of(typo)
    assert repr(typo) in message and meant in message.split("did you mean ")[1].split("?")[0]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "unknown agent ''"),
        ("()", "unknown agent '()'"),
        ("random:", "unknown option ''"),
        ("random:seed=1", "unknown option 'seed=1'"),
        ("random:frozen", "expected frozen=SEED"),
        ("random:frozen=-1", "an integer from 0 to 999999999999999999"),
        ("random:frozen=9999999999999999999", "an integer from 0 to 999999999999999999"),
        ("minimax:tie=best", "uniform or first or last or column-major"),
        ("minimax:tie=first,tie=last", "'tie' twice"),
        ("default:skill=1.1", "a probability from 0 to 1"),
        ("default:skill=1/0", "got '1/0'"),
        ("default:skill=0.0000001", "at most 6 decimals"),
        ("heuribot:as=best", "lone-fork"),
        ("best-response:", "unknown agent ''"),
        ("best-response", "expected"),
        ("best-response:random,objective=draws", "value or wins"),
        ("mix:", "expected mix:P*AGENT"),
        ("mix:random", "expected mix:P*AGENT"),
        ("mix:0.5*random", "sum to 1"),
        ("mix:-1*random+2*minimax", "'-1*random'"),
        ("mix:1/0*random", "'1/0*random'"),
        ("mix:0.5*minimax:tie=bad+0.5*random", "got 'bad'"),
        ("(random", "unknown agent"),
        ("random)", "unknown agent"),
        ("(" * 40 + "random" + ")" * 40, "levels of nested agents"),
        ("best-response:" * 40 + "random", "levels of nested agents"),
    ],
)
def test_wrong_strings_say_what_is_wrong(spec, words):
    assert words in error_of(spec)


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
        | st.tuples(agents, st.sampled_from(["", ",objective=value", ",objective=wins"])).map(
            lambda pair: f"best-response:({pair[0]}){pair[1]}"
        )
        | mixtures(agents)
    ),
    max_leaves=4,
)


@settings(max_examples=examples(60))
@given(SPECS)
def test_every_string_of_the_grammar_is_a_policy_of_that_name(spec):
    policy = as_policy(spec)
    assert policy.name == spec and policy.is_exact
    assert AgentSpec.split(f"random,({spec}),minimax") == ["random", f"({spec})", "minimax"]


FRAGMENTS = st.sampled_from(
    [*AGENTS, "mix", "best-response", ":", ",", "=", "+", "*", "(", ")", "0.5", "1/3", "1", "e9", "-", "tie", "first",
     "frozen", "skill", "as", "coded", "objective", "wins", " ", "\n", "\0", ".npz", ".dat", "/", "..", "½", "٣"]
)  # fmt: skip


def policy_or_one_line(spec):
    try:
        assert isinstance(as_policy(spec), Policy)
    except TttFastError as error:
        assert len(str(error).splitlines()) == 1, str(error)


@pytest.mark.parametrize("spec", [
    "mix:1e99999999*random", "mix:1/3*random+2/3*\n.npz", "random:frozen=٣", "\0.npz", "a" * 5000 + ".npz", ".", "/",
])  # fmt: skip
def test_odd_strings_are_one_line(spec):
    policy_or_one_line(spec)


@settings(max_examples=examples(200))
@given(SPECS, st.integers(0, 200), FRAGMENTS | st.characters())
def test_a_broken_string_of_the_grammar(spec, position, inserted):
    position %= len(spec) + 1
    policy_or_one_line(spec[:position] + inserted + spec[position:])
    policy_or_one_line(spec[:position] + spec[position + 1 :])


def test_every_option_is_listed_with_its_default():
    rows = list_agents(by_option=True)
    assert [row["agent"] for row in rows if row["agent"] in AGENTS] == sorted(
        AGENTS, key=lambda one: AGENTS[one].study != ""
    )
    assert {row["agent"] for row in rows if row["study"] == "langan"} == {"buggy", "buggy2"}
    listed = {(row["option"], row["values"], row["default"]) for row in rows if row["option"]}
    assert listed == {
        (key, option.values, option.default) for one in AGENTS.values() for key, option in one.options.items()
    }
    assert all(row["meaning"] for row in rows) and {tuple(row) for row in rows} == {
        ("agent", "option", "values", "default", "meaning", "games", "study")
    }
    names = {row["agent"] for row in rows}
    assert {"mix:P*AGENT+P*AGENT+...", "best-response:AGENT[,objective=value|wins]"} <= names


@pytest.mark.parametrize("name", GAMES)
def test_the_agents_of_one_game_are_listed(name):
    rows = list_agents(name, by_option=True)
    listed = [row["agent"] for row in rows if row["agent"] in AGENTS]
    assert sorted(listed) == sorted(agent for agent, one in AGENTS.items() if not one.games or name in one.games)
    assert all(name in row["games"].split(", ") for row in rows if row["agent"] in AGENTS)


POLICIES = [
    name
    for name, one in AGENTS.items()
    if one.policy is not None and one.fits(parse_game("tic-tac-toe")) and name != "puct"  # which needs a file
]


def with_defaults(name):
    return f"{name}:" + ",".join(f"{key}={option.default}" for key, option in AGENTS[name].options.items())


@pytest.mark.parametrize("name", POLICIES)
def test_the_documented_default_is_the_default(name):
    assert same(name, with_defaults(name))


@pytest.mark.parametrize("name", [name for name, one in AGENTS.items() if one.player is not None and one.options])
def test_the_documented_defaults_of_a_player_are_accepted(name):
    game = parse_game(AGENTS[name].games[0] if AGENTS[name].games else "connect4")
    assert as_player(with_defaults(name), game).name == with_defaults(name)


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("heuribot", "tic-tac-toe:misere=yes", "which plays tic-tac-toe"),
        ("buggy", "connect4:columns=4,rows=4", "which plays tic-tac-toe"),
        ("mix:0.5*random+0.5*buggy2", "tic-tac-toe:misere=yes", "got 'buggy2'"),
        ("solver", "tic-tac-toe", "which plays connect4"),
        ("minimax-3", "connect4:columns=4,rows=4", "which plays ultimate"),
        ("mcts", "tic-tac-toe", "expected an agent with a policy over the states of tic-tac-toe, got 'mcts'"),
        ("best-response:mcts", "tic-tac-toe", "got 'mcts'"),
        ("minimax:tie=column-major", "connect4:columns=4,rows=4,length=3", "uniform, first, last"),
        ("nobody", "connect4:columns=4,rows=4", "for connect4:columns=4,rows=4; expected"),
    ],
)
def test_an_agent_that_makes_no_policy_of_a_game_says_why(spec, game, words):
    with pytest.raises(UsageError) as caught:
        as_policy(spec, game)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("spec", ["random", "minimax", "best-response:random"])
@pytest.mark.parametrize("game", ["connect4", "ultimate"])
def test_a_game_without_a_table_has_no_policies(spec, game):
    with pytest.raises(TableSizeError, match=f"got '{game}'"):
        as_policy(spec, game)


@pytest.mark.parametrize("spec", ["minimax", "best-response:random", "mix:1*random", "(minimax)"])
def test_an_agent_that_needs_a_table_is_no_player_of_a_large_game(spec):
    with pytest.raises((AgentError, TableSizeError)) as caught:
        as_player(spec, parse_game("ultimate"))
    assert "ultimate" in str(caught.value) and "\n" not in str(caught.value)


def test_a_frozen_random_player_needs_a_table():
    with pytest.raises(AgentError, match="a game with a state table for 'random:frozen=3', got 'connect4'"):
        as_player("random:frozen=3", parse_game("connect4"))
    small = parse_game("connect4:columns=3,rows=3,length=3")
    assert sorted(as_player("random:frozen=3", small).probabilities(small.initial_state)) == [0, 0, 1]


@pytest.mark.parametrize("game", [*OTHER_GAMES, "tic-tac-toe"])
@pytest.mark.parametrize("spec", ["random", "default:skill=0.3", "minimax", "best-response:random"])
def test_the_player_of_a_policy_plays_what_the_policy_says(game, spec):
    """`random` and `default` have players of their own for games without a state table: the same probabilities."""
    policy, played = as_policy(spec, game), parse_game(game)
    table, player = policy.table, as_player(spec, played)
    others = [
        AGENTS[name].player(name, played, **options)
        for name, options in (("random", {"frozen": None}), ("default", {"skill": Fraction(3, 10)}))
        if name == spec.partition(":")[0]
    ]
    for state in np.flatnonzero(table.decision_mask)[:: max(1, table.num_states // 200)].tolist():
        expected = np.zeros(table.num_actions)
        edges = slice(table.edge_start[state], table.edge_start[state + 1])
        expected[table.edge_action[edges]] = policy.edge_probabilities[edges]
        for one in (player, *others):
            np.testing.assert_allclose(one.probabilities(table.state(state)), expected, rtol=0, atol=1e-12)
            one.begin(np.uint64(state))
            assert expected[one.search(table.state(state)).action] > 0
