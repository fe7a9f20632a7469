"""The page of Connect 4: its JavaScript, run by Node, has the rules, and chooses as the kernel of a proven player."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from cli_runner import run
from conftest import REPOSITORY
from proven_toys import LARGER, WON_BY_X, columns_of, random_weights, toy
from ttt_fast.games import api
from ttt_fast.games.registry import parse_game
from ttt_fast.values.proven import choose_columns
from ttt_fast.values.proven_files import save_proven
from ttt_fast.web.page_data import rules_page_data
from ttt_fast.web.render import MAX_PAGE_BYTES

STATIC = REPOSITORY / "src" / "ttt_fast" / "web" / "static"
CHOOSE = """
import { readFileSync } from "node:fs";
const { ProvenPlayer } = await import(process.argv[1]);
const { agent, positions } = JSON.parse(readFileSync(0, "utf-8"));
const player = new ProvenPlayer(agent);
console.log(JSON.stringify(positions.map((columns) => player.choose(columns))));
"""


def positions_of(weights, count, seed=0):
    """Ongoing positions of random games in which the player is to move."""
    random, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = weights.start
        while api.status(state) == api.ONGOING:
            if api.player(state) == weights.seat:
                found.append(state)
            state = api.play(state, int(random.choice(api.legal_actions(state))))
    return found[:count]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("name", ["toy", "larger", "second seat", "wide weights", "7x6", "8x7"])
def test_javascript_chooses_as_the_kernel(name, tmp_path):
    weights = {
        "toy": lambda: toy(seed=6),
        "larger": lambda: toy(LARGER),
        "second seat": lambda: random_weights(WON_BY_X, 2, 5, 3, largest=2),
        "wide weights": lambda: random_weights("connect4:columns=5,rows=4", 1, largest=1000),
        "7x6": lambda: random_weights("connect4", 1, 8, 7)._replace(**random_exceptions(1)),
        "8x7": lambda: random_weights("connect4:columns=8,rows=7", 2, 4, 4)._replace(**random_exceptions(2)),
    }[name]()
    save_proven(tmp_path / "player.npz", weights)
    states = positions_of(weights, 3000)
    seats = {"O": weights.seat, "X": 3 - weights.seat}
    boards = [[[seats[stone] for stone in column] for column in columns_of(state)] for state in states]
    data = rules_page_data(weights.game, [str(tmp_path / "player.npz")])
    command, asked = ["node", "--input-type=module", "-e", CHOOSE, str(STATIC / "proven.js")], data["agents"][0]
    told = json.dumps({"agent": asked, "positions": boards})
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    keys = np.array([api.state_key(state) for state in states], np.uint64)
    assert json.loads(done.stdout) == choose_columns(weights, keys).tolist()


def random_exceptions(seed):
    """Slots of random bits: every position in eight has an exception, legal or not."""
    random = np.random.default_rng(seed)
    shape = np.array([[9, 60, 12], [7, 31, 1_000_000]], np.int32)
    sizes = [(int(segments) << int(k)) // 8 for k, segments, _ in shape]
    return {
        "filter": random.integers(0, 256, (3, sizes[0]), np.uint8),
        "columns": random.integers(0, 256, (3, sizes[1]), np.uint8),
        "shape": shape,
    }


@pytest.mark.extra
def test_the_command_writes_a_page_of_the_largest_file(tmp_path):
    save_proven(tmp_path / "large.npz", random_weights("connect4", 1, 15, 8))
    spec = f"proven:file={tmp_path / 'large.npz'}"
    done = run("page", "--agents", spec, "--game", "connect4", "-o", tmp_path / "page.html")
    assert done.code == 0, done.err
    assert 1_200_000 < (tmp_path / "page.html").stat().st_size <= MAX_PAGE_BYTES
    for agents in (f"{spec},{spec}", f"{spec},mcts"):
        done = run("page", "--agents", agents, "--game", "connect4", "-o", tmp_path / "none.html")
        assert (done.code, done.err.count("\n")) == (2, 1)
    assert not (tmp_path / "none.html").exists()


PLAY = """
import { readFileSync } from "node:fs";
const { ColumnGame, ProvenAgent } = await import(process.argv[1]);
const { data, lines } = JSON.parse(readFileSync(0, "utf-8"));
const game = new ColumnGame(data);
const agent = new ProvenAgent(game, data.agents[0]);
const told = [];
for (const line of lines) {
  const states = game.line(game.first, line);
  const last = states.at(-1);
  const { known, moves } = await agent.ask(last);
  told.push([states.length - 1, game.marks(last), last.status, last.player, game.legal(last).map((move) => move.action),
    known ? moves.findIndex((move) => move.chance === 1) >= 0 && moves.find((move) => move.chance === 1).action : null,
    game.textOf(game.find(game.textOf(last))), last.last]);
}
console.log(JSON.stringify(told));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("spec", [WON_BY_X, "connect4", "connect4:columns=3,rows=6,length=5"])
def test_the_rules_of_the_page_are_those_of_the_game(spec, tmp_path):
    for name in ("game", "proven", "rules_game", "engine", "column_game"):  # the page's import map, as files
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        (tmp_path / f"{name}.mjs").write_text(re.sub(r'"page/(\w+)"', r'"./\1.mjs"', text), encoding="utf-8")
    weights, game, random = random_weights(spec, 1), parse_game(spec), np.random.default_rng(0)
    save_proven(tmp_path / "player.npz", weights)
    data, lines, expected = rules_page_data(game, [str(tmp_path / "player.npz")]), [], []
    for _ in range(60):
        state, line, last = game.initial_state, [], None
        for _ in range(random.integers(0, 50)):
            if api.status(state) != api.ONGOING:
                break
            line.append(int(random.choice(api.legal_actions(state))))
            before, state = state, api.play(state, line[-1])
            last = next(place for place, mark in enumerate(marks(state)) if mark != marks(before)[place])
        over, legal = int(api.status(state)) != api.ONGOING, [int(action) for action in api.legal_actions(state)]
        mine = not over and api.player(state) == 1
        chosen = int(choose_columns(weights, np.array([api.state_key(state)], np.uint64))[0]) if mine else None
        mover, text = len(line) % 2 + 1, ".".join(map(str, line))
        shown = [len(line), marks(state), int(api.status(state)), mover]
        expected.append([*shown, [] if over else legal, chosen, text, last])
        lines.append(line + [0] * over)  # a move after the end is not made
    command = ["node", "--input-type=module", "-e", PLAY, str(tmp_path / "column_game.mjs")]
    told = json.dumps({"data": data, "lines": lines})
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected


def marks(state):
    """The marks of a state, row by row from the top."""
    columns, ply = columns_of(state), api.ply(state)
    signs = {"O": "XO"[ply % 2], "X": "OX"[ply % 2]}
    rows = range(state.rows - 1, -1, -1)
    return "".join(signs[one[row]] if row < len(one) else "." for row in rows for one in columns)
