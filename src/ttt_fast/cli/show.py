"""The command `show`: a position of any game."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ttt_fast import UsageError
from ttt_fast.cli import options
from ttt_fast.cli.parsing import output_file, parse_seed
from ttt_fast.cli.signatures import argument, of_result, of_run, option


@dataclass
class _Board(options.Drawn):
    output: Annotated[
        Path | None,
        of_result("--output -o FILE", "write the board as a picture (.svg), or the rows to another file", output_file),
    ] = None


def show(
    position: Annotated[
        str,
        argument(
            "POSITION",
            "a board as rows of marks separated by / (tic-tac-toe: XO..X...O), or moves (4453, or '55 51' in ultimate)",
        ),
    ],
    target: _Board,
    game: options.Game = options.DEFAULT_GAME,
    exact: options.Solved = False,
    agents: Annotated[
        str | None,
        option(
            "--agents A,B",
            "agents to show (default: random,minimax,heuribot; default,mcts,alphabeta in games without a state table)",
        ),
    ] = None,
    seed: Annotated[int, of_run("--seed N", "seed of random choices", parse_seed)] = 0,
    fixed_seat: options.FixedSeat = None,
) -> None:
    """Show a position with each agent's move and values of the moves, and with the exact values if they are known.

    With --fixed-seat, the first agent plays this seat, and the exact values are those against it.
    """
    from ttt_fast import AgentError, AgentSpec, Seat, as_player, parse_agent, parse_game
    from ttt_fast.analysis.moves import ExactAnalysis
    from ttt_fast.report.moves import position_rows
    from ttt_fast.terminal.boards import turn_text
    from ttt_fast.terminal.positions import position_report

    played = parse_game(game)
    options.allow_exact(played, exact)
    state = played.parse_state(position)
    if target.is_picture:
        target.draw(played.svg(state, (), turn_text(played, state)))
        return
    given = None if agents is None else [parse_agent(text) for text in AgentSpec.split(agents)]
    table = None
    if fixed_seat is not None:
        from ttt_fast import induced_table

        if given is None:
            raise UsageError("expected --agents with --fixed-seat: the agent of this seat, got none")
        table = induced_table(given[0], fixed_seat, played).table
    analysis = ExactAnalysis(played, early=exact, table=table)
    usual = ("default", "mcts", "alphabeta") if analysis.table is None else ("random", "minimax", "heuribot")
    players, specs = [], [parse_agent(name) for name in usual] if given is None else given
    for spec in list(specs):
        try:
            players.append(as_player(spec, played))
        except AgentError:
            if given is not None:
                raise
            specs.remove(spec)  # a default agent that does not play this game
    view = analysis.view(state, players, seed)
    config = {"game": game, "position": position, "agents": ",".join(map(str, specs)), "seed": seed}
    note = ""
    if fixed_seat is not None:
        config["fixed_seat"] = Seat(fixed_seat).text
        note = f"exact values: against {specs[0]} as {Seat(fixed_seat).text.upper()}\n"
    target.write("show", position_rows(view), config, lambda: position_report(view) + note)
