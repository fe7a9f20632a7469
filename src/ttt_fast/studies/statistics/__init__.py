"""The statistics of the studies: probabilities of counts, tests of samples, summaries of runs, interquartile means."""
