"""Verdicts on Sai's statements; their reasons stand beside the statements."""

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict
from ttt_fast.studies.sai.learners import EPISODES
from ttt_fast.studies.sai.matches import CONNECT_FOUR, SKILLS, TIC_TAC_TOE

IN_PART, NOT = StatementVerdict.IN_PART, StatementVerdict.DOES_NOT_HOLD
CODED, DESCRIBED = "learner, as coded", "learner, corrected"
EXPLORES_NO_MORE = "learner, corrected, exploration ends"


def is_around(value: float, figure: float) -> bool:
    """Return whether `around figure` is a fair word for a value: a quarter off at most.

    Examples
    --------
    >>> is_around(2.3, 3), is_around(2.2, 3)
    (True, False)
    """
    return abs(value - figure) <= figure / 4


def _wins(tables: Tables, player: str, opponent: str, game: str = TIC_TAC_TOE) -> float:
    return float(tables.one("strength", game=game, player=player, opponent=opponent)["wins"])


def slightly_better(tables: Tables) -> StatementVerdict:
    """Judge the default opponent as described: how much more often it beats random than random does."""
    described = _wins(tables, "default opponent, skill 1", "random")
    return holds(is_around(described, _wins(tables, "random", "random")))


def first_player(tables: Tables) -> StatementVerdict:
    """Judge the advantage of the first of two default opponents."""
    ratios = [tables.one("values", name=f"{skill} v itself", quantity=TIC_TAC_TOE)["value"] for skill in SKILLS]
    return holds(any(is_around(ratio, 3) for ratio in ratios))


def minimax_always(tables: Tables) -> StatementVerdict:
    """Judge whether minimax wins all games of tic-tac-toe against either default opponent."""
    return holds(all(_wins(tables, "minimax, first of the best", skill) == 1 for skill in SKILLS))


def slightly_beats(tables: Tables) -> StatementVerdict:
    """Judge whether the learner as coded wins more than it loses against the opponent as coded."""
    of = {row["quantity"]: row["value"] for row in tables.where("cells", table="table 3", reading="as coded")}
    return holds(of["learner wins"] > of["default wins"])


def better_than_random(tables: Tables) -> StatementVerdict:
    """Judge whether the learner as it was played wins more than random does against the same opponent."""
    own = tables.one("cells", table="table 3", quantity="learner wins", reading="as coded")["value"]
    return holds(own > _wins(tables, "random", "default 0.01"))


def cheaper(tables: Tables) -> StatementVerdict:
    """Judge time by the boards looked at when nothing is explored, and memory with the table of values in it."""
    of = {row["player"]: row for row in tables.where("costs", table="table 3")}
    learner, default = of["tabular Q-learning"], of["default"]
    explored = 0.9
    faster = learner["boards looked at a game"] / (1 - explored) < default["boards looked at a game"]
    held = tables.one("values", name="as coded", quantity="characters of policy-1")["value"]
    return holds(faster and held < default["bytes"], IN_PART if faster else NOT)


def three_percent(tables: Tables) -> StatementVerdict:
    """Judge the share of the time, by nodes and by the printed seconds, of both pairs of tables."""
    pairs = [tables.one("pruning", place=place) for place in ("table 7", "tables 2 and 1")]
    fits = [round(100 * pair[column]) == 3 for pair in pairs for column in ("nodes", "seconds")]
    return holds(all(fits), IN_PART if any(fits) else NOT)


def memory(tables: Tables) -> StatementVerdict:
    """Judge the share of the memory by the printed bytes of both pairs of tables."""
    pairs = [tables.one("pruning", place=place) for place in ("table 7", "tables 2 and 1")]
    return holds(all(round(100 * pair["bytes"]) == 73 for pair in pairs))


