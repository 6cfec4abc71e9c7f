"""How right are posterior probabilities, and how soon do the chains agree?

    python benchmarks/posterior.py exact --networks DIR
    python benchmarks/posterior.py calibration --networks DIR
    python benchmarks/posterior.py convergence --networks DIR --time-limit 600
    python benchmarks/posterior.py gibby --networks DIR --program gibby/gibby

exact: the largest error of an arc probability beside the exact sums, after --time-limit seconds.
calibration: among arcs of probability p, how many are true? On tables drawn from the networks in
DIR, and from networks and parameters drawn from the prior that the sampler assumes. The expected
calibration error is the mean over ten bins of |mean probability - share of true arcs|, weighted by
the number of arcs; all pairs of variables count, or those with a probability of 0.01 or more.
convergence: R-hat and effective draws of the score, and the largest R-hat of an arc.
gibby: effective draws of the score per second beside gibby, a sampler of networks, on the same
parent sets with the same weights: one chain on one thread each, the best of three of its settings.

Tables have 1,000 rows. DIR holds networks with probabilities (alarm.bif.gz, ...).
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from forebear import (
    Dataset,
    FittedNetwork,
    Network,
    ParentSets,
    as_dataset,
    exact_posterior,
    find_network,
    read_fitted,
    sample_posterior,
)
from forebear.posterior.diagnostics import ess
from forebear.posterior.priors import with_prior
from forebear.posterior.sampling import ChainSettings, run_chains, starts_of

ROWS = 1000
MOST_PARENTS = 2
"""Of networks that are drawn from the prior: all their parent sets fit in memory."""
BINS = 10
LEAST = 0.01


def matrix(names: tuple[str, ...], arcs: dict[tuple[int, int], float]) -> np.ndarray:
    result = np.zeros((len(names), len(names)))
    for arc, share in arcs.items():
        result[arc] = share
    return result


def table_of(name: str, folder: Path, seed: int) -> tuple[Dataset, FittedNetwork]:
    true = read_fitted(folder / f"{name}.bif.gz")
    return true.sample(ROWS, seed=seed), true


def exact(options: argparse.Namespace) -> None:
    print("| table | variables | sets | seconds | largest error | R-hat | exact sums, seconds |")
    print("|---|---|---|---|---|---|---|")
    for name in options.only or ("asia", "orchard", "child"):
        if name == "orchard":
            whole = as_dataset("example:orchard")
            data = Dataset(whole.codes[:, :ROWS], whole.names, whole.states)
        else:
            data, _ = table_of(name, options.networks, options.seed)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sets.cps"
            found = sample_posterior(
                data, time_limit=options.time_limit, seed=options.seed, save_sets=path, cache=False
            )
            sets = ParentSets.load(path)
            start = time.perf_counter()
            sums = exact_posterior(sets)
            spent = time.perf_counter() - start
            error = np.abs(matrix(found.names, dict(found.arcs)) - sums.arcs).max()
        print(
            f"| {name} | {data.n_variables} | {len(sets):,} | {options.time_limit:g} | {error:.4f} "
            f"| {found.diagnostics.score_rhat:.3f} | {spent:.1f} |",
            flush=True,
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
    count = len(columns) // n
    return ParentSets(
        tuple(f"X{v}" for v in range(n)),
        np.arange(n + 1, dtype=np.int64) * count,
        np.zeros(len(columns)),
        np.ascontiguousarray(np.array(columns, dtype=np.uint16).T),
    )


def drawn_from_prior(arities: list[int], seed: int) -> FittedNetwork:
    """Draw a network from the sparse prior, and its parameters from that of BDeu."""
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
    return FittedNetwork(Network(network.names, network.parents), states, tuple(tables))


def calibration_error(shares: np.ndarray, true: np.ndarray) -> float:
    places = np.minimum((shares * BINS).astype(int), BINS - 1)
    total = 0.0
    for place in range(BINS):
        own = places == place
        if own.any():
            total += abs(shares[own].sum() - true[own].sum())
    return total / max(1, len(shares))


def calibration(options: argparse.Namespace) -> None:
    print(
        "| networks | tables | ECE, all pairs | ECE, p >= 0.01 | arcs with p >= 0.01 | converged |"
    )
    print("|---|---|---|---|---|---|")
    for name in options.only or ("alarm", "hailfinder"):
        for source in ("the network", "the prior"):
            shares, truth, agreed = [], [], 0
            for seed in range(options.tables):
                data, true = table_of(name, options.networks, seed)
                if source == "the prior":
                    true = drawn_from_prior(data.arities.tolist(), seed)
                    data = true.sample(ROWS, seed=seed)
                most = MOST_PARENTS if source == "the prior" else None
                found = sample_posterior(
                    data, time_limit=options.time_limit, seed=seed, max_parents=most, cache=False
                )
                n = data.n_variables
                off = ~np.eye(n, dtype=bool)
                shares.append(matrix(found.names, dict(found.arcs))[off])
                truth.append(matrix(found.names, dict.fromkeys(true.network.arcs, 1.0))[off])
                agreed += found.converged
            p, t = np.concatenate(shares), np.concatenate(truth)
            some = p >= LEAST
            print(
                f"| {name}: {source} | {options.tables} | {calibration_error(p, t):.4f} "
                f"| {calibration_error(p[some], t[some]):.3f} | {some.sum():,} | {agreed} |",
                flush=True,
            )
            for place in range(BINS):
                own = np.minimum((p * BINS).astype(int), BINS - 1) == place
                if own.any():
                    print(
                        f"<!-- {place / BINS:.1f}: {own.sum():,} pairs, mean {p[own].mean():.3f}, "
                        f"true {t[own].mean():.3f} -->",
                        flush=True,
                    )


def convergence(options: argparse.Namespace) -> None:
    print("| table | variables | sets | seconds | sweeps | R-hat | draws worth | arcs' R-hat |")
    print("|---|---|---|---|---|---|---|---|")
    for name in options.only or ("andes", "pigs"):
        data, _ = table_of(name, options.networks, options.seed)
        found = sample_posterior(
            data, time_limit=options.time_limit, seed=options.seed, cache=False
        )
        measured = found.diagnostics
        worst = measured.arc_rhat[measured.worst_arc] if measured.worst_arc else 1.0
        print(
            f"| {name} | {data.n_variables} | {found.about['sets']:,} | {options.time_limit:g} "
            f"| {found.about['sweeps']:,} | {measured.score_rhat:.3f} | {measured.score_ess:,.0f} "
            f"| {worst:.3f} |",
            flush=True,
        )


def gibby(options: argparse.Namespace) -> None:
    print("| table | program | seconds | draws worth | per second | mean score |")
    print("|---|---|---|---|---|---|")
    for name in options.only or ("child", "alarm"):
        data, _ = table_of(name, options.networks, options.seed)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sets.cps"
            sample_posterior(data, sweeps=10, seed=1, save_sets=path, cache=False)
            sets = ParentSets.load(path)
            sets.save(Path(folder) / "sets.jkl", ids=True)
            for moves in (1000, 3000, 10_000):
                scores, seconds = run_gibby(options.program.resolve(), Path(folder), moves)
                show(name, f"gibby, {moves:,} moves per draw", seconds, ess(scores), scores)
            best = find_network(sets, generations=10, seed=1, certify=False)
            starts = starts_of(sets, [best.network.parents], 1)
        for temperatures in (1, 2):
            seconds, worth, means = 0.0, 0.0, []
            for seed in range(10):
                settings = ChainSettings(1, temperatures, 1, seed, None, 5000)
                found = run_chains(sets, starts, settings)
                seconds += found.about["seconds"]
                worth += ess(found.scores)
                means.append(found.scores)
            program = "forebear" if temperatures == 1 else f"forebear, {temperatures} temperatures"
            show(name, program, seconds, worth, np.concatenate(means))


def run_gibby(program: Path, folder: Path, moves: int) -> tuple[np.ndarray, float]:
    """Run gibby in a folder; return the scores of its draws, and its time."""
    counts = {"-FBM": moves, "-REV": max(1, moves // 50), "-MBR": max(1, moves // 100)}
    command = [str(program), "sets.jkl", "-p", "0", "-R", "1", "-iter", str(10_000_000 // moves)]
    command += [part for name, count in counts.items() for part in (name, str(count))]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    (path,) = (folder / "results").glob("*_s_*")
    scores = np.loadtxt(path)[None]
    path.unlink()
    return scores, seconds


def show(name: str, program: str, seconds: float, worth: float, scores: np.ndarray) -> None:
    print(
        f"| {name} | {program} | {seconds:.2f} | {worth:,.0f} | {worth / seconds:,.0f} "
        f"| {scores.mean():.2f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("exact", "calibration", "convergence", "gibby"))
    parser.add_argument("--networks", type=Path, required=True, help="folder of networks")
    parser.add_argument("--only", nargs="*", help="only these networks")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per table")
    parser.add_argument("--tables", type=int, default=4, help="tables per network")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, help="gibby: the program")
    options = parser.parse_args()
    tasks = {
        "exact": exact, "calibration": calibration, "convergence": convergence, "gibby": gibby
    }  # fmt: skip
    tasks[options.what](options)


if __name__ == "__main__":
    main()
