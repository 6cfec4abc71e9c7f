"""Hill climbing and tabu search of other libraries, for the truth benchmark."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import Network

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear import Dataset

    Arcs = list[tuple[str, str]]

# A program that looks at the clock itself may be a little late.
GRACE = 5.0


@dataclass(frozen=True)
class Program:
    """A search of another library."""

    name: str
    library: str
    prepare: Callable[[Dataset, float], Callable[[], Arcs]]
    watches_the_clock: bool

    def available(self) -> bool:
        """Whether it is installed."""
        return find_spec(self.library) is not None


def run_program(program: Program, data: Dataset, seconds: float) -> tuple[Network | None, float]:
    """Learn in a process of its own, which is ended when the time is over."""
    # The libraries are imported, and the table is theirs, before time counts.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = program.prepare(data, seconds)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(search, sender), daemon=True)
    start = time.perf_counter()
    child.start()
    sender.close()
    arcs: Arcs | None = None
    if receiver.poll(seconds + (GRACE if program.watches_the_clock else 0.0)):
        try:
            arcs = receiver.recv()
        except EOFError:
            raise SystemExit(f"{program.name} failed") from None
    spent = time.perf_counter() - start
    child.kill()
    child.join()
    return None if arcs is None else Network.from_arcs(data.names, arcs), spent


def _work(search: Callable[[], Arcs], sender: Any) -> None:
    warnings.simplefilter("ignore")
    sender.send(search())


def pgmpy_hill_climbing(data: Dataset, seconds: float) -> Callable[[], Arcs]:
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


def pyagrum_hill_climbing(data: Dataset, seconds: float) -> Callable[[], Arcs]:
    """Prepare pyAgrum's greedy hill climbing."""
    return _pyagrum(data, seconds, "useGreedyHillClimbing")


def pyagrum_tabu(data: Dataset, seconds: float) -> Callable[[], Arcs]:
    """Prepare pyAgrum's local search with a tabu list, as it is set by default."""
    return _pyagrum(data, seconds, "useLocalSearchWithTabuList")


def _pyagrum(data: Dataset, seconds: float, how: str) -> Callable[[], Arcs]:
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


PROGRAMS = (
    Program("pgmpy hill climbing", "pgmpy", pgmpy_hill_climbing, watches_the_clock=False),
    Program("pyAgrum hill climbing", "pyagrum", pyagrum_hill_climbing, watches_the_clock=True),
    Program("pyAgrum tabu", "pyagrum", pyagrum_tabu, watches_the_clock=True),
)
