"""OpenSpiel's bots and policies as agents of ours, against OpenSpiel's own rules and numbers."""

from typing import ClassVar

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as their_policies
from open_spiel.python.algorithms.exploitability import exploitability as their_exploitability
from open_spiel.python.bots.uniform_random import UniformRandomBot

from ttt_fast import (
    AgentError,
    ContestConfig,
    UsageError,
    as_player,
    as_policy,
    contest,
    exact_outcome,
    exploitability,
    parse_game,
    play_game,
)
from ttt_fast.adapters import open_spiel_agents as bridge
from ttt_fast.core.errors import AnswerError
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream

SMALL = "connect4:columns=3,rows=3,length=3"
SMALL_PEER = "connect_four(columns=3,rows=3,x_in_row=3)"
PEERS = {"tic-tac-toe": "tic_tac_toe", "connect4": "connect_four", "ultimate": "ultimate_tic_tac_toe"}
STATUS = {1.0: api.X_WINS, -1.0: api.O_WINS, 0.0: api.DRAW}


def uniform_bot(game, player, seed):
    """Written in Python."""
    return UniformRandomBot(player, np.random.RandomState(seed))


def search_bot(game, player, seed):
    """Written in C++, with a few simulations a move."""
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, seed), 2.0, 10, 10, False, seed, False)


BOTS = {"uniform": uniform_bot, "search": search_bot}


def choice_of_board(state):
    """Whether OpenSpiel asks for a board of Ultimate, by its own words for the first of its legal actions."""
    return state.action_to_string(state.legal_actions()[0]).startswith("Choose local board")


