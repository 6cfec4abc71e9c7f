"""``forebear convert``: round trips of every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fitted import assert_same

from forebear import Result, fit_network, score_parent_sets
from forebear.cli import main
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.learning.find_network import find_network
from forebear.network.file_formats import read_fitted
from forebear.parentsets.collection import ParentSets


@pytest.fixture(scope="module")
def found() -> Result:
    """The result of a short search on the example."""
    sets = score_parent_sets(Dataset.read(example_path("orchard")), max_parents=2)
    return find_network(sets, generations=2, seed=1, threads=1)


def test_round_trip_of_parent_sets() -> None:
    main(["score", "example:orchard", "-o", "o.cps", "-q"])
    assert main(["convert", "o.cps", "o.jkl.gz", "-q"]) == 0
    assert main(["convert", "o.jkl.gz", "back.cps", "-q"]) == 0
    assert (ParentSets.load("back.cps").scores == ParentSets.load("o.cps").scores).all()
    assert main(["convert", "o.cps", "ids.jkl", "--ids"]) == 0
    assert ParentSets.load("ids.jkl").names == tuple(map(str, range(18)))


def test_convert_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "example:orchard", "o.parquet"]) == 0
    assert capsys.readouterr().out == "o.parquet: 18 variables, 2,000 rows\n"
    original = Dataset.read(example_path("orchard"))
    assert Dataset.read("o.parquet").fingerprint == original.fingerprint


@pytest.mark.parametrize(
    ("options", "fit"),
    [("", {}), ("--ess 10", {"ess": 10.0}), ("--smoothing strong", {"smoothing": "strong"})],
)
def test_fitting(found: Result, options: str, fit: dict[str, Any]) -> None:
    found.save("o.json")
    command = f"convert o.json o.xmlbif --data example:orchard -q {options}"
    assert main(command.split()) == 0
    data = Dataset.read(example_path("orchard"))
    assert_same(read_fitted("o.xmlbif"), fit_network(found.network, data, **fit))


def test_a_result_fits_raw_rows_as_its_table_was_read() -> None:
    read = ["--drop", "id", "--discretize", "quantile", "--missing", "state"]
    learn = ["learn", "example:survey", "-o", "one.json", "-o", "one.bif", "-q", "--seed", "1"]
    assert main([*learn, *read, "--generations", "1", "--no-cache"]) == 0
    assert main(["convert", "one.json", "two.bif", "--data", "example:survey"]) == 0
    assert Path("two.bif").read_text() == Path("one.bif").read_text()
