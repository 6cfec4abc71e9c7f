"""The first network: searched in small sets that grow, while all sets are still to be scored.

With fewer than 20 variables and in exact search, all parent sets are scored first, which can take
seconds. A few generations before that give a network at once. The search then starts from it, and
it is the result if the run ends before there is a better one.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError
from forebear._util.watcher import Quiet
from forebear.budget import FIRST_GENERATIONS, FIRST_IDLE_GENERATIONS
from forebear.learning.algorithms import NamedAlgorithm
from forebear.learning.growth import make_growth, sets_can_grow
from forebear.learning.searching import make_result
from forebear.learning.start import StartNetwork
from forebear.parentsets.coverage import CUT_SHORT
from forebear.search.algorithm import make_runners
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import run
from forebear.search.stop import AnyOf, NoImprovement, Target, make_stop, parts_of

if TYPE_CHECKING:
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.steps import Means
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.job import Job

_ENDS_THE_RUN = ("interrupted", "cancelled", "target")
"""Reasons to stop this search after which no other search follows."""


@dataclass(frozen=True)
class FirstNetwork:
    """A network that was found before all sets were scored.

    Attributes
    ----------
    result
        The network.
    sets
        The parent sets that it is made of, among others.
    begun
        When the search for it began, in seconds since the start of the run.
    """

    result: Result
    sets: ParentSets
    begun: float

    @property
    def ends_the_run(self) -> bool:
        """Whether no other search follows: the user has interrupted it, or it is good enough."""
        return self.result.stop_reason in _ENDS_THE_RUN

    def final(self) -> Result:
        """Return the result of a run that ends with this network."""
        if self.ends_the_run:
            return self.result
        made = {**self.result.provenance, CUT_SHORT: True}
        return replace(self.result, stop_reason="time", provenance=made)

    def as_start(self) -> StartNetwork:
        """Return the network for the search that follows."""
        return StartNetwork.among_own(self.result.network, self.sets)


def find_first_network(
    job: Job,
    max_parents: int | None,
    known: Enforced,
    request: SearchRequest,
    means: Means,
    start: StartNetwork | None,
) -> FirstNetwork | None:
    """Score the smallest sets of a job, and search them for a few generations.

    None if the algorithm could not have found the network itself: a user who asks for hill climbing
    should get that. None also if orders cannot enforce the knowledge.
    """
    made = request.algorithm.made
    own = made if isinstance(made, PSMINOBS) else PSMINOBS()
    may = request.exact is not None or isinstance(made, PSMINOBS)
    n = job.data.n_variables
    if not (may and own.rate in (None, 1.0) and known.relations.are_orders and sets_can_grow(n)):
        return None
    quiet = replace(means, watcher=Quiet(means.watcher), cache=None, executor=None)
    algorithm = NamedAlgorithm(request.algorithm.name, replace(own, chains=1, rate=None))
    if request.exact is not None:
        algorithm = replace(algorithm, name="ps-minobs")
    searched = replace(request, algorithm=algorithm, executor=None, checkpoint=None)
    try:
        growth = make_growth(job, known, quiet, max_parents, searched, start)
    except LimitError:  # what follows says better what is wrong
        return None
    given = [] if request.stop is None else parts_of(request.stop)
    targets = [rule for rule in given if isinstance(rule, Target)]
    clock = means.clock
    rule = make_stop(
        AnyOf(NoImprovement(generations=FIRST_IDLE_GENERATIONS), *targets),
        time_limit=max(clock.left(), 1e-9) if request.timed and clock.limit is not None else None,
        generations=FIRST_GENERATIONS,
    )
    begun = clock.spent()
    runners = make_runners(
        growth.first,
        searched.algorithm.search,
        seed=request.seed,
        started=time.perf_counter(),
        growth=growth,
        relations=known.relations,
        threads=request.threads,
    )
    outcome = run(runners, stop=rule, threads=request.threads, watcher=request.watcher)
    clock.lap("search")
    sets = outcome.winner.parent_sets()
    if sets is None or outcome.winner.score == -math.inf:
        return None  # variables lack parents that they must have; the search goes on
    result = make_result(
        sets, outcome, algorithm.name, algorithm.search, request.seed, known.relations
    )
    return FirstNetwork(result, sets, begun)
