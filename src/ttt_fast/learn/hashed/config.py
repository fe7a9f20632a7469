"""The settings that decide the bits of a hash table of values: a game, and those of `TrainingConfig` that apply."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ttt_fast.core.errors import UsageError
from ttt_fast.games.registry import Game, parse_game
from ttt_fast.learn.afterstate import AFTERSTATE, Passes
from ttt_fast.learn.config import SELF_PLAY, TrainingConfig, config_from

Q_LEARNING = "q"
ALGORITHMS = (AFTERSTATE, Q_LEARNING)

OWN_RESULT, SAI = "own", "sai"
CREDITS = (OWN_RESULT, SAI)
"""The credit at the end of a game: to each player its own result, or as the program of sai gives it."""

EPISODES = 1_000_000
"""Default number of games of a run: the number of sai."""
LONG_ROW, EPISODES_OF_LONG_ROWS = 16, 20_000
"""Where Q-learning keeps more values a state than this, its default is fewer games.

Ultimate's 81 values of 742,000 states then take 2.1 GB; a million games would take 70.
"""
EVALUATIONS = 10
"""Default number of samples on the way."""
JUDGES = "random,default"
"""Default opponents in the samples."""

SETTINGS = (
    "algorithm", "episodes", "seed", "step_size", "epsilon", "discount", "win_reward", "draw_reward", "loss_reward",
    "initial_q", "tie", "chunk_episodes", "evaluations", "judges",
)  # fmt: skip
"""Settings of `TrainingConfig` that apply here."""
_USUAL = {"evaluations": EVALUATIONS, "judges": JUDGES}


@dataclass(frozen=True)
class HashedConfig:
    """A run of self-play on a game too large to enumerate.

    Attributes
    ----------
    game
        A game as `parse_game` reads it.
    training
        Algorithm (`afterstate` or `q`), number of games, seed, schedules, rewards, ties, chunk.  Also the number of
        samples on the way, and the opponents in them: players of the game, separated by commas.
    credit
        `own`: each player is credited with its own result.  `sai`: X alone, with a win and then a loss for either
        winner.  A win of X adds two draws (the second `if` there should be an `elif`); O learns nothing.
    """

    game: str
    training: TrainingConfig
    credit: str = OWN_RESULT

    def __post_init__(self) -> None:
        """Check the settings that the parts do not check themselves."""
        parse_game(self.game)
        config = self.training
        if config.algorithm not in ALGORITHMS:
            raise UsageError(
                f"expected an algorithm of {', '.join(ALGORITHMS)} on {self.game}, got {config.algorithm!r}"
            )
        if not config.is_self_play:
            raise UsageError(f"expected {SELF_PLAY} as the opponent on {self.game}, got {config.opponent!r}")
        if self.credit not in CREDITS:
            raise UsageError(f"expected a credit of {' or '.join(CREDITS)}, got {self.credit!r}")
        if self.credit == SAI and config.algorithm != AFTERSTATE:
            raise UsageError(f"expected {AFTERSTATE} with the credit {SAI}, got {config.algorithm!r}")

    @property
    def played(self) -> Game:
        """The game."""
        return parse_game(self.game)

    @property
    def passes(self) -> Passes:
        """The updates at the end of a game, for `learn.afterstate.packed_rewards`."""
        win, draw, loss = self.training.win_reward, self.training.draw_reward, self.training.loss_reward
        if self.credit == SAI:
            decided, drawn = ((win, 0.0), (loss, 0.0)), ((draw, 0.0), (draw, 0.0))
            return (*decided, *drawn), drawn, decided
        return ((win, loss),), ((draw, draw),), ((loss, win),)

    @property
    def o_learns(self) -> bool:
        """Whether the second player's values are updated."""
        return self.credit != SAI

    @property
    def judges(self) -> list[str]:
        """Opponents in the samples; a part `option=value` belongs to the player before it."""
        names: list[str] = []
        for part in self.training.judges.split(","):
            option, equals, _ = part.partition("=")
            if names and equals and ":" not in option:
                names[-1] += "," + part
            elif part.strip():
                names.append(part.strip())
        return names

    @property
    def columns(self) -> list[str]:
        """Names of the columns of a run's history: of each sample the shares of games, over both seats."""
        shares = [f"{result}_v_{judge}" for judge in self.judges for result in ("wins", "draws", "losses")]
        return ["episodes", "states", *shares]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary that JSON can hold."""
        settings = self.training.as_dict()
        return {"game": self.game, "credit": self.credit, **{name: settings[name] for name in SETTINGS}}


def hashed_config(game: str, values: Mapping[str, Any], credit: str = OWN_RESULT) -> HashedConfig:
    """Return a configuration from names and values of settings.

    Raises
    ------
    UsageError
        If a setting is unknown, does not apply here, or has an impossible value.

    Examples
    --------
    >>> hashed_config("connect4:columns=6,rows=7", {"algorithm": "afterstate", "tie": "last"}).training.episodes
    1000000
    >>> hashed_config("ultimate", {}).training.episodes
    20000
    """
    given = {name: value for name, value in values.items() if not (name == "opponent" and value == SELF_PLAY)}
    if "opponent" in given:
        raise UsageError(f"expected {SELF_PLAY} as the opponent on {game}, got {given['opponent']!r}")
    for name, value in given.items():
        if name not in SETTINGS:
            raise UsageError(f"expected no {name} on {game}, where both seats learn, got {value!r}")
    by_action = given.get("algorithm", Q_LEARNING) == Q_LEARNING
    is_long = by_action and parse_game(game).num_actions > LONG_ROW
    usual = {**_USUAL, "episodes": EPISODES_OF_LONG_ROWS if is_long else EPISODES}
    return HashedConfig(game, config_from({**usual, **given, "opponent": SELF_PLAY}), credit)
