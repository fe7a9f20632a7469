"""Agents as they are handed over in Python: strings, policies and code of others mean the same in every function."""

import pytest

import ttt_fast
from ttt_fast import AgentError, BoardError, PolicyError, as_player, as_policy
from ttt_fast.evaluate.strength import strength
from ttt_fast.games import api
from ttt_fast.learners import start_training
from ttt_fast.policies.best_response import best_response

SMALL = "connect4:columns=3,rows=3,length=3"


def first(state):
    return api.legal_actions(state)[0]


class Last:
    def choose(self, state):
        return api.legal_actions(state)[-1]


def wins(outcome):
    return outcome.x_wins, outcome.draws, outcome.o_wins


EXACT = {
    "exact_outcome": lambda agent, **game: wins(ttt_fast.exact_outcome(agent, "random", **game)),
    "exact_outcome, o": lambda agent, **game: wins(ttt_fast.exact_outcome("random", agent, **game)),
    "exact_fractions": lambda agent, **game: ttt_fast.exact_fractions(agent, "random", **game),
    "exploitability": ttt_fast.exploitability,
    "never_loses": lambda agent, **game: ttt_fast.never_loses(agent, "o", **game),
    "agreement": lambda agent, **game: ttt_fast.agreement(agent, "x", **game),
    "regret": lambda agent, **game: ttt_fast.regret(agent, **game).tolist(),
    "best_response": lambda agent, **game: ttt_fast.best_response(agent, **game).stored.tolist(),
    "scorecard": lambda agent, **game: ttt_fast.scorecard(agent, ["random"], **game),
}


@pytest.mark.parametrize("game", ["tic-tac-toe", SMALL])
@pytest.mark.parametrize("call", EXACT)
def test_a_string_means_its_policy(call, game):
    found = EXACT[call]("minimax:tie=first", game=game)
    assert found == EXACT[call](as_policy("minimax:tie=first", game))
    assert found != EXACT[call]("random", game=game)


@pytest.mark.parametrize("own", [first, Last()])
@pytest.mark.parametrize("call", [call for call in EXACT if "score" not in call])  # whose rows have names
def test_own_code_means_its_answers(call, own):
    choose = own if callable(own) else own.choose
    table = ttt_fast.table_of(SMALL)
    actions = [choose(table.state(state)) if table.decision_mask[state] else 0 for state in range(table.num_states)]
    assert EXACT[call](own, game=SMALL) == EXACT[call](ttt_fast.Policy.from_actions(table, actions))


def test_the_game_of_a_string_is_that_of_the_policy_beside_it():
    random = as_policy("random", SMALL)
    for pair in (("random", random), (random, "minimax")):
        assert ttt_fast.exact_outcome(*pair).table is random.table
    with pytest.raises(PolicyError, match="expected two policies for the same game"):
        ttt_fast.exact_outcome("random", random, game="tic-tac-toe")


@pytest.mark.parametrize("seat", ["x", "X", 1, ttt_fast.Seat.X, ttt_fast.Seat("x")])
def test_a_seat_is_a_letter_or_a_number(seat):
    assert strength(as_policy("heuribot"), as_policy("random"), seat).seat == "x"
    assert best_response(as_policy("random"), seat).actions[0] >= 0
    assert ttt_fast.never_loses("minimax", seat) and ttt_fast.agreement("minimax", seat).share == 1
    with pytest.raises(ValueError):
        ttt_fast.Seat("z")


def test_own_code_in_a_contest():
    for agents in [(first, Last()), (Last(), "random"), ("mcts:sims=20", first), (first, first)]:
        held = ttt_fast.contest(*agents, 20)
        assert held.way == "one by one" and held.summary[0]["games"] == 20
    held = ttt_fast.contest(
        first, lambda state: api.legal_actions(state)[-1], ttt_fast.ContestConfig(4, game="connect4")
    )
    assert (held.summary[0]["agent"], held.summary[0]["opponent"]) == ("python:given:first", "python:given:lambda")
    games = {game.moves: game.result for pair in held.tally.pairs.values() for game in pair}
    assert games == {"1717171": "x", "7171717": "x"}


def test_the_second_contest_does_not_play_the_first_ones_agent():
    def bot(state):
        return api.legal_actions(state)[0]

    one = ttt_fast.contest(bot, "random", 20, threads=1)

    def bot(state):
        return api.legal_actions(state)[-1]

    other = ttt_fast.contest(bot, "random", 20, threads=1)
    firsts = [{pair[0].moves[0] for pair in held.tally.pairs.values()} for held in (one, other)]
    assert firsts == [{"0"}, {"8"}]  # in the first game of a pair it is X


