"""Searches of other libraries, for ``truth.py`` and ``peers.py``: same table, same score.

This module does not import forebear, which may be absent where it runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Arcs = list[tuple[str, str]]


class Table(Protocol):
    """The part of a table that a search needs."""

    @property
    def codes(self) -> NDArray[Any]:
        """One row of codes per variable."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The states of each variable, including those that do not occur."""


@dataclass(frozen=True)
class LibrarySearch:
    """A search of another library.

    The library is installed as ``library`` and imported as ``package``. ``score``
    names what the search maximises.
    """

    name: str
    library: str
    package: str
    score: str
    prepare: Callable[[Table, float], Callable[[], Arcs]]
    watches_the_clock: bool


def pgmpy_hill_climbing(data: Table, seconds: float) -> Callable[[], Arcs]:
    """Prepare pgmpy's hill climbing. It has no time limit, and is fastest on integers."""
    del seconds
    pandas = import_module("pandas")
    frame = pandas.DataFrame(data.codes.T.astype(np.int64), columns=list(data.names))
    states = zip(data.names, data.states, strict=True)
    score = import_module("pgmpy.structure_score").BDeu(
        frame,
        equivalent_sample_size=1,
        state_names={name: list(range(len(own))) for name, own in states},
    )
    search = import_module("pgmpy.causal_discovery").HillClimbSearch(
        scoring_method=score, return_type="dag", show_progress=False
    )

    def work() -> Arcs:
        search.fit(frame)
        return list(search.causal_graph_.edges())

    return work


def pyagrum_hill_climbing(data: Table, seconds: float) -> Callable[[], Arcs]:
    """Prepare pyAgrum's greedy hill climbing."""
    return _pyagrum(data, seconds, "useGreedyHillClimbing")


def pyagrum_tabu(data: Table, seconds: float) -> Callable[[], Arcs]:
    """Prepare pyAgrum's local search with a tabu list, with default settings."""
    return _pyagrum(data, seconds, "useLocalSearchWithTabuList")


def pyagrum_learner(data: Table) -> Any:
    """Prepare pyAgrum's learner: BDeu, whose equivalent sample size is 1, on one thread."""
    pandas, pyagrum = import_module("pandas"), import_module("pyagrum")
    template = pyagrum.BayesNet()
    for name, states in zip(data.names, data.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    frame = pandas.DataFrame(
        {
            name: np.array(data.states[v], dtype=object)[data.codes[v]]
            for v, name in enumerate(data.names)
        }
    )
    learner = pyagrum.BNLearner(frame, template)
    learner.setNumberOfThreads(1)
    learner.useScoreBDeu()
    learner.useNoPrior()
    return learner


def _pyagrum(data: Table, seconds: float, how: str) -> Callable[[], Arcs]:
    learner = pyagrum_learner(data)
    learner.setMaxTime(seconds)
    getattr(learner, how)()

    def work() -> Arcs:
        return [(data.names[a], data.names[b]) for a, b in learner.learnDAG().arcs()]

    return work


def causal_learn_ges(data: Table, seconds: float) -> Callable[[], Arcs]:
    """Prepare causal-learn's greedy equivalence search. It has no time limit.

    It finds an equivalence class, of which causal-learn picks one network. Its
    BDeu has no parameters: the equivalent sample size is 1, states that do not
    occur are not counted, and it includes a prior of one parent per variable.
    """
    del seconds
    codes, names = data.codes.T.astype(np.int64), list(data.names)
    search = import_module("causallearn.search.ScoreBased.GES").ges
    extend = import_module("causallearn.utils.PDAG2DAG").pdag2dag

    def work() -> Arcs:
        found = search(codes, score_func="local_score_BDeu", node_names=names)["G"]
        # An arc a -> b is -1 in row a, column b, and 1 in row b, column a.
        marks = extend(found).graph
        heads = (marks == -1) & (marks.T == 1)
        return [(names[a], names[b]) for a, b in np.argwhere(heads).tolist()]

    return work


PGMPY = LibrarySearch("pgmpy hill climbing", "pgmpy", "pgmpy", "BDeu", pgmpy_hill_climbing, False)
PYAGRUM = LibrarySearch(
    "pyAgrum hill climbing", "pyagrum", "pyagrum", "BDeu, rounded", pyagrum_hill_climbing, True
)
PYAGRUM_TABU = LibrarySearch(
    "pyAgrum tabu", "pyagrum", "pyagrum", "BDeu, rounded", pyagrum_tabu, True
)
CAUSAL_LEARN = LibrarySearch(
    "causal-learn GES",
    "causal-learn",
    "causallearn",
    "BDeu and a structure prior",
    causal_learn_ges,
    False,
)
