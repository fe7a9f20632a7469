"""Connect 4 solved on the usual board and on smaller ones: `ttt-fast reproduce connect4`."""

from ttt_fast.studies.connect4.study import run

__all__ = ["run"]
