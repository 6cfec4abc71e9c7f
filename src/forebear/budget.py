"""The budget of a run: one clock, and one table of time shares and size thresholds.

Every number that decides how time is divided, or from which size on something else is done,
stands here, with its reason. "Judgement" means that no recorded measurement chose the number.
"""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# ---- how long a run may take -------------------------------------------------------------

DEFAULT_SECONDS = 60.0
"""The time limit where none is given. With two threads the paper's four tables reach their best
known score in at most 46 s (ten seeds each, benchmarks/results/search.md)."""

DEFAULT_IDLE_SECONDS = 10.0
"""If no limit is given, a run also ends after this many seconds without improvement. Judgement."""

# ---- how the time of learn() is divided ---------------------------------------------------

SCORING_SHARE = 0.6
"""Share of the time left that scoring may take; then the sets up to the largest size that is
complete are searched. Judgement."""

QUICK_WORK = 200_000_000
"""Families times rows: up to this many are scored in a tenth of a second or two. Then there is no
first network, and no need for one."""

LATE_SCORING_WORK = 10_000_000_000
"""Families times rows. Up to this many, the smallest parent sets are scored even if the time is
over before they are: a late network is better than none. This covers 100 variables with a million
rows: half a second with two states, a few seconds with many. On a busy machine, loading the program
alone can take seconds. Judgement."""

FIRST_GENERATIONS = 30
FIRST_IDLE_GENERATIONS = 5
"""With few variables, a search of small sets comes before all sets are scored. It ends after 30
generations, or after five in a row without a better network. Judgement."""

PROOF_SHARE = 0.1
"""Share of the search time that a proof gets by default. Judgement."""

PROOF_SHARE_ASKED = 0.5
"""Share of the search time that a proof gets if the user asks for one (certify=True). Judgement."""

PROOF_MOST_SECONDS = 60.0
"""A proof takes at most this long where there is no time limit."""

LEAST_SEARCH_SECONDS = 0.05
"""The search gets this long even if everything before it took all the time."""

LEAST_RUN_SECONDS = 0.01
"""A search runs this long even if its preparation took all the time."""

CHECK_SECONDS = 4e-9
"""Seconds per row and variable that re-scoring a network takes. It took 1e-9 for alarm with 2 and
10 million rows, and 2e-9 to 4e-9 for families of up to 4,096 cells with 100,000 rows. With as many
cells as rows it takes ten times as long, but few families are so large, and none if rows are many.
"""

CHECK_GAPS_SECONDS = 2e-7
CHECK_GAPS_VARIABLE = 3e-3
"""Seconds per row and variable, and per variable, that it takes where values are missing: the
subsets of every parent set are scored, too. It took 1 s for 5,000 rows of 300 variables."""

CHECK_MOST_SHARE = 0.8
"""Share of the time left that is kept for this check and for writing files, at most. A report and a
.bif file of 5,000 variables take 7 s; with 12 s in all and 4 s of reading, 0.4 was too little."""

# ---- how validation divides its time, and how many rows it holds out -----------------------

VALIDATION_SHARE = 0.4
"""Share of the time of learn() that held-out trials get. Judgement."""

TRIAL_LIMITED_WEIGHT = 0.3
"""A trial with a limit on parents gets this share of the time of one without: few parents are
searched soon. Judgement."""

TRIAL_IDLE_SHARE = 0.25
"""A trial ends after this share of its time without improvement. Judgement."""

TRIAL_LEAST_SECONDS = 1.0
"""A trial gets this many seconds, even if there is then no time for others. In less, 18 variables
could not be scored on a busy machine."""

HOLDOUT_SHARE = 0.1
HOLDOUT_ROWS = 250
HOLDOUT_MOST_SHARE = 0.25
"""A tenth of the rows is held out by default; with few rows up to a quarter, so that 250 rows are.
With 500 of the 1,600 rows of dna, bic was chosen with one of three seeds, and predicts worse."""

