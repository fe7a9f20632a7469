"""Options of `train`, one a setting; their defaults are those of `TrainingConfig`."""

from pathlib import Path
from typing import Annotated

import typer

Opponent = Annotated[
    str | None,
    typer.Option("--opponent", metavar="AGENT", help="the opponent: an agent, self, or A@0.5>B (default: random)"),
]
Seat = Annotated[str | None, typer.Option("--seat", help="the learner's seat: x, o or both in turn (default: x)")]
Episodes = Annotated[
    str | None,
    typer.Option("--episodes", "-n", metavar="N", help="default: 100M; of other games 1M, q on ultimate 20k"),
]
Seed = Annotated[str | None, typer.Option("--seed", metavar="N", help="default: 0")]
Game = Annotated[
    str | None,
    typer.Option(
        "--game", metavar="GAME", help="tic-tac-toe, connect4[:columns=7,rows=6,length=4] or ultimate[:tie=draw|boards]"
    ),
]
Algorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        "--learner",
        help="q, double-q, sarsa, expected-sarsa or afterstate; of other games q or afterstate (default: q)",
    ),
]
StepSize = Annotated[
    str | None, typer.Option(metavar="SCHEDULE", help="alpha: a number, or a schedule (default: geometric:0.5,0.001)")
]
Epsilon = Annotated[
    str | None, typer.Option(metavar="SCHEDULE", help="chance to explore: a number, or a schedule (default: 0.2)")
]
Discount = Annotated[float | None, typer.Option(help="gamma (default: 1)")]
Rewards = Annotated[str | None, typer.Option(metavar="WIN,DRAW,LOSS", help="default: 1,0,-1")]
InitialQ = Annotated[float | None, typer.Option(help="value of an untried action, or afterstate (default: 0)")]
Tie = Annotated[str | None, typer.Option(help="among equally good actions: first, last or random (default: first)")]
Credit = Annotated[
    str | None,
    typer.Option(help="of other games: own result to each player, or sai, which credits X alone (default: own)"),
]
RandomOpening = Annotated[bool | None, typer.Option("--random-opening", help="draw the first move of each episode")]
Chunk = Annotated[
    str | None,
    typer.Option(
        "--chunk",
        metavar="N",
        help="episodes a chunk, part of the result (default: a 250th of the run, 1k to 100k);"
        " the kernels of q v a fixed seat and of self-play hold alpha and epsilon for a chunk, others for an episode",
    ),
]
Evaluations = Annotated[
    str | None,
    typer.Option(metavar="N", help="exact evaluations on the way (default: 100); of other games samples (default: 10)"),
]
Judges = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="further agents that the curve is measured against; of other games all (default: random,default)",
    ),
]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="settings from a TOML file")]
Curve = Annotated[
    Path | None, typer.Option("--curve", metavar="FILE", help="write the learning curve (.parquet, .jsonl or .csv)")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="table and checkpoint (default: in runs/)")
]
CheckpointEvery = Annotated[
    float | None,
    typer.Option(
        "--checkpoint-every",
        metavar="SECONDS",
        help="time from checkpoint to checkpoint (default: 5; of other games 30, or 20 times as long as saving takes)",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="BYTES",
        help="of other games: stop in time, 8G for instance (default: three quarters of the available memory)",
    ),
]
Resume = Annotated[Path | None, typer.Option("--resume", metavar="FILE", help="go on with an interrupted run")]
