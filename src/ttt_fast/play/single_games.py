"""Games played one by one, in pairs from the same opening, by threads or on other machines."""

from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import groupby
from typing import Any, NamedTuple

from ttt_fast.agents.convert import as_player, as_policy, is_tabular
from ttt_fast.agents.simple_players import seated
from ttt_fast.agents.spec import AgentSpec
from ttt_fast.core.manifest import JsonObject
from ttt_fast.evaluate.outcome import Outcome, exact_outcome_from
from ttt_fast.evaluate.sprt import Sprt
from ttt_fast.games import api
from ttt_fast.play.contest_config import ContestConfig, Seating
from ttt_fast.play.game_file import GameFile, load_kept
from ttt_fast.play.openings import Opening, after, make_openings
from ttt_fast.play.pairs import ContestUnit, pack, play_packed, play_unit, unpack
from ttt_fast.play.results import SeatResult, Tally, played_seat
from ttt_fast.play.session import ContestFile
from ttt_fast.play.tabular import Progress
from ttt_fast.running.executors import Executor, ThreadExecutor, completed
from ttt_fast.running.interrupts import StopRequest

PAIRS_A_UNIT = 2


class _Duel(NamedTuple):
    """The games of two agents: the specs in the order of game 0, the openings, and the seatings with their results."""

    agents: tuple[AgentSpec, AgentSpec]
    config: ContestConfig
    openings: list[Opening]
    tally: Tally
    exact: dict[int, Outcome | None]


class SingleGames:
    """The games of a contest that are played one by one: the seatings of two agents together, in pairs of games.

    Parameters
    ----------
    agents, seatings
        The agents, and the seatings to play.
    described
        The contest, for its file.
    sprt
        An optional test that ends the contest.
    target
        The file of the games, if there is one.
    threads, executor, on_progress
        As for `contest`.
    """

    def __init__(
        self,
        agents: Sequence[AgentSpec],
        seatings: Sequence[Seating],
        described: JsonObject,
        sprt: Sprt | None,
        target: ContestFile | None,
        threads: int | None,
        executor: Executor | None,
        on_progress: Progress | None,
    ) -> None:
        config = seatings[0].config
        self.game = game = config.game
        self._described, self._target, self._on_progress = described, target, on_progress
        self._threads, self._executor = threads, executor
        for number, spec in enumerate(agents):  # errors are reported before any game is played
            taken = any(one.x == number for one in seatings), any(one.o == number for one in seatings)
            own = [seat for seat, is_taken in zip((api.X, api.O), taken, strict=True) if is_taken]
            because = ", since a match that is played game by game swaps the seats" if len(own) == 2 else ""
            seated(as_player(spec, game), *own, because=because)
        starts = make_openings(config.position or config.openings or "none", game, config.games, config.seed)
        policies = [as_policy(spec, game) if is_tabular(spec, game) else None for spec in agents]

        def exact(x: int, o: int) -> Outcome | None:
            """Return the exact result of a seating, from the states after the openings; None if either is a search."""
            one, other = policies[x], policies[o]
            if one is None or other is None:
                return None
            return exact_outcome_from(one, other, [one.table.index_of(after(game, opening)) for opening in starts])

        self._duels = []
        for _, group in groupby(seatings, lambda one: one.config.match_index):
            both = list(group)
            first, second = (both[0].x, both[0].o)[:: 1 - 2 * both[0].number]
            numbers = tuple(one.number for one in both)
            tally = Tally(agents[first].text, agents[second].text, sprt, len(starts), numbers)
            results = {one.number: exact(one.x, one.o) for one in both}
            self._duels.append(_Duel((agents[first], agents[second]), both[0].config, starts, tally, results))
        self._begun = 0
        self._kept = None
        if target is not None and target.resumed:
            self._kept = load_kept(target.path, described, game, starts, self._duels[0].tally.seatings)

    def play(self, stop: StopRequest) -> None:
        """Play the missing games, until a signal requests a stop."""
        with closing(ThreadExecutor(self._threads)) as pool:
            for duel in self._duels:
                self._begun += 1
                with GameFile(self._target, self._described, self._kept) as file:
                    self._play(duel, self._executor or pool, file, stop)
                if stop.requested:
                    break

    def _play(self, duel: _Duel, executor: Executor, file: GameFile, stop: StopRequest) -> None:
        """Add the saved pairs to the tally, then the other pairs as they finish."""
        tally, size = duel.tally, len(duel.tally.seatings)
        done = {} if self._kept is None else self._kept.pairs
        tally.add_all(done)
        missing = [pair for pair in range(len(duel.openings)) if pair not in done]
        units = (
            ContestUnit(
                game=duel.config.game,
                first=duel.agents[0],
                second=duel.agents[1],
                seed=duel.config.seed,
                openings=[(pair, duel.openings[pair]) for pair in missing[start : start + PAIRS_A_UNIT]],
                key=(duel.config.match_index,),
                seatings=tally.seatings,
            )
            for start in range(0, len(missing), PAIRS_A_UNIT)
        )
        remote = not executor.shares_memory
        work: Callable[[Any], Any] = play_packed if remote else play_unit
        payloads = ((unit.openings[0][0], pack(unit) if remote else unit) for unit in units)
        for _, found in completed(executor, work, payloads, lambda: stop.requested or tally.is_decided):
            games = unpack(found) if remote else found
            file.write(games)
            tally.add_all({games[at].pair: games[at : at + size] for at in range(0, len(games), size)})
            if self._on_progress is not None:
                self._on_progress(sum(one.tally.games for one in self._duels), tally.status())
            if tally.is_decided:
                break

    def seats(self) -> list[SeatResult]:
        """Return the results of the seatings whose games have begun."""
        return [
            played_seat(duel.tally, number, self.game, exact)
            for duel in self._duels[: self._begun]
            for number, exact in duel.exact.items()
        ]

    @property
    def complete(self) -> bool:
        """Whether all games have been played, or the test has reached its decision."""
        return all(duel.tally.complete for duel in self._duels)

    @property
    def tally(self) -> Tally | None:
        """The games of two agents; None in a round robin."""
        return self._duels[0].tally if len(self._duels) == 1 else None
