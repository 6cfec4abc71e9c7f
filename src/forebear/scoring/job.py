"""Job: the table, score and limits of scoring. ScoringRun: a run of the core over a job."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from forebear import __version__, _core
from forebear._util.checks import check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear._util.machine import cores
from forebear._util.text import counted
from forebear._util.watcher import TICK_SECONDS
from forebear.data.dataset import Dataset
from forebear.data.packed_table import pack
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.ranked_sets import RankedArrays
from forebear.scoring.available_cases import check_scorable
from forebear.scoring.constraints import Constraints
from forebear.scoring.max_parents import check_max_parents
from forebear.scoring.priors import log_priors
from forebear.scoring.scores import Score, as_score

NO_LIMIT = 1 << 62


def _visited(n_variables: int, max_parents: int) -> int:
    """Return the number of families that one walk over all sets of variables visits."""
    return sum(size * math.comb(n_variables, size) for size in range(1, max_parents + 2))


@dataclass(frozen=True)
class Job:
    """The table, the score and the limits of a scoring job."""

    data: Dataset
    score: Score
    constraints: Constraints
    max_parents: int
    max_sets: int | None
    threads: int
    max_candidates: int | None = None  # set if it determined the constraints
    margin: float = 0.0  # a set is pruned if a subset scores this many nats more

    @cached_property
    def shared_walk(self) -> bool:
        """Whether one walk over all sets scores the variables that were never set.

        With few allowed parents, a separate walk for each variable visits fewer families. A
        variable that was set in some rows has a walk of its own, because its families are counted
        on the others.
        """
        if self.constraints.allowed is None and self.data.row_sets is None:
            return True
        never_set = [v for v in range(self.data.n_variables) if not self._was_set(v)]
        return self._work_alone(never_set) >= self._whole_work

    @property
    def alone(self) -> list[int]:
        """The variables that are scored by a walk of their own."""
        variables = range(self.data.n_variables)
        return [v for v in variables if not self.shared_walk or self._was_set(v)]

    @property
    def work(self) -> int:
        """The number of families that the walks visit; it measures time and progress."""
        return self.shared_walk * self._whole_work + self._work_alone(self.alone)

    @property
    def n_tables(self) -> int:
        """The number of tables that families are scored on; one without experiments."""
        return len(set(self.data.row_sets or (0,)))

    def _was_set(self, v: int) -> bool:
        return self.data.row_sets is not None and self.data.row_sets[v] > 0

    @property
    def _whole_work(self) -> int:
        return _visited(self.data.n_variables, self.max_parents)

    def _work_alone(self, variables: Iterable[int]) -> int:
        # Of the largest sets, only those that contain the variable itself are visited.
        most, candidates = self.max_parents, self.constraints.candidates.tolist()
        return sum(
            times * (_visited(own + 1, most - 1) + (most + 1) * math.comb(own, most))
            for own, times in Counter(candidates[v] for v in variables).items()
        )

    @property
    def counted_rows(self) -> int:
        """The number of rows for estimates of the work.

        Integer weights count as repeated rows, so that both give the same result. With fractional
        weights, the stored rows count, because a table would seem larger than it is.
        """
        return self.data.n_rows if self.data.copies == 1 else self.data.n_stored

    @property
    def id_type(self) -> np.dtype[np.uint16 | np.uint32]:
        """The type of a parent's index; its largest value stands for an unused place."""
        narrow = self.data.n_variables < np.iinfo(np.uint16).max
        return np.dtype(np.uint16 if narrow else np.uint32)

    @property
    def table(self) -> _core.PackedTable:
        """The packed table for the core. It is created once, and kept as long as the table."""
        return pack(self.data, self.threads)

    @property
    def core_arguments(self) -> dict[str, Any]:
        """The arguments of every computation of the core: the score, the arcs and the threads."""
        return {
            **self.core_score,
            **self.constraints.core_arguments,
            "threads": self.threads,
        }

    @property
    def core_score(self) -> dict[str, Any]:
        """The arguments of the core that define the score."""
        score = self.score
        prior = () if score.prior == "uniform" else log_priors(score.prior, self.data.n_variables)
        return {
            "score": score.name,
            "prior": list(prior),
            "ess": list(score.sizes),
        }

    @property
    def key(self) -> str:
        """A hash of everything that determines the sets: jobs with equal keys have equal sets."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr(sorted(self.provenance.items(), key=lambda item: item[0])).encode())
        if self.constraints.allowed is not None:
            digest.update(self.constraints.allowed.tobytes())
        digest.update(repr(sorted(self.constraints.required.items())).encode())
        if self.constraints.useful is not None:
            digest.update(self.constraints.useful.tobytes())
            digest.update(str(self.constraints.most_useful).encode())
        return digest.hexdigest()

    @property
    def provenance(self) -> dict[str, Any]:
        """How the sets were scored; the same for every run of the same job."""
        provenance = {
            "forebear": __version__,
            **self.score.provenance,
            "max_parents": self.max_parents,
            "rows": self.data.n_rows // self.data.copies,
            "arities": self.data.arities.tolist(),
            "data": self.data.fingerprint,
            "families": self.constraints.families(self.max_parents),
        }
        if self.data.row_sets is not None:
            provenance["row_sets"] = list(self.data.row_sets)
        if self.data.has_missing:
            provenance["missing"] = self.data.missing
            provenance["missing_share"] = self.data.missing_share
        if self.margin:
            provenance["margin"] = self.margin
            provenance["prior"] = self.score.prior  # these sets are sampled, also with "uniform"
        if self.max_sets is not None:
            provenance["max_sets_per_variable"] = self.max_sets
        if self.max_candidates is not None:
            provenance["max_candidates"] = self.max_candidates
        if self.constraints.allowed is not None or self.constraints.required:
            provenance["constrained"] = True
        if self.constraints.useful is not None or not self.constraints.complete_for_paths:
            provenance["constrained"] = True
            provenance["complete_for_paths"] = self.constraints.complete_for_paths
        return provenance


def make_job(
    data: Dataset,
    *,
    score: Score | str = "bdeu",
    max_parents: int,
    constraints: Constraints | None = None,
    max_sets_per_variable: int | None = None,
    threads: int | None = None,
) -> Job:
    """Check the settings of a scoring job and build the job."""
    if max_sets_per_variable is not None:
        check_whole(1, math.inf, max_sets_per_variable=max_sets_per_variable)
    chosen = as_score(score)
    check_scorable(data, chosen)
    constraints = constraints or Constraints(data.n_variables)
    limit = check_max_parents(max_parents, data.n_variables)
    for child, parents in constraints.required.items():
        if len(parents) > limit:
            raise ForebearError(
                f"variable {data.names[child]!r} must have {counted(len(parents), 'parent')}, but ",
                Parameter("max_parents"),
                f" is {limit}",
            )
    return Job(
        data=data,
        score=chosen,
        constraints=constraints,
        max_parents=limit,
        max_sets=None if max_sets_per_variable is None else int(max_sets_per_variable),
        threads=int(threads or cores()),
    )


class ScoringRun:
    """A run of the core over a job. It can be watched and cancelled.

    Parameters
    ----------
    job
        What to score.
    byte_limit
        Memory for the run, in bytes.
    part
        The part of the job to score (``forebear.scoring.parts``). Default: the whole.
    budget
        Time limit of the run. Default: no limit.
    all_sizes
        Whether to score sets of all sizes, regardless of the ``max_parents`` of the job.
    """

    def __init__(
        self,
        job: Job,
        byte_limit: int = NO_LIMIT,
        part: range | None = None,
        budget: _core.Budget | None = None,
        *,
        all_sizes: bool = False,
    ) -> None:
        self.job = job
        self._byte_limit = byte_limit
        self._budget = budget or _core.Budget(None)
        members = part or range(job.data.n_variables)
        most = -1 if all_sizes else job.max_parents
        self._run = _core.Scoring.make(
            table=job.table,
            chi_squared=job.score.critical_values(job.data.arities, most),
            max_parents=most,
            max_sets=job.max_sets or 0,
            together=job.shared_walk,
            margin=job.margin,
            **job.constraints.core_useful,
            byte_limit=min(byte_limit, NO_LIMIT),
            first_member=members.start,
            last_member=members.stop,
            **job.core_arguments,
        )

    @property
    def done(self) -> int:
        """The number of families visited so far, or of sets of variables with ``all_sizes``."""
        return self._run.done

    @property
    def largest(self) -> int:
        """The number of parents of the largest set, after the run."""
        return self._run.slots

    def run(self) -> str:
        """Run, and return "done", or why the run stopped: "memory", "time" or "cancelled"."""
        try:
            return self._run.run(self._budget)
        except MemoryError:
            return "memory"

    def cancel(self) -> None:
        """Stop the run. Any thread may call this."""
        self._budget.cancel()

    def watch(self, progress: Callable[[int], None] | None) -> str:
        """Run to the end and report the progress; an interrupt cancels the run."""
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(self.run)
            try:
                while True:
                    try:
                        return future.result(timeout=TICK_SECONDS)
                    except NotYet:
                        if progress:
                            progress(self.done)
            except BaseException:
                self.cancel()
                raise

    def arrays(self) -> RankedArrays:
        """Return the ranked sets of a finished run."""
        total = sum(self._run.counts())
        if total * (8 + self.largest * self.job.id_type.itemsize) > self._byte_limit:
            raise MemoryError
        return RankedArrays(*self._run.arrays())

    def collect(self, **about: Any) -> ParentSets:
        """Return the ranked sets of a finished run; ``about`` is added to the provenance."""
        job = self.job
        provenance = {**job.provenance, **about}
        return ParentSets(job.data.names, *self.arrays(), provenance, threads=job.threads)
