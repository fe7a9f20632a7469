"""Where compiled kernels are kept: the order of folders, whose they must be, and what is removed."""

import os
import pickle
import shutil
from types import SimpleNamespace

import pytest

from ttt_fast.core import cache

MONTH = 31 * 24 * 3600


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package folder that the module takes for its own; no settings of the user."""
    folder = tmp_path / "package"
    folder.mkdir()
    monkeypatch.setattr(cache, "PACKAGE", folder)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return folder


@pytest.fixture
def below_a_file(tmp_path):
    """A path at which nothing can be made, not even by root."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    return tmp_path / "file" / "folder"


def chosen():
    return cache.choose_folder("kernels", "settings")


def test_the_order_of_folders(package, below_a_file, tmp_path, monkeypatch):
    """NUMBA_CACHE_DIR, beside the package, the cache folder of the user, and that in their home."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    assert chosen().parent == tmp_path / "mine"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(below_a_file))
    assert chosen().parent == package / "__pycache__"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert chosen().parent == package / "__pycache__" and chosen().is_dir() and chosen() == chosen()
    shutil.rmtree(package / "__pycache__")
    (package / "__pycache__").write_text("", encoding="utf-8")  # read-only, even for root
    assert chosen().parent == tmp_path / "user" / "ttt_fast"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert chosen().parent == tmp_path / "home" / ".cache" / "ttt_fast"


def test_settings_that_change_the_code_change_the_name(package):
    assert cache.choose_folder("kernels", "other") != chosen()


@pytest.mark.parametrize("home", ["~/.cache", "relative", None])
def test_a_private_temporary_folder_stands_behind_them_all(package, below_a_file, tmp_path, monkeypatch, home):
    (package / "__pycache__").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", home or str(below_a_file))  # "~": no HOME and no such user
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path))
    first, second = chosen(), chosen()
    assert first.parent.parent == second.parent.parent == tmp_path and first != second
    assert first.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("place", ["folder", "parent"])
def test_a_folder_that_others_can_write_to_is_passed_over(package, tmp_path, monkeypatch, place):
    """What stands in the cache is unpickled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "open"))
    folder = chosen()
    assert folder.parent == tmp_path / "open" and folder.stat().st_mode & 0o077 == 0
    (folder if place == "folder" else folder.parent).chmod(0o777)
    assert chosen().parent == package / "__pycache__"


@pytest.mark.parametrize("place", ["folder", "parent"])
@pytest.mark.parametrize(
    ("name", "members", "number", "is_taken"),
    [
        ("me", [], 500, True),
        ("me", ["me"], 500, True),
        ("me", ["me", "you"], 500, False),
        ("users", [], 500, False),
        ("me", [], 501, False),
        (None, [], 500, False),
    ],
)
def test_a_folder_that_a_group_can_write_to_is_passed_over_unless_the_group_is_private(
    package, tmp_path, monkeypatch, place, name, members, number, is_taken
):
    """Systems with a group for each user have a umask of 002."""

    def group_of(_):
        if name is None:
            raise KeyError
        return SimpleNamespace(gr_name=name, gr_mem=members)

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "open"))
    folder = chosen()
    changed = folder if place == "folder" else folder.parent
    group = changed.stat().st_gid
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_name="me", pw_gid=group + number - 500))
    monkeypatch.setattr("grp.getgrgid", group_of)
    changed.chmod(0o770)
    assert chosen().parent == (tmp_path / "open" if is_taken else package / "__pycache__")


def test_a_sticky_parent_protects_what_is_in_it(package, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "open"))
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o1777)
    monkeypatch.setattr(cache, "_is_private", lambda described: False)
    assert chosen().parent == tmp_path / "open"


