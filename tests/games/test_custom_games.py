"""Games of others: their graph, their texts, and everything that may be wrong with their functions."""

import copy
import itertools
import pickle

import numpy as np
import pytest

from custom_games import GAMES, num_states
from ttt_fast import BoardError, Status, TableSizeError, UsageError
from ttt_fast.games import api, custom, graph
from ttt_fast.games.custom import Rules, enumerate_game
from ttt_fast.games.registry import OTHERS, add_custom_game
from ttt_fast.running.api import watched_by

COUNTDOWN = Rules(lambda left: [1, 2][:left], lambda left, take: left - take, lambda left: None if left else 1)


@pytest.mark.parametrize("name", GAMES)
def test_a_walk_finds_every_state_after_every_number_of_plies(name):
    initial, *functions = GAMES[name]
    game = enumerate_game(name, initial, Rules(*functions))
    assert game.num_states == num_states(GAMES[name])
    assert api.alternates(game.initial_state) == (name == "matches")


@pytest.mark.parametrize("name", GAMES)
def test_every_line_of_play_goes_as_in_the_functions(name):
    plain = GAMES[name]
    initial, *functions = plain
    game = enumerate_game(name, initial, Rules(*functions))
    actions = [int(game.text.format_action(action)) for action in range(api.num_actions(game.initial_state))]
    assert actions == sorted(actions)

    def follow(state, theirs, ply):
        end = plain.result(theirs)
        assert api.status(state) == {None: api.ONGOING, 1: api.X_WINS, 0: api.DRAW, -1: api.O_WINS}[end]
        assert api.ply(state) == ply <= api.max_plies(state)
        legal = [actions[action] for action in api.legal_actions(state)]
        assert legal == ([] if end is not None else sorted(plain.legal_actions(theirs)))
        assert [actions[a] for a in range(len(actions)) if api.is_legal(state, a)] == legal
        assert api.state_of_key(game.initial_state, api.state_key(state)) == state
        if legal:
            assert api.player(state) == plain.player(theirs)
            assert actions[api.random_action(state, np.uint64(2**63 + ply))] in legal
        for action in api.legal_actions(state):
            follow(api.play(state, action), plain.play(theirs, actions[action]), ply + 1)

    follow(game.initial_state, initial, 0)


def test_texts_lead_back_to_states():
    game = add_custom_game("countdown", enumerate_game("countdown", 4, COUNTDOWN))
    texts = set()
    for line in itertools.chain.from_iterable(itertools.product("12", repeat=n) for n in range(5)):
        try:
            state = game.state_after(" ".join(line))
        except BoardError:
            continue
        texts.add(text := game.format_position(state))
        assert game.parse_position(text) == state and game.parse_position(text[text.find("#") :]) == state
    assert texts == {"4", "3", "2#2", "2#3", "1#4", "0#5", "1#6", "0#7", "0#8"}
    for wrong in ("", "5", "2", "2#1", "#10", "#", "4#x"):
        with pytest.raises(BoardError, match="expected the text of a state of 'countdown'"):
            game.parse_position(wrong)
    with pytest.raises(BoardError, match="expected a move like 1 or 2, got '3'"):
        game.state_after("3")
    assert game.parse_state("1 2") == game.state_after("1 2")
    del OTHERS["countdown"]


def test_drawings_and_words_of_actions():
    rules = Rules(lambda one: [("a", 1), ("b", 2)], lambda one, action: action, lambda one: None if one == () else 0)
    game = enumerate_game("drawn", (), rules._replace(text=lambda one: f"{len(one)} cells\n{one}\n"))
    assert [game.text.format_action(action) for action in (0, 1)] == ["('a',1)", "('b',2)"]
    assert game.text.format_position(game.initial_state) == "0 cells/()"
    assert game.text.parse_position("0 cells\n()\n", game.initial_state) == game.initial_state
    alike = enumerate_game("alike", (), rules._replace(action_text=lambda action: "go")).text
    assert [alike.format_action(action) for action in (0, 1)] == ["0", "1"]
    mixed = Rules(lambda one: ["b", 1], lambda one, action: 1, lambda one: Status.DRAW if one else None)
    assert [enumerate_game("mixed", 0, mixed).text.format_action(action) for action in (0, 1)] == ["b", "1"]


counter = itertools.count()
GOING = {"legal_actions": lambda left: [9], "result": lambda left: None}


def broken(**changes):
    """The rules of the countdown with other functions."""
    return COUNTDOWN._replace(**changes)


