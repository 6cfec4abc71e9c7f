"""The scores of a run at some moments, of one version or two."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anytime

from forebear import Network, score_network, simulate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_two_versions_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        """Stand in for a version: the other one finds its network later."""
        asked = json.loads(command[-1])
        late = anytime.NOT_YET if command[0] == "other/python" else -14.0
        scores = [late, -10.0 - 4 * (asked["seed"] - 801)]
        return subprocess.CompletedProcess(command, 0, json.dumps({"scores": scores}))

    monkeypatch.setattr(subprocess, "run", run)
    given = f"--data {tmp_path} --networks {tmp_path} --only tiny --seeds 2 --threads 1"
    more = f"--moments 1 3 --against other/python -o {tmp_path / 'runs.jsonl'}"
    monkeypatch.setattr(sys, "argv", ["anytime.py", *given.split(), *more.split()])
    anytime.main()
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| 1 | tiny | this | 4 ± 0 | 2 ± 2 |",
        "| 1 | tiny | other | no network | 2 ± 2 |",
    ]
    runs = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert sorted((run["version"], run["seed"]) for run in runs) == [
        (version, seed) for version in ("other", "this") for seed in (801, 802)
    ]


def test_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = simulate(6, 100, states=(2, 2), seed=1).data
    rows = "".join(f"{','.join(map(str, row))}\n" for row in data.codes.T)
    (tmp_path / "tiny.data").write_text(rows)
    about = {"table": "tiny", "data": str(tmp_path), "networks": str(tmp_path)}
    anytime.run_once({**about, "seed": 1, "threads": 1, "moments": [0.2]})
    found = json.loads(capsys.readouterr().out)
    assert found["variables"] == 6
    assert found["scores"][0] >= score_network(Network(data.names, ((),) * 6), data)
