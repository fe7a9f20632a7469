"""Sai's learner in both games: as coded, and with its defects mended one after the other; a run is a piece of work."""

from fractions import Fraction
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, TrainingConfig, agreement, exploitability, never_loses, table_of
from ttt_fast.agents.api import SearchResult, WrappedPlayer
from ttt_fast.games import api
from ttt_fast.learners import GeneralLearner
from ttt_fast.studies.engine.evidence import agent
from ttt_fast.studies.engine.sources import plan_of
from ttt_fast.studies.sai import matches
from ttt_fast.studies.sai.matches import CONNECT_FOUR, MINIMAX, RANDOM, SKILLS, TIC_TAC_TOE
from ttt_fast.studies.statistics.samples import ROUNDING

PUBLISHED, REWARDS, CORRECTED, ENDS = "as coded", "rewards mended", "corrected", "corrected, exploration ends"
VARIANTS = (PUBLISHED, REWARDS, CORRECTED, ENDS)
EPISODES: Final[dict[str, int]] = plan_of(__package__).episodes
"""Number of games of the published training (section 5)."""
FALLS = 600_000
"""Number of games over which epsilon decreases from 0.9 to 0.3, by 0.000001 per game (section 4.2.1)."""
FILES: Final = {"x": "policy-1", "o": "policy-2", "xo": "both files"}
"""The files of values that a player loads: the program writes one per seat, and plays both seats with one of them."""
IN_PLAY, GREEDY = "0.9", "0"
"""Epsilon in play: the program that plays loads the values, but keeps its constructor's epsilon (appendix 9.2)."""
REWARDS_AS_CODED: Final = (((1.0, -1.0), (0.0, 0.0)), ((0.0, 0.0),), ((-1.0, 1.0),))
"""In tic-tac-toe a win of X is followed by a second update, with the rewards of a draw (an `if` without its `el`)."""
TENTHS = 10
MOST_LINES = 500

Key = tuple[str, str, str]
"""The seats whose values are loaded, epsilon in play, and the opponent."""


def board_of(game: str, variant: str) -> str:
    """Return the board of a variant: the program's, or that of the text."""
    return matches.CODED[game] if variant in (PUBLISHED, REWARDS) else game