HOLDOUT_TIMES = 5
"""If time is left, other rows are held out, up to five times in all. Judgement."""

HOLDOUT_ROUNDS = 3
"""With few rows the time is divided so that rows can be held out three times: one split of dna
(1,600 rows) could not tell bic from bdeu. Where a tenth is more than 250 rows, one is enough."""

# ---- how learning from missing values by em divides its time ------------------------------

EM_FIRST_SHARE = 0.25
"""Share of the time for the first network, from the available rows. Judgement."""

EM_ROUND_SHARE = 0.4
"""Share of the time left that a further round gets; most end before, since they start from a good
network. Judgement."""

EM_ROUNDS = 5
"""Rounds at most; the last has all the time that is left. Judgement: in trials with insurance the
criterion rose in up to three."""

EM_IDLE_SHARE = 0.5
EM_LEAST_IDLE = 1.0
"""A round ends after this share of its time without improvement, but not within the first second.
With a quarter, rounds of a second on 20,000 completed rows of insurance ended too early."""

EM_LEAST_SECONDS = 0.2
"""With less time than this no further round starts."""

# ---- how the time of exact search is divided ----------------------------------------------

WHOLE_VARIABLES = 13
"""Up to this many variables all parent sets are scored: 53,000 families."""

ALL_SETS_WORK = 1 << 30
ALL_SETS_WORK_WHOLE = 1 << 33
"""Sets of variables times rows. Up to this many, `learn` scores all parent sets, of any size: 19
variables with 2,000 rows; the second with up to 13 variables, which share more of the work. It took
2.7 ns each at most on one thread, and 0.2 ns for 13 variables (19 variables of 2, 3 and 8 states
with 2,000 to 200,000 rows; 13 with 1,000,000), so three seconds at most."""

AT_ONCE_WORK = 10_000_000_000
"""Families times rows. With fewer than 20 variables, up to this many are scored before the search;
with more, parent sets grow. They take 0.8 ns each or less. Judgement."""

CHOSEN_WORK = 500_000_000_000
"""Families times rows that are scored by default where parent sets do not grow. On two threads they
take 2 to 40 s with two to six states; with more states the clock may end them. With a fiftieth,
tabu search had two parents on a table of 120 variables, and ended with a score 4 % lower."""

WARM_UP_SHARE = 0.2
"""Share of the time, at most, for the search that finds a first incumbent. Judgement."""

WARM_UP_GENERATIONS = 3
"""This search ends after this many generations per variable without improvement. Judgement."""

# ---- sizes --------------------------------------------------------------------------------

GROWING_VARIABLES = 20
"""From this many variables on parent sets grow as the search asks for them. With fewer, all sets of
up to six parents are scored."""

GROWTH_MANY_VARIABLES = 1_000
GROWTH_CANDIDATES = 100
"""Beyond 1,000 variables, sets grow by the 100 candidates that explain a variable best alone: what
is remembered of every set asked for grows with the number of candidates. Judgement."""

GROWTH_PATH_VARIABLES = 5_000
"""Parent sets grow under knowledge about paths with up to this many variables: the costs of all
arcs take eight bytes per pair of variables, 200 MB for as many, and a few copies."""

DYNAMIC_VARIABLES = 20
"""Up to this many variables dynamic programming takes a second or two, whatever the sets are;
each further variable doubles its time and memory."""

CORE_DYNAMIC_VARIABLES = 18
"""Up to this many variables the core solves exactly while it bounds. Each further one doubles
the memory."""

SOLVABLE_SETS = 300_000
"""Linear programs are tried on at most this many sets that the dual ascent leaves. Judgement."""

SAMPLED_SETS = 50_000_000
"""From this many sets on, a search starts on a sample of them. Judgement: up to 20 million sets
(the paper's tables) searching all of them was at least as good."""

