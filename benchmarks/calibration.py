"""Among arcs of posterior probability p, how many are true?

    python benchmarks/calibration.py prepare --networks DIR --prepared FOLDER --tables 16
    python benchmarks/calibration.py sample --prepared FOLDER --draws OTHER --jobs 16
    python benchmarks/calibration.py show --prepared FOLDER --draws OTHER
    python benchmarks/calibration.py exact --networks DIR

prepare: draw tables from networks with probabilities (alarm.bif.gz, ... in DIR), and from networks
and parameters that are drawn from the prior that the sampler assumes; score their parent sets and
search for networks to start from. A table becomes one .npz file of plain arrays.
sample: run the chains; this needs NumPy and the core only.
show: the expected calibration error (ECE), the mean over ten bins of |mean probability - share of
true arcs|, weighted by the number of arcs, over arcs with a probability of 0.01 or more. Beside it,
what a perfectly calibrated forecaster of the same size gets by chance: one of the draws of every
table, chosen at random, takes the place of the true network.
exact: the same error of exact posteriors, without any sampling, on parts of the networks that are
small enough for it (with a variable, all of its ancestors), by prior and equivalent sample size. In
brackets, what chance does if every arc is true with its probability, independently of the others.

Tables have 1,000 rows.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import forebear
from forebear.parentsets.collection import ParentSets
from forebear.posterior.chains import ChainSettings, run_chains, start_ranks

ROWS = 1000
MOST_PARENTS = 2
"""Of networks that are drawn from the prior: all their parent sets fit in memory."""
BINS = 10
LEAST = 0.01
BY_CHANCE = 200
"""Repetitions that show what chance alone does."""
SAMPLE_SIZES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
PRIORS = ("uniform", "sparse", 0.1)
PART, LARGEST_SET, MARGIN = 11, 4, 14.0
"""Of the exact sums: variables, parents, and the margin of parent sets in nats."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("prepare", "sample", "show", "exact"))
    parser.add_argument("--networks", type=Path, help="folder of networks")
    parser.add_argument("--only", nargs="*", default=["alarm", "hailfinder"], help="networks")
    parser.add_argument("--prepared", type=Path, help="folder of prepared tables")
    parser.add_argument("--draws", type=Path, help="folder of draws")
    parser.add_argument("--tables", type=int, default=16, help="tables per network and source")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first table")
    parser.add_argument("--sweeps", type=int, default=40_000, help="per chain")
    parser.add_argument("--jobs", type=int, default=1, help="tables sampled at the same time")
    options = parser.parse_args()
    {"prepare": prepare, "sample": sample, "show": show, "exact": exact}[options.what](options)


def prepare(options: argparse.Namespace) -> None:
    options.prepared.mkdir(parents=True, exist_ok=True)
    for name in options.only:
        known = forebear.read_fitted(options.networks / f"{name}.bif.gz")
        for source in ("network", "prior"):
            for seed in range(options.first, options.first + options.tables):
                path = options.prepared / f"{name}-{source}-{seed}.npz"
                if path.exists():
                    continue
                true = known
                if source == "prior":
                    true = drawn_from_prior([len(own) for own in known.states], seed)
                data = true.sample(ROWS, seed=seed)
                found = forebear.sample_posterior(
                    data,
                    max_parents=MOST_PARENTS if source == "prior" else None,
                    sweeps=200,
                    seed=seed,
                    threads=1,
                    cache=False,
                )
                sets, result = found.parent_sets, found.result
                if result is None or sets is None:
                    raise AssertionError("a search has found the starts")
                networks = [result.network.parents, *(o.parents for o in result.alternatives)]
                truth = np.zeros((sets.n_variables,) * 2, dtype=bool)
                for arc in true.network.arcs:
                    truth[arc] = True
                np.savez_compressed(
                    path,
                    offsets=sets.offsets,
                    scores=sets.scores,
                    parents=sets.parents,
                    starts=start_ranks(sets, networks, 4),
                    truth=truth,
                )
                print(path, flush=True)


