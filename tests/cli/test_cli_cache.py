"""forebear cache: what it shows, and what it removes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forebear import simulate
from forebear.cli import main
from forebear.data.writing import write_table

LEARN = ["learn", "table.csv", "--generations", "1", "--seed", "1", "--max-parents", "2"]


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache with the parent sets of one table."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    write_table(simulate(5, 100, seed=1).data, "table.csv")
    assert main([*LEARN, "-q"]) == 0


def kept() -> list[Path]:
    return list(Path("kept/forebear").glob("*.cps"))


def test_show(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (path,) = kept()
    assert main(["cache"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "files    1"
    assert main(["cache", "show", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {
        "folder": str(tmp_path / "kept" / "forebear"),
        "files": 1,
        "bytes": path.stat().st_size,
        "limit": 10**10,
        "cleared": False,
    }


def test_another_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LEARN, "-q", "--cache", "mine"]) == 0
    assert main(["cache", "clear", "--folder", "mine"]) == 0
    assert capsys.readouterr().out.endswith("cleared  yes\n")
    assert list(Path("mine").iterdir()) == []
    assert len(kept()) == 1