def config_of(game: str, variant: str, seed: int, episodes: int) -> TrainingConfig:
    """Return the settings of a variant; in a shorter run, epsilon decreases over the same share of the games."""
    falls = f"linear:0.9,0.3,{FALLS / EPISODES[game]}"
    config = TrainingConfig(
        "self", episodes=episodes, seed=seed, algorithm="afterstate", step_size="0.1", discount=0.9, tie="last",
        epsilon={CORRECTED: falls, ENDS: "linear:0.9,0"}.get(variant, "cumulative:0.9,1e-6,0.3"),
        chunk_episodes=100_000,
    )  # fmt: skip
    if game == TIC_TAC_TOE:
        return config
    credit = "sai" if variant == PUBLISHED else "own"
    chunk, board = max(1, episodes // TENTHS), board_of(game, variant)
    return config.replace(credit=credit, chunk_episodes=chunk, evaluations=0, judges="", game=board)


def learner_of(config: TrainingConfig, variant: str) -> GeneralLearner:
    """Return an untrained learner."""
    passes = REWARDS_AS_CODED if config.has_table and variant == PUBLISHED else None
    return GeneralLearner(config, [], passes=passes)


class SeatedPlayer(WrappedPlayer):
    """A learned table with the boards of some seats only, as in the program's two files."""

    def __init__(self, learner: GeneralLearner, seats: str, epsilon: Fraction) -> None:
        super().__init__(learner.player(epsilon))
        self._blank, self._seats = GeneralLearner(learner.config, []).player(epsilon), seats

    def begin(self, stream: np.uint64) -> None:
        """Use `stream` for all further random numbers."""
        self.player.begin(stream)
        self._blank.begin(stream)

    def search(self, state: Any) -> SearchResult:
        """Return the action with the highest value, or a random one with probability epsilon."""
        return (self.player if "xo"[api.player(state) - 1] in self._seats else self._blank).search(state)


def policy_of(values: NDArray[np.float64], visited: NDArray[np.bool_], seats: str = "xo", epsilon: str = "0") -> Policy:
    """Return the epsilon-greedy policy of learned values of tic-tac-toe boards, as exact integer weights.

    If the values of only one seat are loaded, the boards of the other seat have no values.  All moves of that seat are
    then ties, and the last one is played.

    Parameters
    ----------
    values : (S,) float64
        Value of each board for the player with the last move.
    visited : (S,) bool
        Boards that have been updated.
    seats
        The seats whose values are loaded: `x`, `o` or `xo`.
    epsilon
        The probability of a random move.
    """
    table = table_of(TIC_TAC_TOE)
    known = visited & np.isin(np.where(table.ply % 2 == 1, "x", "o"), list(seats))
    of_edges = np.where(known, values, 0.0)[table.edge_child]
    held = np.asarray(table.row_sums(known[table.edge_child]) > 0)
    return Policy.from_values(table, of_edges, "afterstates", held=held, tie="last", epsilon=Fraction(epsilon))


def side_learned(learner: GeneralLearner, seats: str, epsilon: str) -> matches.Side:
    """Return the learner as a policy or as a player."""
    if learner.config.has_table:
        boards: Any = learner.store.rows
        return policy_of(boards.first, boards.updates > 0, seats, epsilon)
    return SeatedPlayer(learner, seats, Fraction(epsilon))


def seats_of(game: str, variant: str) -> tuple[str, ...]:
    """Return the seats whose values a player may load; in Connect 4 as coded O has none, so `xo` would equal `x`."""
    return ("x", "o") if (game, variant) == ("connect4", PUBLISHED) else ("x", "o", "xo")


def best_of(game: str, variant: str) -> Key:
    """Return the seats and epsilon of a player at its best, against the default opponent as described."""
    return "x" if "xo" not in seats_of(game, variant) else "xo", GREEDY, "default 1"


def keys_of(game: str, variant: str, *, brief: bool) -> list[Key]:
    """Return the matches of a variant: all readings of the tables, or those of a player at its best."""
    is_one = brief or variant not in (PUBLISHED, CORRECTED)
    readings = [("xo", GREEDY)] if is_one else list(product(seats_of(game, variant), (IN_PLAY, GREEDY)))
    found = [(*reading, opponent) for reading in readings for opponent in (*SKILLS, MINIMAX)]
    return [*found, (best_of(game, variant)[0], GREEDY, RANDOM)]


def name_of(board: str, variant: str, key: Key) -> str:
    """Return the name of a match in `matches.csv`.

    Examples
    --------
    >>> name_of("tic-tac-toe", "as coded", ("x", "0.9", "minimax"))
    'tic-tac-toe, minimax v learner as coded (policy-1, epsilon 0.9)'
    """
    seats, epsilon, opponent = key
    return f"{board}, {opponent} v learner {variant} ({FILES[seats]}, epsilon {epsilon})"


def learned(game: str, variant: str, seed: int, episodes: int, pairs: int, many: int, brief: bool) -> dict[str, Any]:
    """Return a run: its matches, its curve, and its learned values; a piece of work.

    Parameters
    ----------
    game, variant, seed, episodes
        The settings of the run.
    pairs, many
        Pairs of games in an ordinary match, and in a match that judges a printed table; unused if results are exact.
    brief
        Whether to play only the matches of a player at its best.
    """
    config, board = config_of(game, variant, seed, episodes), board_of(game, variant)
    learner, curve, done = learner_of(config, variant), [], 0
    for stop in sorted({-(-config.num_chunks * tenth // TENTHS) for tenth in range(1, TENTHS + 1)}):
        learner.run_chunks(done, stop)
        done = stop
        player, size = side_learned(learner, "xo", GREEDY), max(1, pairs // TENTHS)
        for number, spec in enumerate(SKILLS.values()):
            match = matches.match_of(board, matches.side_of(board, spec), player, size, seed, (done, number))
            curve.append([config.episodes_after(done), number, *matches.shares_of(match.counts)])
    keys, found = keys_of(game, variant, brief=brief), []
    of_names = {**SKILLS, MINIMAX: matches.minimax_of(board, as_coded=variant == PUBLISHED), RANDOM: RANDOM}
    for number, (seats, epsilon, opponent) in enumerate(keys):
        size = many if is_judged(game, variant, keys[number]) else pairs
        size = 1 if (epsilon, opponent) == (GREEDY, MINIMAX) else size
        sides = matches.side_of(board, of_names[opponent]), side_learned(learner, seats, epsilon)
        found.append(matches.match_of(board, *sides, size, seed, (0, number)))
    return {
        "keys": keys, **{name: [getattr(one, name) for one in found] for name in ("counts", "spent", "stopped")},
        "lines": found[keys.index(best_of(game, variant))].lines[:MOST_LINES], "curve": curve,
        **_contents(learner),
    }  # fmt: skip


def connect4_run(variant: str, seed: int, episodes: int, pairs: int) -> dict[str, Any]:
    """Return the match of a run of Connect 4 at its best, with the same games as in `learned`: a piece of work.

    Parameters
    ----------
    variant, seed, episodes, pairs
        The settings of the run, and the pairs of games of its match.
    """
    config, board = config_of(CONNECT_FOUR, variant, seed, episodes), board_of(CONNECT_FOUR, variant)
    learner, (seats, epsilon, opponent) = learner_of(config, variant), best_of(CONNECT_FOUR, variant)
    learner.run_chunks(0, config.num_chunks)
    sides = matches.side_of(board, SKILLS[opponent]), side_learned(learner, seats, epsilon)
    number = keys_of(CONNECT_FOUR, variant, brief=False).index((seats, epsilon, opponent))
    found = matches.match_of(board, *sides, pairs, seed, (0, number))
    return {"counts": found.counts, "lines": found.lines[:MOST_LINES]}


def is_judged(game: str, variant: str, key: Key) -> bool:
    """Return whether a match judges a printed table: as described, or as coded with either file."""
    as_coded = variant == PUBLISHED and key[1] == IN_PLAY and key[2] != "default 1"
    return as_coded or (variant == CORRECTED and key == best_of(game, variant))


def _contents(learner: GeneralLearner) -> dict[str, Any]:
    """Return the learned content: its number of boards, and in tic-tac-toe the values with their metrics."""
    store: Any = learner.store
    if not learner.config.has_table:
        return {"states": len(store)}
    values, visited = store.rows.first, store.rows.updates > 0
    marks = marks_of(policy_of(values, visited))
    return {
        "values": values,
        "visited": visited,
        "marks": [*marks],
        "marked": [*marks.values()],
        "states": int(visited.sum()),
    }


def marks_of(player: Policy) -> dict[str, float]:
    """Return exact metrics of a player of tic-tac-toe."""
    random, minimax = agent(RANDOM), agent(matches.minimax_of(TIC_TAC_TOE, as_coded=True))
    wins, ties = matches.exact_match(player, random)[:, 0], matches.exact_match(player, minimax)[:, 2]
    return {
        "wins v random as X": float(wins[0]), "wins v random as O": float(wins[1]),
        "draws v minimax": float(ties.mean()),
        "never loses as X": float(never_loses(player, api.X)), "never loses as O": float(never_loses(player, api.O)),
        "unbeatable": float(exploitability(player) < ROUNDING), "exploitability": exploitability(player),
        "agreement": agreement(player).share,
    }  # fmt: skip