def theirs_after(spec, actions):
    """OpenSpiel's state after actions of ours, each of which its rules must allow."""
    state = pyspiel.load_game(PEERS[spec]).new_initial_state()
    for action in actions:
        steps = [action]
        if spec == "ultimate":
            steps = [action // 9, action % 9] if choice_of_board(state) else [action % 9]
        for step in steps:
            assert step in state.legal_actions()
            state.apply_action(step)
    return state


def our_status(spec, actions):
    """How a game stands after actions of ours, each of which our rules must allow."""
    game = parse_game(spec)
    state = game.initial_state
    for action in actions:
        assert action in game.legal_actions(state)
        state = api.play(state, action)
    return api.status(state)


@pytest.mark.parametrize("spec", PEERS)
@pytest.mark.parametrize("bot", BOTS)
def test_games_go_as_both_programs_say(spec, bot):
    agent, ended = bridge.agent_of_bot(BOTS[bot], spec), set()
    for number in range(30):
        seats = (agent, "random") if number % 2 else ("random", agent)
        played = play_game(*seats, spec, seed=number)
        theirs, status = theirs_after(spec, played.actions), our_status(spec, played.actions)
        assert theirs.is_terminal() and status == STATUS[theirs.returns()[0]]
        assert {"x": api.X_WINS, "draw": api.DRAW, "o": api.O_WINS}[played.result] == status
        ended.add(played.result)
    assert len(ended) > 1


@pytest.mark.parametrize("spec", PEERS)
@pytest.mark.parametrize("bot", BOTS)
def test_equal_seeds_give_equal_games(spec, bot):
    agent = bridge.agent_of_bot(BOTS[bot], spec)
    first, again, another = ([play_game(agent, agent, spec, seed=s).actions for s in seeds] for seeds in (
        range(3), range(3), range(3, 6)
    ))  # fmt: skip
    assert first == again and first != another


def test_a_search_beats_chance_in_a_contest_whose_threads_change_nothing():
    agent = bridge.agent_of_bot(BOTS["search"], "connect4", "search")
    held = [contest(agent, "random", ContestConfig(20, game="connect4", seed=3), threads=n) for n in (1, 2)]
    rows = [
        [{name: row[name] for name in ("x", "games", "x_wins", "o_wins", "plies")} for row in one.rows] for one in held
    ]
    assert rows[0] == rows[1] and held[0].summary[0]["score"] > 0.6
    assert held[0].described["first"] == "python:given:search"


class Witness(pyspiel.Bot):
    """Plays the last legal action, and keeps all that it is told."""

    made: ClassVar[list["Witness"]] = []

    def __init__(self, player, seed):
        pyspiel.Bot.__init__(self)
        self.player, self.seed, self.told, self.own = player, seed, [], []
        Witness.made.append(self)

    def restart_at(self, state):
        self.told = list(state.history())

    def inform_action(self, state, player_id, action):
        assert player_id == state.current_player() == 1 - self.player
        assert self.told == state.history()
        self.told.append(action)

    def step(self, state):
        assert state.current_player() == self.player and self.told == state.history()
        self.told.append(state.legal_actions()[-1])
        return self.told[-1]


@pytest.mark.parametrize("spec", PEERS)
def test_a_bot_is_told_every_move_of_its_game(spec):
    agent = bridge.agent_of_bot(lambda game, player, seed: Witness(player, seed), spec)
    for number in range(6):
        Witness.made.clear()
        seats = (agent, "random") if number % 2 else ("random", agent)
        played = play_game(*seats, spec, seed=number)
        assert len(Witness.made) == 1 and 0 <= Witness.made[0].seed < 2**31
        history = theirs_after(spec, played.actions).history()
        assert Witness.made[0].told == history[: len(Witness.made[0].told)]
        assert len(history) - len(Witness.made[0].told) <= 2  # the other player may have made the last move


@pytest.mark.parametrize("spec", PEERS)
def test_a_bot_plays_games_from_the_initial_state_alone(spec):
    game = parse_game(spec)
    player = as_player(bridge.agent_of_bot(lambda game, player, seed: Witness(player, seed), spec), game)
    line = [game.initial_state]
    for _ in range(4):
        line.append(api.play(line[-1], game.legal_actions(line[-1])[0]))
    for wanted, asked in (([0], 2), ([1], 3), ([], 2), ([], 3), ([], 4), ([0], 0), ([1], 0)):
        player.begin(chunk_stream(1))
        for number in wanted:
            player.search(line[number])
        with pytest.raises(
            AnswerError, match="expected the next state of a game from the initial state for a bot of Open"
        ):
            player.search(line[asked])


def test_a_player_that_moves_twice_is_told_and_asked_twice():
    """Who closes a box of dots and boxes moves again."""
    spec = "openspiel:dots_and_boxes(num_rows=1,num_cols=2)"
    game = parse_game(spec)
    for number in range(20):
        Witness.made.clear()
        agent = bridge.agent_of_bot(lambda game, player, seed: Witness(player, seed), spec)
        played = play_game(*((agent, "random") if number % 2 else ("random", agent)), spec, seed=number)
        assert len(Witness.made) == 1 and game.status(game.state_after(played.moves)) != api.ONGOING


class Cheat(Witness):
    answer = 9

    def step(self, state):
        return self.answer


@pytest.mark.parametrize("answer", [9, 3.7])
@pytest.mark.parametrize("spec", PEERS)
def test_a_bot_that_cheats_is_one_line(spec, answer, monkeypatch):
    monkeypatch.setattr(Cheat, "answer", answer)
    agent = bridge.agent_of_bot(lambda game, player, seed: Cheat(player, seed), spec, "cheat")
    with pytest.raises(AnswerError, match=rf"expected one of the actions \[0, 1.* from an OpenSpiel bot, got {answer}"):
        play_game(agent, "random", spec)


class Tilted(their_policies.Policy):
    """Chances in proportion to 1 + the number of the action; `by` says what else they depend on."""

    def __init__(self, game, by=lambda state: 0):
        super().__init__(game, [0, 1])
        self.by = by

    def action_probabilities(self, state, player_id=None):
        weights = {action: 1 + (action + self.by(state)) % 9 for action in state.legal_actions()}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}


def test_their_policy_is_exact_over_our_table():
    game = pyspiel.load_game(SMALL_PEER)
    uniform = their_policies.UniformRandomPolicy(game)
    for theirs, same in (
        (Tilted(game), Tilted(game)),
        (uniform, uniform),
        (pyspiel.UniformRandomPolicy(game), uniform),
    ):
        ours = bridge.policy_from_open_spiel(theirs, SMALL, "theirs")
        assert (ours.name, ours.table.game.spec, ours.held.sum()) == ("theirs", SMALL, ours.table.decision_mask.sum())
        assert exploitability(ours) == pytest.approx(their_exploitability(game, same), rel=0, abs=1e-12)
    ours = bridge.policy_from_open_spiel(Tilted(game), SMALL)
    assert exploitability(ours) != pytest.approx(exploitability(as_policy("random", SMALL)), abs=1e-3)


