"""A cluster that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_no_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("forebear.cli._support.cluster.CONNECT_SECONDS", 0.5)
    monkeypatch.chdir(tmp_path)
    command = ["learn", "example:orchard", "--time-limit", "1", "--dask", "tcp://127.0.0.1:1"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "Dask is not installed" in said or "no Dask cluster answers there" in said
