"""The instructions that kernels name themselves, without the processor that these tests run on.

Each is an operation of LLVM that every target has; here they are compiled for other processors, and the Connect 4
solver, which rests on them, runs with arithmetic in their place.  LLVM ends the process where it cannot compile an
operation, so that both happen in processes of their own.
"""

import json
import os
import sys

import numpy as np
import pytest

import induced_reference as reference
from cli_runner import run_python
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import solve_positions

COMPILE = """
import json, re, sys
import llvmlite.binding as llvm
import numba, numpy as np
from ttt_fast.core import jit, vectors

jit.load()

from ttt_fast.core.bits import highest_bit, lowest_bit_index, popcount
from ttt_fast.core.instructions import prefetch

def bits(words, place):
    prefetch(words, place)
    return popcount(words[place]), highest_bit(words[place]), lowest_bit_index(np.int64(words[place]))

def lanes(numbers):
    start = vectors.pointer(numbers)
    vector = vectors.load(start, 0)
    vectors.store(start, 0, vectors.fma(vector, vector, vector))

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
for function, signature in ((bits, "(uint64[::1], int64)"), (lanes, "(float32[::1],)")):
    compiled = numba.njit(function, _nrt=False)
    compiled.compile(signature)
    code = re.sub(r"target (triple|datalayout) = .*", "", compiled.inspect_llvm(compiled.signatures[0]))
    for triple, processor, words in json.loads(sys.argv[1]):
        machine = llvm.Target.from_triple(triple).create_target_machine(cpu=processor)
        module = llvm.parse_assembly(code)
        module.triple, module.data_layout = triple, str(machine.target_data)
        print(*re.findall(words, machine.emit_assembly(module)))
"""

SOLVE = """
import json, sys
import numba, numpy as np
from ttt_fast.core import bits, instructions, jit

def ones(word):
    rest = np.uint64(word)
    rest = rest - ((rest >> np.uint64(1)) & np.uint64(0x5555555555555555))
    rest = (rest & np.uint64(0x3333333333333333)) + ((rest >> np.uint64(2)) & np.uint64(0x3333333333333333))
    rest = (rest + (rest >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((rest * np.uint64(0x0101010101010101)) >> np.uint64(56))

def zeros_above(word):
    rest, count = np.uint64(word), 0
    while not rest >> np.uint64(63):
        rest, count = rest << np.uint64(1), count + 1
    return count

calls = {"_population_count": ones, "_leading_zeros": zeros_above}
for name, plain in calls.items():
    vars(bits)[name].make = lambda plain=plain: numba.njit(plain)
instructions.prefetch.make = lambda: numba.njit(lambda array, index: None)

from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.solver import solve_positions

found = solve_positions(np.array(json.loads(sys.argv[1]), np.uint64), BoardSize(6, 5), table_mb=1)
assert all(vars(bits)[name].py_func is plain and vars(bits)[name].signatures for name, plain in calls.items())
print(json.dumps([found.scores.tolist(), found.nodes.tolist()]))
"""


def run_code(code: str, *arguments: str, **environment: str) -> str:
    return run_python("-c", code, *arguments, env={"PYTHONPATH": os.pathsep.join(sys.path), **environment}).text


PROCESSORS = [
    ("aarch64-unknown-linux-gnu", "generic", "prfm|cnt|clz|rbit|fmla", ({"prfm", "cnt", "clz", "rbit"}, {"fmla"})),
    ("arm64-apple-darwin", "apple-m1", "prfm|cnt|clz|rbit|fmla", ({"prfm", "cnt", "clz", "rbit"}, {"fmla"})),
    ("x86_64-unknown-linux-gnu", "x86-64", "prefetcht0|popcnt|lzcnt|tzcnt|fmaf", ({"prefetcht0"}, {"fmaf"})),
]


def test_llvm_has_each_instruction_for_other_processors():
    asked = [(triple, processor, rf"\b(?:{words})\b") for triple, processor, words, _ in PROCESSORS]
    found = [set(line.split()) for line in run_code(COMPILE, json.dumps(asked)).splitlines()]
    for place, (triple, _, _, expected) in enumerate(PROCESSORS):
        assert tuple(found[place :: len(PROCESSORS)]) == expected, triple


@pytest.mark.slow
def test_the_solver_visits_the_same_nodes_with_arithmetic_in_the_place_of_instructions(tmp_path):
    positions = np.concatenate([reference.random_positions(plies, 6, 5, plies, 10) for plies in (8, 12, 16, 20)])
    here = solve_positions(positions, BoardSize(6, 5), table_mb=1)
    assert here.nodes.sum() > 1000
    printed = run_code(SOLVE, json.dumps(positions.tolist()), NUMBA_CACHE_DIR=str(tmp_path))
    assert json.loads(printed) == [here.scores.tolist(), here.nodes.tolist()]
