"""The JIT may be off: kernels as Python give the same answers, and a reader may step through them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE

SCRIPT = Path(__file__).parent / "small_cases.py"


def answers(**settings):
    """What the small cases answer in a process of their own."""
    environment = {key: text for key, text in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    command, whole = [sys.executable, str(SCRIPT)], {**environment, **settings}
    done = subprocess.run(command, env=whole, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_kernels_as_python_give_the_same_answers():
    compiled, plain = answers(), answers(NUMBA_DISABLE_JIT="1")
    assert compiled.keys() == plain.keys() and len(compiled) > 35
    assert {name for name, answer in compiled.items() if plain[name] != answer} == set()
