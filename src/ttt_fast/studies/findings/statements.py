"""The findings: what a source says and where, what is true, and why.  Figures are quoted or computed here."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from ttt_fast.agents.registry import parse_agent
from ttt_fast.evaluate.exact_fractions import exact_fractions
from ttt_fast.evaluate.outcome import exact_outcome
from ttt_fast.policies.best_response import Objective, Then, best_response_policy
from ttt_fast.studies.cells import ordinary_table
from ttt_fast.studies.findings.connect_four import sai_connect_four
from ttt_fast.studies.findings.finding import Finding
from ttt_fast.studies.findings.quotes import Results
from ttt_fast.studies.findings.ultimate import ultimate
from ttt_fast.tables import ROOT, count_paths, symmetry_of

PAIRS = "smirnov pairs, first move chosen"


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


def up_to_symmetry() -> int:
    """Return the number of games in which boards that symmetries make equal count as one.

    Examples
    --------
    >>> up_to_symmetry()
    26830
    """
    table = ordinary_table()
    representative = symmetry_of(table).representative
    paths = {state: 0 for state in sorted(set(representative.tolist()))}
    paths[ROOT] = 1
    games = 0
    for state, number in paths.items():  # in the order of the plies
        children = {int(representative[child]) for child in table.child[state] if child >= 0}
        games += 0 if table.decision_mask[state] else number
        for child in children if table.decision_mask[state] else ():
            paths[child] += number
    return games


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
    cell = {"cell": "Q_random v Random", "quantity": "x_wins"}
    share = found.quote("langan", "cells", "published_value", **cell)
    yield Finding(
        "sections 6.3.1 and 7, table 5",
        f"Q_random, with {share} wins against random, plays optimally.",
        f"The most is {_most('random')}. {_reached(found, 'X v random')} there with a falling step size"
        f" and epsilon 0.5, {_theirs(found, 'langan, Q_random')}.",
        "A constant step size keeps the estimates of nearly equal moves swinging.",
        ("langan", "optimum"),
    )
    wins = found.quote("langan", "cells", "published", source="langan section 6.3.2", cell="in the text")
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
    slip = {"source": "langan section 6.3.2", "cell": "minimax v buggy2, in the text"}
    yield Finding(
        "section 6.3.2",
        f"Minimax wins {found.quote('base', 'cells', 'published_share', '.2%', **slip)} of the games against buggy2.",
        f"Exactly {found.quote('base', 'cells', 'exact', '.2%', **slip)}; the report's own table 6 has"
        f" {found.quote('base', 'cells', 'published_share', '.2%', cell='Minimax v Buggy2', quantity='x_wins')}.",
        "A slip of the pen.",
        ("base",),
    )
    table = ordinary_table()
    games = int(count_paths(table)[~table.decision_mask].sum())
    yield Finding(
        "section 1.1",
        "There are 26,830 distinct states and 362,880 sequences of moves.",
        f"{table.num_states:,} states can be reached, and {games:,} games can be played.",
        f"9! counts sequences that go on after a win; {up_to_symmetry():,} is the number of games up to symmetry.",
        ("base",),
    )


def _agreement(found: Results, learner: str) -> str:
    return found.quote("langan", "minimax", "agreement", ".2%", learner=learner)


def _minimax(found: Results) -> Iterator[Finding]:
    coded, legal = (_agreement(found, learner) for learner in ("as coded", "B3"))
    published = found.quote(
        "langan", "cells", "published_value", ".2%", source="langan table 1", cell="2,000,000 Episodes",
        quantity="agreement",
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
        found.quote("langan", "cells", "published_value", ".2%", cell=f"Self-Play (Player {k})", quantity="agreement")
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
    match = {"source": "sai table 2", "cell": "default v minimax with alpha-beta"}
    match |= {"quantity": "minimax with alpha-beta wins"}
    wins, described, coded = (
        found.quote("sai", "cells", column, form, **match)
        for column, form in (("published_share", ".3f"), ("as_described", ".3f"), ("as_coded", ".3f"))
    )
    yield Finding(
        "abstract, sections 5.1.1 to 5.1.4",
        f"The default opponent wins or blocks whenever it can; minimax wins {wins} of the games against it.",
        f"Against such an opponent minimax wins {described}; against the coded one {coded}.",
        "The program notices a win or a block one time in a hundred, and is otherwise a random player.",
        ("sai",),
    )
    default, learner, ties = (
        found.quote("sai", "cells", "published", source="sai table 3", quantity=quantity)
        for quantity in ("default wins", "tabular Q-learning wins", "ties")
    )
    greedy, lost = (
        found.quote("sai", "strength", column, ".3f", learner="as coded")
        for column in ("wins v default (skill 0.01)", "losses v default (skill 0.01)")
    )
    reading = {"source": "sai table 3", "default_skill": "0.01", "learner": "as coded", "values": "policy-1 (X)"}
    random_wins = found.quote("sai", "readings", "second_wins", ".3f", **reading, epsilon="0.9")
    yield Finding(
        "section 5.1.3, table 3",
        f"Tabular Q-learning is slightly better than the default opponent ({learner} : {default}, {ties} ties).",
        f"The values learned in both seats, played greedily, win {greedy} and lose {lost}; as it was played, it wins"
        f" {random_wins} (all exact).",
        "The evaluation loads the values but not epsilon: nine of its moves in ten are random.",
        ("sai",),
    )
    highest, mended = (
        found.quote("sai", "extremes", column, values_of="X", extreme="highest")
        for column in ("as coded", "rewards mended")
    )
    unbeatable = [
        found.quote("sai", "strength", "unbeatable", ".1%", learner=one)
        for one in ("as coded", "rewards mended", "rewards and decay mended", "and exploration ends")
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
    pairs = {"source": PAIRS}
    as_x, as_o = (
        found.quote("smirnov", "cells", "published", **pairs, cell=cell, quantity=quantity)
        for cell, quantity in (("X Tabular Q, O Random", "x_wins"), ("X Random, O Tabular Q", "o_wins"))
    )
    marks = {"training": "first move drawn in training"}
    at_best, runs = (
        found.quote("smirnov", "strength", column, **marks, mark="X v random, first move chosen: wins")
        for column in ("runs at optimum", "runs")
    )
    highest = found.quote("smirnov", "strength", "highest", ".6f", **marks, mark="O v random: wins")
    wins = best_wins("random", "o")
    fewest, most = (best_wins("random", "o", "score", then) for then in ("draws", "wins"))
    yield Finding(
        "tables of pairs, section on self-play",
        f"Self-play becomes optimal against opponents that it did not train against: {as_x} as X and {as_o} as O"
        " against random.",
        f"As X {at_best} of {runs} runs end at {_most('random')}; as O {as_o} is not the optimum: the most wins are"
        f" {wins} = {float(wins):.6f}, players with the best score have {fewest} to {most} = {float(fewest):.6f} to"
        f" {float(most):.6f}, and the best of these runs has {highest}.",
        "Self-play learns not to lose; which of the safe moves sets random the most traps it cannot know.",
        ("smirnov", "optimum"),
    )
    slip = {**pairs, "cell": "X Random, O Random", "quantity": "o_wins"}
    yield Finding(
        "tables of pairs, random v random",
        f"O wins {found.quote('smirnov', 'cells', 'published', **slip)}.",
        f"Exactly {found.quote('smirnov', 'cells', 'ours', '.6f', **slip)}, as in the page's first table.",
        "A slip of the pen, in both tables of pairs.",
        ("smirnov",),
    )
    yield from _heuribot(found)
    where = {"where": "gamma", "statement": "the optimum is gamma = 1"}
    measured, verdict = (found.quote("smirnov", "claims", column, **where) for column in ("measured", "verdict"))
    yield Finding(
        "section on gamma",
        "Gamma = 1 is the optimum.",
        f"{measured.capitalize()}: it {verdict}.",
        "The difference is small, and its cause was not tested.",
        ("smirnov",),
    )


def _heuribot(found: Results) -> Iterator[Finding]:
    fork = {"source": "smirnov first table", "cell": "X Random, O Heuribot", "quantity": "o_wins"}
    first, exact, fits = (
        found.quote("base", "cells", column, form, **fork)
        for column, form in (("published", ""), ("exact", ".6f"), ("exact_of_fit", ".6f"))
    )
    later = found.quote("smirnov", "cells", "published", **{**fork, "source": PAIRS})
    written = exact_outcome(parse_agent("random"), parse_agent("heuribot:as=written")).o_wins
    yield Finding(
        "rules and first table of the heuribot",
        f'The heuribot has a rule "Block an Only Fork", and wins {first} as O against random.',
        f"The published program has no such rule and wins {exact}; with the rule as written it would win"
        f" {written:.6f}; a version that blocks a lone fork gives {fits}.",
        f"The first table was made with another version; the page's later tables, with {later}, fit the program.",
        ("base", "smirnov"),
    )
    row = {"source": "smirnov game lengths", "quantity": "plies_5"}
    minimax, alone, drawn = (
        found.quote("base", "cells", column, form, **row, cell="Minimax as X, Random as O")
        for column, form in (("published", ""), ("exact", ".4f"), ("exact_of_fit", ".4f"))
    )
    heuribot, other = (
        found.quote("base", "cells", column, form, **row, cell="Heuribot as X, Random as O")
        for column, form in (("published", ""), ("exact", ".4f"))
    )
    yield Finding(
        "table of game lengths, random as O",
        f"Of minimax's games {minimax} end after 5 plies, of the heuribot's {heuribot}.",
        f"With the first move chosen, as the text says, {alone} and {other}; with minimax's first move drawn {drawn}.",
        "Minimax's row was made with a drawn first move; the heuribot's fits no version that was tried.",
        ("base",),
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
