"""The command `show`: a position of any game."""

from typing import Annotated

from ttt_fast.cli import options
from ttt_fast.cli.parsing import parse_seed
from ttt_fast.cli.signatures import argument, option


def show(
    position: Annotated[
        str,
        argument(
            "POSITION", "nine characters: XO..X...O; of other games a position or a line of moves, 4453 or '55 51'"
        ),
    ],
    target: options.Target,
    game: options.Game = "tic-tac-toe",
    exact: options.Exact = False,
    agents: Annotated[
        str | None,
        option(
            "--agents A,B", "who is asked (default: random,minimax,heuribot; in other games default,mcts,alphabeta)"
        ),
    ] = None,
    seed: Annotated[int, option("--seed N", "seed of the choices of players that draw", parse_seed)] = 0,
) -> None:
    """Show a position: each agent's move and its value of each move; in tic-tac-toe, the exact values."""
    from ttt_fast.agents.catalogue import AGENTS
    from ttt_fast.agents.registry import make_player, split_agents
    from ttt_fast.games.registry import parse_game
    from ttt_fast.tables import has_table
    from ttt_fast.terminal.positions import position_report, position_rows

    options.allow_large_table(game, exact)
    played = parse_game(game)
    usual = ("random", "minimax", "heuribot") if has_table(played) else ("default", "mcts", "alphabeta")
    specs = [name for name in usual if AGENTS[name].fits(played)] if agents is None else split_agents(agents)
    state = played.parse_state(position)
    asked = [make_player(spec, played) for spec in specs]
    options.announce_compilation()
    records = position_rows(played, state, asked, seed)
    config = {"game": game, "position": position, "agents": ",".join(specs), "seed": seed}
    target.write("show", records, config, lambda: position_report(played, state, records, asked))