def test_policies_are_played_one_by_one_where_another_thinks():
    held = ttt_fast.contest(as_policy("minimax").renamed("mine"), "mcts:sims=50", 10)
    assert held.summary[0]["agent"] == "python:given:mine" and held.summary[0]["losses"] == 0
    counted = ttt_fast.contest(as_policy("minimax"), "random", 1000)
    assert counted.way == "counted" and counted.rows[0]["o_wins"] == 0


def test_objects_of_one_name_are_told_apart():
    held = ttt_fast.contest(first, first, 2)
    assert (held.summary[0]["agent"], held.summary[0]["opponent"]) == ("python:given:first", "python:given:first_2")
    with pytest.raises((AgentError, ValueError), match="given"):
        as_player("python:given:first", "connect4")


def test_configurations_are_enough():
    config = ttt_fast.TrainingConfig(opponent="random", episodes=2000)
    runs = [
        ttt_fast.train(config),
        ttt_fast.train(opponent="random", episodes="2k"),
        ttt_fast.train(start_training(config)),
        ttt_fast.train(config, "random"),
        ttt_fast.train(config, as_policy("random")),
    ]
    assert len({run.sha256() for run in runs}) == 1
    with pytest.raises(ttt_fast.UsageError, match="expected the opponent 'random' of the configuration, got 'minimax'"):
        ttt_fast.train(config, "minimax")


class Forward:
    def forward(self, observations):
        return observations


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: as_player("mcts:sims=3"), r"such as the text 'mcts:sims=3', got the player <MctsPlayer mcts:sims=3>$"),
        (lambda: as_player("alphabeta:depth=1"), "such as the text 'alphabeta:depth=1', got the player"),
        (lambda: as_player("minimax:tie=first"), "such as the text 'minimax:tie=first', got the player"),
        (Forward, "or an object with a method choose or action_values, got "),
        (lambda: ttt_fast.train(episodes=10), r"such as that of run.policy\(\), got a value of type TrainingRun$"),
    ],
)
def test_an_object_that_is_no_agent_is_refused_with_the_way_to_one(make, words):
    wrong = make()
    for call in (
        lambda: ttt_fast.contest(wrong, "random", 10),
        lambda: ttt_fast.exploitability(wrong),
        lambda: ttt_fast.scorecard(wrong),
        lambda: ttt_fast.induced_table(wrong, "x"),
        lambda: as_policy(wrong),
        lambda: as_player(wrong),
    ):
        with pytest.raises(PolicyError, match=words):
            call()


def test_a_player_in_a_module_is_refused_too(tmp_path, monkeypatch):
    (tmp_path / "searching.py").write_text("import ttt_fast\nplayer = ttt_fast.as_player('mcts:sims=3')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentError, match="such as the text 'mcts:sims=3', got the player"):
        ttt_fast.exploitability("python:searching:player")


def test_a_class_is_made_once_for_each_agent_of_a_comparison():
    made = []

    class Counted(Last):
        def __init__(self):
            made.append(self)

    ttt_fast.compare([Counted, "random"], 2, threads=1)
    single = len(made)
    ttt_fast.compare([Counted, "random"], threads=1)
    assert len(made) == 2 * single


@pytest.mark.parametrize(("game", "line"), [("tic-tac-toe", "03142"), ("connect4", "1122334")])
def test_no_player_moves_after_the_end(game, line):
    end, own = ttt_fast.parse_game(game).state_after(line), "minimax" if game == "tic-tac-toe" else "solver"
    for agent in ("random", "default", "mcts:sims=10", "alphabeta:depth=2", "alphabeta:nodes=9", own, first, Last):
        player = as_player(agent, game)
        for method in ("search", "action_values", "probabilities"):
            if hasattr(player, method):
                with pytest.raises(BoardError, match=r"^expected a (position|game)"):
                    getattr(player, method)(end)


def test_counts_are_written_as_on_the_command_line():
    assert ttt_fast.ContestConfig("1k").games == 1000
    assert as_player("mcts:sims=1k").config.sims == 1000
    with pytest.raises(AgentError, match="expected sims= an integer from 1 to 100000000"):
        as_player("mcts:sims=1.5")
