"""Learn the evaluation of Ultimate that ships with the package; a run that was interrupted goes on.

python bench/learn_ultimate.py FOLDER -o src/ttt_fast/agents/weights/ultimate.npz [--threads 2] [--seed 0]

FOLDER keeps the labelled positions and the network of each generation.  Threads never change the file, whose
description holds the settings and the hash of its numbers.
"""

import argparse
import sys
from pathlib import Path

from ttt_fast.core.archive import read_bytes, write_atomically
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.manifest import available_cores
from ultimate_run import RECIPE, learn_evaluation


def main(words: list[str] | None = None) -> int:
    """Learn as the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description="Learn the evaluation of Ultimate that ships with the package.")
    parser.add_argument("folder", type=Path, help="keeps what is made on the way")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    parser.add_argument("--threads", type=int, default=available_cores(), help="threads that play (default: all cores)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all randomness (default: 0)")
    given = parser.parse_args(words)
    try:
        last = learn_evaluation(given.folder, RECIPE, given.seed, given.threads, tell)
        content = read_bytes(last)
        write_atomically(given.output, lambda stream: stream.write(content))
    except TttFastError as error:
        tell(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        tell("interrupted: the same command goes on with what is there")
        return 130
    return 0


def tell(line: str) -> None:
    """Say how far the run is."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
