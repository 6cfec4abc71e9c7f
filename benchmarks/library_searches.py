"""Searches of other libraries, for ``truth.py`` and ``peers.py``: the same table, the same score.

Nothing of forebear is imported: it may be absent where these run.
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
    """What a search needs of a table: codes by variable and row, and what they stand for."""

    @property
    def codes(self) -> NDArray[Any]:
        """A row a variable."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The states of each variable, those that do not occur included."""


@dataclass(frozen=True)
class LibrarySearch:
    """A search of another library, installed as ``library`` and imported as ``package``.

    ``score`` says what it maximises.
    """

    name: str
    library: str
    package: str
    score: str
    prepare: Callable[[Table, float], Callable[[], Arcs]]
    watches_the_clock: bool


def pgmpy_hill_climbing(data: Table, seconds: float) -> Callable[[], Arcs]:
    """Prepare pgmpy's hill climbing, which has no time limit; on integers it is quickest."""
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
    """Prepare pyAgrum's local search with a tabu list, as it is set by default."""
    return _pyagrum(data, seconds, "useLocalSearchWithTabuList")


def _pyagrum(data: Table, seconds: float, how: str) -> Callable[[], Arcs]:
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
    learner.useScoreBDeu()  # its equivalent sample size is 1
    learner.useNoPrior()
    learner.setMaxTime(seconds)
    getattr(learner, how)()

    def work() -> Arcs:
        arcs = learner.learnDAG().arcs()
        return [(template.variable(a).name(), template.variable(b).name()) for a, b in arcs]

    return work


def causal_learn_ges(data: Table, seconds: float) -> Callable[[], Arcs]:
    """Prepare causal-learn's greedy equivalence search, which has no time limit.

    It finds a class of equivalent networks, of which causal-learn picks one. Its
    BDeu takes no parameters: the sample size is 1, states that do not occur do
    not count, and a prior of one parent a variable is part of it.
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
