"""A question about a small game whose table is on disk is answered without numba, and without tables for people."""

import pytest

from cli_runner import run_python
from ttt_fast import as_policy, exact_outcome, parse_game
from ttt_fast.agents.catalogue import AGENTS

SMALL = "connect4:columns=3,rows=3,length=3"
CONNECT = "connect4:columns=4,rows=4,length=3"
ORDINARY = [
    name
    for name, one in AGENTS.items()
    if one.policy is not None and one.fits(parse_game("tic-tac-toe")) and name != "puct"  # which needs a file
]
ANY = [name for name in ORDINARY if not AGENTS[name].games]


def in_a_process(*lines):
    """What a new process prints; it must have imported none of the slow packages."""
    code = [
        "import sys",
        "from ttt_fast.core.compilation import compiling",
        "compiling.plain_elements = 1_000_000  # as brief commands do",
        "from ttt_fast.agents.convert import as_player, as_policy",
        "from ttt_fast.evaluate.exact_fractions import exact_fractions",
        "from ttt_fast.evaluate.outcome import exact_outcome",
        "from ttt_fast.evaluate.strength import scorecard",
        "from ttt_fast.tables import solution_of, table_of",
        *lines,
        "slow = ('numba', 'llvmlite', 'scipy', 'polars', 'rich', 'importlib.metadata')",
        "print([name for name in slow if name in sys.modules])",
    ]
    done = run_python("-c", "\n".join(code))
    assert done.err == ""
    *printed, imported = done.text.splitlines()
    assert imported == "[]"
    return printed


@pytest.mark.parametrize(
    ("game", "names", "matches"),
    [
        ("tic-tac-toe", ORDINARY, 5),
        ("tic-tac-toe:misere=yes", ANY, 3),
        (SMALL, ANY, 3),
        pytest.param(CONNECT, ANY, 1, marks=pytest.mark.slow),
    ],
)
def test_agents_and_their_exact_results(game, names, matches):
    """As many matches as cost less than numba."""
    policies = [as_policy(name, game) for name in names]
    expected = [repr(exact_outcome(one, policies[0])[:3]) for one in policies[:matches]]
    printed = in_a_process(
        f"agents = [as_policy(name, {game!r}) for name in {names!r}]",
        f"for one in agents[:{matches}]: print(repr(exact_outcome(one, agents[0])[:3]))",
    )
    assert printed == expected


@pytest.mark.parametrize("game", ["tic-tac-toe", SMALL])
def test_a_scorecard_and_what_it_is_made_of(game):
    for name in ("default", "random", "minimax"):
        as_policy(name, game)
    printed = in_a_process(
        f"policies = [as_policy(name, {game!r}) for name in ('random', 'minimax')]",
        f"rows = scorecard(as_policy('default', {game!r}), policies)",
        "print(len(rows), all(row.regret >= 0 for row in rows))",
        f"table = table_of({game!r})",
        "print(table.state_index(table.board(77)), table.index_of(table.state(77)), solution_of(table).value.size)",
        f"print(as_policy('best-response:default', {game!r}).form)",
        f"print(sum(exact_fractions(as_policy('mix:0.5*random+0.5*default', {game!r}), policies[0])))",
    )
    assert printed[0] == "6 True" and printed[1].split()[:2] == ["77", "77"]
    assert printed[2:] == ["choice", "1"]
