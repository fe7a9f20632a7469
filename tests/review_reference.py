"""The plain review of recorded games: recursion, dictionaries and loops; nothing from the package."""

from collections.abc import Callable
from functools import cache
from statistics import median
from typing import Any, NamedTuple

import custom_games
import games_reference
import reference


class Rules(NamedTuple):
    """A game whose states are hashable; a status is 0 ongoing, 1 X has won, 2 O has won, 3 a draw."""

    initial: Any
    legal: Callable[[Any], list[int]]
    play: Callable[[Any, int], Any]
    status: Callable[[Any], int]
    mover: Callable[[Any], int]


class Recorded(NamedTuple):
    """A game: the players, all actions (-1 where a move cannot be read), the stated status, the opening plies."""

    x: str
    o: str
    actions: list[int]
    result: int = 0
    opening: int = 0


def rules_of(spec: str) -> Rules:
    """The rules of a board, by the marks on it, or of a game of functions."""
    if spec in custom_games.GAMES:
        game = custom_games.GAMES[spec]
        words = sorted({1, 2, 3})
        return Rules(
            game.initial,
            lambda state: sorted(words.index(one) for one in game.legal_actions(state)),
            lambda state, action: game.play(state, words[action]),
            lambda state: {None: 0, 1: 1, -1: 2, 0: 3}[game.result(state)],
            game.player,
        )
    graph = reference.explore(games_reference.GAMES[spec])
    return Rules(
        0,
        lambda state: sorted(graph.children[state]),
        lambda state, action: graph.children[state][action],
        lambda state: graph.status[state],
        graph.mover,
    )


def review(rules: Rules, games: list[Recorded]) -> dict[str, dict[str, Any]]:
    """The row of each player and of `all`, without the intervals."""

    @cache
    def value(state: Any) -> int:
        if rules.status(state):
            return {1: 1, 2: -1, 3: 0}[rules.status(state)]
        best = max if rules.mover(state) == 1 else min
        return best(value(rules.play(state, action)) for action in rules.legal(state))

    def wins(state: Any, action: int) -> bool:
        return rules.status(rules.play(state, action)) == rules.mover(state)

    def exposes(state: Any, action: int) -> bool:
        after = rules.play(state, action)
        if rules.status(after) or rules.mover(after) == rules.mover(state):
            return False
        return any(wins(after, reply) for reply in rules.legal(after))

    names = list(dict.fromkeys(name for game in games for name in (game.x, game.o)))
    found: dict[str, dict[str, Any]] = {}
    malformed = 0
    played = []
    for game in games:
        state, moves, illegal = rules.initial, [], 0
        over_after = False
        for action in game.actions:
            if rules.status(state):
                over_after = True
                break
            if action not in rules.legal(state):
                illegal = rules.mover(state)
                break
            moves.append((state, action))
            state = rules.play(state, action)
        if illegal and len(moves) < game.opening:
            malformed += 1
        else:
            played.append((game, moves, state, illegal, over_after))
    for name in [*names, "all"]:
        row = dict.fromkeys(
            "moves open_decisions mistakes win_to_draw win_to_loss draw_to_loss missed_wins win_chances missed_blocks"
            " block_chances without_mistake illegal not_judged after_end result_differs unfinished".split(),
            0,
        )
        lost, firsts, distinct, count = 0, [], set(), 0
        for game, moves, state, illegal, over_after in played:
            seats = {seat for seat, player in ((1, game.x), (2, game.o)) if name in (player, "all")}
            if not seats:
                continue
            count += 1
            distinct.add(tuple(action for _, action in moves))
            end = rules.status(state)
            row["illegal"] += illegal in seats
            row["after_end"] += over_after
            row["unfinished"] += not end and not illegal
            stated = game.result and (end or illegal)
            row["result_differs"] += bool(stated and game.result != (end or 3 - illegal))
            wrong, judged = [], 0
            for ply, (before, action) in enumerate(moves, 1):
                seat = rules.mover(before)
                if ply <= game.opening or seat not in seats:
                    continue
                judged += 1
                sign = 1 if seat == 1 else -1
                after = {one: sign * value(rules.play(before, one)) for one in rules.legal(before)}
                best = sign * value(before)
                given = best - after[action]
                row["moves"] += 1
                row["open_decisions"] += len(set(after.values())) > 1
                lost += given
                if given:
                    wrong.append(ply)
                    row["mistakes"] += 1
                    words = {1: "win", 0: "draw", -1: "loss"}
                    row[f"{words[best]}_to_{words[after[action]]}"] += 1
                winning = [one for one in after if wins(before, one)]
                row["win_chances"] += bool(winning)
                row["missed_wins"] += bool(winning) and action not in winning
                losing = [one for one in after if exposes(before, one)]
                if not winning and losing and len(losing) == len(after) - 1:
                    row["block_chances"] += 1
                    row["missed_blocks"] += action in losing
            if judged:
                firsts += wrong[:1]
                row["without_mistake"] += not wrong
        row |= {"games": count, "distinct_games": len(distinct), "first_mistake": median(firsts) if firsts else None}
        row["regret"] = lost / row["open_decisions"] if row["open_decisions"] else None
        if count or name == "all":
            found[name] = row
    found["all"]["malformed"] = malformed
    return found
