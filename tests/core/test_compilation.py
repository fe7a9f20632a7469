"""The text about the kernel that is being compiled."""

from ttt_fast.core.compilation import Compiling


def test_kernels_are_counted_and_those_within_another_are_not():
    seen, compiling = [], Compiling()
    compiling.begin()  # nobody watches
    compiling.end()
    with compiling.watched_by(seen.append):
        compiling.begin()
        compiling.begin()
        compiling.end()
        assert seen == ["compiling kernel 2, once"]
        compiling.end()
        compiling.begin()
        compiling.end()
    assert seen == ["compiling kernel 2, once", "", "compiling kernel 3, once", ""]
