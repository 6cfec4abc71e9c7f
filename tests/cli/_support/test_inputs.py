"""Options about tables, and their effect."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from forebear.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sizes = ("low", "mid", "high")
    rows = [
        f"p{i};{20 + i * 7 % 60};{sizes[i % 3]};{i % 5},{i % 2}5;{i // 3 % 2 or '-'}"
        for i in range(60)
    ]
    Path("t.csv").write_text("\n".join(["id;age;size;width;code", *rows]) + "\n")
    return tmp_path


def test_a_schema_is_written_for_editing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "t.csv", "--schema", "t.toml"]) == 0
    assert capsys.readouterr().out.endswith("Written to t.toml\n")
    text = Path("t.toml").read_text()
    assert '"id" = { kind = "categorical" }  # 60 states; identifier: 60 states in 60 rows' in text
    assert '"width" = { kind = "continuous" }  # 0.05 to 4.15' in text
    edited = text.replace('"id" = { kind = "categorical" }', '"id" = "drop"')
    Path("t.toml").write_text(edited)
    assert main(["convert", "t.csv", "o.csv", "--schema", "t.toml", "-q"]) == 0
    assert pl.read_csv("o.csv").columns == ["age", "size", "width", "code"]


def test_warnings_and_counts_reach_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    learn = ["learn", "t.csv", "--generations", "1", "--max-parents", "1", "-q"]
    assert main([*learn, "--drop", "age", "--drop", "width"]) == 0
    told = capsys.readouterr().err
    assert "warning: 1 column looks like an identifier (id: 60 states in 60 rows)" in told
    assert "leave out with --drop" in told
    assert "name it in --missing-tokens" in told
    dropped = ["--drop", "width", "--drop", "age", "--drop", "id", "--missing", "drop"]
    assert main([*learn, *dropped, "--missing-tokens", "-"]) == 0
    assert "warning: --missing drop left out 30 of 60 rows (50.0%)" in capsys.readouterr().err
