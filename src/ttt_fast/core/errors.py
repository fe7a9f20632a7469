"""Exceptions, and the safe display of text from callers, files and programs in their messages.

Every message is one lower-case line that states the expectation and shows the value.  Control characters are escaped,
and long values truncated.
"""

import re

OTHER_PROGRAMS = "; try python:MODULE:NAME for a table of another program (docs/AGENTS.md)"
"""The end of a message about a file that is not of this package."""
_LONGEST = 200  # characters of a value; the path of a temporary folder is shorter
_LONGEST_MESSAGE = 10 * _LONGEST
_VALUES = re.compile(
    rf"""(?<!\w)(['"])(?:(?!\1)[^\\]|\\.)*\1|[^\s'"]{{{_LONGEST},}}|[(\[][-+.,:\w()\[\] ]{{{_LONGEST},}}[)\]]"""
)
"""Quoted values, and words and lists of numbers that are too long."""


def printable(text: str, kept: str = "") -> str:
    r"""Return a text with all characters escaped that `repr` escapes, except those in `kept`.

    This covers every character that a terminal would interpret or that XML forbids.

    Examples
    --------
    >>> print(printable("a\x1b[2J\tb\u202e"), printable("a\tb", kept="\t"))
    a\x1b[2J\tb\u202e a	b
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in kept else ascii(one)[1:-1] for one in text)


def cut(text: str, longest: int = _LONGEST) -> str:
    """Return a text of at most `longest` characters, without the middle of a longer text.

    Examples
    --------
    >>> cut("abcdefghijkl", 9), cut("abcdefghi", 9)
    ('abc...jkl', 'abcdefghi')
    """
    if len(text) <= longest:
        return text
    end = (longest - 3) // 2
    return f"{text[: longest - 3 - end]}...{text[-end:]}"


def message(text: str) -> str:
    r"""Return the text of an error as one printable line, with long values truncated in the middle.

    Examples
    --------
    >>> print(message("expected a game, got '" + "x" * 5000 + "'\nand more")[:30], len(message(repr("x" * 5000))))
    expected a game, got 'xxxxxxxx 200
    """
    return printable(cut(_VALUES.sub(lambda found: cut(found[0]), text), _LONGEST_MESSAGE))


class TttFastError(Exception):
    """Base class of all deliberate errors of this package.

    The command line prints the message as one line and exits with `exit_code`.

    Examples
    --------
    >>> issubclass(UsageError, TttFastError), TttFastError.exit_code
    (True, 1)
    """

    exit_code = 1

    def __str__(self) -> str:
        """Return the message in one line: control characters escaped, long values cut in the middle."""
        return message(super().__str__())


class UsageError(TttFastError, ValueError):
    """An invalid argument of the caller: a bad count, an unknown option, a missing argument.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.parse_game("chess")
    Traceback (most recent call last):
    ttt_fast.core.errors.UsageError: unknown game 'chess'; ...
    """

    exit_code = 2


class BoardError(UsageError):
    """A board that cannot be parsed, or that no sequence of legal moves reaches.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.table_of("tic-tac-toe").state_index("XX.......")
    Traceback (most recent call last):
    ttt_fast.core.errors.BoardError: ...
    """


class AgentError(UsageError):
    """An agent string with an unknown agent, or with an option that the agent does not have.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.as_policy("minmax")
    Traceback (most recent call last):
    ttt_fast.core.errors.AgentError: unknown agent 'minmax' for tic-tac-toe; did you mean minimax...
    """


class PolicyError(UsageError):
    """Data that are not a policy: a wrong shape, an illegal action with a probability, or a row whose sum is not 1.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.Policy.from_dict("tic-tac-toe", {"X........": 0})
    Traceback (most recent call last):
    ttt_fast.core.errors.PolicyError: policy 'dict': expected actions of 1, 2, 3, 4, 5, 6, 7, 8 at 'X........', got 0
    """


class UnlearnedSeatWarning(PolicyError, UserWarning):
    """A policy without any state of the seat that it plays; the command line raises it as an error.

    Examples
    --------
    >>> import warnings, ttt_fast
    >>> policy = ttt_fast.Policy.from_dict("tic-tac-toe", {".........": 4}, "mine")
    >>> with warnings.catch_warnings():
    ...     warnings.filterwarnings("error", category=UnlearnedSeatWarning)
    ...     ttt_fast.exact_outcome("random", policy)
    Traceback (most recent call last):
    ttt_fast.core.errors.UnlearnedSeatWarning: policy 'mine' has no moves for O: ...
    """


class AnswerError(PolicyError):
    """A user's function or object that fails, or does not return a legal move.

    Examples
    --------
    >>> import ttt_fast
    >>> try:
    ...     ttt_fast.play_game(lambda state: 9, "random")
    ... except ttt_fast.AnswerError as error:
    ...     print(str(error).partition(": ")[2])
    expected one of the legal actions 0, 1, 2, 3, 4, 5, 6, 7, 8 at '.........', got 9
    """

    exit_code = 1


class ExternalAgentError(AgentError):
    """An external agent was named where it is not allowed, because loading it runs code."""


class FileFormatError(TttFastError):
    """A file that is damaged, truncated, of another kind, or written by a newer version.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.load_policy("no-such-file.npz", "tic-tac-toe")
    Traceback (most recent call last):
    ttt_fast.core.errors.FileFormatError: ...
    """


class FileWriteError(TttFastError):
    """A file that could not be written; an existing file is unchanged.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.save_policy("no-such-folder/random.npz", "random")
    Traceback (most recent call last):
    ttt_fast.core.errors.FileWriteError: ...
    """


class DivergedError(TttFastError, FloatingPointError):
    """A network whose weights are no longer finite.

    Examples
    --------
    >>> [issubclass(DivergedError, kind) for kind in (TttFastError, FloatingPointError, UsageError)]
    [True, True, False]
    """


class TableSizeError(UsageError):
    """A game with more states than allowed for a table, or whose states cannot be enumerated.

    Examples
    --------
    >>> import ttt_fast
    >>> ttt_fast.table_of("connect4")
    Traceback (most recent call last):
    ttt_fast.core.errors.TableSizeError: ...
    """
