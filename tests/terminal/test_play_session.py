"""Sessions of any game against any player: commands, tallies, hints, and any lines at all."""

import io
from contextlib import redirect_stdout
from functools import partial
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ttt_fast import TttFastError, as_player, parse_game
from ttt_fast.agents.api import SearchResult
from ttt_fast.games import api
from ttt_fast.terminal.hints import player_hints
from ttt_fast.terminal.play_session import PlaySession


class FirstPlayer:
    """Plays the first legal action, values it 0.5, and each action by its number if it `analyses`."""

    name, memory_bytes = "first", 0

    def __init__(self) -> None:
        self.streams: list[int] = []

    def begin(self, stream: np.uint64) -> None:
        self.streams.append(int(stream))

    def search(self, state) -> SearchResult:
        return SearchResult(api.legal_actions(state)[0], 0.5, 1)


class FirstAnalyst(FirstPlayer):
    def action_values(self, state) -> dict[int, float]:
        return {action: action / 10 if action else nan for action in api.legal_actions(state)}


class Cheat(FirstPlayer):
    def search(self, state) -> SearchResult:
        return SearchResult(99, 0.5, 1)


def session(spec: str, answers, *, player=None, seat: int = 1, moves: str = "", hints_by=None, seed=0, **options):
    """A session that has been played to the end of the answers, and what it printed."""
    game, left = parse_game(spec), iter(answers)

    def ask(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    stream = io.StringIO()
    with redirect_stdout(stream):
        start = game.state_after(moves)
        give_hints = hints_by or hints_of(spec, as_player("default", game))
        played = PlaySession(game, player or FirstPlayer(), seat, start, give_hints, seed=seed, ask=ask, **options)
        played.run()
    return played, stream.getvalue()


def hints_of(spec: str, player):
    return partial(player_hints, player, parse_game(spec))


def positions(spec: str, played: PlaySession) -> list[str]:
    return [parse_game(spec).format_position(state) for state in played.history]


def test_ctrl_c_is_told_from_the_end_of_the_input():
    game, ended = parse_game("tic-tac-toe"), []
    for error in (EOFError, KeyboardInterrupt):

        def ask(prompt, error=error):
            raise error

        with redirect_stdout(io.StringIO()):
            hints = hints_of("tic-tac-toe", FirstPlayer())
            played = PlaySession(game, FirstPlayer(), 1, game.initial_state, hints, seed=0, ask=ask)
            ended.append(played.run())
    assert ended == [True, False]


def test_moves_and_replies_are_on_the_record():
    small = "connect4:columns=4,rows=3,length=3"
    played, text = session(small, ["2", " 3 "])
    assert positions(small, played)[-1] == "..../O.../OXX."
    assert text.count("first plays 1") == 2
    played, text = session("ultimate", ["55", "5 3"], seat=1)
    assert played.history[-1] == parse_game("ultimate").state_after("55 51")
    assert "the move must be in board 1" in text


XX_OO, ON_TO_X = "0314", "03146"
"""Lines of tic-tac-toe to XX.OO...., and to XX.OO.X.., where whoever is to move wins at once."""


@pytest.mark.parametrize(
    ("spec", "moves", "seat", "answers", "tally"),
    [
        ("connect4", "112233", 1, ["4"], [1, 0, 0]),
        ("connect4", "2233445", 2, ["7"], [0, 0, 1]),
        ("connect4", "112233", 1, ["4", "n", "4", "no"], [2, 0, 0]),
        ("tic-tac-toe", XX_OO, 1, ["2"], [1, 0, 0]),
        ("tic-tac-toe", ON_TO_X, 2, ["5"], [1, 0, 0]),
        ("tic-tac-toe", XX_OO, 1, ["8"], [0, 0, 1]),
        ("tic-tac-toe", "01243576", 1, ["8"], [0, 1, 0]),
        ("tic-tac-toe", XX_OO, 1, ["2", "y", "2", "", "2", "yes", "8"], [3, 0, 1]),
        *[("tic-tac-toe", XX_OO, 1, ["2", answer, "2"], [1, 0, 0]) for answer in ("no", "NO", "q", "whatever")],
        ("tic-tac-toe:misere=yes", XX_OO, 1, ["2"], [0, 0, 1]),
    ],
)
def test_results_are_counted(spec, moves, seat, answers, tally):
    quick = "minimax:tie=first,prefer=fast" if spec.startswith("tic") else "first"
    player = None if quick == "first" else as_player(quick, parse_game(spec))
    played, text = session(spec, answers, moves=moves, seat=seat, player=player)
    assert played.tally == tally
    assert text.endswith("won {}, drawn {}, lost {}\n".format(*tally))


@pytest.mark.parametrize(
    ("spec", "move", "other"), [("tic-tac-toe", "4", "1"), ("connect4", "4", "3"), ("ultimate", "55", "19")]
)
def test_undo_as_x_and_as_o(spec, move, other):
    once, twice = session(spec, [move])[0].history, session(spec, [move, other])[0].history
    assert session(spec, [move, other, "U "])[0].history == (once if len(twice) > len(once) else once[:1])
    assert session(spec, [move, "undo"])[0].history == once[:1]
    assert len(session(spec, [move, "undo"], seat=2)[0].history) == 2


def test_undo_goes_back_and_the_player_forgets_the_line():
    player = FirstPlayer()
    played, text = session("connect4", ["u", "4", "u", "3"], player=player)
    assert "there is no move of yours to take back" in text
    assert played.history[-1] == parse_game("connect4").state_after("31")
    assert len(player.streams) == len(set(player.streams)) == 2


@pytest.mark.parametrize(
    ("spec", "moves", "words"),
    [
        (
            "connect4:columns=4,rows=2,length=3",
            "1122",
            {"1": "column 1 is full", **dict.fromkeys(("0", "5", "22", ""))},
        ),
        ("tic-tac-toe", "01", {"0": "is taken", **dict.fromkeys(("", "9", "10", "-1", "4.0", "a4", "٤", "²"))}),
    ],
)
def test_illegal_moves_and_words_that_mean_nothing_change_nothing(spec, moves, words):
    for word, said in words.items():
        played, text = session(spec, [word], moves=moves)
        assert len(played.history) == 1 and (said or f"got {word!r}") in text


def test_on_a_wide_board_a_letter_is_a_column_first():
    spec = "connect4:columns=20,rows=2"
    played, text = session(spec, ["h", "hint", "undo"])
    assert "plays 1" in text and "default would play" in text
    assert played.history == [parse_game(spec).initial_state]


def test_hints_are_a_players_opinion():
    spec = "connect4"
    _, text = session(spec, ["h"], hints_by=hints_of(spec, FirstPlayer()))
    assert "first would play 1, which it values at +0.5" in text
    _, text = session(spec, [], hints_by=hints_of(spec, FirstAnalyst()), hints=True)
    assert "+0.1" in text and "+0.6" in text and "nan" not in text
    _, text = session(spec, ["hint"])
    assert "default would play" in text and "nan" not in text


def test_a_hint_changes_nothing_of_the_game():
    def moves(answers):
        game = parse_game("ultimate")
        player = as_player("random", game)
        return session("ultimate", answers, player=player, hints_by=hints_of("ultimate", as_player("random", game)))[
            0
        ].history

    assert moves(["55"]) == moves(["h", "55", "h"])


def test_a_seed_repeats_the_moves_and_none_does_not():
    def replies(seed):
        game = parse_game("ultimate")
        return session("ultimate", ["55", "n"] * 4, player=as_player("random", game), seed=seed)[1]

    assert replies(3) == replies(3)
    assert len({replies(None) for _ in range(4)}) > 1


def no_advice(state):
    return {}, ""


def test_an_illegal_reply_is_an_error_that_names_the_player():
    with pytest.raises(TttFastError, match="expected a legal action from 'first', got 99"):
        session("connect4", ["4"], player=Cheat())


def test_bytes_that_are_no_text_end_the_session_with_a_line():
    def ask(prompt: str) -> str:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    game = parse_game("connect4")
    with pytest.raises(TttFastError, match="expected lines of UTF-8 text"):
        PlaySession(game, FirstPlayer(), 1, game.initial_state, no_advice, ask=ask).run()


WORDS = st.sampled_from(["h", "u", "n", "y", "hint", "undo", "", "[/b]", "[red]", ":smile:", "²", "٤"])
MOVES = st.sampled_from([*"0123456789", *(f"{board}{cell}" for board in range(1, 10) for cell in range(1, 10))])


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect4", "ultimate:tie=boards"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(lines=st.lists(WORDS | MOVES | st.text(max_size=6), max_size=40), seat=st.sampled_from([1, 2]))
def test_any_lines_leave_a_line_of_legal_moves(spec, lines, seat):
    played, text = session(spec, lines, seat=seat, player=as_player("random", parse_game(spec)))
    assert text.splitlines()[-1].startswith("won ")
    for before, after in zip(played.history, played.history[1:], strict=False):
        assert after in [api.play(before, action) for action in api.legal_actions(before)]


def test_two_persons_move_in_turn_and_take_back_one_move_each():
    game = parse_game("tic-tac-toe")
    left = iter(["0", "3", "u", "4", "1", "8", "2", "q"])
    stream = io.StringIO()
    with redirect_stdout(stream):
        played = PlaySession(
            game, None, 1, game.initial_state, hints_of("tic-tac-toe", FirstAnalyst()), ask=lambda _: next(left)
        )
        played.run()
    assert played.actions == [0, 4, 1, 8, 2]
    assert stream.getvalue().endswith("X wins\nX won 1, drawn 0, O won 0\n")


def test_another_game_is_asked_for_until_it_is_answered():
    played, text = session("connect4", ["4", "perhaps", "", "q"], moves="112233")
    assert "expected n, u or q, got 'perhaps'" in text
    assert played.tally == [1, 0, 0]
    assert played.history == [parse_game("connect4").state_after("112233")]


def test_help_and_hints_switched_inside():
    _, text = session("connect4", ["?", "help", "hints", "4", "hints", "1"], player=FirstAnalyst())
    assert text.count("a column 1 to 7") == 3
    assert (text.count("hints are on"), text.count("hints are off")) == (1, 1)
    assert text.count("would play") == 2


@pytest.mark.parametrize(("value", "words"), [(-1.0, "(1 a win, -1 a loss)"), (-5.5, "(in its own units)")])
def test_the_units_of_a_value(value, words):
    class Sure(FirstPlayer):
        def search(self, state) -> SearchResult:
            return SearchResult(api.legal_actions(state)[0], value, 1)

    game = parse_game("connect4")
    assert words in player_hints(Sure(), game, game.initial_state)[1]
