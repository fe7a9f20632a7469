"""The plain version of everything: dictionaries, tuples and recursion, and nothing from the package.

A board is a tuple of nine marks (0 empty, 1 X, 2 O).  Slow, short and obvious on purpose: the tests hold the
kernels against it.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

Board = tuple[int, ...]
Line = tuple[int, int, int]
START: Board = (0,) * 9
ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
COLUMNS = [(0, 3, 6), (1, 4, 7), (2, 5, 8)]
DIAGONALS = [(0, 4, 8), (2, 4, 6)]
LINES: tuple[Line, ...] = (*ROWS, *COLUMNS, *DIAGONALS)
Strategy = Callable[[Board], dict[int, Fraction]]


def words(state: int) -> Iterator[int]:
    """SplitMix64 (Steele, Lea and Flood 2014)."""
    mask = 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


# --- Rules.


def winner(board: Board) -> int:
    """1 or 2 if that player has a line, else 0."""
    for line in LINES:
        if board[line[0]] != 0 and board[line[0]] == board[line[1]] == board[line[2]]:
            return board[line[0]]
    return 0


def is_over(board: Board) -> bool:
    return winner(board) != 0 or 0 not in board


def mover(board: Board) -> int:
    return 1 if board.count(1) == board.count(2) else 2


def legal_actions(board: Board) -> list[int]:
    return [] if is_over(board) else [cell for cell in range(9) if board[cell] == 0]


def after(board: Board, action: int) -> Board:
    return put(board, action, mover(board))


def put(board: Board, cell: int, mark: int) -> Board:
    return (*board[:cell], mark, *board[cell + 1 :])


def text(board: Board) -> str:
    return "".join(".XO"[mark] for mark in board)


def all_states() -> list[Board]:
    """Every reachable board, breadth first, the children of a board by ascending action."""
    found, order = {START}, [START]
    for board in order:
        for action in legal_actions(board):
            child = after(board, action)
            if child not in found:
                found.add(child)
                order.append(child)
    return order


# --- The solved game.


@cache
def value(board: Board) -> int:
    """+1 if X wins under best play, 0, -1."""
    if is_over(board):
        return {0: 0, 1: 1, 2: -1}[winner(board)]
    best = max if mover(board) == 1 else min
    return best(value(after(board, action)) for action in legal_actions(board))


def optimal_actions(board: Board) -> list[int]:
    return [a for a in legal_actions(board) if value(after(board, a)) == value(board)]


@cache
def utility(board: Board) -> int:
    """Smirnov's second utility under best play: (10 - filled squares) if X wins, minus that if O wins."""
    if is_over(board):
        return {0: 0, 1: 1, 2: -1}[winner(board)] * (10 - (9 - board.count(0)))
    best = max if mover(board) == 1 else min
    return best(utility(after(board, action)) for action in legal_actions(board))


def fastest_actions(board: Board) -> list[int]:
    return [a for a in legal_actions(board) if utility(after(board, a)) == utility(board)]


# --- Players, from the words of the documents.

COLUMN_MAJOR = (0, 3, 6, 1, 4, 7, 2, 5, 8)


def uniform(actions: Sequence[int]) -> dict[int, Fraction]:
    return {action: Fraction(1, len(actions)) for action in actions}


def random_player(board: Board) -> dict[int, Fraction]:
    return uniform(legal_actions(board))


def minimax_player(board: Board) -> dict[int, Fraction]:
    return uniform(optimal_actions(board))


def minimax_with(tie: str = "uniform", prefer: str = "none") -> Strategy:
    def player(board: Board) -> dict[int, Fraction]:
        actions = fastest_actions(board) if prefer == "fast" else optimal_actions(board)
        if tie == "uniform":
            return uniform(actions)
        if tie == "column-major":
            return {min(actions, key=COLUMN_MAJOR.index): Fraction(1)}
        return {min(actions) if tie == "first" else max(actions): Fraction(1)}

    return player


def completing(board: Board, mark: int) -> list[int]:
    """The empty cells where `mark` would complete a line, ascending."""
    return [cell for cell in range(9) if board[cell] == 0 and winner(put(board, cell, mark)) == mark]


def default_with(skill: Fraction = Fraction(1)) -> Strategy:
    """Sai: with chance `skill` it sees its first winning cell, else with that chance its first block."""

    def player(board: Board) -> dict[int, Fraction]:
        chances = dict.fromkeys(legal_actions(board), Fraction(0))
        left = Fraction(1)
        for mark in (mover(board), 3 - mover(board)):
            cells = completing(board, mark)
            if cells:
                chances[cells[0]] += left * skill
                left *= 1 - skill
        for action in chances:
            chances[action] += left / len(chances)
        return chances

    return player


