"""Straightforward kernels: baselines of the benchmarks, and what tests hold the fast ones against.

Their kernels call those of the package, but none in another file of this folder: the kernel cache would not see an
edit there.
"""
