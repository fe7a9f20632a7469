"""The spellings on which scripts rely, each as a command that runs; other spellings do not exist."""

import csv
import json
from importlib.util import find_spec

import pytest

from cli_runner import assert_one_line, run
from ttt_fast import parse_game

SMALL = "--game connect4:columns=4,rows=4,length=4"
RESULTS = "x o x_wins draws o_wins"
EXACT = "exact_x_wins exact_draws exact_o_wins"
VALUES = "value best_value regret"
LINES = {
    "train --opponent random --seat o --episodes 2k --seed 1 -o o.npz": f"episodes seconds sha256 {VALUES}",
    "train --opponent random --seat x -n 2_000 --seed 0 -o q.npz --force": "episodes_per_second exploitability",
    "train --resume q.npz": "states agreement",
    "train --algorithm dqn --hidden 8 --replay 100 --warm-up 10 --keep best -n 200": VALUES,
    "train --algorithm dqn --hidden 8 --replay 100 --warm-up 10 --keep last -n 200": VALUES,
    f"train --algorithm td --tuples 4 --tuple-cells 3 -n 200 {SMALL}": "agreement exploitability",
    "match q.npz random -n 2k --seed 0 --threads 2 --method play --random-opening": f"games games_per_second {EXACT}",
    "match random heuribot -n 1e3 --method propagate --position X........": f"{RESULTS} {EXACT}",
    "match random minimax -n 20 --sprt 0,5 --openings random:2": RESULTS,
    "exact random heuribot --random-opening": f"{RESULTS} value",
    f"exact centre-first random --fixed-seat x {SMALL}": f"{RESULTS} positions value",
    "score q.npz": "agreeing agreement never_loses value exploitability states",
    f"score centre-first --fixed-seat o {SMALL}": "positions value never_loses",
    "show XO..X.... --agents random,minimax": "action value_x distance random minimax",
    "best-response buggy2 --seat x --objective value -o br.npz": f"{RESULTS} value",
    "best-response buggy2 --seat o --objective wins": RESULTS,
    f"best-response centre-first --fixed-seat x {SMALL}": "positions value",
    "compare random minimax br.npz -n 100": f"games {RESULTS} {EXACT}",
    "exact random random --position XXXOO....": f"{RESULTS} value",
    "exact heuribot random --reach final": "board status probability",
    "match random minimax -n 2k --seats both --random-opening": f"games {RESULTS} {EXACT}",
    "match random random -n 1e15 --method propagate": f"games {RESULTS} {EXACT}",
    "compare random mcts:sims=2 -n 2": f"games {RESULTS}",
    "score buggy2 --by-state": "board action agrees regret",
    "show 4453 --game connect4 --agents default,random": "action move board default random",
    "info": "ttt_fast python numba numpy polars cpu",
    "solve 44444": "position score",
    "solve --file lines.txt": "position score",
    "perft --depth 2 --game ultimate:tie=draw,closed=free": "depth leaves",
    "agents --game ultimate:tie=boards,closed=stay": "agent",
    "states --game tic-tac-toe:rows=3,columns=3,length=3,misere=no": "states",
    "states --game connect4:columns=4,rows=3,length=3": "states",
    "agents": "agent",
    "watch random minimax": "action value_x",
    "review lines.txt --game connect4:columns=4,rows=4 --moves": "player value_x best_value_x values",
    "review lines.txt --game connect4:columns=4,rows=4 --strict": "games open_decisions mistakes regret low high",
    "sweep --set epsilon=0.1 --seeds 2 -n 1k -o runs": "mean_value best_value",
    "match learned:ms=0,nodes=50 random --game connect4 -n 2": RESULTS,
}
"""Lines in the order in which they use one another's files, and columns of their rows."""
SLOW_LINES = {
    "perft --depth 2 --game ultimate:tie=boards,closed=stay": "depth leaves",
    "states --game openspiel:tic_tac_toe": "states",
    "match learned:ms=0,sims=2 random --game ultimate -n 2": RESULTS,
}
"""Further games of the commands above."""
FILES = {
    "play random --seed 1": "",
    "page --agents minimax -o page.html": "page.html",
    "plot curve.csv -o curve.svg": "curve.svg",
}
"""Lines that write a file instead of rows."""


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("here"))
        with open("lines.txt", "w", encoding="utf-8") as lines, open("curve.csv", "w", encoding="utf-8") as curve:
            lines.write("44444\n")
            curve.write("episodes,wins\n1,0.5\n2,0.6\n")
        yield


