"""The figures of Smirnov's deep Q-learning: his learning curve, and each of his comparative plots."""

from typing import Any, Final

from ttt_fast.plot.figure import Reference
from ttt_fast.studies.engine.figures import figure
from ttt_fast.studies.pictures import StudyFigure
from ttt_fast.studies.smirnov.dqn.plan import CURVES

_BEST: Final = (Reference(107 / 108, "best possible 107/108", panel="x"),
                Reference(887 / 945, "best possible 887/945", panel="o"))  # fmt: skip


def _plot(name: str, title: str, plot: str, **more: Any) -> StudyFigure:
    order = tuple(one.name for one in CURVES if one.plot == plot)
    return figure("curves", name, title, x="episodes", y="mean", where={"plot": [plot]}, series="setting",
                  panels="seat", series_order=order, columns=2, band=True, spread=("sd",), runs="runs",
                  bounds=(0.0, 1.0), shared_y=False, x_label="episodes after the buffer is full",
                  y_label="games won against random", subtitle="exact, X's first move drawn", references=_BEST,
                  **more)  # fmt: skip


FIGURES = (
    _plot("main", "DQN: the chosen setting, as described and as coded", "main", series_label="reading"),
    _plot("optimizer", "DQN: optimizers", "optimizer"),
    _plot("minibatch", "DQN: size of the minibatch", "minibatch"),
    _plot("hidden", "DQN: nodes in hidden layers", "hidden nodes", series_label="nodes"),
    _plot("target", "DQN: updates between target networks", "target frequency", series_label="updates between"),
    _plot("buffer", "DQN: size of the replay buffer", "buffer", series_label="transitions"),
)
