"""Progress of long work: reported inside a context, and nowhere else."""

from ttt_fast.running.api import watched_by
from ttt_fast.running.progress import report_progress


def test_progress_is_reported_in_its_context_alone():
    seen = []
    report_progress("before", 1, 2, "states")
    with watched_by(lambda *news: seen.append(news)):
        report_progress("within", 1, None, "states")
        with watched_by(lambda *news: None):
            report_progress("to another", 1, 2, "states")
        report_progress("again", 2, 2, "states")
    report_progress("after", 2, 2, "states")
    assert seen == [("within", 1, None, "states"), ("again", 2, 2, "states")]
