"""The examples that come with the package."""

from __future__ import annotations

import gzip
from pathlib import Path

from forebear.data.examples import example_path
from forebear.data.writing import write_table
from forebear.network.formats.bif import read_bif
from forebear.network.simulation import simulate_from


def test_the_example_is_what_its_network_gives(tmp_path: Path) -> None:
    data = simulate_from(read_bif(example_path("orchard.bif")), 2_000, seed=1)
    write_table(data, tmp_path / "orchard.csv.gz")
    shipped = example_path("orchard").read_bytes()
    # Compared unzipped: the compressed bytes depend on the version of zlib.
    again = (tmp_path / "orchard.csv.gz").read_bytes()
    assert gzip.decompress(again) == gzip.decompress(shipped)
    assert shipped[3:8] == bytes(5), "the gzip header holds a file name or a time"
