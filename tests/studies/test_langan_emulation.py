"""Langan's emulation equals a plain one bit for bit, and its defects leave the traces that were found."""

import numpy as np
import pytest

from conftest import SHARED
from langan_file import decoded, encoded_table
from reference import START, Board, is_over, legal_actions, put, winner, words
from ttt_fast import PolicyError
from ttt_fast.kernels import chunk_stream, next_word
from ttt_fast.policies.files.langan import CELL_OF_ACTION, format_table, parse
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.langan import emulation, game, measures
from ttt_fast.studies.langan.emulation import EmulatedRule, Mended
from ttt_fast.studies.langan.runs import AS_CODED, OVER_LEGAL, Run, traces_of, train

# The program, as plainly as possible: a board is nine marks from the bottom left, a table a dictionary of such rows.
QTable = dict[Board, list[float]]
MASK_40, MASK_24 = 2**40 - 1, 2**24 - 1
ALPHA, EPSILON = 0.1, 0.2


def choose(q: QTable, board: Board, word: int, epsilon: float = EPSILON) -> tuple[int, int]:
    """An action, and the fraction that is left of the word."""
    row = q.setdefault(board, [0.0] * 9)
    actions, x = legal_actions(board), word >> 24
    if (word & MASK_24) < round(epsilon * 2**24):
        return actions[x * len(actions) >> 40], x * len(actions) & MASK_40
    return max(actions, key=lambda action: row[action]), x  # max keeps the first of equals


def maximum(q: QTable, board: Board, over_legal: bool) -> float:
    row = q.setdefault(board, [0.0] * 9)
    return max(row[action] for action in (legal_actions(board) if over_legal else range(9)))


def nudge(q: QTable, board: Board, action: int, target: float, step: float = ALPHA) -> None:
    q[board][action] += step * (target - q[board][action])


def plain_self_play(
    mended: Mended, episodes: int, stream: int, rewards=(1.0, 0.0, -1.0), step=ALPHA, last_step=ALPHA, epsilon=EPSILON
) -> list[QTable]:
    tables: list[QTable] = [{}, {}]
    draws = words(stream)
    for _ in range(episodes):
        board, mover = START, 0
        last: list[tuple[Board, int] | None] = [None, None]
        while True:
            q, before = tables[mover], last[mover]
            if mended.successor and before is not None:
                nudge(q, *before, maximum(q, board, mended.maximum), step)
            action, _ = choose(q, board, next(draws), epsilon)
            after = put(board, action, mover + 1)
            if is_over(after):
                won = winner(after) != 0
                nudge(q, board, action, rewards[0 if won else 1], last_step)
                other = last[1 - mover]
                if mended.credit and other is not None:
                    nudge(tables[1 - mover], *other, rewards[2 if won else 1], last_step)
                break
            if not mended.successor:
                nudge(q, board, action, maximum(q, after, mended.maximum), step)
            last[mover] = (board, action)
            board, mover = after, 1 - mover
    return tables


def plain_against(opponent, rewards, last_step: float, over_legal: bool, episodes: int, stream: int) -> QTable:
    """`opponent` gives the actions that it draws from, uniformly."""
    q: QTable = {}
    draws = words(stream)
    for _ in range(episodes):
        board = START
        while True:
            action, x = choose(q, board, next(draws))
            after = put(board, action, 1)
            if not is_over(after):
                replies = opponent(after)
                after = put(after, replies[x * len(replies) >> 40], 2)
            if is_over(after):
                nudge(q, board, action, rewards[(1, 0, 2)[winner(after)]], last_step)
                break
            nudge(q, board, action, maximum(q, after, over_legal))
            board = after
    return q


