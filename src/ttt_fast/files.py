"""Extension point: files that are complete or absent.

Writing is atomic (a temporary file, fsync, rename); reading checks names, types and sizes before it unpacks, and
reports a damaged file in one line (`FileFormatError`).
"""

from ttt_fast.core.archive import load_archive, make_folder, read_bytes, read_meta, save_archive, write_atomically
from ttt_fast.core.frames import encode_frame
from ttt_fast.core.manifest import environment

__all__ = [
    "encode_frame",
    "environment",
    "load_archive",
    "make_folder",
    "read_bytes",
    "read_meta",
    "save_archive",
    "write_atomically",
]
