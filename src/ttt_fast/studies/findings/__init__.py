"""The findings of all studies, on one page: `ttt-fast reproduce findings`."""

from ttt_fast.studies.findings.measures import run

__all__ = ["run"]
