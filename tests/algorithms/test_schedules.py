"""Schedules: the values that the published programs would have, and the texts that a configuration takes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from cli_runner import run_python
from conftest import examples
from ttt_fast import TrainingConfig, UsageError

COUNTS = {"constant": 1, "geometric": 2, "linear": 3, "exponential": 3, "cumulative": 3, "steps": 3, "stairs": 4}
NUMBER = st.sampled_from(["0", "1", "0.5", "1e-6", ".05", "3.", "-1", "1e300", "1e-300", "1e999"]) | st.floats(
    allow_nan=False, allow_infinity=False
).map(repr)
SHARE = st.sampled_from(["0", "1", "0.5", "1e-6", ".05"]) | st.floats(0, 1).map(repr)


def spelled(number):
    """Texts of every shape with as many numbers as it has."""
    return st.sampled_from([*COUNTS]).flatmap(
        lambda name: st.tuples(*[number] * COUNTS[name]).map(lambda numbers: f"{name}:{','.join(numbers)}")
    )


TEXT = st.text() | st.text("0123456789.,:-+e svntp", max_size=12) | spelled(NUMBER) | NUMBER


def schedule_of(text, episodes=0):
    """The schedule of epsilon in a configuration."""
    return TrainingConfig(episodes=episodes, epsilon=text).settings.epsilon


# --- The published programs, as loops.


def test_sai_subtracts_before_every_game():
    """Listing of `train`: `update_epsilon(i)` stands before game i, and takes 0.000001 * i off what is left."""
    schedule, epsilon = schedule_of("cumulative:0.9,1e-6,0.3"), 0.9
    values = schedule.values(0, 3000, 5_000_000)
    for i in range(3000):
        epsilon = max(0.3, epsilon - 0.000001 * i)
        assert values[i] == pytest.approx(epsilon, abs=1e-12)
    assert np.flatnonzero(values == 0.3)[0] == 1095


@pytest.mark.parametrize("total", [2700, 10_000, 54_321, 27])
def test_smirnov_multiplies_the_step_size_a_hundred_times(total):
    """By 0.9 whenever another hundredth of the run is over."""
    values, alpha, over = schedule_of("steps:1,0.9,100").values(0, total, total), 1.0, 0
    expected = []
    for i in range(total):
        while (over + 1) * total <= 100 * i:
            alpha *= 0.9
            over += 1
        expected.append(alpha)
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=0)
    assert schedule_of("steps:1,0.9,100").value(total, total) == pytest.approx(0.9**100)


@pytest.mark.parametrize("total", [2700, 27_000, 54_321, 28])
def test_smirnov_lowers_epsilon_nine_times_in_a_third_of_the_run(total):
    values, epsilon, taken = schedule_of(f"stairs:1,0.1,9,{1 / 3!r}").values(0, total, total), 1.0, 0
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
    values, epsilon = schedule_of("exponential:0.9,0.99995,0.05").values(0, 100_000, 100_000), 0.9
    expected = []
    for _ in range(100_000):
        expected.append(epsilon)
        epsilon = max(0.05, epsilon * 0.99995)
    np.testing.assert_allclose(values, expected, rtol=1e-10, atol=0)
    assert np.flatnonzero(values == 0.05)[0] == 57_806


@pytest.mark.parametrize(("start", "end", "total"), [(0.5, 0.001, 1000), (1.0, 1e-3, 7), (0.1, 0.9, 50)])
def test_geometric_has_one_factor(start, end, total):
    values, value = schedule_of(f"geometric:{start},{end}").values(0, total + 1, total), start
    for i in range(total + 1):
        assert values[i] == pytest.approx(value, rel=1e-9)
        value *= (end / start) ** (1 / total)
    assert values[-1] == pytest.approx(end)


@pytest.mark.parametrize(("fraction", "total"), [(1.0, 100), (0.25, 100), (0.3, 7), (2.0, 10)])
def test_linear_is_a_straight_line(fraction, total):
    values = schedule_of(f"linear:1,0.1,{fraction}").values(0, total + 1, total)
    for i in range(total + 1):
        share = min(i / total / fraction, 1.0)
        assert values[i] == pytest.approx(1 * (1 - share) + 0.1 * share, abs=1e-12)


# --- Values.


@given(spelled(SHARE), st.integers(0, 10**9), st.integers(0, 60), st.integers(0, 10**9))
def test_a_value_does_not_depend_on_what_is_asked_with_it(text, first, count, total):
    try:
        schedule = schedule_of(text)
    except UsageError:
        assume(False)
    values = schedule.values(first, count, total)
    single = np.array([schedule.value(episode, total) for episode in range(first, first + count)])
    assert values.shape == (count,)
    assert values.dtype == np.float64
    assert values.flags.c_contiguous
    assert values.tobytes() == single.tobytes()


@given(st.sampled_from(["0.3", "geometric:1,0.01", "linear:1,0", "steps:1,0.9,100", "stairs:1,0,9,0.4"]))
def test_an_empty_run_has_a_first_value(text):
    assert np.isfinite(schedule_of(text).value(0, 0))


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
        ("visits", "visits", (1.0,)),
        ("visits:", "visits", (1.0,)),
        ("visits:0.7", "visits", (0.7,)),
        ("linear:1,0.1", "linear", (1.0, 0.1, 1.0)),
        ("linear: 1 , 0.1 , .5 ", "linear", (1.0, 0.1, 0.5)),
        ("exponential:0.9,0.99995,0.05", "exponential", (0.9, 0.99995, 0.05)),
        ("stairs:1,0.1,9,0.5", "stairs", (1.0, 0.1, 9.0, 0.5)),
    ],
)
def test_spellings(text, shape, numbers):
    schedule = TrainingConfig(step_size=text).settings.step_size
    assert (schedule.shape, schedule.numbers, schedule.text) == (shape, numbers, text)
    assert shape != "constant" or schedule.values(5, 4, 10).tolist() == [numbers[0]] * 4
    assert schedule.by_visits is (shape == "visits")


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
    with pytest.raises(UsageError, match=r"^step_size: expected [^\n]*$"):
        TrainingConfig(step_size=text)


def test_ranges_are_checked_at_both_ends_of_the_run():
    for text in ("1.5", "linear:1,-0.5", "linear:2,1", "geometric:1,4", "cumulative:0.5,-1,0", "steps:1,2,10"):
        with pytest.raises(UsageError, match=r"^expected epsilon from 0 to 1, got "):
            schedule_of(text, 1000)
    for text in ("linear:1,0", "0", "cumulative:0.9,1e-6,0.3"):
        assert schedule_of(text, 1000).text == text


@settings(max_examples=examples(200))
@given(st.floats(0, 1), st.integers(0, 10**6), st.integers(1, 20))
def test_powers_have_the_bits_of_python(factor, first, count):
    """Whatever the vector unit of the processor: the last bit of numpy's powers depends on it."""
    found = schedule_of(f"exponential:1,{factor!r},0").values(first, count, 0)
    assert found.tolist() == [factor**episode for episode in range(first, first + count)]


WITHOUT_NUMBA = """
import sys
from ttt_fast import TrainingConfig, UsageError

epsilon = TrainingConfig(episodes=1000, epsilon="exponential:0.9,0.99995,0.05").settings.epsilon
assert epsilon.values(0, 30, 1000).tolist() == [max(0.05, 0.9 * 0.99995**episode) for episode in range(30)]
try:
    TrainingConfig(episodes=1000, epsilon="exponential:0.5,1e10,0")
except UsageError as error:
    print(error, "numba" in sys.modules)
"""


def test_powers_without_numba_have_the_same_bits():
    """As where only arguments are checked; a power that is too large is infinite."""
    assert run_python("-c", WITHOUT_NUMBA).text.strip().endswith("got 'exponential:0.5,1e10,0' False")
