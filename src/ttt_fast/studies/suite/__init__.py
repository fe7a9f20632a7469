"""A suite of eight problems for built-in and external learners: the command `ttt-fast suite`."""

from ttt_fast.studies.suite.learners import exercise
from ttt_fast.studies.suite.study import run

__all__ = ["exercise", "run"]
