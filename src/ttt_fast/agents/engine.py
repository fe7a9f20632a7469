"""Programs as agents, `engine:COMMAND`: the line protocol of docs/ENGINES.md on standard input and output."""

import shlex
from math import nan
from typing import NamedTuple, NoReturn

import numpy as np

from ttt_fast.agents.spec import ENGINE, AgentSpec
from ttt_fast.agents.tabulate import tabulate
from ttt_fast.core.errors import AgentError, ForfeitError, UsageError, cut
from ttt_fast.core.signals import ended_tidily
from ttt_fast.core.specs import Option, number
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.games.results import Seat
from ttt_fast.policies.policy import Policy
from ttt_fast.running.line_process import Deadline, LineProcess, ProgramEndedError, ProgramSilentError
from ttt_fast.search.player import UNCOUNTED, Described, SearchResult
from ttt_fast.tables import StateTable

VERSION = 1
HELLO = f"ttt-fast-engine {VERSION}"
SECONDS_TO_START = 30.0
_SECONDS_TO_FINISH = 1.0
_MOST_LINES_TO_START = 1000
_QUIT = "quit\n"
OPTIONS = {"ms": Option("10000", "1..3600000", number(1, 3_600_000), "milliseconds that a move may take")}
"""Options, written as words `name=value` before the command."""


class EngineCommand(NamedTuple):
    """A parsed `engine:COMMAND`: the words of the command, and the time limit of a move in seconds."""

    words: tuple[str, ...]
    seconds: float


def parse_command(spec: str) -> EngineCommand:
    """Parse `engine:COMMAND`.

    The text after `engine:` is the command.  It is split into words by the quoting rules of a shell, but no shell runs
    it.  Options are the first words: `engine:ms=500 ./bot --level 3`.

    Raises
    ------
    AgentError
        If there is no command, a quotation is not closed, or an option is unknown or has an impossible value.

    Examples
    --------
    >>> parse_command("engine:ms=500 ./my-bot --name 'a b'")
    EngineCommand(words=('./my-bot', '--name', 'a b'), seconds=0.5)
    """
    text = spec.removeprefix(f"{ENGINE}:")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise AgentError(f"expected a valid command line in {spec!r}: {str(error).lower()}") from error
    given: dict[str, float] = {}
    while words and (found := words[0].partition("="))[1] and found[0].isidentifier():
        name, _, value = found
        if name not in OPTIONS or name in given:
            known = " or ".join(f"{one}={option.values}" for one, option in OPTIONS.items())
            raise AgentError(f"expected {known}, at most once, before the command in {spec!r}, got {words[0]!r}")
        try:
            given[name] = OPTIONS[name].parse(value)
        except ValueError as reason:
            raise AgentError(f"expected {reason} as {name} in {spec!r}, got {value!r}") from reason
        del words[0]
    if not words:
        raise AgentError(f"expected {ENGINE}:COMMAND, where COMMAND is a program and its arguments, got {spec!r}")
    milliseconds = given.get("ms", float(OPTIONS["ms"].default))
    return EngineCommand(tuple(words), milliseconds / 1000)


def position_word(game: Game, state: GameState) -> str:
    """Return the text of a state as one word: blanks, which are free cells, become dots.

    Examples
    --------
    >>> game = parse_game("ultimate")
    >>> position_word(game, game.state_after("51"))[34:40]
    '..X...'
    """
    return "/".join(game.format_position(state).split("\n")).replace(" ", ".")


