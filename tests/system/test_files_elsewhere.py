"""Files written by forebear are read by other libraries, and the reverse."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from fitted import assert_same, nasty_network
from samples import SHARED

from forebear import Dataset, interop
from forebear.data.examples import example_path
from forebear.network.file_formats import read_fitted, write_network
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.bif import read_bif
from forebear.network.network import Network
from forebear.network.simulation import random_network

PGMPY = {".bif": "BIF", ".xmlbif": "XMLBIF", ".net": "NET", ".xdsl": "XDSL"}
PYAGRUM = (".bif", ".bifxml", ".net")
SINGLE_PRECISION = 1e-6


@pytest.fixture(autouse=True)
def _their_warnings_are_theirs() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def intervals() -> FittedNetwork:
    """A network of discretized columns: small and large numbers, dates, times and durations."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "small": rng.normal(0, 1e-6, 300),
            "large": rng.normal(0, 1e22, 300),
            "day": pl.Series(range(300)).cast(pl.Int32).cast(pl.Date),
            "moment": pl.Series([90_123_000_001 * i for i in range(300)]).cast(pl.Datetime("us")),
            "span": pl.Series([7_000_003 * i for i in range(300)]).cast(pl.Duration("us")),
        }
    )
    table = Dataset.from_frame(frame, discretize="quantile", bins=4)
    return Network(table.names, ((), (0,), (1,), (2,), (3,))).fit(table)


def test_names_of_intervals_are_plain_words() -> None:
    """bnlearn, pgmpy and pyAgrum accept them as names of states in BIF files."""
    states = [state for own in intervals().states for state in own]
    assert len(states) == 4 * 5
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", state) for state in states), states


def plain() -> dict[str, FittedNetwork]:
    """Networks with plain names, and parents in another order than in the file."""
    made = {
        "orchard": read_bif(example_path("orchard.bif")),
        "random": random_network(12, max_parents=4, states=(2, 4), rng=np.random.default_rng(3)),
        "intervals": intervals(),
    }
    published = SHARED / "networks" / "asia.bif.gz"
    return made | ({"asia": read_bif(published)} if published.exists() else {})


def assert_close(left: FittedNetwork, right: FittedNetwork, tolerance: float) -> None:
    """Compare variables, states, parents and probabilities in any order of the variables."""
    names = right.network.names
    place = [left.network.names.index(name) for name in names]
    assert len(left.network.names) == len(names)
    for v, name in enumerate(names):
        own = left.network.parents[place[v]]
        parents = [names.index(left.network.names[p]) for p in own]
        assert sorted(parents) == list(right.network.parents[v]), name
        assert left.states[place[v]] == right.states[v]
        table = left.tables[place[v]].transpose([*np.argsort(parents), len(parents)])
        np.testing.assert_allclose(table, right.tables[v], rtol=0, atol=tolerance)


@pytest.mark.parametrize("extension", PGMPY)
@pytest.mark.parametrize("name", plain())
def test_pgmpy(name: str, extension: str, tmp_path: Path) -> None:
    """It reads our files, and we read its files."""
    readwrite = pytest.importorskip("pgmpy.readwrite")
    fitted, path = plain()[name], tmp_path / f"net{extension}"
    if (name, extension) == ("intervals", ".xdsl"):
        pytest.skip("XDSL requires identifiers, so these states are changed")
    write_network(fitted, path)
    model = getattr(readwrite, f"{PGMPY[extension]}Reader")(str(path)).get_model()
    assert_close(interop.from_pgmpy(model), fitted, 1e-15)
    if name == "orchard":
        writer = getattr(readwrite, f"{PGMPY[extension]}Writer")(interop.to_pgmpy(fitted))
        writer.write(str(path))
        assert_close(read_fitted(path), fitted, 1e-7)


@pytest.mark.parametrize("extension", PYAGRUM)
@pytest.mark.parametrize("name", plain())
def test_pyagrum(name: str, extension: str, tmp_path: Path) -> None:
    """It reads our files, and we read its files."""
    pyagrum = pytest.importorskip("pyagrum")
    fitted, path = plain()[name], tmp_path / f"net{extension}"
    write_network(fitted, path)
    assert_close(interop.from_pyagrum(pyagrum.loadBN(str(path))), fitted, SINGLE_PRECISION)
    if name == "orchard":
        pyagrum.saveBN(interop.to_pyagrum(fitted), str(path))
        assert_close(read_fitted(path), fitted, SINGLE_PRECISION)


def test_xmlbif_takes_any_name_to_pgmpy(tmp_path: Path) -> None:
    """The only format that holds every name, as the documentation recommends."""
    readwrite = pytest.importorskip("pgmpy.readwrite")
    fitted = nasty_network()
    write_network(fitted, tmp_path / "net.xmlbif")
    model = readwrite.XMLBIFReader(str(tmp_path / "net.xmlbif")).get_model()
    assert_same(interop.from_pgmpy(model), fitted)


def test_names_made_up_for_hugin_stay_in_the_label(tmp_path: Path) -> None:
    pyagrum = pytest.importorskip("pyagrum")
    network = Network(("wine color", "price"), ((), (0,)))
    fitted = FittedNetwork(
        network, (("red", "white"), ("low", "high")), (np.array([0.5, 0.5]), np.eye(2))
    )
    write_network(fitted, tmp_path / "net.net")
    assert pyagrum.loadBN(str(tmp_path / "net.net")).names() == {"wine_color", "price"}
    assert_same(read_fitted(tmp_path / "net.net"), fitted)
