"""A program as an agent, `python:bot:choose`: it reads a board on a line, and writes the number of its action."""

import subprocess
import threading
import weakref

from ttt_fast import parse_game

COMMAND, SECONDS, GAME = ["./my-bot", "--level=3"], 10, parse_game("tic-tac-toe")
FREE = "." if GAME.name == "ultimate" else " "  # its free cells are blanks, which a program may strip
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
    board = GAME.format_position(state).replace(" ", FREE)
    for _ in range(2):  # after a failure once more, with a new process
        process = vars(of_thread).pop("process", None) or start()
        deadline, line = threading.Timer(SECONDS, process.kill), b""
        deadline.start()
        try:
            process.stdin.write(board.encode() + b"\n")
            line = process.stdout.readline()
            action = int(line)
        except (OSError, ValueError):
            code = None if line else process.wait()  # until the deadline at the latest
            late = f"returned no action within {SECONDS} s"
            ended = f"ended with exit code {code}" if deadline.is_alive() else late
            failure = f"returned {line.decode(errors='replace')!r}, no number of an action" if line else ended
            end(process)
        else:
            of_thread.process = process  # not after Ctrl-C, which leaves an answer unread
            return action
        finally:
            deadline.cancel()
    raise RuntimeError(f"{COMMAND} {failure}, twice")


choose.thread_safe = True
