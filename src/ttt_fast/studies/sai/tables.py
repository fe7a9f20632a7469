"""Sai's tables as rows: every printed count beside the corrected, the emulated and the possible one."""

from dataclasses import dataclass
from typing import Any

from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.evaluate.scorecard import ROUNDING
from ttt_fast.evaluate.strength import agreement, exploitability, never_loses
from ttt_fast.games import api
from ttt_fast.policies.policy import Policy
from ttt_fast.studies.cells import agent, ordinary_table
from ttt_fast.studies.sai import learning
from ttt_fast.studies.sai.counts import Compared, count_rows
from ttt_fast.studies.sai.learning import AS_CODED, DECAY_MENDED, EPSILONS, MINIMAX, SKILLS, VALUES, Trained
from ttt_fast.studies.sai.odds import Halves, judge_match, play_halves
from ttt_fast.studies.sai.published import (
    ALPHA_BETA,
    DEFAULT,
    EPSILON_IN_PLAY,
    EXTREMES,
    PLAIN,
    TABLE,
    TABLES,
    Published,
)
from ttt_fast.studies.sai.search import alpha_beta_nodes, plain_nodes, spent_exactly

_NOTICES = "the program's default opponent notices a win or a block one time in a hundred, not whenever there is one"
_EXPLORES = "the program loads the values and goes on exploring: nine of its moves in ten are random"
_WHY = {2: _NOTICES, 3: f"{_NOTICES}; and {_EXPLORES}", 8: _EXPLORES}
_REACHED = 5e-6
"""The extremes of the published files are known to five digits."""


@dataclass(frozen=True)
class Reading:
    """A way to read a table: who really played.

    Attributes
    ----------
    published
        The table.
    learner, values, epsilon
        Variant of the learner, whose values it loads, and its exploration; empty where it does not play.
    skill
        Of the default opponent; empty where it does not play.
    """

    published: Published
    learner: str
    values: str
    epsilon: str
    skill: str

    def samples(self, runs: list[Trained]) -> list[Halves]:
        """Return the exact results, from the first player's side."""
        if self.learner:
            opponent = self.skill or "minimax"
            found = learning.matches_of(runs, self.learner, self.values, self.epsilon, opponent)
            return [one.swapped() for one in found] if self.published.first.player == TABLE else found
        minimax = agent(MINIMAX)
        return [play_halves(agent(SKILLS[self.skill]) if self.skill else minimax, minimax)]

    def __str__(self) -> str:
        """Return the reading as text."""
        parts = [f"default with skill {self.skill}"] if self.skill else []
        if self.learner:
            parts.append(f"learner {self.learner}, values of {VALUES[self.values]}, epsilon {self.epsilon}")
        return "; ".join(parts) or "minimax in both seats"


def readings(published: Published) -> list[Reading]:
    """Return every reading of a table: both skills of the default opponent, both epsilons, and whose values."""
    players = {published.first.player, published.second.player}
    skills = list(SKILLS) if DEFAULT in players else [""]
    if TABLE not in players:
        return [Reading(published, "", "", "", skill) for skill in skills]
    return [
        Reading(published, learner, values, epsilon, skill)
        for learner in (AS_CODED, DECAY_MENDED)
        for skill in skills
        for epsilon in EPSILONS
        for values in VALUES
    ]


def as_described(published: Published) -> Reading:
    """Return the match that the text describes: corrected learner, greedy, with its values of both seats."""
    players = {published.first.player, published.second.player}
    skill = "1" if DEFAULT in players else ""
    return Reading(published, DECAY_MENDED, "xo", "0", skill) if TABLE in players else readings(published)[0]


def as_coded(published: Published) -> Reading:
    """Return the match that the program plays: one file of values in both seats, epsilon 0.9, skill 0.01."""
    players = {published.first.player, published.second.player}
    skill = "0.01" if DEFAULT in players else ""
    learner = (AS_CODED, "x", EPSILON_IN_PLAY) if TABLE in players else ("", "", "")
    return Reading(published, *learner, skill)


def cell_rows(runs: list[Trained]) -> list[dict[str, Any]]:
    """Return a row for every printed count: as described and corrected, as coded, verdicts, reason."""
    rows = []
    for published in TABLES:
        described, coded = as_described(published), as_coded(published)
        compared = Compared(
            published,
            described.samples(runs),
            coded.samples(runs),
            str(coded),
            _WHY.get(published.number, ""),
            best_possible(published),
        )
        rows += count_rows(compared)
    return rows