WRONG = {
    "no end": (4, broken(play=lambda left, take: left % 2 + 3), "a game that ends, got 4 again after itself in 'bad'"),
    "growth": (1, broken(play=lambda left, take: left + take), "at most 127 plies, got a longer one in 'bad'"),
    "an illegal move": (4, broken(**GOING, play=lambda left, take: [0, 1][take]),
                        "play of 'bad' to return a result for 4 and 9, got IndexError: list index out of range"),
    "no iterable": (4, broken(legal_actions=lambda left: 3), "legal_actions of 'bad' to .* for 4, got TypeError"),
    "an unhashable start": ([4], COUNTDOWN, r"the initial state of 'bad' to be hashable, got \[4\]"),
    "an unhashable state": (4, broken(play=lambda left, take: [left]), r"a state of 'bad' to be hashable, got \[4\]"),
    "an unhashable action": (4, broken(legal_actions=lambda left: [[1]]), r"an action of 'bad' to be hashable, got"),
    "a changing result": (4, broken(result=lambda left: next(counter)), r"same .* every time, got \d+ and .* for 4"),
    "unlike objects": (4, broken(play=lambda left, take: object()), "play of 'bad' to .* the same result every time"),
    "a truth": (4, broken(result=lambda left: left < 0), r"None, 1 \(X wins\), 0 \(a draw\) or -1 .*, got False for 4"),
    "a score": (4, broken(result=lambda left: 7), r"or -1 \(O wins\), got 7 for 4"),
    "no move": (4, broken(legal_actions=lambda left: []), "one or more legal actions, each once, in 4 of 'bad', got"),
    "a move twice": (4, broken(legal_actions=lambda left: [1, 1]), r"each once, in 4 of 'bad', got \[1, 1\]"),
    "300 actions": (4, broken(legal_actions=lambda left: range(300)), "at most 256 actions, got 'bad'"),
    "a third player": (4, broken(player=lambda left: 3), "a player of 'bad' to be 1 or 'x', 2, -1 or 'o', got 3 for 4"),
    "no text": (4, broken(text=lambda left: left), "text of 'bad' to return a text, got 4"),
    "no features": (4, broken(observe=lambda left: []), r"observe of 'bad' to return one or more .*, got \(\) "),
    "few features": (4, broken(observe=lambda left: [left] * (left > 0)), r"equally many .*, got \(\) for 0"),
    "a broken feature": (4, broken(observe=lambda left: [left / 8]), r"from -127 to 127, .* got \(0.5,\) for 4"),
    "a large feature": (4, broken(observe=lambda left: [127, 124 + left]), r"got \(127, 128\) for 4"),
    "a text of features": (4, broken(observe=str), r"got \('4',\) for 4"),
    "no list of features": (4, broken(observe=lambda left: left), "observe of 'bad' to .* for 4, got TypeError: .*"),
    "changing features": (4, broken(observe=lambda left: [next(counter) % 9]), r"observe of .* the same .* every time"),
    "an early end": (0, COUNTDOWN, "expected 'bad' not to be over at the start, got a result for 0"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_one_line(mistake):
    initial, rules, message = WRONG[mistake]
    with pytest.raises(UsageError, match=message) as error:
        enumerate_game("bad", initial, rules)
    assert "\n" not in str(error.value) and str(error.value).startswith("expected ")


def test_a_game_of_too_many_states():
    with pytest.raises(TableSizeError, match="expected a game of at most 8 states, got 'countdown', which has more"):
        enumerate_game("countdown", 4, COUNTDOWN, 8)
    assert enumerate_game("countdown", 4, COUNTDOWN, 9).num_states == 9


def test_a_game_that_is_long_in_one_line_only():
    """The lines that are tried first take none of the actions 0 and 9 at the start."""

    def one_long_line(plies):
        return Rules(
            lambda state: [0] if state else range(10),
            lambda state, action: -1 if action else state + 1,
            lambda state: 0 if state in (-1, plies) else None,
        )

    assert api.max_plies(enumerate_game("long", 0, one_long_line(127)).initial_state) == 127
    with pytest.raises(UsageError, match="expected games of at most 127 plies, got a longer one in 'long'"):
        enumerate_game("long", 0, one_long_line(128))


def test_a_state_does_not_leave_its_process(monkeypatch):
    state = enumerate_game("countdown", 4, COUNTDOWN).initial_state
    content = pickle.dumps(state)
    assert pickle.loads(content) == state == copy.deepcopy(state)
    monkeypatch.setattr(graph, "_PROCESS", b"another")
    with pytest.raises(UsageError, match="of this process, got a state from another process"):
        pickle.loads(content)


def test_names():
    game = enumerate_game("countdown", 4, COUNTDOWN)
    for name in ("", "a:b", "a b", "a,b", "(a)", 3):
        with pytest.raises(UsageError, match="expected the name of a game as letters"):
            add_custom_game(name, game)
    for name in ("connect4", "openspiel"):
        with pytest.raises(UsageError, match=f"expected a name that no registered game has yet, got '{name}'"):
            add_custom_game(name, game)


def test_a_long_walk_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(custom, "_TOLD_STATES", 100)
    told = []
    with watched_by(lambda *words: told.append(words)):
        game = enumerate_game("countdown", 40, COUNTDOWN)
    counts = [done for _, done, _, _ in told]
    assert counts == sorted(counts) and game.num_states // 100 - 1 <= len(counts) <= game.num_states // 100
    assert {(work, total, unit) for work, _, total, unit in told} == {("states of countdown", None, "states")}