def many_magnitudes(tables: Tables) -> StatementVerdict:
    """Judge what alpha-beta spares by nodes and by the printed bytes: two magnitudes of both, in any pair of tables."""
    spared = [any(row[column] <= 1e-2 for row in tables["pruning"]) for column in ("nodes", "bytes")]
    return holds(all(spared), IN_PART if any(spared) else NOT)


def less_time_and_memory(tables: Tables) -> StatementVerdict:
    """Judge alpha-beta in Connect 4: half of the time, and half of the memory, or less."""
    row = tables.one("pruning", place="tables 5 and 4")
    less = [row[column] < 0.5 for column in ("nodes", "bytes")]
    return holds(all(less), IN_PART if any(less) else NOT)


def same_result(tables: Tables) -> StatementVerdict:
    """Judge whether minimax plays the same moves with alpha-beta in all games."""
    of = {row["quantity"]: row["value"] for row in tables.where("values", name="without alpha-beta")}
    return holds(of["games"] == of["the same moves"])


def gradually(tables: Tables) -> StatementVerdict:
    """Judge whether epsilon falls for at least a hundredth of the games."""
    floor = tables.one("values", name="epsilon", quantity="games until the floor")["value"]
    return holds(floor > EPISODES[TIC_TAC_TOE] / 100)


def rewards(tables: Tables) -> StatementVerdict:
    """Judge whether a certain win is worth the same to X as to O."""
    of = {row["quantity"]: row["value"] for row in tables.where("values", name="as coded")}
    return holds(round(of["highest of X"], 3) == round(of["highest of O"], 3))


def never_wins(tables: Tables) -> StatementVerdict:
    """Judge whether the default opponent of Connect 4 never beats minimax."""
    rows = tables.where("cells", table="table 5", quantity="default wins")
    return holds(not any(row["value"] for row in rows))


def worse(tables: Tables) -> StatementVerdict:
    """Judge whether the corrected learner loses more games of Connect 4 than it wins, as described."""
    row = tables.one("strength", game=CONNECT_FOUR, player=DESCRIBED, opponent="default 1")
    return holds(row["high"] < 0.5 and row["wins"] < row["losses"])


def at_chance(tables: Tables) -> StatementVerdict:
    """Judge the corrected learner of Connect 4 by its moves: whether more keep the exact value than a random choice."""
    row = tables.one("kept", player=DESCRIBED)
    return holds(row["low"] <= row["by chance"])


def more_rounds(tables: Tables) -> StatementVerdict:
    """Judge longer training by its moves: better than a random choice, where those of the published length are not."""
    short, long = (tables.one("kept", player=one) for one in (DESCRIBED, f"{DESCRIBED} (four times as long)"))
    better = [row["low"] > row["by chance"] for row in (short, long)]
    return holds(better == [False, True])


def complexity(tables: Tables) -> StatementVerdict:
    """Judge whether the two searches differ in any game between them, which complexity might cause."""
    return holds(any(row["courses"] > 1 for row in tables["course"]))


def best_in_tic_tac_toe(tables: Tables) -> StatementVerdict:
    """Judge minimax against the learner whose exploration ends: losses, and wins against both opponents."""
    of = {row["player"]: row for row in tables["marks"]}
    learner, minimax = of[EXPLORES_NO_MORE], of["minimax, first of the best"]
    more = [_wins(tables, "minimax, first of the best", one) > _wins(tables, EXPLORES_NO_MORE, one) for one in SKILLS]
    safer = minimax["share"] >= learner["share"]
    return holds(safer and all(more), IN_PART if safer and any(more) else NOT)


def best_in_connect_four(tables: Tables) -> StatementVerdict:
    """Judge minimax among the source's three players of Connect 4, against both default opponents."""
    others = (DESCRIBED, "default opponent, skill 1")
    own = {skill: _wins(tables, "minimax of depth 5", skill, CONNECT_FOUR) for skill in SKILLS}
    best = [own[skill] >= _wins(tables, other, skill, CONNECT_FOUR) for skill in SKILLS for other in others]
    return holds(all(best), IN_PART)
