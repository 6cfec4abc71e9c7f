"""forebear simulate: tables drawn from networks, new or given."""

from __future__ import annotations

import pytest

from forebear.cli import main
from forebear.data.dataset import Dataset
from forebear.network.formats.bif import read_bif


def test_simulate(capsys: pytest.CaptureFixture[str]) -> None:
    command = "simulate --variables 8 --rows 90 --max-parents 2 --states 3 --seed 4"
    assert main([*command.split(), "-o", "d.parquet", "--network", "n.bif"]) == 0
    assert "Next: forebear learn d.parquet --report d.html" in capsys.readouterr().out
    drawn = Dataset.read("d.parquet")
    assert drawn.arities.tolist() == [3] * 8
    assert max(map(len, read_bif("n.bif").network.parents)) <= 2
    again = "simulate --from n.bif --rows 90 --seed 4 -o e.parquet -q"
    assert main(again.split()) == 0
    assert Dataset.read("e.parquet").fingerprint == drawn.fingerprint
