"""Checkpoints with something changed in them, for tests of what is refused."""

from ttt_fast.core.archive import load_archive, save_archive
from ttt_fast.values import files


def damaged(stored, form, tmp_path, change):
    """Write a stored run of a form of values again, its arrays and meta changed by a function; return the path."""
    specs = {files.VALUES_KIND: {**files.FORMS[form].arrays(stored), **files._RUN_ARRAYS}}
    archive, path = load_archive(stored, specs), tmp_path / "damaged.npz"
    arrays, meta = {name: array.copy() for name, array in archive.arrays.items()}, dict(archive.meta)
    change(arrays, meta)
    save_archive(path, files.VALUES_KIND, arrays, meta)
    return path
