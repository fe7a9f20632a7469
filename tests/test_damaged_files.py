"""Damaged, truncated, foreign and newer files of every format: one line names the file, which stays as it is."""

import io
import json
import pickle
import random
import signal
import tracemalloc
import zipfile
from contextlib import suppress
from dataclasses import replace
from itertools import cycle

import numpy as np
import polars as pl
import pytest

import ttt_fast
from cli_runner import run
from ttt_fast import (
    ContestConfig,
    FileFormatError,
    TrainingConfig,
    TrainingRun,
    as_policy,
    contest,
    save_policy,
    table_of,
    train,
)
from ttt_fast.core.archive import load_arrays
from ttt_fast.files import check_output, encode_frame
from ttt_fast.learners import start_training
from ttt_fast.policies.files import POLICY_SUFFIXES
from ttt_fast.tables.state_table import boards_of

TABLE = table_of("tic-tac-toe")
BOARDS = boards_of(TABLE)
AGENT_ROWS = {
    "".join(map(str, BOARDS[state])): {
        (int(cell) // 3, int(cell) % 3): 0.5 for cell in np.flatnonzero(BOARDS[state] == 0)
    }
    for state in np.flatnonzero(TABLE.ply < 2)
}
COUNTED = ContestConfig(4000, chunk_games=1000, seats="both")
RUNS = {
    "edges": {"episodes": 2000, "opponent": "self"},
    "hashed": {"game": "connect4", "episodes": 150, "algorithm": "afterstate", "judges": ""},
    "network": {"episodes": 400, "algorithm": "dqn", "hidden": "8", "replay": 50, "warm_up": 20},
    "two heads": {"episodes": 40, "algorithm": "alphazero", "hidden": "8", "replay": 2, "updates": 3, "minibatch": 4},
    "n-tuples": {"game": "connect4", "episodes": 100, "algorithm": "td", "tuples": 3, "tuple_cells": 4, "judges": ""},
}


def half_run(path, **settings):
    """Save a run that is interrupted after its first chunk, with the arrays from which it continues."""
    config = TrainingConfig(**settings, chunk_episodes=settings["episodes"] // 2, evaluations=1)
    train(start_training(config), checkpoint=path, on_chunk=lambda *_: signal.raise_signal(signal.SIGINT),
          on_interrupt="return")  # fmt: skip


def half_run_of_ultimate(path):
    """Save what a run of td on Ultimate has after its first chunk, with the network as it was drawn: no training."""
    config = TrainingConfig(game="ultimate", episodes=64, chunk_episodes=32, algorithm="td", judges="")
    begun = start_training(config)
    moments = np.zeros_like(begun.values.parameters)
    values = replace(begun.values, memory=(moments, moments, np.ones(2)))
    begun._replace(values=values, counts=np.array([32, 0, 0]), chunks_done=1).save(path)


def policy_in(path):
    policy = as_policy(str(path))
    return policy.probabilities.tobytes(), policy.held.tobytes()


def run_in(path):
    found = TrainingRun.load(path)
    return found.sha256(), found.history.tobytes(), found.counts.tolist()


def counts_in(path):
    return [[row[name] for name in ("x_wins", "draws", "o_wins")] for row in
            contest("random", "minimax", COUNTED, resume_from=path).rows]  # fmt: skip


def judged(path):
    """What a strict review finds."""
    ran = run("review", "--strict", path, "-f", "csv")
    if ran.code:
        raise FileFormatError(f"{path}: " + ran.err.replace("\n", " ")[:300])
    return ran.out


def printed(*words):
    def read(path):
        ran = run(*words, path)
        if ran.code:
            raise FileFormatError(ran.err.removeprefix("ttt-fast: ").removesuffix("\n"))
        return ran.out

    return read


FRAME = pl.DataFrame({"episodes": range(500), "wins": [n / 7 for n in range(500)]})
FORMATS = {
    "policy.npz": (lambda path: save_policy(path, as_policy("minimax")), policy_in),
    "base3.txt": (lambda path: save_policy(path, as_policy("heuribot")), policy_in),
    "langan.dat": (lambda path: save_policy(path, as_policy("heuribot")), policy_in),
    "rows.pkl": (lambda path: path.write_bytes(pickle.dumps(AGENT_ROWS)), policy_in),
    "afterstates.pickle": (
        lambda path: path.write_bytes(pickle.dumps({str(board): 0.25 for board in BOARDS[TABLE.ply == 1]})), policy_in
    ),
    **{f"{form}.npz": (lambda path, form=form: half_run(path, **RUNS[form]), run_in) for form in RUNS},
    "ultimate.npz": (half_run_of_ultimate, run_in),
    "table of a run.npz": (lambda path: half_run(path, **RUNS["edges"]), policy_in),
    "network of a run.npz": (lambda path: half_run(path, **RUNS["network"]), policy_in),
    "counts.npz": (lambda path: contest("random", "minimax", COUNTED, save_to=path), counts_in),
    "games.jsonl": (
        lambda path: contest("random", "default", ContestConfig(6, openings="random:1"), save_to=path),
        judged,
    ),
    "curve.parquet": (lambda path: path.write_bytes(encode_frame(FRAME, "parquet")), printed("plot")),
    "rows.json": (lambda path: path.write_text(json.dumps({"rows": FRAME.to_dicts()})), printed("plot")),
}  # fmt: skip
"""Each format: a function that writes a good file, and one that reads a file by a public function or a command."""
CHECKED = {name for name in FORMATS if name.endswith((".npz", ".parquet"))}
"""Formats with checksums: their damage is noticed, or changes nothing."""
LINES = {"games.jsonl"}
"""Formats of lines: a file that is cut is a shorter file."""


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The bytes of a good file of each format, and what is read in it; both are made at first use."""
    folder, known = tmp_path_factory.mktemp("good"), {}

    def original(name):
        if name not in known:
            write, read = FORMATS[name]
            write(folder / name)
            known[name] = (folder / name).read_bytes(), read(folder / name)
        return known[name]

    return original


def attempt(name, path, content):
    """Read content as a format: what is found, or None if one line refuses it, and the file stays as it is."""
    path.write_bytes(content)
    found = None
    try:
        found = FORMATS[name][1](path)
    except FileFormatError as error:
        assert "\n" not in str(error) and str(path) in str(error) and len(str(error)) < 600
        assert path.read_bytes() == content
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return found


def places(size, count, seed):
    """Places in a file: its beginning, its end, and some between."""
    between = random.Random(seed).sample(range(size), min(count, size))
    return sorted({*range(min(12, size)), *range(max(0, size - 8), size), *between})


@pytest.mark.parametrize("name", FORMATS)
def test_a_truncated_file_is_refused(tmp_path, originals, name):
    content, _ = originals(name)
    for length in places(len(content), 8, 1):
        whole = name == "base3.txt" and length == len(content) - 1  # all but the last end of line
        found = attempt(name, tmp_path / name, content[:length])
        assert found is None or whole or (name in LINES and length > 100), length


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_with_a_flipped_bit_is_refused_or_harmless(tmp_path, originals, name, capfd):
    content, whole = originals(name)
    generator, refused = random.Random(2), 0
    tried = places(len(content), 10, 3)
    for place in tried:
        damaged = content[:place] + bytes([content[place] ^ 1 << generator.randrange(8)]) + content[place + 1 :]
        found = attempt(name, tmp_path / name, damaged)
        refused += found is None
        assert found in (None, whole) or name not in CHECKED, place
    assert name not in CHECKED or refused > len(tried) / 5
    assert capfd.readouterr().err == ""


AFTER = [b"\0", b"junk", bytes(200), b"PK\x05\x06" + bytes(18)]


@pytest.mark.parametrize(("name", "extra"), list(zip(FORMATS, cycle(AFTER))))
def test_a_file_with_something_after_its_end_is_refused_or_the_same(tmp_path, originals, name, extra):
    content, whole = originals(name)
    assert attempt(name, tmp_path / name, content + extra) in (None, whole)


class RunsCode:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was run')",))


def zipped(**arrays):
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=True, **arrays)
    return stream.getvalue()


FOREIGN = {
    "nothing": b"",
    "a zero": b"\0",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "a page": b"<html>\n</html>\n",
    "the beginning of a zip file": b"PK\x03\x04",
    "an empty zip file": b"PK\x05\x06" + bytes(18),
    "arrays of numpy": zipped(a=np.arange(3)),
    "a description of numbers": zipped(meta=np.arange(3)),
    "a description that is no JSON": zipped(meta=np.array("x")),
    "a deep description": zipped(meta=np.array("[" * 100_000)),
    "a description of another program": zipped(meta=np.array('{"format": "other"}')),
    "an object": zipped(meta=np.array(RunsCode(), object)),
    "a pickle": pickle.dumps(RunsCode()),
    "noise": random.Random(4).randbytes(1000),
    "words": "naïve ٣ .".encode(),
    "games of a newer version": b'{"schema": "ttt-fast/games/2", "config": {}}\n',
    "parquet": b"PAR1",
}


@pytest.mark.parametrize("suffix", [*sorted({*FORMATS, *POLICY_SUFFIXES}), "p", "p.bin"])
def test_files_of_other_programs_are_refused(tmp_path, suffix):
    name = suffix if suffix in FORMATS else "policy.npz"
    for what, content in FOREIGN.items():
        assert attempt(name, tmp_path / f"x{suffix}", content) is None, what


@pytest.mark.parametrize("name", FORMATS)
def test_missing_files_folders_and_impossible_names_are_one_line(tmp_path, name):
    _, read = FORMATS[name]
    (tmp_path / name).mkdir()
    for path in (tmp_path / name, tmp_path / f"missing {name}", f"a\0b{name}"):
        with pytest.raises(ttt_fast.TttFastError, match=r"^[^\n]*$"):
            read(path)


def rewritten(content, change, *, hashed=False):
    """The bytes of a `.npz` file whose arrays and description were changed by a function, with new checksums."""
    with np.load(io.BytesIO(content)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    meta = json.loads(str(arrays.pop("meta")))
    change(arrays, meta)
    if not hashed:  # as in a file of version 1.0
        arrays.pop("hashes")
    return zipped(meta=np.array(json.dumps(meta)), **arrays)


@pytest.mark.parametrize("name", sorted(name for name in FORMATS if name.endswith(".npz")))
def test_every_changed_number_and_entry_is_refused_at_every_reading(tmp_path, originals, name):
    content, whole = originals(name)
    assert attempt(name, tmp_path / name, rewritten(content, lambda arrays, meta: None)) == whole
    with np.load(io.BytesIO(content)) as stored:
        changed = [of(one, lambda array: array ^ 1 if array.dtype.kind in "biu" else array + 1) for one in stored.files
                   if one not in ("meta", "hashes") and stored[one].size]  # fmt: skip
    changed += [told(chunks_done=7), told(tie="other"), told(seconds=1.5), lambda arrays, meta: meta.pop("kind", "")]
    for change in changed:
        path = tmp_path / name
        path.write_bytes(rewritten(content, change, hashed=True))
        with pytest.raises(FileFormatError, match=r"^[^\n]*$"):
            FORMATS[name][1](path)


@pytest.mark.parametrize("name", sorted(name for name in FORMATS if name.endswith(".npz")))
def test_a_newer_file_says_so(tmp_path, originals, name):
    path = tmp_path / name
    path.write_bytes(rewritten(originals(name)[0], lambda arrays, meta: meta.update(version=2)))
    with pytest.raises(FileFormatError, match=r"written by a newer ttt-fast \(file version 2.*upgrade"):
        FORMATS[name][1](path)


def of(array, change):
    """A change of an array of a file."""
    return lambda arrays, meta: arrays.update({array: change(arrays[array])})


def at(array, place, value):
    def change(arrays, meta):
        arrays[array][place] = value

    return change


def told(**values):
    """A change of the description of a file."""
    return lambda arrays, meta: meta.update(values)


def setting(**values):
    return lambda arrays, meta: meta["config"].update(values)


MISFITS = {
    "policy.npz": {
        "a probability": (at("probabilities", 0, 0.9), ""), "no number": (at("probabilities", 0, np.nan), ""),
        "a negative weight": (at("weights", 0, -1), ""), "other weights": (at("weights", 0, 2), ""),
        "few weights": (of("weights", lambda array: array[:9]), ""), "another type": (of("held", np.int64), "int64"),
        "no states": (lambda arrays, meta: arrays.pop("held"), "'held'"), "another table": (told(table="0"), ""),
        "another game": (told(game="connect4", table=""), ""), "a strange game": (told(game=["\n"] * 3, table=""), ""),
        "another kind": (told(kind="match"), "expected a file of kind 'policy' or 'q_table', got 'match'"),
        "no kind": (told(kind=["policy"]), "another program"), "no version": (told(version="1"), "another program"),
    },
    "edges.npz": {
        "no number": (at("tables", 0, np.inf), "finite"), "other values": (of("tables", lambda a: a + 1), "hash"),
        "chunks": (told(chunks_done=27), "chunks"), "no chunks": (told(chunks_done="many"), ""),
        "no time": (told(seconds=float("nan")), "seconds"), "another hash": (told(sha256="0" * 64), "hash"),
        "no settings": (told(config={}), ""), "settings": (setting(epsilon=2.0), "epsilon"),
        "a seat": (setting(seat="z"), "seat"), "another form": (told(form="strange"), "as the form of learned values"),
        "a larger game": (lambda arrays, meta: (
            told(game="tic-tac-toe:rows=4,columns=4")(arrays, meta),
            setting(game="tic-tac-toe:rows=4,columns=4", exact=True)(arrays, meta)), "states"),
        "a policy": (told(kind="policy"), "expected a file of kind 'q_table', got 'policy'"),
    },
    "table of a run.npz": {
        "no number": (at("q_table", 3, np.nan), "finite"), "few numbers": (of("q_table", lambda array: array[:9]), ""),
    },
    "hashed.npz": {
        "a key twice": (at("steps", 1, 0), "keys"), "no number": (at("values", 0, np.nan), "finite"),
        "other values": (of("values", lambda array: array + 1), "hash"),
        "no visits": (of("visits", np.zeros_like), "visits"), "games": (of("counts", lambda a: a + 1), "counts"),
        "two values": (of("values", lambda array: np.hstack([array, array])), "shapes"),
        "no history": (of("history", lambda array: array[:, :0]), "history"),
        "an unknown game": (setting(game="chess"), "chess"),
    },
    "network.npz": {
        "no number": (at("weights", 0, np.nan), "weight"), "another weight": (of("weights", lambda w: w + 1), "hash"),
        "few weights": (of("weights", lambda array: array[:-16]), "weights"),
        "no number in the run": (at("run_online", 0, np.nan), "state of the run is not finite"),
        "another buffer": (of("run_words", lambda array: array[:-1]), "run_words"),
        "other sizes": (told(sizes=[9, 32, 9]), "weights"), "no sizes": (told(sizes=None), "damaged"),
        "no dictionary": (told(run_arrays=[1, 2]), "arrays of the run"),
        "no arrays": (told(run_arrays={}), "arrays of the run"),
    },
    "two heads.npz": {
        "no number": (at("weights", 0, np.nan), "weight"),
        "no number in the buffer": (at("run_policies", 0, np.nan), "state of the run is not finite"),
        "another buffer": (of("run_counts", lambda array: array[:-1]), "run_counts"),
        "one output": (told(sizes=[18, 8, 8]), "weights"),
    },
    "n-tuples.npz": {
        "a weight": (at("weights", 3, 7), "hash"), "an index twice": (at("steps", 3, 0), "indices of the weights"),
        "a large index": (at("steps", 3, 2**31), "indices of the weights"),
        "few weights": (of("weights", lambda array: array[1:]), "shapes"), "no tuples": (told(tuples=None), "tuples"),
        "another game": (told(game="ultimate"), "expected connect4"),
        "no number": (setting(tuples=0), "tuples to be a whole number"),
    },
    "ultimate.npz": {
        "a layer": (at("layers", (0, 3), 7), "hash of the parameters"),
        "a parameter": (at("parameters", 3, 0.5), "parameters of the run"),
        "a large parameter": (at("parameters", 3, 1e38), "16 bits"),
        "no number": (at("first_moments", 3, np.nan), "not finite"), "no game": (told(games=[]), ""),
        "a game": (told(games=["connect4"]), "hash or game"),
        "another game": (told(games=["ultimate:tie=boards"]), "values of another game"),
        "no run": (told(goes_on=False), "arrays of the run"),
        "no powers": (lambda arrays, meta: arrays.pop("powers"), "'powers'"),
    },
    "counts.npz": {"sums": (at("counts", (1, -1), 9), "other sums"), "chunks": (at("chunks_done", 0, 1), "other sums")},
}  # fmt: skip
"""For each format: changes of files that are whole as files, each with words of the message."""


@pytest.mark.parametrize(("name", "what"), [(name, what) for name, changes in MISFITS.items() for what in changes])
def test_content_that_does_not_fit_is_one_line(tmp_path, originals, name, what):
    change, words = MISFITS[name][what]
    path = tmp_path / name
    path.write_bytes(rewritten(originals(name)[0], change))
    with pytest.raises(FileFormatError, match=rf"^[^\n]*{words}[^\n]*$") as caught:
        FORMATS[name][1](path)
    assert str(path) in str(caught.value)


def test_an_array_that_claims_more_than_it_holds_is_refused(tmp_path, originals):
    """Sizes are compared before memory is taken: 10 TB, which no machine has."""
    content, _ = originals("policy.npz")
    size = f"({TABLE.num_edges},), }}".encode()
    assert size in content
    assert (
        attempt("policy.npz", tmp_path / "p.npz", content.replace(size, size.replace(b",), }", b"0" * 8 + b",), }")))
        is None
    )


def with_numbers(value, number):
    """Yield copies of a JSON value in which one number is another."""
    if type(value) in (int, float):
        yield number
    for place in value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0):
        for changed in with_numbers(value[place], number):
            copied = value.copy()
            copied[place] = changed
            yield copied


WITH_NUMBERS = sorted(name for name in FORMATS if name.endswith((".npz", ".jsonl", ".json")))
LARGE = {"huge": 10**400, "infinite": float("inf"), "low": -(2**63) - 1, "high": 2**64}


@pytest.mark.parametrize(("name", "number"), list(zip(WITH_NUMBERS, cycle(LARGE))))
def test_a_number_beyond_every_type_is_one_line_or_harmless(tmp_path, originals, name, number):
    content, _ = originals(name)
    if name.endswith(".npz"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            meta = json.loads(str(np.load(io.BytesIO(archive.read("meta.npy")))))
        for new in with_numbers(meta, LARGE[number]):
            changed = rewritten(content, lambda _, old, new=new: (old.clear(), old.update(new)))
            with suppress(ttt_fast.UsageError):  # a file of another contest, or a longer run
                attempt(name, tmp_path / name, changed)
                check_output(tmp_path / name)
    else:
        lines = [json.loads(line) for line in content.splitlines()[:2]]
        lines = [{"rows": lines[0]["rows"][:2]}] if name == "rows.json" else lines
        for changed in with_numbers(lines, LARGE[number]):
            attempt(name, tmp_path / name, "".join(json.dumps(line) + "\n" for line in changed).encode())


def bomb(content):
    """A copy of a `.npz` file in which the first array has 32 MB of zeros that are packed into some kilobytes."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = min(members.keys() - {"meta.npy"})
    array = np.load(io.BytesIO(members[name]))
    row = array.itemsize * max(1, int(np.prod(array.shape[1:])))
    large, stream = io.BytesIO(), io.BytesIO()
    np.save(large, np.zeros((2**25 // row, *array.shape[1:]), array.dtype))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for one, member in {**members, name: large.getvalue()}.items():
            archive.writestr(one, member)
    return stream.getvalue()


@pytest.mark.parametrize("name", sorted(name for name in FORMATS if name.endswith(".npz")))
def test_what_is_not_of_the_size_that_the_file_describes_is_never_unpacked(tmp_path, originals, name):
    content = bomb(originals(name)[0])
    tracemalloc.start()
    found = attempt(name, tmp_path / name, content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**24
    assert found is None or name in ("table of a run.npz", "network of a run.npz")  # an array of the run, not read


def test_an_array_is_held_in_memory_once(tmp_path):
    values = np.random.default_rng(1).random(2**20)
    np.savez_compressed(tmp_path / "large.npz", values)
    tracemalloc.start()
    assert np.array_equal(load_arrays(tmp_path / "large.npz")["arr_0"], values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * values.nbytes
