"""The cost of the players of Sai's study: moves and nodes beside printed seconds and bytes, and those of the clock."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import Cell, cells_of
from ttt_fast.studies.engine.tables import Row, Rows
from ttt_fast.studies.engine.work import Arrays, Work
from ttt_fast.studies.sai.costs import ALPHA_BETA, DEFAULT, PLAIN, TABLE, clocked, nodes_of, spent_exactly
from ttt_fast.studies.sai.learners import EPISODES, IN_PLAY, PUBLISHED, policy_of
from ttt_fast.studies.sai.matches import BOARDS, CONNECT_FOUR, MINIMAX, SKILLS, TIC_TAC_TOE, minimax_of
from ttt_fast.studies.sai.plain import SPENT
from ttt_fast.studies.sai.runs import FOUR, GAMES, of_key, runs_of, searches_of
from ttt_fast.tables import table_of

PACKAGE = "ttt_fast.studies.sai"


def printed_cells() -> list[Cell]:
    """Return the printed numbers of the source."""
    return cells_of(PACKAGE)


CLOCKED: Final = {1: 2, 2: 20, 3: 400, 7: 2, 8: 20, 4: 4, 5: 20, 6: 200, 9: 2, 10: 20}
"""Games of the plain players of each table; those without pruning take seconds."""
CLOCKED_QUICKLY: Final = {2: 2, 3: 20, 8: 2, 5: 2, 6: 4, 10: 2}


def clocked_games(work: Work) -> dict[int, Arrays]:
    """Return the games of the plain players as coded, one after the other, by the number of their table."""
    sizes = CLOCKED_QUICKLY if work.quick else CLOCKED
    alone, settings = replace(work, threads=1), []
    for number, games in sizes.items():
        game, first, second = sides_of(number)
        episodes = 1000 if game == CONNECT_FOUR or work.quick else EPISODES[game]
        settings.append({"game": game, "first": first, "second": second, "games": games, "seed": number,
                         "episodes": episodes})  # fmt: skip
    return dict(zip(sizes, alone.pieces(clocked, settings), strict=True))


def sides_of(number: int) -> tuple[str, str, str]:
    """Return the game and the two players of a printed table.

    Examples
    --------
    >>> sides_of(10)
    ('connect4', 'tabular Q-learning', 'minimax with alpha-beta')
    """
    place = next(cell.place for cell in printed_cells() if cell.table == f"table {number}" and cell.games)
    first, _, second = place.partition(" v ")
    return CONNECT_FOUR if number in (4, 5, 6, 9, 10) else TIC_TAC_TOE, first, second


def costs(work: Work) -> Rows:
    """Return printed seconds and bytes beside moves and nodes a game: exact, or of the games played as coded."""
    printed = {(cell.table, cell.place, cell.quantity): cell.value for cell in printed_cells()}
    plain, rows = clocked_games(work), list[Row]()
    for number, side, moves, nodes in _efforts(work):
        game, *sides = sides_of(number)
        own, table = sides[side], f"table {number}"
        seconds, memory = (printed[table, own, name] for name in ("seconds a game", "bytes a game"))
        searches = own in (PLAIN, ALPHA_BETA)
        looked = None
        if number in plain:
            looked = float(plain[number]["timed"][:, side, SPENT.index("looked")].mean())
        rows.append({
            "table": table, "game": game, "player": own, "opponent": sides[1 - side], "seconds": seconds,
            "bytes": memory, "moves": moves, "nodes": nodes if searches else None,
            "milliseconds a node": 1000 * seconds / nodes if searches else None, "bytes a move": memory / moves,
            "boards looked at a game": looked,
        })  # fmt: skip
    return rows


PAIRS: Final = {"table 7": ("table 7", "table 7"), "tables 2 and 1": ("table 2", "table 1"),
                "tables 5 and 4": ("table 5", "table 4"), "table 9": ("table 9", "table 9")}  # fmt: skip
"""Tables of minimax with alpha-beta, and without."""


def pruning(work: Work) -> Rows:
    """Return the shares of nodes, printed seconds and printed bytes that alpha-beta leaves."""
    of = {(row["table"], row["player"]): row for row in costs(work)}
    names = ("nodes", "seconds", "bytes")
    return [
        {"place": place, **{name: of[one, ALPHA_BETA][name] / of[two, PLAIN][name] for name in names}}
        for place, (one, two) in PAIRS.items()
    ]


def _efforts(work: Work) -> Iterator[tuple[int, int, float, float]]:
    """Yield the table, the side (0 or 1), and its moves and nodes a game."""
    table = table_of(TIC_TAC_TOE)
    nodes = {PLAIN: nodes_of(False), ALPHA_BETA: nodes_of(True)}
    minimax = agent(minimax_of(TIC_TAC_TOE, as_coded=True))
    run = runs_of(work, TIC_TAC_TOE, PUBLISHED)[0]
    in_play = policy_of(run["values"], run["visited"], "x", IN_PLAY)
    policies = {PLAIN: minimax, ALPHA_BETA: minimax, DEFAULT: agent(SKILLS["default 0.01"]), TABLE: in_play}
    for number in (1, 2, 3, 7, 8):
        _, *sides = sides_of(number)
        for side in (0, 1):
            own, other = sides[side], sides[1 - side]
            counts = nodes.get(own, [0] * table.num_states)
            yield number, side, *spent_exactly(policies[own], policies[other], counts)
    of, runs = searches_of(work), runs_of(work, CONNECT_FOUR, PUBLISHED)
    learner = {skill: of_key(runs, "spent", ("x", IN_PLAY, skill)).sum(axis=0) for skill in ("default 0.01", MINIMAX)}
    spent = {
        4: of[f"{BOARDS[FOUR]}, default 0.01 v minimax"]["spent"],
        5: of[f"{BOARDS[FOUR]}, default 0.01 v minimax with alpha-beta"]["spent"], 6: learner["default 0.01"],
        9: of[f"{BOARDS[FOUR]}, minimax with alpha-beta v minimax"]["spent"], 10: learner[MINIMAX][::-1],
    }  # fmt: skip
    for number, both in spent.items():
        for side, (games, moves, visited, _) in enumerate(both.tolist()):
            yield number, side, moves / games, visited / games


def training(work: Work) -> Rows:
    """Return what a published run of training took there and here: hours, seconds, boards and bytes of the table."""
    hours = {cell.place: cell.value for cell in printed_cells() if cell.quantity == "hours of training"}
    rows = []
    for game in GAMES:
        of = runs_of(work, game, PUBLISHED)
        seconds = sum(float(run["trained"]) for run in of) / len(of)
        rows.append({"game": game, "printed hours": hours[game], "seconds here": seconds,
                     "times faster": hours[game] * 3600 / seconds, "boards": int(of[0]["states"]),
                     "bytes here": int(of[0]["bytes"])})  # fmt: skip
    return rows


def seconds_and_bytes(work: Work) -> Rows:
    """Return printed seconds and bytes a game beside those of the plain players, traced for memory and not."""
    printed = {(cell.table, cell.place, cell.quantity): cell.value for cell in printed_cells()}
    rows = []
    for number, games in clocked_games(work).items():
        game, *sides = sides_of(number)
        for side, own in enumerate(sides):
            of = {name: games[name][:, side] for name in ("timed", "traced")}
            rows.append({
                "table": f"table {number}", "game": game, "player": own, "games": len(of["timed"]),
                "printed seconds": printed[f"table {number}", own, "seconds a game"],
                "seconds here": float(of["timed"][:, SPENT.index("seconds")].mean()),
                "seconds traced": float(of["traced"][:, SPENT.index("seconds")].mean()),
                "printed bytes": printed[f"table {number}", own, "bytes a game"],
                "bytes here": float(of["traced"][:, SPENT.index("summed peaks")].mean()),
                "largest peak": int(of["traced"][:, SPENT.index("greatest peak")].max()),
            })  # fmt: skip
    return rows