def our_action(action: int) -> int:
    return (2 - action // 3) * 3 + action % 3


def our_state(table, board: Board) -> int:
    return table.state_index("".join(str(board[our_action(cell)]) for cell in range(9)))


def assert_same(table, rows, tables, learner: int, expected: QTable) -> None:
    q = game.full_table(rows, tables, learner)
    seen = np.zeros(table.num_states, bool)
    for board, row in expected.items():
        state = our_state(table, board)
        seen[state] = True
        assert [q[state, our_action(action)] for action in range(9)] == row, board
    assert np.array_equal(tables.seen[learner], seen)
    assert not q[~seen].any()


@pytest.fixture(params=[200, pytest.param(3000, marks=pytest.mark.slow)], ids="{} episodes".format)
def episodes(request, monkeypatch):
    """A few episodes by the kernels as Python, and more by the compiled ones."""
    if request.param == 200:
        for name in ("self_play", "learn_against", "_update", "_value_of_row"):
            monkeypatch.setattr(emulation, name, getattr(emulation, name).py_func)
        monkeypatch.setattr(emulation, "next_word", lambda stream: tuple(map(np.uint64, next_word(np.uint64(stream)))))
    return request.param


ALL_MENDED = [Mended(b1, b2, b3) for b1 in (False, True) for b2 in (False, True) for b3 in (False, True)]


@pytest.mark.parametrize("mended", ALL_MENDED, ids=str)
def test_self_play_equals_the_plain_program(table, mended, episodes):
    stream = chunk_stream(7, 0)
    rows = game.program_rows()
    tables = game.new_tables(rows, 2)
    emulation.self_play(rows.link, tables, EmulatedRule(mended), episodes, stream)
    for learner, expected in enumerate(plain_self_play(mended, episodes, int(stream))):
        assert_same(table, rows, tables, learner, expected)


@pytest.mark.parametrize(
    ("mended", "settings"),
    [(Mended(), {"step": 0.5, "epsilon": 0.7}), (Mended(True, True, True), {"step": 1.0, "epsilon": 0.05}),
     (Mended(True, True), {"rewards": emulation.WRITTEN, "last_step": 1.0})],
)  # fmt: skip
def test_self_play_with_other_settings_equals_the_plain_program(table, mended, settings, episodes):
    stream, rows = chunk_stream(9, 0), game.program_rows()
    tables = game.new_tables(rows, 2)
    settings = {"last_step": settings.get("step", ALPHA), **settings}
    emulation.self_play(rows.link, tables, EmulatedRule(mended, **settings), episodes, stream)
    for learner, expected in enumerate(plain_self_play(mended, episodes, int(stream), **settings)):
        assert_same(table, rows, tables, learner, expected)


@pytest.mark.parametrize("agent_name", ["minimax", "random", "buggy2:as=coded"])
@pytest.mark.parametrize(
    ("rewards", "last_step", "over_legal"),
    [((1.0, 0.0, -1.0), 0.1, False), ((1.0, 0.0, -1.0), 0.1, True), ((1.0, 0.5, 0.0), 1.0, False)],
)
def test_learning_against_a_player_equals_the_plain_program(
    table, agent, agent_name, rewards, last_step, over_legal, episodes
):
    player = agent(agent_name)
    stream = chunk_stream(8, 1)
    rows = game.program_rows()
    tables = game.new_tables(rows, 1)
    replies = game.uniform_replies(player, rows)
    rule = EmulatedRule(Mended(maximum=over_legal), rewards, last_step=last_step)
    emulation.learn_against(rows.link, replies, tables, rule, episodes, stream)

    probabilities = player.probabilities

    def actions(board: Board) -> list[int]:
        chances = probabilities[our_state(table, board)]
        return [action for action in range(9) if chances[our_action(action)] > 0]

    expected = plain_against(actions, rewards, last_step, over_legal, episodes, int(stream))
    assert_same(table, rows, tables, 0, expected)


def test_replies_must_be_equally_likely(agent):
    with pytest.raises(PolicyError, match="equally likely"):
        game.uniform_replies(agent("mix:1/2*random+1/2*minimax"), game.program_rows())


def run_of(opponent, variant, checkpoints):
    found = train(opponent, variant, 0, checkpoints)
    return Run(0, tuple(checkpoints), found["actions"], found["seen"], found["traces"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "mended", [Mended(maximum=True), Mended(False, True, True), Mended(True, False, True)], ids=str
)
def test_mending_the_maximum_changes_no_bit_while_another_defect_is_left(mended):
    stream, rows = chunk_stream(3, 0), game.program_rows()
    both = []
    for one in (mended, mended._replace(maximum=False)):
        tables = game.new_tables(rows, 2)
        emulation.self_play(rows.link, tables, EmulatedRule(one), 50_000, stream)
        both.append(tables)
    assert all(np.array_equal(first, second) for first, second in zip(*both, strict=True))


@pytest.mark.slow
def test_the_published_97_percent_and_the_100_percent_over_legal_actions():
    """Table 1: 552 of 569; this seed gives exactly that."""
    coded, legal = (run_of("minimax", variant, (2_000_000,)) for variant in (AS_CODED, OVER_LEGAL))
    found = measures.quantities(coded.policy())
    assert found["states"] - found["agreeing"] == 17
    assert coded.trace("of them all zero") == 17
    assert measures.quantities(legal.policy())["agreement"] == 1.0
    assert measures.quantities(legal.policy())["states"] in (567, 568, 569)


PUBLISHED_TABLES = {
    "self_play_p1": (1, (3072, 4433, 2039)),
    "self_play_p2": (2, (2947, 4432, 2393)),
    "q_random_100m": (1, (2422, 2423, 0)),
}
"""The author's files: the learner's seat; rows that agree with minimax, rows, and rows of the opponent's turn."""


def traces(table, solution, path, seat):
    """What a file holds: the counts above, and the traces of the defects."""
    policy = parse(path.read_bytes(), path.stem, table)
    q = np.zeros(table.child.shape)
    for board, values in decoded(path.read_bytes()):
        q[table.state_index(board), [our_action(action) for action in range(9)]] = values
    evidence = traces_of(q, policy.held, policy.greedy_actions(), seat)
    states = np.flatnonzero(policy.held)
    agreeing = int(table.dense(solution.optimal)[states, policy.greedy_actions()[states]].sum())
    return (agreeing, states.size, evidence[0]), evidence


@pytest.mark.slow
def test_tables_have_the_same_traces_as_files_of_the_program(table, solution, tmp_path):
    """Emulated tables, written as the program writes them; and the author's own, where they are at hand."""
    rows = game.program_rows()
    tables = game.new_tables(rows, 2)
    emulation.self_play(rows.link, tables, EmulatedRule(), 300_000, chunk_stream(0, 0))
    for learner in (0, 1):
        q, path = game.full_table(rows, tables, learner), tmp_path / f"player{learner + 1}.dat"
        held = tables.seen[learner] & table.decision_mask
        path.write_bytes(format_table(table, q, held))
        assert path.read_bytes() == encoded_table(q, held, table)
        (agreeing, states, of_opponent), evidence = traces(table, solution, path, learner + 1)
        assert evidence == traces_of(q, held, game.greedy_actions(rows, tables, learner), learner + 1)
        assert evidence[1:4] == [0, 0, 0]
        assert states == int(held.sum()) and of_opponent > 500
        assert 0.6 < agreeing / states < 0.75
    for name, (seat, counts) in PUBLISHED_TABLES.items():
        path = SHARED / "data" / "langan" / f"{name}.dat"
        if path.is_file():
            found, evidence = traces(table, solution, path, seat)
            assert found == counts
            assert evidence[1:4] == [0, 0, 0] or not name.startswith("self")


def test_the_counts_of_the_author_s_tables_are_those_that_the_report_prints():
    """Tables 3 and 4: rows that agree, and rows."""
    printed = {(cell.place, cell.quantity): cell.value for cell in cells_of("ttt_fast.studies.langan")}
    for name, place in (("self_play_p1", "Self-Play (Player 1)"), ("self_play_p2", "Self-Play (Player 2)"),
                        ("q_random_100m", "Q_random")):  # fmt: skip
        assert (printed[place, "agreeing"], printed[place, "states"]) == PUBLISHED_TABLES[name][1][:2]


def test_the_numbering_of_actions_is_that_of_its_files():
    assert game.CELL_OF_ACTION == CELL_OF_ACTION
