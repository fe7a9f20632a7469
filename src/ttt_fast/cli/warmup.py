"""The command `warmup`: every kernel that a command may need, compiled beforehand."""

import typer

from ttt_fast.cli.bench import candidates


def warmup() -> None:
    """Compile every kernel now, so that the first command is fast."""
    from ttt_fast.core.jit import cache_folder
    from ttt_fast.running.timing import timed

    typer.echo("compiling the kernels (once for this version) ...", err=True)
    seconds = timed(run_every_kernel)
    typer.echo(f"ready after {seconds:.1f} s; kept in {cache_folder()}", err=True)


def run_every_kernel() -> None:
    """Use each kernel that a command may need once."""
    from ttt_fast.agents.convert import as_policy
    from ttt_fast.evaluate.exact_fractions import exact_fractions
    from ttt_fast.games.registry import GAMES, parse_game
    from ttt_fast.learn.config import TrainingConfig
    from ttt_fast.learn.training import start_training, train
    from ttt_fast.play.match import MatchConfig, play_match
    from ttt_fast.policies.best_response import best_response
    from ttt_fast.search.connect_four.solver import load_kernels
    from ttt_fast.search.perft import perft
    from ttt_fast.search.random_play import play_random_games
    from ttt_fast.tables import find_symmetry

    for one in candidates():
        if one.units == 1:
            one.run()
    random = as_policy("random")
    find_symmetry(random.table)
    play_match(random, random, MatchConfig(games=1000), threads=1).lengths()
    best_response(random, 1, "wins")
    exact_fractions(random, random)
    for seat in (1, 2):
        train(start_training(TrainingConfig(episodes=1000, seat=seat)), random)
    load_kernels()
    for name in GAMES:
        state = parse_game(name).initial_state
        play_random_games(state, 1, threads=1)
        for depth in (2, 4):
            perft(state, depth, threads=1)
