"""The statistics of the studies: chances of counts, tests of samples, summaries of runs, interquartile means."""