@pytest.mark.parametrize("place", ["folder", "parent"])
def test_a_folder_of_somebody_else_is_passed_over(package, tmp_path, monkeypatch, place):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "theirs"))
    folder = chosen()
    theirs = folder if place == "folder" else folder.parent
    if os.getuid() == 0:
        os.chown(theirs, 12345, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        (package / "__pycache__").write_text("", encoding="utf-8")
    assert chosen() != folder


def old_folder(parent, name, marker='{"made_by": "ttt_fast"}'):
    folder = parent / name
    folder.mkdir(parents=True)
    if marker is not None:
        (folder / "ttt_fast.json").write_text(marker, encoding="utf-8")
        before = (folder / "ttt_fast.json").stat().st_mtime - MONTH
        os.utime(folder / "ttt_fast.json", (before, before))
    return folder


def test_only_old_folders_of_our_own_making_are_removed(package):
    parent = package / "__pycache__"
    stale = old_folder(parent, "kernels-0123456789abcdef")
    kept = [
        old_folder(parent, "kernels-fedcba9876543210", marker=None),  # whoever made it, we did not
        old_folder(parent, "kernels-0000000000000000", marker='{"made_by": "others"}'),
        old_folder(parent, "kernels-1111111111111111", marker="damaged"),
        old_folder(parent, "kernels-old"),
        old_folder(parent, "kernels-0123456789abcdef0"),
    ]
    used = old_folder(parent, "kernels-2222222222222222")
    (used / "ttt_fast.json").touch()  # as each process does that opens it
    chosen()
    assert not stale.exists() and all(folder.is_dir() for folder in [*kept, used])


def test_a_folder_in_use_is_as_young_as_its_last_use(package):
    folder = chosen()
    os.utime(folder / "ttt_fast.json", (0, 0))
    assert chosen() == folder and (folder / "ttt_fast.json").stat().st_mtime > MONTH


def write(folder, **sources):
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    for remembered in (cache._source, cache.reached_modules, cache.modules_of, cache.sources_digest):
        remembered.cache_clear()


@pytest.fixture
def sources(package):
    write(
        package,
        one="from ttt_fast import two\nfirst = 1\n",
        two="from ttt_fast.three import (  # why\n    x,\n)\n\n\ndef late():\n    from ttt_fast.five import y\n",
        three="x = 1\n",
        five="y = 2\n",
        four="from ttt_fast.one import first\n",
    )
    yield package
    write(package)
    shutil.rmtree(package)


def test_what_a_module_reaches(sources):
    assert cache.reached_modules("one") == {"one", "two", "three"}
    assert cache.reached_modules("three") == {"three"}


@pytest.mark.parametrize(
    ("edited", "changes"), [("one", True), ("two", True), ("three", True), ("four", False), ("five", False)]
)
def test_only_an_edit_within_reach_changes_the_digest(sources, edited, changes):
    before = cache.sources_digest(str(sources / "one.py"))
    path = sources / f"{edited}.py"
    write(sources, **{edited: (path.read_text(encoding="utf-8") if path.exists() else "") + "# a word\n"})
    assert (cache.sources_digest(str(sources / "one.py")) != before) == changes


def test_a_file_outside_depends_on_itself_and_on_what_it_imports(sources, tmp_path):
    outside = tmp_path / "game.py"
    outside.write_text("from ttt_fast.three import x\n", encoding="utf-8")
    before = cache.sources_digest(str(outside))
    write(sources, three="x = 2\n")
    second = cache.sources_digest(str(outside))
    outside.write_text("from ttt_fast.three import x\ny = x\n", encoding="utf-8")
    write(sources)
    assert len({before, second, cache.sources_digest(str(outside))}) == 3


def entries(folder, name="games.<locals>.kernel"):
    return cache.Entries(folder, name, pickle.dumps)


def test_an_entry_is_found_by_its_key_alone(tmp_path):
    kept = entries(tmp_path)
    for key in (("sources", ["int64"]), ("sources", ["float64"]), ("others", ["int64"])):
        kept.save(key, {"code of": key})
    assert entries(tmp_path).load(("sources", ["int64"])) == {"code of": ("sources", ["int64"])}
    assert kept.load(("sources", ["int32"])) is None
    assert entries(tmp_path, "kernel-2").load(("sources", ["int64"])) is None
    assert len(list(tmp_path.iterdir())) == 3  # no temporary file is left
    kept.flush()
    assert kept.load(("sources", ["int64"])) is None and not list(tmp_path.iterdir())


@pytest.mark.parametrize("damaged", [b"", b"\x80", b"cttt_fast.core.cache\nGone\n.", b"cttt_fast.gone\nA\n."])
def test_a_damaged_entry_and_one_of_types_that_have_moved_are_as_good_as_none(tmp_path, damaged):
    kept = entries(tmp_path)
    kept.save(("sources", "key"), 1)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damaged)
    assert kept.load(("sources", "key")) is None
    kept.save(("sources", "key"), 2)
    assert kept.load(("sources", "key")) == 2


def test_code_of_other_sources_goes_when_it_was_not_used_for_a_day(tmp_path):
    kept = entries(tmp_path)
    for sources in ("old", "used", "new"):
        kept.save((sources, "key"), sources)
        for path in tmp_path.iterdir():
            os.utime(path, (0, 0))
        kept.load(("used", "key"))  # which is a use
    entries(tmp_path, "other").save(("new", "key"), 1)
    assert kept.load(("old", "key")) is None  # when "new" was saved
    kept.save(("new", "second key"), 2)
    found = [kept.load((sources, "key")) for sources in ("used", "new")]
    assert found == ["used", "new"] and entries(tmp_path, "other").load(("new", "key")) == 1
