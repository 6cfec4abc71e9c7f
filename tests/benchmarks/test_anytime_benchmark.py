"""The scores of a run at some moments, of one version or two."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import anytime
import pytest

from forebear import Network, score_network, simulate


def test_two_versions_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    about = {"table": "tiny", "threads": 1, "moments": [1, 3]}
    found = [
        {**about, "version": version, "scores": [first, -10.0 - 4 * seed]}
        for seed in (0, 1)
        for version, first in (("this", -14.0), ("other", anytime.NOT_YET))
    ]
    anytime.show(found, argparse.Namespace(moments=[1, 3]))
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| 1 | tiny | this | 4 ± 0 | 2 ± 2 |",
        "| 1 | tiny | other | no network | 2 ± 2 |",
    ]


def test_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = simulate(6, 100, states=(2, 2), seed=1).data
    rows = "".join(f"{','.join(map(str, row))}\n" for row in data.codes.T)
    (tmp_path / "tiny.data").write_text(rows)
    about = {"table": "tiny", "data": str(tmp_path), "networks": str(tmp_path)}
    anytime.run_once({**about, "seed": 1, "threads": 1, "moments": [0.2]})
    found = json.loads(capsys.readouterr().out)
    assert found["variables"] == 6
    assert found["scores"][0] >= score_network(Network(data.names, ((),) * 6), data, "bdeu")