@pytest.mark.parametrize(
    "spec",
    [
        "openspiel:breakthrough(rows=3,columns=2)",
        pytest.param("tic-tac-toe:rows=2,columns=4,length=2", marks=pytest.mark.slow),
    ],
)
def test_games_with_other_numbers_of_actions(spec):
    peer = {"o": "breakthrough(rows=3,columns=2)", "t": "mnk(m=4,n=2,k=2)"}[spec[0]]
    game = pyspiel.load_game(peer)
    ours, theirs = bridge.policy_from_open_spiel(Tilted(game), spec), Tilted(game)

    def score(state):
        chances = {} if state.is_terminal() else theirs.action_probabilities(state)
        return sum(p * score(state.child(a)) for a, p in chances.items()) if chances else state.returns()[0]

    assert exact_outcome(ours, ours).value == pytest.approx(score(game.new_initial_state()), rel=0, abs=1e-12)
    for number in range(10):
        played = play_game(bridge.agent_of_bot(uniform_bot, spec), ours, spec, seed=number)
        assert played.result in ("x", "draw", "o")


def test_a_policy_of_lines_is_no_policy_of_states():
    game = pyspiel.load_game(SMALL_PEER)
    by_line = Tilted(game, lambda state: (state.history() or [0])[0])
    with pytest.raises(
        AgentError,
        match=r"the state alone, got others from 'by_line' after another line of play to '.*; agent_of_policy",
    ):
        bridge.policy_from_open_spiel(by_line, SMALL, "by_line")
    again = Tilted(game, lambda state: len(str(state).replace(".", "")))
    assert bridge.policy_from_open_spiel(again, SMALL).form == "probabilities"


def test_a_policy_that_knows_the_line_is_asked_about_the_line_that_is_played():
    seen = []

    class Listening(their_policies.UniformRandomPolicy):
        def action_probabilities(self, state, player_id=None):
            seen.append(state.history())
            return super().action_probabilities(state)

    game = pyspiel.load_game("connect_four")
    played = play_game(bridge.agent_of_policy(Listening(game), "connect4"), "random", "connect4", seed=4)
    assert seen == [list(played.actions[:n]) for n in range(0, len(played.actions), 2)]


def test_a_policy_of_ultimate_chooses_a_board_and_then_a_cell():
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    for number in range(20):
        played = play_game(bridge.agent_of_policy(Tilted(game), "ultimate"), "random", "ultimate", seed=number)
        assert STATUS[theirs_after("ultimate", played.actions).returns()[0]] == our_status("ultimate", played.actions)


@pytest.mark.parametrize("agent", [bridge.agent_of_policy, bridge.policy_from_open_spiel])
def test_moves_are_drawn_with_the_probabilities_of_the_policy(agent):
    game = pyspiel.load_game("tic_tac_toe")
    player, counts = as_player(agent(Tilted(game))), np.zeros(9)
    for number in range(2000):
        player.begin(chunk_stream(number))
        counts[player.search(parse_game("tic-tac-toe").initial_state).action] += 1
    expected = 2000 * np.arange(1, 10) / 45
    assert ((counts - expected) ** 2 / expected).sum() < 26.1  # chi-squared with 8 degrees of freedom, p = 0.001


def test_a_policy_of_illegal_actions_is_one_line():
    class Wrong(their_policies.Policy):
        def action_probabilities(self, state, player_id=None):
            return {0: 0.5, 9: 0.5}

    wrong = Wrong(pyspiel.load_game("tic_tac_toe"), [0, 1])
    with pytest.raises(
        AnswerError, match=r"expected probabilities of \[0, 1, 2, 3, 4, 5, 6, 7, 8\] from an OpenSpiel policy"
    ):
        bridge.policy_from_open_spiel(wrong)


@pytest.mark.parametrize("spec", ["tic-tac-toe:misere=yes", "ultimate:tie=boards", "ultimate:closed=stay"])
def test_games_that_openspiel_has_not_are_refused(spec):
    with pytest.raises(
        UsageError, match=f"expected a game that OpenSpiel has .*, got '{spec}', which OpenSpiel does not have"
    ):
        bridge.agent_of_bot(uniform_bot, spec)
