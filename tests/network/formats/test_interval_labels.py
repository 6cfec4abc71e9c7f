"""Names of intervals: other programs read them from every format, and so do we."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from forebear import Dataset, Network, read_fitted, write_network

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
        "one": [0.5] * 300,
    }
)


@pytest.fixture(params=["quantile", "uniform"])
def fitted(request: pytest.FixtureRequest) -> FittedNetwork:
    table = Dataset.from_frame(FRAME.drop("one"), discretize=request.param, bins=4)
    n = table.n_variables
    return Network(table.names, ((), *((i - 1,) for i in range(1, n)))).fit(table)


def test_they_are_plain_words(fitted: FittedNetwork) -> None:
    states = [state for own in fitted.states for state in own]
    assert len(states) == 4 * 7
    assert all(PLAIN.fullmatch(state) for state in states), states


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
def test_a_single_interval() -> None:
    table = Dataset.from_frame(FRAME.select("one"), discretize="quantile")
    assert table.states == (("any",),)


@pytest.mark.parametrize("extension", [".bif", ".xmlbif", ".net"])
def test_they_survive_our_own_files(fitted: FittedNetwork, tmp_path: Path, extension: str) -> None:
    write_network(fitted, tmp_path / f"a{extension}")
    again = read_fitted(tmp_path / f"a{extension}")
    assert again.states == fitted.states


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("extension", [".bif", ".xmlbif", ".net"])
def test_they_survive_pyagrum(fitted: FittedNetwork, tmp_path: Path, extension: str) -> None:
    gum: Any = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")
    path = tmp_path / f"a{extension}"
    write_network(fitted, path)
    if extension == ".xmlbif":
        path = path.rename(tmp_path / "a.bifxml")
    read = gum.loadBN(str(path))
    for name, states in zip(fitted.network.names, fitted.states, strict=True):
        assert tuple(read.variable(name).labels()) == states
    if extension == ".bif":
        return  # pyAgrum reads names with . and -, but writes none to BIF.
    back = tmp_path / f"b{'.bifxml' if extension == '.xmlbif' else extension}"
    gum.saveBN(read, str(back))
    again = read_fitted(back)
    by_name = dict(zip(again.network.names, again.states, strict=True))
    assert tuple(by_name[name] for name in fitted.network.names) == fitted.states


@pytest.mark.parametrize("extension", [".bif", ".xmlbif", ".net"])
def test_they_survive_pgmpy(fitted: FittedNetwork, tmp_path: Path, extension: str) -> None:
    readwrite: Any = pytest.importorskip("pgmpy.readwrite", reason="pgmpy is not installed")
    reader = {".bif": "BIFReader", ".xmlbif": "XMLBIFReader", ".net": "NETReader"}[extension]
    path = tmp_path / f"a{extension}"
    write_network(fitted, path)
    model = getattr(readwrite, reader)(str(path)).get_model()
    for name, states in zip(fitted.network.names, fitted.states, strict=True):
        assert tuple(model.get_cpds(name).state_names[name]) == states
