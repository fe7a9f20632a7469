"""Rows as tables and files, and readable reports."""

import sys


def erase_live_lines() -> None:
    """Erase the progress of long work, so that the output does not follow it on its line."""
    progress = sys.modules.get("ttt_fast.report.progress")  # not imported without a live line: rich takes time
    if progress is not None:
        progress.work_bars.close()