SAMPLE_SETS = 12_500_000
"""The size of that sample: a quarter of the threshold."""


class Clock:
    """A time limit that can be cancelled, and what each step took.

    Parameters
    ----------
    limit
        Seconds from the start; None means no limit.
    started
        The value of ``time.perf_counter`` at the start. Default: now.
    """

    def __init__(self, limit: float | None = None, started: float | None = None) -> None:
        self.limit = limit
        self.laps: dict[str, float] = {}
        self.started = self._last = time.perf_counter() if started is None else started
        self._cancelled = threading.Event()
        self._hooks: list[Callable[[], None]] = []

    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def left(self) -> float:
        """Seconds until the limit: infinite without one, 0 once cancelled, negative when over."""
        if self.cancelled:
            return 0.0
        return math.inf if self.limit is None else self.limit - self.spent()

    def share(self, share: float) -> float | None:
        """A share of the seconds left, at least 0; None without a limit."""
        return None if self.limit is None else share * max(self.left(), 0.0)

    @property
    def expired(self) -> bool:
        """Whether no time is left."""
        return self.left() <= 0.0

    def cancel(self) -> None:
        """Let the time be over now. Any thread may call this."""
        self._cancelled.set()
        for hook in tuple(self._hooks):
            hook()

    @contextmanager
    def cancelling(self, hook: Callable[[], None]) -> Iterator[None]:
        """Call a function if the time is cancelled while the block runs."""
        self._hooks.append(hook)
        try:
            if self.cancelled:
                hook()
            yield
        finally:
            self._hooks.remove(hook)

    def part(self, seconds: float) -> Clock:
        """Return a clock for the next seconds, at most until the limit."""
        part = Clock(min(seconds, self.left()))
        part._cancelled, part._hooks = self._cancelled, self._hooks
        return part

    def part_of(self, share: float) -> Clock:
        """Return a clock for a share of the time left; it has no limit if this one has none."""
        return self if self.limit is None else self.part(share * max(self.left(), 0.0))

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled.is_set()

    def lap(self, name: str) -> float:
        """Note what the step that ends now took, and return it."""
        now = time.perf_counter()
        took, self._last = now - self._last, now
        self.laps[name] = self.laps.get(name, 0.0) + took
        return took


# ---- how sample_posterior() divides its time, and what it keeps -----------------------------

POSTERIOR_SEARCH_SHARE = 0.15
"""Share of the time left after scoring for the search that finds networks to start from.
Judgement."""

POSTERIOR_SEARCH_GENERATIONS = 10
"""Generations of that search where the number of sweeps is given instead of a time. Judgement."""

POSTERIOR_WIDENING_SHARE = 0.3
"""Share of the time left after which no more sets are added. Judgement."""

POSTERIOR_WARM_UP_SHARE = 0.2
"""Share of the sampling that is dropped: the chains first have to forget where they began.
Judgement."""

POSTERIOR_WARM_UP_ROUNDS = 4
"""Parts of the warm-up: between two, the temperatures are adjusted and the parent sets grow. Two
adjustments bring the exchanges near their goal. Judgement."""

POSTERIOR_GROWTH_SHARE = 0.3
"""Share of a round of the warm-up for the growth before it. Judgement."""

POSTERIOR_MOST_DRAWS = 2000
"""A chain keeps this many draws or up to twice as many: more would be no better, since neighbours
in a long chain are alike, and files and diagnostics would be large."""

WIDENING_FAMILIES = 8_000_000
"""All sets up to the largest size with at most this many families are scored: a few seconds."""

WIDENING_EXPANDED = 30_000_000
"""Families that are scored beyond these, at most, divided among the variables."""

WIDENING_LEAST_EXPANDED = 20
"""Sets per variable whose neighbours are scored at least. Judgement."""

WIDENING_SETS = 4_000_000
"""Sets that are kept for sampling at most, divided among the variables: about 0.5 GB."""
