"""What the published projects got wrong, and what is true: `ttt-fast reproduce findings`."""

from ttt_fast.studies.findings.page import run

__all__ = ["run"]
