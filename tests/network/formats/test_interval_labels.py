"""Names of intervals: other programs read them from every format, and so do we."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from forebear import Dataset, ForebearWarning, Network, read_fitted, write_network

if TYPE_CHECKING:
    from pathlib import Path

    from forebear import FittedNetwork

# What bnlearn, pgmpy and pyAgrum all take as the name of a state in a BIF file.
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")

RNG = np.random.default_rng(3)
DAYS = pl.Series(range(300)).cast(pl.Int32).cast(pl.Date)
FRAME = pl.DataFrame(
    {
        "small": RNG.normal(0, 1e-6, 300),
        "large": RNG.normal(0, 1e22, 300),
        "usual": RNG.normal(0.1, 0.5, 300),
        "whole": RNG.integers(-500, 500, 300),
        "day": DAYS,
        "moment": pl.Series([90_123_000_001 * i for i in range(300)]).cast(pl.Datetime("us")),
        "span": pl.Series([7_000_003 * i for i in range(300)]).cast(pl.Duration("us")),
    }
)


@pytest.fixture(params=["quantile", "uniform"])
def fitted(request: pytest.FixtureRequest) -> FittedNetwork:
    table = Dataset.from_frame(FRAME, discretize=request.param, bins=4)
    n = table.n_variables
    return Network(table.names, ((), *((i - 1,) for i in range(1, n)))).fit(table)


def test_they_are_plain_words(fitted: FittedNetwork) -> None:
    states = [state for own in fitted.states for state in own]
    assert len(states) == 4 * 7
    assert all(PLAIN.fullmatch(state) for state in states), states
    with pytest.warns(ForebearWarning):
        one = Dataset.from_frame(pl.DataFrame({"one": [0.5] * 300}), discretize="quantile")
    assert one.states == (("any",),)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("extension", [".bif", ".bifxml", ".net"])
def test_they_survive_files_and_pyagrum(
    fitted: FittedNetwork, tmp_path: Path, extension: str
) -> None:
    path, back = tmp_path / f"a{extension}", tmp_path / f"b{extension}"
    write_network(fitted, path)
    assert read_fitted(path).states == fitted.states
    gum: Any = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")
    read = gum.loadBN(str(path))
    for name, states in zip(fitted.network.names, fitted.states, strict=True):
        assert tuple(read.variable(name).labels()) == states
    if extension != ".bif":  # pyAgrum reads names with . and -, but writes none to BIF
        gum.saveBN(read, str(back))
        again = read_fitted(back)
        by_name = dict(zip(again.network.names, again.states, strict=True))
        assert tuple(by_name[name] for name in fitted.network.names) == fitted.states


@pytest.mark.parametrize(
    ("extension", "reader"),
    [(".bif", "BIFReader"), (".xmlbif", "XMLBIFReader"), (".net", "NETReader")],
)
def test_they_survive_pgmpy(
    fitted: FittedNetwork, tmp_path: Path, extension: str, reader: str
) -> None:
    readwrite: Any = pytest.importorskip("pgmpy.readwrite", reason="pgmpy is not installed")
    path = tmp_path / f"a{extension}"
    write_network(fitted, path)
    model = getattr(readwrite, reader)(str(path)).get_model()
    for name, states in zip(fitted.network.names, fitted.states, strict=True):
        assert tuple(model.get_cpds(name).state_names[name]) == states