@pytest.mark.parametrize("lines", [LINES, pytest.param(SLOW_LINES, marks=pytest.mark.slow)], ids=["quick", "slow"])
def test_each_line_has_its_columns(lines):
    for line, columns in lines.items():
        if "openspiel" in line and find_spec("pyspiel") is None:
            continue
        words = line.split()
        ran = run(*words, "--format", "json")
        assert ran.code == (11 if "--sprt" in words else 0), (line, ran.err)  # 11: undecided
        document = json.loads(ran.out)
        summary = ["summary"] if words[0] in ("match", "compare", "prove") else []
        assert list(document) == ["schema", "manifest", "rows", *summary], line
        assert (document["schema"], document["manifest"]["command"]) == (f"ttt-fast/{words[0]}/1", words[0]), line
        assert {"ttt_fast", "python", "numba", "numpy", "cpu"} <= set(document["manifest"]["environment"]), line
        missing = set(columns.split()).difference(*document["rows"])
        assert document["rows"] and not missing, (line, missing, list(document["rows"][0]))


@pytest.mark.parametrize("line", FILES)
def test_each_line_writes_its_file(line, tmp_path):
    ran = run(*line.split(), stdin="q\n")
    assert ran.code == 0, ran.err
    with open(FILES[line] or "lines.txt", "rb") as stream:
        assert stream.read(9)


STARTS = {
    ("exact", "random", "random"): ("tic-tac-toe", "031"),
    ("match", "random", "random", "-n", "1k"): ("tic-tac-toe:rows=3,columns=3,misere=yes", "031"),
    ("watch", "random", "random"): ("connect4:columns=4,rows=3", "223"),
    ("perft", "-d", "2"): ("ultimate:tie=boards", "55 51"),
    ("play", "random", "--seed", 1): ("tic-tac-toe:misere=yes", "085"),
    ("show", "--agents", "random"): ("openspiel:nim(pile_sizes=2;3)", "pile:1,take:1; pile:2,take:2;"),
}
"""Commands that start somewhere, each with a game and moves."""


def _without_times(text):
    """Return the rows of a csv text without the columns of times."""
    rows = csv.DictReader(text.splitlines())
    return [{name: cell for name, cell in row.items() if "second" not in name} for row in rows]


@pytest.mark.parametrize("line", STARTS, ids=lambda line: line[0])
def test_moves_and_the_board_after_them_are_one_start(line):
    spec, moves = STARTS[line]
    if spec.startswith("openspiel") and find_spec("pyspiel") is None:
        pytest.skip("open_spiel is not installed")
    game, option = parse_game(spec), () if line[0] == "show" else ("--position",)
    words = (*line, "--game", spec, *(() if line[0] == "play" else ("-f", "csv")))
    found = [run(*words, *option, text) for text in (moves, game.format_position(game.state_after(moves)))]
    one, other = (ran.text if line[0] == "play" else _without_times(ran.text) for ran in found)
    assert one == other and all(ran.code == 0 for ran in found), found
    if option:
        assert run(*words).text != found[0].text
        assert_one_line(run(*words, *option, "neither"), 2, "'neither' is neither a line of moves nor a board")


@pytest.mark.parametrize(
    "line",
    [
        "replay games.jsonl", "tables", "check-engine ./bot", "report random", "page random --report",
        "exact random random --board X........", "match random random --moves 0", "match random random --swap",
        "play --opponent random", "sweep --executor threads", "reproduce all --executor dask", "train --learner q",
        "best-response random --objective score",
    ],
)  # fmt: skip
def test_other_spellings_do_not_exist(line):
    assert_one_line(run(*line.split()), 2)
