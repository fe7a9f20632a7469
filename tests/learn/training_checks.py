"""What tests of training runs share: their bits, and Ctrl-C after some chunks."""

import signal

from ttt_fast.learn.checkpoint import Training


def bits(run: Training) -> tuple:
    """Everything of a run but its wall time."""
    arrays = (*run.learned, run.history, run.greedy)
    return run.config, run.chunks_done, run.columns, *(array.tobytes() for array in arrays)


def interrupt_after(chunks: int, number: int = signal.SIGINT):
    """A callback for `train` that sends a signal after that many chunks."""
    calls = []

    def on_chunk(episodes, latest):
        calls.append(episodes)
        if len(calls) == chunks:
            signal.raise_signal(number)

    return on_chunk