def drawn_from_prior(arities: list[int], seed: int) -> forebear.FittedNetwork:
    """Draw a network from the sparse prior, and its parameters from that of BDeu."""
    from forebear.posterior.priors import with_prior

    n, rng = len(arities), np.random.default_rng(seed)
    sets = with_prior(all_sets(n), "sparse")
    settings = ChainSettings(1, 1, 1, seed, None, 2000)
    ranks = [one.rank - 1 for v in range(n) if (one := sets.find(v, ())) is not None]
    found = run_chains(sets, np.array([ranks], dtype=np.int32), settings)
    network = list(found.networks())[-1]
    tables = []
    for v, parents in enumerate(network.parents):
        shape = [arities[p] for p in parents]
        cells = int(np.prod(shape)) * arities[v]
        # Tiny Dirichlet weights underflow to 0 / 0; a state is then certain.
        drawn = rng.gamma(1.0 / cells, size=(*shape, arities[v])) + 1e-300
        tables.append(drawn / drawn.sum(axis=-1, keepdims=True))
    states = tuple(tuple(f"s{k}" for k in range(r)) for r in arities)
    return forebear.FittedNetwork(
        forebear.Network(network.names, network.parents), states, tuple(tables)
    )


def all_sets(n: int) -> ParentSets:
    """All small parent sets, with scores of 0: the prior alone."""
    none = np.iinfo(np.uint16).max
    columns = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        columns += [
            [*c, *[none] * (MOST_PARENTS - len(c))]
            for k in range(MOST_PARENTS + 1)
            for c in combinations(others, k)
        ]
    return ParentSets(
        tuple(f"X{v}" for v in range(n)),
        np.arange(n + 1, dtype=np.int64) * (len(columns) // n),
        np.zeros(len(columns)),
        np.ascontiguousarray(np.array(columns, dtype=np.uint16).T),
    )


def sample(options: argparse.Namespace) -> None:
    options.draws.mkdir(parents=True, exist_ok=True)
    paths = sorted(options.prepared.glob("*.npz"))
    jobs = [(path, options.draws / path.name, options.sweeps) for path in paths]
    with ProcessPoolExecutor(options.jobs) as pool:
        for path in pool.map(sample_one, jobs):
            print(path, flush=True)


def sample_one(job: tuple[Path, Path, int]) -> str:
    path, output, sweeps = job
    with np.load(path) as file:
        arrays = dict(file)
    sets = ParentSets(
        tuple(f"X{v}" for v in range(len(arrays["truth"]))),
        arrays["offsets"],
        arrays["scores"],
        arrays["parents"],
    )
    run_chains(sets, arrays["starts"], ChainSettings(4, 3, 1, 1, None, sweeps)).save(output)
    return output.name


def show(options: argparse.Namespace) -> None:
    groups = defaultdict(list)
    for path in sorted(options.draws.glob("*.npz")):
        name, source, _ = path.stem.rsplit("-", 2)
        found = forebear.Posterior.load(path)
        with np.load(options.prepared / path.name) as file:
            groups[name, source].append((found, file["truth"]))
    print("| tables of | tables | converged | of | pairs | ECE | by chance | 95 % of the time |")
    print("|---|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for (name, source), runs in groups.items():
        agreed = sum(found.converged for found, _ in runs)
        for either in (False, True):
            parts = [forecasts(found, truth, either=either) for found, truth in runs]
            p = np.concatenate([shares for shares, _, _ in parts])
            t = np.concatenate([true for _, true, _ in parts])
            chance = [
                calibration_error(p, np.concatenate([d[:, rng.integers(d.shape[1])]
                                                     for _, _, d in parts]))
                for _ in range(BY_CHANCE)
            ]  # fmt: skip
            label = name if source == "network" else f"{name}, drawn from the prior"
            print(
                f"| {label} | {len(runs)} | {agreed} | {'edges' if either else 'arcs'} "
                f"| {len(p):,} | {calibration_error(p, t):.3f} | {np.mean(chance):.3f} "
                f"| {np.quantile(chance, 0.95):.3f} |",
                flush=True,
            )
            print(f"<!-- {bins(p, t)} -->", flush=True)


def forecasts(
    found: forebear.Posterior, truth: np.ndarray, *, either: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return probabilities, what is true, and what is there in every draw, pair by pair."""
    n = len(found.names)
    shares = np.zeros((n, n))
    for arc, share in found.arcs.items():
        shares[arc] = share
    if either:
        shares, truth = np.triu(np.minimum(shares + shares.T, 1.0)), truth | truth.T
    pairs = np.argwhere(shares >= LEAST)
    draws = found.draws.reshape(-1, n)

    def there(p: int, v: int) -> np.ndarray:
        return np.array([p in family for family in found.families[v]])[draws[:, v]]

    present = [there(p, v) | there(v, p) if either else there(p, v) for p, v in pairs.tolist()]
    return shares[tuple(pairs.T)], truth[tuple(pairs.T)], np.array(present)


def calibration_error(shares: np.ndarray, true: np.ndarray) -> float:
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    gaps = np.bincount(places, weights=shares - true, minlength=BINS)
    return float(np.abs(gaps).sum() / max(1, len(shares)))


def bins(shares: np.ndarray, true: np.ndarray) -> str:
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    return "; ".join(
        f"{own.sum()} pairs of {shares[own].mean():.3f}: {true[own].mean():.3f}"
        for own in (places == k for k in range(BINS))
        if own.any()
    )


def exact(options: argparse.Namespace) -> None:
    print("| network | prior | " + " | ".join(f"ess {size:g}" for size in SAMPLE_SIZES) + " |")
    print("|---|---|" + "---|" * len(SAMPLE_SIZES))
    every = defaultdict(list)
    for name in options.only:
        known = forebear.read_fitted(options.networks / f"{name}.bif.gz")
        found = defaultdict(list)
        for seed in range(options.first, options.first + options.tables):
            for key, shares, true in exact_part(known, seed):
                found[key].append((shares, true))
                every[key].append((shares, true))
        exact_rows(name, found)
    exact_rows("all", every)


def exact_rows(name: str, found: dict[Any, list[tuple[np.ndarray, np.ndarray]]]) -> None:
    rng = np.random.default_rng(1)
    for prior in PRIORS:
        errors = []
        for size in SAMPLE_SIZES:
            shares, true = (np.concatenate(own) for own in zip(*found[prior, size], strict=True))
            chance = np.mean(
                [calibration_error(shares, rng.random(len(shares)) < shares) for _ in range(50)]
            )
            errors.append(f"{calibration_error(shares, true):.3f} ({chance:.3f})")
        print(f"| {name} | {prior} | " + " | ".join(errors) + " |", flush=True)


def exact_part(
    known: forebear.FittedNetwork, seed: int
) -> list[tuple[Any, np.ndarray, np.ndarray]]:
    """Return forecasts and truth of a part of a network, by prior and equivalent sample size."""
    from dataclasses import replace

    from forebear import _core
    from forebear.posterior.widening import Widening
    from forebear.scoring.job import make_job
    from forebear.scoring.scores import as_score

    part = closed_part(known.network.parents, np.random.default_rng(seed))
    whole = known.sample(ROWS, seed=seed)
    data = forebear.Dataset(
        np.ascontiguousarray(whole.codes[part]),
        tuple(whole.names[v] for v in part),
        tuple(whole.states[v] for v in part),
    )
    truth = np.zeros((len(part),) * 2, dtype=bool)
    for p, v in known.network.arcs:
        if p in part and v in part:
            truth[part.index(p), part.index(v)] = True
    result = []
    for size in SAMPLE_SIZES:
        score = as_score("bdeu", ess=size)
        most = min(LARGEST_SET, len(part) - 1)
        first = forebear.score_parent_sets(data, score=score, max_parents=most, threads=1)
        job = make_job(data, score=score, max_parents=most, threads=1)
        sets = Widening(
            first, job, [most] * len(part),
            prior="uniform", margin=MARGIN, budget=_core.Budget(None),
        ).sets  # fmt: skip
        about = {key: value for key, value in sets.provenance.items() if key != "prior"}
        for prior in PRIORS:
            shares = forebear.exact_posterior(replace(sets, provenance=about), prior=prior).matrix()
            some = shares >= LEAST
            result.append(((prior, size), shares[some], truth[some]))
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


if __name__ == "__main__":
    main()