def best_possible(published: Published) -> list[float]:
    """Return the shares of the three results if a player that learned were a best response; nothing without one."""
    players = [published.first.player, published.second.player]
    if TABLE not in players:
        return []
    opponent = SKILLS["1"] if DEFAULT in players else MINIMAX
    match = play_halves(agent(f"best-response:({opponent})"), agent(opponent))
    found: list[float] = (match if players[0] == TABLE else match.swapped()).mean.tolist()
    return found


def reading_rows(runs: list[Trained]) -> list[dict[str, Any]]:
    """Return a row for every reading of every table, judged by its three counts together."""
    rows = []
    for published in TABLES:
        for one in readings(published):
            row: dict[str, Any] = {
                "source": published.source,
                "match": published.label,
                "default_skill": one.skill,
                "learner": one.learner,
                "values": VALUES.get(one.values, ""),
                "epsilon": one.epsilon,
            }
            rows.append(row | judge_match(published, one.samples(runs)))
    return rows


def possible_rows() -> list[dict[str, Any]]:
    """Return the marks of players that need no training, in the columns of `learning.strength_rows`."""
    players = [("minimax, first of the best", agent(MINIMAX)), ("random", agent("random"))]
    players += [
        (f"best response to the default opponent (skill {skill})", agent(f"best-response:({spec})"))
        for skill, spec in SKILLS.items()
    ]
    rows = []
    for name, player in players:
        random = play_halves(player, agent("random"))
        row: dict[str, Any] = {
            "learner": name,
            "runs": None,
            "wins v random as X": float(random.first_begins[0]),
            "wins v random as O": float(random.second_begins[0]),
            "draws v minimax": float(play_halves(player, agent(MINIMAX)).mean[2]),
            "never loses as X": float(never_loses(player, api.X)),
            "never loses as O": float(never_loses(player, api.O)),
            "unbeatable": float(exploitability(player) < ROUNDING),
            "exploitability": exploitability(player),
            "agreement": agreement(player).share,
        }
        for skill, spec in SKILLS.items():
            wins, losses, _ = play_halves(player, agent(spec)).mean.tolist()
            row |= {f"wins v default (skill {skill})": wins, f"losses v default (skill {skill})": losses}
        rows.append(row)
    return rows


def extreme_rows(runs: list[Trained]) -> list[dict[str, Any]]:
    """Return the extreme values of the emulated runs beside the fixed points of the updates."""
    own = [run for run in runs if run.variant == AS_CODED]
    mended = [run for run in runs if run.variant == learning.REWARDS_MENDED]
    rows = []
    for (seat, which), limit in EXTREMES.items():
        place = ("XO".index(seat), ("highest", "lowest").index(which))
        pick = max if which == "highest" else min
        found = pick(float(run.extremes[place]) for run in own)
        rows.append(
            {
                "values of": seat,
                "extreme": which,
                "fixed point": f"{limit:.5f}",
                "as coded": f"{found:.5f}",
                "rewards mended": f"{pick(float(run.extremes[place]) for run in mended):.5f}",
                "reached": abs(found - limit) < _REACHED,
            }
        )
    return rows


def search_rows(learner: Policy) -> list[dict[str, Any]]:
    """Return, for both players of every table, printed seconds and bytes beside exact nodes and moves a game.

    Parameters
    ----------
    learner
        The learner as the program plays it.
    """
    table = ordinary_table()
    minimax, nodes = agent(MINIMAX), {PLAIN: plain_nodes(table), ALPHA_BETA: alpha_beta_nodes(table)}
    policies = {PLAIN: minimax, ALPHA_BETA: minimax, DEFAULT: agent(SKILLS["0.01"]), TABLE: learner}
    rows = []
    for published in TABLES:
        for own, other in ((published.first, published.second), (published.second, published.first)):
            counts = nodes.get(own.player, [0] * table.num_states)
            expected, moves = spent_exactly(policies[own.player], policies[other.player], counts)
            searches = own.player in nodes
            rows.append(
                {
                    "source": published.source,
                    "player": own.player,
                    "opponent": other.player,
                    "published_seconds": own.seconds,
                    "published_bytes": own.memory,
                    "moves": moves,
                    "nodes": expected if searches else None,
                    "milliseconds_per_node": 1000 * own.seconds / expected if searches else None,
                    "bytes_per_move": own.memory / moves,
                }
            )
    return rows


def first_player_ratio(skill: str) -> float:
    """Return how much likelier the first of two default opponents is to win than the second."""
    player = agent(SKILLS[skill])
    result = exact_outcome(player, player)
    return result.x_wins / result.o_wins
