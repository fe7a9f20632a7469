"""Programs and modules of others, for tests: as the pages have them, and with every fault."""

import re
import shlex
import sys
from pathlib import Path

from conftest import REPOSITORY

FIRST = (REPOSITORY / "bench" / "first_legal.py").read_text(encoding="utf-8")
"""Always the first legal move."""

FAULTY = """
import random, sys, time
fault = sys.argv[1]
if fault == "mute": time.sleep(600)
if fault == "rude": print("hello", flush=True)
if fault == "talkative": print("ttt-fast-engine 1", "hello", flush=True, sep="\\n")
print("ttt-fast-engine 1", *["plays chess tic-tac-toe"] * (fault == "chess"), "ready", sep="\\n", flush=True)
print("some words on standard error", file=sys.stderr, flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "newgame": random.seed(int(rest[1]))
    if word == "position": marks = len(rest[0].replace(".", ""))
    if word == "legal": legal = rest
    if word == "go" and (marks < 4 or fault in ("chess", "stays")): print("move", legal[0], flush=True)
    elif word == "go":
        if fault == "hang": time.sleep(600)
        if fault == "crash": raise ValueError("I give up")
        if fault == "leave": break
        if fault == "illegal": print("move 99", flush=True)
        if fault == "protocol": print("bestmove 1", flush=True)
        if fault == "long": print("x" * 10_000, flush=True)
        if fault == "draws": print("move", random.choice(legal), flush=True)
        if fault == "twice": print("move", legal[0], "\\n# a comment\\n\\nmove", legal[0], flush=True)
    if word == "quit" and fault != "stays": break
while fault == "stays": time.sleep(1)
"""
"""Faults by its first argument, from the fifth move of a game on."""


def program(folder: Path, source: str = FIRST, *words: str, name: str = "bot.py") -> str:
    """Write a program in Python into a folder and return its command."""
    (folder / name).write_text(source, encoding="utf-8")
    return shlex.join([sys.executable, str(folder / name), *words])


def faulty(folder: Path, fault: str, options: str = "") -> str:
    """Return how a program with a fault is spelled as an agent."""
    return f"engine:{options}{program(folder, FAULTY, fault, name='faulty.py')}"


def code_of(page: str, name: str) -> str:
    """Return the code of a page that is marked by a name."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    return re.search(rf"```python {name}\n(.*?)```", text, re.DOTALL).group(1)
