"""OpenSpiel's bots and policies as agents of ours, against OpenSpiel's own rules and numbers."""

from typing import ClassVar

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as their_policies
from open_spiel.python.algorithms.exploitability import exploitability as their_exploitability

from open_spiel_games_played import BOTS, PEERS, STATUS, our_status, theirs_after, uniform_bot
from ttt_fast import exact_outcome, exploitability
from ttt_fast.adapters.open_spiel_agents import agent_of_bot, agent_of_policy, policy_from_open_spiel
from ttt_fast.adapters.open_spiel_bots import AgentPolicy
from ttt_fast.agents.convert import as_player, as_policy
from ttt_fast.core.errors import AgentError, AnswerError, UsageError
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.play.contest import contest
from ttt_fast.play.contest_config import ContestConfig
from ttt_fast.play.one_game import play_game

SMALL = "connect4:columns=3,rows=3,length=3"
SMALL_PEER = "connect_four(columns=3,rows=3,x_in_row=3)"


@pytest.mark.parametrize("games", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", PEERS)
@pytest.mark.parametrize("bot", BOTS)
def test_games_go_as_both_programs_say(spec, bot, games):
    agent, ended = agent_of_bot(BOTS[bot], spec), set()
    for number in range(games):
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
    agent = agent_of_bot(BOTS[bot], spec)
    first, again, another = ([play_game(agent, agent, spec, seed=s).actions for s in seeds] for seeds in (
        range(3), range(3), range(3, 6)
    ))  # fmt: skip
    assert first == again and first != another


def test_a_search_beats_chance_in_a_contest_whose_threads_change_nothing():
    agent = agent_of_bot(BOTS["search"], "connect4", "search")
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
    agent = agent_of_bot(lambda game, player, seed: Witness(player, seed), spec)
    for number in range(6):
        Witness.made.clear()
        seats = (agent, "random") if number % 2 else ("random", agent)
        played = play_game(*seats, spec, seed=number)
        assert len(Witness.made) == 1 and 0 <= Witness.made[0].seed < 2**31
        history = theirs_after(spec, played.actions).history()
        assert Witness.made[0].told == history[: len(Witness.made[0].told)]
        assert len(history) - len(Witness.made[0].told) <= 2  # the other player may have made the last move


@pytest.mark.parametrize(("spec", "opening"), [("tic-tac-toe", "0418"), ("connect4", "443"), ("ultimate", "55 51 15")])
def test_after_an_opening_a_bot_begins_where_its_own_moves_begin(spec, opening):
    agent = agent_of_bot(lambda game, player, seed: Witness(player, seed), spec)
    for seats in ((agent, "random"), ("random", agent)):
        played = play_game(*seats, spec, seed=1, opening=opening)
        assert parse_game(spec).format_moves(played.actions).startswith(opening)
        assert STATUS[theirs_after(spec, played.actions).returns()[0]] == our_status(spec, played.actions)


def test_a_leap_makes_a_new_bot():
    Witness.made.clear()
    game = parse_game("connect4")
    player = as_player(agent_of_bot(lambda game, player, seed: Witness(player, seed), "connect4"), game)
    player.begin(chunk_stream(1))
    for moves in ("", "71", "44", "4455", "44", "4", "44554433"):
        assert player.search(game.state_after(moves)).action == 6
    assert len(Witness.made) == 6  # the second state alone goes on from the first one: 7 is what the bot plays there
    assert Witness.made[-1].told[:-1] and Witness.made[-1].player == 0


class Cheat(Witness):
    answer = 9

    def step(self, state):
        return self.answer


@pytest.mark.parametrize("answer", [9, 3.7])
@pytest.mark.parametrize("spec", PEERS)
def test_a_bot_that_cheats_is_one_line(spec, answer, monkeypatch):
    monkeypatch.setattr(Cheat, "answer", answer)
    agent = agent_of_bot(lambda game, player, seed: Cheat(player, seed), spec, "cheat")
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
    for theirs in (Tilted(game), their_policies.UniformRandomPolicy(game), pyspiel.UniformRandomPolicy(game)):
        ours = policy_from_open_spiel(theirs, SMALL, "theirs")
        assert (ours.name, ours.table.game.spec, ours.held.sum()) == ("theirs", SMALL, ours.table.decision_mask.sum())
        assert exploitability(ours) == pytest.approx(their_exploitability(game, AgentPolicy(ours)), rel=0, abs=1e-12)
    tilted = Tilted(game)
    ours = policy_from_open_spiel(tilted, SMALL)
    assert exploitability(ours) == pytest.approx(their_exploitability(game, tilted), rel=0, abs=1e-12)
    assert exploitability(ours) != pytest.approx(exploitability(as_policy("random", SMALL)), abs=1e-3)


@pytest.mark.slow
def test_their_policy_of_tic_tac_toe_and_ours_of_it_have_its_probabilities():
    game = pyspiel.load_game("tic_tac_toe")
    theirs = AgentPolicy(policy_from_open_spiel(Tilted(game)))
    tilted, state = Tilted(game), game.new_initial_state()
    while not state.is_terminal():
        assert theirs.action_probabilities(state) == pytest.approx(tilted.action_probabilities(state), rel=0, abs=1e-15)
        state.apply_action(state.legal_actions()[-1])


@pytest.mark.parametrize("spec", ["openspiel:breakthrough(rows=3,columns=2)", "tic-tac-toe:rows=2,columns=4,length=2"])
def test_games_with_other_numbers_of_actions(spec):
    peer = {"o": "breakthrough(rows=3,columns=2)", "t": "mnk(m=4,n=2,k=2)"}[spec[0]]
    game = pyspiel.load_game(peer)
    ours, theirs = policy_from_open_spiel(Tilted(game), spec), Tilted(game)

    def score(state):
        chances = {} if state.is_terminal() else theirs.action_probabilities(state)
        return sum(p * score(state.child(a)) for a, p in chances.items()) if chances else state.returns()[0]

    assert exact_outcome(ours, ours).value == pytest.approx(score(game.new_initial_state()), rel=0, abs=1e-12)
    for number in range(10):
        played = play_game(agent_of_bot(uniform_bot, spec), ours, spec, seed=number)
        assert played.result in ("x", "draw", "o")


def test_a_policy_of_lines_is_no_policy_of_states():
    game = pyspiel.load_game(SMALL_PEER)
    by_line = Tilted(game, lambda state: (state.history() or [0])[0])
    with pytest.raises(AgentError, match=r"expected a deterministic agent .* 'by_line' returned"):
        policy_from_open_spiel(by_line, SMALL, "by_line")
    again = Tilted(game, lambda state: len(str(state).replace(".", "")))
    assert policy_from_open_spiel(again, SMALL).form == "probabilities"


def test_a_policy_that_knows_the_line_is_asked_about_the_line_that_is_played():
    seen = []

    class Listening(their_policies.UniformRandomPolicy):
        def action_probabilities(self, state, player_id=None):
            seen.append(state.history())
            return super().action_probabilities(state)

    game = pyspiel.load_game("connect_four")
    played = play_game(agent_of_policy(Listening(game), "connect4"), "random", "connect4", seed=4)
    assert seen == [list(played.actions[:n]) for n in range(0, len(played.actions), 2)]


def test_a_policy_of_ultimate_has_the_chances_of_both_its_choices():
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    player = as_player(agent_of_policy(Tilted(game), "ultimate"), "ultimate")
    player.begin(chunk_stream(0))
    state = parse_game("ultimate").initial_state
    row = player.probabilities(state)
    np.testing.assert_allclose(row.reshape(9, 9), np.outer(range(1, 10), range(1, 10)) / 45**2, rtol=0, atol=1e-12)
    forced = player.probabilities(api.play(state, 4 * 9 + 2))
    assert np.flatnonzero(forced).tolist() == list(range(18, 27))
    for number in range(20):
        played = play_game(agent_of_policy(Tilted(game), "ultimate"), "random", "ultimate", seed=number)
        assert STATUS[theirs_after("ultimate", played.actions).returns()[0]] == our_status("ultimate", played.actions)


def test_a_policy_of_illegal_actions_is_one_line():
    class Wrong(their_policies.Policy):
        def action_probabilities(self, state, player_id=None):
            return {0: 0.5, 9: 0.5}

    wrong = Wrong(pyspiel.load_game("tic_tac_toe"), [0, 1])
    with pytest.raises(
        AnswerError, match=r"expected probabilities of \[0, 1, 2, 3, 4, 5, 6, 7, 8\] from an OpenSpiel policy"
    ):
        policy_from_open_spiel(wrong)


@pytest.mark.parametrize(
    ("spec", "peer", "won"),
    [(SMALL, SMALL_PEER, None), pytest.param("tic-tac-toe", "tic_tac_toe", 1, marks=pytest.mark.slow)],
)
def test_their_agents_are_scored_exactly_like_any_of_ours(spec, peer, won):
    theirs = agent_of_policy(pyspiel.UniformRandomPolicy(pyspiel.load_game(peer)), spec)
    ours, mine = (exact_outcome(one, "minimax", game=spec) for one in ("random", theirs))
    assert (ours.x_wins, ours.draws, ours.o_wins) == pytest.approx((mine.x_wins, mine.draws, mine.o_wins), abs=1e-12)
    last = agent_of_bot(lambda game, player, seed: Witness(player, seed), spec)
    lowest, highest = (as_policy(lambda state, n=n: api.legal_actions(state)[n], spec) for n in (0, -1))
    found, expected = (exact_outcome(one, lowest) for one in (last, highest))
    assert found[:3] == expected[:3] and won in (None, found.x_wins)
    with pytest.raises(AgentError, match="expected a deterministic agent"):
        exact_outcome(agent_of_bot(uniform_bot, SMALL), "random", game=SMALL)


@pytest.mark.parametrize("spec", ["tic-tac-toe:misere=yes", "ultimate:tie=boards", "ultimate:closed=stay"])
def test_games_that_openspiel_has_not_are_refused(spec):
    with pytest.raises(
        UsageError, match=f"expected a game that OpenSpiel has .*, got '{spec}', which OpenSpiel does not have"
    ):
        agent_of_bot(uniform_bot, spec)
