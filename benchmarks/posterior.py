"""How right are posterior probabilities, and how soon do the chains agree?

    python benchmarks/posterior.py exact --networks DIR
    python benchmarks/posterior.py convergence --networks DIR --time-limit 600
    python benchmarks/posterior.py calibration --networks DIR --only alarm hailfinder
    python benchmarks/posterior.py priors --networks DIR --only alarm hailfinder

exact: the largest error of an arc probability beside the exact sums, after --time-limit seconds.
convergence: R-hat and effective draws of the score, and the largest R-hat of an arc.
calibration: among arcs of posterior probability p, how many are true? The expected calibration
error (ECE) is the mean over ten bins of |mean probability - share of true arcs|, weighted by the
number of arcs, over arcs with a probability of 0.01 or more. In brackets, the error by chance if
every arc is true with its probability, independently of the others. The log loss also rewards
probabilities that are far from 0.5 on the right side.
priors: the same error of exact posteriors, without any sampling, by prior and equivalent sample
size, on parts of the networks that are small enough for it (with a variable, all of its ancestors).

Tables have 1,000 rows. DIR holds networks with probabilities (alarm.bif.gz, ...).
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from forebear import (
    BDeu,
    Dataset,
    FittedNetwork,
    as_dataset,
    exact_posterior,
    read_fitted,
    sample_posterior,
    score_parent_sets,
)
from forebear.posterior.sampled_sets import score_sampled_sets
from forebear.scoring.job import make_job
from forebear.scoring.scores import as_score

ROWS = 1000
BINS = 10
LEAST = 0.01
SAMPLE_SIZES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
PRIORS = ("uniform", "sparse", 0.1)
PART, LARGEST_SET, MARGIN = 11, 4, 14.0
"""Of the exact sums: variables, parents, and the margin of parent sets in nats."""

Forecasts = list[tuple[np.ndarray, np.ndarray]]
"""Per table: probabilities, and what is true."""


def network_of(name: str, folder: Path) -> FittedNetwork:
    return read_fitted(folder / f"{name}.bif.gz")


def true_arcs(network: FittedNetwork) -> np.ndarray:
    truth = np.zeros((network.n_variables,) * 2, dtype=bool)
    for arc in network.network.arcs:
        truth[arc] = True
    return truth


def exact(options: argparse.Namespace) -> None:
    print("| table | variables | sets | seconds | largest error | R-hat | exact sums, seconds |")
    print("|---|---|---|---|---|---|---|")
    for name in options.only or ("asia", "orchard", "child"):
        if name == "orchard":
            whole = as_dataset("example:orchard")
            data = Dataset(whole.codes[:, :ROWS], whole.names, whole.states)
        else:
            data = network_of(name, options.networks).sample(ROWS, seed=options.seed)
        found = sample_posterior(
            data, score="bdeu", time_limit=options.time_limit, seed=options.seed, cache=False
        )
        sets = found.parent_sets
        if sets is None:
            raise AssertionError("the draws are from a table")
        start = time.perf_counter()
        sums = exact_posterior(sets)
        spent = time.perf_counter() - start
        error = np.abs(found.matrix() - sums.matrix()).max()
        print(
            f"| {name} | {data.n_variables} | {len(sets):,} | {options.time_limit:g} | {error:.4f} "
            f"| {found.diagnostics.score_rhat:.3f} | {spent:.1f} |",
            flush=True,
        )


def convergence(options: argparse.Namespace) -> None:
    print("| table | variables | sets | seconds | sweeps | R-hat | draws worth | arcs' R-hat |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.only or ("andes", "pigs"):
        data = network_of(name, options.networks).sample(ROWS, seed=options.seed)
        found = sample_posterior(
            data, score="bdeu", time_limit=options.time_limit, seed=options.seed, cache=False
        )
        measured = found.diagnostics
        worst = measured.arc_rhat[measured.worst_arc] if measured.worst_arc else 1.0
        print(
            f"| {name} | {data.n_variables} | {found.about['sets']:,} | {options.time_limit:g} "
            f"| {found.about['sweeps']:,} | {measured.score_rhat:.3f} "
            f"| {measured.score_effective_sample_size:,.0f} | {worst:.3f} |",
            flush=True,
        )


def calibration(options: argparse.Namespace) -> None:
    print("| network | score | tables | converged | ECE of arcs | ECE of edges | log loss |")
    print("|---|---|---|---|---|---|---|")
    for name in options.only or ("alarm", "hailfinder"):
        for score in options.scores:
            measure_calibration(name, score, options)


def measure_calibration(name: str, score: str, options: argparse.Namespace) -> None:
    """Sample tables of one network with one score, and print the errors."""
    network = network_of(name, options.networks)
    truth, converged = true_arcs(network), 0
    arcs: Forecasts = []
    edges: Forecasts = []
    for seed in range(options.seed, options.seed + options.tables):
        found = sample_posterior(
            network.sample(ROWS, seed=seed),
            score=BDeu(ess="auto") if score == "auto" else score,
            chains=options.chains,
            time_limit=None if options.sweeps else options.time_limit,
            sweeps=options.sweeps,
            seed=seed,
            cache=False,
        )
        converged += found.converged
        shares = found.matrix()
        arcs.append(probable(shares, truth))
        either = np.triu(np.minimum(shares + shares.T, 1.0))
        edges.append(probable(either, truth | truth.T))
    errors = f"{show_error(arcs)} | {show_error(edges)} | {log_loss(arcs):.0f}"
    print(f"| {name} | {score} | {options.tables} | {converged} | {errors} |", flush=True)


def priors(options: argparse.Namespace) -> None:
    print("| network | prior | " + " | ".join(f"ess {size:g}" for size in SAMPLE_SIZES) + " |")
    print("|---|---|" + "---|" * len(SAMPLE_SIZES))
    every: dict[Any, Forecasts] = defaultdict(list)
    for name in [*(options.only or ("alarm", "hailfinder")), "all"]:
        found: dict[Any, Forecasts] = defaultdict(list)
        if name != "all":
            network = network_of(name, options.networks)
            for seed in range(options.seed, options.seed + options.tables):
                for key, one in forecasts_of_part(network, seed):
                    found[key].append(one)
                    every[key].append(one)
        for prior in PRIORS:
            errors = [show_error((found or every)[prior, size]) for size in SAMPLE_SIZES]
            print(f"| {name} | {prior} | " + " | ".join(errors) + " |", flush=True)


def probable(shares: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities that are not tiny, and what is true of them."""
    some = shares >= LEAST
    return shares[some], truth[some]


