"""Option strings: `name`, or `name:option=value,option=value`, and lists of them."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from ttt_fast.core.errors import UsageError

Value = TypeVar("Value")
_COUNT = re.compile(r"(\d[\d_]*(?:\.\d+)?(?:e\d{1,2})?)([kmgbtp]?)", re.ASCII)
_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9, "t": 10**12, "p": 10**15}
MAX_COUNT = 10**18
_LONGEST_COUNT = 40  # characters


@dataclass(frozen=True)
class Option:
    """One option of a named object: its default, its allowed values, and its effect."""

    default: str
    values: str
    parse: Callable[[str], Any]
    summary: str

    @classmethod
    def one_of(cls, values: str, summary: str, default: str = "") -> "Option":
        """Return an option with a few allowed words, `a|b|c` (default: the first).

        Examples
        --------
        >>> Option.one_of("draw|loss", "a full board").default
        'draw'
        """
        words = values.split("|")
        return cls(default or words[0], values, choice(*words), summary)


def yes_no(summary: str, default: str = "no") -> Option:
    """Return a Boolean option, yes or no."""
    return Option(default, "yes|no", lambda text: choice("yes", "no")(text) == "yes", summary)


def choice(*choices: str) -> Callable[[str], str]:
    """Return a parser for a few allowed words; parsers raise ValueError with the expected values."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(" or ".join(choices))
        return text

    return parse


def or_auto(parse: Callable[[str], Value]) -> Callable[[str], Value | None]:
    """Return a parser that reads `auto` as None."""
    return lambda text: None if text == "auto" else parse(text)


def name_or_file(*names: str) -> Callable[[str], str]:
    """Return a parser that accepts the given names and `.npz` files.

    Examples
    --------
    >>> name_or_file("rollout")("mine.npz")
    'mine.npz'
    """

    def parse(text: str) -> str:
        if text not in names and not text.endswith(".npz"):
            raise ValueError(f"{', '.join(names)} or a .npz file")
        return text

    return parse


def integer(low: int, high: int) -> Callable[[str], int]:
    """Return a parser for integers from `low` to `high`, such as 20k.

    Examples
    --------
    >>> integer(1, 100)("20"), integer(1, 10**6)("100k")
    (20, 100000)
    """

    def parse(text: str) -> int:
        try:
            value = parse_count(text.removeprefix("-")) * (-1 if text.startswith("-") else 1)
        except UsageError:
            value = high + 1
        if not low <= value <= high:
            raise ValueError(f"an integer from {low} to {high}")
        return value

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    """Return a parser for numbers from `low` to `high`.

    Examples
    --------
    >>> number(0, 10)("1.5")
    1.5
    """

    def parse(text: str) -> float:
        value = fraction(text)
        if value is None or not low <= value <= high:
            raise ValueError(f"a number from {low:g} to {high:g}")
        return float(value)

    return parse


def probability(text: str) -> Fraction:
    """Return a probability as an exact fraction."""
    value = fraction(text)
    if value is None or not 0 <= value <= 1 or value.denominator > 10**6:
        raise ValueError("a probability from 0 to 1 with at most 6 decimals")
    return value


def fraction(text: str) -> Fraction | None:
    """Return the value of '0.25', '1e-3' or '1/3', or None."""
    try:
        return Fraction(text) if len(text) <= 24 and "e" not in text.lower()[:-4] else None
    except (ValueError, ZeroDivisionError):
        return None


def parse_options(
    spec: str, rest: str | None, known: Mapping[str, Option], error: type[UsageError] = UsageError
) -> dict[str, Any]:
    """Return the values of all options of an object; omitted options have their defaults.

    Parameters
    ----------
    spec
        The whole string, for messages.
    rest
        The text after the colon: `option=value,option=value`; None without a colon.
    known
        The options.
    error
        Exception class, raised with one line for an unknown or duplicate option or an invalid value.

    Examples
    --------
    >>> depth = Option("4", "1..20", integer(1, 20), "plies that are looked ahead")
    >>> parse_options("alphabeta:depth=6", "depth=6", {"depth": depth})
    {'depth': 6}
    """
    return option_values(spec, () if rest is None else split_options(rest), known, error)


