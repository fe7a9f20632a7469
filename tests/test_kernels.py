"""What all kernels must do: one signature each, no index out of range, and the same answers as Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PATIENCE

HERE = Path(__file__).parent


def answer(script, *arguments, **settings):
    """What a script prints as JSON on its last line, in a process of its own."""
    environment = {key: text for key, text in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(HERE.parent / "bench"), str(HERE / "proven"), environment.get("PYTHONPATH", "")]
    )
    command, whole = [sys.executable, str(HERE / script), *arguments], {**environment, **settings}
    done = subprocess.run(command, env=whole, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    """By kernel: whether it is inlined, and its number of signatures.  CI runs this with NUMBA_BOUNDSCHECK=1 too."""
    return answer("every_kernel.py", str(tmp_path_factory.mktemp("files")))


@pytest.mark.kernels
def test_every_kernel_has_one_signature(signatures):
    assert {name: n for name, (inlined, n) in signatures.items() if n > 1 and not inlined} == {}


@pytest.mark.kernels
def test_the_kernels_of_every_part_were_used(signatures):
    used = {name.split(".")[1] for name, (inlined, n) in signatures.items() if n and not inlined}
    assert used >= {"games", "tables", "policies", "play", "evaluate", "algorithms", "external", "search"}


@pytest.mark.slow
def test_kernels_from_the_disk_and_as_python_give_the_same_answers():
    """A second process compiles nothing; the JIT may be off: a reader may step through every kernel."""
    (first, _), (second, compilations) = answer("small_cases.py"), answer("small_cases.py")
    plain, _ = answer("small_cases.py", NUMBA_DISABLE_JIT="1")
    assert first == second and compilations == 0 and len(first) > 40
    assert {name for name, answer in first.items() if plain.get(name) != answer} == {"solver"}