class Engine:
    """A running program that plays.

    Parameters
    ----------
    spec
        Its agent string.

    Attributes
    ----------
    name
        The name that the program reports, or the first word of its command.
    plays
        The games that the program lists.  None if it lists none: it may then be asked to play any game.

    Raises
    ------
    AgentError
        If the program cannot be started, or its first lines violate the protocol.
    """

    def __init__(self, spec: str) -> None:
        self.spec, command = spec, parse_command(spec)
        self.seconds, self.name = command.seconds, command.words[0]
        self.plays: list[str] | None = None
        try:
            self._program = LineProcess(command.words, _QUIT)
        except (OSError, ValueError) as error:
            reason = str(getattr(error, "strerror", None) or error).lower()
            raise AgentError(f"cannot start {spec!r}: {reason}") from error
        try:
            self._greet()
        except (ProgramEndedError, ProgramSilentError) as error:
            self.close()
            raise AgentError(f"expected {HELLO!r} ... 'ready' from {spec!r} at its start, but {error}") from error
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        """Read the lines of the program up to `ready`."""
        deadline = Deadline(SECONDS_TO_START)
        first = self._program.receive(deadline)
        if first != HELLO:
            raise AgentError(f"expected {HELLO!r} as the first line of {self.spec!r}, got {first!r}")
        for _ in range(_MOST_LINES_TO_START):
            line = self._program.receive(deadline)
            word, _, rest = line.partition(" ")
            if line == "ready":
                return
            if word == "name" and rest.strip():
                self.name = cut(rest.strip())
            elif word == "plays" and rest.strip():
                self.plays = [*(self.plays or []), *rest.split()]
            else:
                raise AgentError(f"expected a line 'name ...', 'plays ...' or 'ready' from {self.spec!r}, got {line!r}")
        raise AgentError(f"expected 'ready' from {self.spec!r}, got {_MOST_LINES_TO_START:,} other lines")

    @property
    def is_alive(self) -> bool:
        """Whether the program can still be asked for a move."""
        return self._program.is_alive

    def check_game(self, game: Game) -> None:
        """Raise AgentError unless the engine lists a game, by its name or as this exact variant."""
        for one in [game.name] if self.plays is None else self.plays:
            try:
                if one == game.name or parse_game(one) == game:
                    return
            except UsageError:  # a game of another version
                continue
        plays = cut(", ".join(self.plays or []))
        raise AgentError(f"expected an agent that plays {game.spec}, got {self.spec!r}, which plays {plays}")

    def ask(self, game: Game, state: GameState, before: str = "") -> int:
        """Return the program's action in an ongoing state; `before` is sent first, in the same write.

        Raises
        ------
        ForfeitError
            If the program has ended, exceeds its time, or sends anything except a legal move.  It is then closed.
        """
        moves = {game.format_moves([action]): action for action in api.legal_actions(state)}
        position = position_word(game, state)
        self._check_unread()
        seat, deadline = Seat(api.player(state)).text, Deadline(self.seconds)
        try:
            self._program.send(f"{before}position {position}\nlegal {' '.join(moves)}\ngo {seat}\n", deadline)
            line = self._program.receive(deadline)
        except ProgramSilentError as error:
            self._lose("time", f"{error} at {position!r}")
        except ProgramEndedError as error:
            self._lose("crash", f"{error} at {position!r}")
        word, _, move = line.partition(" ")
        if word != "move":
            self._lose("protocol", f"expected 'move' and a move at {position!r}, got {line!r}")
        if move.strip() not in moves:
            self._lose("illegal", f"expected a legal move of {', '.join(moves)} at {position!r}, got {move!r}")
        return moves[move.strip()]

    def _check_unread(self, seconds: float = 0.0) -> None:
        """Raise ForfeitError if the program has sent an unrequested line, or sends one within `seconds`.

        The end of the program is not an error here; the next request reports it.
        """
        try:
            line = self._program.receive(Deadline(seconds))
        except (ProgramEndedError, ProgramSilentError):
            return
        self._lose("protocol", f"expected one answer to each 'go', got {line!r} more")

    def finish(self) -> None:
        """Close the input of the program, and raise ForfeitError if it sends another line; no request may follow."""
        self._program.end_input()
        self._check_unread(_SECONDS_TO_FINISH)
        self.close()

    def leaves(self, farewell: bool, seconds: float) -> bool:
        """Return whether the program ends by itself in time: after `quit`, or at the end of its input."""
        try:
            return self._program.leaves(_QUIT if farewell else "", Deadline(seconds))
        except (ProgramEndedError, ProgramSilentError):
            return not self.is_alive

    def _lose(self, kind: str, what: str) -> NoReturn:
        self.close()
        raise ForfeitError(self.spec, kind, what)

    def close(self) -> None:
        """End the program."""
        self._program.close()


class EnginePlayer(Described):
    """A program as a player: one process for all games, replaced after a game that it forfeits.

    Parameters
    ----------
    spec
        Its agent string.
    game
        The game.

    Raises
    ------
    AgentError
        If the program cannot be started, or does not play the game.
    """

    def __init__(self, spec: str, game: Game) -> None:
        self.name, self._spec, self._game, self._seed = spec, spec, game, 0
        self._new_game = True
        self._engine = Engine(spec)
        self._check()

    def _check(self) -> None:
        try:
            self._engine.check_game(self._game)
        except AgentError:
            self._engine.close()
            raise

    @property
    def memory_bytes(self) -> int:
        """0: the memory of the program is not counted."""
        return 0

    def begin(self, stream: np.uint64) -> None:
        """Begin a new game with a seed derived from the stream."""
        self._seed, self._new_game = int(stream) >> 1, True  # 63 bits, for languages without unsigned numbers

    def search(self, state: GameState) -> SearchResult:
        """Return the engine's move in an ongoing state; errors as for `Engine.ask`."""
        if not self._engine.is_alive:
            self._restart()
        game = "".join(self._game.spec.split())
        before = f"newgame {game} {self._seed}\n" if self._new_game else ""
        self._new_game = False
        return SearchResult(self._engine.ask(self._game, state, before), nan, UNCOUNTED)

    def finish(self) -> None:
        """End the program after its last move; raises ForfeitError if it sends another line."""
        self._engine.finish()

    def _restart(self) -> None:
        self._engine.close()
        self._new_game = True
        try:
            self._engine = Engine(self._spec)
            self._check()
        except AgentError as error:
            raise ForfeitError(self._spec, "crash", f"cannot start again: {error}") from error

    def close(self) -> None:
        """End the program."""
        self._engine.close()


def tabulate_engine(table: StateTable, spec: AgentSpec) -> Policy:
    """Return the policy of a deterministic program; errors as for `tabulate`, `EnginePlayer` and `Engine.ask`."""
    player = EnginePlayer(f"{ENGINE}:{spec.argument}", table.game)
    with ended_tidily():
        try:
            return tabulate(table, spec.text, lambda state: player.search(state).action, player.begin)
        finally:
            player.close()