def show_error(found: Forecasts) -> str:
    """Show the expected calibration error, and what chance does in brackets."""
    shares, true = (np.concatenate(own) for own in zip(*found, strict=True))
    rng = np.random.default_rng(1)
    chance = [calibration_error(shares, rng.random(len(shares)) < shares) for _ in range(50)]
    return f"{calibration_error(shares, true):.3f} ({np.mean(chance):.3f})"


def log_loss(found: Forecasts) -> float:
    """Return the sum of -log(probability of what is true); none counts as less than 0.001."""
    shares, true = (np.concatenate(own) for own in zip(*found, strict=True))
    return -float(np.log(np.maximum(np.where(true, shares, 1.0 - shares), 1e-3)).sum())


def calibration_error(shares: np.ndarray, true: np.ndarray) -> float:
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    gaps = np.bincount(places, weights=shares - true, minlength=BINS)
    return float(np.abs(gaps).sum() / max(1, len(shares)))


def forecasts_of_part(
    network: FittedNetwork, seed: int
) -> list[tuple[Any, tuple[np.ndarray, np.ndarray]]]:
    """Return forecasts and truth of a part of a network, by prior and equivalent sample size."""
    part = closed_part(network.network.parents, np.random.default_rng(seed))
    whole = network.sample(ROWS, seed=seed)
    data = Dataset(
        np.ascontiguousarray(whole.codes[part]),
        tuple(whole.names[v] for v in part),
        tuple(whole.states[v] for v in part),
    )
    truth = true_arcs(network)[np.ix_(part, part)]
    most = min(LARGEST_SET, len(part) - 1)
    result = []
    for size in SAMPLE_SIZES:
        score = as_score("bdeu", ess=size)
        first = score_parent_sets(data, score=score, max_parents=most, threads=1)
        job = make_job(data, score=score, max_parents=most, threads=1)
        limits = [most] * len(part)
        sets = score_sampled_sets(first, job, limits, margin=MARGIN).sets()
        about = {key: value for key, value in sets.provenance.items() if key != "prior"}
        for prior in PRIORS:
            shares = exact_posterior(replace(sets, provenance=about), prior=prior).matrix()
            result.append(((prior, size), probable(shares, truth)))
    return result


def closed_part(parents: tuple[tuple[int, ...], ...], rng: np.random.Generator) -> list[int]:
    """Choose variables with all their ancestors: their arcs are a network of their own."""
    chosen: set[int] = set()
    for v in rng.permutation(len(parents)).tolist():
        wanted, new = [v], set()
        while wanted:
            own = wanted.pop()
            if own not in new:
                new.add(own)
                wanted += parents[own]
        if len(chosen | new) <= PART:
            chosen |= new
    return sorted(chosen)


def main() -> None:
    tasks = {task.__name__: task for task in (exact, convergence, calibration, priors)}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=tasks)
    parser.add_argument("--networks", type=Path, required=True, help="folder of networks")
    parser.add_argument("--only", nargs="*", help="only these networks")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per table")
    parser.add_argument("--sweeps", type=int, help="of calibration, instead of a time limit")
    parser.add_argument("--chains", type=int, default=4, help="of calibration")
    parser.add_argument(
        "--scores",
        nargs="*",
        default=("auto", "bdeu"),
        help="of calibration; auto: BDeu averaged over ess, the default of forebear",
    )
    parser.add_argument("--tables", type=int, default=10, help="tables per network")
    parser.add_argument("--seed", type=int, default=1, help="of the first table")
    options = parser.parse_args()
    tasks[options.what](options)


if __name__ == "__main__":
    main()
