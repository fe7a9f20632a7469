"""User-supplied objects: loaded by name, and their errors in one line."""

import sys

import pytest

from ttt_fast import TttFastError, UsageError
from ttt_fast.core.external import error_line, load_object


def test_objects_are_loaded_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "named_here.py").write_text("class A:\n    b = 5\n")
    assert load_object("python:named_here:A.b") == 5
    for wrong, reason in {
        "python:named_here": "expected an agent as python:MODULE:NAME, got 'python:named_here'",
        "named_here:A": "expected an agent as python:MODULE:NAME",
        "python:named_here:c": "cannot load an agent 'python:named_here:c': AttributeError",
        "python:nothing_here:c": "cannot load an agent 'python:nothing_here:c': ModuleNotFoundError",
    }.items():
        with pytest.raises(UsageError, match=reason):
            load_object(wrong)
    sys.modules.pop("named_here")


def test_errors_are_one_line():
    assert error_line(ValueError("one\ntwo")) == "ValueError: one"
    assert error_line(TttFastError("expected this")) == "expected this"
    assert error_line(TttFastError("")) == ""
