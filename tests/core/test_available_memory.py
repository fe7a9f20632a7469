"""The memory that a process may still take: the system's word, and the limits of its control groups."""

import os

import pytest

from ttt_fast.core import manifest

MEGABYTE = 1 << 20
MEMINFO = "MemTotal:       8192000 kB\nMemFree:         100 kB\nMemAvailable:    4096000 kB\n"
OLD = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
NEW = ("memory.max", "memory.current", "inactive_file")


@pytest.fixture
def machine(tmp_path):
    """A machine with 4,000 MB available; `group` makes a control group, and says who is in it."""

    class Machine:
        system, groups = tmp_path / "proc", tmp_path / "cgroup"

        def available(self):
            return manifest.available_memory(self.system, self.groups)

        def tell(self, *lines):
            (self.system / "self" / "cgroup").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

        def group(self, path, names, limit, used, idle=0):
            folder = self.groups / path
            folder.mkdir(parents=True, exist_ok=True)
            (folder / names[0]).write_text(f"{limit}\n", encoding="ascii")
            (folder / names[1]).write_text(f"{used}\n", encoding="ascii")
            (folder / "memory.stat").write_text(f"cache 7\n{names[2]} {idle}\nother 5\n", encoding="ascii")

    found = Machine()
    (found.system / "self").mkdir(parents=True)
    (found.system / "meminfo").write_text(MEMINFO, encoding="ascii")
    return found


def test_what_the_system_calls_available(machine):
    assert machine.available() == 4000 * MEGABYTE
    machine.tell("0::/user.slice", "garbage")
    assert machine.available() == 4000 * MEGABYTE


@pytest.mark.parametrize(("names", "line", "top"), [(NEW, "0::/{}", ""), (OLD, "4:cpu,memory:/{}", "memory/")])
def test_a_control_group_leaves_less(machine, names, line, top):
    machine.tell("9:pids:/elsewhere", line.format("outer/inner"))
    machine.group(f"{top}outer/inner", names, 1000 * MEGABYTE, 300 * MEGABYTE, idle=100 * MEGABYTE)
    assert machine.available() == 800 * MEGABYTE
    machine.group(f"{top}outer", names, 2000 * MEGABYTE, 1500 * MEGABYTE)  # shared with others
    assert machine.available() == 500 * MEGABYTE
    machine.group(f"{top}outer", names, 2000 * MEGABYTE, 2100 * MEGABYTE)
    assert machine.available() == 0


def test_groups_without_a_limit_and_of_other_kinds_say_nothing(machine):
    machine.tell("0::/outer", "3:cpu:/outer", "2:memory:/outer")
    machine.group("outer", NEW, "max", MEGABYTE)
    machine.group("memory/outer", OLD, 9223372036854771712, MEGABYTE)
    machine.group("cpu/outer", OLD, MEGABYTE, 0)
    assert machine.available() == 4000 * MEGABYTE
    machine.group("", NEW, 64 * MEGABYTE, 0)  # inside a container its own group stands at the top
    assert machine.available() == 64 * MEGABYTE


def test_systems_that_tell_less(machine, monkeypatch):
    (machine.system / "meminfo").unlink()
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__)
    assert machine.available() == 2_048_000
    monkeypatch.delattr(os, "sysconf")
    assert machine.available() == manifest.UNKNOWN_MEMORY == 4 << 30
