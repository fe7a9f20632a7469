"""A dask cluster of two processes on this machine, one of which is to be lost."""

import os
import signal
from contextlib import closing, contextmanager

from ttt_fast.running.api import DaskExecutor


@contextmanager
def losing_a_worker():
    """Yield a pool of two processes, and what kills one of them when it is first called."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        closing(DaskExecutor(cluster.scheduler_address)) as pool,
    ):
        with distributed.Client(cluster) as client:
            victims = list(client.run(os.getpid).values())[:1]

        def kill() -> None:
            if victims:
                os.kill(victims.pop(), signal.SIGKILL)

        yield pool, kill
    assert victims == []