def buggy_with(source: str = "written") -> Strategy:
    """Langan, figure 5: top right and bottom right are the opponent's, the cell between them is empty."""

    def player(board: Board) -> dict[int, Fraction]:
        opponent = 3 - mover(board)
        if not (board[2] == board[8] == opponent and board[5] == 0):
            return minimax_player(board)
        for cell in {"written": (4, 6), "coded": (6, 4)}[source]:
            if board[cell] == 0:
                return {cell: Fraction(1)}
        return random_player(board)

    return player


def buggy2_with(source: str = "written") -> Strategy:
    """Langan, figure 6: as `buggy`, and the centre is its own; the code looks at the top row instead."""
    corner, middle, other = {"written": (2, 5, 8), "coded": (0, 1, 2)}[source]

    def player(board: Board) -> dict[int, Fraction]:
        opponent = 3 - mover(board)
        triggered = board[corner] == board[other] == opponent and board[middle] == 0
        return random_player(board) if triggered and board[4] == mover(board) else minimax_player(board)

    return player


def mixture(*parts: tuple[Fraction, Strategy]) -> Strategy:
    def player(board: Board) -> dict[int, Fraction]:
        chances = dict.fromkeys(legal_actions(board), Fraction(0))
        for share, strategy in parts:
            for action, chance in strategy(board).items():
                chances[action] += share * chance
        return chances

    return player


# --- Heuribot, from Smirnov's page and, for `coded`, as its program was read.

HEURIBOT_LINES = (*COLUMNS, *ROWS, *DIAGONALS)


def third_cells(board: Board, mark: int) -> list[int]:
    """For each line with two of `mark` and a blank, in heuribot's order of lines, the blank."""
    return [
        next(cell for cell in line if board[cell] == 0)
        for line in HEURIBOT_LINES
        if sorted(board[cell] for cell in line) == sorted((mark, mark, 0))
    ]


def fork_cells(board: Board, mark: int) -> list[int]:
    """Blank cells common to two lines that hold one `mark` and two blanks each."""
    open_lines = [line for line in LINES if sorted(board[cell] for cell in line) == sorted((mark, 0, 0))]
    return [c for c in range(9) if board[c] == 0 and sum(c in line for line in open_lines) >= 2]


def _blocks_only_fork(board: Board, variant: str) -> list[int]:
    own, opponent = mover(board), 3 - mover(board)
    forks = fork_cells(board, opponent)
    if variant == "coded":
        return []
    if variant == "lone-fork":
        return forks if len(forks) == 1 else []
    return [cell for cell in forks if not fork_cells(put(board, cell, own), opponent)]


def _forced_lines(board: Board, variant: str) -> list[int]:
    own, opponent = mover(board), 3 - mover(board)
    candidates = sorted(
        {
            cell
            for line in LINES
            if sorted(board[cell] for cell in line) == sorted((own, 0, 0))
            for cell in line
            if board[cell] == 0
        }
    )
    approved, seen = [], set()
    for candidate in candidates:
        now, turn = put(board, candidate, own), opponent
        while not third_cells(now, turn) and third_cells(now, 3 - turn):
            now, turn = put(now, third_cells(now, 3 - turn)[0], turn), 3 - turn
        forks = set(fork_cells(now, opponent))
        if variant == "coded":
            forks, seen = forks - seen, seen | forks
        if third_cells(now, turn):  # whoever is to move wins
            good = turn == own
        else:
            good = len(forks) <= (1 if turn == own else 0)
        if good:
            approved.append(candidate)
    return approved


@cache
def heuribot_rule(board: Board, variant: str = "written") -> tuple[str, list[int]]:
    """The rule that fires and the cells that it approves, the one to play first."""
    own, opponent = mover(board), 3 - mover(board)
    blank = [cell for cell in range(9) if board[cell] == 0]
    rules: list[tuple[str, list[int]]] = [
        ("WIN", third_cells(board, own)),
        ("BLOCK", third_cells(board, opponent)),
        ("FORK", fork_cells(board, own)),
        ("BLOCK_FORK", _blocks_only_fork(board, variant)),
        ("FORCE_BLOCK", _forced_lines(board, variant)),
        ("CENTER", [cell for cell in blank if cell == 4]),
        ("OPPOSITE_CORNER", [c for c in blank if c in (0, 2, 6, 8) and board[8 - c] == opponent]),
        ("CORNER", [cell for cell in blank if cell in (0, 2, 6, 8)]),
        ("SIDE", blank),
    ]
    return next((name, cells) for name, cells in rules if cells)


