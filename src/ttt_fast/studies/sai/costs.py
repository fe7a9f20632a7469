"""The costs of the players in Sai's study: moves and nodes beside printed seconds and bytes."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ttt_fast import Policy, as_player, exact_outcome, table_of
from ttt_fast.games import api
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Runner
from ttt_fast.studies.sai import matches
from ttt_fast.studies.sai.learners import IN_PLAY, PUBLISHED, policy_of
from ttt_fast.studies.sai.matches import BOARDS, CONNECT_FOUR, FOUR, MINIMAX, TIC_TAC_TOE, UNPRUNED
from ttt_fast.studies.sai.runs import of_key, runs_of, searches_of

DEFAULT, PLAIN, ALPHA_BETA, TABLE = "default", "minimax", "minimax with alpha-beta", "tabular Q-learning"
PAIRS: Final = {"table 7": ("table 7", "table 7"), "tables 2 and 1": ("table 2", "table 1"),
                "tables 5 and 4": ("table 5", "table 4"), "table 9": ("table 9", "table 9")}  # fmt: skip
"""Tables of minimax with alpha-beta, and without."""


@lru_cache
def printed_of(quantity: str) -> dict[tuple[str, str], float]:
    """Return the published numbers of a quantity by their table and place."""
    return {(cell.table, cell.place): cell.value for cell in cells_of(__package__) if cell.quantity == quantity}


def sides_of(number: int) -> tuple[str, str, str]:
    """Return the game and the two players of a printed table.

    Examples
    --------
    >>> sides_of(10)
    ('connect4', 'tabular Q-learning', 'minimax with alpha-beta')
    """
    place = next(place for table, place in printed_of("ties") if table == f"table {number}")
    first, _, second = place.partition(" v ")
    return CONNECT_FOUR if number in (4, 5, 6, 9, 10) else TIC_TAC_TOE, first, second


@lru_cache
def nodes_of(prune: bool) -> list[int]:
    """Return the number of nodes that the published search visits from each state of tic-tac-toe, the root included.

    Examples
    --------
    >>> [nodes_of(prune)[0] for prune in (False, True)]
    [549946, 18297]
    """
    table = table_of(TIC_TAC_TOE)
    search = as_player(f"alphabeta:depth={table.num_actions},tie=first,order=no" + UNPRUNED * (not prune), table.game)
    return [
        search.search(table.state(state)).nodes if is_open else 1
        for state, is_open in enumerate(table.decision_mask.tolist())
    ]


def spent_exactly(player: Policy, opponent: Policy, nodes: list[int]) -> tuple[float, float]:
    """Return the exact expected moves and nodes of a player in a game, with the two players beginning alternately."""
    moves, expected = 0.0, 0.0
    for seat, pair in ((api.X, (player, opponent)), (api.O, (opponent, player))):
        reach = exact_outcome(*pair).reach * (player.table.player == seat)
        expected += float(sum(share * count for share, count in zip(reach.tolist(), nodes, strict=True))) / 2
        moves += float(reach.sum()) / 2
    return moves, expected


def costs(work: Runner) -> Rows:
    """Return printed seconds and bytes beside moves and nodes per game: exact, or from the games played as coded."""
    rows = list[Row]()
    for number, side, moves, nodes in _efforts(work):
        game, *sides = sides_of(number)
        own, table = sides[side], f"table {number}"
        seconds, memory = (printed_of(f"{name} a game")[table, own] for name in ("seconds", "bytes"))
        searches = own in (PLAIN, ALPHA_BETA)
        rows.append({
            "table": table, "game": game, "player": own, "opponent": sides[1 - side], "seconds": seconds,
            "bytes": memory, "moves": moves, "nodes": nodes if searches else None,
            "milliseconds a node": 1000 * seconds / nodes if searches else None, "bytes a move": memory / moves,
        })  # fmt: skip
    return rows


def pruning(work: Runner) -> Rows:
    """Return the shares of nodes, printed seconds and printed bytes that remain with alpha-beta."""
    of, names = {(row["table"], row["player"]): row for row in costs(work)}, ("nodes", "seconds", "bytes")
    return [
        {"place": place, **{name: of[one, ALPHA_BETA][name] / of[two, PLAIN][name] for name in names}}
        for place, (one, two) in PAIRS.items()
    ]


def _efforts(work: Runner) -> Iterator[tuple[int, int, float, float]]:
    """Yield the table, the side (0 or 1), and its moves and nodes per game."""
    nodes = {PLAIN: nodes_of(False), ALPHA_BETA: nodes_of(True)}
    nothing, minimax = [0] * len(nodes[PLAIN]), agent(matches.minimax_of(TIC_TAC_TOE, as_coded=True))
    run = runs_of(work, TIC_TAC_TOE, PUBLISHED)[0]
    in_play = matches.in_both_seats(policy_of(run["values"], run["visited"], "x", IN_PLAY))
    policies = {PLAIN: minimax, ALPHA_BETA: minimax, DEFAULT: agent(matches.SKILLS["default 0.01"]), TABLE: in_play}
    for number in (1, 2, 3, 7, 8):
        _, *sides = sides_of(number)
        for side, own in enumerate(sides):
            yield number, side, *spent_exactly(policies[own], policies[sides[1 - side]], nodes.get(own, nothing))
    of, runs = searches_of(work), runs_of(work, CONNECT_FOUR, PUBLISHED)
    learner = {skill: of_key(runs, "spent", ("x", IN_PLAY, skill)).sum(axis=0) for skill in ("default 0.01", MINIMAX)}
    spent = {
        4: of[f"{BOARDS[FOUR]}, default 0.01 v minimax"]["spent"],
        5: of[f"{BOARDS[FOUR]}, default 0.01 v minimax with alpha-beta"]["spent"], 6: learner["default 0.01"],
        9: of[f"{BOARDS[FOUR]}, minimax with alpha-beta v minimax"]["spent"], 10: learner[MINIMAX][::-1],
    }  # fmt: skip
    for number, both in spent.items():
        for side, (games, moves, visited) in enumerate(both.tolist()):
            yield number, side, moves / games, visited / games
