"""bootstrap_averages(): how sure arcs are, told by learning from resampled rows."""

from __future__ import annotations

from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.budget import CORE_DYNAMIC_VARIABLES
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError
from forebear._util.text import parse_bytes
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.encoding import DEFAULT_BINS
from forebear.learning.learn import learn
from forebear.learning.plan import SCORING_SHARE, fit_max_parents, preferred_max_parents
from forebear.learning.steps import Clock, reading_options
from forebear.scoring.cost import Limits
from forebear.scoring.scoring import make_job
from forebear.uncertainty.averaging import Averages, average

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forebear.data.discretization import Discretize
    from forebear.data.encoding import Missing
    from forebear.result import Result

DEFAULT_REPLICATES = 20
DEFAULT_SECONDS = 60.0

_TAKEN = ("cache", "checkpoint", "checkpoint_interval")
"""Options of ``learn`` that are about one table, and here there are many."""

_PLANNED = 0.5
"""Of its time, a replicate is planned to take so much: none may fail because it is slower."""

_OF_JOBS = ("score", "threads", "required", "forbidden", "tiers", "max_sets_per_variable")


def bootstrap_averages(
    data: Any,
    *,
    replicates: int = DEFAULT_REPLICATES,
    time_limit: float | None = None,
    generations: int | None = None,
    seed: int | None = None,
    missing: Missing = "error",
    discretize: Discretize | None = None,
    bins: int | Mapping[str, int] = DEFAULT_BINS,
    on_replicate: Callable[[int, Result], None] | None = None,
    **options: Any,
) -> Averages:
    """Learn from rows drawn with replacement, many times; tell how often each arc is there.

    This is the bootstrap of Friedman, Goldszmidt and Wyner (1999). Each of the
    ``replicates`` draws as many rows as the table has, and learns one network.
    ``time_limit`` is for all of them together (60 seconds); under a limit of
    ``generations`` of each there is none unless given, and the same ``seed``
    gives the same averages. ``options`` are those of ``learn``;
    ``on_replicate`` hears of each network, counted from 1. Interrupted, it
    averages those that are finished.
    """
    if replicates < 1:
        raise ForebearError(f"replicates must be at least 1, got {replicates}")
    for name in _TAKEN:
        if name in options:
            raise ForebearError(f"a bootstrap learns from many tables: leave {name} out")
    check_run(seed=seed)
    if time_limit is None and generations is None:
        time_limit = DEFAULT_SECONDS
    clock = Clock(time_limit)
    table = as_dataset(data, **reading_options(data, missing, discretize, bins))
    # Of few variables the proof is what ends the search early; of more it takes time.
    if table.n_variables > CORE_DYNAMIC_VARIABLES:
        options = {"certify": False, **options}
    if time_limit is not None and generations is None and options.get("max_parents") is None:
        share = clock.left() / replicates
        options["max_parents"] = _most_parents(table, _PLANNED * share, options)
    found = []
    for number, one in enumerate(np.random.SeedSequence(_seed(seed)).spawn(replicates), 1):
        left = None if time_limit is None else clock.left() / (replicates + 1 - number)
        rows, learning = one.generate_state(2, np.uint64).tolist()
        result = learn(
            resampled(table, np.random.default_rng(rows)),
            time_limit=None if left is None else max(left, 0.01),
            generations=generations,
            seed=learning,
            cache=False,
            **options,
        )
        if result.stop_reason == "interrupted":
            break
        found.append(result.network.parents)
        if on_replicate:
            on_replicate(number, result)
    if not found:
        raise KeyboardInterrupt
    return average(table.names, found, [1.0] * len(found))


def _most_parents(table: Dataset, seconds: float, options: Mapping[str, Any]) -> int | None:
    """Choose the in-degree once, so that it is the same in all replicates.

    Where variables are so many that each has but some candidates, ``learn``
    knows what to do.
    """
    memory = options.get("max_memory")
    limits = Limits.given(None if memory is None else parse_bytes(memory), SCORING_SHARE * seconds)
    given = {name: options[name] for name in _OF_JOBS if name in options}
    job = make_job(table, max_parents=preferred_max_parents(table.n_variables), **given)
    chosen, _, _ = fit_max_parents(job, limits, lambda _: None)
    return chosen.max_parents if chosen.max_candidates is None else None


def resampled(table: Dataset, rng: np.random.Generator) -> Dataset:
    """Draw as many rows as there are, with replacement; all states stay declared."""
    rows = rng.integers(0, table.n_rows, table.n_rows)
    return Dataset(codes=table.codes[:, rows], names=table.names, states=table.states)


def _seed(seed: int | None) -> int:
    return randbits(63) if seed is None else seed