def heuribot_with(variant: str = "written") -> Strategy:
    return lambda board: {heuribot_rule(board, variant)[1][0]: Fraction(1)}


# --- Matches.


def match(
    x: Strategy, o: Strategy, start: Board = START, random_opening: bool = False
) -> tuple[Fraction, Fraction, Fraction]:
    """Exact probabilities (X wins, draw, O wins), by recursion with memory."""
    known: dict[Board, tuple[Fraction, Fraction, Fraction]] = {}

    def result(board: Board) -> tuple[Fraction, Fraction, Fraction]:
        if board not in known:
            if is_over(board):
                won = winner(board)
                known[board] = (Fraction(won == 1), Fraction(won == 0), Fraction(won == 2))
            else:
                strategy = x if mover(board) == 1 else o
                if random_opening and board == start:
                    strategy = random_player
                parts = [(p, result(after(board, a))) for a, p in strategy(board).items() if p]
                known[board] = tuple(sum(p * r[i] for p, r in parts) for i in range(3))
        return known[board]

    return result(start)


def reach(x: Strategy, o: Strategy, start: Board = START, random_opening: bool = False) -> dict[Board, Fraction]:
    """The probability of every board that a game from `start` can pass through."""
    chances = {start: Fraction(1)}
    layer = [start]
    while layer:
        following: dict[Board, Fraction] = {}
        for board in layer:
            if is_over(board):
                continue
            strategy = x if mover(board) == 1 else o
            if random_opening and board == start:
                strategy = random_player
            for action, chance in strategy(board).items():
                if chance:
                    child = after(board, action)
                    following[child] = following.get(child, 0) + chances[board] * chance
        chances.update(following)
        layer = list(following)
    return chances


def best_results(opponent: Strategy, seat: int, goals: Sequence[str]) -> Callable[[Board], tuple[Fraction, ...]]:
    """For every board the most that `seat` can have of the first goal, of the second one with it, and so on.

    Goals are `value` (wins minus losses), `wins` and `draws`.
    """
    payoffs = {"value": (1, 0, -1), "wins": (1, 0, 0), "draws": (0, 1, 0)}
    known: dict[Board, tuple[Fraction, ...]] = {}

    def best(board: Board) -> tuple[Fraction, ...]:
        if board not in known:
            if is_over(board):
                result = {seat: 0, 0: 1, 3 - seat: 2}[winner(board)]
                known[board] = tuple(Fraction(payoffs[goal][result]) for goal in goals)
            elif mover(board) == seat:
                known[board] = max(best(after(board, action)) for action in legal_actions(board))
            else:
                parts = [(p, best(after(board, action))) for action, p in opponent(board).items() if p]
                known[board] = tuple(sum((p * r[i] for p, r in parts), Fraction(0)) for i in range(len(goals)))
        return known[board]

    return best


def best_score(opponent: Strategy, seat: int, objective: str = "value", start: Board = START) -> Fraction:
    """The most that `seat` can have (wins minus losses, or wins) against `opponent`."""
    return best_results(opponent, seat, [objective])(start)[0]


def losing_boards(player: Strategy, seat: int) -> set[Board]:
    """The boards from which some line of possible moves beats `player` in this seat."""
    known: dict[Board, bool] = {}

    def lost(board: Board) -> bool:
        if board not in known:
            if is_over(board):
                known[board] = winner(board) == 3 - seat
            elif mover(board) == seat:
                known[board] = any(lost(after(board, a)) for a, p in player(board).items() if p)
            else:
                known[board] = any(lost(after(board, action)) for action in legal_actions(board))
        return known[board]

    return {board for board in all_states() if lost(board)}


def regret(player: Strategy, board: Board) -> Fraction:
    """The minimax value that the player's move at `board` gives away on average."""
    sign = 1 if mover(board) == 1 else -1
    kept = sum((p * value(after(board, a)) for a, p in player(board).items()), Fraction(0))
    return sign * (value(board) - kept)


# --- Any plain game (of `games_reference`): every position by dictionaries, matches by sums over them.

Moves = tuple[int, ...]
Rows = list[dict[int, Fraction]]
"""For each position the chance of each action."""


class Graph(NamedTuple):
    """Every position that play reaches, breadth first, actions ascending.

    `lines` are the moves by which each was found first, `children` the index after each legal action, `status` 0
    ongoing, 1 X has won, 2 O has won, 3 draw, and `index` finds a position by its marks.
    """

    lines: list[Moves]
    children: list[dict[int, int]]
    status: list[int]
    index: dict[frozenset, int]

    def mover(self, position: int) -> int:
        return 1 + len(self.lines[position]) % 2


