"""A program as an agent, `python:bot:choose`: it reads a board on a line, and writes the number of its action."""

import subprocess
import threading
import weakref

from ttt_fast import parse_game

COMMAND, SECONDS, GAME = ["./my-bot", "--level=3"], 10, parse_game("tic-tac-toe")
of_thread = threading.local()  # each thread has its own process


def start():
    """Start the program; it ends with its thread or with Python."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(COMMAND, bufsize=0, stdin=pipe, stdout=pipe, start_new_session=True)
    weakref.finalize(threading.current_thread(), end, process)
    return process


def end(process):
    """Stop a program, close its pipes and wait for its end."""
    with process:
        process.kill()


def choose(state):
    """Return the action of the program in a state."""
    for _ in range(2):  # after a failure once more, with a new process
        process = vars(of_thread).pop("process", None) or start()
        deadline = threading.Timer(SECONDS, process.kill)
        deadline.start()
        try:
            process.stdin.write(GAME.format_position(state).encode() + b"\n")
            action = int(process.stdout.readline())
        except (OSError, ValueError):
            end(process)
        else:
            of_thread.process = process  # not after Ctrl-C, which leaves an answer unread
            return action
        finally:
            deadline.cancel()
    raise RuntimeError(f"{COMMAND} returned no action within {SECONDS} s, twice")


choose.thread_safe = True
