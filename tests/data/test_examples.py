"""The examples that come with the package."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import polars as pl
from survey_example import survey_text

from forebear import summarize_table
from forebear.data.examples import EXAMPLES, example_path
from forebear.data.suspicions import Suspect
from forebear.data.writing import write_table
from forebear.network.formats.bif import read_bif
from forebear.network.simulation import simulate_from

if TYPE_CHECKING:
    from pathlib import Path


def test_the_example_is_what_its_network_gives(tmp_path: Path) -> None:
    data = simulate_from(read_bif(example_path("orchard.bif")), 2_000, seed=1)
    write_table(data, tmp_path / "orchard.csv.gz")
    shipped = example_path("orchard").read_bytes()
    # Compared unzipped: the compressed bytes depend on the version of zlib.
    again = (tmp_path / "orchard.csv.gz").read_bytes()
    assert gzip.decompress(again) == gzip.decompress(shipped)
    assert shipped[3:8] == bytes(5), "the gzip header holds a file name or a time"


def test_the_example_is_small_and_shows_every_state() -> None:
    assert all(example_path(name).is_file() for name in EXAMPLES)
    assert example_path("orchard").stat().st_size < 60_000
    fitted = read_bif(example_path("orchard.bif"))
    frame = pl.read_csv(example_path("orchard"))
    assert tuple(frame.columns) == fitted.network.names
    for name, states in zip(fitted.network.names, fitted.states, strict=True):
        assert set(frame[name].unique()) == set(states)


def test_the_survey_is_what_its_generator_gives() -> None:
    shipped = example_path("survey").read_bytes()
    assert gzip.decompress(shipped).decode() == survey_text()
    assert shipped[3:8] == bytes(5), "the gzip header holds a file name or a time"
    assert len(shipped) < 40_000


def test_the_survey_has_what_a_survey_has() -> None:
    summary = summarize_table("example:survey")
    assert [c.name for c in summary.columns if c.suspicions] == ["id"]
    assert summary.columns[0].suspicions[0].suspect is Suspect.IDENTIFIER
    kinds = {c.name: c.kind for c in summary.columns}
    assert [name for name, kind in kinds.items() if kind == "continuous"] == [
        "id",
        "age",
        "income",
        "bmi",
    ]
    assert [c.name for c in summary.columns if c.n_missing] == ["income", "smoking", "bmi"]
