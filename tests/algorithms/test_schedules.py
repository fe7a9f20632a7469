"""Schedules: the values that the published programs would have, and the texts that the parser takes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from conftest import examples
from ttt_fast import TrainingConfig, UsageError
from ttt_fast.algorithms.schedules import (
    SHAPES,
    VISITS,
    _power_in_python,
    _powers,
    check_range,
    parse_schedule,
)
from ttt_fast.core.jit import load, run_plain

COUNTS = {name: len(shape.numbers) for name, shape in SHAPES.items()}
NUMBER = st.sampled_from(["0", "1", "0.5", "1e-6", ".05", "3.", "-1", "1e300", "1e-300", "1e999"]) | st.floats(
    allow_nan=False, allow_infinity=False
).map(repr)
SPELLED = st.one_of(
    [
        st.lists(NUMBER, min_size=count, max_size=count).map(lambda numbers, name=name: f"{name}:{','.join(numbers)}")
        for name, count in COUNTS.items()
    ]
)
TEXT = st.text() | st.text("0123456789.,:-+e svntp", max_size=12) | SPELLED | NUMBER


# --- The published programs, as loops.


def test_sai_subtracts_before_every_game():
    """Listing of `train`: `update_epsilon(i)` stands before game i, and takes 0.000001 * i off what is left."""
    schedule, epsilon = parse_schedule("cumulative:0.9,1e-6,0.3"), 0.9
    values = schedule.values(0, 3000, 5_000_000)
    for i in range(3000):
        epsilon = max(0.3, epsilon - 0.000001 * i)
        assert values[i] == pytest.approx(epsilon, abs=1e-12)
    assert np.flatnonzero(values == 0.3)[0] == 1095


@pytest.mark.parametrize("total", [2700, 10_000, 54_321, 27])
def test_smirnov_multiplies_the_step_size_a_hundred_times(total):
    """By 0.9 whenever another hundredth of the run is over."""
    values, alpha, over = parse_schedule("steps:1,0.9,100").values(0, total, total), 1.0, 0
    expected = []
    for i in range(total):
        while (over + 1) * total <= 100 * i:
            alpha *= 0.9
            over += 1
        expected.append(alpha)
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=0)
    assert parse_schedule("steps:1,0.9,100").value(total, total) == pytest.approx(0.9**100)


@pytest.mark.parametrize("total", [2700, 27_000, 54_321, 28])
def test_smirnov_lowers_epsilon_nine_times_in_a_third_of_the_run(total):
    values, epsilon, taken = parse_schedule(f"stairs:1,0.1,9,{1 / 3!r}").values(0, total, total), 1.0, 0
    expected = []
    for i in range(total):
        while taken < 9 and (taken + 1) * total <= 27 * i:
            epsilon -= 0.1
            taken += 1
        expected.append(epsilon)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    assert values[-1] == pytest.approx(0.1)
    assert len(np.unique(values)) == 10


def test_hensler_multiplies_after_every_game():
    values, epsilon = parse_schedule("exponential:0.9,0.99995,0.05").values(0, 100_000, 100_000), 0.9
    expected = []
    for _ in range(100_000):
        expected.append(epsilon)
        epsilon = max(0.05, epsilon * 0.99995)
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=0)
    assert np.flatnonzero(values == 0.05)[0] == 57_806


@pytest.mark.parametrize(("start", "end", "total"), [(0.5, 0.001, 1000), (1.0, 1e-3, 7), (0.1, 0.9, 50)])
def test_geometric_has_one_factor(start, end, total):
    values, value = parse_schedule(f"geometric:{start},{end}").values(0, total + 1, total), start
    for i in range(total + 1):
        assert values[i] == pytest.approx(value, rel=1e-9)
        value *= (end / start) ** (1 / total)
    assert values[-1] == pytest.approx(end)


@pytest.mark.parametrize(("fraction", "total"), [(1.0, 100), (0.25, 100), (0.3, 7), (2.0, 10)])
def test_linear_is_a_straight_line(fraction, total):
    values = parse_schedule(f"linear:1,0.1,{fraction}").values(0, total + 1, total)
    for i in range(total + 1):
        share = min(i / total / fraction, 1.0)
        assert values[i] == pytest.approx(1 * (1 - share) + 0.1 * share, abs=1e-12)


# --- Values.


@given(SPELLED, st.integers(0, 10**9), st.integers(0, 60), st.integers(0, 10**9))
def test_a_value_does_not_depend_on_what_is_asked_with_it(text, first, count, total):
    try:
        schedule = parse_schedule(text)
    except UsageError:
        assume(False)
    with np.errstate(all="ignore"):
        values = schedule.values(first, count, total)
        single = np.array([schedule.value(episode, total) for episode in range(first, first + count)])
    assert values.shape == (count,)
    assert values.dtype == np.float64
    assert values.flags.c_contiguous
    assert values.tobytes() == single.tobytes()


@given(st.sampled_from(["0.3", "geometric:1,0.01", "linear:1,0", "steps:1,0.9,100", "stairs:1,0,9,0.4"]))
def test_an_empty_run_has_a_first_value(text):
    assert np.isfinite(parse_schedule(text).value(0, 0))


# --- The parser.


@settings(max_examples=examples(500))
@given(st.sampled_from(["epsilon", "step_size"]), TEXT, st.sampled_from([0, 1, 1000, 10**9]))
def test_any_text_is_a_configuration_or_one_line(name, text, episodes):
    """Neither a traceback nor a warning of numpy, and what is accepted stays in its range during the run."""
    try:
        config = TrainingConfig(episodes=episodes, **{name: text})
    except UsageError as error:
        assert len(str(error).splitlines()) == 1
        assert str(error).startswith((f"{name}: expected ", "expected "))
    else:
        schedule = config.settings.epsilon if name == "epsilon" else config.settings.step_size
        if not schedule.by_visits and episodes:
            sample = [schedule.values(first, 1, episodes)[0] for first in np.linspace(0, episodes - 1, 7).astype(int)]
            assert min(sample) >= (0.0 if name == "epsilon" else 1e-12)
            assert max(sample) <= 1.0


@pytest.mark.parametrize(
    ("text", "shape", "numbers"),
    [
        ("0.1", "constant", (0.1,)),
        ("constant:0.25", "constant", (0.25,)),
        (" 1e-3 ", "constant", (1e-3,)),
        ("+.5", "constant", (0.5,)),
        ("visits", VISITS, (1.0,)),
        ("visits:", VISITS, (1.0,)),
        ("visits:0.7", VISITS, (0.7,)),
        ("linear:1,0.1", "linear", (1.0, 0.1, 1.0)),
        ("linear: 1 , 0.1 , .5 ", "linear", (1.0, 0.1, 0.5)),
        ("exponential:0.9,0.99995,0.05", "exponential", (0.9, 0.99995, 0.05)),
        ("stairs:1,0.1,9,0.5", "stairs", (1.0, 0.1, 9.0, 0.5)),
    ],
)
def test_spellings(text, shape, numbers):
    schedule = parse_schedule(text)
    assert (schedule.shape, schedule.numbers, schedule.text) == (shape, numbers, text)
    assert shape != "constant" or schedule.values(5, 4, 10).tolist() == [numbers[0]] * 4
    assert schedule.by_visits is (shape == VISITS)


@pytest.mark.parametrize(
    "text",
    [
        "", ":", "constant:", "constant", "linear", "linear:1", "linear:1,2,3,4", "linear:1,0,0", "linear:1,0,-1",
        "geometric:0,1", "geometric:1,0", "geometric:-1,-2", "steps:1,0.9,0", "steps:1,-0.9,3", "stairs:1,0,9",
        "exponential:0.9,-0.5,0", "visits:0", "visits:1.5", "visits:1,1", "visits:-1", "halving:1", "1,2",
        "nan", "inf", "1e999", "0x1", "1_000", "\u0661", "linear:1,,2", "linear:1,0.1,", "constant:1\n2",
    ],
)  # fmt: skip
def test_refused_spellings(text):
    with pytest.raises(UsageError, match=r"^expected [^\n]*$"):
        parse_schedule(text)


def test_ranges_are_checked_at_both_ends_of_the_run():
    for text in ("1.5", "linear:1,-0.5", "linear:2,1", "geometric:1,4", "cumulative:0.5,-1,0", "steps:1,2,10"):
        with pytest.raises(UsageError, match=r"^expected name from 0 to 1, got "):
            check_range("name", parse_schedule(text), 1000, 0.0, 1.0)
    for text in ("linear:1,0", "visits", "0", "cumulative:0.9,1e-6,0.3"):
        check_range("name", parse_schedule(text), 1000, 0.0, 1.0)


@given(st.floats(0, 1e300), st.lists(st.floats(0, 1e9), max_size=20))
@settings(max_examples=examples(200), deadline=None)
def test_powers_without_numba_have_the_bits_of_the_compiled_ones(base, exponents):
    load()
    exponents, in_python = np.array(exponents), np.zeros(len(exponents))
    run_plain(_power_in_python, (base, exponents, in_python))
    assert in_python.tobytes() == _powers(base, exponents).tobytes()
