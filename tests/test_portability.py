"""Systems without the calls of POSIX: where these are used, and the same results without them.

`mypy --platform win32` (.ci/lint) finds the calls that nothing guards.
"""

import ast
import os
import pickle
import re
import socket
import sys
from functools import partial
from pathlib import Path

import pytest

from cli_runner import run, run_process
from test_architecture import trees
from ttt_fast.core import archive, cache, locks, manifest
from ttt_fast.core.errors import FileWriteError
from ttt_fast.running import timing
from ttt_fast.tables import store

MODULES = set("curses fcntl grp posix pty pwd readline resource syslog termios tty".split())
CALLS = set(
    """chown chroot fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority
    getresuid getsid getuid killpg lchown lockf mkfifo mknod nice openpty pathconf posix_fadvise posix_spawn pread
    pwrite sched_getaffinity sched_setaffinity sched_yield sendfile setgid setpgid setsid setuid statvfs sysconf
    ttyname uname wait3 wait4 waitid
    SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH alarm setitimer sigwait
    pthread_kill pthread_sigmask siginterrupt AF_UNIX add_signal_handler clock_gettime""".split()
)
ASKED = {("os", "name"), ("os", "rename"), ("os", "replace"), ("sys", "platform")}
PORTABLE = {
    ("core.archive", "os.replace"): "an error in one line; the old file remains",
    ("core.cache", "getuid"): "a folder of the user is private",
    ("core.cache", "grp"): "asked only after `getuid`",
    ("core.cache", "pwd"): "asked only after `getuid`",
    ("core.cache", "os.replace"): "a warning; the code is compiled again by the next process",
    ("core.cache", "sys.platform"): "no private groups",
    ("core.locks", "fcntl"): "nothing is locked",
    ("core.locks", "sys.platform"): "nothing is locked",
    ("core.manifest", "/proc"): "a part of all memory, or 4 GB",
    ("core.manifest", "/proc/cpuinfo"): "the name from `platform`",
    ("core.manifest", "/sys/fs/cgroup"): "no limit by control groups",
    ("core.manifest", "sched_getaffinity"): "all cores",
    ("core.manifest", "sysconf"): "4 GB",
    ("core.signals", "SIGHUP"): "SIGINT and SIGTERM alone",
    ("running.timing", "getloadavg"): "no warning about other programs",
    ("tables.store", "os.replace"): "the table stays in memory",
    ("web.server.serve", "os.name"): "no SO_REUSEADDR",
    ("web.server.serve", "sys.platform"): "a browser can be opened",
    ("web.server.warming", "nice"): "the usual priority",
}
"""What happens where a call is missing or refused, by module and name."""


def uses(tree):
    """The names and paths of POSIX in a module, what it asks about the system, and the renaming of files."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                if text in CALLS or re.fullmatch(r"/(proc|sys|dev|etc|tmp)(/\w+)*", text):
                    yield text
            case ast.Import(names=names):
                yield from MODULES & {alias.name for alias in names}
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in ASKED:
                yield f"{module}.{name}"
            case ast.Attribute(attr=name) if name in CALLS:
                yield name


def test_every_call_of_posix_is_listed():
    found = {(module, name) for module, tree in trees().items() for name in uses(tree)}
    assert found == set(PORTABLE)


WITHOUT = """
import os, signal, sys
sys.modules.update(dict.fromkeys(["fcntl", "grp", "pwd"]))
del os.getuid, os.nice, os.sched_getaffinity, os.sysconf, signal.SIGHUP
from ttt_fast.cli.main import main
main()
"""


def test_commands_without_posix_give_the_same_results(tmp_path):
    digests, rows = [], []
    without = partial(run_process, program=[sys.executable, "-c", WITHOUT])
    for name, command in (("with", run), ("without", without)):
        path = tmp_path / f"{name}.npz"
        done = command("train", "-n", "50k", "-o", path, "-f", "json")
        digests.append(done.json()["rows"][0]["sha256"])
        found = command("match", path, "random", "-n", "10k", "-f", "json").json()["rows"]
        rows.append([{k: v for k, v in row.items() if k.endswith(("wins", "draws"))} for row in found])
    assert digests[0] == digests[1] and rows[0] == rows[1]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["with.npz", "without.npz"]


STOPPED = (
    WITHOUT.partition("from ttt_fast")[0]
    + """
import ttt_fast
from ttt_fast.core import signals
assert signals.ENDING == [signal.SIGTERM] and signals.HANGUP is None
before = signal.getsignal(signal.SIGTERM)
stop = lambda *_: signal.raise_signal(signal.SIGTERM)
config = ttt_fast.ContestConfig(3000, chunk_games=1000)
try:
    ttt_fast.contest("random", "random", config, threads=1, on_progress=stop)
except ttt_fast.RunInterrupted as stopped:
    assert stopped.result.rows[0]["games"] == 1000 and signal.getsignal(signal.SIGTERM) == before
    print("stopped")
"""
)


def test_a_signal_stops_a_run_without_hangups():
    done = run_process(program=[sys.executable, "-c", STOPPED])
    assert (done.code, done.text.strip()) == (0, "stopped"), done.err


def test_a_system_that_reports_nothing(tmp_path, monkeypatch):
    for name in ("getloadavg", "getuid", "sched_getaffinity", "sysconf"):
        monkeypatch.delattr(os, name, raising=False)
    assert timing.load() is None
    assert manifest.available_cores() == os.cpu_count()
    assert manifest.available_memory(tmp_path, tmp_path) == manifest.UNKNOWN_MEMORY
    monkeypatch.setattr(manifest, "Path", lambda path: tmp_path / "missing")
    assert manifest.cpu_model()
    tmp_path.chmod(0o777)
    assert cache._is_ours_alone(tmp_path)
    monkeypatch.setattr(locks, "fcntl", None)
    with locks.only_writer(tmp_path / "file"), locks.only_writer(tmp_path / "file"):
        assert list(tmp_path.iterdir()) == []


def refuse(*_, **__):
    raise PermissionError(13, "The process cannot access the file because it is being used by another process")


def test_files_that_other_processes_have_opened(tmp_path, monkeypatch, table):
    """Windows neither replaces nor removes them."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path)
    entries, old, new = cache.Entries(tmp_path, "kernel", pickle.dumps), ("old", ""), ("new", "")
    entries.save(old, 1)
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    (tmp_path / "q.npz").write_bytes(b"old")
    monkeypatch.setattr(Path, "unlink", refuse)
    entries.save(new, 2)
    assert entries.load(new) == 2
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(FileWriteError, match=r"used by another process; nothing was changed"):
        archive.write_atomically(tmp_path / "q.npz", lambda stream: stream.write(b"new"))
    assert (tmp_path / "q.npz").read_bytes() == b"old"
    assert not store.keep_table(table)
    with pytest.warns(UserWarning, match="another process"):
        entries.save(("newer", ""), 3)


def test_a_server_where_a_port_may_be_shared(monkeypatch):
    serve = pytest.importorskip("ttt_fast.web.server.serve", reason="needs the extra [web]")
    monkeypatch.setattr(os, "name", "nt")
    with serve.open_port(0) as opened:
        assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 0
    monkeypatch.setattr(sys, "platform", "win32")
    assert serve.has_display()


@pytest.mark.parametrize(
    ("encoding", "words"),
    [("ascii", ["watch", "random", "random"]), ("cp1252", ["exact", "minimax", "random"])],
)
def test_output_is_utf_8_in_any_pipe(words, encoding):
    done = run_process(*words, env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert done.code == 0 and "│" in done.text, done.err
