"""bootstrap_averages(): how often each arc is learned from bootstrap samples of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from secrets import randbits
from typing import Any

import numpy as np

from forebear._util.checks import check_run, check_whole
from forebear._util.errors import (
    ForebearError,
    InterruptWarning,
    Parameter,
    warn_if_interrupted,
)
from forebear._util.progress import Progress
from forebear._util.text import counted
from forebear.budget import (
    DEFAULT_SECONDS,
    LEAST_STEP_SECONDS,
    Clock,
)
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.read_options import ReadOptions
from forebear.data.row_weights import reject_real_weights
from forebear.data.summarize_table import warn_of_suspicions
from forebear.learning.compare_with_shuffled import ChanceWarning
from forebear.learning.learn import learn
from forebear.network.averages import Averages, average
from forebear.network.graphs import Neighbors
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.result import Result

DEFAULT_REPLICATES = 20

_REJECTED_OPTIONS = ("cache", "checkpoint")
"""Parameters of ``learn`` that refer to a single table; a bootstrap has many tables."""


def bootstrap_averages(
    data: Any,
    *,
    replicates: int = DEFAULT_REPLICATES,
    time_limit: float | None = None,
    generations: int | None = None,
    seed: int | None = None,
    read: ReadOptions | None = None,
    on_replicate: Callable[[int, Result], None] | None = None,
    **options: Any,
) -> Averages:
    """Learn from bootstrap samples of the rows and count how often each arc is learned.

    This is the bootstrap of Friedman, Goldszmidt and Wyner (1999). If it is interrupted by Ctrl-C,
    the finished replicates are averaged and a ``ForebearWarning`` is issued. The ``stop_reason`` of
    the averages is then "interrupted".

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    replicates
        Number of bootstrap samples, each with as many rows as the table.
    time_limit
        Time limit for all replicates together, in seconds. Default: 60; no limit with
        ``generations``.
    generations
        Stop every search after this many generations. The same seed then gives the same averages.
    seed
        Random seed. Default: random.
    read
        How to read the table. Default: ``ReadOptions()``.
    on_replicate
        Called with the number (from 1) and the result of every replicate.
    **options
        Other parameters of ``learn``.

    Returns
    -------
    Averages
        The share of the replicates that have each arc, edge and Markov blanket relation.
    """
    check_whole(1, replicates=replicates)
    threads = options.get("threads")
    check_run(time_limit=time_limit, generations=generations, threads=threads, seed=seed)
    if on_replicate is not None and not callable(on_replicate):
        raise ForebearError(Parameter("on_replicate"), f" must be a function, got {on_replicate!r}")
    for name in _REJECTED_OPTIONS:
        if name in options:
            raise ForebearError("a bootstrap learns from many tables: leave out ", Parameter(name))
    if time_limit is None and generations is None:
        time_limit = DEFAULT_SECONDS
    clock = Clock(time_limit)
    table = as_dataset(data, read)
    reject_real_weights(table, "a bootstrap sample has whole rows")
    warn_of_suspicions(table, data)
    # With few variables, a proof ends the search early; with more, it only takes time.
    if table.n_variables > DYNAMIC_VARIABLES:
        options = {"certify": False, **options}
    options = {"watcher": Progress(), **options}  # a notebook would display every replicate
    networks: list[Neighbors] = []
    results = _learn_replicates(table, replicates, clock, generations, seed, options)
    try:
        for number, result in enumerate(results, 1):
            networks.append(result.network.parents)
            if on_replicate:
                on_replicate(number, result)
    except KeyboardInterrupt:
        if not networks:
            raise
    averages = average(table.names, networks, replicates)
    incomplete = f"the averages are of {len(networks):,} of {counted(replicates, 'network')}"
    warn_if_interrupted(averages.stop_reason, incomplete, stacklevel=3)
    return averages


def _learn_replicates(
    table: Dataset,
    replicates: int,
    clock: Clock,
    generations: int | None,
    seed: int | None,
    options: Mapping[str, Any],
) -> Iterator[Result]:
    """Learn from one bootstrap sample after another, each in an equal share of the time left."""
    root = np.random.SeedSequence(randbits(63) if seed is None else seed)
    for number, sequence in enumerate(root.spawn(replicates)):
        left = None if clock.limit is None else clock.left() / (replicates - number)
        rows, learning = sequence.generate_state(2, np.uint64).tolist()
        sample = resample(table, np.random.default_rng(rows))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptWarning)  # the caller issues a single warning
            warnings.simplefilter("ignore", ChanceWarning)  # the shares of the arcs show it
            result = learn(
                sample,
                time_limit=None if left is None else max(left, LEAST_STEP_SECONDS),
                generations=generations,
                seed=learning,
                cache=False,
                **options,
            )
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        yield result


def resample(table: Dataset, rng: np.random.Generator) -> Dataset:
    """Draw as many rows as the table has, with replacement. The declared states do not change."""
    # Sorted, as weighted rows are, so that later draws from this sample are the same.
    return table.take(np.sort(rng.integers(0, table.n_rows, table.n_rows)))
