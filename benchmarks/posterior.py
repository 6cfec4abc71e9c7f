"""How right are posterior probabilities, and how soon do the chains agree?

    python benchmarks/posterior.py exact --networks DIR
    python benchmarks/posterior.py convergence --networks DIR --time-limit 600
    python benchmarks/posterior.py gibby --networks DIR --program gibby/gibby

exact: the largest error of an arc probability beside the exact sums, after --time-limit seconds.
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
from pathlib import Path

import numpy as np

from forebear import (
    Dataset,
    FittedNetwork,
    as_dataset,
    exact_posterior,
    find_network,
    read_fitted,
    sample_posterior,
)
from forebear.posterior.chains import ChainSettings, run_chains, start_ranks
from forebear.posterior.diagnostics import effective_sample_size

ROWS = 1000


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
        found = sample_posterior(
            data, time_limit=options.time_limit, seed=options.seed, cache=False
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
            sets = sample_posterior(data, sweeps=10, seed=1, cache=False).parent_sets
            if sets is None:
                raise AssertionError("the draws are from a table")
            sets.save(Path(folder) / "sets.jkl", ids=True)
            for moves in (1000, 3000, 10_000):
                scores, seconds = run_gibby(options.program.resolve(), Path(folder), moves)
                show(
                    name,
                    f"gibby, {moves:,} moves per draw",
                    seconds,
                    effective_sample_size(scores),
                    scores,
                )
            best = find_network(sets, generations=10, seed=1, certify=False)
            starts = start_ranks(sets, [best.network.parents], 1)
        for temperatures in (1, 2):
            seconds, worth, means = 0.0, 0.0, []
            for seed in range(10):
                settings = ChainSettings(1, temperatures, 1, seed, None, 5000)
                found = run_chains(sets, starts, settings)
                seconds += found.about["seconds"]
                worth += effective_sample_size(found.scores)
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
    parser.add_argument("what", choices=("exact", "convergence", "gibby"))
    parser.add_argument("--networks", type=Path, required=True, help="folder of networks")
    parser.add_argument("--only", nargs="*", help="only these networks")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds per table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", type=Path, help="gibby: the program")
    options = parser.parse_args()
    tasks = {"exact": exact, "convergence": convergence, "gibby": gibby}
    tasks[options.what](options)


if __name__ == "__main__":
    main()
