"""The cost of the players of Connect 4: sampled moves and nodes a game, seconds and bytes on the published clock."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from ttt_fast.games.registry import Game
from ttt_fast.learn.training import start_training, train
from ttt_fast.studies.sai.connect_four.learning import AS_CODED, Trained, variant_config
from ttt_fast.studies.sai.connect_four.match import BOARD_AS_CODED, Spent
from ttt_fast.studies.sai.connect_four.plain import HEIGHT, WIDTH, DepthSearcher, FourBoard
from ttt_fast.studies.sai.connect_four.samples import Samples
from ttt_fast.studies.sai.connect_four.values import boards_of_keys
from ttt_fast.studies.sai.published import (
    ALPHA_BETA,
    CONNECT_FOUR_TABLES,
    DEFAULT,
    EPSILON_IN_PLAY,
    PLAIN,
    TABLE,
    Usage,
)
from ttt_fast.studies.sai.search import Move, default_player, measure, table_player
from ttt_fast.values.hashed import SortedRows

GAMES_BEFORE_THE_CLOCK = 1_000
"""Games of the learner whose table is measured: how many boards a dictionary holds does not slow it."""


def _spent(runs: list[Trained], samples: Samples) -> Iterator[tuple[str, Usage, str, Spent]]:
    """Yield source, printed row, opponent, and what was spent as coded, for both players of every table."""
    pruned, searchers = samples.default[BOARD_AS_CODED, "0.01"], samples.searchers[BOARD_AS_CODED]
    pairs = {
        number: [(played.spent(True), played.spent(False))]
        for number, played in ((4, samples.unpruned), (5, pruned), (9, searchers))
    }
    own = [run for run in runs if run.variant == AS_CODED]
    pairs[6] = [run.spent["x", EPSILON_IN_PLAY, "0.01"] for run in own]
    minimax = [run.spent["x", EPSILON_IN_PLAY, "minimax"] for run in own]
    pairs[10] = [(learner, searcher) for searcher, learner in minimax]
    for published in CONNECT_FOUR_TABLES:
        firsts, seconds = zip(*pairs[published.number], strict=True)
        yield published.source, published.first, published.second.player, _sum(firsts)
        yield published.source, published.second, published.first.player, _sum(seconds)


def _sum(spent: Sequence[Spent]) -> Spent:
    return Spent(
        sum(one.games for one in spent),
        sum(one.moves for one in spent),
        sum(one.nodes for one in spent),
        sum(one.seconds for one in spent),
        max(one.memory_bytes for one in spent),
    )


def search_rows(runs: list[Trained], samples: Samples) -> list[dict[str, Any]]:
    """Return, for both players of every table, printed seconds and bytes beside sampled moves and nodes a game."""
    rows = []
    for source, printed, opponent, spent in _spent(runs, samples):
        searches = printed.player in (PLAIN, ALPHA_BETA)
        nodes = spent.nodes / spent.games
        rows.append(
            {
                "source": source,
                "player": printed.player,
                "opponent": opponent,
                "games": spent.games,
                "published_seconds": printed.seconds,
                "published_bytes": printed.memory,
                "moves": spent.moves / spent.games,
                "nodes": nodes if searches else None,
                "milliseconds_per_node": 1000 * printed.seconds / nodes if searches else None,
                "bytes_per_move": printed.memory * spent.games / spent.moves,
            }
        )
    return rows


def timing_rows(games: dict[int, int], runs: list[Trained], samples: Samples) -> list[dict[str, Any]]:
    """Return measured seconds and bytes a game beside the printed ones, for both players of every table.

    Parameters
    ----------
    games
        Games to measure in plain Python by number of the table; of 0 the plain players are left out.
    runs, samples
        Where the compiled players were timed.
    """
    values = plain_values(GAMES_BEFORE_THE_CLOCK)
    compiled = {
        (source, printed.player): {
            "compiled_games": spent.games,
            "compiled_seconds": spent.seconds / spent.games,
            "compiled_bytes": spent.memory_bytes,
        }
        for source, printed, _, spent in _spent(runs, samples)
    }
    rows = []
    for published in CONNECT_FOUR_TABLES:
        both, number = (published.first, published.second), games[published.number]
        measured: list[dict[str, Any]] = [{}, {}]
        if number:
            players = [_player(one.player, values, published.number) for one in both]
            measured = measure(players[0], players[1], number, FourBoard)
        for printed, found in zip(both, measured, strict=True):
            rows.append(
                {
                    "source": published.source,
                    "player": printed.player,
                    "published_seconds": printed.seconds,
                    "published_bytes": printed.memory,
                    **found,
                    **compiled[published.source, printed.player],
                }
            )
    return rows


def plain_values(episodes: int) -> dict[str, float]:
    """Return the values of a short run as coded as the program's dictionary, from boards as text."""
    config = variant_config(AS_CODED, 0, episodes)
    run = train(start_training(config))
    return board_texts(run.hashed.sorted_rows(), config.played)


def board_texts(content: SortedRows, game: Game) -> dict[str, float]:
    """Return the values of a table of X's boards by the marks of `FourBoard` as text."""
    mover, stones = boards_of_keys(content.keys, game.num_actions, HEIGHT)
    texts = {}
    for own, both, value in zip(mover.tolist(), stones.tolist(), content.values[:, 0].tolist(), strict=True):
        marks = [
            ((both >> bit & 1) * 2 - (own >> bit & 1))
            for column in range(WIDTH)
            for bit in range((column + 1) * (HEIGHT + 1) - 2, column * (HEIGHT + 1) - 1, -1)
        ]
        texts[str(marks)] = value
    return texts


def _player(name: str, values: dict[str, float], seed: int) -> Move:
    generator = random.Random(seed)
    if name == DEFAULT:
        return default_player(0.01, generator)
    if name == TABLE:
        return table_player(values, float(EPSILON_IN_PLAY), generator)
    return DepthSearcher(prune={ALPHA_BETA: True, PLAIN: False}[name])
