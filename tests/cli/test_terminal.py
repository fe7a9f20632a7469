"""The program in a terminal: live lines leave nothing behind, and errors are broken between words."""

import os
import re

import pytest

from cli_runner import assert_one_line, run
from terminal_screen import run_in_terminal

CORNERS = """
def corners(state):
    from ttt_fast.games import api
    legal = list(api.legal_actions(state))
    return next((one for one in (0, 2, 6, 8) if one in legal), legal[0])
"""
LIVE = {
    "compare": ["compare", "random", "heuribot", "-n", "100"],
    "score": ["score", "python:corners_agent:corners"],
}


@pytest.mark.parametrize("name", LIVE)
def test_live_lines_leave_nothing_behind(name, tmp_path, monkeypatch):
    (tmp_path / "corners_agent.py").write_text(CORNERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    seen = run_in_terminal(*LIVE[name], columns=160, PYTHONPATH=_paths(tmp_path))
    assert seen.code == 0, seen.lines
    assert not [line for line in seen.lines if "/s  " in line or "%  " in line or "compiling" in line], seen.lines
    assert seen.raw.count("\x1b[?25l") == seen.raw.count("\x1b[?25h")  # the cursor is shown again


@pytest.mark.slow
def test_kernels_that_compile_leave_nothing_behind(tmp_path):
    seen = run_in_terminal("show", "XO..X....", "--agents", "mcts:sims=8", NUMBA_CACHE_DIR=str(tmp_path))
    assert seen.code == 0 and "compiling" in seen.raw
    assert "compiling" not in "\n".join(seen.lines)


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["match", "mctss", "random"], "ttt-fast: unknown agent 'mctss' for", "hint: did you mean mcts or mcts-best?"),
        (["exact", "random"], "ttt-fast: missing argument 'O'", "hint: see `ttt-fast exact --help`"),
    ],
)
def test_errors_are_broken_between_words_and_end_with_a_hint(words, error, hint):
    seen = run_in_terminal(*words, columns=60)
    assert seen.code == 2 and max(map(len, seen.lines)) <= 60
    assert seen.lines[0].startswith(error) and any(line.startswith(hint) for line in seen.lines)
    piped = run(*words)
    assert_one_line(piped, 2)
    assert set(" ".join(seen.lines).replace("hint: ", "").split()) <= set(
        piped.err.replace(";", "").replace("(", "").replace(")", "").split()
    )


PLACES = {
    "train": ["train", "-n", "200M", "-o", "{}/q.npz"],
    "curve": ["train", "-n", "200M", "--curve", "{}/q.csv"],
    "match": ["match", "random", "random", "-n", "1e12", "--save", "{}/games.npz"],
    "exact": ["exact", "random", "random", "-o", "{}/a.json"],
    "sweep": ["sweep", "-n", "200M", "-o", "{}/runs"],
    "merge": ["sweep", "-n", "200M", "--merge", "{}/runs.parquet"],
    "reproduce": ["reproduce", "all", "--results", "{}/results"],
    "reproduce-runs": ["reproduce", "hensler", "--runs", "{}/runs"],
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("place", ["file", "/proc"])
def test_a_place_that_cannot_be_written_is_refused_at_once(name, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    if not os.path.exists(place):
        pytest.skip(f"{place} is of Linux")
    assert_one_line(run(*(word.format(place) for word in PLACES[name])), 1, "cannot write", place)
    assert sorted(os.listdir(tmp_path)) == ["file"]


def _paths(folder) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["exact", "random", "minimax"], "minimax (O) beats random (X) in 77.7 % of games and loses 0 %: value 0.777"),
        (["exact", "minimax", "minimax"], "minimax (X) and minimax (O) draw all games: value 0"),
        (["match", "minimax", "heuribot", "-n", "8"], "minimax (X) and heuribot (O) draw all 8 games: value 0"),
        (
            ["compare", "random", "minimax", "heuribot"],
            "heuribot scores best, 0.731; the others: minimax 0.718, random ",
        ),
        (["compare", "minimax", "heuribot"], "minimax and heuribot score best, 0.500"),
    ],
)
def test_a_closing_sentence_ends_the_text_of_the_result(words, said, tmp_path):
    """On standard output, or in the file: `> result.txt` keeps it.  The other formats have rows alone."""
    ran = run(*words)
    assert (ran.code, ran.err) == (0, "") and ran.text.splitlines()[-1].startswith(said)
    assert run(*words, "-o", tmp_path / "result.txt").err.startswith("wrote ")
    assert (tmp_path / "result.txt").read_text(encoding="utf-8").splitlines()[-1].startswith(said)
    for form in ("json", "csv", "markdown"):
        pure = run(*words, "-f", form)
        assert pure.err == "" and (not said or said not in pure.text)


@pytest.mark.parametrize("seat", ["x", "o"])
def test_a_result_from_a_fixed_seat_has_the_same_sentence(seat):
    words = ["exact", "random", "minimax"]
    said = run(*words).text.splitlines()[-1]
    assert run(*words, "--fixed-seat", seat).text.splitlines()[-1] == said != ""


def test_a_long_match_has_a_running_score(tmp_path, monkeypatch):
    words = ["match", "mcts:sims=8", "random", "-n", "400", "--sprt", "0,500"]
    seen = run_in_terminal(*words, columns=160)
    assert seen.code in (0, 10, 11) and ", Elo +" in seen.raw and ", LLR " in seen.raw
    assert "LLR" not in "\n".join(seen.lines)


@pytest.mark.parametrize("words", [["minimax", "heuribot"], ["504"]])
def test_the_caption_of_a_picture_fits_its_width(words, tmp_path):
    run("watch", *words, "-o", tmp_path / "game.svg")
    picture = (tmp_path / "game.svg").read_text(encoding="utf-8")
    width = int(picture.split('width="')[1].split('"')[0])
    lines = re.findall(r'font-size="14"[^>]*>([^<]+)<', picture)
    assert len(lines) == (3 if len(words) == 2 else 1) and max(map(len, lines)) * 8 <= width
    heights = [float(y) for y in re.findall(r'y="([\d.]+)" text-anchor="middle" font-size="14"', picture)]
    assert heights == sorted(heights) and heights[-1] < int(picture.split('height="')[1].split('"')[0])


@pytest.mark.slow
def test_bench_prints_its_numbers_beside_the_file(tmp_path):
    ran = run("bench", "--seconds", "0.05", "--repeats", "1", "-o", tmp_path / "here.json")
    assert ran.code == 0 and "throughput of this machine" in ran.text
    assert f"wrote {tmp_path / 'here.json'}\n" in ran.err and (tmp_path / "here.json").read_bytes()[:1] == b"{"
