"""The statistics of the studies: probabilities of counts, tests of samples, summaries of runs.

The distributions equal those of scipy to 1e-12.  They are written out, since `reproduce` runs without any extra, and
since importing `scipy.stats` takes over a second.  scipy has neither Holm's method nor the exact test of Freeman and
Halton.
"""
