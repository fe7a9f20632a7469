"""Games of others: their graph, their texts, and everything that may be wrong with their functions."""

import copy
import itertools
import pickle

import numpy as np
import pytest

from custom_games import GAMES, num_states
from ttt_fast import BoardError, Status, TableSizeError, UsageError, table_from_functions, table_of
from ttt_fast.games import api, custom, graph
from ttt_fast.running.api import watched_by

COUNTDOWN = {
    "legal_actions": lambda left: [1, 2][:left],
    "play": lambda left, take: left - take,
    "result": lambda left: None if left else 1,
}


def game_of(name):
    """One of the plain games."""
    initial, *functions, player = GAMES[name]
    return table_from_functions(initial, *functions, player=player, name=name).game


def countdown(left=4, name="countdown", **options):
    """The game in which one or two are taken of `left`, and X wins at the end."""
    return table_from_functions(left, **COUNTDOWN, name=name, **options).game


@pytest.mark.parametrize("name", GAMES)
def test_a_walk_finds_every_state_after_every_number_of_plies(name):
    game = game_of(name)
    assert table_of(game).num_states == num_states(GAMES[name])
    assert api.alternates(game.initial_state) == (name == "matches")


@pytest.mark.parametrize("name", GAMES)
def test_every_line_of_play_goes_as_in_the_functions(name):
    plain, game = GAMES[name], game_of(name)
    actions = [int(game.format_moves([action])) for action in range(game.num_actions)]
    assert actions == sorted(actions)

    def follow(state, theirs, ply):
        end = plain.result(theirs)
        assert api.status(state) == {None: api.ONGOING, 1: api.X_WINS, 0: api.DRAW, -1: api.O_WINS}[end]
        assert api.ply(state) == ply <= api.max_plies(state)
        legal = [actions[action] for action in api.legal_actions(state)]
        assert legal == ([] if end is not None else sorted(plain.legal_actions(theirs)))
        assert [actions[a] for a in range(len(actions)) if api.is_legal(state, a)] == legal
        key = api.state_key(state)
        assert api.state_of_key(game.initial_state, key) == state
        assert api.observe(state).tolist() == [[[int(key) >> bit & 1 for bit in range(32)]]]
        if legal:
            assert api.player(state) == plain.player(theirs)
            assert actions[api.random_action(state, np.uint64(2**63 + ply))] in legal
        for action in api.legal_actions(state):
            follow(api.play(state, action), plain.play(theirs, actions[action]), ply + 1)

    follow(game.initial_state, plain.initial, 0)


def test_texts_lead_back_to_states():
    game = countdown()
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


def test_drawings_and_words_of_actions():
    functions = {"legal_actions": lambda one: [("a", 1), ("b", 2)], "play": lambda one, action: action,
                 "result": lambda one: None if one == () else 0}  # fmt: skip
    game = table_from_functions((), **functions, text=lambda one: f"{len(one)} cells\n{one}\n", name="drawn").game
    assert [game.format_moves([action]) for action in (0, 1)] == ["('a',1)", "('b',2)"]
    assert game.format_position(game.initial_state) == "0 cells/()"
    assert game.parse_position("0 cells\n()\n") == game.initial_state
    alike = custom.enumerate_game("alike", (), custom.Rules(**functions, action_text=lambda action: "go"))
    assert [alike.text.format_action(action) for action in (0, 1)] == ["0", "1"]
    mixed = table_from_functions(
        0, lambda one: ["b", 1], lambda one, action: 1, lambda one: Status.DRAW if one else None, name="mixed"
    )
    assert [mixed.game.format_moves([action]) for action in (0, 1)] == ["b", "1"]


counter = itertools.count()
GOING = {"legal_actions": lambda left: [9], "result": lambda left: None}


def broken(**changes):
    """The functions of the countdown, some of them changed."""
    return {**COUNTDOWN, **changes}


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
    initial, functions, message = WRONG[mistake]
    with pytest.raises(UsageError, match=message) as error:
        table_from_functions(initial, **functions, name="bad")
    assert "\n" not in str(error.value) and str(error.value).startswith("expected ")


def test_a_game_of_too_many_states():
    with pytest.raises(TableSizeError, match="expected a game of at most 8 states, got 'countdown', which has more"):
        countdown(max_states=8)
    assert table_of(countdown(max_states=9)).num_states == 9


def test_a_game_that_is_long_in_one_line_only():
    """The lines that are tried first take none of the actions 0 and 9 at the start."""

    def one_long_line(plies):
        return table_from_functions(
            0,
            lambda state: [0] if state else range(10),
            lambda state, action: -1 if action else state + 1,
            lambda state: 0 if state in (-1, plies) else None,
            name="long",
        )

    assert api.max_plies(one_long_line(127).game.initial_state) == 127
    with pytest.raises(UsageError, match="expected games of at most 127 plies, got a longer one in 'long'"):
        one_long_line(128)


def test_a_state_does_not_leave_its_process(monkeypatch):
    state = countdown().initial_state
    content = pickle.dumps(state)
    assert pickle.loads(content) == state == copy.deepcopy(state)
    monkeypatch.setattr(graph, "_PROCESS", b"another")
    with pytest.raises(UsageError, match="of this process, got a state from another process"):
        pickle.loads(content)


def test_names():
    for name in ("", "a:b", "a b", "a,b", "(a)", 3):
        with pytest.raises(UsageError, match="expected the name of a game as letters"):
            countdown(name=name)
    for name in ("connect4", "openspiel"):
        with pytest.raises(UsageError, match=f"expected a name that no registered game has yet, got '{name}'"):
            countdown(name=name)


def test_a_long_walk_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(custom, "_TOLD_STATES", 100)
    told = []
    with watched_by(lambda *words: told.append(words)):
        num_states = table_of(countdown(40)).num_states
    counts = [done for _, done, _, _ in told]
    assert counts == sorted(counts) and num_states // 100 - 1 <= len(counts) <= num_states // 100
    assert {(work, total, unit) for work, _, total, unit in told} == {("states of countdown", None, "states")}
