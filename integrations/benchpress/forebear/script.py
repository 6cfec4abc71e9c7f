"""forebear as a module of benchpress: Snakemake runs this with an object ``snakemake``."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from forebear import BDeu, BDs, Dataset, Knowledge, learn


def read_table(path: str) -> Dataset:
    """Read benchpress's discrete data: names, then numbers of states, then rows of codes."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        names, arities, *rows = csv.reader(file)
    codes = np.array(rows, dtype=float).astype(np.int64).T
    states = tuple(tuple(str(k) for k in range(int(float(arity)))) for arity in arities)
    return Dataset(np.ascontiguousarray(codes, dtype=np.uint8), tuple(names), states)


def read_constraints(path: str | None) -> Knowledge | None:
    """Read the constraints that benchpress writes for bnlearn: from, to, type."""
    if not path:
        return None
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return Knowledge(
        required=[(row["from"], row["to"]) for row in rows if row["type"] == "whitelist"],
        forbidden=[(row["from"], row["to"]) for row in rows if row["type"] == "blacklist"],
    )


def given(wildcards: Any, name: str, kind: type) -> Any:
    """Return a field of the configuration; benchpress passes text, and "None" for null."""
    text = str(wildcards[name])
    return None if text == "None" else kind(text)


def run(snakemake: Any) -> None:
    """Learn a network, and write its adjacency matrix and the time."""
    wildcards, output = snakemake.wildcards, snakemake.output
    score = str(wildcards["score"])
    ess = given(wildcards, "ess", float)
    weighted = {"bdeu": BDeu, "bds": BDs}
    start = time.perf_counter()
    table = read_table(snakemake.input["data"])
    result = learn(
        table,
        score=weighted[score](ess) if score in weighted and ess is not None else score,
        max_parents=given(wildcards, "max_parents", int),
        knowledge=read_constraints(snakemake.input.get("edgeConstraints_formatted")),
        algorithm=str(wildcards["algorithm"]),
        time_limit=given(wildcards, "time_limit", float),
        generations=given(wildcards, "generations", int),
        threads=given(wildcards, "threads", int),
        seed=int(wildcards["seed"]),
        cache=False,
    )
    spent = time.perf_counter() - start
    matrix = np.zeros((table.n_variables,) * 2, dtype=int)
    for parent, child in result.network.arcs:
        matrix[parent, child] = 1
    with Path(output["adjmat"]).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.names, *matrix.tolist()])
    Path(output["time"]).write_text(str(spent), "utf-8")
    Path(output["ntests"]).write_text("None", "utf-8")


def main(snakemake: Any) -> None:
    """Run, with benchpress's time-out if one is asked for."""
    seconds = given(snakemake.wildcards, "timeout", float)
    if seconds is None:
        run(snakemake)
        return
    sys.path.append("workflow/scripts/utils")
    from add_timeout import timeoutf

    files = [snakemake.output[name] for name in ("adjmat", "time", "ntests")]
    with timeoutf(max(1, int(seconds)), *files, time.perf_counter()):
        run(snakemake)


if "snakemake" in globals():
    main(globals()["snakemake"])
