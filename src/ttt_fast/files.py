"""Extension point: files that are complete or absent.

Writing is atomic (a temporary file, fsync, rename).  Names, types and sizes are checked before an array is unpacked.  A
damaged file raises a `FileFormatError` with a message of one line.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.core.archive import (
        ArraySpec as ArraySpec,
        load_archive as load_archive,
        make_folder as make_folder,
        read_bytes as read_bytes,
        read_text as read_text,
        save_archive as save_archive,
        write_atomically as write_atomically,
    )
    from ttt_fast.core.frames import encode_frame as encode_frame, frame_of as frame_of
    from ttt_fast.core.manifest import environment as environment
    from ttt_fast.running.kept_work import check_output as check_output

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "core.archive": "ArraySpec load_archive make_folder read_bytes read_text save_archive write_atomically",
        "core.frames": "encode_frame frame_of",
        "core.manifest": "environment",
        "running.kept_work": "check_output",
    },
)
