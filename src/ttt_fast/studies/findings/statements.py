"""The findings: what a source says and where, what is true, and why.  Figures are quoted or computed here."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.exact_fractions import exact_fractions
from ttt_fast.policies.best_response import Objective, Then, best_response_policy
from ttt_fast.studies.findings.connect_four import sai_connect_four
from ttt_fast.studies.findings.finding import Finding
from ttt_fast.studies.findings.quotes import Results
from ttt_fast.studies.findings.ultimate import ultimate
from ttt_fast.studies.langan.exact import games_up_to_symmetry
from ttt_fast.tables import count_paths, table_of

PAIRS = "pairs, first move chosen"


def best_wins(opponent: str, seat: str, objective: Objective = "wins", then: Then | None = None) -> Fraction:
    """Return the wins of a best response to an agent, exactly; the words are those of `best_response`.

    Examples
    --------
    >>> str(best_wins("random", "x")), str(best_wins("buggy2", "x"))
    ('191/192', '5/6')
    """
    other = parse_agent(opponent)
    response = best_response_policy(other, objective, then=then)
    exact = exact_fractions(response, other) if seat == "x" else exact_fractions(other, response)
    return exact.x_wins if seat == "x" else exact.o_wins


def _most(opponent: str) -> str:
    wins = best_wins(opponent, "x")
    return f"{wins} = {float(wins):.6f}"


def _reached(found: Results, problem: str) -> str:
    """Return in words how often our learner ends exactly at the optimum of a problem."""
    exact, runs, episodes = (
        found.quote("optimum", "problems", column, form, problem=problem)
        for column, form in (("exact", ",d"), ("runs", ",d"), ("episodes", ",d"))
    )
    return f"{exact} of {runs} runs of {episodes} episodes end exactly"


def _theirs(found: Results, source: str) -> str:
    exact, runs, episodes, alpha, epsilon = (
        found.quote("optimum", "recipes", column, form, source=source)
        for column, form in (("exact", ""), ("runs", ""), ("episodes", ",d"), ("step_size", ""), ("epsilon", ""))
    )
    return f"{exact} of {runs} runs of {episodes} with the published constants {alpha} and {epsilon}"


def langan(found: Results) -> Iterator[Finding]:
    """Yield the findings about Langan."""
    cell = {"place": "Q_random v Random", "quantity": "x_wins"}
    share = found.quote("langan", "cells", "printed_value", **cell)
    yield Finding(
        "sections 6.3.1 and 7, table 5",
        f"Q_random, with {share} wins against random, plays optimally.",
        f"The most is {_most('random')}. {_reached(found, 'X v random')} there with a falling step size"
        f" and epsilon 0.5, {_theirs(found, 'langan, Q_random')}.",
        "A constant step size keeps the estimates of nearly equal moves swinging.",
        ("langan", "optimum"),
    )
    wins = found.quote("langan", "cells", "printed", place="Q_buggy2 v Buggy2, in the text")
    yield Finding(
        "section 6.3.2, table 6",
        f"Q_buggy2 reaches {wins} wins against buggy2.",
        f"The most is {_most('buggy2')}. {_reached(found, 'X v buggy2')} there with a falling step size"
        f" and epsilon 0.5, {_theirs(found, 'langan, Q_buggy2')}.",
        "Lines worth 3/4 and 5/6 lie close together for a step size that does not fall.",
        ("langan", "optimum"),
    )
    yield _self_play(found)
    yield from _minimax(found)
    slip = {"place": "minimax v buggy2, in the text", "reading": "as coded"}
    yield Finding(
        "section 6.3.2",
        f"Minimax wins {found.quote('langan', 'cells', 'printed_value', '.2%', **slip)} of the games against buggy2.",
        f"Exactly {found.quote('langan', 'cells', 'value', '.2%', **slip)}; the report's own table 6 has"
        f" {found.quote('langan', 'cells', 'printed_value', '.2%', place='Minimax v Buggy2', quantity='x_wins')}.",
        "A slip of the pen.",
        ("langan",),
    )
    table = table_of("tic-tac-toe")
    games = int(count_paths(table)[~table.decision_mask].sum())
    yield Finding(
        "section 1.1",
        "There are 26,830 distinct states and 362,880 sequences of moves.",
        f"{table.num_states:,} states can be reached, and {games:,} games can be played.",
        "9! counts sequences that go on after a win;"
        f" {games_up_to_symmetry():,} is the number of games up to symmetry.",
        ("langan",),
    )


def _agreement(found: Results, learner: str) -> str:
    return found.quote("langan", "minimax", "agreement", ".2%", learner=learner)


def _minimax(found: Results) -> Iterator[Finding]:
    coded, legal = (_agreement(found, learner) for learner in ("as coded", "B3"))
    published = found.quote(
        "langan", "cells", "printed_value", ".2%", place="2,000,000 Episodes", quantity="agreement",
    )  # fmt: skip
    zero, wrong = (
        found.quote("langan", "minimax", column, learner="as coded") for column in ("of them all zero", "disagreeing")
    )
    yield Finding(
        "section 6.1, table 1",
        f"Q_minimax stays at {published} agreement with minimax, perhaps because the other states were only explored.",
        f"As coded {coded}; with a maximum over legal actions {legal}.",
        "The best value of the next state is taken over illegal actions too, which are 0 for ever, so that a loss looks"
        f" like a draw: {zero} of {wrong} disagreeing rows are all zero.",
        ("langan",),
    )
    coded, written = (_agreement(found, learner) for learner in ("as coded", "as written"))
    yield Finding(
        "section 4.3",
        "Rewards are 1, 1/2 and 0, written directly into the table at the end of a game.",
        "The program has 1, 0 and -1, and updates with the step size. As written, agreement with minimax would be"
        f" {written} (as coded {coded}).",
        "The report describes another program than the one that made its tables.",
        ("langan",),
    )


def _self_play(found: Results) -> Finding:
    published = [
        found.quote("langan", "cells", "printed_value", ".2%", place=f"Self-Play (Player {k})", quantity="agreement")
        for k in (1, 2)
    ]
    coded, won, runs = (
        found.quote("langan", "ablation", column, form, mended="as coded")
        for column, form in (("p1_counted_agreement", ".2%"), ("greedy: X wins", ""), ("runs", ""))
    )
    perfect, mended, episodes, draws = (
        found.quote("langan", "ablation", column, ",d", mended="B1+B2+B3")
        for column in ("perfect_runs", "runs", "episodes", "greedy: draw")
    )
    return Finding(
        "sections 6.2 and 7, table 3",
        f"Self-play agrees with minimax in {published[0]} and {published[1]} of the states: a property of the game, or"
        " of the hyperparameters.",
        f"As coded {coded} (player 1), and X wins {won} of {runs} greedy games. With three defects mended {perfect} of"
        f" {mended} runs agree everywhere after {episodes} episodes, and {draws} draw. With a step size"
        f" that falls, {_reached(found, 'self-play')} at exploitability 0.",
        "The update looks at the board where the opponent is to move, which is never learned; the loser is never told;"
        " and the maximum is over illegal actions.",
        ("langan", "optimum"),
    )


def sai(found: Results) -> Iterator[Finding]:
    """Yield the findings about Sai."""
    match = {"table": "table 2", "quantity": "minimax wins"}
    wins = found.quote("sai", "cells", "printed_value", ".3f", **match, reading="as coded")
    described, coded = (
        found.quote("sai", "cells", "value", ".3f", **match, reading=reading)
        for reading in ("as described", "as coded")
    )
    yield Finding(
        "abstract, sections 5.1.1 to 5.1.4",
        f"The default opponent wins or blocks whenever it can; minimax wins {wins} of the games against it.",
        f"Against such an opponent minimax wins {described}; against the coded one {coded}.",
        "The program notices a win or a block one time in a hundred, and is otherwise a random player.",
        ("sai",),
    )
    default, learner, ties = (
        found.quote("sai", "cells", "printed", table="table 3", quantity=quantity, reading="as coded")
        for quantity in ("default wins", "learner wins", "ties")
    )
    player = {"player": "learner, as coded", "game": "tic-tac-toe", "opponent": "default 0.01"}
    greedy, lost = (found.quote("sai", "strength", column, ".3f", **player) for column in ("wins", "losses"))
    reading = {"table": "table 3", "quantity": "learner wins", "reading": "as coded"}
    random_wins = found.quote("sai", "cells", "value", ".3f", **reading)
    yield Finding(
        "section 5.1.3, table 3",
        f"Tabular Q-learning is slightly better than the default opponent ({learner} : {default}, {ties} ties).",
        f"The values learned in both seats, played greedily, win {greedy} and lose {lost}; as it was played, it wins"
        f" {random_wins} (all exact).",
        "The evaluation loads the values but not epsilon: nine of its moves in ten are random.",
        ("sai",),
    )
    highest, mended = (
        found.quote("sai", "values", "value", ".5f", name=name, quantity="highest of X")
        for name in ("as coded", "rewards mended")
    )
    unbeatable = [
        found.quote("sai", "marks", "share", ".1%", player=f"learner, {one}")
        for one in ("as coded", "rewards mended", "corrected", "corrected, exploration ends")
    ]
    yield Finding(
        "appendix, set_learning_reward",
        "At the end of a game the winner learns from a reward of 1, the loser from -1.",
        f"The highest value that X learns is {highest} instead of {mended}. Unbeatable runs: {unbeatable[0]} as coded,"
        f" {unbeatable[1]} with the rewards mended, {unbeatable[2]} with the decay of epsilon mended too,"
        f" {unbeatable[3]} if exploration ends.",
        "After a win of X the program goes on to the branch of a draw, and plays the game back a second time with 0.",
        ("sai",),
    )


def smirnov(found: Results) -> Iterator[Finding]:
    """Yield the findings about Smirnov."""
    pairs = {"table": PAIRS}
    as_x, as_o = (
        found.quote("smirnov", "cells", "printed", **pairs, place=place, quantity=quantity)
        for place, quantity in (("X Tabular Q, O Random", "x_wins"), ("X Random, O Tabular Q", "o_wins"))
    )
    marks = {"training": "as described"}
    at_best, runs = (
        found.quote("smirnov", "strength", column, **marks, mark="X v random, first move chosen: wins")
        for column in ("at best", "runs")
    )
    safe = found.quote("smirnov", "strength", "at best", **marks, mark="O v random: wins, without a risk")
    safest, most, score = (
        found.quote("smirnov", "bounds", column, seat="O", opening="first move chosen", goal=goal)
        for column, goal in (("wins exactly", "never loses, most wins"), ("wins exactly", "most wins"),
                             ("wins less losses", "best score"))
    )  # fmt: skip
    yield Finding(
        "tables of pairs, section on self-play",
        f"Self-play becomes optimal against opponents that it did not train against: {as_x} as X and {as_o} as O"
        " against random.",
        f"As X {at_best} of {runs} runs end at {_most('random')}. As O {safe} of {runs} win exactly {safest}, the most"
        f" of all players that never lose; the most wins are {most}, the best score (wins less losses) {score}.",
        "Self-play learns the best safe play. As O the most wins need a risk, for which it has no reason.",
        ("smirnov", "optimum"),
    )
    slip = {**pairs, "place": "X Random, O Random", "quantity": "o_wins"}
    yield Finding(
        "tables of pairs, random v random",
        f"O wins {found.quote('smirnov', 'cells', 'printed', **slip)}.",
        f"Exactly {found.quote('smirnov', 'cells', 'value', '.6f', **slip)}, as in the page's first table.",
        "A slip of the pen, in both tables of pairs.",
        ("smirnov",),
    )
    yield from _heuribot(found)


def _heuribot(found: Results) -> Iterator[Finding]:
    fork = {"table": "first table", "place": "X Random, O Heuribot", "quantity": "o_wins"}
    first = found.quote("smirnov", "cells", "printed", **fork, reading="as coded")
    coded, written, fits = (
        found.quote("smirnov", "cells", "value", ".6f", **fork, reading=reading)
        for reading in ("as coded", "as described", "another version")
    )
    later = found.quote("smirnov", "cells", "printed", **{**fork, "table": PAIRS})
    yield Finding(
        "rules and first table of the heuribot",
        f'The heuribot has a rule "Block an Only Fork", and wins {first} as O against random.',
        f"The published program has no such rule and wins {coded}; with the rule as written it would win"
        f" {written}; a version that blocks a lone fork gives {fits}.",
        f"The first table was made with another version; the page's later tables, with {later}, fit the program.",
        ("smirnov",),
    )
    row = {"table": "game lengths", "quantity": "plies_5"}
    minimax = found.quote("smirnov", "cells", "printed", **row, place="X Minimax, O Random")
    alone, drawn = (
        found.quote("smirnov", "cells", "value", ".4f", **row, place="X Minimax, O Random", reading=reading)
        for reading in ("as described", "first move drawn")
    )
    heuribot, other = (
        found.quote("smirnov", "cells", column, form, **row, place="X Heuribot, O Random", reading="as coded")
        for column, form in (("printed", ""), ("value", ".4f"))
    )
    yield Finding(
        "table of game lengths, random as O",
        f"Of minimax's games {minimax} end after 5 plies, of the heuribot's {heuribot}.",
        f"With the first move chosen, as the text says, {alone} and {other}; with minimax's first move drawn {drawn}.",
        "Minimax's row was made with a drawn first move; the heuribot's fits no version that was tried.",
        ("smirnov",),
    )


def hensler(found: Results) -> Iterator[Finding]:
    """Yield the findings about Hensler."""
    both = found.quote("hensler", "strength", "mean", ".0%", measure="neither loses")
    recipe = {"learner": "as published", "episodes": "100000"}
    runs, unbeatable = (
        found.quote("hensler", "variants", column, **recipe) for column in ("runs", "unbeatable")
    )  # first of equally good actions
    ends = {"learner": "exploration ends"}
    mended, of, episodes = (
        found.quote("hensler", "variants", column, form, **ends)
        for column, form in (("unbeatable", ""), ("runs", ""), ("episodes", ",d"))
    )
    yield Finding(
        "problem statement, strategic approach",
        "Self-play over 100,000 episodes trains two unbeatable agents.",
        f"Of {runs} runs of the recipe {both} are unbeatable in both seats with ties drawn, {unbeatable} with the first"
        f" of equal moves; {mended} of {of} if epsilon falls to 0 over {episodes} episodes.",
        "Epsilon stops at 0.05 while the step size stays at 0.3: each explored blunder moves values by a third.",
        ("hensler",),
    )
    x, least_x, o, least_o = (
        found.quote("hensler", "strength", column, ".4f", measure=f"{seat} losses v minimax as saved")
        for seat in "xo"
        for column in ("mean", "min")
    )
    yield Finding(
        "save_agent, at the end of the page",
        "The trained agents are saved.",
        f"{runs} runs of the recipe, saved in this way, lose to minimax with chance {x} as X and {o} as O on average"
        f" (the least {least_x} and {least_o}).",
        "The pickle holds the agent with its epsilon of 0.05, so that it goes on exploring.",
        ("hensler",),
    )


SOURCES: dict[str, Callable[[Results], Iterator[Finding]]] = {
    "Langan: Q-learning and minimax": langan,
    "Sai: minimax and tabular Q-learning": sai,
    "Sai on Connect 4": sai_connect_four,
    "Smirnov: heuribot and double Q-learning": smirnov,
    "Bichot and others: minimax, MCTS and DQN in Ultimate tic-tac-toe": ultimate,
    "Hensler: self-play": hensler,
}
"""The findings of each published project, by its heading."""