def split_options(rest: str) -> tuple[tuple[str, str | None], ...]:
    """Return the names and values in `option=value,option=value` as text; the value of a part without `=` is None.

    Examples
    --------
    >>> split_options("tie=first, prefer=fast"), split_options("first")
    ((('tie', 'first'), ('prefer', 'fast')), (('first', None),))
    """
    parts = (part.partition("=") for part in split_outside_parentheses(rest, ","))
    return tuple((key.strip(), value.strip() if equals else None) for key, equals, value in parts)


def option_values(
    spec: str,
    given: Iterable[tuple[str, str | None]],
    known: Mapping[str, Option],
    error: type[UsageError] = UsageError,
) -> dict[str, Any]:
    """Return the values of all options of an object from names and texts (`split_options`), as `parse_options` does.

    Examples
    --------
    >>> depth = Option("4", "1..20", integer(1, 20), "plies that are looked ahead")
    >>> option_values("alphabeta", [], {"depth": depth})
    {'depth': 4}
    """
    texts: dict[str, str] = {}
    for key, text in given:
        if text is None or key not in known:
            near = suggestion(key, known, lambda name: f"{name}={known[name].values}")
            item = key if text is None else f"{key}={text}"
            raise error(f"unknown option {item!r} in {spec!r}; {near}")
        if key in texts:
            raise error(f"expected each option once, got {key!r} twice in {spec!r}")
        texts[key] = text
    values = {}
    for key, option in known.items():
        try:
            values[key] = option.parse(texts.get(key, option.default))
        except ValueError as reason:
            raise error(f"expected {key}= {reason} in {spec!r}, got {texts[key]!r}") from reason
    return values


def shorten(text: str) -> str:
    """Return a text shortened to fit into an error message."""
    return text if len(text) <= _LONGEST_COUNT else text[:_LONGEST_COUNT] + "..."


def parse_count(
    text: str,
    what: str = "a count",
    minimum: int = 0,
    maximum: int = MAX_COUNT,
    most: str = "",
    *,
    digits_only: bool = False,
) -> int:
    """Return the whole number given by a text such as 100M, 1e8 or 100_000_000.

    Parameters
    ----------
    text
        The text.
    what
        The name of the quantity, for messages.
    minimum, maximum
        The smallest and the largest permitted number.
    most
        The maximum as it is written in messages (default: its digits).
    digits_only
        Whether the number must be written in digits, as for a seed.

    Raises
    ------
    UsageError
        If the text is not such a number.

    Examples
    --------
    >>> parse_count("100M") == parse_count("1e8") == parse_count("100_000_000") == 10**8
    True
    """
    match = _COUNT.fullmatch(text.strip().lower()) if len(text) <= _LONGEST_COUNT else None
    if match is not None and (text.strip().isdigit() or not digits_only):
        value = Fraction(match[1].replace("_", "")) * _FACTORS[match[2]]
        if value.denominator == 1 and minimum <= value <= maximum:
            return int(value)
    upper = "1e18, for instance 100M, 1e8 or 250_000" if maximum == MAX_COUNT else most or str(maximum)
    raise UsageError(f"expected {what} from {minimum} to {upper}, got {shorten(text)!r}")


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names similar to a name, or all known names.

    Examples
    --------
    >>> near_names("minmax", ["random", "minimax", "mcts"])
    ['minimax']
    """
    names = list(known)
    return difflib.get_close_matches(name, names, n=3, cutoff=0.5) or names


def suggestion(name: str, known: Iterable[str], text: Callable[[str], str] = str) -> str:
    """Return the end of a message about an unknown name: a question if only few of the known names are similar.

    Examples
    --------
    >>> suggestion("minmax", ["random", "minimax", "mcts"]), suggestion("c", ["a", "b"]), suggestion("a", [])
    ('did you mean minimax?', 'expected a or b', 'expected none')
    """
    names = list(known)
    near = near_names(name, names)
    words = " or ".join(map(text, near))
    return f"did you mean {words}?" if len(near) < len(names) else f"expected {words or 'none'}"


def is_enclosed(text: str) -> bool:
    """Return whether the first character is a parenthesis that the last character closes."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for position, symbol in enumerate(text):
        depth += (symbol == "(") - (symbol == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def split_outside_parentheses(text: str, separator: str) -> list[str]:
    """Return the parts of `text` between separators outside parentheses.

    Examples
    --------
    >>> split_outside_parentheses("a+(b+c)+d", "+")
    ['a', '(b+c)', 'd']
    """
    parts, depth = [""], 0
    for symbol in text:
        depth += (symbol == "(") - (symbol == ")")
        if symbol == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += symbol
    return parts
