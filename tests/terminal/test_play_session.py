"""A session of games against an agent, with answers from a list."""

import io
from collections.abc import Iterable

import pytest
from rich.console import Console

from ttt_fast.agents.registry import parse_agent
from ttt_fast.policies.policy import Policy
from ttt_fast.tables import standard_table
from ttt_fast.terminal.contests import PolicyContest
from ttt_fast.terminal.play_session import PlaySession, Tally

TABLE = standard_table()


def session(answers: Iterable[str], agent: str | Policy = "minimax:tie=first", seat: int = 1, **options):
    """A session that has been played to the end of the answers, and what it printed."""
    left = iter(answers)

    def ask(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    stream = io.StringIO()
    start = TABLE.state_index(options.pop("board", "." * 9))
    policy = parse_agent(agent) if isinstance(agent, str) else agent
    contest = PolicyContest(policy, options.pop("seed", 0))
    game = PlaySession(contest, seat, start, ask=ask, console=Console(file=stream, width=100), **options)
    game.run()
    return game, stream.getvalue()


def boards(game: PlaySession) -> list[str]:
    return [TABLE.board(state) for state in game.history]


def test_moves_and_replies_are_on_the_record():
    game, _ = session(["4", "1"])
    assert boards(game) == [".........", "....X....", "O...X....", "OX..X....", "OX..X..O."]
    assert game.tally == Tally(0, 0, 0)


def test_as_o_the_agent_has_the_first_move():
    game, _ = session([], seat=2)
    assert boards(game) == [".........", "X........"]


@pytest.mark.parametrize(
    ("board", "seat", "answers", "tally"),
    [
        ("XX.OO....", 1, ["2"], Tally(1, 0, 0)),
        ("XX.OO.X..", 2, ["5"], Tally(1, 0, 0)),
        ("XX.OO....", 1, ["8"], Tally(0, 0, 1)),
        ("XOXXOO.X.", 2, ["6"], Tally(0, 1, 0)),
        ("XX.OO....", 1, ["2", "y", "2", "", "2", "yes", "8"], Tally(3, 0, 1)),
    ],
)
def test_results_are_counted(board, seat, answers, tally):
    game, text = session(answers, "minimax:tie=first,prefer=fast", seat, board=board)
    assert game.tally == tally
    assert text.endswith(f"won {tally.won}, drawn {tally.drawn}, lost {tally.lost}\n")


@pytest.mark.parametrize("answer", ["n", "no", "NO", "q", "whatever"])
def test_no_further_game(answer):
    game, _ = session(["2", answer, "2"], board="XX.OO....")
    assert game.tally == Tally(1, 0, 0)


@pytest.mark.parametrize("word", ["u", "undo", "U "])
def test_undo_as_x_and_as_o(word):
    assert boards(session(["4", "1", word])[0]) == [".........", "....X....", "O...X...."]
    assert boards(session(["4", word])[0]) == ["........."]
    assert boards(session(["4", word], seat=2)[0]) == [".........", "X........"]


def test_undo_with_nothing_to_take_back_changes_nothing():
    for seat in (1, 2):
        game, text = session(["u", "u"], seat=seat)
        assert text.count("there is no move of yours to take back") == 2
        assert len(game.history) == seat


@pytest.mark.parametrize("word", ["n", "new", " N "])
def test_a_new_game_begins_at_the_first_board(word):
    game, _ = session(["2", word], board="XO.......")
    assert boards(game) == ["XO......."]
    assert game.tally == Tally()


@pytest.mark.parametrize("word", ["", "9", "10", "-1", "4.0", "a4", "٤", "²"])
def test_words_that_mean_nothing_change_nothing(word):
    game, text = session([word])
    assert boards(game) == ["........."]
    assert f"got {word!r}" in text


def test_a_taken_cell_changes_nothing():
    game, text = session(["0"], board="XO.......")
    assert boards(game) == ["XO......."]
    assert "cell 0 is taken" in text


def test_hints_are_from_the_persons_side():
    _, text = session(["h"], board="XX.OO....")
    assert "2 win " in text
    assert "6 loss 1" in text
    _, text = session([], board="XX.OO.X..", seat=2, hints=True)
    assert "5 win " in text
    assert "8 loss 1" in text


def test_hints_appear_only_when_asked_for():
    assert "draw" not in session([])[1].split("quit")[1].replace("drawn", "")
    assert "4 draw" in session(["hint"])[1]


def test_the_agent_draws_its_moves_with_its_probabilities():
    mix = parse_agent("mix:3/4*minimax:tie=last+1/4*minimax:tie=first")
    replies = []
    for seed in range(200):
        game, _ = session([], mix, seat=2, seed=seed)
        replies.append(boards(game)[1])
    assert set(replies) == {"X........", "........X"}
    assert 25 <= replies.count("X........") <= 75  # 50 expected, standard deviation 6


def test_ctrl_c_at_the_prompt_ends_the_session():
    def ask(prompt: str) -> str:
        raise KeyboardInterrupt

    stream = io.StringIO()
    PlaySession(PolicyContest(parse_agent("random"), 0), 1, 0, ask=ask, console=Console(file=stream)).run()
    assert stream.getvalue().endswith("won 0, drawn 0, lost 0\n")