def explore(game) -> Graph:
    graph = Graph([()], [], [], {frozenset(): 0})
    for moves in graph.lines:
        graph.status.append(game.status(moves))
        graph.children.append({})
        for action in game.legal(moves) if graph.status[-1] == 0 else []:
            marks = frozenset(game.marks((*moves, action)).items())
            if marks not in graph.index:
                graph.index[marks] = len(graph.lines)
                graph.lines.append((*moves, action))
            graph.children[-1][action] = graph.index[marks]
    return graph


def payoff(status: int, seat: int, objective: str = "value") -> int:
    return int(status == seat) - int(objective == "value" and status == 3 - seat)


def solved(graph: Graph) -> list[tuple[int, int]]:
    """Value for X and plies to the end of every position: the winner hurries, the loser and who draws delay."""
    found: dict[int, tuple[int, int]] = {}
    for position in reversed(range(len(graph.lines))):
        if graph.status[position] != 0:
            found[position] = payoff(graph.status[position], 1), 0
            continue
        sign = 1 if graph.mover(position) == 1 else -1
        after = [found[child] for child in graph.children[position].values()]
        best = max(sign * value for value, _ in after)
        lengths = [length for value, length in after if sign * value == best]
        found[position] = sign * best, 1 + (min(lengths) if best > 0 else max(lengths))
    return [found[position] for position in range(len(graph.lines))]


def random_rows(graph: Graph) -> Rows:
    return [uniform(list(actions)) if actions else {} for actions in graph.children]


def minimax_rows(graph: Graph, solution: list[tuple[int, int]]) -> Rows:
    return [
        uniform([a for a, child in actions.items() if solution[child][0] == solution[position][0]]) if actions else {}
        for position, actions in enumerate(graph.children)
    ]


def default_rows(graph: Graph, game) -> Rows:
    """Sai's opponent: the first action that wins at once, else the first that would win for the other, else any."""
    rows: Rows = []
    for moves, actions in zip(graph.lines, graph.children, strict=True):
        me = 1 + len(moves) % 2
        first = [found[0] for who in (me, 3 - me) if actions and (found := sorted(game.threats(moves, who)))]
        rows.append(uniform(first[:1] or list(actions)) if actions else {})
    return rows


def match_of_rows(graph: Graph, x: Rows, o: Rows) -> tuple[list, tuple]:
    """The chance of passing through every position, and of (X wins, a draw, O wins)."""
    chances = [0] * len(graph.lines)
    chances[0], results = 1, {1: 0, 3: 0, 2: 0}
    for position, chance in enumerate(chances):
        if graph.status[position]:
            results[graph.status[position]] += chance
        for action, share in (x, o)[graph.mover(position) - 1][position].items():
            chances[graph.children[position][action]] += chance * share
    return chances, tuple(results.values())


def best_of_rows(graph: Graph, rows: Rows, seat: int, objective: str = "value") -> list:
    """The most that `seat` can have from every position against these rows."""
    value = [0] * len(graph.lines)
    for position in reversed(range(len(graph.lines))):
        after = {action: value[child] for action, child in graph.children[position].items()}
        if graph.status[position]:
            value[position] = payoff(graph.status[position], seat, objective)
        elif graph.mover(position) == seat:
            value[position] = max(after.values())
        else:
            value[position] = sum(share * after[action] for action, share in rows[position].items())
    return value


def can_lose(graph: Graph, rows: Rows, seat: int) -> bool:
    reached = {0}
    for position, actions in enumerate(graph.children):
        if position in reached:
            mine = graph.mover(position) == seat
            reached |= {child for action, child in actions.items() if not mine or rows[position].get(action, 0) > 0}
    return any(graph.status[position] == 3 - seat for position in reached)


def agreeing(graph: Graph, rows: Rows, solution: list[tuple[int, int]]) -> int:
    """In how many positions the first of the most probable actions keeps the value."""
    return sum(
        solution[actions[max(sorted(row), key=row.__getitem__)]][0] == solution[position][0]
        for position, (actions, row) in enumerate(zip(graph.children, rows, strict=True))
        if row
    )


def num_classes(graph: Graph, images: Callable[[frozenset], list[frozenset]]) -> int:
    """Classes of positions under symmetries that give the images of marks."""
    return len({min(graph.index[image] for image in images(marks)) for marks in graph.index})
