"""Use fuzzed files that load, as a user could."""

from __future__ import annotations

import contextlib
import io
from contextlib import nullcontext
from dataclasses import replace
from graphlib import TopologicalSorter
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from fuzz_forge import open_native

from forebear import (
    MINOBS,
    PSMINOBS,
    Dataset,
    FittedNetwork,
    ForebearError,
    Network,
    ParentSets,
    Posterior,
    Result,
    find_network,
    learn,
    resume_search,
)
from forebear.cli import main
from forebear.data.formats import binary
from forebear.data.formats.table import read_table
from forebear.data.read_options import ReadOptions
from forebear.data.summarize_table import summarize_raw_table
from forebear.network.file_formats import read_any_network, write_network
from forebear.parentsets.cps import write_cps

QUICK = PSMINOBS(minobs=MINOBS(population=4, crossovers=2, mutations=1))


def native_content(data: bytes) -> tuple[Any, ...]:
    """The content of a native file without the version that wrote it and its digest."""
    header, about, arrays = open_native(data)
    del header["__metadata__"], about["forebear"]
    return header, about, [array.tobytes() for array in arrays]


def use_sets(path: Path, data: bytes, rng: Random) -> None:
    """Write the sets again, compare, and search them."""
    sets = ParentSets.load(path)
    native = path.with_name("again.cps")
    write_cps(sets, native)
    if path.suffix == ".cps":
        assert native_content(native.read_bytes()) == native_content(data), (
            "what was read is not what the file says"
        )
    else:
        assert native.read_bytes()  # sets of a .jkl file have no provenance to compare
        again = ParentSets.load(native)
        assert np.array_equal(again.scores, sets.scores)
    if rng.random() < 0.1:
        result = find_network(sets, algorithm=QUICK, generations=2, time_limit=0.05, threads=1)
        assert result.network.names == sets.names
        assert not result.score > sets.scores[sets.offsets[:-1]].sum() + 1e-6
    if rng.random() < 0.02:
        _info(path)


def use_network(path: Path, data: bytes, rng: Random) -> None:
    """Write the network again, compare, and draw from it."""
    del data
    network = read_any_network(path)
    extension = "".join(path.suffixes[-2:] if path.suffix == ".csv" else path.suffixes[-1:])
    again = path.with_name(f"again{extension}")
    write_network(network, again)
    back = read_any_network(again)
    if isinstance(network, FittedNetwork) and isinstance(back, FittedNetwork):
        assert back.network == network.network
        assert back.states == network.states
        for one, other in zip(network.tables, back.tables, strict=True):
            assert np.array_equal(one, other)
        if network.n_variables:
            assert network.sample(3, np.random.default_rng(0)).n_rows == 3
    elif isinstance(network, Network) and isinstance(back, Network):
        # A list of arcs and a model string name the variables in an order of their own.
        assert back.reordered(network.names) == network
    if rng.random() < 0.02:
        _info(path)


def use_table(path: Path, data: bytes, rng: Random) -> None:
    """Encode the table, and learn from a few rows."""
    del data
    assert str(summarize_raw_table(read_table(path), ReadOptions()))
    method = rng.choice([None, "quantile", "uniform"])
    table = Dataset.read(path, missing=rng.choice(["error", "drop", "state"]), discretize=method)
    assert (table.codes.max(axis=1) < table.arities).all()
    if 2 <= table.n_variables <= 20 and rng.random() < 0.02:
        learn(table, algorithm=QUICK, generations=1, max_parents=1, threads=1, cache=False)
    if rng.random() < 0.02:
        _info(path)


def use_binary_table(path: Path, data: bytes, rng: Random) -> None:
    """Do the same, mostly without the slow process that tries the file first."""
    tried = nullcontext() if rng.random() < 0.02 else patch.object(binary, "_try_elsewhere")
    with tried:
        use_table(path, data, rng)


def use_schema(path: Path, data: bytes, rng: Random) -> None:
    """Read a table with the schema."""
    del data
    options = ReadOptions.from_schema(path)
    assert ReadOptions.from_schema(path) == options
    frame = pl.DataFrame({"id": ["p", "q"], "age": [1, 2], "size": ["low", "mid"]})
    Dataset.from_frame(frame, replace(options, header=None, encoding=None, comment=None))
    del rng


def use_result(path: Path, data: bytes, rng: Random) -> None:
    """Write the result again, compare, and write a report."""
    del data
    result = Result.load(path)
    again = path.with_name("again.json")
    result.save(again)
    assert Result.load(again).to_json() == result.to_json()
    result.to_frame()
    if rng.random() < 0.03:
        result.report(path.with_name("page.html"))
    if rng.random() < 0.03:
        _info(path)


def use_draws(path: Path, data: bytes, rng: Random) -> None:
    """Compute and show the probabilities of the draws."""
    del data
    found = Posterior.load(path)
    found.to_frame()
    found.consensus()
    found.most_probable()
    assert all(0.0 <= share <= 1.0 for share in found.ancestors.values())
    if rng.random() < 0.1:
        _info(path)


def use_checkpoint(path: Path, data: bytes, rng: Random) -> None:
    """Continue the search for a moment."""
    del data, rng
    result = resume_search(path, time_limit=0.01, threads=1)
    assert result.network.n_variables == len(result.order)
    assert result.alternatives
    for alternative in result.alternatives:
        TopologicalSorter(dict(enumerate(alternative.parents))).prepare()  # fails at a cycle


def use_started(path: Path, data: bytes, rng: Random) -> None:
    """Repeat a run that ended before its search."""
    del data, rng
    _run("resume", str(path), "--quiet", "--time-limit", "0.3")


def _info(path: Path) -> None:
    _run("info", str(path))
    _run("info", str(path), "--json")


def _run(*command: str) -> None:
    """Run a command, which may report a mistake but must not fail."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = main(list(command))
    if code not in (0, 2):
        raise AssertionError(f"forebear {command[0]} ended with {code}: {said.getvalue()}")
    if code == 2:
        raise ForebearError(said.getvalue())
