"""The budget of a run: one clock, and one table of time shares and size thresholds.

Every number that decides how time is divided, or from which size on something else is done,
stands here, with what it was chosen by. Two machine cores and the paper's four tables
(audio-train, jester-train, pumsb-star-test, reuters-test) were used unless said otherwise.
"""

from __future__ import annotations

import math
import threading
import time

# ---- how long a run may take -------------------------------------------------------------

DEFAULT_SECONDS = 60.0
"""The time limit where none is given. All paper tables reach their best known score within it."""

DEFAULT_IDLE_SECONDS = 10.0
"""Without a given limit, a run also ends after this long without improvement. The longest such
pause before a later improvement on the paper's tables was 9 s; half of it cut reuters-test short."""

# ---- how the time of learn() is divided ---------------------------------------------------

SCORING_SHARE = 0.4
"""Share of the time that scoring is planned for. At 0.6 the search of audio-train in 10 s ended
15 nats lower; at 0.2 a parent fewer was chosen for tables of 60 to 100 variables."""

SCORING_LIMIT_CHOSEN = 0.6
"""Share of the time left after which scoring with a max_parents that we chose is given up, and
one parent fewer is tried: predictions were up to 1.5 times low."""

SCORING_LIMIT_GIVEN = 0.9
"""Likewise with a max_parents that the user gave: the search keeps a tenth."""

DEEPENING_PLANNED_SHARE = 0.25
"""Share of the time left that scoring larger sets is planned for."""

DEEPENING_TRIED_SHARE = 0.15
"""Share of the time left after which no further way of scoring larger sets is tried."""

DEEPENING_LIMIT = 0.5
"""Share of the time left after which scoring larger sets is given up."""

PROOF_SHARE = 0.1
"""Share of the search time that a proof gets by default: the bound of audio-train is within
0.05 % after 6 s, and six times as long gains 0.03 %."""

PROOF_SHARE_ASKED = 0.5
"""Likewise where the user asked for a proof (certify=True)."""

PROOF_MOST_SECONDS = 60.0
"""A proof takes at most this long where there is no time limit."""

PROOF_IDLE_SHARE = 0.08
"""Share of the search time without improvement after which a small problem is proven instead.
With networks of up to 64 variables the best score came within 2 % of the time."""

PROOF_LEAST_IDLE = 1.0
"""Seconds without improvement before a small problem is proven, at least."""

PROOF_BOUND_SHARE = 0.3
"""Share of the proof's time for the bound that drops sets before exact search begins."""

LEAST_SEARCH_SECONDS = 0.05
"""The search gets this long even if everything before it took all the time."""

LEAST_RUN_SECONDS = 0.01
"""A search runs this long even if its preparation took all the time."""

CHECK_SECONDS = 3e-8
"""Seconds per row and variable that re-scoring the network takes, at most."""

CHECK_MOST_SHARE = 0.2
"""Share of the time left that is kept for this check, at most."""

REPLICATE_SHARE = 0.5
"""Share of its time that a bootstrap replicate is planned for: none may fail because it is slow."""

# ---- how the time of exact search is divided ----------------------------------------------

WARM_UP_SHARE = 0.2
"""Share of the time for a search that finds the first incumbent, at most."""

WARM_UP_GENERATIONS = 3
"""This search ends after so many generations per variable without improvement."""

FIRST_BOUND_SHARE = 0.1
"""Share of the time left for a first bound, where there are many sets."""

# ---- sizes --------------------------------------------------------------------------------

DYNAMIC_VARIABLES = 20
"""Up to this many variables dynamic programming takes a second or two, whatever the sets are."""

CORE_DYNAMIC_VARIABLES = 18
"""Up to this many the core solves exactly while it bounds; each further one doubles the memory."""

PROVABLE_VARIABLES = 64
"""Up to this many variables learn() proves as soon as the search is idle. Most networks of this
size were proven within seconds; of larger ones few."""

CUTTING_SETS = 50_000
"""Below this many sets branch and cut starts with its own linear program; above, a bound pays."""

SOLVABLE_SETS = 300_000
"""Branch and cut is tried on at most this many sets; with more it proved nothing in a minute."""

SAMPLED_SETS = 50_000_000
"""From this many sets on, a search starts on a sample of them."""

SAMPLE_SETS = 12_500_000
"""The size of that sample: a quarter of the threshold, as widening doubles it twice."""

DEEPENED_SETS = 50_000_000
"""With more sets than this no larger ones are added: they fill the time of the search already."""

DEEPENED_VARIABLES = 20
"""From this many variables on larger sets are added; below, up to six parents are tried anyway."""


class Clock:
    """A time limit that can be cancelled, and what each step took.

    Parameters
    ----------
    limit
        Seconds from the start; None means no limit.
    started
        The start as ``time.perf_counter`` tells it. Default: now.
    """

    def __init__(self, limit: float | None = None, started: float | None = None) -> None:
        self.limit = limit
        self.laps: dict[str, float] = {}
        self.started = self._last = time.perf_counter() if started is None else started
        self._cancelled = threading.Event()

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
