"""forebear simulate: tables drawn from networks, new or given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from forebear.cli import main
from forebear.data.dataset import Dataset
from forebear.network.formats.bif import read_bif

if TYPE_CHECKING:
    import pytest


def test_simulate(capsys: pytest.CaptureFixture[str]) -> None:
    command = "simulate --variables 8 --rows 90 --max-parents 2 --states 3 --seed 4"
    assert main([*command.split(), "-o", "d.parquet", "--network", "n.bif"]) == 0
    assert "Next: forebear score d.parquet -o d.cps" in capsys.readouterr().out
    drawn = Dataset.read("d.parquet")
    assert drawn.arities.tolist() == [3] * 8
    assert max(map(len, read_bif("n.bif").network.parents)) <= 2
    assert (
        main(
            [
                "simulate",
                "--from",
                "n.bif",
                "--rows",
                "90",
                "--seed",
                "4",
                "-o",
                "e.parquet",
                "-q",
            ]
        )
        == 0
    )
    assert Dataset.read("e.parquet").fingerprint == drawn.fingerprint


def test_simulate_writes_and_reads_every_fitted_format() -> None:
    command = "simulate --variables 5 --rows 40 --seed 2 -q -o"
    assert main([*command.split(), "d.csv", "--network", "n.net"]) == 0
    assert main([*command.split(), "e.csv", "--network", "n.dot"]) == 0
    assert Path("n.dot").read_text().startswith("digraph")
    again = "simulate --from n.net --rows 40 --seed 2 -q -o again.csv"
    assert main(again.split()) == 0
    assert Path("again.csv").read_bytes() == Path("d.csv").read_bytes()
